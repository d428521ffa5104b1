"""Choosing a query or a run from the tree of the session, with the verdict of each run."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from planscope.tui.app_screen import AppScreen
from planscope.tui.controllers.document import Outcome, RunKey
from planscope.tui.controllers.jobs import CancelToken
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.dialogs.ask import ChooseDialog
from planscope.tui.run_tree import Branch, branch_line, judge_runs, not_judged, outcomes_of, tree_of
from planscope.tui.style.lines import Run

JOB = "run-verdicts"
_GONE = "this played run was discarded"
_SOON = 0.1
"""Seconds between two updates of the list while verdicts arrive, since building a long list is slow."""


class Chosen(NamedTuple):
    """A query, and a run of it or ""."""

    variant: str
    run: str


async def choose_run(
    screen: AppScreen[Any], work: Workspace, title: str, *, here: int | None, begin: tuple[str, str] | None
) -> Chosen | None:
    """Ask for a query or a run. ``here``: the number of the marked run. ``begin``: the first selection. For a flow.

    Missing verdicts appear as soon as they are found.
    """
    document, jobs = work.document, work.jobs
    branches = tree_of(document.variants, document.runs)
    at = next((i for i, b in enumerate(branches) if (b.variant.id, b.run_id) == begin), 0)

    def gone(branch: Branch) -> bool:
        return branch.number is not None and document.run(branch.run_id) is None

    def lines() -> list[Any]:
        known = outcomes_of(document)
        return [
            (Run("  " * branch.depth), Run(_GONE, "dim"))
            if gone(branch)
            else branch_line(document, branch, here, known)
            for branch in branches
        ]

    dialog = ChooseDialog(screen.paint, title, lines(), at)
    missing = not_judged(document)
    session = document.snapshot()
    soon: list[Any] = []

    def show() -> None:
        soon.clear()
        dialog.set_choices(lines())

    def judged(token: CancelToken, key: RunKey, outcome: Outcome) -> None:
        document.judged(key, outcome)
        if not token.cancelled and not soon:
            soon.append(jobs.loop.call_later(_SOON, show))

    def search(token: CancelToken) -> None:
        for key, outcome in judge_runs(session, missing):
            if token.cancelled:
                return
            jobs.tell(partial(judged, token, key, outcome))

    if missing:
        jobs.start(JOB, search, lambda answer: show(), lambda error: None)
    try:
        number = await screen.answer(dialog)
    finally:
        jobs.cancel(JOB)
        for timer in soon:
            timer.cancel()
    if number is None:
        return None
    if gone(branches[number]):
        screen.tell(_GONE)
        return None
    return Chosen(branches[number].variant.id, branches[number].run_id)
