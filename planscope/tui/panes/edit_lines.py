"""What the edit screen says beside the text: errors or the contradiction, and the constraints as a diff."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import get_args

from planscope.debugger.draft_reading import Became, Changed, DraftReading
from planscope.language.describe import plain
from planscope.language.errors import ParseError
from planscope.language.problem import Constraint, Span
from planscope.oracle.words import quotation
from planscope.tui import words
from planscope.tui.lines import BLANK, Line, Run, cut, paragraph, ranges, shown
from planscope.tui.panes.edit_state import EditState, being_written, core_ids
from planscope.tui.panes.query import painted_runs
from planscope.tui.safe_text import show

GLYPHS: dict[Became, str] = {"added": "+", "gone": "\u2212", "same": "=", "unread": "?"}
ROLES: dict[Became, str] = {"added": "safe", "gone": "broken", "same": "dim", "unread": "unknown"}

_INDENT = 2
_NAMED = 200
"""Of more constraints none is told by the names of its actions."""


@dataclass(frozen=True, slots=True)
class Place:
    """Something that a line is about: a range of the text to go to, if it stands there. ``line`` is its first."""

    line: int
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """Lines, and which of them can be chosen."""

    lines: tuple[Line, ...]
    places: tuple[Place, ...] = ()


def ground(chosen: bool) -> str:
    """That of a line in a list."""
    return "cursor" if chosen else ""


# Errors, or whether all can be met


def verdict(state: EditState) -> tuple[Run, ...]:
    """The whole in a few words."""
    seen, solved = state.seen, state.solved
    if seen is None:
        return (Run("reading…", "dim"),)
    wrong = [error for error in seen.errors if not being_written(state, error)]
    if seen.complaint or wrong:
        text = words.plural(len(wrong), "error") if wrong else "cannot be read"
        return (Run(f"✗ {text}", "broken"),)
    if solved is not None and solved.can_be_met is False:
        return (Run("✗ contradicts itself", "broken"),)
    if seen.errors:
        return (Run("… being written", "dim"),)
    if solved is None:
        return (Run("… asking whether it can be met", "dim"),)
    if solved.can_be_met is None:
        return (Run("? the solver gave up", "unknown"),)
    return (Run("✓ can be met", "holds"),)


def reading_lines(state: EditState, width: int) -> Said:
    """Errors with what was expected, else whether it can be met; a contradiction by its sentences."""
    seen, solved = state.seen, state.solved
    if seen is None:
        return Said((Line((Run("reading…", "dim"),)),))
    made = _Lines(width)
    if seen.complaint:
        made.text(f"✗ {shown(seen.complaint, 300)}", "broken")
    count = len(seen.errors) + (len(core_ids(state)) if state.solved is not None else 0)
    chosen = state.line_chosen("reading", count)
    for number, error in enumerate(seen.errors):
        made.error(error, being_written(state, error), number == chosen)
    if solved is not None and solved.can_be_met is False and seen.problem is not None:
        if seen.errors:
            made.lines.append(BLANK)
        made.text("✗ contradicts itself: these cannot all be met", "broken")
        for number, id in enumerate(solved.core, len(seen.errors)):
            if (c := seen.problem.by_id.get(id)) is not None:
                made.member(seen, c, number == chosen)
    elif not seen.errors and not seen.complaint:
        made.lines.append(Line((*verdict(state), *_orders(state))))
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
    parts = [
        words.plural(len(seen.sentences), "sentence"),
        words.plural(len(seen.problem.said), "constraint"),
        words.plural(len(seen.draft.actions), "action"),
    ]
    return ", ".join(parts)


class _Lines:
    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[Line] = []
        self.places: list[Place] = []

    def text(self, text: str, role: str = "", indent: int = 0, ground: str = "") -> None:
        for runs in paragraph(text, self.width - indent, role):
            self.lines.append(Line((Run(" " * indent), *runs), ground))

    def error(self, error: ParseError, writing: bool, chosen: bool) -> None:
        self.places.append(Place(len(self.lines), error.span))
        where = f"line {error.line}, column {error.column}: "
        expected = ", ".join(error.expected)
        if writing and expected:
            self.text(f"… {where}expected here: {expected}", "dim", 0, ground(chosen))
        else:
            self.text(f"✗ {where}{error.message}", "broken", 0, ground(chosen))
        if not writing and expected and "expected" not in error.message:
            self.text(f"expected: {expected}", "dim", _INDENT)
        for reading in error.readings:
            if reading in error.message:
                continue
            self.text(f"could mean: {reading}", "dim", _INDENT)

    def member(self, seen: DraftReading, c: Constraint, chosen: bool) -> None:
        """One of those that contradict each other, by its sentence."""
        assert seen.problem is not None
        span = seen.words_of(c)
        self.places.append(Place(len(self.lines), span))
        if c.is_rule:
            who = "the instructions" if c.source == "prompt" else "the day"
        else:
            who = f"sentence {c.sentence + 1}" if c.sentence is not None else "the request"
        quoted = quotation(seen.problem, c)
        said = f"“{quoted}”" if quoted else words.constraint_names(c, seen.problem)
        head = f"{words.CORE_GLYPH} {who}: "
        for i, runs in enumerate(paragraph(head + said, self.width, "core")):
            self.lines.append(Line(runs if i == 0 else (Run("  "), *runs), ground(chosen)))


# Constraints


def constraint_lines(state: EditState, width: int) -> Said:
    """The diff against the request before; what the text says first, then the rules."""
    seen = state.seen
    if seen is None:
        return Said((Line((Run("reading…", "dim"),)),))
    if not seen.rows:
        return Said((Line((Run("No constraints: nothing of the text can be read yet.", "dim"),)),))
    chosen = state.line_chosen("constraints", len(seen.rows))
    core = set(core_ids(state))
    cells = max(len(row.constraint.id) for row in seen.rows)
    texts = _texts(seen, width - cells - 13)
    lines: list[Line] = []
    places = []
    for number, row in enumerate(seen.rows):
        if row.constraint.is_rule and number and not seen.rows[number - 1].constraint.is_rule:
            lines.append(BLANK)
        there = row.became in ("added", "same")
        places.append(Place(len(lines), seen.words_of(row.constraint) if there else None))
        in_core = there and row.constraint.id in core
        lines.append(_row(row, texts[number], cells, in_core, number == chosen, width))
    if chosen is not None:
        row = seen.rows[chosen]
        words_of = plain(row.constraint, seen.names_of(row))
        lines.append(BLANK)
        said = words_of[:1].upper() + words_of[1:]
        lines += [Line(runs) for runs in paragraph(f"{said}.", width, "quote")]
    return Said(tuple(lines), tuple(places))


def _texts(seen: DraftReading, room: int) -> list[str]:
    """Constraints by the names of their actions where all of them fit, else by their ids."""
    if len(seen.rows) <= _NAMED:
        named = [words.constraint_names(row.constraint, seen.names_of(row)) for row in seen.rows]
        if max(map(len, named)) <= room:
            return named
    return [words.constraint(row.constraint, timed=seen.names_of(row).timed) for row in seen.rows]


def _row(row: Changed, text: str, cells: int, core: bool, chosen: bool, width: int) -> Line:
    role = ROLES[row.became]
    quiet = row.became in ("same", "unread")
    id = shown(row.constraint.id, 8) if row.became in ("added", "same") else ""  # the draft's ids alone
    runs = (
        Run(f"{GLYPHS[row.became]} ", role),
        Run(words.CORE_GLYPH if core else " ", "core"),
        Run(f" {row.became:<6} ", role),
        Run(f"{id:<{cells}}  ", "dim"),
        Run(text, "core" if core else "dim" if quiet else role),
    )
    return Line(cut(runs, width), ground(chosen))


def constraint_note(state: EditState) -> tuple[Run, ...]:
    """How many of each."""
    seen = state.seen
    if seen is None or not seen.rows:
        return ()
    runs: list[Run] = []
    for kind in get_args(Became):
        if number := seen.count(kind):
            runs.append(Run(f"{' ' if runs else ''}{GLYPHS[kind]}{number}", ROLES[kind]))
    return tuple(runs)


# The request before

MOST_BEFORE = 20_000
"""Code points of the parent's text that are shown beside the draft."""


@lru_cache(maxsize=64)
def before_lines(text: str, gone: tuple[Span, ...], width: int) -> tuple[Line, ...]:
    """The parent's text; the words of what is gone are marked."""
    whole = show(text[:MOST_BEFORE], keep_newlines=True)
    painted = [(start, end, "wrong-words") for start, end in gone if end <= MOST_BEFORE]
    return tuple(
        Line(tuple(painted_runs(whole, start, end, [p for p in painted if p[0] < end and p[1] > start])))
        for start, end in ranges(text[:MOST_BEFORE], width)
    )
