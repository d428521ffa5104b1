"""A place in one string that is private, and which of several that overlap is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

PLACEHOLDER = re.compile(r"redacted_[a-z0-9_]{1,40}_[0-9]{1,6}", re.IGNORECASE)
"""What stands for a value that was replaced."""

_SHORTEST_REST = 6
"""Characters beside a placeholder that count as a value of their own."""

SHAPE, NAMED, PERSONAL, HOST, RANDOM = range(5)
"""Ranks: told by its own shape, by the word before it, as personal, as a machine; by looking random alone."""


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


def beside_placeholders(hit: Hit, text: str) -> Iterator[Hit]:
    """The parts of a hit that are not replaced already."""
    found = PLACEHOLDER.search(text, hit.start, hit.end)
    if found is None:
        yield hit
        return
    start = hit.start
    for placeholder in PLACEHOLDER.finditer(text, hit.start, hit.end):
        if placeholder.start() - start >= _SHORTEST_REST:
            yield hit._replace(end=placeholder.start(), start=start)
        start = placeholder.end()
    if hit.end - start >= _SHORTEST_REST:
        yield hit._replace(start=start)


def settle(hits: Iterable[Hit]) -> list[Hit]:
    """Hits that do not overlap, in order: by rank, the longer first; a secret around smaller ones takes their place."""
    taken: list[Hit] = []
    for hit in sorted(hits, key=lambda h: (h.rank, h.start - h.end, h.start)):
        over = [t for t in taken if t.start < hit.end and hit.start < t.end]
        if over:
            around = all(hit.start <= t.start and t.end <= hit.end for t in over)
            longer = hit.end - hit.start > max(t.end - t.start for t in over)
            if not (around and longer and hit.rank in (SHAPE, NAMED, RANDOM)):
                continue
            taken = [t for t in taken if t not in over]
        taken.append(hit)
    return sorted(taken)
