"""Finds the words to blame: the smallest set of changes after which the agent is right.

Delta debugging (Zeller and Hildebrandt, 2002) under noise: a run may fail or succeed by luck, so no single run decides.
Each possible culprit (one change, two that are needed together, or two of which either will do) has a probability, and
the next run has the changes that split it best. When one culprit is likely, it must pass two tests before it is named:

- *Enough*: with these changes alone, in two or three wordings, the agent is right more often than on the query as it
  is: the p-value of Fisher's exact test must fall to a threshold. Since every run is followed by another look, that is
  a threshold, and not a test at this level.
- *Needed*: with all other changes and without these, it still fails; and so it does with a part of them only. This
  excludes whatever stands beside the culprit, at the cost of a few runs, where a threshold on the p-value can not: a
  wrong name rarely comes from chance, but from another place that cures as well.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations

from planscope.dissection.changes import Change
from planscope.dissection.evidence import Counts, CulpritKind
from planscope.dissection.rates import Pick
from planscope.frozen import frozen
from planscope.stats import entropy, fisher

THRESHOLD = 0.02
"""A culprit is named once its p-value is at most this. It is looked at after every run until it is, so this is no error
rate. The tables of docs/dissection.md say how often wrong words were named."""

STATED = 0.9
"""A culprit is looked for only after a cause was stated at this confidence."""

WORDINGS = 2
"""A culprit is named only if this many different queries with its changes were right more often than not."""

EXCLUDED = 3
"""A rival is excluded by this many wrong runs of queries with its changes, and twice as many as right ones."""

ACQUITTED = 2
"""Another constraint is acquitted by this many wrong runs of queries without it that mostly fail, and another change in
the same sentence by as many runs of queries with it alone."""

_LIKELY = 0.75
_MOST_WORDINGS = 4
_SPOILED = 0.1
_LUCK = 0.03
_SUBSETS = 40
_NEGLIGIBLE = 1e-4
_RATES = (0.04, 0.12, 0.25, 0.4, 0.6)
"""How often a query may be right though the fault is in it."""
_SPOILS, _CURES, _EASES = 0.04, 0.02, 0.1
"""What each further change of a query does besides: how often it spoils a cure (the new words may have the same
fault), and how often it cures by itself (fewer constraints are easier to meet)."""
_ORIGINAL_AFTER = 6


@frozen
class Trial:
    """A query with some changes, by their numbers, and its runs."""

    changes: frozenset[int]
    counts: Counts


@frozen
class Suspect:
    """A possible culprit: the sets of changes each of which cures. Usually there is one set, of one change."""

    ways: tuple[frozenset[int], ...]

    @classmethod
    def of(cls, *changes: int) -> Suspect:
        """All of these changes cure together."""
        return cls((frozenset(changes),))

    @classmethod
    def either_of(cls, changes: Iterable[int]) -> Suspect:
        """Each of these changes cures alone."""
        return cls(tuple(frozenset({n}) for n in sorted(changes)))

    @property
    def changes(self) -> frozenset[int]:
        return frozenset[int]().union(*self.ways)

    @property
    def either(self) -> bool:
        return len(self.ways) > 1

    def cured_by(self, changes: frozenset[int]) -> bool:
        return any(way <= changes for way in self.ways)


class Search:
    """The state of the search, computed from the runs so far.

    ``as_is``: runs of the unchanged query; ``cured``: runs of the mutants that speak for the cause. ``exhausted``: sets
    of changes of which no other query can be made.
    """

    def __init__(
        self,
        changes: Sequence[Change],
        as_is: Counts,
        cured: Counts,
        trials: Sequence[Trial],
        exhausted: Collection[frozenset[int]] = (),
    ) -> None:
        self.exhausted = exhausted
        self.changes, self.as_is, self.trials = changes, as_is, trials
        self.good = min(
            0.97, max((cured.right + 9) / (cured.runs + 10), as_is.right / max(1, as_is.runs) + 0.2)
        )
        self.bad = 0.0
        """How often the query is right as it is, by all runs so far."""
        self._prior = _prior(changes)
        self.likely = self._posterior()

    def _posterior(self) -> dict[Suspect | None, float]:
        """Return the probability of each suspect; None stands for a culprit of more than three changes, or none.

        A few runs of the unchanged query hardly tell how often it is right, so all its rates are weighed.
        """
        trials = [t for t in self.trials if t.counts.runs]
        whole = [self._whole(t.changes) for t in trials]
        shares = [self._shares(t.changes) for t in trials]
        places = range(len(trials))
        cures = {s: [k for k in places if s.cured_by(whole[k])] for s in self._prior}
        logs: dict[Suspect | None, list[float]] = {s: [] for s in (None, *self._prior)}
        for rate in _RATES:
            good = max(self.good, min(0.97, rate + 0.2))
            fits = [(_fit(t.counts, good), _fit(t.counts, rate)) for t in trials]
            start = math.log(_fit(self.as_is, rate))
            told = [[math.log(s * g + (1 - s) * b) for s in shares[k]] for k, (g, b) in enumerate(fits)]
            none = start + sum(no for _, no in told)
            gain = [yes - no for yes, no in told]
            logs[None].append(math.log(0.1) + start + sum(math.log(0.3 * g + 0.7 * b) for g, b in fits))
            for suspect, weight in self._prior.items():
                logs[suspect].append(math.log(0.9 * weight) + none + sum(gain[k] for k in cures[suspect]))
        top = max(max(some) for some in logs.values())
        found = {suspect: [math.exp(log - top) for log in some] for suspect, some in logs.items()}
        weights = [sum(some[k] for some in found.values()) for k in range(len(_RATES))]
        self.bad = sum(w * r for w, r in zip(weights, _RATES, strict=True)) / sum(weights)
        return {suspect: sum(some) / sum(weights) for suspect, some in found.items()}

    def _whole(self, changes: frozenset[int]) -> frozenset[int]:
        """Return the changes with those that they include: a list taken apart loses its relative clause, too."""
        return changes.union(*(self.changes[n].includes for n in changes))

    def _shares(self, changes: frozenset[int]) -> tuple[float, float]:
        """Return how often a query with these changes is cured: if the culprit is among them, and if it is not."""
        more = len(changes) - 1
        cures = _EASES if self.changes[0].kind == "constraint" else _CURES
        return (1 - _SPOILED) * (1 - _SPOILS) ** more, 1 - (1 - _LUCK) * (1 - cures) ** more

    def best(self) -> Suspect | None:
        return max(self.likely, key=lambda one: self.likely[one])

    def alone(self, changes: frozenset[int]) -> list[tuple[int, Counts]]:
        """Return the trials with exactly these changes, by their places."""
        return [(k, t.counts) for k, t in enumerate(self.trials) if t.changes == changes]

    def counts_of(self, changes: frozenset[int]) -> Counts:
        return sum((counts for _, counts in self.alone(changes)), Counts())

    def proved(self) -> Suspect | None:
        """Return the culprit, once its p-value is at most the threshold."""
        best = self.best()
        if best is None or self.likely[best] < _LIKELY or any(self._open(best)):
            return None
        return best

    def _stands(self, changes: frozenset[int]) -> bool:
        ahead = [counts.right - counts.wrong for _, counts in self.alone(changes)]
        enough = sum(n > 0 for n in ahead) >= max(WORDINGS, 2 * sum(n < 0 for n in ahead))
        return enough and self.p_value(changes) <= THRESHOLD

    def _open(self, suspect: Suspect) -> Iterator[tuple[frozenset[int], int]]:
        """Yield the changes of which it is not shown yet that they cure, or that they do not; each with the number of
        different queries that this takes.

        Those of the suspect must cure. All others must not, and no part of it. To leave out all other constraints may
        take away what the fault needs: then each is left out alone, unless two are needed, since then other two may be.
        Each other change in the sentence of a clause is tried alone, too: a sentence changed in all ways at once may
        have again what the suspect took away.
        """
        yield from ((way, WORDINGS) for way in suspect.ways if not self._stands(way))
        rivals = [(way - {n}, EXCLUDED) for way in suspect.ways for n in way]
        everything = range(len(self.changes))
        others = frozenset(n for n in everything if not self._whole(frozenset({n})) & suspect.changes)
        beside: Collection[int] = ()
        if self.changes[0].kind == "constraint" and all(len(way) == 1 for way in suspect.ways):
            others -= self._acquitted(suspect)
            if self.counts_of(others).right:
                beside, others = others, frozenset()
        elif self.changes[0].kind in ("clause", "sentence"):
            sentences = {self.changes[n].places[0][0] for n in suspect.changes}
            beside = [n for n in others if self.changes[n].places[0][0] in sentences]
        rivals += [(others, EXCLUDED), *((frozenset({n}), ACQUITTED) for n in sorted(beside))]
        for rival, least in rivals:
            counts = self.counts_of(rival)
            cures = any(one.right > one.wrong for _, one in self.alone(rival))
            if rival and (cures or counts.wrong < max(least, 2 * counts.right)):
                yield rival, 1

    def _acquitted(self, suspect: Suspect) -> frozenset[int]:
        """Return the changes that queries had which mostly failed, without those of the suspect."""
        tried = (t for t in self.trials if not suspect.cured_by(self._whole(t.changes)))
        failing = (t for t in tried if t.counts.wrong > t.counts.right)
        wrong = Counter(n for t in failing for n in (*t.changes,) * t.counts.wrong)
        return frozenset(n for n in wrong if wrong[n] >= ACQUITTED)

    def p_value(self, changes: frozenset[int]) -> float:
        """The p-value that these changes alone are right more often than the query as it is, if nobody had looked
        before."""
        counts = self.counts_of(changes)
        return fisher(counts.right, counts.runs, self.as_is.right, self.as_is.runs)

    def next(self, draw: random.Random) -> Pick | None:
        """Return the next run, or None if there is nothing to change. A suspect that is proved may still have rivals of
        another kind: then the runs go on.
        """
        if not self.changes:
            return None
        best = self.best()
        if best is not None and self.likely[best] >= _LIKELY:
            for test, least in self._open(best):
                if (step := self._confirm(test, least)) is not None:
                    return step
        chosen = self._split(draw)
        return Pick("Culprit", None, tuple(sorted(chosen))) if chosen is not None else None

    def _confirm(self, test: frozenset[int], least: int) -> Pick | None:
        """Return a run with these changes alone; None if fewer different queries than ``least`` can be made."""
        tried = self.alone(test)
        runs = sum(counts.runs for _, counts in tried)
        if runs >= _ORIGINAL_AFTER and self.as_is.runs < runs:
            return Pick("Original", 0)
        few = len(tried) < WORDINGS or (runs >= 2 * len(tried) and len(tried) < _MOST_WORDINGS)
        if few and test not in self.exhausted:
            return Pick("Culprit", None, tuple(sorted(test)))
        if len(tried) < least:
            return None
        return Pick("Culprit", min(tried, key=lambda one: one[1].runs)[0])

    def _split(self, draw: random.Random) -> frozenset[int] | None:
        """Return the changes whose run tells most about the culprit; None if no other query can be made."""
        everything = range(len(self.changes))
        weights = [sum(p for s, p in self.likely.items() if s and n in s.changes) for n in everything]
        order = sorted(everything, key=lambda n: -weights[n])
        candidates = [frozenset(order[:k]) for k in range(1, len(order) + 1)]
        for _ in range(_SUBSETS):
            size = draw.randint(1, max(1, len(order) // 2 + 1))
            candidates.append(frozenset(draw.sample(order, min(size, len(order)))))
        tried = {t.changes for t in self.trials}
        likely = [(s, p) for s, p in self.likely.items() if s and p > _NEGLIGIBLE]

        def told(changes: frozenset[int]) -> tuple[float, int]:
            whole = self._whole(changes)
            cured = sum(p for s, p in likely if s.cured_by(whole))
            yes, no = (s * self.good + (1 - s) * self.bad for s in self._shares(changes))
            both = cured * yes + (1 - cured) * no
            before, cured_bits, other_bits = (entropy((p, 1 - p)) for p in (both, yes, no))
            gain = before - cured * cured_bits - (1 - cured) * other_bits
            return round(gain * (0.7 if changes in tried else 1.0), 3), -len(changes)

        return max((c for c in candidates if c and c not in self.exhausted), key=told, default=None)


def _fit(counts: Counts, rate: float) -> float:
    """Return the chance of these runs in this order at a rate."""
    return rate**counts.right * (1 - rate) ** counts.wrong


def _prior(changes: Sequence[Change]) -> dict[Suspect, float]:
    """Return the suspects with their weights, which sum to 1: mostly single changes."""
    everything = range(len(changes))
    pairs = [*combinations(everything, 2)]

    def alike(pair: tuple[int, int]) -> bool:
        like, other = (changes[n].like for n in pair)
        return bool(like) and like == other

    groups = (
        (0.66, [Suspect.of(n) for n in everything]),
        (0.17, [Suspect.of(*p) for p in pairs if alike(p)]),
        (0.08, [Suspect.of(*p) for p in pairs if not alike(p)]),
        (0.09, [Suspect.either_of(p) for p in pairs]),
    )
    found = {one: share / len(members) for share, members in groups for one in members}
    whole = sum(found.values())
    return {one: weight / whole for one, weight in found.items()}


@frozen
class Culprit:
    """The words to blame. ``places``: each with its sentence and its text; ``span`` is that of the first.

    ``instead``: the words of the cured query in their place. ``variant``: the cured query. ``either``: the places are
    two culprits, and changing one of them is enough. ``limited``: the agent fails from a limit on, which ``instead``
    says; the counts are of queries up to it (cured) and above it (as is).
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
    limited: bool = False

    @property
    def sentence(self) -> int:
        return self.places[0][0]

    @property
    def span(self) -> tuple[int, int]:
        return self.places[0][1]
