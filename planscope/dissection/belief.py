"""Computes how likely each cause is, given the runs: a Bayesian model summed over grids, without sampling or fitting.

The model's assumptions:

- The unchanged query triggers a fault of the agent. If the fault applies to a text, its runs are right at a low rate
  (the fault does not always occur); otherwise at a high rate (the agent can fail in other ways). Both rates are
  unknown; ``PAIRS`` lists the possible values.
- Each mutant either avoids the fault or does not. The share of mutants that avoid it is unknown and differs between
  arms (an arm is one kind of mutant).
- Runs of one mutant are one cluster, not independent samples: its rate is drawn from a beta distribution around its
  kind's (the beta-binomial model). The spread of these rates is unknown (``ALIKE``): it may be small, or so large that
  one text is nearly always right and the next nearly always wrong. Repeated runs of one mutant therefore never
  count as much as runs of several mutants.
- The cause is the first arm, in the paper's order, with any mutants that avoid the fault; no mutant of an earlier arm
  avoids it. Later arms may avoid it too; ``DODGES`` gives the probability.
- *Probability*: every run, mutated or not, is right at the same middling rate. *None*: every run is right at the same
  very low rate. Fresh queries then fail as well, so nothing in this query is the cause.
- *Several*: words or sentences and the topic are both to blame, so only mutants that change both avoid the fault.
- Before the first run all five causes are equally likely, and several at once less so. (The shares in
  the paper's Tables 4 and 7 are not used: the rule that found them confuses chance with a cause.)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from planscope.dissection.evidence import CAUSES, CHANGED, NO_RUNS, SAME, Counts, Evidence, of_kinds
from planscope.session.model import CellKind
from planscope.stats import beta_binomial, entropy

NONE = "none"
SEVERAL = "several"
HYPOTHESES: tuple[str, ...] = (*CAUSES, NONE, SEVERAL)

PRIOR: Mapping[str, float] = {name: 0.3 if name == SEVERAL else 1.0 for name in HYPOTHESES}
"""How likely each is before the first run, relative to the others."""

ALIKE = ((30.0, 0.75), (0.3, 0.25))
"""Concentrations (of the beta distribution of a kind's mutant rates) with their prior weights."""

ITSELF = 30.0
"""The concentration for the unchanged query. It is high, since the rates below are the rates of this one text."""

_LOW = ((0.02, 0.28), (0.1, 0.28), (0.19, 0.26), (0.29, 0.18))
_HIGH = ((0.72, 0.12), (0.8, 0.2), (0.87, 0.24), (0.93, 0.24), (0.98, 0.2))

PAIRS = tuple((bad, good, alike, u * v * w) for alike, w in ALIKE for bad, u in _LOW for good, v in _HIGH)
"""Success rate if the fault applies, success rate if it does not, concentration, prior weight."""

_FLAT: Mapping[str, tuple[tuple[float, float], ...]] = {
    "Probability": tuple((rate / 100, 1 / 8) for rate in range(22, 93, 10)),
    NONE: ((0.01, 0.35), (0.05, 0.3), (0.09, 0.2), (0.14, 0.15)),
}

FLAT_ALIKE = ((30.0, 0.9), (0.3, 0.1))
"""As ``ALIKE``, for hypotheses by which all texts are right at one rate."""

RATES = {
    name: tuple((rate, alike, u * w) for alike, w in FLAT_ALIKE for rate, u in rates)
    for name, rates in _FLAT.items()
}
"""For each hypothesis without a fault: success rate, concentration, prior weight."""

SHARES = (0.0, 0.07, 0.16, 0.28, 0.42, 0.58, 0.76, 0.95)
_OWN = (0.0, 0.04, 0.11, 0.17, 0.2, 0.2, 0.16, 0.12)
"""The prior weights of ``SHARES`` (shares of mutants that avoid the fault) in the arm that the cause is named after.
Share 0 is for arms that never avoid the fault."""

_BEHIND = (0.0, 0.2, 0.18, 0.16, 0.14, 0.12, 0.1, 0.1)
"""The prior weights of ``SHARES`` in later arms, whose mutants may avoid the fault by luck."""

DODGES: Mapping[str, Mapping[CellKind, float]] = {
    cause: dict(zip(CHANGED, shares, strict=True))
    for cause, shares in {
        "Terminal": (1, 0.15, 0.7, 0.7, 0.7),
        "Topic": (0, 1, 0.2, 0.9, 0.3),
        "Structure": (0, 0, 1, 0.4, 0.8),
        "Constraint": (0, 0, 0, 0, 1),
        SEVERAL: (0, 0, 0, 1, 0.2),
    }.items()
}
"""For each cause, the probability that mutants of an arm can avoid the fault."""


_NEVER = -1e9
"""Stands for the logarithm of probability 0."""


@lru_cache(maxsize=65536)
def _mixed(bad: float, good: float, alike: float, right: int, wrong: int) -> tuple[float, ...]:
    """Return the likelihood of one mutant's runs for each of ``SHARES``, the share of mutants that avoid the fault."""
    missed, hit = (
        math.exp(beta_binomial(good, alike, right, wrong)),
        math.exp(beta_binomial(bad, alike, right, wrong)),
    )
    return tuple(share * missed + (1 - share) * hit for share in SHARES)


@lru_cache(maxsize=65536)
def _mixed_logs(bad: float, good: float, alike: float, right: int, wrong: int) -> tuple[float, ...]:
    return tuple(math.log(v) if v > 0 else _NEVER for v in _mixed(bad, good, alike, right, wrong))


class _Arm:
    """Likelihoods of an arm's runs: for each of ``PAIRS`` and ``SHARES``, and for hypotheses without a fault."""

    def __init__(self, classes: frozenset[tuple[Counts, int]]) -> None:
        self.tables: list[tuple[float, ...]] = []
        self.scales: list[float] = []
        for bad, good, alike, _ in PAIRS:
            logs = [0.0] * len(SHARES)
            for counts, times in classes:
                for j, value in enumerate(_mixed_logs(bad, good, alike, counts.right, counts.wrong)):
                    logs[j] += times * value
            top = max(logs)
            self.scales.append(top)
            self.tables.append(tuple(math.exp(log - top) for log in logs))
        self.flat = {
            name: [
                sum(n * beta_binomial(rate, alike, c.right, c.wrong) for c, n in classes)
                for rate, alike, _ in rates
            ]
            for name, rates in RATES.items()
        }


@lru_cache(maxsize=4096)
def _arm(classes: frozenset[tuple[Counts, int]]) -> _Arm:
    """Return an arm, cached by the number of mutants with each count: one more run changes only one arm."""
    return _Arm(classes)


def _classes(mutants: Sequence[Counts]) -> frozenset[tuple[Counts, int]]:
    return frozenset(Counter(m for m in mutants if m.runs).items())


def _mean(table: Sequence[float], dodges: float) -> float:
    """Average a table over ``SHARES``; ``dodges`` is the probability that the arm can avoid the fault."""
    if dodges == 0:
        return table[0]
    weights = _OWN if dodges == 1 else _BEHIND
    return (1 - dodges) * table[0] + dodges * sum(t * w for t, w in zip(table, weights, strict=True))


class Belief:
    """The probability of each hypothesis, given the runs so far. ``likely`` sums to 1."""

    def __init__(self, evidence: Evidence) -> None:
        self.same = of_kinds(evidence, SAME)
        self._arms = {kind: _arm(_classes(evidence.get(kind, ()))) for kind in CHANGED}
        logs: dict[str, list[float]] = {}
        for cause in DODGES:
            logs[cause] = [
                self._pair_log(cause, p, bad, weight * PRIOR[cause])
                for p, (bad, _, _, weight) in enumerate(PAIRS)
            ]
        for name, rates in RATES.items():
            logs[name] = [
                math.log(weight * PRIOR[name])
                + self._as_it_is(rate)
                + sum(arm.flat[name][p] for arm in self._arms.values())
                for p, (rate, _, weight) in enumerate(rates)
            ]
        top = max(max(values) for values in logs.values())
        self._terms = {name: [math.exp(v - top) for v in logs[name]] for name in HYPOTHESES}
        self.likely = _normal({name: sum(self._terms[name]) for name in HYPOTHESES})

    def _as_it_is(self, rate: float) -> float:
        """Return the log likelihood of the runs of the unchanged query."""
        return beta_binomial(rate, ITSELF, self.same.right, self.same.wrong)

    def _pair_log(self, cause: str, p: int, bad: float, weight: float) -> float:
        found = math.log(weight) + self._as_it_is(bad)
        for kind, arm in self._arms.items():
            mean = _mean(arm.tables[p], DODGES[cause][kind])
            found += arm.scales[p] + (math.log(mean) if mean > 0 else _NEVER)
        return found

    def weight(self, name: str) -> float:
        """Return a hypothesis' unnormalized weight before the next run, on the scale of :meth:`foresee`."""
        return sum(self._terms[name])

    def also_dodges(self, cause: str, kind: CellKind) -> float:
        """Return the probability that mutants of an arm avoid the fault as well, if this is the cause."""
        arm, dodges = self._arms[kind], DODGES[cause][kind]
        found = 0.0
        for term, table in zip(self._terms[cause], arm.tables, strict=True):
            mean = _mean(table, dodges)
            if term > 0 and mean > 0:
                found += term * (1 - (1 - dodges) * table[0] / mean)
        whole = sum(self._terms[cause])
        return found / whole if whole > 0 else dodges

    def best(self) -> str:
        return max(HYPOTHESES, key=lambda name: self.likely[name])

    def foresee(self, kind: CellKind, mutant: Counts = NO_RUNS) -> tuple[float, dict[str, float]]:
        """Return the probability that one more run of this mutant is right, and each hypothesis' weight if it is."""
        same = kind in SAME
        right = {}
        for name, terms in self._terms.items():
            if same:
                rates = [bad for bad, *_ in (RATES.get(name) or PAIRS)]
                right[name] = sum(
                    t * _next(rate, ITSELF, self.same) for t, rate in zip(terms, rates, strict=True)
                )
            elif name in RATES:
                right[name] = sum(
                    t * _next(rate, alike, mutant)
                    for t, (rate, alike, _) in zip(terms, RATES[name], strict=True)
                )
            else:
                right[name] = self._foreseen(name, kind, mutant)
        everything = sum(map(sum, self._terms.values()))
        return sum(right.values()) / everything, right

    def _foreseen(self, name: str, kind: CellKind, mutant: Counts) -> float:
        arm, dodges = self._arms[kind], DODGES[name][kind]
        found = 0.0
        for p, (bad, good, alike, _) in enumerate(PAIRS):
            term = self._terms[name][p]
            if term < 1e-12:
                continue
            now = _mixed(bad, good, alike, mutant.right, mutant.wrong)
            then = _mixed(bad, good, alike, mutant.right + 1, mutant.wrong)
            table = arm.tables[p]
            next_table = [t * b / a for t, a, b in zip(table, now, then, strict=True)]
            found += term * _mean(next_table, dodges) / _mean(table, dodges)
        return found

    def gain(self, kind: CellKind, mutant: Counts = NO_RUNS) -> float:
        """Return the expected information of one more run about the cause, in bits."""
        chance_right, right = self.foresee(kind, mutant)
        everything = sum(map(sum, self._terms.values()))
        wrong = {name: max(0.0, sum(self._terms[name]) - right[name]) for name in HYPOTHESES}
        if everything <= 0:
            return 0.0
        after = chance_right * entropy(_normal(right).values()) + (1 - chance_right) * entropy(
            _normal(wrong).values()
        )
        return entropy(self.likely.values()) - after


def _next(rate: float, alike: float, counts: Counts) -> float:
    return (alike * rate + counts.right) / (alike + counts.runs)


def _normal(values: Mapping[str, float]) -> dict[str, float]:
    whole = sum(values.values())
    return {name: value / whole if whole > 0 else 1 / len(values) for name, value in values.items()}
