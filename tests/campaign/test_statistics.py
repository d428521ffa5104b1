"""The statistics, against published values, enumeration and simulation."""

from __future__ import annotations

import random
from itertools import product

import pytest

from planscope.campaign.statistics import Pairs, _correlation, mcnemar, needed, paired_interval, power_of


@pytest.mark.parametrize(("b", "c"), [(0, 0), (0, 1), (1, 1), (3, 9), (5, 15), (2, 6), (7, 7)])
def test_mcnemar_is_the_share_of_coin_throws_as_far_from_even(b: int, c: int) -> None:
    throws = list(product((0, 1), repeat=min(b + c, 14)))
    if b + c > 14:
        assert mcnemar(b, c) == pytest.approx(0.04138946533203125)
        return
    far = [t for t in throws if abs(2 * sum(t) - len(t)) >= abs(b - c)]
    assert mcnemar(b, c) == pytest.approx(len(far) / len(throws))


def test_mcnemar_of_many_pairs() -> None:
    assert mcnemar(600, 400) == pytest.approx(mcnemar(400, 600))
    assert mcnemar(500, 501) == pytest.approx(1.0, abs=1e-9)
    assert mcnemar(499, 500) == pytest.approx(1.0, abs=0.03)
    assert 1e-11 < mcnemar(400, 600) < 1e-9


def test_newcombes_example() -> None:
    """Newcombe (1998), and Altman et al., Statistics with Confidence (2000): 0.20, interval from 0.0562."""
    low, high = paired_interval(Pairs(both=20, only_a=2, only_b=12, neither=16))
    assert (low, high) == (pytest.approx(0.0562, abs=5e-5), pytest.approx(0.329, abs=5e-4))
    swapped = paired_interval(Pairs(both=20, only_a=12, only_b=2, neither=16))
    assert swapped == (pytest.approx(-high), pytest.approx(-low))


def test_intervals_of_extreme_tables() -> None:
    assert paired_interval(Pairs(0, 0, 0, 0)) == (-1.0, 1.0)
    for table in product((0, 1, 30), repeat=4):
        pairs = Pairs(*table)
        low, high = paired_interval(pairs)
        assert -1 <= low <= pairs.difference + 1e-12
        assert pairs.difference - 1e-12 <= high <= 1


def draw(chance: random.Random, difference: float, discordant: float) -> Pairs:
    counts = [0, 0, 0, 0]
    up, down = (discordant + difference) / 2, (discordant - difference) / 2
    for _ in range(120):
        x = chance.random()
        counts[2 if x < up else 1 if x < up + down else 0 if x < 0.75 else 3] += 1
    return Pairs(*counts)


def test_equal_arms_are_rarely_called_different() -> None:
    chance = random.Random(1)
    drawn = [draw(chance, 0.0, 0.4) for _ in range(2000)]
    assert sum(mcnemar(p.only_a, p.only_b) < 0.05 for p in drawn) / 2000 <= 0.05
    inside = sum(low <= 0 <= high for low, high in map(paired_interval, drawn)) / 2000
    assert 0.94 <= inside <= 0.985


def test_the_power_is_what_simulation_finds() -> None:
    chance = random.Random(2)
    found = [mcnemar(p.only_a, p.only_b) < 0.05 for p in (draw(chance, 0.15, 0.4) for _ in range(2000))]
    assert sum(found) / 2000 == pytest.approx(power_of(120, 0.15, 0.4), abs=0.03)


@pytest.mark.parametrize(
    ("difference", "discordant"), [(0.1, 0.5), (0.1, 0.2), (0.3, 0.3), (0.9, 0.9), (0.05, 0.1)]
)
def test_the_planned_size_has_its_power(difference: float, discordant: float) -> None:
    size = needed(difference, discordant)
    assert power_of(size, difference, discordant) >= 0.8
    assert power_of(max(1, int(size * 0.85) - 2), difference, discordant) < 0.8
    with pytest.raises(ValueError, match="more than 0"):
        needed(0.0, 0.5)


def test_the_correlation_is_corrected_towards_none() -> None:
    assert _correlation(1, 0, 0, 1) == 0.0  # the correction is as large as the product
    assert _correlation(3, 0, 0, 3) == pytest.approx((9 - 3) / 9)
    assert _correlation(0, 3, 3, 0) == -1.0 and _correlation(2, 2, 0, 0) == 0.0
