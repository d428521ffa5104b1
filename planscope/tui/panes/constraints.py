"""Pane 3: every constraint with its state after the current step."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from planscope.debugger.search import Hit
from planscope.debugger.selection import SelectedConstraint
from planscope.language.problem import Constraint, Problem
from planscope.safe import cell_width
from planscope.tui.panes.base import LinePane, nothing
from planscope.tui.panes.hit_places import place_in
from planscope.tui.style.lines import BLANK, Line, Run, cut, paragraph, ranges, shown, width_of, with_span
from planscope.tui.view import DebugView
from planscope.wording import terms
from planscope.wording.constraints import in_room, label, plain

_WORD_CELLS = 8
_ROOM_WITH_STATES = 30
"""If names have fewer cells than this, states are shown only by their signs."""
_BEFORE = re.compile(" before")


def _legend(statuses: Sequence[str]) -> tuple[Run, ...]:
    """Explain the signs of these states, and of the core."""
    signs = [(terms.STATUS_GLYPHS[s], terms.STATUSES[s], terms.STATUS_ROLES[s]) for s in statuses]
    signs.append((terms.CORE_GLYPH, terms.IN_CORE, "core"))
    return tuple(
        Run(f"{'  ' if number else ''}{sign} {word}", role) for number, (sign, word, role) in enumerate(signs)
    )


_LEGEND = _legend(terms.CONSTRAINT_STATUSES)
_RULES_LEGEND = _legend(terms.RULE_STATUSES[:4])
_CORE_LEGEND = (Run(f"{terms.CORE_GLYPH} {terms.IN_CORE}", "core"),)


class ConstraintsPane(LinePane):
    """Lists the constraints in the order of the text, then the rules, in rows of some lines.

    In a narrow pane a row shows only the sign of its state, and the lower edge explains the signs. Where names are
    long, each has a line of its own.
    """

    name_in_state = "constraints"
    head_words = "3 Constraints"

    def prepare(self, state: DebugView, width: int) -> None:
        problem = state.debug.run.problem
        if self.prepared_for != (problem, width):
            self.prepared_for = problem, width
            self._width = width
            self._lay_out(problem)
        self._core = state.core_ids
        focus = state.focus
        self.chosen = self._places.get(focus.id) if isinstance(focus, SelectedConstraint) else None
        self.lit = sorted(self._places[c] for c in state.lit.constraints if c in self._places)
        self._judged = state.progress == "judged"
        self._words = self._in_words(state, width)

    def _lay_out(self, problem: Problem) -> None:
        """Break the constraints' words into lines."""
        constraints = problem.constraints
        longest = max((cell_width(label(c)) for c in constraints), default=2)
        self._apart = longest > max(_WORD_CELLS, self._width // 6)
        self._id_cells = 0 if self._apart else longest
        self._states = True
        room = self._width - _WORD_CELLS - self._id_cells - 7
        self._texts = in_room(constraints, problem, room)
        if room < _ROOM_WITH_STATES and max(map(cell_width, self._texts), default=0) > room:
            self._states = False
            room += _WORD_CELLS + 1
            self._texts = in_room(constraints, problem, room)
        said = len(problem.said)
        self._lines: list[tuple[int, int, int] | None] = []  # a constraint's number, and a range of its words
        self._firsts: list[int] = []
        for number, text in enumerate(self._texts):
            if number == said and number:
                self._lines.append(None)
            self._firsts.append(len(self._lines))
            self._lines += [(number, *part) for part in ([(-1, -1)] * self._apart + row_parts(text, room))]
        self._constraints = constraints
        self.items = [SelectedConstraint(c.id) for c in constraints]
        self._places = {c.id: number for number, c in enumerate(constraints)}
        self._made: dict[tuple[int, str, bool, bool, bool, Hit | None], Line] = {}

    def size_of(self) -> int:
        return (len(self._lines) or 1) + len(self._words)

    def rows_wanted(self) -> int:
        return super().rows_wanted() - len(self._words)

    def item_at(self, line: int) -> int:
        return max(bisect_right(self._firsts, line) - 1, 0)

    def lines_of(self, item: int) -> tuple[int, int]:
        first = last = self._firsts[item]
        while last + 1 < len(self._lines) and (part := self._lines[last + 1]) and part[0] == item:
            last += 1
        return first, last

    def _in_words(self, state: DebugView, width: int) -> list[Line]:
        """Describe the highlighted constraint in words, to show below the list if there is room."""
        problem, core = state.debug.run.problem, state.debug.view.core
        picked = (
            [self._constraints[self.chosen].id]
            if self.chosen is not None
            else core.constraints
            if core
            else ()
        )
        if not picked or picked[0] not in problem.by_id or not self._judged:
            return []
        c = problem.by_id[picked[0]]
        text = c.means or f"{plain(c, problem)}."
        value = state.debug.run.judged.value_at(c.id, state.debug.index)
        given = f" Here: {shown(value, 200)}." if value else ""
        body = paragraph(f"{label(c)}: {text}{given}", width - 2, "quote")
        if state.hit is not None and state.hit.document.constraint == c.id:
            body = tuple(_with_hit(runs, state.hit) for runs in body)
        lines = [BLANK, *(Line((Run("  "), *runs)) for runs in body)]
        return lines if len(self._lines) + len(lines) <= self.window else []

    def line_at(self, index: int) -> Line:
        state = self.state
        if not self._lines:
            return Line((Run(nothing(state), "dim"),))
        if index >= len(self._lines):
            return self._words[index - len(self._lines)]
        part = self._lines[index]
        if part is None:
            return BLANK
        c = self._constraints[part[0]]
        picked = part[0] == self.chosen
        lit = c.id in state.lit.constraints
        status = state.debug.run.replay.status(c.id, state.debug.index) if self._judged else ""
        hit = state.hit if state.hit is not None and state.hit.document.constraint == c.id else None
        key = (index, status, c.id in self._core, picked, lit, hit)
        line = self._made.get(key)
        if line is None:
            line = self._made[key] = self._line(c, part, *key[1:])
        return line

    def _line(
        self,
        c: Constraint,
        part: tuple[int, int, int],
        status: str,
        core: bool,
        picked: bool,
        lit: bool,
        hit: Hit | None,
    ) -> Line:
        number, begin, end = part
        text = self._texts[number]
        mark = "▶" if picked else "┃" if lit else " "
        if begin > 0 or (self._apart and not begin):
            mark = "┃" if picked else mark
            head = [Run(mark, "mark"), Run(" " * (self._id_cells + 5 + self._states * (_WORD_CELLS + 1)))]
        else:
            colour = terms.STATUS_ROLES.get(status, "dim")
            role = "core" if core else colour
            named = label(c)
            word = "CONFLICT" if core else terms.STATUSES[status] if status else "…"
            head = [
                Run(terms.HIT_GLYPH if hit else mark, "mark"),
                Run(terms.STATUS_GLYPHS.get(status, "·"), colour),
                Run(terms.CORE_GLYPH, "core") if core else Run(" "),
                *([Run(f" {word:<{_WORD_CELLS}}", role)] if self._states else []),
                Run(f" {named}{' ' * (self._id_cells - cell_width(named))}  ", "" if self._apart else "dim"),
            ]
        words = Run(text[begin:end], "strong" if core else "")
        span = place_in(text, hit) if hit else None
        inside = (max(span[0], begin) - begin, min(span[1], end) - begin) if span else (0, 0)
        body = with_span(words, inside) if inside[0] < inside[1] else (words,)
        return Line(cut((*head, *body), self._width), "cursor" if picked else "lit" if lit else "")

    def note(self) -> tuple[Run, ...]:
        state = self.state
        if not self._lines:
            return ()
        if not self._judged:
            return (Run("judging…" if state.progress == "judging" else "", "dim"),)
        step = state.debug.step
        when = "before any call" if step == 0 else "at the end" if step == "end" else f"after step {step}"
        if state.at_pending:
            when = f"if step {step} is done"
        return (Run(when, "dim"),)

    def foot(self) -> tuple[Run, ...]:
        where = super().foot()
        if self._states or not self._lines:
            return where
        ruled = any(c.kind == "of_calls" for c in self._constraints)
        for legend in (_RULES_LEGEND if ruled else _LEGEND, _CORE_LEGEND if self._core else ()):
            runs = (*legend, *([Run("  ")] if legend and where else []), *where)
            if width_of(runs) <= self.cells[0] - 6:
                return runs
        return where


def row_parts(text: str, room: int) -> list[tuple[int, int]]:
    """Break a constraint's words into lines: at "before" if both names then fit, or else where a line is full."""
    if cell_width(text) <= room:
        return [(0, len(text))]
    for found in _BEFORE.finditer(text):
        if cell_width(text[: found.start()]) <= room and cell_width(text[found.end() - 6 :]) <= room:
            return [(0, found.start()), (found.end() - 6, len(text))]
    return ranges(text, room)


def _with_hit(runs: tuple[Run, ...], hit: Hit) -> tuple[Run, ...]:
    span = place_in(runs[0].text, hit) if runs else None
    return runs if span is None else (*with_span(runs[0], span), *runs[1:])
