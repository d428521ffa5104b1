"""Pane 2 as a picture: the order of the actions as a graph, or their hours as bars, after the current step."""

from __future__ import annotations

from collections.abc import Mapping

from planscope.debugger.run_index import RunIndex
from planscope.debugger.selection import SelectedAction, SelectedConstraint, SelectedStep, Selection
from planscope.drawing.hours import (
    RAN,
    SAFE,
    WINDOW,
    Bar,
    Hours,
    Kind,
    axis,
    bars,
    cells_of,
    conflict_at,
    kind_of,
)
from planscope.drawing.lanes import Lanes, draw_row, lay_lanes, width_of
from planscope.drawing.order import order_graph
from planscope.drawing.svg import GLYPHS, WORDS
from planscope.language.problem import DAY, Problem
from planscope.safe import cell_width
from planscope.tui.keys import key_for
from planscope.tui.messages import Picked
from planscope.tui.panes.base import LinePane
from planscope.tui.style.lines import Line, Run, cut, glyph_runs, justify, shown
from planscope.tui.view import DebugView
from planscope.wording import phrases

ROLES: Mapping[Kind, str] = {"done": "holds", "next": "safe", "open": "open", "lost": "core"}

_NAME = 200
_LEAST_NAME = 12
"""The fewest cells that lanes leave free for a name."""
_BESIDE = 16
"""The fewest cells of a name beside its bar. With fewer, the bar is below the name."""

_ORDER_LEGENDS = ("✓ done  → next  ○ to do  ✗ ━ conflict", "✓ done → next ✗ conflict")
_HOURS_LEGENDS = ("█ ran  ▒ safe  ░ window  ✗ conflict", "█ ran ▒ safe ░ window")


class PicturePane(LinePane):
    """Draws the order or the hours, as ``DebugView.picture`` says. Each action is a row; selecting one selects it in
    all panes."""

    name_in_state = "tree"

    _order: tuple[str, ...] = ()
    _named: Problem | None = None
    _lanes: Lanes | None = None
    _laid_for: tuple[Problem, frozenset[str], int] | None = None
    _timed = False

    def prepare(self, state: DebugView, width: int) -> None:
        run = state.debug.run
        self._width = width
        if self._named is not run.problem:
            self._named = run.problem
            self._names = {action.id: shown(action.name, _NAME) for action in run.problem.actions}
        self._timed = state.picture == "hours" and run.problem.timed
        facts = state.facts if state.facts is not None and state.facts.index == state.debug.index else None
        self._safe: dict[str, Hours | None] = (
            {move.action: move.hours for move in facts.safe} if facts else {}
        )
        self._lit_edges, self._heavy = frozenset[int](), frozenset[int]()
        self._conflict = conflict_at(run, state.debug.index)
        if self._timed:
            self._prepare_hours(run, state.debug.index)
        else:
            self._prepare_order(run, state)
        self.high = 2 if self._timed and self._below else 1
        self.head_words = "2 Hours" if self._timed else "2 Order"
        self.items = [SelectedAction(action) for action in self._order]
        self._picked = state.focus.id if isinstance(state.focus, SelectedAction) else None
        here = self._picked or state.debug.view.action
        self.chosen = self._order.index(here) if here in self._order else None
        legends = _HOURS_LEGENDS if self._timed else _ORDER_LEGENDS
        self.tail = [Line((Run(legend, "dim"),)) for legend in legends if len(legend) <= width][:1]
        lit = self._lit_actions(state)
        self.lit = [i for i, action in enumerate(self._order) if action in lit]

    def _prepare_order(self, run: RunIndex, state: DebugView) -> None:
        cores = (run.steps[index].core for index in run.doomed)
        keep = frozenset(c for core in cores if core is not None for c in core.constraints)
        made_for = (run.problem, keep, self._width)
        if self._laid_for is None or self._laid_for != made_for:
            if self._laid_for is None or self._laid_for[:2] != made_for[:2]:
                self._lanes = lay_lanes(order_graph(run.problem, keep))
            self._laid_for = made_for
            self._made: dict[object, Line] = {}
        assert self._lanes is not None
        lanes = self._lanes
        self._order = lanes.rows
        self._spread = next(
            (spread for spread in (2, 1) if width_of(lanes, spread) + _LEAST_NAME + 4 <= self._width), 0
        )
        edge_of = lanes.graph.edge_of
        self._heavy = frozenset(edge_of[c] for c in state.core_ids if c in edge_of)
        self._lit_edges = frozenset(edge_of[c] for c in state.lit.constraints if c in edge_of)

    def _prepare_hours(self, run: RunIndex, index: int) -> None:
        self._bars = bars(run, index, self._safe)
        self._order = tuple(bar.action for bar in self._bars)
        longest = max((cell_width(name) for name in self._names.values()), default=0)
        room = self._width - 4 - min(longest, _BESIDE)
        self._cell = max(min((room - 1) // DAY, 4), 0)
        self._below = self._cell == 0
        if self._below:
            self._cell = max(min((self._width - 4) // DAY, 4), 1)
        self._left = 3 if self._below else self._width - self._cell * DAY - 2

    def _lit_actions(self, state: DebugView) -> frozenset[str]:
        focus, run = state.focus, state.debug.run
        if isinstance(focus, SelectedAction):
            return frozenset({focus.id})
        if isinstance(focus, SelectedStep):
            action = run.steps[min(focus.index, run.last)].action
            return frozenset({action} if action is not None else ())
        known = run.problem.by_id
        return frozenset(a for c in state.lit.constraints if c in known for a in known[c].actions)

    def size_of(self) -> int:
        return len(self._order) * self.high

    def line_at(self, index: int) -> Line:
        row, second = divmod(index, self.high)
        return self._hours_line(row, bool(second)) if self._timed else self._order_line(row)

    def _marked(self, row: int) -> tuple[str, str]:
        """Return mark and background of a row."""
        if self._order[row] == self._picked:
            return "▶", "cursor"
        if self._order[row] == self.state.debug.view.action:
            return "▶", "current"
        return ("┃", "lit") if row in self.lit else (" ", "")

    # Order

    def _order_line(self, row: int) -> Line:
        state, action = self.state, self._order[row]
        run, index = state.debug.run, state.debug.index
        kind: Kind = "open"
        if state.progress == "judged":
            kind = kind_of(run, index, action, self._safe, self._conflict)
        ran = run.execution(action, index)
        said = f"step {run.steps[ran.index].step}" if ran is not None else WORDS[kind]
        mark, ground = self._marked(row)
        key = (row, kind, said, mark, ground, self._heavy, self._lit_edges)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._drawn(row, kind, said, mark, ground)
        return made

    def _drawn(self, row: int, kind: Kind, said: str, mark: str, ground: str) -> Line:
        assert self._lanes is not None
        left = [Run(mark, "mark")]
        if self._spread:
            for piece in draw_row(self._lanes, row, self._spread, self._heavy):
                role = "dim"
                if not self._heavy.isdisjoint(piece.edges):
                    role = "core"
                elif not self._lit_edges.isdisjoint(piece.edges):
                    role = "mark"
                if left[-1].role == role:
                    left[-1] = Run(left[-1].text + piece.glyph, role)
                else:
                    left.append(Run(piece.glyph, role))
        name = self._names[self._order[row]]
        left += [Run(f"{GLYPHS[kind]} ", ROLES[kind]), Run(name, ROLES[kind] if kind == "lost" else "")]
        room = self._width - sum(cell_width(part.text) for part in left)
        right = (Run(said, "dim"),) if room >= len(said) + 2 else ()
        return Line(justify(left, right, self._width) if right else cut(left, self._width), ground)

    # Hours

    def head(self) -> Line | None:
        if not self._timed:
            return None
        return Line((Run(" " * self._left + axis(self._cell), "dim"),))

    def _hours_line(self, row: int, second: bool) -> Line:
        mark, ground = self._marked(row)
        bar = self._bars[row]
        kind = bar.kind if self.state.progress == "judged" else "open"
        name = [Run(mark, "mark"), Run(f"{GLYPHS[kind]} ", ROLES[kind]), Run(self._names[bar.action])]
        if self._below and not second:
            return Line(justify(name, (Run(self._when(bar), "dim"),), self._width), ground)
        drawn = self._cells(bar, kind)
        if self._below:
            return Line((Run("   "), *drawn), ground)
        kept = cut(name, self._left - 1)
        pad = self._left - sum(cell_width(part.text) for part in kept)
        return Line((*kept, Run(" " * pad), *drawn), ground)

    def _when(self, bar: Bar) -> str:
        if bar.done is not None:
            return phrases.hours(*bar.done)
        return f"{bar.window[0]} to {bar.window[1]}" if bar.window is not None else "no hours left"

    def _cells(self, bar: Bar, kind: Kind) -> list[Run]:
        if bar.done is None and bar.window is None:
            return [Run("" if self._below else "no hours left", "core")]
        roles = {WINDOW: "dim", SAFE: "safe", RAN: "core" if kind == "lost" else "tool"}
        return glyph_runs((glyph, roles.get(glyph, "")) for glyph in cells_of(bar, self._cell))

    # The box

    def note(self) -> tuple[Run, ...]:
        if self._timed or self._lanes is None:
            return ()
        if not self._spread and self._lanes.columns:
            return (Run(f"too narrow for its lines: {key_for('zoom')} zooms", "caution"),)
        left_out = len(self._lanes.graph.left_out)
        return (Run(f"{left_out} implied, not drawn", "dim"),) if left_out else ()

    # Selecting

    def clicked(self, index: int, column: int) -> None:
        if index < self.size_of():
            self.post_message(Picked(self._under(self.item_at(index), column)))

    def _under(self, row: int, column: int) -> Selection:
        """Return the constraint whose line is at a cell of the lanes, or else the action of the row."""
        if not self._timed and self._lanes is not None and self._spread:
            pieces = draw_row(self._lanes, row, self._spread)
            edges = pieces[column - 1].edges if 0 < column <= len(pieces) else ()
            if len(edges) == 1:
                return SelectedConstraint(self._lanes.graph.edges[edges[0]].constraints[0])
        return SelectedAction(self._order[row])
