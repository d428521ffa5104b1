"""Short ways to read texts in tests."""

from __future__ import annotations

import pytest

from planscope.language.errors import ParseError, ParseFailure
from planscope.language.problem import make_actions
from planscope.language.reading import Reading, read_query

LETTERS = ("a", "b", "c", "d", "e", "f")


def read(text: str, names: tuple[str, ...] = LETTERS, *, timed: bool = False) -> Reading:
    return read_query(text, make_actions(names), timed=timed)


def said(text: str, names: tuple[str, ...] = LETTERS, *, timed: bool = False) -> list[str]:
    """The formulas of a text's constraints, in order."""
    return [constraint.text for constraint in read(text, names, timed=timed).problem.said]


def errors(text: str, names: tuple[str, ...] = LETTERS, *, timed: bool = False) -> tuple[ParseError, ...]:
    with pytest.raises(ParseFailure) as caught:
        read(text, names, timed=timed)
    return caught.value.errors


def error(text: str, names: tuple[str, ...] = LETTERS, *, timed: bool = False) -> ParseError:
    """The only error of a text; its place must be that of the words that it names."""
    found = errors(text, names, timed=timed)
    assert len(found) == 1
    start, end = found[0].span
    assert text[start:end].startswith(found[0].found)
    return found[0]
