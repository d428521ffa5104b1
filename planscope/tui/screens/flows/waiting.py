"""Waiting for work in a thread, with a dialog that says how far it is and can stop it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from planscope.errors import UserError
from planscope.oracle.cancellation import check_cancelled
from planscope.tui.app_screen import Asker
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.dialogs.ask import WaitDialog
from planscope.tui.style.lines import shown

Found = TypeVar("Found")
Tell = Callable[[str], None]
"""Says how far work is. It raises once the user stopped the work, which so ends."""


async def waited(
    screen: Asker, jobs: Jobs, job: str, what: str, work: Callable[[Tell], Found]
) -> Found | UserError | None:
    """Do work and wait for it. Return its result, or its error in one line, or None if the user stopped it.

    For a flow.
    """
    wait = WaitDialog(what)

    def tell(text: str) -> None:
        check_cancelled()
        jobs.tell(lambda: wait.say(text))

    task = asyncio.ensure_future(jobs.run(job, lambda token: work(tell)))
    task.add_done_callback(lambda _: wait.dismiss(None))
    await screen.answer(wait)
    if not task.done():
        task.cancel()
        return None
    error = task.exception()
    return task.result() if error is None else UserError(shown(str(error).partition("\n")[0], 300))
