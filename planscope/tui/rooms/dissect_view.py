"""What the dissect room shows: a matrix that fills with mutants as runs finish, and above it the cause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual import events, on
from textual.widget import Widget

from planscope.tui.controllers.dissecting import DissectChoice
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.lines import Line, Run, fitted, joined, shown, width_of
from planscope.tui.messages import DissectionChanged, DocumentChanged
from planscope.tui.paint import Paint
from planscope.tui.panes.box import BoxPane
from planscope.tui.panes.dissect_lines import (
    LEGEND,
    NOTHING_YET,
    cause_lines,
    cell_lines,
    matrix_lines,
    progress_runs,
)
from planscope.tui.screens.base import FixedKey, keys_for
from planscope.tui.screens.side import SIDE_STYLE, SideScreen

if TYPE_CHECKING:
    from planscope.compare.result import TextDiff
    from planscope.dissection.summary import CellView, RunKey, Summary
    from planscope.oracle.verdict_types import Verdict
    from planscope.session.model import CellKind, Dissection, Session, Variant

JOB = "dissect-summary"
SOON = 0.1
"""Seconds until what came is shown, with whatever comes meanwhile."""
BARS, MATRIX, MUTANT = 2, 8, 5
"""Rows of title and keys, of the matrix with its box, and those that the mutant keeps in any case."""


@dataclass(frozen=True, slots=True)
class DissectState:
    """``record`` is the dissection that is looked at, ``row`` and ``column`` the mutant that is chosen."""

    record: Dissection | None = None
    summary: Summary | None = None
    trouble: str = ""
    row: int = 0
    column: int = 0


_FIXED: tuple[FixedKey, ...] = (
    ("down", "go(1, 0)", "The kind below"),
    ("up", "go(-1, 0)", "The kind above"),
    ("right", "go(0, 1)", "The next mutant"),
    ("left", "go(0, -1)", "The mutant before"),
    ("home", "go(0, -9999)", "The first mutant"),
    ("end", "go(0, 9999)", "The last mutant"),
    ("pagedown", "scroll_mutant(1)", "Scroll the mutant"),
    ("pageup", "scroll_mutant(-1)", "Scroll the mutant"),
    ("enter", "open_mutant", "Open the mutant's last run"),
)


class DissectView(SideScreen):
    """``variant`` and ``wanted`` are what a new dissection is about.

    ``spent_before``: how many runs there were when the last ones were asked for; None once those have ended.
    """

    CSS_PATH = [SIDE_STYLE, "dissect.tcss"]  # noqa: RUF012  (Textual's own way to say it)
    where = "dissect"
    BINDINGS = keys_for("dissect", _FIXED)

    def __init__(self, paint: Paint, work: Workspace, variant: str, wanted: DissectChoice) -> None:
        super().__init__(paint, work)
        self.dissecting = work.dissecting
        self.variant = variant
        self.wanted = wanted
        self.state = DissectState(record=self._latest())
        self._entered_at = variant
        if self.state.record is not None and self.state.record.variant != variant:
            self.variant = self.state.record.variant
            self.wanted = replace(wanted, run=None)
        self._behind = self._due = False
        self.spent_before: int | None = None
        self._cause_height = 0
        self._verdicts: dict[RunKey, Verdict] = {}
        self._diffs: dict[str, TextDiff | None] = {}

    def _variant_of(self, cell: CellView | None) -> Variant | None:
        return self.document.variant(cell.variant) if cell is not None else None

    def _latest(self) -> Dissection | None:
        """The dissection under way, else the session's last one of this request, or that it is a mutant of."""
        if self.dissecting.running:
            return self.dissecting.record
        kept = self.document.open_session.dissections
        mine = [d for d in kept if d.variant == self.variant]
        theirs = [d for d in kept if any(cell.variant == self.variant for cell in d.cells)]
        found = mine or theirs
        return found[-1] if found else None

    def body(self) -> Iterable[Widget]:
        self.cause = BoxPane(self.paint, id="cause")
        self.matrix = BoxPane(self.paint, id="matrix")
        self.mutant = BoxPane(self.paint, id="mutant")
        return (self.cause, self.matrix, self.mutant)

    def on_mount(self) -> None:
        self.set_interval(1.0, self.show_bars)
        self.call_after_refresh(self.summarize)

    def on_unmount(self) -> None:
        self.jobs.cancel(JOB)

    @property
    def at_rest(self) -> bool:
        """Whether all is shown that will be without a key."""
        return not (self.dissecting.running or self.jobs.running(JOB) or self._due)

    # What comes

    @on(DocumentChanged)
    def _dissection_changed(self, message: DocumentChanged) -> None:
        mine = self.state.record
        if message.what == "dissection" and (mine is None or message.id == mine.id):
            self.hear()

    @on(DissectionChanged)
    def hear(self) -> None:
        """Something began, came or ended."""
        mine, theirs = self.state.record, self.dissecting.record
        if theirs is not None and (self.dissecting.running or mine is None or mine.id == theirs.id):
            self.state = replace(self.state, record=theirs)
        if self.dissecting.trouble:
            self.state = replace(self.state, trouble=self.dissecting.trouble)
        if not self.dissecting.running:
            self.summarize()
        elif not self._due:
            self._due = True
            self.set_timer(SOON, self.summarize)

    def summarize(self) -> None:
        """Judge all runs anew, in the background; what came meanwhile waits for its turn."""
        record = self.state.record
        self._due = False
        self.show_state()
        if record is None:
            return
        if self.jobs.running(JOB):
            self._behind = True
            return
        self._behind = False
        session: Session = self.document.snapshot()
        verdicts = self._verdicts  # of one job at a time

        def work(ticket: object) -> Summary:
            from planscope.dissection.summary import summary

            return summary(session, record, verdicts)

        self.jobs.start(JOB, work, self._summed, self._not_summed)

    def _summed(self, found: Summary) -> None:
        fresh = self.state.summary is None
        self.change(summary=found)
        if fresh:
            row, column = self._first_place(found)
            self.change(row=row, column=column)
        if self._behind:
            self.summarize()
        elif not self.dissecting.running:
            self._say_if_nothing_came(found)

    def _say_if_nothing_came(self, found: Summary) -> None:
        """That no run was made though runs were asked for, and why."""
        before, self.spent_before = self.spent_before, None
        if found.runs == before and not (self.notice or self.state.trouble):
            settled = found.decision.settled
            self.tell("more runs would not change this" if settled else "no more mutants can be made")

    def _first_place(self, found: Summary) -> tuple[int, int]:
        """The mutant that one came from, else the first one."""
        for i, row in enumerate(found.rows):
            for j, cell in enumerate(row.cells):
                if cell.variant == self._entered_at != self.variant:
                    return i, j
        return next((i for i, row in enumerate(found.rows) if row.cells), 0), 0

    def _not_summed(self, error: Exception) -> None:
        self.change(trouble=f"the runs cannot be judged: {shown(str(error), 200)}")

    # What is shown

    def change(self, **changes: object) -> None:
        self.state = replace(self.state, **changes)  # type: ignore[arg-type]  # fields by their names
        self.show_state()

    @property
    def kind(self) -> CellKind:
        """The kind whose row is chosen."""
        return NOTHING_YET[self.state.row].kind

    @property
    def cell(self) -> CellView | None:
        """The mutant that is chosen."""
        found = self.state.summary
        cells = found.rows[self.state.row].cells if found is not None else ()
        return cells[min(self.state.column, len(cells) - 1)] if cells else None

    def show_state(self) -> None:
        if not self.is_mounted:
            return
        state, found = self.state, self.state.summary
        for pane in (self.cause, self.matrix, self.mutant):
            pane.measure()
        told = self._cause_lines()
        self.cause.set_content(
            told,
            title=(Run("Cause", "title"),),
            note=(Run("what in the request makes the agent fail", "dim"),),
        )
        column = min(state.column, len(found.rows[state.row].cells) - 1) if found is not None else 0
        self.matrix.set_content(
            matrix_lines(found, state.row, column, self.matrix.inner_width, self._method),
            title=(Run("Mutants", "title"),),
            note=(Run(LEGEND, "dim"),),
            current=True,
        )
        cell = self.cell
        kind = self.kind
        self.mutant.set_content(
            cell_lines(self.kind, cell, self._variant_of(cell), self._diff(cell), self.mutant.inner_width),
            title=(Run(kind, "title"), Run(f" {cell.number}" if cell is not None else "", "title")),
            note=(Run(f"request {shown(cell.variant, 20)}", "dim"),) if cell is not None else (),
        )
        self.show_bars()

    def _cause_lines(self) -> list[Line]:
        """What is said of the cause. Its pane is as high as that, as long as the mutant keeps a few lines."""
        found, width = self.state.summary, self.cause.inner_width
        most = max(self.app.size.height - BARS - MATRIX - MUTANT, 3)
        told = cause_lines(found, self.state.trouble, self.dissecting.running, width)
        if len(told) + 2 > most:
            told = cause_lines(found, self.state.trouble, self.dissecting.running, width, short=True)
        height = min(max(len(told) + 2, most // 2), most)
        if self._cause_height != height:
            self._cause_height = height
            self.cause.styles.height = height
            self.call_after_refresh(self.show_state)
        return told

    def _diff(self, cell: CellView | None) -> TextDiff | None:
        """The words of a mutant against those of the request, worked out once for each."""
        if cell is None or cell.variant == self.variant:
            return None
        if cell.variant not in self._diffs:
            from planscope.compare.words import compare_texts

            original, mutant = self.document.variant(self.variant), self.document.variant(cell.variant)
            self._diffs[cell.variant] = (
                compare_texts(original.query.text, mutant.query.text)
                if original is not None and mutant is not None
                else None
            )
        return self._diffs[cell.variant]

    @property
    def _method(self) -> str:
        return self.state.record.method if self.state.record is not None else self.wanted.method

    def heading(self) -> tuple[Sequence[Run], Sequence[Run]]:
        record = self.state.record
        agent, model, method = (
            (record.agent, record.model, record.method)
            if record is not None
            else (self.wanted.agent, self.wanted.model, self.wanted.method)
        )
        said = [Run(shown(model, 40))]
        if model.casefold().startswith("sim:"):
            said.append(Run(" simulated", "caution"))
        parts = [
            (1, [Run(shown(self.variant, 20))]),
            (2, [Run(shown(agent, 40))]),
            (0, said),
            (3, [Run(f"method {method}")]),
        ]
        found = self.state.summary
        running = self.dissecting.running
        left_over = self.dissecting.seconds_left(found.runs, found.budget) if found is not None else None
        brand = [Run(" dissect ", "brand"), Run(" ")]
        right = progress_runs(found, running, left_over)
        room = self.app.size.width - 4 - width_of([*brand, *right])
        return [*brand, *joined(fitted(parts, room))], right

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self.show_state)
