"""Two sequences with as much as possible in common: by number of equal items, and by the weight of pairs.

Both give index pairs, rising in both sequences, and the same for the same input. They are not symmetric where there is
a choice: callers put the two in an order of their own first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Sequence

Pair = tuple[int, int]

_MOST_BITS = 8 * 32 * 2**20
"""Bits of a table that is kept at once; a larger one is cut in two, and its halves are looked at on their own."""


def common(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Pair]:
    """A longest common subsequence, the earliest places where there are several.

    Bit-parallel (Crochemore et al. 2001, Hyyrö 2004): a row of the table is one integer, in which a 0 stands where
    one item more of ``a`` makes it longer. So 20,000 by 20,000 items take a tenth of a second.
    """
    start, end_a, end_b = trim(a, b)
    middle = _common(a[start:end_a], b[start:end_b])
    behind = len(a) - end_a
    return [
        *((k, k) for k in range(start)),
        *((start + i, start + j) for i, j in middle),
        *((end_a + k, end_b + k) for k in range(behind)),
    ]


def trim(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[int, int, int]:
    """The length of the common beginning, and where the common end begins in each; the two do not overlap."""
    start, end_a, end_b = 0, len(a), len(b)
    while start < end_a and start < end_b and a[start] == b[start]:
        start += 1
    while end_a > start and end_b > start and a[end_a - 1] == b[end_b - 1]:
        end_a -= 1
        end_b -= 1
    return start, end_a, end_b


def _common(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Pair]:
    if not a or not b:
        return []
    if len(a) * len(b) > _MOST_BITS and len(b) > 1:
        half = len(b) // 2
        cut = _best_cut(a, b, half)
        behind = _common(a[cut:], b[half:])
        return _common(a[:cut], b[:half]) + [(cut + i, half + j) for i, j in behind]
    rows = _rows(a, b)
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


def _rows(a: Sequence[Hashable], b: Iterable[Hashable], all_rows: bool = True) -> list[int]:
    """Row j, or the last one only: bit i is 0 where ``a[:i + 1]`` has more in common with ``b[:j]`` than ``a[:i]``."""
    where: dict[Hashable, int] = {}
    for i, item in enumerate(a):
        where[item] = where.get(item, 0) | 1 << i
    full = (1 << len(a)) - 1
    row, rows = full, [full]
    for item in b:
        mask = where.get(item)
        if mask is not None:
            met = row & mask
            row = (row + met | row - met) & full
        if all_rows:
            rows.append(row)
    return rows if all_rows else [row]


def _best_cut(a: Sequence[Hashable], b: Sequence[Hashable], half: int) -> int:
    """Where ``a`` is to be cut so that its parts have most in common with the halves of ``b`` (Hirschberg 1975)."""
    size = len(a)
    forward = f"{_rows(a, b[:half], all_rows=False)[0]:0{size}b}"[::-1]
    backward = f"{_rows(a[::-1], b[: half - 1 : -1], all_rows=False)[0]:0{size}b}"
    before, behind = 0, backward.count("0")
    best, cut = behind, 0
    for i in range(size):
        before += forward[i] == "0"
        behind -= backward[i] == "0"
        if before + behind > best:
            best, cut = before + behind, i + 1
    return cut


def heaviest(rows: int, columns: int, matches: Callable[[int], Iterable[tuple[int, int]]]) -> list[Pair]:
    """The pairs that weigh most together, the earliest places where there are several.

    ``matches(i)`` gives the columns that row ``i`` may be paired with, rising, each with a weight above 0.
    Quadratic, but a row costs a copy and what it has matches.
    """
    best = [0] * (columns + 1)  # best[j]: the weight of the rows so far with the first j columns
    table = [best]
    for i in range(rows):
        now = best
        for j, weight in matches(i):
            total = best[j] + weight
            if now[j + 1] < total:
                now = now.copy() if now is best else now
                end = bisect_left(now, total, j + 1)
                now[j + 1 : end] = [total] * (end - j - 1)
        table.append(now)
        best = now
    pairs: list[Pair] = []
    i, j = rows, columns
    while i and j:
        if table[i][j] == table[i - 1][j]:
            i -= 1
        elif table[i][j] == table[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]
