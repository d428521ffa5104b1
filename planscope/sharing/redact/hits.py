"""A place in one string that is private, and which of several that overlap is meant."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from planscope.errors import UserError

PLACEHOLDER = re.compile(r"redacted_[a-z0-9_]{1,40}_[0-9]{1,6}", re.IGNORECASE)
"""What stands for a value that was replaced."""

FILLER = "\x00"
"""What stands for each character of a value that was found already."""

_SETTLED = re.compile(rf"{PLACEHOLDER.pattern}|{FILLER}+", re.IGNORECASE)
_SHORTEST_REST = 6
"""Characters beside a placeholder that count as a value of their own."""

SHAPE, NAMED, PERSONAL, HOST, RANDOM = range(5)
"""Ranks: told by its own shape, by the word before it, as personal, as a machine; by looking random alone."""


class RedactionError(UserError):
    """What was asked for cannot be redacted without changing what it says. One line."""


class Hit(NamedTuple):
    """A range of a string. ``strong``: the same text is private wherever else it stands, whatever is around it.

    ``edged``: elsewhere it counts only as a word of its own (``10.0.0.1`` is not in ``10.0.0.12``).
    """

    start: int
    end: int
    kind: str
    label: str
    rank: int = SHAPE
    strong: bool = True
    edged: bool = False


def settled_in(text: str) -> list[tuple[int, int]]:
    """Where a text holds placeholders, or values that were found already."""
    return [match.span() for match in _SETTLED.finditer(text)]


def beside_settled(hit: Hit, settled: Sequence[tuple[int, int]]) -> Iterator[Hit]:
    """The parts of a hit that are not replaced, or found, already."""
    first = bisect_right(settled, hit.start, key=lambda span: span[1])
    start = hit.start
    for begin, end in settled[first:]:
        if begin >= hit.end:
            break
        if begin - start >= _SHORTEST_REST:
            yield hit._replace(start=start, end=begin)
        start = max(start, end)
    if start == hit.start:
        yield hit
    elif hit.end - start >= _SHORTEST_REST:
        yield hit._replace(start=start)


def settle(hits: Iterable[Hit]) -> list[Hit]:
    """Hits that do not overlap, in order: by rank, the longer first; a secret around smaller ones takes their place."""
    taken: list[Hit] = []  # in order of places
    for hit in sorted(dict.fromkeys(hits), key=lambda h: (h.rank, h.start - h.end, h.start)):
        first = bisect_right(taken, hit.start, key=lambda t: t.end)
        last = bisect_left(taken, hit.end, key=lambda t: t.start)
        over = taken[first:last]
        if over:
            around = hit.start <= over[0].start and over[-1].end <= hit.end
            longer = hit.end - hit.start > max(t.end - t.start for t in over)
            if not (around and longer and hit.rank in (SHAPE, NAMED, RANDOM)):
                continue
        taken[first:last] = [hit]
    return taken


def cover(text: str, hits: Iterable[Hit]) -> str:
    """The text with what was hit filled, of the same length. ``hits`` as :func:`settle` gives them."""
    parts, at = [], 0
    for hit in hits:
        parts += [text[at : hit.start], FILLER * (hit.end - hit.start)]
        at = hit.end
    return "".join([*parts, text[at:]])


def is_telling(value: str) -> bool:
    """Whether a secret is odd enough to be looked for elsewhere."""
    plain = value.isalpha() and (value.islower() or value.istitle() or value.isupper())
    if value.isdigit():
        return len(value) >= 10
    return (len(value) >= 8 and not plain) or len(value) >= 16


def lower(text: str) -> str:
    """In lower case, of the same length: a letter that becomes two stays as it is."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


@cache
def words(table: str, name: str) -> frozenset[str]:
    """One of the lists of words that scanning goes by (``words.toml``)."""
    return frozenset(data("words.toml")[table][name].split())


@cache
def data(name: str) -> dict[str, Any]:
    """A file of rules that ships with planscope."""
    return tomllib.loads((files("planscope.sharing") / "data" / name).read_text(encoding="utf-8"))
