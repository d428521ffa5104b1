"""Makes the content of the edit screen's panes: marks in the text, errors or a contradiction, the diff, the actions.

All functions are pure functions of the state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import get_args

from planscope.debugger.draft import Draft
from planscope.debugger.draft_reading import Became, Changed, DraftReading
from planscope.frozen import frozen
from planscope.language.errors import ParseError
from planscope.language.problem import Constraint, Span, slug
from planscope.safe import cell_width, show
from planscope.tui.controllers.draft_editor import ActionLine, EditState
from planscope.tui.keys import key_for
from planscope.tui.panes.constraints import row_parts
from planscope.tui.panes.query import Painted, painted_runs
from planscope.tui.style.lines import (
    BLANK,
    Line,
    Page,
    Run,
    alike,
    cut,
    justify,
    paragraph,
    ranges,
    shown,
    wrapped,
)
from planscope.wording import phrases, terms
from planscope.wording.constraints import brief, in_room, plain, quotation
from planscope.wording.terms import DRAFT_SIGNS

ROLES: dict[Became, str] = {"added": "safe", "gone": "caution", "same": "dim", "unread": "unknown"}

_INDENT = 2
_BEFORE_ID = 13
"""The width of a constraint's row without its id and its words, in cells."""


@frozen
class Place:
    """A selectable place of a list: its first line, and the range of the text that it is about, if any."""

    line: int
    span: Span | None = None


@frozen
class Said:
    """The lines of a pane, and the places in them that can be selected."""

    lines: tuple[Line, ...]
    places: tuple[Place, ...] = ()


def _ground(chosen: bool) -> str:
    """Return the theme role of a list line's background."""
    return "cursor" if chosen else ""


# Errors, or whether the constraints can be met together


def verdict(state: EditState) -> tuple[Run, ...]:
    """Return the state of the draft in a few words."""
    seen, solved = state.seen, state.solved
    if seen is None:
        return (Run("reading…", "dim"),)
    wrong = [error for error in seen.errors if not state.being_written(error)]
    if seen.complaint or wrong:
        text = phrases.plural(len(wrong), "error") if wrong else "cannot be read"
        return (Run(f"✗ {text}", "broken"),)
    if solved is not None and solved.can_be_met is False:
        return (Run("✗ contradicts itself", "broken"),)
    if seen.errors:
        return (Run("… incomplete", "dim"),)
    if solved is None:
        return (Run("… checking whether it can be met", "dim"),)
    if solved.can_be_met is None:
        return (Run("? the solver gave up", "unknown"),)
    return (Run("✓ can be met", "holds"),)


def reading_lines(state: EditState, width: int) -> Said:
    """Show the errors and the expected words; without errors, whether a plan exists, and the unsat core if not."""
    seen, solved = state.seen, state.solved
    if seen is None:
        return Said((Line((Run("reading…", "dim"),)),))
    made = _Lines(width)
    if seen.complaint:
        made.text(f"✗ {shown(seen.complaint, 300)}", "broken")
    count = len(seen.errors) + len(state.core)
    chosen = state.line_chosen("reading", count)
    for number, error in enumerate(seen.errors):
        made.error(error, state.being_written(error), number == chosen)
    if seen.new_action and not state.being_written(seen.errors[0]):
        keys = f"{key_for('leave-edit')} {key_for('add-action')}" if state.typing else key_for("add-action")
        made.text(f"{keys} adds the action {shown(seen.new_action, 60)}", "caution")
    if solved is not None and solved.can_be_met is False and seen.problem is not None:
        if seen.errors:
            made.add()
        made.text("✗ contradiction: these cannot all hold", "broken")
        for number, id in enumerate(solved.core, len(seen.errors)):
            if (c := seen.problem.by_id.get(id)) is not None:
                made.member(seen, c, number == chosen)
    elif not seen.errors and not seen.complaint:
        made.add(*verdict(state), *_orders(state))
        if seen.problem is not None:
            made.text(_how_much(seen), "dim")
    return Said(tuple(made.lines), tuple(made.places))


def _orders(state: EditState) -> Iterator[Run]:
    solved = state.solved
    if solved is None or not solved.can_be_met or state.seen is None or state.seen.problem is None:
        return
    if solved.orders is not None:
        yield Run(f" in {solved.orders:,} {'order' if solved.orders == 1 else 'orders'}", "holds")


def _how_much(seen: DraftReading) -> str:
    assert seen.problem is not None
    counts = {"sentence": seen.sentences, "constraint": seen.problem.said, "action": seen.draft.actions}
    return ", ".join(phrases.plural(len(some), name) for name, some in counts.items())


class _Lines(Page):
    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.places: list[Place] = []

    def error(self, error: ParseError, writing: bool, chosen: bool) -> None:
        self.places.append(Place(len(self.lines), error.span))
        where = f"line {error.line}, column {error.column}: "
        expected = ", ".join(error.expected)
        if writing and expected:
            self.text(f"… {where}expected here: {expected}", "dim", 0, _ground(chosen))
        else:
            self.text(f"✗ {where}{error.message}", "broken", 0, _ground(chosen))
        if not writing and expected and "expected" not in error.message:
            self.text(f"expected: {expected}", "dim", _INDENT)
        for reading in error.readings:
            if reading not in error.message:
                self.text(f"could mean: {reading}", "dim", _INDENT)

    def member(self, seen: DraftReading, c: Constraint, chosen: bool) -> None:
        """Add one constraint of the unsat core, with its sentence."""
        assert seen.problem is not None
        self.places.append(Place(len(self.lines), seen.words_of(c)))
        who = f"sentence {c.sentence + 1}" if c.sentence is not None else "the query"
        if c.is_rule:
            who = "the instructions" if c.source == "prompt" else "the day"
        quoted = quotation(seen.problem, c)
        said = f"“{quoted}”" if quoted else brief(c, seen.problem)
        body = paragraph(f"{terms.CORE_GLYPH} {who}: {said}", self.width, "core")
        for i, runs in enumerate(body):
            self.add("  " * (i > 0), *runs, ground=_ground(chosen))


# Constraints


def constraint_lines(state: EditState, width: int) -> Said:
    """Show the diff against the parent's constraints: first those in the text, then the rules."""
    seen = state.seen
    if seen is None:
        return Said((Line((Run("reading…", "dim"),)),))
    if not seen.rows:
        return Said((Line((Run("No constraints: nothing in the text can be read yet.", "dim"),)),))
    chosen = state.line_chosen("constraints", len(seen.rows))
    core = set(state.core)
    cells = max(len(row.constraint.id) for row in seen.rows)
    room = width - cells - _BEFORE_ID
    texts = _texts(seen, room)
    lines: list[Line] = []
    places = []
    for number, row in enumerate(seen.rows):
        if row.constraint.is_rule and number and not seen.rows[number - 1].constraint.is_rule:
            lines.append(BLANK)
        there = row.became in ("added", "same")
        places.append(Place(len(lines), seen.words_of(row.constraint) if there else None))
        in_core = there and row.constraint.id in core
        lines += _row(row, texts[number], cells, in_core, number == chosen, room)
    if chosen is not None:
        row = seen.rows[chosen]
        words_of = plain(row.constraint, seen.names_of(row))
        lines.append(BLANK)
        said = terms.capital(words_of)
        lines += wrapped(f"{said}.", width, "quote")
    return Said(tuple(lines), tuple(places))


def _texts(seen: DraftReading, room: int) -> list[str]:
    """Return each constraint in the words of its query: the draft's, or the parent's if it is gone."""
    made: dict[int, str] = {}
    by_query: dict[int, list[int]] = {}
    for number, row in enumerate(seen.rows):
        by_query.setdefault(id(seen.names_of(row)), []).append(number)
    for numbers in by_query.values():
        rows = [seen.rows[number] for number in numbers]
        words = in_room([row.constraint for row in rows], seen.names_of(rows[0]), room)
        made.update(zip(numbers, words, strict=True))
    return [made[number] for number in range(len(seen.rows))]


def _row(row: Changed, text: str, cells: int, core: bool, chosen: bool, room: int) -> Iterator[Line]:
    role = ROLES[row.became]
    quiet = row.became in ("same", "unread")
    id = (
        shown(row.constraint.id, 8) if row.became in ("added", "same") else ""
    )  # others have the parent's ids
    for begin, end in row_parts(text, room):
        words = Run(text[begin:end], "core" if core else "dim" if quiet else role)
        if begin:
            yield Line((Run(" " * (cells + _BEFORE_ID)), words), _ground(chosen))
            continue
        head = (
            Run(f"{DRAFT_SIGNS[row.became]} ", role),
            Run(terms.CORE_GLYPH if core else " ", "core"),
            Run(f" {row.became:<6} ", role),
            Run(f"{id:<{cells}}  ", "dim"),
        )
        yield Line((*head, words), _ground(chosen))


def constraint_note(state: EditState) -> tuple[Run, ...]:
    """Say how many constraints were added, kept and dropped."""
    seen = state.seen
    if seen is None or not seen.rows:
        return ()
    runs: list[Run] = []
    for kind in get_args(Became):
        if number := seen.count(kind):
            runs.append(Run(f"{', ' if runs else ''}{number} {kind}", ROLES[kind]))
    return tuple(runs)


# The parent's text

_MOST_BEFORE = 20_000
"""Limit of code points of the parent's text that are displayed beside the draft."""


@lru_cache(maxsize=64)
def before_lines(text: str, gone: tuple[Span, ...], width: int) -> tuple[Line, ...]:
    """Show the parent's text, with the words of dropped constraints marked."""
    whole = show(text[:_MOST_BEFORE], keep_newlines=True)
    painted = [(start, end, "wrong-words") for start, end in gone if end <= _MOST_BEFORE]
    return tuple(
        Line(tuple(painted_runs(whole, start, end, [p for p in painted if p[0] < end and p[1] > start])))
        for start, end in ranges(text[:_MOST_BEFORE], width)
    )


# Actions


def action_lines(state: EditState, width: int) -> Said:
    """Show the actions with their changes, and the limits of a run."""
    listed = state.actions
    chosen = state.line_chosen("actions", len(listed))
    columns = _columns(state, listed, width)
    lines = [_action(line, columns, number == chosen, width) for number, line in enumerate(listed)]
    places = tuple(Place(number) for number in range(len(lines)))
    lines += [BLANK, *_limits(state.before, state.draft, width)]
    return Said(tuple(lines), places)


@frozen
class _Columns:
    """The widths of columns. ``name``: that of names if tools are displayed beside them; 0 if these do not fit."""

    name: int
    timed: bool


def _columns(state: EditState, listed: Sequence[ActionLine], width: int) -> _Columns:
    """Return the widths of columns. Tools are displayed only if they fit."""
    actions = [action for line in listed if (action := line.now or line.was) is not None]
    names = max(cell_width(shown(action.name, 80)) for action in actions)
    tools = max(len(shown(action.tool, 64)) for action in actions)
    right = max(len(_story(line)) for line in listed) + (6 if state.draft.timed else 0)
    return _Columns(names if 6 + names + 2 + tools + 1 + right <= width else 0, state.draft.timed)


def _action(line: ActionLine, columns: _Columns, chosen: bool, width: int) -> Line:
    action = line.now or line.was
    assert action is not None
    what, role = _what_became(line)
    there = line.now is not None
    name = shown(action.name, 80)
    left = [
        Run(f"{what or ' '} ", role),
        Run(f"{shown(action.id, 8):<3} ", "dim"),
        Run(name, "action" if there else "dim"),
    ]
    if columns.name or action.tool != slug(action.name):
        pad = " " * max(columns.name - cell_width(name), 0)
        left.append(Run(f"{pad}  {shown(action.tool, 64)}", "tool" if there else "dim"))
    right = [Run(_story(line), role)]
    if there and columns.timed:
        right.append(Run(f" {action.duration:>2} h", "strong"))
    return Line(justify(left, [run for run in right if run.text], width), _ground(chosen))


def _what_became(line: ActionLine) -> tuple[str, str]:
    if line.now is None:
        return DRAFT_SIGNS["gone"], ROLES["gone"]
    if line.was is None:
        return DRAFT_SIGNS["added"], ROLES["added"]
    return ("~", "caution") if line.now != line.was else ("", "dim")


def _story(line: ActionLine) -> str:
    """Describe the change of an action in words."""
    if line.now is None:
        return "dropped"
    if line.was is None:
        return "added"
    told = []
    if line.now.name != line.was.name:
        told.append(f"was {shown(line.was.name, 40)}")
    if (
        line.now.duration != line.was.duration
        and line.was.duration is not None
        and line.now.duration is not None
    ):
        told.append(f"was {line.was.duration} h")
    return ", ".join(told)


def _limits(before: Draft, now: Draft, width: int) -> Iterator[Line]:
    runs = [Run("  limits  ", "label"), *_limit(now.seconds, before.seconds, " s")]
    runs += [Run(", "), *_limit(now.model_calls, before.model_calls, " model calls")]
    yield Line(cut(runs, width))
    kind = "timed: clock times and hours" if now.timed else "not timed: order only"
    changed = before.timed != now.timed
    yield Line(cut((Run("  query   ", "label"), Run(kind, "caution" if changed else "")), width))


def _limit(now: float, before: float, unit: str) -> Sequence[Run]:
    text = f"{now:g}{unit}"
    return (Run(text),) if now == before else (Run(text, "caution"), Run(f" (was {before:g})", "dim"))


# Marks in the text


def marks(state: EditState) -> list[Painted]:
    """Return the marks of the last reading in the text, moved by what was typed since."""
    seen = state.seen
    if seen is None:
        return []
    spans = [(known.span, "action" if known.action else "relation") for known in seen.known]
    if seen.problem is not None:
        core = [c for id in state.core if (c := seen.problem.by_id.get(id)) is not None]
        spans += [(span, "core-words") for c in core for span in c.spans if span[0] < span[1]]
    spans += [(span, "lit") for span in _lit(state, seen)]
    for error in seen.errors:
        if not state.being_written(error):
            start, end = error.span
            spans.append(((start, end) if start < end else (max(start - 1, 0), start), "wrong-words"))
    return moved_spans(spans, seen.draft.text, state.draft.text)


def _lit(state: EditState, seen: DraftReading) -> list[Span]:
    """Return the text ranges that belong to the selected line."""
    listed = state.actions
    if (number := state.line_chosen("actions", len(listed))) is not None:
        now = listed[number].now
        return [known.span for known in seen.known if now is not None and known.action == now.id]
    if (number := state.line_chosen("constraints", len(seen.rows))) is not None:
        row = seen.rows[number]
        spans = row.constraint.spans if row.became in ("added", "same") else ()
        return [span for span in spans if span[0] < span[1]]
    return []


def moved_spans(spans: Sequence[tuple[Span, str]], old: str, new: str) -> list[tuple[int, int, str]]:
    """Return ranges with their roles, moved by what was typed since. Ranges that were typed into are dropped."""
    if old == new:
        return [(*span, role) for span, role in spans]
    head = alike(old, new)
    tail = alike(old[head:][::-1], new[head:][::-1])
    shift = len(new) - len(old)
    moved = []
    for (a, b), role in spans:
        if b <= head:
            moved.append((a, b, role))
        elif a >= len(old) - tail:
            moved.append((a + shift, b + shift, role))
    return moved
