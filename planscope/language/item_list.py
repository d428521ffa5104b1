"""Reads lists in a query's text: numbered lines, and lines with bullets, perhaps below a line that announces them.

A numbered list of actions is a chain: each comes before the next. In any other list every line has sentences of its
own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from planscope.language import english
from planscope.language.clauses import listed
from planscope.language.cuts import Token, sentences, tokens
from planscope.language.errors import Trouble
from planscope.language.problem import Span
from planscope.language.scan import Names

_MARKER = re.compile(
    r"[ \t]*(?:(?P<number>\(?(?:[0-9]{1,3}|[A-Za-z])[.)])|(?P<bullet>[-*+\u2022\u2013]))[ \t]+(?=\S)"
)
_HEADING = re.compile(
    r"(?:(?:so|here|this|that|there|the|my|our|your|just|only|what|a|two|three)(?:'s)? )?(?:is )?(?:[a-z']+ ){0,3}"
    r"(?:things?|plan|order|list|schedule|agenda|sequence|chain|steps?|programme|rules?|day|how i see it)"
    r"(?: [a-z]{2,}){0,3}"
)
_IN_ORDER = re.compile(
    r" ?, (?:step by step|(?:from )?top to bottom|one by one|in (?:exactly )?(?:this|that) order)\Z"
)
"""Behind a heading, what says that the lines are in order."""
_CONDITIONS = (
    listed("asking") - {"order", "follow"}
    | listed("denying")
    | english.words(
        "on in who backwards reverse reversed free alphabetically choose till old backup example former draft"
    )
)
RELATING = english.words(
    """
    before after until till once then first last when finally next afterwards wait waits needs need
    require requires depends precedes precede follows follow preceded followed prior earlier later
    by from without unless order not between
    """
)
"""Words that relate actions."""


LONGEST_TITLE = 40
"""A longer line (code points) is no title of the list below it."""


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


def list_at(text: str, at: int, names: Names) -> ItemList | None:
    """Return the list that begins at a place of the text, which is a line's first character that is not white space."""
    heading, in_order = None, False
    first, colon = at, text.find(":", at, _line_end(text, at))
    said = " ".join(text[at : max(colon, at)].casefold().split())
    what = announced(said)
    in_order = what == "order"
    if what:
        heading = (at, colon + 1)
        first = colon + 1 + _blanks(text[colon + 1 :])
    elif colon < 0 and names_a_list(text, at, names):  # "Saturday", and a list below
        heading = (at, _line_end(text, at))
        first = heading[1] + 1
    items = tuple(_items(text, first, names))
    if not _counts_up([text[slice(*item.mark)] for item in items if item.numbered]):
        return None
    return ItemList(at, items[-1].end, items, heading, in_order) if items else None


def _counts_up(marks: Iterable[str]) -> bool:
    """Return whether each number or letter of some marks comes right after the one before: else their order is not
    that of the lines."""
    own = (mark.strip("(). ") for mark in marks)
    places = [int(mark) if mark.isdigit() else ord(mark) for mark in own]
    return all(after == before + 1 for before, after in pairwise(places))


def names_a_list(text: str, at: int, names: Names) -> bool:
    """Return whether a line of a few words, which relate nothing and are of no action, stands above a list."""
    end = text.find("\n", at, at + LONGEST_TITLE)
    if end < 0 or not names.ids or _MARKER.match(text, at) or not _MARKER.match(text, end + 1):
        return False
    own = {word for name in names.ids for word in name.casefold().split()}
    return own.isdisjoint(text[at:end].casefold().split()) and is_bare(text[at:end])


def announced(said: str) -> str:
    """Return "order" if the words before a colon announce an order, "list" if they announce anything else, and nothing
    if they may say more. ``said``: the words in lower case."""
    if english.in_order(said):
        return "order"
    if english.late(english.HEADING).fullmatch(f"{said} :"):
        return "list"
    plain = _IN_ORDER.sub("", said)
    if _HEADING.fullmatch(plain) is None or not _CONDITIONS.isdisjoint(plain.replace("'s", "").split()):
        return ""
    return (
        "order"
        if re.search(r"\b(?:order|sequence|chain|step by step|top to bottom|one by one)\b", said)
        else "list"
    )


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _items(text: str, at: int, names: Names) -> Iterator[Item]:
    while at < len(text):
        found = _MARKER.match(text, at)
        if found is None or names.begin(text, found.start() + _blanks(found[0])):
            return
        end, following = _line_end(text, at), None
        if found["number"] and (following := _following(found["number"]).search(text, found.end(), end)):
            end = following.start()
        while (
            following is None
            and (more := _line_end(text, end + 1)) > end + 1
            and _continues(text[end + 1 : more])
        ):
            end = more
        group = "number" if found["number"] else "bullet"
        yield Item(
            found.span(group), group == "number", found.end(), end - _blanks(text[found.end() : end][::-1])
        )
        at = end + 1 if following is None else following.end()


def _following(mark: str) -> re.Pattern[str]:
    """Return the pattern of what stands between an item and the next one in a line: "2)" comes after "1)"."""
    own = mark.strip("().")
    after = str(int(own) + 1) if own.isdigit() else chr(ord(own) + 1)
    return re.compile(rf"[\s,;.]*(?:\band)?\s+(?={re.escape(mark.replace(own, after))}\s)")


def _blanks(text: str) -> int:
    return len(text) - len(text.lstrip())


def _continues(line: str) -> bool:
    return line[:1].isspace() and bool(line.strip()) and _MARKER.match(line) is None


def _is_bare(text: str, item: Item) -> bool:
    """Return whether an item only names actions, without saying anything about them."""
    own = text[item.start : item.end]
    if item.numbered:  # "archive the notes (done by 9 pm)"
        own = re.sub(r"\([^()]*\)", "", own)
    return is_bare(own)


def is_bare(text: str) -> bool:
    return RELATING.isdisjoint(token.key for token in tokens(text))


def parts_of(text: str, found: ItemList) -> Iterator[Span]:
    """Return the spans to read one by one: the whole list if it is a chain, or else the texts of its items."""
    bare = [_is_bare(text, item) for item in found.items]
    if all(bare) or (found.in_order and any(bare)):
        yield found.start, found.end
        return
    for item in found.items:
        yield item.start, item.end


def _whole(text: str, names: Names) -> ItemList | None:
    """Return the list that a text is, or None."""
    found = list_at(text, _blanks(text), names)
    if found is None or found.end < len(text.rstrip()) or len(found.items) < 2:
        return None
    return found


NUMBERED = ("a number",)
"""What is expected before the lines of a list that has no order."""


def unordered_list(text: str, names: Names) -> Trouble | None:
    """Return the error of a list that has no order, or None."""
    found = _whole(text, names)
    if found is None or found.numbered or found.in_order:
        return None
    mark = found.items[0].mark
    why = 'a list with bullets has no order; number its lines, such as "1. ...", or say which comes before which'
    return Trouble(mark, text[slice(*mark)], NUMBERED, why)


def marks_of(text: str) -> Iterator[Span]:
    """Yield the places of the marks of a list, which a text is: of its lines, or "Step 1:" before each item."""
    if (found := _whole(text, Names(()))) is not None:
        yield from (item.mark for item in found.items)
        return
    steps = list(_STEP.finditer(text))
    if _counts_up([step["number"] for step in steps]):
        yield from (step.span() for step in steps)


_STEP = re.compile(r"(?:^|(?<=[.;,])\s)step (?P<number>[0-9]+)[:.]", re.IGNORECASE)


def rows_of(text: str) -> list[list[Token]]:
    """Return the tokens of each sentence; those of a list of actions are one sentence, with a "then" for each mark."""
    marks = list(marks_of(text))
    if len(marks) < 2:  # "Step 2: ..." alone is after what?
        return list(sentences(text.replace("\n", " ")))
    row = list(tokens(text[: marks[0][0]].strip()))
    head = " ".join(token.key for token in row)
    if english.in_order(head) or (head.endswith(" :") and announced(head.removesuffix(" :"))):
        row = []
    for (begin, stop), end in zip(marks, [*(start for start, _ in marks[1:]), len(text)], strict=True):
        row += [Token("mark", ",", begin, begin)] if row else []
        row.append(Token("word", "then" if row else "first", begin, stop))
        own = [one for one in tokens(text[stop:end]) if one.kind != "line" and one.text not in ".):"]
        while own and own[-1].key in (",", ";", "and"):
            own.pop()
        row += [replace(one, start=one.start + stop, end=one.end + stop) for one in own]
    return [row]
