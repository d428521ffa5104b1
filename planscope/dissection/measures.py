"""What can be counted in a query: how many, how long, and what stands first. An agent may fail from a limit on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from planscope.dissection.evidence import NO_RUNS, Counts, CulpritKind
from planscope.language.problem import Action, Span
from planscope.language.reading import read_query
from planscope.language.tree import FORMS, NP, ActionRef, Clause, Form, Relative, walk
from planscope.session.model import Variant
from planscope.session.oracle_input import actions_of
from planscope.stats import entropy, fisher


class Measure(NamedTuple):
    """Something that can be counted. ``said``: what, in the plural."""

    kind: CulpritKind
    said: str


Measured = Mapping[Measure, tuple[int, Span]]
"""The number of each measure, and the words that have most of it."""

RELATIVES, LISTS, SECONDS, *_FORMS = (
    Measure("number", said)
    for said in ("relative clauses", "lists", "second clauses", *(f"{form} clauses" for form in FORMS))
)
FORM: Mapping[Form, Measure] = dict(zip(FORMS, _FORMS, strict=True))
PARTS = (RELATIVES, LISTS, SECONDS, *_FORMS)


def measured(variant: Variant) -> Measured:
    return _measured(variant.query.text, actions_of(variant), variant.query.timed)


@lru_cache(maxsize=4096)
def _measured(text: str, actions: tuple[Action, ...], timed: bool) -> Measured:
    reading = read_query(text, actions, timed=timed)
    nodes = [node for _, node in walk(reading.tree)]
    refs = sorted((node.span, node.action) for node in nodes if isinstance(node, ActionRef))
    spans = [s.span for s in reading.tree.sentences]
    often = max(Counter(action for _, action in refs).values(), default=0)
    full = [(sum(a <= at < b for (at, _), _ in refs), (a, b)) for a, b in spans]
    long = [(len(text[a:b].split()), (a, b)) for a, b in spans]
    waits = {c.after for c in reading.problem.said}
    whole = (0, len(text))
    first = next(((int(action in waits), span) for span, action in refs), (0, whole))
    counted = {
        Measure("number", "sentences"): len(spans),
        Measure("number", "mentions of actions"): len(refs),
        Measure("number", "mentions of one action"): often,
        RELATIVES: sum(isinstance(node, Relative) for node in nodes),
        LISTS: sum(isinstance(node, NP) and len(node.actions) > 1 for node in nodes),
        SECONDS: sum(len(s.clauses) - 1 for s in reading.tree.sentences),
        Measure("length", "words"): len(text.split()),
    }
    forms = Counter(node.form for node in nodes if isinstance(node, Clause))
    counted |= {measure: forms[form] for form, measure in FORM.items()}
    return {
        **{measure: (n, whole) for measure, n in counted.items()},
        Measure("number", "mentions of actions in one sentence"): max(full, default=(0, whole)),
        Measure("length", "words in one sentence"): max(long, default=(0, whole)),
        Measure("position", "actions that are named first and wait for others"): first,
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
        return "clause" if self.measure in PARTS and not self.most else self.measure.kind

    @property
    def p_value(self) -> float:
        return fisher(self.below.right, self.below.runs, self.others.right, self.others.runs)

    @property
    def misfit(self) -> float:
        """How badly two rates, one on each side, explain the queries, in bits."""
        sides = (self.below, self.others)
        return sum(c.runs * entropy((c.right / c.runs, c.wrong / c.runs)) for c in sides if c.runs)

    def limit(self) -> str:
        return f"at most {self.most} {self.measure.said}" if self.most else f"no {self.measure.said}"


def splits(runs: Sequence[tuple[Measured, Counts]]) -> list[Split]:
    """Return every measure with every limit that the query is above and another one is not, the clearest first.

    ``runs``: queries that mean the same, with their runs; the first is the query itself.
    """
    verdicts = [(told, Counts(1, 0) if c.right > c.wrong else Counts(0, 1)) for told, c in runs if c.runs]
    found = []
    for measure, (own, _) in runs[0][0].items():
        for most in {n for told, _ in verdicts if (n := told[measure][0]) < own}:
            sides = [NO_RUNS, NO_RUNS]
            for told, one in verdicts:
                sides[told[measure][0] > most] += one
            found.append(Split(measure, most, *sides))
    return sorted(found, key=lambda one: (one.misfit, one.measure, one.most))


LEVEL = 0.0005
"""The highest p-value of what is told, since the clearest of many limits is taken."""

_AHEAD = 6.0
"""A limit is to blame if it explains the queries better, by so many bits, than any limit of another kind."""


def shared_by(found: Sequence[Split]) -> str:
    """Say what the right queries have in common and the wrong ones have not; "" if nothing is clear."""
    if not found or found[0].p_value > LEVEL:
        return ""
    best = found[0]
    return f"What the right queries share: {compared(best.limit(), best.below, best.others)}. Try that."


def compared(limit: str, below: Counts, others: Counts) -> str:
    return f"with {limit}, {below.right} of {below.runs} queries were right, else {others.right} of {others.runs}"


def to_blame(found: Sequence[Split]) -> Split | None:
    """Return the limit from which the agent fails, if one is clearer than those of all other kinds."""
    best = found[0] if found else None
    if best is None or best.p_value > LEVEL or best.below.right < 4 * best.below.wrong:
        return None
    rest = [one.misfit for one in found if one.kind != best.kind]
    return best if min(rest, default=99.0) >= best.misfit + _AHEAD else None


def rivals(found: Sequence[Split]) -> bool:
    """Return whether a number, a length or a place explains the queries so well that no clause alone is to blame."""
    best = next((one for one in found if one.kind != "clause"), None)
    return (
        best is not None and best.p_value <= LEVEL and best.misfit < (best.below.runs + best.others.runs) / 5
    )
