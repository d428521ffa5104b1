"""Estimates of how many errors a tool has, from those that were found."""

from __future__ import annotations

import math
from collections.abc import Iterable


def chao1(unique: int, once: int, twice: int) -> float:
    """Return the bias-corrected Chao1 estimate of the number of all errors.

    ``unique`` errors were found, ``once`` of them by one call and ``twice`` by two: S + f1 (f1 - 1) / (2 (f2 + 1)).
    The formula assumes that calls are independent; under guidance it is an estimate only. Raises ValueError for
    counts that cannot be.
    """
    if min(unique, once, twice) < 0 or once + twice > unique:
        raise ValueError("counts must not be negative, and once + twice not above unique")
    return unique + once * (once - 1) / (2 * (twice + 1))


def chao1_interval(unique: int, once: int, twice: int) -> tuple[float, float]:
    """Return the log-normal 95 % interval of :func:`chao1` (Chao 1987).

    With T = estimate - S and K = exp(1.96 sqrt(ln(1 + var / T^2))), it is (S + T / K, S + T K). If T is 0 it is (S, S).
    """
    estimate = chao1(unique, once, twice)
    missing = estimate - unique
    if missing <= 0:
        return float(unique), float(unique)
    f1, f2 = once, twice
    if f2:
        variance = (
            f1 * (f1 - 1) / (2 * (f2 + 1))
            + f1 * (2 * f1 - 1) ** 2 / (4 * (f2 + 1) ** 2)
            + f1**2 * f2 * (f1 - 1) ** 2 / (4 * (f2 + 1) ** 4)
        )
    else:
        variance = f1 * (f1 - 1) / 2 + f1 * (2 * f1 - 1) ** 2 / 4 - f1**4 / (4 * estimate)
    wide = math.exp(1.96 * math.sqrt(math.log1p(max(variance, 0.0) / missing**2)))
    return unique + missing / wide, unique + missing * wide


def proportion_interval(part: int, whole: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a proportion (Wilson 1927). Of nothing it is (0, 1)."""
    if whole <= 0:
        return 0.0, 1.0
    z, p = 1.96, part / whole
    middle = (p + z * z / (2 * whole)) / (1 + z * z / whole)
    half = z / (1 + z * z / whole) * math.sqrt(p * (1 - p) / whole + z * z / (4 * whole * whole))
    return max(0.0, middle - half), min(1.0, middle + half)


def statistics(occurrences: Iterable[int], calls: int) -> dict[str, object]:
    """Return the figures of the JSON document, for the occurrences of each counted finding."""
    counts = list(occurrences)
    unique, once, twice = len(counts), counts.count(1), counts.count(2)
    low, high = chao1_interval(unique, once, twice)
    return {
        "unique_errors": unique,
        "calls_per_unique_error": round(calls / unique, 2) if unique else None,
        "chao1": round(chao1(unique, once, twice), 2),
        "chao1_ci": [round(low, 2), round(high, 2)],
    }
