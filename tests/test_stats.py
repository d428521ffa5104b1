"""Each formula of statistics: against SciPy on random input, or published values, enumeration and simulation."""

from __future__ import annotations

import random
from functools import cache
from itertools import product
from math import log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.campaign.paired import Pairs
from planscope.stats import (
    _UNSEEN,
    Z80,
    Z95,
    _correlation,
    beta_binomial,
    chao1,
    chao1_interval,
    chao1_upper,
    entropy,
    fisher,
    mcnemar,
    needed,
    paired_interval,
    power_of,
    wilson,
)
from tests.nightly import WANTED

LARGE = st.integers(0, 3000)
GROUP = st.integers(0, 300).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))


@cache
def reference() -> Any:
    """SciPy's statistics, imported by the first test that asks: all workers import this file."""
    import scipy.stats

    return scipy.stats


def test_the_quantiles() -> None:
    assert reference().norm.ppf(0.975) == pytest.approx(Z95, abs=1e-15)
    assert reference().norm.ppf(0.8) == pytest.approx(Z80, abs=1e-15)


@given(LARGE, LARGE)
def test_wilson_as_scipy_has_it(hits: int, misses: int) -> None:
    if hits + misses == 0:
        assert wilson(0, 0) == (0, 1)
        return
    found = reference().binomtest(hits, hits + misses).proportion_ci(method="wilson")
    assert wilson(hits, hits + misses) == pytest.approx((found.low, found.high), abs=1e-12)


@given(st.integers(0, 200), st.integers(0, 200))
def test_the_interval_holds_the_rate(right: int, wrong: int) -> None:
    n = right + wrong
    low, high = wilson(right, n)
    assert 0 <= low <= high <= 1
    if n:
        assert low <= right / n <= high
        mirrored = wilson(wrong, n)
        assert mirrored[0] == pytest.approx(1 - high)


def test_known_intervals() -> None:
    """Values of Wilson's interval as published tables have them."""
    assert wilson(10, 20) == pytest.approx((0.2993, 0.7007), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0, 0.2775), abs=1e-4)
    assert wilson(19, 20) == pytest.approx((0.7639, 0.9911), abs=1e-4)
    assert wilson(1, 4) == pytest.approx((0.0456, 0.6994), abs=1e-4)
    assert wilson(0, 0) == (0, 1)


def test_what_is_no_proportion() -> None:
    for hits, trials in ((-1, 2), (3, 2), (1, 0)):
        with pytest.raises(ValueError, match="trials"):
            wilson(hits, trials)
        with pytest.raises(ValueError, match="trials"):
            fisher(hits, trials, 0, 5)
        with pytest.raises(ValueError, match="trials"):
            fisher(0, 5, hits, trials)


@given(GROUP, GROUP)
def test_fishers_exact_test_as_scipy_has_it(one: tuple[int, int], other: tuple[int, int]) -> None:
    (hits, trials), (other_hits, other_trials) = one, other
    table = [[hits, trials - hits], [other_hits, other_trials - other_hits]]
    expected = reference().fisher_exact(table, alternative="greater")[1]
    assert fisher(*one, *other) == pytest.approx(expected, rel=1e-7, abs=1e-300)


def test_fishers_exact_test() -> None:
    assert fisher(3, 3, 0, 3) == 1 / 20 and fisher(0, 3, 3, 3) == 1
    assert fisher(0, 0, 3, 3) == fisher(3, 3, 0, 0) == 1
    assert fisher(18, 23, 0, 1) == pytest.approx(0.25)
    assert fisher(30_000, 60_000, 20_000, 60_000) < 1e-300


@given(st.integers(0, 1500), st.integers(0, 1500))
def test_mcnemars_test_as_scipy_has_it(only_a: int, only_b: int) -> None:
    expected = reference().binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    assert mcnemar(only_a, only_b) == pytest.approx(expected, rel=1e-7, abs=1e-300)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=9).filter(any))
def test_entropy_as_scipy_has_it(counts: list[int]) -> None:
    shares = [count / sum(counts) for count in counts]
    assert entropy(shares) == pytest.approx(reference().entropy(shares, base=2), abs=1e-12)


@given(st.floats(0.01, 0.99), st.floats(0.1, 50), st.integers(0, 60), st.integers(0, 60))
def test_the_beta_binomial_as_scipy_has_it(rate: float, alike: float, hits: int, misses: int) -> None:
    """SciPy counts the orders in which the hits may come, too."""
    n = hits + misses
    expected = reference().betabinom.logpmf(hits, n, alike * rate, alike * (1 - rate))
    orders = reference().binom.logpmf(hits, n, 0.5) - n * log(0.5)
    assert beta_binomial(rate, alike, hits, misses) == pytest.approx(expected - orders, rel=1e-7, abs=1e-7)


@given(st.integers(1, 150), st.floats(0.05, 1), st.floats(0.05, 1))
def test_the_power_as_scipy_has_it(n: int, discordant: float, part: float) -> None:
    difference = discordant * part
    toward = (discordant + difference) / (2 * discordant)
    counts = range(n + 1)
    weights = reference().binom.pmf(counts, n, discordant)
    critical = [max((k for k in range(m // 2 + 1) if mcnemar(k, m - k) < 0.05), default=-1) for m in counts]
    low = reference().binom.cdf(critical, counts, toward)
    high = reference().binom.cdf(critical, counts, 1 - toward)
    expected = float((weights * (low + high)).sum())
    assert power_of(n, difference, discordant) == pytest.approx(expected, abs=1e-9)


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
    low, high = paired_interval(both=20, only_a=2, only_b=12, neither=16)
    assert (low, high) == (pytest.approx(0.0562, abs=5e-5), pytest.approx(0.329, abs=5e-4))
    swapped = paired_interval(both=20, only_a=12, only_b=2, neither=16)
    assert swapped == (pytest.approx(-high), pytest.approx(-low))


def test_intervals_of_extreme_tables() -> None:
    assert paired_interval(0, 0, 0, 0) == (-1.0, 1.0)
    for table in product((0, 1, 30), repeat=4):
        pairs = Pairs(*table)
        low, high = paired_interval(*table)
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
    found = [paired_interval(p.both, p.only_a, p.only_b, p.neither) for p in drawn]
    assert 0.94 <= sum(low <= 0 <= high for low, high in found) / 2000 <= 0.985


def test_the_power_is_what_simulation_finds() -> None:
    chance = random.Random(2)
    found = [mcnemar(p.only_a, p.only_b) < 0.05 for p in (draw(chance, 0.15, 0.4) for _ in range(2000))]
    assert sum(found) / 2000 == pytest.approx(power_of(120, 0.15, 0.4), abs=0.03)


@pytest.mark.parametrize(
    ("difference", "discordant", "size"),
    [
        (0.05, 0.1, 337),
        (0.1, 0.5, 408),
        (0.1, 0.2, 168),
        (0.3, 0.3, 25),
        (0.5, 1, 30),
        (0.9, 0.9, 7),
        (1, 1, 6),
    ],
)
def test_the_planned_size_is_the_smallest_with_its_power(
    difference: float, discordant: float, size: int
) -> None:
    assert needed(difference, discordant) == needed(-difference, discordant) == size
    enough = (n for n in range(1, size + 1) if power_of(n, difference, discordant) >= 0.8)
    assert next(enough) == size


def test_a_planned_size_is_the_smallest_for_any_difference() -> None:
    chance = random.Random(4)
    for _ in range(60):
        discordant = chance.uniform(0.05, 1)
        difference = discordant * chance.uniform(0.4 if discordant > 0.3 else 0.6, 1)
        size = next(n for n in range(1, 2000) if power_of(n, difference, discordant) >= 0.8)
        assert needed(difference, discordant) == size


def test_tiny_differences_are_planned_at_once() -> None:
    """The exact size takes 7 seconds: 23,740."""
    assert needed(0.01, 0.3) == pytest.approx(23_740, rel=0.01)
    assert needed(1e-9, 1) > 10**18 / 2


@pytest.mark.parametrize(("difference", "discordant"), [(0.0, 0.5), (0.3, 0.2), (1.2, 1.3)])
def test_what_no_size_can_find(difference: float, discordant: float) -> None:
    with pytest.raises(ValueError, match="difference"):
        power_of(10, difference, discordant)
    if not 0 < difference <= 1:
        with pytest.raises(ValueError, match="more than 0"):
            needed(difference, discordant)


def test_the_correlation_is_corrected_towards_none() -> None:
    assert _correlation(1, 0, 0, 1) == 0.0  # the correction is as large as the product
    assert _correlation(3, 0, 0, 3) == pytest.approx((9 - 3) / 9)
    assert _correlation(0, 3, 3, 0) == -1.0 and _correlation(2, 2, 0, 0) == 0.0


def test_chao1_is_bias_corrected() -> None:
    assert chao1(10, 5, 2) == pytest.approx(13.33, abs=0.01)
    assert chao1(10, 3, 0) == 13
    assert chao1(0, 0, 0) == 0
    for counts in ((2, 2, 1), (3, -1, 0), (-1, 0, 0)):
        with pytest.raises(ValueError):
            chao1(*counts)


def test_chao1_as_estimates_and_vegan_have_it() -> None:
    """EstimateS (Colwell) prints these intervals, which are in the tests of scikit-bio, too. R's vegan prints the
    third estimate for the first plot of Barro Colorado Island."""
    assert chao1(9, 3, 3) == 9.75 and chao1(4, 2, 0) == 5
    assert chao1_interval(9, 3, 3) == pytest.approx((9.07, 17.45), abs=0.01)
    assert chao1_interval(4, 2, 0) == pytest.approx((4.08, 17.27), abs=0.01)
    assert chao1(93, 31, 18) == pytest.approx(117.473684, abs=1e-6)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_an_interval_of_unseen_errors_has_a_width_or_is_none(once: int, twice: int, more: int) -> None:
    counts = once + twice + more, once, twice
    interval, upper = chao1_interval(*counts), chao1_upper(*counts)
    assert (interval is None) == (once < 2)
    if interval is None:
        assert chao1(*counts) == counts[0] and upper == counts[0] + (3 if once == 0 else 5)
    else:
        assert counts[0] < interval[0] < chao1(*counts) < interval[1] == upper


def test_the_upper_bound_holds_for_errors_that_one_call_in_n_shows() -> None:
    """Errors that each call shows with probability x / n, for large n: how often are more unseen than the bound says,
    while none or one was seen only once?"""
    for errors, shown in product(range(1, 40)[:: 1 if WANTED else 6], (1.0, 1.2, 1.5, 2.0, 3.0, 5.0)):
        never, once = reference().poisson.pmf((0, 1), shown)
        unseen = range(_UNSEEN[0] + 1, errors + 1), range(_UNSEEN[1] + 1, errors)
        chances = never, once, 1 - never - once
        failed = sum(
            reference().multinomial.pmf((k, seen_once, errors - k - seen_once), errors, chances)
            for seen_once in (0, 1)
            for k in unseen[seen_once]
        )
        assert failed < 0.05


@pytest.mark.parametrize(
    "rates", [[1 / 97] * 8, [1 / 200] * 20, [0.3, 0.2, 1 / 200], [0.1] * 5 + [1 / 199] * 9]
)
def test_the_upper_bound_holds_in_simulated_searches(rates: list[float]) -> None:
    chance, calls, failed = random.Random(3), 200, 0
    for _ in range(1000):
        drawn = chance.choices(range(len(rates) + 1), [*rates, 1 - sum(rates)], k=calls)
        counts = [drawn.count(k) for k in range(len(rates)) if k in drawn]
        seen = len(counts), counts.count(1), counts.count(2)
        failed += chao1_interval(*seen) is None and chao1_upper(*seen) < len(rates)
    assert failed <= 50
