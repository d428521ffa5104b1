"""A dialog to choose a request or a run of the session, with how each came out."""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from functools import partial

from textual.timer import Timer

from planscope.tui.desk import Desk, Outcome, RunKey
from planscope.tui.dialogs.choose import ChooseDialog
from planscope.tui.jobs import Jobs, Ticket
from planscope.tui.lines import Run
from planscope.tui.paint import Paint
from planscope.tui.run_tree import Branch, branch_line, tree_of
from planscope.tui.run_verdicts import judge_runs, not_judged, outcomes_of

JOB = "run-verdicts"
_SOON = 0.1
"""Seconds until verdicts are shown that were found; a long list is not made anew for each."""


class RunsDialog(ChooseDialog):
    """Answers with the place in ``branches``. Verdicts that are not known yet come as they are found.

    ``here``: the number of the run that is looked at. ``chosen``: where to begin, a variant's id and a run's.
    """

    def __init__(
        self,
        paint: Paint,
        title: str,
        desk: Desk,
        jobs: Jobs,
        *,
        here: int | None = None,
        chosen: tuple[str, str | None] | None = None,
    ) -> None:
        self.desk = desk
        self.jobs = jobs
        self.here = here
        self._missing = 0
        self._soon: Timer | None = None
        self.branches: list[Branch] = tree_of(desk.glance)
        super().__init__(paint, title, self._told(), self._place(chosen))

    def _place(self, chosen: tuple[str, str | None] | None) -> int:
        runs = self.desk.glance.runs
        for i, branch in enumerate(self.branches):
            run = runs[branch.number].id if branch.number is not None else None
            if (branch.variant.id, run) == chosen or (chosen is None and branch.number == self.here):
                return i
        return 0

    def on_mount(self) -> None:
        super().on_mount()
        missing = not_judged(self.desk)
        if not missing:
            return
        self._missing = len(missing)
        session = self.desk.snapshot()
        loop, context = asyncio.get_running_loop(), copy_context()

        def work(ticket: Ticket) -> None:
            for key, outcome in judge_runs(session, missing):
                if ticket.stale:
                    return
                tell = partial(self._judged, ticket, key, outcome)
                loop.call_soon_threadsafe(tell, context=context)

        self.jobs.start(JOB, work, lambda answer: None, lambda error: None)

    def on_unmount(self) -> None:
        self.jobs.cancel(JOB)

    def _judged(self, ticket: Ticket, key: RunKey, outcome: Outcome) -> None:
        self.desk.outcomes[key] = outcome
        self._missing -= 1
        if ticket.stale:
            return
        if not self._missing:
            self._show_judged()
        elif self._soon is None:
            self._soon = self.set_timer(_SOON, self._show_judged)

    def _show_judged(self) -> None:
        self._soon = None
        self.choices = self._told()
        self._show()

    def _told(self) -> list[tuple[Run, ...]]:
        known = outcomes_of(self.desk)
        return [branch_line(self.desk.glance, branch, self.here, known) for branch in self.branches]
