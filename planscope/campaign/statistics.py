"""The statistics of paired comparisons: an exact test, an interval for the difference, and the size of a sample."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, exp, lgamma, log, sqrt

from planscope.agents.rates import wilson

POWER = 0.8
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Pairs:
    """The outcomes of two arms on the same cases: right in both, in one only, in neither."""

    both: int
    only_a: int
    only_b: int
    neither: int

    @property
    def count(self) -> int:
        return self.both + self.only_a + self.only_b + self.neither

    @property
    def difference(self) -> float:
        """The rate of B less the rate of A."""
        return (self.only_b - self.only_a) / self.count if self.count else 0.0

    @property
    def discordant(self) -> float:
        """The share of cases that only one of the two has right."""
        return (self.only_a + self.only_b) / self.count if self.count else 0.0


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the two-sided p-value of McNemar's exact test (McNemar, 1947): twice the smaller tail of a binomial
    distribution with probability 1/2, at most 1."""
    trials, fewer = only_a + only_b, min(only_a, only_b)
    if trials == 0:
        return 1.0
    if trials < 1000:
        tail: int = sum(comb(trials, k) for k in range(fewer + 1))
        return min(1.0, tail / (1 << (trials - 1)))
    return min(1.0, 2 * sum(exp(_log_binomial(trials, k, 0.5)) for k in range(fewer + 1)))


def paired_interval(pairs: Pairs) -> tuple[float, float]:
    """Return the 95 % interval of B's rate less A's (Newcombe, 1998, paired data, method 10): Wilson's intervals of
    the two rates, joined with their correlation. Without cases (-1, 1)."""
    n = pairs.count
    if n == 0:
        return -1.0, 1.0
    a, b, c, d = pairs.both, pairs.only_b, pairs.only_a, pairs.neither
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


def needed(difference: float, discordant: float, power: float = POWER, level: float = LEVEL) -> int:
    """Return the number of pairs with which McNemar's exact test finds a difference with the given power.

    ``discordant``: the expected share of pairs that only one arm has right; at least as large as the difference. The
    search begins at Connor's approximation (1987) and goes on to the size whose exact power is enough.
    """
    size = abs(difference)
    if not 0 < size <= 1:
        raise ValueError("a difference to detect is more than 0 and at most 1")
    share = min(1.0, max(discordant, size))
    n = max(2, int((1.959964 * sqrt(share) + 0.841621 * sqrt(max(0.0, share - size**2))) ** 2 / size**2))
    step = max(1, n // 100)
    while power_of(n, size, share, level) < power:
        n += step
    return n


def power_of(n: int, difference: float, discordant: float, level: float = LEVEL) -> float:
    """Return the probability that McNemar's exact test on n pairs finds the difference."""
    toward = (discordant + difference) / (2 * discordant)
    found = 0.0
    for m in range(n + 1):
        weight = exp(_log_binomial(n, m, discordant))
        if weight > 1e-12:
            found += weight * _rejects(m, toward, level)
    return found


def _rejects(m: int, toward: float, level: float) -> float:
    """Return the probability that the test rejects with m discordant pairs."""
    critical, total = -1, 0.0
    for k in range(m + 1):
        total += exp(_log_binomial(m, k, 0.5))
        if 2 * total >= level:
            break
        critical = k
    if critical < 0:
        return 0.0
    return sum(
        exp(_log_binomial(m, k, toward)) + exp(_log_binomial(m, m - k, toward)) for k in range(critical + 1)
    )


def _log_binomial(n: int, k: int, p: float) -> float:
    if p <= 0 or p >= 1:
        sure = (k == 0) if p <= 0 else (k == n)
        return 0.0 if sure else float("-inf")
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log(1 - p)
