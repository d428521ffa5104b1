"""The weights by which signs name a step: a logistic model over the steps of a run that have a sign, and over "none".

``python -m tests.causes fit`` fits them and prints this table. docs/causes.md has the data and the figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

from planscope.cause.signs import Evidence
from planscope.oracle.verdict_types import StepNo

WEIGHTS: dict[str, float] = {
    "again": 1.31,
    "apart": 0.88,
    "at once": 0.67,
    "break": 0.00,
    "break too": 0.00,
    "broken": 0.81,
    "denied": 0.29,
    "empty": 2.93,
    "failed": -0.06,
    "first": 0.79,
    "gold": 0.95,
    "last": -0.50,
    "last call": -0.71,
    "last write": 2.12,
    "mended": -2.79,
    "misread": 2.78,
    "more": 0.84,
    "nowhere": 1.12,
    "passed on": -1.04,
    "repeat": -1.37,
    "strange": 0.93,
    "sum": 2.25,
    "unread": 0.22,
    "unsaid": -1.45,
    "writes": -2.15,
    "wrong": 2.15,
}
"""What each sign adds to the score of a step, and each of the marks ``wrong`` (the run is known to have gone wrong),
``broken`` (it breaks a rule), ``writes``, ``last write``, ``last call``, ``first`` (no step before it has a sign) and
``more`` (each sign after the first, but for ``gold`` and ``last``). "None" has 0."""
SEEN = 0.69
"""The share of runs without a step to name that truly have none: what a trace does not show is not known."""


def marks(found: Evidence) -> dict[StepNo, dict[str, float]]:
    """Return for each step with a sign what speaks for it, and how often."""
    last = max(found.writes, default=0)
    made: dict[StepNo, dict[str, float]] = {}
    seen, broken = False, any("break" in signs for signs in found.by_step.values())
    for step in sorted(found.by_step, key=lambda s: (s == "end", s if s != "end" else 0)):
        signs: dict[str, float] = dict.fromkeys(found.by_step[step], 1.0)
        strong = signs.keys() - {"last", "gold"}
        more = {
            "wrong": float(found.wrong),
            "broken": float(broken),
            "writes": float(step in found.writes),
            "last write": float(step == last),
            "last call": float(step == found.last),
            "first": float(bool(strong) and not seen),
            "more": max(len(strong) - 1.0, 0.0),
        }
        seen = seen or bool(strong)
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
