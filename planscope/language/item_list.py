"""Reads lists in a query's text: numbered lines, and lines with bullets, perhaps below a line that announces them.

A numbered list of actions is a chain: each comes before the next. In any other list every line has sentences of its
own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from planscope.language.arrange import RELATING
from planscope.language.errors import Trouble
from planscope.language.natural import list_headings
from planscope.language.problem import Span
from planscope.language.scan import MAX_TOKENS, Scanner, Token

_MARKER = re.compile(
    r"[ \t]*(?:(?P<number>\(?(?:[0-9]{1,3}|[A-Za-z])[.)])|(?P<bullet>[-*+\u2022\u2013]))[ \t]+(?=\S)"
)
_RELATING = {*RELATING, "NEG", "DONT", "DONTNEG", "COME", "WITH", "FIRST", "LAST", "THEN", "WHICH"}


class Item(NamedTuple):
    """One line of a list with the lines that continue it. ``mark``: the span of its number or bullet."""

    mark: Span
    numbered: bool
    start: int
    end: int


class ItemList(NamedTuple):
    """A list. ``heading``: the span of the line that announces it, or None. ``in_order``: whether that line says "in
    order"."""

    start: int
    end: int
    items: tuple[Item, ...]
    heading: Span | None = None
    in_order: bool = False

    @property
    def numbered(self) -> bool:
        return all(item.numbered for item in self.items)


def list_at(text: str, at: int, scanner: Scanner) -> ItemList | None:
    """Return the list that begins at a place of the text, which is a line's first character that is not white space."""
    heading, in_order = None, False
    line_end = _line_end(text, at)
    line = text[at:line_end].rstrip()
    first = at
    if line.endswith(":"):
        said = " ".join(line[:-1].casefold().split())
        known = list_headings()
        if said not in known:
            return None
        heading, in_order = (at, at + len(line)), known[said]
        first = line_end + 1
        while first < len(text) and text[first].isspace():
            first += 1
    items = tuple(_items(text, first, scanner))
    return ItemList(at, items[-1].end, items, heading, in_order) if items else None


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _items(text: str, at: int, scanner: Scanner) -> Iterator[Item]:
    while at < len(text):
        found = _MARKER.match(text, at)
        if found is None or scanner.begins_name(text, found.start() + _blanks(found[0])):
            return
        end = _line_end(text, at)
        while (more := _line_end(text, end + 1)) > end + 1 and _continues(text[end + 1 : more]):
            end = more
        group = "number" if found["number"] else "bullet"
        yield Item(
            found.span(group), group == "number", found.end(), end - _blanks(text[found.end() : end][::-1])
        )
        at = end + 1


def _blanks(text: str) -> int:
    return len(text) - len(text.lstrip())


def _continues(line: str) -> bool:
    return line[:1].isspace() and bool(line.strip()) and _MARKER.match(line) is None


def is_bare(text: str, item: Item, scanner: Scanner) -> bool:
    """Return whether an item only names actions, without saying anything about them."""
    tokens = scanner.tokens(text[item.start : item.end])
    return tokens is not None and not any(token.type in _RELATING for token in tokens)


def parts_of(text: str, found: ItemList, scanner: Scanner) -> Iterator[Span]:
    """Return the spans to read one by one: the whole list if it is a chain, or else the texts of its items."""
    bare = [is_bare(text, item, scanner) for item in found.items]
    if all(bare) or (found.in_order and any(bare)):
        yield found.start, found.end
        return
    for item in found.items:
        yield item.start, item.end


def read_list(text: str, scanner: Scanner) -> list[Token] | Trouble | None:
    """Return the tokens of a text that is one list of actions, each item after a STEP; or an error; or None if it is
    no list."""
    first = _blanks(text)
    if not text[first:] or (found := list_at(text, first, scanner)) is None or found.end < len(text.rstrip()):
        return None
    if not (found.numbered or found.in_order):
        mark = found.items[0].mark
        return Trouble(
            mark,
            text[slice(*mark)],
            ("a number",),
            'a list with bullets has no order; number its lines, such as "1. ...", or say which comes before which',
        )
    tokens: list[Token] = []
    for item in found.items:
        tokens.append(Token("STEP", *item.mark, words=text[slice(*item.mark)]))
        own = scanner.tokens(text[item.start : item.end]) or []
        tokens += [
            token._replace(start=token.start + item.start, end=token.end + item.start)
            for token in (own[:-1] if own and own[-1].type == "DOT" else own)
        ]
    return tokens if len(tokens) <= MAX_TOKENS else None
