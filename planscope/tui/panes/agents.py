"""Pane 2 as a picture of a run with several agents: one lane for each, with its calls over time."""

from __future__ import annotations

from collections.abc import Sequence

from planscope.debugger.selection import SelectedStep
from planscope.drawing.agents import AgentLanes, agent_lanes, cells
from planscope.safe import cell_width
from planscope.tui.messages import Picked
from planscope.tui.panes.base import LinePane
from planscope.tui.style.lines import Line, Run, glyph_runs, justify
from planscope.tui.view import DebugView
from planscope.wording import phrases

_LONGEST_NAME = 18
_LEAST_TRACK = 24
"""With fewer cells for the track beside the name, it is below the name."""

_LEGEND = "■ call  ▶ this step  ✗ lost"


class AgentsPane(LinePane):
    """Draws the lanes. Each lane is a row; going up and down goes to the nearest call of the next agent."""

    name_in_state = "tree"
    head_words = "2 Agents"
    _found: AgentLanes | None = None
    _track: Sequence[Sequence[int]] = ()

    def prepare(self, state: DebugView, width: int) -> None:
        if self.prepared_for != (state.run, width):
            self.prepared_for = (state.run, width)
            self._lay_out(state, width)
        lanes, index = self._found, state.debug.index
        self.chosen = lanes.row_of(index) if lanes is not None else None
        self.items = [SelectedStep(lane.near(index)) for lane in lanes.lanes] if lanes is not None else ()

    def _lay_out(self, state: DebugView, width: int) -> None:
        self._width = width
        self._found = agent_lanes(state.run)
        lanes = self._found.lanes if self._found is not None else ()
        self._counts = [str(len(lane.calls)) for lane in lanes]
        self._wide = min(max((cell_width(lane.name) for lane in lanes), default=0), _LONGEST_NAME)
        right = max(map(len, self._counts), default=0) + 1
        self._below = width - 2 - self._wide - right < _LEAST_TRACK
        self.high = 2 if self._below else 1
        self._left = 2 if self._below else self._wide + 2
        self._room = max(width - self._left - (0 if self._below else right), 1)
        self.tail = [Line((Run(_LEGEND, "dim"),))] if len(_LEGEND) <= width else []
        length = self._found.length if self._found is not None else 1
        self._track = [cells(lane, length, self._room) for lane in lanes]

    def size_of(self) -> int:
        return len(self._track) * self.high

    def head(self) -> Line | None:
        if self._found is None:
            return None
        begin, end = self._found.axis()
        text = begin + end.rjust(self._room - len(begin)) if self._room > len(begin + end) else ""
        return Line((Run(" " * self._left + text, "dim"),))

    def line_at(self, index: int) -> Line:
        assert self._found is not None
        row, second = divmod(index, self.high)
        here = row == self.chosen
        ground = "current" if here else ""
        mark, name = Run("▶ " if here else "  ", "mark"), self._found.lanes[row].name
        if self._below and not second:
            calls = Run(phrases.plural(len(self._found.lanes[row].calls), "call"), "dim")
            return Line(justify((mark, Run(name)), (calls,), self._width), ground)
        track = self._drawn(self.state, row)
        if self._below:
            return Line((Run(" " * self._left), *track), ground)
        left = justify((mark, Run(name)), (Run(" "),), self._left, gap=0)
        return Line(justify((*left, *track), (Run(self._counts[row], "dim"),), self._width), ground)

    def _drawn(self, state: DebugView, row: int) -> list[Run]:
        """Return the track of a lane."""
        lost = frozenset(state.debug.run.doomed) if state.progress == "judged" else frozenset[int]()

        def cell(step: int) -> tuple[str, str]:
            if step <= 0:
                return ("─" if step else " "), "faint"
            if step == state.debug.index:
                return "▶", "picked"
            if step in lost:
                return "✗", "core"
            return "■", "mark" if step in state.lit.steps else "tool"

        return glyph_runs(map(cell, self._track[row]))

    # Selecting

    def clicked(self, index: int, column: int) -> None:
        if self._found is None or index >= self.size_of():
            return
        row = self.item_at(index)
        at = column - self._left
        lane, track = self._found.lanes[row], self._track[row]
        step = track[at] if 0 <= at < len(track) else 0
        if step <= 0:  # beside its calls: the nearest one on the track, or else from the current step
            drawn = [i for i, one in enumerate(track) if one > 0]
            step = (
                track[min(drawn, key=lambda i: abs(i - at))]
                if 0 <= at < len(track)
                else lane.near(self.state.debug.index)
            )
        self.post_message(Picked(SelectedStep(step)))
