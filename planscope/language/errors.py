"""Errors of reading a query, one for each sentence that cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.language.problem import Span


@frozen
class ParseError:
    """A sentence that cannot be read. ``line`` and ``column`` count from 1, in code points; ``message`` is one line.

    ``found``: the words at that place ("" at the end of the text). ``expected``: what could stand there, in plain words
    ("an action"). ``readings``: the meanings of an ambiguous sentence, in one or two sentences each. ``idle``: the
    sentence names no action and asks nothing, so that the others can be read without it. ``suggestions``: sentences
    about the actions that can be read; one of them may be what was meant. ``lists``: the ids of the actions that the
    sentence only lists ("Build, test, deploy."), which is a chain unless other sentences say their order.
    """

    line: int
    column: int
    found: str
    expected: tuple[str, ...]
    message: str
    span: Span
    readings: tuple[str, ...] = ()
    idle: bool = False
    suggestions: tuple[str, ...] = ()
    lists: frozenset[str] = frozenset()


def in_a_line(errors: Sequence[ParseError], longest: int | None = None) -> str:
    """Return the first error with its place on one line, cut to ``longest`` code points, and the number of the
    others."""
    first, more = errors[0], f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"line {first.line}, column {first.column}: {first.message[:longest]}{more}"


class ParseFailure(UserError, ValueError):
    """The text cannot be read. ``errors`` holds one error for each broken sentence, in the order of the text."""

    def __init__(self, errors: Iterable[ParseError]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(f"line {e.line}, column {e.column}: {e.message}" for e in self.errors))


@frozen
class Trouble:
    """An error whose place counts from the beginning of its sentence."""

    span: Span
    found: str
    expected: tuple[str, ...]
    message: str
    readings: tuple[str, ...] = ()
    idle: bool = False
    suggestions: tuple[str, ...] = ()
    lists: frozenset[str] = frozenset()

    def located(self, text: str, offset: int) -> ParseError:
        start, end = self.span[0] + offset, self.span[1] + offset
        line = text.count("\n", 0, start) + 1
        column = start - (text.rfind("\n", 0, start) + 1) + 1
        own = (
            self.found,
            self.expected,
            self.message,
            (start, end),
            self.readings,
            self.idle,
            self.suggestions,
            self.lists,
        )
        return ParseError(line, column, *own)
