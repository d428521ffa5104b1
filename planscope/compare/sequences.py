"""Aligns two sequences: by the number of equal items (``common``), or by the weight of pairs (``heaviest``).

Both return pairs of indexes, rising in both sequences, the same for the same input. Ties are not broken symmetrically,
but with ``mirrored`` exchanging the sequences mirrors the result.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

Pair = tuple[int, int]
_Item = TypeVar("_Item")


def mirrored(
    turned: bool,
    match: Callable[[Sequence[_Item], Sequence[_Item]], list[Pair]],
    a: Sequence[_Item],
    b: Sequence[_Item],
) -> list[Pair]:
    """Return ``match(a, b)``, or if ``turned`` the mirrored ``match(b, a)``. Callers choose by an order of the two."""
    return [(i, j) for j, i in match(b, a)] if turned else match(a, b)


def filled(pairs: Iterable[Pair], size_a: int, size_b: int) -> Iterator[tuple[int | None, int | None]]:
    """Yield every index of both once: the pairs, and before each pair the indexes without a partner, those of ``a``
    first."""
    at_a = at_b = 0
    for i, j in [*pairs, (size_a, size_b)]:
        yield from ((k, None) for k in range(at_a, i))
        yield from ((None, k) for k in range(at_b, j))
        if (i, j) != (size_a, size_b):
            yield i, j
        at_a, at_b = i + 1, j + 1


def trim(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[int, int, int]:
    """Return the length of the common beginning, and where the common end begins in each. They do not overlap."""
    start, end_a, end_b = 0, len(a), len(b)
    while start < end_a and start < end_b and a[start] == b[start]:
        start += 1
    while end_a > start and end_b > start and a[end_a - 1] == b[end_b - 1]:
        end_a -= 1
        end_b -= 1
    return start, end_a, end_b


def ends(
    a: Sequence[Hashable], b: Sequence[Hashable], middle: Callable[[slice, slice], Iterable[Pair]]
) -> list[Pair]:
    """Pair the common beginning and end of both, and between them what ``middle`` pairs, counted from there."""
    start, end_a, end_b = trim(a, b)
    between = middle(slice(start, end_a), slice(start, end_b))
    pairs = [(k, k) for k in range(start)] + [(start + i, start + j) for i, j in between]
    return pairs + [(end_a + k, end_b + k) for k in range(len(a) - end_a)]


def common(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Pair]:
    """Return a longest common subsequence. Ties go to the earliest indexes.

    The algorithm is bit-parallel (Crochemore et al. 2001, Hyyrö 2004): a row of the table is one integer, in which a 0
    marks each item of ``b`` at which one more item of ``a`` makes it longer. So 20,000 by 20,000 items take a tenth of
    a second, and 50 MB.
    """
    return ends(a, b, lambda in_a, in_b: _common(a[in_a], b[in_b]))


def _common(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Pair]:
    where: dict[Hashable, int] = {}
    for i, item in enumerate(a):
        where[item] = where.get(item, 0) | 1 << i
    full = (1 << len(a)) - 1
    rows = [full]
    for item in b:
        met = rows[-1] & where.get(item, 0)
        rows.append((rows[-1] + met | rows[-1] - met) & full)
    pairs: list[Pair] = []
    i, j = len(a), len(b)
    while i and j:
        bit = 1 << (i - 1)
        if rows[j] & bit:
            i -= 1
        elif not rows[j - 1] & bit:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]


def heaviest(
    a: Sequence[_Item],
    b: Sequence[_Item],
    kind: Callable[[_Item], Hashable],
    weight: Callable[[_Item, _Item], int],
) -> list[Pair]:
    """Return the pairs that weigh most together. Ties go to the earliest indexes.

    Items of one ``kind`` may be paired; ``weight`` is above 0. The time is quadratic, but an item costs only a copy and
    its partners.
    """
    partners: dict[Hashable, list[int]] = {}
    for j, other in enumerate(b):
        partners.setdefault(kind(other), []).append(j)
    best = [0] * (len(b) + 1)  # best[j]: the greatest weight of the items so far with the first j of b
    table = [best]
    for item in a:
        now = best
        for j in partners.get(kind(item), ()):
            total = best[j] + weight(item, b[j])
            if now[j + 1] < total:
                now = now.copy() if now is best else now
                end = bisect_left(now, total, j + 1)
                now[j + 1 : end] = [total] * (end - j - 1)
        table.append(now)
        best = now
    pairs: list[Pair] = []
    i, j = len(a), len(b)
    while i and j:
        if table[i][j] == table[i - 1][j]:
            i -= 1
        elif table[i][j] == table[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]


def paired(
    a: Sequence[_Item],
    b: Sequence[_Item],
    kind: Callable[[_Item], Hashable],
    weight: Callable[[_Item, _Item], int],
    anchors: Sequence[Callable[[_Item], Hashable]],
    fits: Callable[[int], bool],
) -> list[Pair]:
    """Pair as ``heaviest`` does, but sequences of any length. Items that are equal by the first anchor weigh most.

    ``fits`` says whether so many pairs may be compared. If not, items that are equal by the first of ``anchors`` are
    paired first, between such pairs items that are equal by the next one, and the rest in order.
    """
    if len(a) == len(b) == 1:
        return [(0, 0)] if kind(a[0]) == kind(b[0]) else []

    def between(x: Sequence[_Item], y: Sequence[_Item], depth: int) -> list[Pair]:
        if fits(len(x) * len(y)):
            return heaviest(x, y, kind, weight)
        if depth == len(anchors):
            return [
                (k, k) for k, (one, other) in enumerate(zip(x, y, strict=False)) if kind(one) == kind(other)
            ]
        by = anchors[depth]
        pairs: list[Pair] = []
        at_x = at_y = 0
        for i, j in [*common([by(one) for one in x], [by(one) for one in y]), (len(x), len(y))]:
            pairs += [(at_x + k, at_y + m) for k, m in between(x[at_x:i], y[at_y:j], depth + 1)]
            pairs.append((i, j))
            at_x, at_y = i + 1, j + 1
        return pairs[:-1]

    equal = anchors[0]
    return ends([equal(x) for x in a], [equal(y) for y in b], lambda x, y: between(a[x], b[y], 0))
