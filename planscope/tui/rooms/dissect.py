"""The dissect room: what its keys do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual import on

from planscope.tui import words
from planscope.tui.controllers.dissecting import DissectChoice, Launch
from planscope.tui.lines import Run, shown
from planscope.tui.panes.box import LineClicked
from planscope.tui.panes.dissect_lines import NOTHING_YET, cause_lines, matrix_lines
from planscope.tui.rooms.comparable import Chosen
from planscope.tui.rooms.compare import CompareRoom, RunChosen
from planscope.tui.rooms.dissect_view import DissectState, DissectView

if TYPE_CHECKING:
    from planscope.session.model import Dissection

MOST_OF_A_KIND = 20


class DissectRoom(DissectView):
    """Dismissed with the run to open (:class:`RunChosen`), or None."""

    # Keys that move

    def action_go(self, rows: int, columns: int) -> None:
        found = self.state.summary
        row = min(max(self.state.row + rows, 0), len(NOTHING_YET) - 1)
        cells = found.rows[row].cells if found is not None else ()
        at = self.state.column if rows == 0 else min(self.state.column, max(len(cells) - 1, 0))
        column = min(max(min(at, len(cells) - 1) + columns, 0), max(len(cells) - 1, 0))
        self.notice = ""
        self.change(row=row, column=column)

    def action_scroll_mutant(self, by: int) -> None:
        self.mutant.scroll_lines(by * max(self.mutant.window - 1, 1))

    @on(LineClicked)
    def _clicked(self, message: LineClicked) -> None:
        if message.box == "matrix":
            self.change(row=message.index)

    # Keys that run

    def action_dissect_all(self) -> None:
        self._launch(Launch())

    def action_dissect_kind(self) -> None:
        from planscope.tui.dialogs.ask import AskDialog

        kind = self.kind

        def check(text: str) -> str | None:
            number = text.strip()
            right = number.isascii() and number.isdigit() and len(number) < 4
            return None if right and 1 <= int(number) <= MOST_OF_A_KIND else f"say 1 to {MOST_OF_A_KIND}"

        def go(text: str | None) -> None:
            if text is not None:
                self._launch(Launch(kind, times=int(text)))

        hint = f"how many more mutants of {kind}, each run once"
        self.app.push_screen(AskDialog(self.paint, f"Run {kind}", hint, check, value="3"), go)

    def action_dissect_cell(self) -> None:
        cell = self.cell
        self._launch(Launch(self.kind, cell.number if cell is not None else None))

    def _launch(self, launch: Launch) -> None:
        variant = self.document.variant(self.variant)
        record = self.state.record
        if self.dissecting.running:
            self.tell("a dissection is under way: X stops it")
        elif variant is None:
            self.tell("the request is not in the session any more")
        elif record is not None and not self._known(record.agent):
            self.tell(
                "a file names no agent of your own: name it with planscope dissect --agent and --resume"
            )
        else:
            self.notice = ""
            self.state = replace(self.state, trouble="")
            choice = self.wanted
            if record is not None:
                spent = sum(len(cell.runs) for cell in record.cells)
                budget = max(record.budget, spent + launch.times) if launch.kind else record.budget
                if launch.kind is None and spent >= budget:
                    budget = spent + choice.budget
                choice = replace(
                    choice, agent=record.agent, model=record.model, method=record.method, budget=budget
                )
            self.spent_before = sum(len(cell.runs) for cell in record.cells) if record is not None else 0
            self.dissecting.launch(variant, choice, launch, record)

    def _known(self, agent: str) -> bool:
        """One of ours, or the one that the user named; what a file names is code of somebody else, never imported."""
        from planscope.agents.paradigms import AGENTS

        return agent in AGENTS or agent == self.wanted.agent

    def action_stop_dissection(self) -> None:
        if self.dissecting.running:
            self.dissecting.stop()
            self.tell("stopping; what was run stays")
        else:
            self.tell("nothing is under way")

    def action_new_dissection(self) -> None:
        from planscope.tui.dialogs.run_form import dissect_form

        if self.dissecting.running:
            self.tell("a dissection is under way: X stops it")
            return

        def go(choice: DissectChoice | None) -> None:
            if choice is not None:
                self.wanted = choice
                self.state = DissectState()
                self._launch(Launch())

        self.app.push_screen(dissect_form(self.paint, self.wanted), go)

    def action_other_dissection(self) -> None:
        from planscope.tui.dialogs.choose import ChooseDialog

        kept = self.document.open_session.dissections
        if not kept:
            self.tell("this session has no dissection yet: m begins one")
            return
        lines = [
            (
                Run(f"{shown(d.id, 12):<5} "),
                Run(f"{shown(d.variant, 12)}  {shown(d.agent, 16)}, {shown(d.model, 40)}, {d.method}  "),
                Run(words.plural(sum(len(c.runs) for c in d.cells), "run"), "dim"),
            )
            for d in kept
        ]
        at = next((i for i, d in enumerate(kept) if self.state.record and d.id == self.state.record.id), 0)

        def go(number: int | None) -> None:
            if number is not None and not self.dissecting.running:
                self.variant = kept[number].variant
                self._diffs = {}
                self.state = DissectState(record=kept[number])
                self.summarize()

        self.app.push_screen(ChooseDialog(self.paint, "Dissections of this session", lines, at), go)

    # Keys that look

    def action_open_mutant(self) -> None:
        cell = self.cell
        if cell is None or not cell.runs:
            self.tell("this mutant was not run yet")
            return
        wrong = next((r.run for r in reversed(cell.runs) if r.verdict == "wrong"), cell.runs[-1].run)
        self.dismiss(RunChosen(wrong, -1))

    def action_compare_mutant(self) -> None:
        cell = self.cell
        if cell is None:
            self.tell("there is no mutant to compare with")
            return
        record = self.state.record
        mutant = Chosen(cell.variant, cell.runs[-1].run if cell.runs else None)
        original = Chosen(self.variant, self._original_run(record) if cell.runs else None)
        room = CompareRoom(self.paint, self.work, original, mutant)

        def left(opened: RunChosen | None) -> None:
            if opened is not None:
                self.dismiss(opened)

        self.app.push_screen(room, left)

    def _original_run(self, record: Dissection | None) -> str | None:
        """A run of the request itself: the one that the dissection began with, or one that it made."""
        if record is not None and record.run is not None:
            return record.run
        cells = record.cells if record is not None else []
        own = (run for cell in cells if cell.variant == self.variant for run in cell.runs)
        return next(own, None)

    def action_copy_dissection(self) -> None:
        from planscope.tui.screens.flows.take_away import take_away

        found = self.state.summary
        if found is None:
            self.tell("there is nothing to copy yet")
            return
        lines = [
            *cause_lines(found, self.state.trouble, False, 100),
            *matrix_lines(found, -1, 0, 110),
        ]
        text = "\n".join(line.text.rstrip() for line in lines) + "\n"
        private = "It is what the screen shows; nothing private in it is replaced."
        self.start_flow(take_away(self, "dissection", text, "planscope-dissection.txt", private))

    def action_leave_dissect(self) -> None:
        self.dismiss(None)
