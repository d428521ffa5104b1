"""The weights by which signs name a step: a logistic model over steps, "elsewhere" and "none".

``python -m tests.causes fit`` fits them and prints this table. docs/causes.md has the data and the figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Literal

from planscope.cause.signs import Evidence, Sign
from planscope.oracle.verdict_types import StepNo

Outcome = StepNo | Literal["elsewhere"] | None
"""What may be to blame: a step with a sign, a step without one, or (None) none."""
WEIGHTS: dict[str, float] = {
    "again": 2.34,
    "at once": -0.92,
    "elsewhere": -1.72,
    "failed": -0.86,
    "first": 1.17,
    "first write": 0.69,
    "gold": 0.39,
    "last write": 1.63,
    "mended read": -2.81,
    "mended write": 1.45,
    "more": 0.92,
    "none": 0.04,
    "none dropped": 2.32,
    "none wrong": -3.62,
    "signed": 1.65,
    "split": 2.21,
    "writes": -2.80,
}
"""What each sign and mark adds to the score of a step. Most signs have no weight of their own: that fits one family
better, and the others worse. ``signed``: it has a sign that counts; ``more``: each further one; ``first``: no step
before it has one. For "none" as of ``Evidence``."""
WEAK: frozenset[Sign] = frozenset(("failed", "mended", "passed on", "apart", "amends", "gold", "last"))
"""Signs that do not count as such."""


def marks(found: Evidence) -> dict[Outcome, dict[str, float]]:
    """Return what speaks for each outcome, and how often."""
    none = {"none": True, "none wrong": found.wrong, "none dropped": found.dropped}
    made: dict[Outcome, dict[str, float]] = {None: {name: 1.0 for name, holds in none.items() if holds}}
    made["elsewhere"] = {"elsewhere": 1.0}
    seen, left = False, any("gold" in signs for step, signs in found.by_step.items() if step != "end")
    for step in sorted(found.by_step, key=lambda s: float("inf") if s == "end" else s):
        signs = found.by_step[step]
        if step == "end" and left:  # what is owed then follows from the call that left the gold plan
            continue
        strong, writes = len(signs.keys() - WEAK), step in found.writes
        more = {
            "writes": writes,
            "first write": step in found.writes[:1],
            "last write": step in found.writes[-1:],
            "signed": strong > 0,
            "first": strong > 0 and not seen,
            "more": max(strong - 1, 0),
            "mended write": "mended" in signs and writes,
            "mended read": "mended" in signs and not writes,
        }
        seen = seen or strong > 0
        made[step] = dict.fromkeys(signs, 1.0) | {name: float(n) for name, n in more.items()}
    return made


def shares(
    found: Mapping[Outcome, Mapping[str, float]], weights: Mapping[str, float] = WEIGHTS
) -> dict[Outcome, float]:
    """Return how likely each outcome is. They add up to 1."""
    scores = {
        one: sum(weights.get(name, 0.0) * number for name, number in ones.items())
        for one, ones in found.items()
    }
    top = max(scores.values())
    sums = {one: exp(score - top) for one, score in scores.items()}
    whole = sum(sums.values())
    return {one: part / whole for one, part in sums.items()}
