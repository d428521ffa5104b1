"""What can be counted in a query: how many, how long, and what stands first. An agent may fail from a limit on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from planscope.dissection.changes import around
from planscope.dissection.evidence import NO_RUNS, Counts, CulpritKind
from planscope.language.problem import Action, Constraint, Problem, Span
from planscope.language.reading import read_query
from planscope.language.tree import NP, ActionRef, Clause, Relative, Word, walk
from planscope.session.model import Variant
from planscope.session.oracle_input import actions_of
from planscope.stats import entropy, fisher
from planscope.wording.constraints import brief


class Measure(NamedTuple):
    """Something that can be counted. ``said``: what, in the plural."""

    kind: CulpritKind
    said: str


Measured = Mapping[Measure, tuple[int, Span]]
"""The number of each measure, and the words that have most of it."""


def amount(told: Measured, measure: Measure) -> int:
    """Return the number of a measure in a query, 0 if it has none."""
    return told[measure][0] if measure in told else 0


def constraint_measure(c: Constraint, problem: Problem) -> Measure:
    """Return the measure of how often a query says a constraint."""
    return Measure("constraint", f"“{brief(c, problem)}”")


_FORMS = ("direct", "adjunct", "compound", "fronted")


def measured(variant: Variant) -> Measured:
    return counted(variant.query.text, actions_of(variant), variant.query.timed)


@lru_cache(maxsize=4096)
def counted(text: str, actions: tuple[Action, ...], timed: bool) -> Measured:
    reading = read_query(text, actions, timed=timed)
    nodes = [node for _, node in walk(reading.tree)]
    refs = sorted((node.span, node.action) for node in nodes if isinstance(node, ActionRef))
    spans = [s.span for s in reading.tree.sentences]
    often = max(Counter(action for _, action in refs).values(), default=0)
    full = [(sum(a <= at < b for (at, _), _ in refs), (a, b)) for a, b in spans]
    parts = [node.span for node in nodes if isinstance(node, Clause | Relative)]
    words = [[(len(text[a:b].split()), (a, b)) for a, b in some] for some in (spans, parts)]
    letters = [[(b - a, (a, b)) for a, b in some] for some in (spans, parts)]
    asked = reading.problem.said
    waits, leads = {c.after for c in asked}, {c.before for c in asked}
    whole = (0, len(text))
    first = next(((int(action in waits), span) for span, action in refs), (0, whole))
    last = next(((int(action in leads), span) for span, action in reversed(refs)), (0, whole))
    clauses = [node.form.removesuffix("_compound") for node in nodes if isinstance(node, Clause)]
    found: Sequence[tuple[CulpritKind, str, int]] = (
        ("number", "sentences", len(spans)),
        ("number", "clauses", len(parts)),
        ("number", "mentions of actions", len(refs)),
        ("number", "mentions of one action", often),
        ("number", "commas", text.count(",")),
        # Other sentences may say a constraint that follows from others less often, or not at all.
        ("constraint", "constraints said", len(asked)),
        ("length", "words", len(text.split())),
        ("length", "characters", len(text)),
        ("clause", "relative clauses", sum(isinstance(node, Relative) for node in nodes)),
        ("clause", "lists", sum(isinstance(node, NP) and len(node.actions) > 1 for node in nodes)),
        ("clause", "second clauses", sum(len(s.clauses) - 1 for s in reading.tree.sentences)),
        *(("clause", f"{form} clauses", clauses.count(form)) for form in _FORMS),
    )
    said = [(constraint_measure(c, reading.problem), around(c)) for c in asked]
    for word in (node for node in nodes if isinstance(node, Word)):
        said += [(Measure("word", f"“{name}”"), word.span) for name in (word.entry, word.modal) if name]
        said += [(Measure("word", "modals"), word.span)] if word.modal else []
    times = Counter(measure for measure, _ in said)
    return {
        **{measure: (times[measure], span) for measure, span in said},
        **{Measure(kind, what): (n, whole) for kind, what, n in found},
        Measure("number", "mentions of actions in one sentence"): max(full, default=(0, whole)),
        **{
            Measure("length", f"{what} in one {where}"): max(some, default=(0, whole))
            for what, sizes in (("words", words), ("characters", letters))
            for where, some in zip(("sentence", "clause"), sizes, strict=True)
        },
        Measure("position", "actions that are named first and wait for others"): first,
        Measure("position", "actions that are named last and others wait for"): last,
    }


class Split(NamedTuple):
    """The queries that have at most so many of a measure, and the others: how many were right, and how many wrong, more
    often than not."""

    measure: Measure
    most: int
    below: Counts
    others: Counts

    @property
    def kind(self) -> CulpritKind:
        return "number" if self.measure.kind == "clause" and self.most else self.measure.kind

    @property
    def p_value(self) -> float:
        return fisher(self.below.right, self.below.runs, self.others.right, self.others.runs)

    @property
    def misfit(self) -> float:
        """How badly two rates, one on each side, explain the queries, in bits."""
        return _bits(self.below) + _bits(self.others)

    @property
    def cures(self) -> bool:
        """Whether nearly all queries up to the limit were right."""
        return self.below.right >= 4 * self.below.wrong

    def limit(self) -> str:
        return f"at most {self.most} {self.measure.said}" if self.most else f"no {self.measure.said}"


def _bits(counts: Counts) -> float:
    runs = max(1, counts.runs)
    return runs * entropy((counts.right / runs, counts.wrong / runs))


def splits(runs: Sequence[tuple[Measured, Counts]]) -> list[Split]:
    """Return every measure with every limit that the query is above and another one is not, the clearest first.

    ``runs``: queries that mean the same, with their runs; the first is the query itself. A word is counted where it is.
    """
    verdicts = [(told, Counts(1, 0) if c.right > c.wrong else Counts(0, 1)) for told, c in runs if c.runs]
    found = []
    for measure, (own, _) in runs[0][0].items():
        for most in {n for told, _ in verdicts if (n := amount(told, measure)) < own}:
            sides = [NO_RUNS, NO_RUNS]
            for told, one in verdicts:
                sides[amount(told, measure) > most] += one
            found.append(Split(measure, most, *sides))
    return sorted(found, key=lambda one: (one.misfit, one.measure, one.most))


_TOGETHER = 0.005
"""The highest p-value of a word or a limit of a pair, among the queries where the other one does not decide."""


def pair_to_blame(runs: Sequence[tuple[Measured, Counts]]) -> tuple[Split, Split] | None:
    """Return the limit that is to blame besides a word, and what both together explain, if that is better, by some
    bits, than any word or limit alone: the agent fails where a query has the word, or is above the limit.

    ``runs`` as in :func:`splits`.
    """
    found = splits(runs)
    if not found or found[0].misfit < _AHEAD:
        return None
    told = [(one, c.right > c.wrong) for one, c in runs if c.runs]
    right, wrong = (sum((good == sort) << k for k, (_, good) in enumerate(told)) for sort in (True, False))

    def above(one: Split) -> int:
        return sum((amount(it, one.measure) > one.most) << k for k, (it, _) in enumerate(told))

    def counts(some: int) -> Counts:
        return Counts((some & right).bit_count(), (some & wrong).bit_count())

    def matters(rest: int, bad: int) -> bool:
        """Return whether, where the other one does not decide, what is bad is right less often."""
        parted = Split(found[0].measure, 0, counts(rest & ~bad), counts(rest & bad))
        return parted.p_value <= _TOGETHER

    marked = [(one, above(one)) for one in found]
    words = [(one, has) for one, has in marked if one.kind == "word" and not one.most]
    pairs = []
    for (word, has), (limit, over) in product(words, marked):
        said = f"{word.measure.said} and {limit.limit()}"
        both = Split(Measure("word", said), 0, counts(~(has | over)), counts(has | over))
        better = limit.kind != "word" and both.misfit + _AHEAD <= found[0].misfit
        if better and matters(~over, has) and matters(~has, over):
            pairs.append((limit, both))
    return min(pairs, key=lambda pair: pair[1].misfit + _RARER * (pair[0].kind == "constraint"), default=None)


_RARER = 8.0
"""A constraint that other sentences leave out is a rarer cause than the sentences, by so many bits."""

LEVEL = 0.0005
"""The highest p-value of what is told, since the clearest of many limits is taken."""

_LEFT = 0.6
"""A limit is to blame if it leaves at most this share of what is unexplained without it."""

_AHEAD = 6.0
"""A limit is to blame if it explains the queries better, by so many bits, than any limit of another kind."""


_CLEAN = 9
"""Queries without a constraint that is to blame are right so many times as often as wrong."""


def told_apart(found: Sequence[Split], told: Measured) -> float:
    """Return how many bits a run of one more query tells of which of the likely limits is to blame."""
    close = [one for one in found if one.misfit <= found[0].misfit + _CLOSE]
    weights = [math.exp2(found[0].misfit - one.misfit) for one in close]
    rates = []
    for one in close:
        side = one.others if amount(told, one.measure) > one.most else one.below
        rates.append((side.right + 0.5) / (side.runs + 1))
    parts = [w / sum(weights) for w in weights]
    mean = sum(w * rate for w, rate in zip(parts, rates, strict=True))
    left = sum(w * entropy((rate, 1 - rate)) for w, rate in zip(parts, rates, strict=True))
    return entropy((mean, 1 - mean)) - left


_CLOSE = 12.0
"""Limits that explain the queries at most so many bits worse than the best one are told apart."""


def shared_by(found: Sequence[Split]) -> str:
    """Say what the right queries have in common and the wrong ones have not; "" if nothing is clear."""
    if not found or found[0].p_value > LEVEL:
        return ""
    best = found[0]
    return f"What the right queries share: {compared(best.limit(), best.below, best.others)}. Try that."


def compared(limit: str, below: Counts, others: Counts) -> str:
    return f"with {limit}, {below.right} of {below.runs} queries were right, else {others.right} of {others.runs}"


def to_blame(found: Sequence[Split]) -> Split | None:
    """Return the limit from which the agent fails, if one is clearer than those of all other kinds.

    A constraint must be clearer than any other constraint, too.
    """
    best = found[0] if found else None
    if best is None or best.kind in ("clause", "word") or best.p_value > LEVEL or not best.cures:
        return None
    alone = best.kind == "constraint"
    if alone and not best.most and best.below.right < _CLEAN * best.below.wrong:
        return None
    rest = [one.misfit for one in found if (one.measure != best.measure if alone else one.kind != best.kind)]
    ahead = min(rest, default=99.0) >= best.misfit + _AHEAD
    return best if ahead and best.misfit <= _LEFT * _bits(best.below + best.others) else None


def rivals(found: Sequence[Split]) -> bool:
    """Return whether a number, a length or a place explains the queries so well that no clause alone is to blame."""
    best = next((one for one in found if one.kind not in ("clause", "word", "constraint")), None)
    return (
        best is not None and best.p_value <= LEVEL and best.misfit < (best.below.runs + best.others.runs) / 5
    )
