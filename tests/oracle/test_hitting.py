"""Hitting sets by python-sat and by Z3, against all subsets."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from planscope.oracle import marco
from planscope.oracle.marco import GaveUp, HittingSets, HittingSetsByHitman, HittingSetsByZ3


def by_hitman() -> HittingSets:
    found = pytest.importorskip("pysat.examples.hitman")
    return HittingSetsByHitman(found.Hitman(solver="g3", htype="sorted"))


EXACT = 4
"""Up to this size Z3 gives the smallest first."""

BOTH = pytest.mark.parametrize("make", [by_hitman, HittingSetsByZ3])


def minimal(hits: list[int], avoided: list[int], n: int) -> set[int]:
    """All sets that hit each and contain none of those to avoid, and that would not without one of their members."""
    every = [s for s in range(1 << n) if all(s & h for h in hits)]
    good = [s for s in every if not any(s & a == a for a in avoided)]
    return {s for s in good if not any(s & ~(1 << k) in every for k in range(n) if s >> k & 1)}


@BOTH
def test_each_minimal_set_comes_once_and_small_ones_first(make: Callable[[], HittingSets]) -> None:
    for seed in range(60):
        rng, sets = random.Random(seed), make()
        n = rng.randint(1, 9)
        hits = [rng.randint(1, (1 << n) - 1) for _ in range(rng.randint(0, 6))]
        avoided = [rng.randint(1, (1 << n) - 1) for _ in range(rng.randint(0, 3))]
        for mask in hits:
            sets.hit(mask)
        for mask in avoided:
            sets.avoid(mask)
        left = minimal(hits, avoided, n)
        sizes = []
        while (found := sets.next()) is not None:
            assert found in left, seed
            assert sets.floor <= min(s.bit_count() for s in left), seed
            assert sets.floor >= min(found.bit_count(), EXACT + 1), seed
            left.remove(found)
            sets.avoid(found)
            sizes.append(found.bit_count())
        assert not left, seed
        exact = sizes if make is by_hitman else [min(s, EXACT + 1) for s in sizes]
        assert exact == sorted(exact), seed


@BOTH
def test_large_sets_have_no_part_that_would_do(make: Callable[[], HittingSets]) -> None:
    sets, hits = make(), [1 << k | 1 << (k * k + 3) % 18 | 1 << (5 * k + 7) % 18 for k in range(18)]
    hits += [0b11 << 2 * k for k in range(9)]
    for mask in hits:
        sets.hit(mask)
    for _ in range(60):
        found = sets.next()
        assert found is not None and found.bit_count() > EXACT
        members = [1 << k for k in range(18) if found >> k & 1]
        assert all(found & hit for hit in hits)
        assert all(any(not (found ^ bit) & hit for hit in hits) for bit in members)
        sets.avoid(found)


@BOTH
def test_what_comes_to_be_hit_later_counts(make: Callable[[], HittingSets]) -> None:
    sets = make()
    assert sets.next() == 0 and sets.floor == 0
    sets.hit(0b0011)
    first = sets.next()
    assert first in (0b01, 0b10)
    sets.avoid(first or 0)
    sets.hit(0b1100)
    second = sets.next()
    assert second is not None and second.bit_count() == 2 and not second & (first or 0) and sets.floor == 2
    sets.avoid(0b0100)
    sets.avoid(0b1000)
    assert sets.next() is None and sets.next() is None


def test_python_sat_gives_the_smallest_at_any_size() -> None:
    """Six pairs to hit take six members, a seventh joins three: what is left over is larger."""
    sets = by_hitman()
    for k in range(6):
        sets.hit(0b11 << 2 * k)
    sizes = []
    for _ in range(64):
        found = sets.next()
        assert found is not None
        sizes.append(found.bit_count())
        sets.avoid(found)
    assert sizes == [6] * 64 and sets.next() is None


@BOTH
def test_a_smallest_set_of_four_comes_before_the_many_larger_ones(make: Callable[[], HittingSets]) -> None:
    """Four stars: the centre of each, or all of its points."""
    sets = make()
    for star in range(4):
        for point in range(1, 6):
            sets.hit(1 << 6 * star | 1 << 6 * star + point)
    sizes = []
    for _ in range(3):
        found = sets.next()
        assert found is not None
        sizes.append(found.bit_count())
        sets.avoid(found)
    assert sizes[0] == 4 and sizes[1] >= 8
    assert make is not by_hitman or sizes == [4, 8, 8]


def test_an_interrupt_reaches_the_solver() -> None:
    class Solver:
        interrupted = 0

        def interrupt(self) -> None:
            self.interrupted += 1

    class Hitman:
        oracle = Solver()

    HittingSetsByHitman(Hitman()).interrupt()
    assert Hitman.oracle.interrupted == 1


def test_an_interrupt_ends_the_search() -> None:
    sets = by_hitman()
    sets.hit(0b11)
    assert sets.next() is not None
    sets.interrupt()
    with pytest.raises(GaveUp):
        sets.next()


def test_z3_that_gives_up_says_so() -> None:
    sets = HittingSetsByZ3()
    sets.hit(0b11)
    sets._solver.set("rlimit", 1)
    with pytest.raises(GaveUp):
        sets.next()
    HittingSetsByZ3().interrupt()


def test_z3_stands_in_where_python_sat_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    by_hitman()
    assert isinstance(marco.hitting_sets(), HittingSetsByHitman)
    monkeypatch.setitem(__import__("sys").modules, "pysat.examples.hitman", None)
    assert isinstance(marco.hitting_sets(), HittingSetsByZ3)
