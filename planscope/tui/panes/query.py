"""Pane 1: the text of the query, and below it each action with the step that executed it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from planscope.debugger.selection import SelectedWords
from planscope.language.problem import Problem, Span
from planscope.safe import Shown, char_width, show
from planscope.tui.keys import key_for
from planscope.tui.messages import Picked
from planscope.tui.panes.base import LinePane
from planscope.tui.style.lines import (
    BLANK,
    Line,
    Run,
    cut,
    indented,
    justify,
    ranges,
    shown,
    width_of,
    wrapped,
)
from planscope.tui.style.roles import EXAMPLE_ROLES
from planscope.tui.view import DebugView
from planscope.wording import phrases, terms

_HEADING = Line((Run("  actions", "label"),))
_TOOLS = Line((Run("  tools", "label"),))

_PHRASE = 40
"""Words to blame up to this length cover what else is coloured; a longer clause does not."""

Painted = tuple[int, int, str]
"""A half-open range of the text and its role. In a list, later ranges cover earlier ones."""


def not_judged() -> str:
    """Say that a run is not judged, and how to change it. The key may be one of the user's own."""
    return f"not judged: there is no query and no rule; {key_for('edit')} writes rules"


class QueryPane(LinePane):
    name_in_state = "query"
    _problem: Problem = Problem((), ())
    _required = True

    def prepare(self, state: DebugView, width: int) -> None:
        problem = state.debug.run.problem
        text = state.text or task_of(state)
        self.head_words = "1 Task" if (text and not state.text) or state.only_recorded else "1 Query"
        run = state.run
        left_out, called = (run.left_out, len(run.calls) * problem.unjudged) if run is not None else ((), 0)
        laid_out_for = (text, width, state.errors, state.found, left_out, problem.unjudged, called)
        if self.prepared_for != laid_out_for:
            self.prepared_for = laid_out_for
            self._shown = show(text, keep_newlines=True)
            self._lines = ranges(text, width - 2) if text else []
            self._starts = [start for start, _ in self._lines]
            self._complaints = indented(_complaints(state, width - 2), 2)
            self._made: dict[tuple[int, tuple[Painted, ...]], Line] = {}
        if self._problem is not problem:
            self._problem = problem
            self._required = bool(state.text.strip()) or not task_of(state)
            self._still = sorted(_still(problem))
            self._longest = max((end - start for start, end, _ in self._still), default=0)
            self._made = {}
        self._width = width
        self._moving = list(_moving(state))
        self._lit_spans = frozenset(state.lit.spans)
        self._picked = state.focus.span if isinstance(state.focus, SelectedWords) else None

    def rows_wanted(self) -> int:
        """The list of actions gives way to other panes."""
        return super().rows_wanted() - self.size_of() + len(self._lines) + len(self._complaints)

    def size_of(self) -> int:
        actions = len(self._problem.actions)
        return len(self._lines) + len(self._complaints) + (actions + 2 if actions else 0)

    def line_at(self, index: int) -> Line:
        if index < len(self._lines):
            return self._text_line(*self._lines[index])
        index -= len(self._lines)
        if index < len(self._complaints):
            return self._complaints[index]
        index -= len(self._complaints)
        if index < 2:
            return (_HEADING if self._required else _TOOLS) if index else BLANK
        return self._action(index - 2)

    def _action(self, number: int) -> Line:
        state, problem = self.state, self._problem
        action = problem.actions[number]
        lit = state.links is not None and not self._lit_spans.isdisjoint(state.links.mentions(action.id))
        done = state.debug.run.execution(action.id, state.debug.index)
        became = ("○ to do", "open") if state.progress == "judged" and self._required else ("", "")
        if done is not None and done.index == state.waits_at:
            became = f"{terms.PAUSED_GLYPH} {terms.NOT_DONE}", "stop"
        elif done is not None:
            became = f"✓ {phrases.step_name(state.debug.run.steps[done.index].step)}", "holds"
        does = "writes" if action.tool in problem.writes else "reads" if action.tool in problem.reads else ""
        return _action_line(action.id, action.name, Run(*became), lit, self._width, does)

    def note(self) -> tuple[Run, ...]:
        state = self.state
        if state.variant is None:
            return ()
        if state.errors:
            return (Run("✗ cannot be read", "broken"),)
        kind = "timed" if state.variant.query.timed else ""
        made = state.variant.origin.kind
        origin = terms.ORIGINS.get(made, made)
        return (Run(" · ".join(shown(part, 30) for part in (origin, kind) if part), "dim"),)

    def wanted(self) -> tuple[int, int] | None:
        if self._picked is None or not self._lines:
            return None
        return self._line_of(self._picked[0]), self._line_of(max(self._picked[1] - 1, self._picked[0]))

    def linked_lines(self) -> Sequence[int]:
        spans = [(a, b) for a, b, role in self._moving if role == "lit"]
        return sorted({self._line_of(start) for start, _ in spans}) if self._lines else ()

    def neighbour(self, by: int) -> SelectedWords | None:
        """Return the next words in the text that name or relate actions."""
        stops = [(a, b) for a, b, _ in self._still]
        if not stops:
            return None
        if self._picked is None:
            lit = [(a, b) for a, b, role in self._moving if role == "lit"]
            at = bisect_left(stops, lit[0]) if lit else 0
        else:
            at = bisect_left(stops, self._picked)
            exact = at < len(stops) and stops[at] == self._picked
            at += by if exact or by < 0 else 0
        return SelectedWords(stops[min(max(at, 0), len(stops) - 1)])

    def _line_of(self, offset: int) -> int:
        return max(bisect_left(self._starts, offset + 1) - 1, 0)

    def _text_line(self, start: int, end: int) -> Line:
        moving = tuple((a, b, role) for a, b, role in self._moving if a < end and b > start)
        line = self._made.get((start, moving))
        if line is None:
            line = self._made[start, moving] = self._paint_line(start, end, moving)
        return line

    def _paint_line(self, start: int, end: int, moving: tuple[Painted, ...]) -> Line:
        roles = {role for _, _, role in moving}
        if roles & {"core-words", "lit-core"}:
            mark = Run("●", "core")
        else:
            signs = (("┃", {"lit", "picked"}), ("✗", {"wrong-words"}), (terms.BLAMED_GLYPH, {"blamed"}))
            mark = Run(next((sign for sign, some in signs if roles & some), " "), "mark")
        found = Run(terms.HIT_GLYPH, "hit-mark") if "hit" in roles else Run(" ")
        return Line(
            (mark, found, *painted_runs(self._shown, start, end, [*self._still_in(start, end), *moving]))
        )

    def _still_in(self, start: int, end: int) -> Iterator[Painted]:
        at = bisect_left(self._still, (start - self._longest, 0, ""))
        while at < len(self._still) and self._still[at][0] < end:
            if self._still[at][1] > start:
                yield self._still[at]
            at += 1

    def clicked(self, index: int, column: int) -> None:
        if index < len(self._lines):
            offset = self._offset_at(*self._lines[index], column - 2)
            self.post_message(Picked(SelectedWords((offset, offset))))
            return
        index -= len(self._lines) + len(self._complaints) + 2
        if 0 <= index < len(self._problem.actions):
            links = self.state.links
            if links is not None and (mentions := links.mentions(self._problem.actions[index].id)):
                self.post_message(Picked(SelectedWords(mentions[0])))

    def _offset_at(self, start: int, end: int, column: int) -> int:
        """Return the offset of the code point shown at a column of a line."""
        for offset in range(start, end):
            column -= sum(map(char_width, self._shown.part(offset, offset + 1)))
            if column < 0:
                return offset
        return max(end - 1, start)


def task_of(state: DebugView) -> str:
    """Return what the user asked of an agent that has no query, untrusted."""
    prompt = state.run.prompt if state.run is not None else None
    return prompt.text if prompt is not None and not state.text else ""


def _still(problem: Problem) -> Iterator[Painted]:
    """Yield the ranges coloured in every state: actions and the words that relate them."""
    seen: set[Span] = set()
    for c in problem.said:
        for i, span in enumerate(c.spans):
            if span not in seen:
                seen.add(span)
                yield span[0], span[1], "relation" if i == 1 else "action"


def _moving(state: DebugView) -> Iterator[Painted]:
    """Yield the ranges coloured in this state: words to blame, linked words, unsat core, selection, search
    hit and errors."""
    blamed = state.found.spans if state.found is not None else ()
    yield from ((a, b, "blamed") for a, b in blamed if b - a > _PHRASE)
    core = state.core_spans
    lit = state.lit.spans
    for a, b in lit:
        yield a, b, "lit"
    for a, b in core:
        covered = any(a < d and c < b for c, d in lit)
        yield a, b, "lit-core" if covered else "core-words"
    yield from ((a, b, "blamed") for a, b in blamed if b - a <= _PHRASE)
    focus = state.focus
    if isinstance(focus, SelectedWords) and focus.span[0] < focus.span[1]:
        yield *focus.span, "picked"
    if state.hit is not None and state.hit.document.kind == "query":
        yield *state.hit.span, "hit"
    for error in state.errors:
        yield error.span[0], max(error.span[1], error.span[0] + 1), "wrong-words"


def _complaints(state: DebugView, width: int) -> Iterator[Line]:
    """Show the reason why the query is not judged, the errors in its text, and the words to blame."""
    left_out = state.run.left_out if state.run is not None else ()
    if state.debug.run.problem.unjudged and not any(one.kind == "not understood" for one in left_out):
        from planscope.rules.offers import examples

        yield from wrapped(f"{terms.capital(not_judged())}, such as", width, "caution")
        called = dict.fromkeys(call.tool for call in state.run.calls) if state.run is not None else ()
        for word, rule in examples(list(called)):
            yield Line(cut((Run(f"{word:<8}", EXAMPLE_ROLES[word]), Run(shown(rule, 200), "tool")), width))
    for one in left_out:
        asks = one.kind == "not understood"  # its place matters: what it is has to be found out
        said = one.text if asks else replace(one, path="").text
        yield from wrapped(said, width, "caution" if asks else "dim")
    for error in state.errors:
        yield BLANK
        where = f"✗ line {error.line}, column {error.column}: "
        yield from wrapped(where + error.message, width, "broken")
    if state.found is not None and state.found.culprit is not None:
        yield BLANK
        cause, _, blame, *_ = state.found.sentences
        yield from wrapped(f"{terms.BLAMED_GLYPH} {cause} {blame}", width, "caution")
        yield from wrapped("Enter shows the cured query beside it.", width, "dim")


@lru_cache(maxsize=4000)
def _action_line(id: str, name: str, became: Run, lit: bool, width: int, does: str) -> Line:
    left = [
        Run("┃" if lit else " ", "mark"),
        Run(f" {shown(id, 8):<3} ", "dim"),
        Run(shown(name, 80), "action"),
        Run(f"  {does}" if does else "", "caution" if does == "writes" else "dim"),
    ]
    if width_of((*left, became)) + 1 > width:
        del left[3]
    return Line(justify(left, (became,), width), "lit" if lit else "")


def painted_runs(whole: Shown, start: int, end: int, painted: Iterable[Painted]) -> list[Run]:
    """Split a range of the text into runs, each in the role of the last range that covers it."""
    painted = list(painted)
    edges = sorted({start, end, *(min(max(e, start), end) for a, b, _ in painted for e in (a, b))})
    runs = []
    for a, b in pairwise(edges):
        role = ""
        for first, last, painted_role in painted:
            if first <= a and b <= last:
                role = painted_role
        runs.append(Run(whole.part(a, b), role))
    return runs
