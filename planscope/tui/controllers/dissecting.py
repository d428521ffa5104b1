"""Runs a dissection in the background, and puts its mutants and runs into the document as they come."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planscope.dissection.options import DissectOptions
from planscope.frozen import frozen
from planscope.safe.secret_names import without_secrets
from planscope.tui.controllers.document import Document, Post
from planscope.tui.controllers.jobs import CancelToken, Jobs
from planscope.tui.messages import DissectionChanged

if TYPE_CHECKING:
    from planscope.dissection.engine import Dissector
    from planscope.session.model import Cell, CellKind, Dissection, Run, Variant

JOB = "dissect"


@frozen
class DissectChoice(DissectOptions):
    """With ``run``, the failing run to begin with, if any."""

    run: str | None = None


@frozen
class Launch:
    """Which runs to make: all that the method asks for, those of a kind, or those of one mutant."""

    kind: CellKind | None = None
    number: int | None = None
    times: int = 1


class Dissecting:
    """Runs dissections, one at a time, also while the dissect screen is closed.

    Posts :class:`DissectionChanged` when one begins or ends. The document announces its results.
    """

    def __init__(self, document: Document, jobs: Jobs, post: Post) -> None:
        self.document = document
        self.jobs = jobs
        self._post = post
        self.trouble = ""
        self.record: Dissection | None = None
        self._loop = jobs.loop
        self._context = copy_context()
        self._dissector: Dissector | None = None
        self._began = 0.0
        self._spent_before = 0
        self._stopping = False

    @property
    def running(self) -> bool:
        return self.jobs.running(JOB)

    def seconds_left(self, spent: int, budget: int) -> float | None:
        """An estimate of the longest time left, from the runs so far, or None before the first. It may stop earlier."""
        done = spent - self._spent_before
        if not self.running or done < 1:
            return None
        return (time.monotonic() - self._began) / done * max(budget - spent, 0)

    def launch(
        self, variant: Variant, choice: DissectChoice, launch: Launch, resume: Dissection | None = None
    ) -> None:
        """Start a dissection, or continue ``resume`` as the document has it now: runs may have ended since it was read.

        If it fails, ``trouble`` says why in one line.
        """
        session = self.document.snapshot()
        if resume is not None:
            kept = session.dissections
            resume = next((one for one in kept if one.id == resume.id), resume)
        run = self.document.run(choice.run) if choice.run is not None else None
        self.trouble = ""
        self._stopping = False
        self._began = time.monotonic()
        self._spent_before = sum(len(cell.runs) for cell in resume.cells) if resume is not None else 0
        self.record = resume

        def work(token: CancelToken) -> Dissection:
            from planscope.dissection.engine import Dissector
            from planscope.session.model import CULPRIT_BUDGET

            made = Dissector(
                session,
                variant,
                replace(choice, culprit_budget=CULPRIT_BUDGET if choice.method == "rates" else 0),
                run=run,
                resume=resume,
                on_cell=lambda cell, mutant: self._hand_over(made, self._cell, cell, mutant),
                on_run=lambda cell, run: self._hand_over(made, self._run, cell, run),
            )
            self._dissector = made
            if self._stopping:
                return made.dissection
            return made.go(launch.kind, launch.number, times=launch.times)

        self.jobs.start(JOB, work, self._ended, self._failed, interrupt=self._interrupt)
        self._post(DissectionChanged())

    def stop(self) -> None:
        """End the dissection soon. Its runs stay."""
        self._stopping = True
        self._interrupt()

    def _interrupt(self) -> None:
        if self._dissector is not None:
            self._dissector.stop()

    # On the thread of the runs

    def _hand_over(self, made: Dissector, take: Callable[..., None], cell: Cell, thing: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(take, made, cell, thing, context=self._context)
        except RuntimeError:
            return  # the loop is closed: the application is gone

    # On the screen's thread

    def _cell(self, made: Dissector, cell: Cell, mutant: Variant) -> None:
        if self.document.variant(mutant.id) is None:
            self.document.put_variant(mutant)
        self._keep(made.dissection)

    def _run(self, made: Dissector, cell: Cell, run: Run) -> None:
        self.document.put_run(run)
        self._keep(made.dissection)

    def _keep(self, record: Dissection) -> None:
        """Put the record into the document, without runs and mutants that have not arrived here yet."""
        runs = {run.id for run in self.document.open_session.runs}
        variants = {variant.id for variant in self.document.open_session.variants}
        cells = [
            cell
            if runs.issuperset(cell.runs)
            else cell.model_copy(update={"runs": [run for run in cell.runs if run in runs]})
            for cell in record.cells
            if cell.variant in variants
        ]
        self.record = record.model_copy(update={"cells": cells})
        self.document.put_dissection(self.record)

    def _ended(self, record: Dissection) -> None:
        self._dissector = None
        self._keep(record)
        self._post(DissectionChanged())

    def _failed(self, error: Exception) -> None:
        self._dissector = None
        self.trouble = without_secrets(str(error) or type(error).__name__)
        self._post(DissectionChanged())
