"""The weights by which signs name a step: a logistic model over the steps of a run that have a sign, and over "none".

``python -m tests.causes fit`` fits them and prints this table. docs/causes.md has the data and the figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

from planscope.cause.signs import Evidence
from planscope.oracle.verdict_types import StepNo

WEIGHTS: dict[str, float] = {
    "again": 0.62,
    "apart": 0.36,
    "at once": 0.20,
    "break": -1.81,
    "break too": -1.03,
    "broken": 1.29,
    "denied": -0.15,
    "empty": 2.63,
    "failed": -0.40,
    "first": 0.91,
    "gold": 0.90,
    "last": -0.67,
    "last call": -0.65,
    "last write": 2.06,
    "mended": -3.20,
    "misread": 2.44,
    "more": 1.55,
    "nowhere": 0.75,
    "passed on": -1.38,
    "repeat": -1.63,
    "strange": 0.63,
    "sum": 2.14,
    "unread": 0.36,
    "unsaid": -2.02,
    "writes": -1.81,
    "wrong": 2.19,
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
