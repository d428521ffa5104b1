"""Finds the words to blame: the smallest set of changes after which the agent is right.

Delta debugging (Zeller and Hildebrandt, 2002) under noise: a run may fail or succeed by luck, so no single run decides.
Each possible culprit (one change, two or three alike that are needed together, or two of which either will do) has a
probability, and the next run has the changes that split it best. When one culprit is likely, queries with these changes
alone are run, in two or three wordings. It is named only if they are right more often than the query as it is, by
Fisher's exact test at 2 % divided by the number of culprits that were put to this test.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from planscope.dissection.changes import Change
from planscope.dissection.evidence import Counts

LEVEL = 0.02
"""The chance at which a culprit is named though its changes make no difference."""

STATED = 0.9
"""A culprit is looked for only after a cause was stated at this confidence."""

WORDINGS = 2
"""A culprit is named only if this many different queries with its changes were right more often than not."""

_LIKELY = 0.75
_MOST_WORDINGS = 4
_SPOILED = 0.1
_LUCK = 0.04
_SUBSETS = 40
_ORIGINAL_AFTER = 6


@dataclass(frozen=True, slots=True)
class Trial:
    """A query with some changes, by their numbers, and its runs."""

    changes: frozenset[int]
    counts: Counts


@dataclass(frozen=True, slots=True)
class Suspect:
    """A possible culprit: all of these changes cure together, or each of them alone does (``either``)."""

    changes: frozenset[int]
    either: bool = False

    def cured_by(self, changes: frozenset[int]) -> bool:
        return bool(self.changes & changes) if self.either else self.changes <= changes

    @property
    def tests(self) -> tuple[frozenset[int], ...]:
        """The sets of changes that must cure alone."""
        return tuple(frozenset({n}) for n in sorted(self.changes)) if self.either else (self.changes,)


@dataclass(frozen=True, slots=True)
class Step:
    """The next run: a query with these changes, or the query as it is. ``again``: a trial that is run once more."""

    changes: frozenset[int]
    original: bool = False
    again: int | None = None


class Search:
    """The state of the search, computed from the runs so far.

    ``as_is``: runs of the unchanged query; ``cured``: runs of the mutants that speak for the cause. ``suspicion``: for
    each change, how much the runs so far suspect its words.
    """

    def __init__(
        self,
        changes: Sequence[Change],
        as_is: Counts,
        cured: Counts,
        trials: Sequence[Trial],
        suspicion: Sequence[float] = (),
    ) -> None:
        self.changes, self.as_is, self.trials = changes, as_is, trials
        self.bad = max(0.03, (as_is.right + 0.5) / (as_is.runs + 2))
        self.good = min(0.97, max((cured.right + 9) / (cured.runs + 10), self.bad + 0.2))
        self._prior = dict(_prior(changes, suspicion))
        self.likely = self._posterior()

    def _posterior(self) -> dict[Suspect | None, float]:
        """Return the probability of each suspect; None stands for a culprit of more than three changes, or none."""
        logs: dict[Suspect | None, float] = {None: math.log(0.1)}
        fits = [(t.changes, *self._fits(t.counts)) for t in self.trials if t.counts.runs]
        for _, good, bad in fits:
            logs[None] += math.log(0.3 * good + 0.7 * bad)
        for suspect, weight in self._prior.items():
            log = math.log(0.9 * weight)
            for changes, good, bad in fits:
                share = 1 - _SPOILED if suspect.cured_by(changes) else _LUCK
                log += math.log(share * good + (1 - share) * bad)
            logs[suspect] = log
        top = max(logs.values())
        found = {suspect: math.exp(log - top) for suspect, log in logs.items()}
        whole = sum(found.values())
        return {suspect: value / whole for suspect, value in found.items()}

    def _fits(self, counts: Counts) -> tuple[float, float]:
        def at(rate: float) -> float:
            return rate**counts.right * (1 - rate) ** counts.wrong

        return at(self.good), at(self.bad)

    def best(self) -> Suspect | None:
        return max(self.likely, key=lambda one: self.likely[one])

    def alone(self, changes: frozenset[int]) -> list[tuple[int, Counts]]:
        """Return the trials with exactly these changes, by their places."""
        return [(k, t.counts) for k, t in enumerate(self.trials) if t.changes == changes]

    def counts_of(self, changes: frozenset[int]) -> Counts:
        return sum((counts for _, counts in self.alone(changes)), Counts())

    def proved(self) -> Suspect | None:
        """Return the culprit, if the tests name one."""
        best = self.best()
        if best is None or self.likely[best] < _LIKELY:
            return None
        return best if all(self._stands(test) for test in best.tests) else None

    def _stands(self, changes: frozenset[int]) -> bool:
        wordings = sum(counts.right > counts.wrong for _, counts in self.alone(changes))
        return wordings >= WORDINGS and self.p_value(changes) <= LEVEL / self.decisions

    @property
    def decisions(self) -> int:
        """The number of sets of changes that were tested alone in more than one query."""
        tried = {t.changes for t in self.trials if t.counts.runs}
        return max(1, sum(len(self.alone(one)) > 1 for one in tried))

    def p_value(self, changes: frozenset[int]) -> float:
        return exact_test(self.counts_of(changes), self.as_is)

    def next(self, draw: random.Random) -> Step | None:
        """Return the next run, or None if the culprit is proved or there is nothing to change."""
        if not self.changes or self.proved() is not None:
            return None
        best = self.best()
        if best is not None and self.likely[best] >= _LIKELY:
            test = next((one for one in best.tests if not self._stands(one)), best.tests[0])
            return self._confirm(test)
        return Step(self._split(draw))

    def _confirm(self, test: frozenset[int]) -> Step:
        tried = self.alone(test)
        runs = sum(counts.runs for _, counts in tried)
        if runs >= _ORIGINAL_AFTER and self.as_is.runs < runs:
            return Step(frozenset(), original=True)
        if len(tried) < WORDINGS or (runs >= 2 * len(tried) and len(tried) < _MOST_WORDINGS):
            return Step(test)
        place = min(tried, key=lambda one: one[1].runs)[0]
        return Step(test, again=place)

    def _split(self, draw: random.Random) -> frozenset[int]:
        """Return the changes whose cure is the most uncertain: half of the probability says yes."""
        everything = range(len(self.changes))
        weights = [sum(p for s, p in self.likely.items() if s and n in s.changes) for n in everything]
        order = sorted(everything, key=lambda n: -weights[n])
        candidates = [frozenset(order[:k]) for k in range(1, len(order) + 1)]
        candidates += [frozenset(order[k::2]) for k in (0, 1)]
        for _ in range(_SUBSETS):
            size = draw.randint(1, max(1, len(order) // 2 + 1))
            candidates.append(frozenset(draw.sample(order, min(size, len(order)))))
        tried = {t.changes for t in self.trials}

        def distance(changes: frozenset[int]) -> tuple[float, int]:
            cured = sum(p for s, p in self.likely.items() if s and s.cured_by(changes))
            return round(abs(cured - 0.5) + (0.1 if changes in tried else 0.0), 3), len(changes)

        return min((c for c in candidates if c), key=distance)


def _prior(changes: Sequence[Change], suspicion: Sequence[float]) -> list[tuple[Suspect, float]]:
    """Return the suspects with their weights, which sum to 1: mostly single changes."""
    everything = range(len(changes))
    weight = [0.05 + (suspicion[n] if n < len(suspicion) else 0.15) for n in everything]
    groups: list[tuple[float, list[tuple[Suspect, float]]]] = []
    singles = [(Suspect(frozenset({n})), weight[n]) for n in everything]
    groups.append((0.66, singles))
    pairs = list(combinations(everything, 2))

    def alike(one: tuple[int, ...]) -> bool:
        return bool(changes[one[0]].like) and len({changes[n].like for n in one}) == 1

    def together(some: Sequence[tuple[int, ...]]) -> list[tuple[Suspect, float]]:
        return [(Suspect(frozenset(one)), math.prod(weight[n] for n in one)) for one in some]

    groups.append((0.12, together([p for p in pairs if alike(p)])))
    groups.append((0.08, together([p for p in pairs if not alike(p)])))
    groups.append((0.05, together([t for t in combinations(everything, 3) if alike(t)])))
    either = [(Suspect(frozenset(p), True), weight[p[0]] * weight[p[1]]) for p in pairs]
    groups.append((0.09, either))
    found = []
    for share, members in groups:
        whole = sum(w for _, w in members)
        found += [(suspect, share * w / whole) for suspect, w in members]
    whole = sum(w for _, w in found)
    return [(suspect, w / whole) for suspect, w in found]


def exact_test(cured: Counts, as_is: Counts) -> float:
    """Return the p-value of Fisher's exact test, one-sided: that the cured query is right more often."""
    right, runs = cured.right + as_is.right, cured.runs + as_is.runs
    if not cured.runs or not as_is.runs:
        return 1.0
    whole = math.comb(runs, right)
    most = min(right, cured.runs)
    ways = (math.comb(cured.runs, k) * math.comb(as_is.runs, right - k) for k in range(cured.right, most + 1))
    return sum(ways) / whole


CulpritKind = Literal["word", "clause", "sentence", "constraint", "action"]


@dataclass(frozen=True, slots=True)
class Culprit:
    """The words to blame. ``places``: each with its sentence and its text; ``span`` is that of the first.

    ``instead``: the words of the cured query in their place. ``variant``: the cured query. ``either``: the places are
    two culprits, and changing one of them is enough.
    """

    kind: CulpritKind
    places: tuple[tuple[int, tuple[int, int], str], ...]
    constraints: tuple[str, ...]
    text: str
    instead: str
    cured: str
    variant: str
    as_is: Counts
    cured_counts: Counts
    p_value: float
    either: bool = False

    @property
    def sentence(self) -> int:
        return self.places[0][0]

    @property
    def span(self) -> tuple[int, int]:
        return self.places[0][1]
