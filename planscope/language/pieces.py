"""Text cut into pieces (words, clock times, single marks), and phrases found among them by longest match."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

_PIECE = re.compile(r"[0-9]+(?::[0-9]+)+(?!\w)|[\w\u0300-\u036f]+|[^\w\s]")
_SAME = str.maketrans({"\u2019": "'", "\u2018": "'", "\u2010": "-", "\u2011": "-"})

T = TypeVar("T")


class Piece(NamedTuple):
    """``key`` is for comparing: casefolded, composed. ``glued``: no white space before it."""

    start: int
    end: int
    key: str
    glued: bool


def _key(text: str) -> str:
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFC", text).casefold()
    return unicodedata.normalize("NFC", folded).translate(_SAME)


def cut(text: str, start: int = 0, end: int | None = None) -> Iterator[Piece]:
    """The pieces of a text, lazily; every character that is not white space is in exactly one."""
    last = -1
    for match in _PIECE.finditer(text, start, len(text) if end is None else end):
        begin = match.start()
        yield Piece(begin, match.end(), _key(match[0]), begin == last)
        last = match.end()


def phrase_key(text: str) -> tuple[str, ...]:
    """What a phrase is compared by: equal for texts that differ in case and in the width of white space only."""
    return tuple(_step(piece, i) for i, piece in enumerate(cut(text)))


def _step(piece: Piece, place: int) -> str:
    """The key of a piece inside a phrase, where it matters whether white space stands before it."""
    return piece.key if place == 0 or piece.glued else " " + piece.key


class Phrases(Generic[T]):
    """A set of phrases with what each means, for finding the longest one that begins at a place."""

    def __init__(self) -> None:
        self._root: dict[str | None, Any] = {}

    def add(self, key: Sequence[str], meaning: T) -> T:
        """Add a phrase (see ``phrase_key``) unless it is there; the meaning that it has now."""
        node = self._root
        for step in key:
            node = node.setdefault(step, {})
        found: T = node.setdefault(None, meaning)
        return found

    def has(self, key: Sequence[str]) -> bool:
        """Whether there is exactly this phrase."""
        node: dict[str | None, Any] | None = self._root
        for step in key:
            node = node.get(step) if node is not None else None
        return node is not None and None in node

    def longest(self, pieces: Sequence[Piece], at: int, end: int | None = None) -> tuple[int, T | None]:
        """The number of pieces of the longest phrase at place ``at`` that ends by ``end``, and its meaning."""
        node = self._root.get(pieces[at].key)
        best: tuple[int, T | None] = (0, None)
        i, stop = at + 1, len(pieces) if end is None else end
        while node is not None:
            if None in node:
                best = (i - at, node[None])
            if i >= stop:
                break
            piece = pieces[i]
            node = node.get(piece.key if piece.glued else " " + piece.key)
            i += 1
        return best
