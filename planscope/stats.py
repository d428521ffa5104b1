"""Every formula of statistics that planscope uses: intervals, exact tests, sizes of samples, estimates of the unseen.

The tests compare each with SciPy, or with published values where SciPy has none. Counts are whole numbers unless a
docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import ceil, comb, exp, lgamma, log, log1p, log2, sqrt

Z95 = 1.959963984540054
"""The quantile of the normal distribution for a two-sided interval or test at 95 %."""
Z80 = 0.8416212335729143
"""The quantile of the normal distribution that 80 % lie below."""

LEVEL = 0.05
POWER = 0.8
_MOST_TRIED = 10_000


def wilson(hits: float, trials: float) -> tuple[float, float]:
    """Return the 95 % interval of a proportion (Wilson, 1927), or (0, 1) without trials.

    Both may be fractions, such as the mean of several runs of one text. ValueError if ``hits`` is not within
    0 and ``trials``.
    """
    if not 0 <= hits <= trials:
        raise ValueError("a proportion has from none to all of its trials")
    if trials == 0:
        return 0.0, 1.0
    share, square = hits / trials, Z95 * Z95
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    half = Z95 * sqrt(share * (1 - share) / trials + square / (4 * trials**2)) / (1 + square / trials)
    low = 0.0 if hits == 0 else max(0.0, middle - half)
    return low, 1.0 if hits == trials else min(1.0, middle + half)


def fisher(hits: int, trials: int, other_hits: int, other_trials: int) -> float:
    """Return the one-sided p-value of Fisher's exact test: how likely a share of hits that is at least so much
    higher than the other group's is by chance. It is 1 if a group has no trials.

    Exact to rounding, also for large groups. ValueError for more hits than trials.
    """
    if not (0 <= hits <= trials and 0 <= other_hits <= other_trials):
        raise ValueError("a group has from none to all of its trials as hits")
    if not trials or not other_trials:
        return 1.0
    both = hits + other_hits
    ways = term = comb(trials, hits) * comb(other_trials, other_hits)
    for k in range(hits, min(trials, both)):
        left = both - k
        term = term * (trials - k) * left // ((k + 1) * (other_trials - left + 1))
        ways += term
    return ways / comb(trials + other_trials, both)


def entropy(shares: Iterable[float]) -> float:
    """Return Shannon's entropy of a distribution, in bits. The shares sum to 1."""
    return -sum(share * log2(share) for share in shares if share > 0)


@lru_cache(maxsize=65536)
def beta_binomial(rate: float, alike: float, hits: int, misses: int) -> float:
    """Return the log likelihood of trials, in their order, whose rate is drawn from a beta distribution with mean
    ``rate`` and concentration ``alike``. The rate lies between 0 and 1, both excluded; else ValueError."""
    a, b = alike * rate, alike * (1 - rate)
    found = lgamma(a + hits) + lgamma(b + misses) - lgamma(a + b + hits + misses)
    return found + lgamma(a + b) - lgamma(a) - lgamma(b)


# --- pairs ---


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the two-sided p-value of McNemar's exact test (McNemar, 1947): twice the smaller tail of a binomial
    distribution with probability 1/2, at most 1. Without discordant pairs it is 1."""
    trials, fewer = only_a + only_b, min(only_a, only_b)
    if trials < 1000:
        ways: int = sum(comb(trials, k) for k in range(fewer + 1))
        return min(1.0, 2 * ways / (1 << trials))
    return min(1.0, 2 * _tail(trials, fewer, 0.5))


def paired_interval(both: int, only_a: int, only_b: int, neither: int) -> tuple[float, float]:
    """Return the 95 % interval of B's rate less A's (Newcombe, 1998, paired data, method 10): Wilson's intervals of
    the two rates, joined with their correlation. Of the cases both, one or neither is right. Without cases (-1, 1)."""
    a, b, c, d = both, only_b, only_a, neither
    n = a + b + c + d
    if n == 0:
        return -1.0, 1.0
    (low_b, high_b), (low_a, high_a) = wilson(a + b, n), wilson(a + c, n)
    rate_b, rate_a = (a + b) / n, (a + c) / n
    phi = _correlation(a, b, c, d)
    under = (rate_b - low_b) ** 2 - 2 * phi * (rate_b - low_b) * (high_a - rate_a) + (high_a - rate_a) ** 2
    over = (high_b - rate_b) ** 2 - 2 * phi * (high_b - rate_b) * (rate_a - low_a) + (rate_a - low_a) ** 2
    middle = rate_b - rate_a
    return max(-1.0, middle - sqrt(max(0.0, under))), min(1.0, middle + sqrt(max(0.0, over)))


def _correlation(a: int, b: int, c: int, d: int) -> float:
    """Return phi with Newcombe's correction for continuity, or 0 if a margin is empty."""
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    product, half = a * d - b * c, (a + b + c + d) / 2
    if product > 0:
        return max(product - half, 0.0) / sqrt(margins)
    return product / sqrt(margins)


def power_of(n: int, difference: float, discordant: float) -> float:
    """Return the probability that McNemar's exact test at 5 % finds the difference with n pairs.

    ``discordant`` is the share of pairs that only one arm has right. ValueError unless 0 < difference <= discordant
    <= 1.
    """
    if not 0 < difference <= discordant <= 1:
        raise ValueError("the difference is above 0, and at most the share of discordant pairs")
    toward = (discordant + difference) / (2 * discordant)
    return sum(
        weight * _rejects(m, toward)
        for m in range(n + 1)
        if (weight := exp(_log_binomial(n, m, discordant))) > 1e-12
    )


def needed(difference: float, discordant: float) -> int:
    """Return the smallest number of pairs with which McNemar's exact test at 5 % finds a difference in 80 % of cases.

    ``discordant``: the expected share of pairs that only one arm has right; at least as large as the difference. Sizes
    from Connor's approximation (1987) on are tried one by one: the exact test never needs fewer, and its power does
    not always rise. Beyond 10,000 pairs the approximation is returned, which is then some 1 % too small. ValueError for
    a difference that is not above 0 and at most 1.
    """
    size = abs(difference)
    if not 0 < size <= 1:
        raise ValueError("a difference to detect is more than 0 and at most 1")
    share = min(1.0, max(discordant, size))
    near = (Z95 * sqrt(share) + Z80 * sqrt(max(0.0, share - size**2))) ** 2 / size**2
    if near > _MOST_TRIED:
        return ceil(near)
    n = max(1, int(near) - 1)
    while power_of(n, size, share) < POWER:
        n += 1
    return n


@lru_cache(maxsize=65536)
def _rejects(m: int, toward: float) -> float:
    """Return the probability that the test rejects with m discordant pairs."""
    critical = int(m / 2 - sqrt(m)) - 2  # below the critical count, or at it
    while 2 * _tail(m, critical + 1, 0.5) < LEVEL:
        critical += 1
    return _tail(m, critical, toward) + _tail(m, critical, 1 - toward)


def _tail(n: int, k: int, p: float) -> float:
    """Return the probability of at most k hits in n trials."""
    total = 0.0
    for j in range(min(k, n), -1, -1):
        term = exp(_log_binomial(n, j, p))
        total += term
        if term < 1e-17 * total:
            break
    return total


def _log_binomial(n: int, k: int, p: float) -> float:
    if p <= 0 or p >= 1:
        sure = (k == 0) if p <= 0 else (k == n)
        return 0.0 if sure else float("-inf")
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p)


# --- what was not seen ---


def chao1(unique: int, once: int, twice: int) -> float:
    """Return the bias-corrected Chao1 estimate of the number of all errors (Chao, 1984; Chiu et al., 2014).

    ``unique`` errors were found, ``once`` of them by one call and ``twice`` by two: S + f1 (f1 - 1) / (2 (f2 + 1)).
    The formula assumes that calls are independent; under guidance it is an estimate only. Raises ValueError for
    counts that cannot be.
    """
    if min(unique, once, twice) < 0 or once + twice > unique:
        raise ValueError("counts must not be negative, and once + twice not above unique")
    return unique + once * (once - 1) / (2 * (twice + 1))


def chao1_interval(unique: int, once: int, twice: int) -> tuple[float, float] | None:
    """Return the log-normal 95 % interval of :func:`chao1` (Chao, 1987), with the variance of EstimateS.

    With T = estimate - S and K = exp(z sqrt(ln(1 + var / T^2))), it is (S + T / K, S + T K). If at most one error was
    seen only once, T is 0: then the counts do not tell how wide it is, and there is none (see :func:`chao1_upper`).
    """
    estimate = chao1(unique, once, twice)
    missing = estimate - unique
    if missing <= 0:
        return None
    f1, f2 = once, twice
    if f2:
        variance = (
            f1 * (f1 - 1) / (2 * (f2 + 1))
            + f1 * (2 * f1 - 1) ** 2 / (4 * (f2 + 1) ** 2)
            + f1**2 * f2 * (f1 - 1) ** 2 / (4 * (f2 + 1) ** 4)
        )
    else:
        variance = f1 * (f1 - 1) / 2 + f1 * (2 * f1 - 1) ** 2 / 4 - f1**4 / (4 * estimate)
    wide = exp(Z95 * sqrt(log1p(max(variance, 0.0) / missing**2)))
    return unique + missing / wide, unique + missing * wide


_UNSEEN = 3, 5
"""How many errors may be unseen though no error, or one, was seen only once: see :func:`chao1_upper`."""


def chao1_upper(unique: int, once: int, twice: int) -> float:
    """Return an upper bound of the number of all errors, at 95 %: the end of :func:`chao1_interval`. Without one, three
    more than were found if none was seen only once (a rule of three), and five more if one was.

    These bound the errors that at least one call in n shows on average, if n calls were made: however many of them
    there are, in less than 5 % of searches are more of them unseen while at most one was seen only once. No count
    bounds the rarer ones.
    """
    interval = chao1_interval(unique, once, twice)
    return unique + _UNSEEN[once] if interval is None else interval[1]
