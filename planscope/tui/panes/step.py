"""Pane 5: the current step: its call, its effect on the plan, and the calls that would have been right."""

from __future__ import annotations

from planscope.debugger.selection import Selection
from planscope.tui.panes.base import LinePane
from planscope.tui.panes.step_lines import model_cost, step_lines, step_title, waiting
from planscope.tui.style.lines import Run, width_of
from planscope.tui.view import DebugView
from planscope.wording import phrases, terms


class StepPane(LinePane):
    name_in_state = "step"
    _most: tuple[object, int] = (None, 0)
    """The most rows that a step of the displayed run has filled: rows are not divided again at each key."""

    def prepare(self, state: DebugView, width: int) -> None:
        self.head_words = f"5 {step_title(state.debug.step)}"
        place = (state.debug.run, state.debug.index, width, self.window, state.zoomed, state.folded_here)
        if self.prepared_for != place:
            self.prepared_for = place
            self.top = 0
        self.lines, rows = step_lines(state, width, self.window)
        run = state.key, width
        self._most = run, max(rows, self._most[1]) if self._most[0] == run else rows
        self._hit = [i for i, line in enumerate(self.lines) if any(part.role == "hit" for part in line.runs)]

    def rows_wanted(self) -> int:
        return self._most[1] + 1

    def wanted(self) -> tuple[int, int] | None:
        return (self._hit[0], self._hit[-1]) if self._hit else None

    def note(self) -> tuple[Run, ...]:
        state = self.state
        if state.progress != "judged":
            return (Run(waiting(state).partition(":")[0], "dim"),)
        view = state.debug.view
        if state.at_pending:
            return ()
        word = phrases.step_word(state.debug.run.replay, view)
        became = Run(f"{terms.STATE_GLYPHS[view.state]} {word}", view.state)
        cost = model_cost(state)
        foot = self.foot()  # that there is more to read goes before what it cost
        spare = self.inner_width - width_of((*self.title(), *foot)) - len(became.text) - 8 - 3 * bool(foot)
        return (Run(f"{cost} · ", "dim"), became) if cost and len(cost) <= spare else (became,)

    def neighbour(self, by: int) -> Selection | None:
        self.scroll_lines(by)
        return None
