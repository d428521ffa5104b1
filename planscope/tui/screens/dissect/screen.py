"""The dissect screen: a matrix that fills with mutants as runs finish, and above it the cause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from textual import on
from textual.widget import Widget

from planscope.agents.models import ModelUnavailable, parse_model
from planscope.agents.paradigms import AGENTS
from planscope.compare.result import TextDiff
from planscope.compare.texts import compare_texts
from planscope.dissection.steps import LOOKING
from planscope.dissection.summary import CellView, Row, RunKey, Summary
from planscope.frozen import frozen
from planscope.oracle.verdict_types import Verdict
from planscope.safe.secret_names import without_secrets
from planscope.session.model import CellKind, Dissection, Variant
from planscope.tui.app_screen import flow, keys_for
from planscope.tui.controllers.dissecting import DissectChoice, Launch
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.keys import key_for
from planscope.tui.messages import DissectionChanged, DocumentChanged
from planscope.tui.panes.box import BoxPane
from planscope.tui.panes.dissect_lines import (
    NOTHING_YET,
    cause_lines,
    cell_lines,
    matrix_head,
    matrix_lines,
    progress_runs,
)
from planscope.tui.screens.compare.comparable import Chosen
from planscope.tui.screens.compare.screen import CompareScreen, RunChosen
from planscope.tui.screens.lists import At, Cursor, ListScreen
from planscope.tui.style.lines import Line, Run, fitted, joined, shown, width_of
from planscope.wording import phrases
from planscope.wording.terms import METHODS, MUTATIONS, OUTCOME_LEGEND

JOB = "dissect-summary"
Summed = tuple["Summary", str, tuple[int, int] | None]
"""The summary, what is run next in words, and the place of a cured query."""
MOST_OF_A_KIND = 20
SOON = 0.1
"""Seconds between two updates of the display while runs finish."""
BARS, BORDER, MUTANT, HEADED = 2, 1, 4, 30
"""Rows of title and keys, of the line above a pane, those that the mutant's pane always keeps, and of a window in which
the matrix's columns have names."""


@frozen
class DissectState:
    """``record``: the displayed dissection. ``row``, ``column``: the selected mutant. ``then``: what is run next.

    ``cured``: the row and column of a mutant that the agent gets right.
    """

    record: Dissection | None = None
    summary: Summary | None = None
    trouble: str = ""
    row: int = 0
    column: int = 0
    then: str = ""
    cured: tuple[int, int] | None = None


def _spent(record: Dissection | None) -> int:
    """Return the number of runs that a dissection made."""
    return sum(len(cell.runs) for cell in record.cells) if record is not None else 0


_FIXED = {
    "down,j": "go_cell(1, 0)",
    "up,k": "go_cell(-1, 0)",
    "right": "go_cell(0, 1)",
    "left": "go_cell(0, -1)",
    "home": "go_cell(0, -9999)",
    "end": "go_cell(0, 9999)",
    "pagedown": "scroll_mutant(1)",
    "pageup": "scroll_mutant(-1)",
    "enter": "show_mutant",
}


class DissectScreen(ListScreen):
    """Shows a dissection. The screen returns the run to open (:class:`RunChosen`), or None.

    ``variant`` and ``wanted``: the query and the options of a new dissection. ``spent_before``: the number of runs
    when the user last asked for more; None once those have ended.
    """

    where = "dissect"
    BINDINGS = keys_for("dissect", _FIXED)

    def __init__(self, work: Workspace, variant: str, wanted: DissectChoice) -> None:
        super().__init__(work)
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
        self._heights = (0, 0)
        self._verdicts: dict[RunKey, Verdict] = {}
        self._diffs: dict[tuple[str, str], TextDiff | None] = {}

    def _latest(self) -> Dissection | None:
        """Return the dissection in progress, or else the last one of this query or, for a mutant, of its original."""
        if self.dissecting.running:
            return self.dissecting.record
        kept = self.document.open_session.dissections
        mine = [d for d in kept if d.variant == self.variant]
        theirs = [d for d in kept if any(cell.variant == self.variant for cell in d.cells)]
        return next(reversed(mine or theirs), None)

    def idle_keys(self) -> set[str]:
        """What needs mutants, or one that the agent gets right, where there is none."""
        idle = {"compare-cured"} if self.state.cured is None else set()
        if self.state.record is None:
            idle |= {"open-mutant", "compare-mutant", "copy-dissection"}
            if self._unable():  # each would ask for a model first, as the one key does that says so
                idle |= {"dissect-cell", "dissect-kind"}
        if len(self.document.open_session.dissections) < 1 + (self.state.record is not None):
            idle.add("other-dissection")
        return idle

    def modes(self) -> set[str]:
        return {"busy"} if self.dissecting.running else set()

    def body(self) -> Iterable[Widget]:
        self.cause, self.matrix, self.mutant = boxes = [
            BoxPane(id=name) for name in ("cause", "matrix", "mutant")
        ]
        self.cursors = {
            "matrix": Cursor(
                self.matrix, lambda: At(self.rows, self.state.row), lambda at: self.change(row=at)
            )
        }
        return boxes

    def on_mount(self) -> None:
        self.set_interval(1.0, self.show_bars)
        self.call_after_refresh(self.summarize)

    def on_unmount(self) -> None:
        self.jobs.cancel(JOB)

    @property
    def at_rest(self) -> bool:
        """Return whether the display stays unchanged until a key is pressed."""
        return not (self.dissecting.running or self.jobs.running(JOB) or self._due)

    # Messages of the dissection:

    @on(DocumentChanged)
    def _dissection_changed(self, message: DocumentChanged) -> None:
        mine = self.state.record
        if message.what == "dissection" and (mine is None or message.id == mine.id):
            self.hear()

    @on(DissectionChanged)
    def hear(self) -> None:
        """Read the dissection's progress, and display it soon."""
        mine, theirs = self.state.record, self.dissecting.record
        if theirs is not None and (self.dissecting.running or mine is None or mine.id == theirs.id):
            mine = theirs
        self.state = replace(self.state, record=mine, trouble=self.dissecting.trouble or self.state.trouble)
        if not self.dissecting.running:
            self.summarize()
        elif not self._due:
            self._due = True
            self.set_timer(SOON, self.summarize)

    def summarize(self) -> None:
        """Judge all runs again in the background; runs that finish meanwhile are judged afterwards."""
        record = self.state.record
        self._due = False
        self.show_state()
        self._behind = record is not None and self.jobs.running(JOB)
        if record is None or self._behind:
            return
        session = self.document.snapshot()
        verdicts = self._verdicts  # only one job at a time uses this cache

        def work(token: object) -> Summed:
            from planscope.dissection.steps import cured, next_in_words
            from planscope.dissection.summary import summary

            found = summary(session, record, verdicts)
            return found, next_in_words(found) if record.method == "rates" else "", cured(found)

        def failed(error: Exception) -> None:
            self.change(trouble=f"the runs cannot be judged: {shown(without_secrets(str(error)), 200)}")

        self.jobs.start(JOB, work, self._summed, failed)

    def _summed(self, answer: Summed) -> None:
        found, then, cured = answer
        kinds = [one.kind for one in found.rows]
        if self.state.summary is None:
            row, column = self._first_place(found)
        else:
            row, column = kinds.index(self.kind) if self.kind in kinds else 0, self.state.column
        self.change(summary=found, then=then, cured=cured, row=row, column=column)
        if self._behind:
            self.summarize()
        elif not self.dissecting.running:
            self._say_if_nothing_came(found)

    def _say_if_nothing_came(self, found: Summary) -> None:
        """Explain in a notice why no run was made although the user asked for some."""
        before, self.spent_before = self.spent_before, None
        if found.runs == before and not (self.notice or self.state.trouble):
            settled = found.decision.settled
            self.tell("more runs would not change this" if settled else "no more mutants can be made")

    def _first_place(self, found: Summary) -> tuple[int, int]:
        """Return the place of the mutant that the user came from, or else of the first one."""
        for i, row in enumerate(found.rows):
            for j, cell in enumerate(row.cells):
                if cell.variant == self._entered_at != self.variant:
                    return i, j
        return next((i for i, row in enumerate(found.rows) if row.cells), 0), 0

    # Display

    def change(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)
        self.show_state()

    @property
    def kind(self) -> CellKind:
        """The kind of the selected row."""
        return self.rows[self.state.row].kind

    @property
    def rows(self) -> Sequence[Row]:
        """The rows of the matrix. Some kinds have one only after they were run."""
        found = self.state.summary
        return found.rows if found is not None else NOTHING_YET

    @property
    def cell(self) -> CellView | None:
        """The selected mutant."""
        cells = self.rows[self.state.row].cells
        return cells[min(self.state.column, len(cells) - 1)] if cells else None

    def show_all(self) -> None:
        state, cell, kind = self.state, self.cell, self.kind
        self.cause.set_content(
            self._cause_lines(),
            title=(Run("Cause", "title"),),
            note=(Run("what in the query makes the agent fail", "dim"),),
        )
        column = min(state.column, len(self.rows[state.row].cells) - 1) if state.summary is not None else 0
        self.matrix.set_content(
            matrix_lines(state.summary, state.row, column, self.matrix.inner_width, self._told.method),
            title=(Run("Mutants", "title"),),
            note=(Run(OUTCOME_LEGEND, "dim"),),
            current=True,
            head=matrix_head(self.matrix.inner_width) if self._headed else None,
        )
        variant = self.document.variant(cell.variant) if cell is not None else None
        self.mutant.set_content(
            cell_lines(kind, cell, variant, self._diff(variant), self.mutant.inner_width),
            title=(
                Run(MUTATIONS[kind].capitalize(), "title"),
                Run(f" {cell.number}" if cell else "", "title"),
            ),
            note=(Run(f"query {shown(cell.variant, 20)}", "dim"),) if cell is not None else (),
        )

    def _cause_lines(self) -> list[Line]:
        """Return the lines of the cause pane, which grows to fit them unless the mutant pane would become too small."""
        found, width = self.state.summary, self.cause.inner_width
        matrix = BORDER + len(self.rows) + self._headed
        most = max(self.app.size.height - BARS - matrix - MUTANT, 3)
        running, trouble, then = self.dissecting.running, self.state.trouble, self._step_in_words()
        told = cause_lines(found, trouble, running, width, then=then)
        height = min(max(len(told) + BORDER, most // 2 if running else 0), most)
        if self._heights != (height, matrix):
            self._heights = (height, matrix)
            self.cause.styles.height = height
            self.matrix.styles.height = matrix
            self.call_after_refresh(self.show_state)
        return told

    @property
    def _headed(self) -> bool:
        """Whether the window is high enough for the names of the matrix's columns."""
        return self.app.size.height >= HEADED

    def _step_in_words(self) -> str:
        """Say what is run next and why, or that a cured query can be shown."""
        found = self.state.summary
        if self.dissecting.running and found is not None and found.decision.settled and found.culprit is None:
            return LOOKING
        if self.state.record is None and (unable := self._unable()):
            return f"{unable}: {key_for('dissect-all')} asks for one that can."
        if self.state.cured is not None:
            return f"{key_for('compare-cured')} shows a query that it gets right beside yours."
        return self.state.then

    def _diff(self, mutant: Variant | None) -> TextDiff | None:
        """Return the differences between a mutant's text and the query's, computed once for each mutant."""
        original = self.document.variant(self.variant)
        if mutant is None or original is None or mutant.id == original.id:
            return None
        place = original.id, mutant.id
        if place not in self._diffs:
            self._diffs[place] = compare_texts(original.query.text, mutant.query.text)
        return self._diffs[place]

    @property
    def _told(self) -> Dissection | DissectChoice:
        """What says agent, model and method: the displayed dissection, or the options of a new one."""
        return self.state.record or self.wanted

    def heading(self, width: int) -> tuple[Sequence[Run], Sequence[Run]]:
        told, found = self._told, self.state.summary
        simulated = told.model.casefold().startswith("sim:")
        parts = [
            (1, [Run(shown(self.variant, 20))]),
            (2, [Run(shown(told.agent, 40))]),
            (0, [Run(shown(told.model, 40)), *([Run(" simulated", "caution")] if simulated else [])]),
            (3, [Run(METHODS[told.method])]),
        ]
        left_over = self.dissecting.seconds_left(found.runs, found.budget) if found is not None else None
        right = progress_runs(found, self.dissecting.running, left_over)
        return joined(fitted(parts, width - width_of(right))), right

    # Keys that move

    def action_go_cell(self, rows: int, columns: int) -> None:
        row = min(max(self.state.row + rows, 0), len(self.rows) - 1)
        last = max(len(self.rows[row].cells) - 1, 0)
        self.notice = ""
        self.change(row=row, column=min(max(min(self.state.column, last) + columns, 0), last))

    def action_scroll_mutant(self, by: int) -> None:
        self.mutant.scroll_lines(by * max(self.mutant.window - 1, 1))

    # Keys that run

    def action_dissect_all(self) -> None:
        self._launch(Launch())

    @flow
    async def action_dissect_kind(self) -> None:
        from planscope.tui.dialogs.form import ask_dialog

        kind = self.kind
        allowed = {str(number) for number in range(1, MOST_OF_A_KIND + 1)}

        def check(text: str) -> str | None:
            return None if text.strip() in allowed else f"a number from 1 to {MOST_OF_A_KIND}"

        hint = "how many more mutants, each run once"
        text = await self.answer(ask_dialog(f"Run: {MUTATIONS[kind]}", hint, check, value="3"))
        if text is not None:
            self._launch(Launch(kind, times=int(text)))

    def action_dissect_cell(self) -> None:
        cell = self.cell
        self._launch(Launch(self.kind, cell.number if cell is not None else None))

    def _busy(self) -> bool:
        """Whether a dissection is in progress; say so."""
        if self.dissecting.running:
            self.tell(f"a dissection is in progress: {key_for('stop-dissection')} stops it")
        return self.dissecting.running

    def _launch(self, launch: Launch) -> None:
        variant, record, choice = self.document.variant(self.variant), self.state.record, self.wanted
        if self._busy():
            return
        if record is None and self._unable():
            self._new_dissection()
        elif variant is None:
            self.tell("the query is no longer in the session")
        elif record is not None and not self._known(record.agent):
            self.tell(
                "code named by a file is never run: name your agent with planscope dissect --agent and --resume"
            )
        else:
            self.notice = ""
            self.state = replace(self.state, trouble="")
            self.spent_before = spent = _spent(record)
            if record is not None:
                budget = max(record.budget, spent + launch.times) if launch.kind else record.budget
                if launch.kind is None and spent >= budget:
                    budget = spent + choice.budget
                choice = replace(
                    choice, agent=record.agent, model=record.model, method=record.method, budget=budget
                )
            self.dissecting.launch(variant, choice, launch, record)

    def _known(self, agent: str) -> bool:
        """Return a built-in agent, or the user's own choice. An agent named in a file is never imported."""
        return agent in AGENTS or agent == self.wanted.agent

    def action_stop_dissection(self) -> None:
        if self.dissecting.running:
            self.dissecting.stop()
            self.tell("stopping; finished runs are kept")
        else:
            self.tell("no dissection is in progress")

    def action_new_dissection(self) -> None:
        if not self._busy():
            self._new_dissection()

    def _unable(self) -> str:
        """Say why the model of a new dissection cannot be run; "" if it can."""
        try:
            parse_model(self.wanted.model)
        except ModelUnavailable:
            named = shown(self.wanted.model or "not recorded", 40)
            return f"This run's model ({named}) cannot be asked from here"
        return ""

    @flow
    async def _new_dissection(self) -> None:
        from planscope.tui.dialogs.forms import dissect_form, models_of

        unable, used = self._unable(), models_of(self.document.runs)
        wanted = replace(self.wanted, model="", run=None) if unable else self.wanted
        choice = await self.answer(dissect_form(wanted, [one for one in used if ":" in one], unable))
        if choice is not None:
            self.wanted, self.state = choice, DissectState()
            self._launch(Launch())

    @flow
    async def action_other_dissection(self) -> None:
        from planscope.tui.dialogs.ask import ChooseDialog

        if not (kept := self.document.open_session.dissections):
            self.tell(f"this session has no dissection yet: {key_for('dissect-all')} starts one")
            return
        lines = [
            (
                Run(f"{shown(d.id, 12):<5} "),
                Run(f"{shown(d.variant, 12)}  {shown(d.agent, 16)}, {shown(d.model, 40)}, {d.method}  "),
                Run(phrases.plural(_spent(d), "run"), "dim"),
            )
            for d in kept
        ]
        at = next((i for i, d in enumerate(kept) if self.state.record and d.id == self.state.record.id), 0)
        number = await self.answer(ChooseDialog("Dissections of this session", lines, at))
        if number is not None and not self.dissecting.running:
            self.variant, self.state = kept[number].variant, DissectState(record=kept[number])
            self.summarize()

    # Keys that show something:

    def action_show_mutant(self) -> None:
        """Open the mutant's last run, or show a query with small changes beside the original."""
        if self.kind == "Culprit" and self.cell is not None:
            self.action_compare_mutant()
        else:
            self.action_open_mutant()

    def action_open_mutant(self) -> None:
        cell = self.cell
        if cell is None or not cell.runs:
            self.tell(f"this mutant was not run yet: {key_for('dissect-cell')} runs it")
            return
        wrong = next((r.run for r in reversed(cell.runs) if r.verdict == "wrong"), cell.runs[-1].run)
        self.dismiss(RunChosen(wrong, -1))

    def action_compare_cured(self) -> None:
        """Show the mutant that cured the query beside the original."""
        found, place = self.state.summary, self.state.cured
        if place is None:
            stated = found is not None and found.decision.cause is not None
            why = "no mutant names this cause" if stated else "no cause is stated yet"
            self.tell(f"no cured query: {why}")
            return
        self.change(row=place[0], column=place[1])
        self.action_compare_mutant()

    @flow
    async def action_compare_mutant(self) -> None:
        if (cell := self.cell) is None:
            self.tell("there is no mutant to compare with")
            return
        mutant = Chosen(cell.variant, cell.runs[-1].run if cell.runs else None)
        original = Chosen(self.variant, self._original_run(self.state.record) if cell.runs else None)
        opened = await self.answer(CompareScreen(self.work, original, mutant))
        if opened is not None:
            self.dismiss(opened)

    def _original_run(self, record: Dissection | None) -> str | None:
        """Return a run of the original query: the one that the dissection began with, or one that it made."""
        if record is not None and record.run is not None:
            return record.run
        cells = record.cells if record is not None else []
        own = (run for cell in cells if cell.variant == self.variant for run in cell.runs)
        return next(own, None)

    def action_copy_dissection(self) -> None:
        from planscope.show.text import lines
        from planscope.tui.screens.flows.take_away import take_away
        from planscope.views.dissection import dissection_blocks

        found, record = self.state.summary, self.state.record
        if found is None or record is None:
            self.tell("there is nothing to copy yet")
            return
        where = phrases.place(self.document.path) if self.document.path is not None else "this session"
        text = "".join(f"{line}\n" for line in lines(dissection_blocks(found, record, where), 110))
        private = "Private values in it are not replaced."
        take_away(self, "dissection", text, "planscope-dissection.txt", private)
