"""Finds private ranges of one string (hits), and decides between overlapping ones."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from planscope.errors import UserError
from planscope.safe.secret_names import PLACEHOLDER

Match = re.Match[str]
Span = tuple[int, int]
"""A place in a text, half-open."""

FILLER = "\x00"
"""The character that hides each character of a value that was found already."""

_SETTLED = re.compile(rf"{PLACEHOLDER.pattern}|{FILLER}+", re.IGNORECASE)
_SHORTEST_REST = 6
"""The fewest characters beside a placeholder that count as a value of their own."""

SHAPE, NAMED, PERSONAL, HOST, RANDOM = range(5)
"""Ranks of hits: found by its own shape, by the name before it, as personal, as a host, because it looks random."""


class RedactionError(UserError):
    """Redaction is impossible, or would change what a session says. The message is one line."""


class Hit(NamedTuple):
    """A private range of a string.

    ``strong``: the same text is private everywhere else, whatever is around it. ``edged``: elsewhere it counts only as
    a whole word (``10.0.0.1`` is not in ``10.0.0.12``). ``read``: the private value, where the text spells it
    differently, with escapes.
    """

    start: int
    end: int
    kind: str
    label: str
    rank: int = SHAPE
    strong: bool = True
    edged: bool = False
    read: str = ""


def settled_in(text: str) -> list[Span]:
    """The ranges of a text that are placeholders or covered values."""
    return [match.span() for match in _SETTLED.finditer(text)]


def beside_settled(hit: Hit, settled: Sequence[Span]) -> Iterator[Hit]:
    """Yield the parts of a hit that lie outside the settled ranges."""
    first = bisect_right(settled, hit.start, key=lambda span: span[1])
    start = hit.start
    for begin, end in settled[first:]:
        if begin >= hit.end:
            break
        if begin - start >= _SHORTEST_REST:
            yield hit._replace(start=start, end=begin, read="")
        start = max(start, end)
    if start == hit.start:
        yield hit
    elif hit.end - start >= _SHORTEST_REST:
        yield hit._replace(start=start, read="")


def settle(hits: Iterable[Hit]) -> list[Hit]:
    """Choose hits without overlaps: first by rank, then the longer one; a secret around smaller hits replaces them."""
    taken: list[Hit] = []  # sorted by place
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
    """Cover the hits in a text, which keeps its length. ``hits`` must not overlap (see :func:`settle`)."""
    parts, at = [], 0
    for hit in hits:
        parts += [text[at : hit.start], FILLER * (hit.end - hit.start)]
        at = hit.end
    return "".join([*parts, text[at:]])


def is_telling(value: str) -> bool:
    """Return whether a secret is unusual enough to be searched for in other texts: digits with letters or signs."""
    if value.isdigit():
        return len(value) >= 10
    return len(value) >= 8 and any(c.isdigit() for c in value)


def lower(text: str) -> str:
    """Convert to lower case of the same length: a letter that would become two stays as it is."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


@cache
def words(table: str, name: str) -> frozenset[str]:
    """Return one of the word lists in ``words.toml``."""
    return frozenset(data("words.toml")[table][name].split())


@cache
def data(name: str) -> dict[str, Any]:
    """Read a file of rules that ships with planscope."""
    return tomllib.loads((files("planscope.sharing") / "data" / name).read_text(encoding="utf-8"))
