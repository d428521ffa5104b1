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
- A cause is the least that must change: the words, the topic, the sentences or the constraints. Every arm changes some
  of these (``ARMS``); its mutants can avoid the fault if they change what the cause says. Other arms may avoid it by
  luck. ``AVOIDS`` gives the probability.
- *Two causes* are hypotheses as well (``TWO``): "Terminal and Topic" means that only mutants that change both avoid the
  fault, "Terminal or Topic" that a change of either does.
- *Probability*: every run, mutated or not, is right at the same middling rate. *None*: every run is right at the same
  very low rate. Fresh queries then fail as well, so nothing in this query is the cause.
- Before the first run all five causes are equally likely, and two at once less so. (The shares in
  the paper's Tables 4 and 7 are not used: the rule that found them confuses chance with a cause.)

Words to blame need another argument (``culprit``, ``measures`` and ``blame`` follow it). A query has 5 to 25 places
that may be to blame, and some fifty limits of what can be counted. Three things make a wrong one look right:

- *Noise*. An agent with the fault is right in up to a third of its runs, and without it fails in up to a tenth. A few
  runs cannot tell; the p-value of a name must fall to a threshold, and rivals must fail three times.
- *Many candidates*. The best of fifty looks good by chance alone. Candidates share the prior probability; words
  need runs that were chosen to test them, and a limit, which is chosen after its runs, a p-value of 0.0005.
- *Confounding*. The mutants of an arm change everything at once. What always changes together (a word and the length
  of its sentence, a relative clause and the number of commas) is not told apart by any number of such runs. Only
  queries that change one and keep the other do it. So a name needs both halves of an experiment: with its words alone
  changed the agent is right, and with all others changed it still fails. Of two words, neither alone may cure. A clause
  is not to blame if queries in other sentences without any such clause fail; a limit not, while one place explains the
  small changes as well; nothing is, while a limit that it has no part in explains nearly all runs.

What none of the queries that were run sets apart stays unnamed. A cause that none of these hypotheses describes can
still hide behind a place that it happens to need.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import add

from planscope.dissection.evidence import CAUSES, SAME, Cause, Counts, Evidence, of_kinds
from planscope.session.model import CellKind
from planscope.stats import beta_binomial, entropy

NONE = "none"
SEVERAL = "several"
_TWO: Sequence[tuple[Cause, Cause]] = (
    ("Topic", "Terminal"),
    ("Terminal", "Structure"),
    ("Topic", "Structure"),
)
TWO: Mapping[str, tuple[Cause, Cause]] = {
    f"{one} {how} {other}": (one, other) for how in ("and", "or") for one, other in _TWO
}
"""Two causes at once: both must change, or either."""

HYPOTHESES: tuple[str, ...] = (*CAUSES, NONE, *TWO)

PRIOR: Mapping[str, float] = {
    **dict.fromkeys(HYPOTHESES, 1.0),
    **dict.fromkeys(TWO, 0.12),
    "Terminal or Structure": 0.03,
}
"""How likely each is before the first run, relative to the others."""

ARMS: Mapping[str, tuple[CellKind, slice]] = {
    "W": ("TerminalSubstitute", slice(None)),
    "T": ("TopicChange", slice(None)),
    "S": ("QuerySynthesize", slice(0, None, 2)),
    "SW": ("QuerySynthesize", slice(1, None, 2)),
    "TW": ("Combined", slice(0, None, 2)),
    "STW": ("Combined", slice(1, None, 2)),
    "C": ("Control", slice(None)),
}
"""The mutants that change the same, words (W), topic (T), sentences (S) or constraints (C), by their places in a kind.
"""

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

AVOIDS: Mapping[str, Mapping[str, float]] = {
    cause: dict(zip(ARMS, shares, strict=True))
    for cause, shares in {
        "Terminal": (1, 0.15, 0.7, 0.7, 0.9, 0.9, 0.7),
        "Topic": (0, 1, 0.2, 0.2, 0.9, 0.9, 0.3),
        "Structure": (0, 0, 1, 1, 0, 0.9, 0.8),
        "Constraint": (0, 0, 0, 0, 0, 0, 1),
        "Topic and Terminal": (0, 0, 0, 0, 1, 1, 0.2),
        "Terminal and Structure": (0, 0, 0, 1, 0, 1, 0.7),
        "Topic and Structure": (0, 0, 0, 0, 0, 1, 0.2),
        "Topic or Terminal": (1, 1, 0.7, 0.7, 1, 1, 0.7),
        "Terminal or Structure": (1, 0.1, 1, 1, 1, 1, 0.8),
        "Topic or Structure": (0, 1, 1, 1, 1, 1, 0.8),
    }.items()
}
"""For each cause, the probability that mutants of an arm can avoid the fault."""


@lru_cache(maxsize=65536)
def _mixed(bad: float, good: float, alike: float, counts: Counts) -> tuple[float, ...]:
    """Return the log likelihood of one mutant's runs for each of ``SHARES``, the share of mutants that avoid the
    fault."""
    missed, hit = (math.exp(beta_binomial(rate, alike, counts.right, counts.wrong)) for rate in (good, bad))
    return tuple(math.log(share * missed + (1 - share) * hit) for share in SHARES)


class _Arm:
    """Log likelihoods of an arm's runs: for each of ``PAIRS`` and ``SHARES``, and for hypotheses without a fault."""

    def __init__(self, classes: frozenset[tuple[Counts, int]]) -> None:
        self._tables = []
        for bad, good, alike, _ in PAIRS:
            logs = [0.0] * len(SHARES)
            for counts, times in classes:
                logs = [
                    log + times * v for log, v in zip(logs, _mixed(bad, good, alike, counts), strict=True)
                ]
            top = max(logs)
            self._tables.append((top, [math.exp(log - top) for log in logs]))
        self.flat = {
            name: [
                sum(n * beta_binomial(rate, alike, c.right, c.wrong) for c, n in classes)
                for rate, alike, _ in rates
            ]
            for name, rates in RATES.items()
        }
        self._known: dict[float, list[float]] = {}

    def faulty(self, avoids: float) -> list[float]:
        """Return the log likelihood for each of ``PAIRS``. ``avoids``: the probability that mutants can avoid the
        fault."""
        if avoids not in self._known:
            own = _OWN if avoids == 1 else _BEHIND
            weights = [1 - avoids, *(avoids * w for w in own[1:])]
            self._known[avoids] = [
                top + math.log(max(_NEVER, sum(w * v for w, v in zip(weights, table, strict=True))))
                for top, table in self._tables
            ]
        return self._known[avoids]


_NEVER = 1e-300
"""Stands for probability 0, which has no logarithm."""

_arm = lru_cache(maxsize=4096)(_Arm)
"""An arm by the number of its mutants with each count: one more run changes only one arm."""


@lru_cache(maxsize=4096)
def _started(name: str, same: Counts) -> list[float]:
    """Return the log likelihood of the runs of the unchanged query, with the prior, for each rate of a hypothesis."""
    return [
        math.log(weight * PRIOR[name]) + beta_binomial(rate, ITSELF, same.right, same.wrong)
        for rate, *_, weight in RATES.get(name, PAIRS)
    ]


class Belief:
    """The probability of each hypothesis, given the runs so far. ``likely`` sums to 1. ``log_evidence``: the logarithm
    of the probability of these runs, by all hypotheses together."""

    def __init__(self, evidence: Evidence) -> None:
        same = of_kinds(evidence, SAME)
        arms = {
            name: _arm(frozenset(Counter(m for m in evidence.get(kind, ())[places] if m.runs).items()))
            for name, (kind, places) in ARMS.items()
        }
        logs: dict[str, list[float]] = {}
        for name in HYPOTHESES:
            told = [
                arm.flat[name] if name in RATES else arm.faulty(AVOIDS[name][key])
                for key, arm in arms.items()
            ]
            logs[name] = list(map(add, _started(name, same), map(sum, zip(*told, strict=True))))
        top = max(max(values) for values in logs.values())
        whole = {name: sum(map(math.exp, [v - top for v in values])) for name, values in logs.items()}
        self.log_evidence = top + math.log(sum(whole.values()) / sum(PRIOR.values()))
        self.likely = {name: value / sum(whole.values()) for name, value in whole.items()}

    def of(self, cause: str) -> float:
        """Return the probability that a cause is one of those to blame, or that none is."""
        return self.likely[cause] + sum(p for name, p in self.likely.items() if cause in TWO.get(name, ()))

    def two(self) -> tuple[str, float]:
        """Return the likeliest two causes, and the probability that there are two."""
        return max(TWO, key=lambda name: self.likely[name]), sum(self.likely[name] for name in TWO)

    def told(self) -> dict[str, float]:
        """Return the probability of each cause, of none, and of several; they sum to 1."""
        return {name: self.likely[name] for name in (*CAUSES, NONE)} | {SEVERAL: self.two()[1]}

    def best(self) -> str:
        return max((*CAUSES, NONE), key=self.of)


def with_runs(
    evidence: Evidence, kind: CellKind, place: int | None, runs: Counts
) -> Mapping[CellKind, list[Counts]]:
    """Return the evidence with more runs of a mutant; a ``place`` that does not exist, or None, means a new one."""
    known = {k: list(mutants) for k, mutants in evidence.items()}
    mutants = known.setdefault(kind, [])
    if place is None or place >= len(mutants):
        mutants.append(runs)
    else:
        mutants[place] += runs
    return known


def foresee(evidence: Evidence, now: Belief, kind: CellKind, place: int | None) -> tuple[float, float]:
    """Return the probability that one more run of a mutant is right, and its expected information in bits."""
    right, wrong = (Belief(with_runs(evidence, kind, place, one)) for one in (Counts(1, 0), Counts(0, 1)))
    share = math.exp(right.log_evidence - now.log_evidence)
    after = share * entropy(right.likely.values()) + (1 - share) * entropy(wrong.likely.values())
    return share, entropy(now.likely.values()) - after
