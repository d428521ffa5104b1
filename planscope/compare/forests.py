"""Outlines as trees, and how near two of them are: whole branches are added or gone, lines changed (Selkow 1977).

Below every line equal branches come first: as many lines as possible stay in branches that are the same, and only then
it counts how much is changed in the others. Else a sentence that was taken out would look like one that was rewritten
into the next, and that into the one after it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from planscope.compare.sequences import Pair, common, heaviest, trim

FEW_PAIRS = 64
MOST_PAIRS = 2_500
"""Branches of one line times branches of the other that are all looked at, wherever that is, and in all more than
those. Beyond it, equal ones are put together first, then those of the same shape, then the others by their order."""


_EQUAL = 1 << 40
"""What a line in an equal branch weighs, against 1 for one that is spared otherwise."""


@dataclass(slots=True)
class Branch:
    """A line with what is below it. Lines of one ``kind`` may be matched; ``value`` says whether they are the same.

    ``size``: lines, its own included. ``whole`` and ``shape`` are equal for equal branches, and for branches that are
    equal but for their words.
    """

    index: int
    kind: Hashable
    value: Hashable
    worded: bool
    below: list[Branch] = field(default_factory=list)
    size: int = 1
    whole: int = -1
    shape: int = -1


class Forests:
    """Compares branches that were numbered by the same object. Costs: 1 a line that is added, gone or changed."""

    def __init__(self) -> None:
        self.minimal = True
        self._left = MOST_PAIRS
        self._numbers: dict[tuple[object, ...], int] = {}
        self._distances: dict[Pair, int] = {}

    def number(self, branch: Branch) -> None:
        """Fill in ``size``, ``whole`` and ``shape``; what is below has been numbered."""
        branch.size = 1 + sum(one.size for one in branch.below)
        named = (branch.kind, branch.value)
        branch.whole = self._number(("whole", *named, *(one.whole for one in branch.below)))
        known = (branch.kind, None) if branch.worded else named
        branch.shape = self._number(("shape", *known, *(one.shape for one in branch.below)))

    def _number(self, key: tuple[object, ...]) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def distance(self, a: Branch, b: Branch) -> int:
        """The cost of making the one of the other as ``matched`` says; their kinds are the same."""
        if a.whole == b.whole:
            return 0
        key = (a.whole, b.whole)
        found = self._distances.get(key)
        if found is None:
            found = int(a.value != b.value) + sum(x.size for x in a.below) + sum(y.size for y in b.below)
            found -= sum(self._saved(a.below[i], b.below[j]) for i, j in self.matched(a.below, b.below))
            self._distances[key] = found
        return found

    def _saved(self, a: Branch, b: Branch) -> int:
        """How much less it costs to match two than to take one away and add the other."""
        return a.size + b.size - self.distance(a, b) if a.kind == b.kind else 0

    def matched(self, a: Sequence[Branch], b: Sequence[Branch]) -> list[Pair]:
        """Which branches are matched, by their places; of several best ways the one with the earliest pairs."""
        if len(a) == len(b) == 1:
            return [(0, 0)] if a[0].kind == b[0].kind else []
        start, end_a, end_b = trim([x.whole for x in a], [y.whole for y in b])
        inner = self._matched(a[start:end_a], b[start:end_b], (attrgetter("whole"), attrgetter("shape")))
        same_start = [(k, k) for k in range(start)]
        same_end = [(end_a + k, end_b + k) for k in range(len(a) - end_a)]
        return [*same_start, *((start + i, start + j) for i, j in inner), *same_end]

    def _matched(
        self, a: Sequence[Branch], b: Sequence[Branch], anchors: Sequence[Callable[[Branch], int]]
    ) -> list[Pair]:
        """Where there are too many to look at all, what is equal by the first of ``anchors`` is put together first."""
        looked_at = len(a) * len(b)
        if looked_at <= FEW_PAIRS or looked_at <= self._left:
            self._left -= looked_at if looked_at > FEW_PAIRS else 0
            return heaviest(len(a), len(b), lambda i: self._weights(a[i], b))
        self.minimal = False
        if not anchors:
            return [(k, k) for k, (x, y) in enumerate(zip(a, b, strict=False)) if x.kind == y.kind]
        by, *others = anchors
        pairs: list[Pair] = []
        at_a = at_b = 0
        for i, j in [*common([by(x) for x in a], [by(y) for y in b]), (len(a), len(b))]:
            between = self._matched(a[at_a:i], b[at_b:j], others)
            pairs += [(at_a + k, at_b + m) for k, m in between]
            pairs.append((i, j))
            at_a, at_b = i + 1, j + 1
        return pairs[:-1]

    def _weights(self, one: Branch, others: Sequence[Branch]) -> Iterator[Pair]:
        for j, other in enumerate(others):
            weight = _EQUAL * one.size if one.whole == other.whole else self._saved(one, other)
            if weight > 0:
                yield j, weight
