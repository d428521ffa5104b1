"""Which run to spend next: the one that is expected to tell most about the cause."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from planscope.dissection.arms import CHANGED, SAME, Counts, Evidence, of_kinds
from planscope.dissection.belief import Belief
from planscope.session.model import CellKind

FIRST = 8
"""Runs of the request as it is before anything else: all other rates are held against this one."""

_WORTH = 1e-9


@dataclass(frozen=True, slots=True)
class Pick:
    """A run to spend on a mutant, by its place among those of its kind; None: on a new one."""

    kind: CellKind
    place: int | None


def next_run(
    evidence: Evidence,
    closed: Collection[CellKind] = (),
    pending: Sequence[Pick] = (),
    *,
    failed: bool = True,
) -> Pick:
    """The most telling run. ``closed``: kinds of which no new mutant can be made. ``pending``: runs under way.

    A run under way is taken to end as is likeliest, so that the next one is not spent on the same question.
    ``failed``: the request is known to fail (see ``decide``); else that is looked for first.
    """
    known = imagined(evidence, pending)
    same = of_kinds(known, SAME)
    if same.runs < FIRST or not (failed or of_kinds(evidence, SAME).wrong):
        return Pick("Original", 0 if known.get("Original") else None)
    belief = Belief(known)
    best, most = Pick("Original", 0 if known.get("Original") else None), belief.gain("Original")
    for kind in CHANGED:
        mutants = known.get(kind, ())
        places: dict[Counts, int | None] = {Counts(): None} if kind not in closed else {}
        for place, counts in reversed(list(enumerate(mutants))):
            places[counts] = place
        for counts, where in places.items():
            gain = belief.gain(kind, counts)
            if gain > most + _WORTH:
                best, most = Pick(kind, where), gain
    return best


def imagined(evidence: Evidence, pending: Sequence[Pick]) -> Mapping[CellKind, list[Counts]]:
    """The evidence with the likeliest end of every run under way, one after the other."""
    known = {kind: list(mutants) for kind, mutants in evidence.items()}
    for pick in pending:
        mutants = known.setdefault(pick.kind, [])
        if pick.place is None or pick.place >= len(mutants):
            mutants.append(Counts())
            place = len(mutants) - 1
        else:
            place = pick.place
        right, _ = Belief(known).foresee(pick.kind, mutants[place])
        mutants[place] += Counts(1, 0) if right >= 0.5 else Counts(0, 1)
    return known
