"""Pane 3: every constraint with its state after the current step."""

from __future__ import annotations

from collections.abc import Sequence

from planscope.debugger.search import Hit
from planscope.debugger.selection import SelectedConstraint
from planscope.language.problem import Constraint, Problem
from planscope.tui.messages import Picked
from planscope.tui.panes.base import LinePane
from planscope.tui.panes.hit_places import place_in
from planscope.tui.style.lines import BLANK, Line, Run, cut, paragraph, shown, with_span
from planscope.tui.view import DebugView
from planscope.wording import terms
from planscope.wording.constraints import brief, by_ids, plain

_WORD_CELLS = 8


class ConstraintsPane(LinePane):
    """Lists the constraints in the order of the text, then the rules, one on each line.

    The lines name actions if even the longest line then fits; otherwise they show action ids.
    """

    name_in_state = "constraints"
    _laid_out_for: Problem | None = None
    _width = 0

    def prepare(self, state: DebugView, width: int) -> None:
        run = state.debug.run
        problem = run.problem
        if self._laid_out_for is not problem or self._width != width:
            self._laid_out_for = problem
            self._width = width
            said = len(problem.said)
            self._listed: list[Constraint | None] = [*problem.constraints]
            if 0 < said < len(problem.constraints):
                self._listed.insert(said, None)
            self._places = {c.id: i for i, c in enumerate(self._listed) if c is not None}
            self._id_cells = max((len(c.id) for c in problem.constraints), default=2)
            self._made: dict[tuple[int, str, bool, bool, bool, Hit | None], Line] = {}
            self._texts = _texts(problem.constraints, state, width - 5 - _WORD_CELLS - self._id_cells - 2)
        self._core = state.core_ids
        self._picked = state.focus.id if isinstance(state.focus, SelectedConstraint) else None
        self._judged = state.progress == "judged"
        self._words = self._in_words(state, width)

    def size_of(self) -> int:
        return (len(self._listed) or 1) + len(self._words)

    def _in_words(self, state: DebugView, width: int) -> list[Line]:
        """Describe the highlighted constraint in words, to show below the list if there is room."""
        picked = self._picked or next(
            iter(state.debug.view.core.constraints if state.debug.view.core else ()), None
        )
        problem = state.debug.run.problem
        if picked not in problem.by_id or not self._judged:
            return []
        text = plain(problem.by_id[picked], problem)
        body = paragraph(f"{picked}: {text}.", width - 2, "quote")
        if state.hit is not None and state.hit.document.constraint == picked:
            body = tuple(_with_hit(runs, state.hit) for runs in body)
        lines = [BLANK, *(Line((Run("  "), *runs)) for runs in body)]
        return lines if len(self._listed) + len(lines) <= self.window else []

    def line_at(self, index: int) -> Line:
        state = self.state
        assert state is not None
        if not self._listed:
            return Line((Run(_nothing(state), "dim"),))
        if index >= len(self._listed):
            return self._words[index - len(self._listed)]
        c = self._listed[index]
        if c is None:
            return BLANK
        picked = c.id == self._picked
        lit = c.id in state.lit.constraints
        status = state.debug.run.replay.status(c.id, state.debug.index) if self._judged else ""
        hit = state.hit if state.hit is not None and state.hit.document.constraint == c.id else None
        key = (index, status, c.id in self._core, picked, lit, hit)
        line = self._made.get(key)
        if line is None:
            line = self._made[key] = self._line(c, *key[1:])
        return line

    def _line(self, c: Constraint, status: str, core: bool, picked: bool, lit: bool, hit: Hit | None) -> Line:
        mark = terms.HIT_GLYPH if hit else "▶" if picked else "┃" if lit else " "
        role = "core" if core else status or "dim"
        word = "CONFLICT" if core else terms.STATUSES[status] if status else "…"
        text = Run(self._texts[c.id], "strong" if core else "")
        span = place_in(text.text, hit) if hit else None
        runs = (
            Run(mark, "mark"),
            Run(terms.STATUS_GLYPHS.get(status, "·"), status or "dim"),
            Run(terms.CORE_GLYPH if core else " ", "core"),
            Run(f" {word:<{_WORD_CELLS}} ", role),
            Run(f"{shown(c.id, 8):<{self._id_cells}}  ", "dim"),
            *((text,) if span is None else with_span(text, span)),
        )
        return Line(cut(runs, self._width), "cursor" if picked else "lit" if lit else "")

    def title(self) -> tuple[Run, ...]:
        return (Run("3", "number"), Run(" Constraints", "title"))

    def note(self) -> tuple[Run, ...]:
        state = self.state
        if state is None or not self._listed:
            return ()
        if not self._judged:
            return (Run("judging…" if state.progress == "judging" else "", "dim"),)
        step = state.debug.step
        when = "before any call" if step == 0 else "at the end" if step == "end" else f"after step {step}"
        if state.at_pending:
            when = f"if step {step} is done"
        return (Run(when, "dim"),)

    def foot(self) -> tuple[Run, ...]:
        return self.where_in_all()

    def wanted(self) -> tuple[int, int] | None:
        at = self._places.get(self._picked) if self._picked is not None else None
        return None if at is None else (at, at)

    def linked_lines(self) -> Sequence[int]:
        assert self.state is not None
        lit = self.state.lit.constraints
        return sorted(self._places[c] for c in lit if c in self._places)

    def clicked(self, index: int, column: int) -> None:
        if index < len(self._listed) and (c := self._listed[index]) is not None:
            self.post_message(Picked(SelectedConstraint(c.id)))

    def neighbour(self, by: int) -> SelectedConstraint | None:
        ids = list(self._places)
        if not ids:
            return None
        if self._picked in self._places:
            at = ids.index(self._picked) + by
        else:
            lit = [i for i, c in enumerate(ids) if self.state and c in self.state.lit.constraints]
            at = lit[0] if lit else 0 if by > 0 else len(ids) - 1
        return SelectedConstraint(ids[min(max(at, 0), len(ids) - 1)])


def _texts(constraints: Sequence[Constraint], state: DebugView, room: int) -> dict[str, str]:
    problem = state.debug.run.problem
    if len(constraints) <= 200:
        named = {c.id: brief(c, problem) for c in constraints}
        if max(map(len, named.values()), default=0) <= room:
            return named
    return {c.id: by_ids(c, problem) for c in constraints}


def _with_hit(runs: tuple[Run, ...], hit: Hit) -> tuple[Run, ...]:
    span = place_in(runs[0].text, hit) if runs else None
    return runs if span is None else (*with_span(runs[0], span), *runs[1:])


def _nothing(state: DebugView) -> str:
    if state.errors:
        return "No constraints: see pane 1."
    return "reading…" if state.progress == "reading" else "No constraints."
