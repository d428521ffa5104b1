"""Leaving a session: what is under way is stopped and waited for, and what came of it is saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from planscope.tui.arrangement import FIRST
from planscope.tui.controllers import workspace as workspace_
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.drafts import Drafts
from planscope.tui.controllers.live_run import RunChoice
from planscope.tui.controllers.workspace import Workspace, leave, workspace
from tests.tui import sessions
from tests.tui.controllers.at_once import JobsAtOnce, Posted


class Busy:
    """A run or a dissection that goes on for some looks after it was stopped."""

    def __init__(self, looks: int) -> None:
        self.looks, self.stopped = looks, False

    def stop(self) -> None:
        self.stopped = True

    leave = stop

    @property
    def at_work(self) -> bool:
        self.looks -= 1
        return self.looks >= 0

    running = at_work


def made(flush: Callable[[], Any] | None, run: Busy, dissection: Busy) -> Workspace:
    document = Document(None)
    document.open(sessions.no_run())
    work = workspace(
        document, None, JobsAtOnce(), Drafts(), Posted(), RunChoice(seed=1), FIRST, FIRST.__getitem__
    )
    assert work.judge.document is work.live.document is work.what_if.document is work.dissecting.document
    assert work.live.default_choice(None) == RunChoice(seed=1)
    autosave: Any = SimpleNamespace(flush=flush) if flush is not None else None
    others: dict[str, Any] = {"live": run, "dissecting": dissection}
    return replace(work, autosave=autosave, **others)


async def test_what_is_under_way_ends_before_it_is_saved() -> None:
    run, dissection, saved = Busy(2), Busy(3), []

    async def flush() -> str:
        saved.append((run.stopped, dissection.stopped, run.looks < 0, dissection.looks < 0))
        return "the disk is full"

    assert await leave(made(flush, run, dissection)) == "the disk is full"
    assert saved == [(True, True, True, True)]


async def test_what_does_not_end_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_, "LONGEST_STOP", 0.05)
    assert await leave(made(None, Busy(10**6), Busy(0))) == ""
