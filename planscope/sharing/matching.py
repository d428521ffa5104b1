"""Where any of many known texts stands in another. The time grows with the text, not with the number of known ones."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate

HEAD = 4
"""Characters by which candidates are found; no known text is shorter."""

_FEW = 300
"""Up to so many known texts it is quicker to ask for each whether it is there at all."""


class Matcher:
    """Finds texts, given in lower case. Those in ``words`` count only as words, those in ``names`` as whole names."""

    def __init__(self, known: Collection[str], words: Collection[str], names: Collection[str]) -> None:
        self._known = frozenset(known)
        self._words, self._names = frozenset(words), frozenset(names)
        sizes: dict[str, set[int]] = {}
        for text in self._known:
            sizes.setdefault(text[:HEAD], set()).add(len(text))
        self._sizes = {head: sorted(found, reverse=True) for head, found in sizes.items()}

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and the known text, the longest at each place; they do not overlap."""
        lowered = lower(text)
        if len(self._known) <= _FEW and not any(known in lowered for known in self._known):
            return
        at = 0
        for start in range(len(lowered) - HEAD + 1):
            sizes = self._sizes.get(lowered[start : start + HEAD])
            if sizes is None or start < at:
                continue
            for size in sizes:
                known = lowered[start : start + size]
                if known in self._known and self._stands_alone(known, lowered, start):
                    yield start, start + size, known
                    at = start + size
                    break

    def touched(self, texts: Sequence[str]) -> set[str]:
        """Those of many texts in which a known one may stand, found in one go."""
        if not self._known:
            return set()
        starts = [0, *accumulate(len(text) + 1 for text in texts)]
        found: set[str] = set()
        for start, end, _ in self.find("\n".join(texts)):
            found.update(texts[bisect_right(starts, start) - 1 : bisect_left(starts, end)])
        return found

    def _stands_alone(self, known: str, text: str, start: int) -> bool:
        around = text[max(0, start - 1) : start], text[start + len(known) : start + len(known) + 1]
        if known in self._names:
            return not any(c.isascii() and (c.isalnum() or c in "_-") for c in around if c)
        return known not in self._words or not any(c.isascii() and c.isalnum() for c in around if c)


def lower(text: str) -> str:
    """In lower case, of the same length: a letter that becomes two stays as it is."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
