"""The calls of two runs beside each other, at the least cost: 0 a same call, 1 a changed one, 2 one without a partner.

Attempts (what is between two restarts) are kept together: each stands beside one of the other run or beside none, so
that what an agent tried and gave up is not taken for what it did in the end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from planscope.compare.calls import Key, changes
from planscope.compare.result import ArgumentChange, CallDiff, CallRow, StepSide
from planscope.compare.sequences import Pair, common, heaviest, trim

CHANGED, ALONE = 1, 2
_SAME, _CHANGED = 2 * ALONE, 2 * ALONE - CHANGED  # what is spared by not having the two alone
MOST_CELLS = 4_000_000
MOST_ATTEMPTS = 2_500
"""Calls, and attempts, of the one times those of the other that are all looked at; beyond it, equal ones are put
together first."""

Attempts = list[list[int]]
"""The indexes of the steps of each."""


@dataclass(slots=True)
class _Pairing:
    """Which steps are beside each other, which of the others were moved where, and which attempts go together."""

    pairs: list[Pair] = field(default_factory=list)
    moved: list[Pair] = field(default_factory=list)
    attempts: list[Pair] = field(default_factory=list)
    minimal: bool = True

    def turned(self) -> _Pairing:
        pairs, moved, attempts = (
            [(j, i) for i, j in some] for some in (self.pairs, self.moved, self.attempts)
        )
        return _Pairing(pairs, moved, attempts, self.minimal)


def align(
    a: Sequence[StepSide],
    b: Sequence[StepSide],
    keys_a: Mapping[int, Key],
    keys_b: Mapping[int, Key],
    kept: int = 0,
) -> CallDiff:
    """The first ``kept`` calls of both are the same ones and stay beside each other."""
    in_a, in_b = _attempts(a), _attempts(b)
    # with one order for both, swapping the runs mirrors what comes out
    if _order(b, keys_b) < _order(a, keys_a):
        found = _Aligner(keys_b, keys_a, kept).pair(in_b, in_a).turned()
    else:
        found = _Aligner(keys_a, keys_b, kept).pair(in_a, in_b)
    attempts = list(_filled(found.attempts, len(in_a), len(in_b)))
    rows = _Rows(a, b, keys_a, keys_b, found)
    made = [
        row
        for p, q in attempts
        for row in rows.of([] if p is None else in_a[p], [] if q is None else in_b[q])
    ]
    cost = CHANGED * sum(row.change == "changed" for row in made)
    cost += ALONE * sum(row.a is None or row.b is None for row in made)
    counted = tuple((None if p is None else p + 1, None if q is None else q + 1) for p, q in attempts)
    return CallDiff(tuple(made), counted, cost, found.minimal)


class _Rows:
    def __init__(
        self,
        a: Sequence[StepSide],
        b: Sequence[StepSide],
        keys_a: Mapping[int, Key],
        keys_b: Mapping[int, Key],
        found: _Pairing,
    ) -> None:
        self._a, self._b, self._keys_a, self._keys_b = a, b, keys_a, keys_b
        self._beside, self._to = dict(found.pairs), dict(found.moved)
        self._from = {j: i for i, j in found.moved}

    def of(self, in_a: Sequence[int], in_b: Sequence[int]) -> Iterator[CallRow]:
        """Of one attempt: what is beside each other, and before each such row what stands alone."""
        place = {j: q for q, j in enumerate(in_b)}
        pairs = [(p, place[self._beside[i]]) for p, i in enumerate(in_a) if i in self._beside]
        for p, q in _filled(pairs, len(in_a), len(in_b)):
            yield self._row(None if p is None else in_a[p], None if q is None else in_b[q])

    def _row(self, i: int | None, j: int | None) -> CallRow:
        if i is not None and j is not None:
            same = self._keys_a[i].whole == self._keys_b[j].whole
            return CallRow("same" if same else "changed", i, j, None, self._changes(i, j))
        if i is not None:
            partner = self._to.get(i)
            if partner is not None:
                return CallRow("moved", i, None, partner, self._changes(i, partner))
            return CallRow("gone", i, None)
        assert j is not None
        partner = self._from.get(j)
        if partner is not None:
            return CallRow("moved", None, j, partner, self._changes(partner, j))
        return CallRow("added", None, j)

    def _changes(self, i: int, j: int) -> tuple[ArgumentChange, ...]:
        one, other = self._a[i].call, self._b[j].call
        assert one is not None and other is not None
        return tuple(changes(one, other))


def _attempts(steps: Sequence[StepSide]) -> Attempts:
    found: Attempts = [[] for _ in range(max((step.attempt for step in steps), default=1))]
    for step in steps:
        if step.call is not None:
            found[step.attempt - 1].append(step.index)
    return found


def _order(steps: Sequence[StepSide], keys: Mapping[int, Key]) -> list[tuple[str, str]]:
    return [(step.call.tool, keys[step.index].whole[1]) for step in steps if step.call is not None]


class _Aligner:
    def __init__(self, keys_a: Mapping[int, Key], keys_b: Mapping[int, Key], kept: int) -> None:
        self._keys_a, self._keys_b, self._kept = keys_a, keys_b, kept

    def pair(self, a: Attempts, b: Attempts) -> _Pairing:
        self.found = found = _Pairing()
        begun = max((k for k, attempt in enumerate(a, 1) if attempt and attempt[0] <= self._kept), default=0)
        found.attempts = [(k, k) for k in range(begun)]
        found.attempts += [(begun + p, begun + q) for p, q in self._beside(a[begun:], b[begun:])]
        for p, q in found.attempts:
            self._calls(a[p], b[q])
        return found

    def _beside(self, a: Attempts, b: Attempts) -> list[Pair]:
        """Which attempts go together: so that the calls in them cost least, and then as many as possible."""
        if len(a) == len(b) == 1:
            return [(0, 0)]
        wholes_a = [tuple(self._keys_a[i].whole for i in attempt) for attempt in a]
        wholes_b = [tuple(self._keys_b[j].whole for j in attempt) for attempt in b]
        cells = sum(map(len, a)) * sum(map(len, b))
        if len(a) * len(b) > MOST_ATTEMPTS or cells > MOST_CELLS:
            self.found.minimal = False
            return list(_anchored(wholes_a, wholes_b, lambda i, j: zip(i, j, strict=False)))
        many = len(a) + len(b)

        def weights(p: int) -> Iterator[tuple[int, int]]:
            for q, other in enumerate(b):
                yield q, 1 + many * self._weight(a[p], other)

        return heaviest(len(a), len(b), weights)

    def _weight(self, a: Sequence[int], b: Sequence[int]) -> int:
        """What is spared by putting two attempts beside each other."""
        same = (self._keys_a[i].whole == self._keys_b[j].whole for i, j in self._matched(a, b))
        return sum(_SAME if one else _CHANGED for one in same)

    def _calls(self, a: Sequence[int], b: Sequence[int]) -> None:
        """Pair the calls of two attempts; what is left over and in both was moved."""
        pairs = self._matched(a, b)
        taken_a, taken_b = {i for i, _ in pairs}, {j for _, j in pairs}
        left_a = [i for i in a if i not in taken_a]
        left_b = [j for j in b if j not in taken_b]
        self.found.pairs += pairs
        for by in (attrgetter("whole"), attrgetter("action")):
            moved = _in_turn(left_a, left_b, lambda i: by(self._keys_a[i]), lambda j: by(self._keys_b[j]))  # noqa: B023
            gone_a, gone_b = {i for i, _ in moved}, {j for _, j in moved}
            left_a, left_b = [i for i in left_a if i not in gone_a], [j for j in left_b if j not in gone_b]
            self.found.moved += moved

    def _matched(self, a: Sequence[int], b: Sequence[int]) -> list[Pair]:
        """Pairs of steps that are beside each other."""
        wholes_a, wholes_b = [self._keys_a[i].whole for i in a], [self._keys_b[j].whole for j in b]
        start, end_a, end_b = trim(wholes_a, wholes_b)
        pairs = list(zip(a[:start], b[:start], strict=True))
        pairs += self._best(a[start:end_a], b[start:end_b])
        return pairs + list(zip(a[end_a:], b[end_b:], strict=True))

    def _best(self, a: Sequence[int], b: Sequence[int]) -> list[Pair]:
        if len(a) * len(b) > MOST_CELLS:
            self.found.minimal = False
            wholes_a, wholes_b = [self._keys_a[i].whole for i in a], [self._keys_b[j].whole for j in b]
            places = _anchored(wholes_a, wholes_b, lambda i, j: self._alike(a, b, i, j))
            return [(a[i], b[j]) for i, j in places]
        of_action: dict[str, list[int]] = defaultdict(list)
        of_whole: dict[Hashable, set[int]] = defaultdict(set)
        for column, j in enumerate(b):
            of_action[self._keys_b[j].action].append(column)
            of_whole[self._keys_b[j].whole].add(column)

        def matches(row: int) -> list[tuple[int, int]]:
            key = self._keys_a[a[row]]
            equal = of_whole.get(key.whole, ())
            return [(k, _SAME if k in equal else _CHANGED) for k in of_action.get(key.action, ())]

        return [(a[i], b[j]) for i, j in heaviest(len(a), len(b), matches)]

    def _alike(self, a: Sequence[int], b: Sequence[int], i: range, j: range) -> list[Pair]:
        """Calls of the same action between two calls that are the same."""
        actions_a, actions_b = [self._keys_a[a[k]].action for k in i], [self._keys_b[b[m]].action for m in j]
        return [(i[k], j[m]) for k, m in common(actions_a, actions_b)]


def _in_turn(
    a: Sequence[int], b: Sequence[int], key_a: Callable[[int], Hashable], key_b: Callable[[int], Hashable]
) -> list[Pair]:
    """The first of a key with the first of it, the second with the second."""
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for j in reversed(b):
        waiting[key_b(j)].append(j)
    return [(i, waiting[key].pop()) for i in a if waiting.get(key := key_a(i))]


def _anchored(
    a: Sequence[Hashable], b: Sequence[Hashable], between: Callable[[range, range], Iterable[Pair]]
) -> Iterator[Pair]:
    """What is equal, and between two such what ``between`` finds there."""
    at_a = at_b = 0
    for i, j in [*common(a, b), (len(a), len(b))]:
        yield from between(range(at_a, i), range(at_b, j))
        if i < len(a):
            yield i, j
        at_a, at_b = i + 1, j + 1


def _filled(pairs: Sequence[Pair], size_a: int, size_b: int) -> Iterator[tuple[int | None, int | None]]:
    """Every place of both once: the pairs, and before each what stands alone, that of ``a`` first."""
    at_a = at_b = 0
    for i, j in [*pairs, (size_a, size_b)]:
        yield from ((k, None) for k in range(at_a, i))
        yield from ((None, k) for k in range(at_b, j))
        if (i, j) != (size_a, size_b):
            yield i, j
        at_a, at_b = i + 1, j + 1
