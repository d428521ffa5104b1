"""The weights by which signs name a step: a logistic model over the steps of a run that have a sign, and over "none".

``python -m tests.causes fit`` fits them and prints this table. docs/causes.md has the data and the figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

from planscope.cause.signs import Evidence
from planscope.oracle.verdict_types import StepNo

WEIGHTS: dict[str, float] = {
    "again": 2.38,
    "any": -0.06,
    "apart": 1.32,
    "at once": -0.14,
    "break": -0.97,
    "break too": 0.60,
    "denied": 0.11,
    "empty": 2.43,
    "failed": -0.47,
    "first": 1.97,
    "first failed": -1.51,
    "gold": 0.13,
    "last write": 1.56,
    "mended": -1.95,
    "misread": 2.64,
    "more": 1.73,
    "nowhere": 0.73,
    "passed on": -1.68,
    "repeat": -2.75,
    "strange": 0.86,
    "unread": 0.71,
    "unsaid": -2.14,
    "writes": -1.84,
}
"""What each sign adds to the score of a step, and each of the marks ``any`` (any sign), ``writes``, ``last write``,
``first failed``, ``first`` (no step before it has a sign) and ``more`` (each sign after the first, but for the gold
plan's). "None" has 0."""
SEEN = 0.79
"""The share of runs without a step to name that truly have none: what a trace does not show is not known."""


def marks(found: Evidence) -> dict[StepNo, dict[str, float]]:
    """Return for each step with a sign what speaks for it, and how often."""
    last = max(found.writes, default=0)
    made: dict[StepNo, dict[str, float]] = {}
    for step in sorted(found.by_step, key=lambda s: (s == "end", s if s != "end" else 0)):
        signs: dict[str, float] = dict.fromkeys(found.by_step[step], 1.0)
        more = {
            "any": 1.0,
            "writes": float(step in found.writes),
            "last write": float(step == last),
            "first failed": float(step in found.failed[:1]),
            "first": float(not made),
            "more": max(len(signs) - ("gold" in signs) - 1.0, 0.0),
        }
        made[step] = {**signs, **{name: number for name, number in more.items() if number}}
    return made


def shares(
    found: Mapping[StepNo, Mapping[str, float]], weights: Mapping[str, float] = WEIGHTS
) -> dict[StepNo | None, float]:
    """Return how likely each step is to blame, and (None) that none is. They add up to 1."""
    scores: dict[StepNo | None, float] = {None: 0.0}
    for step, ones in found.items():
        scores[step] = sum(weights.get(name, 0.0) * number for name, number in ones.items())
    top = max(scores.values())
    sums = {step: exp(score - top) for step, score in scores.items()}
    whole = sum(sums.values())
    return {step: one / whole for step, one in sums.items()}
