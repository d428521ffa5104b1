"""Chooses the run or query that a comparison begins with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planscope.session.model import Run, Session, Variant


@dataclass(frozen=True, slots=True)
class Chosen:
    """A run of the session, or a query without one."""

    variant: str
    run: str | None


def before_it(session: Session, here: Chosen) -> Chosen | None:
    """Choose the other side: the run that this one was forked from, the run before it, or a run of its parent.

    A mutant's run is compared with the original, not with other mutants. A query is compared with its parent.
    Return None if the session has nothing else.
    """
    number = next((i for i, run in enumerate(session.runs) if run.id == here.run), None)
    if number is not None:
        found = _run_before(session, number)
        if found is not None:
            return Chosen(found.variant, found.id)
    others = [v.id for v in session.variants if v.id != here.variant]
    variant = _variant(session, here.variant)
    parent = variant.parent if variant is not None else None
    if parent is not None and parent in others:
        return Chosen(parent, None)
    if number is None:  # a query without a run, compared with a run
        ran = [run for run in session.runs if run.variant in others]
        if ran:
            return Chosen(ran[-1].variant, ran[-1].id)
    return Chosen(others[-1], None) if others else None


def _run_before(session: Session, number: int) -> Run | None:
    """Return the nearest earlier run of the same query or of its ancestors, else any run."""
    run = session.runs[number]
    origin = run.forked_from.run if run.forked_from is not None else None
    forked = next((r for r in session.runs if r.id == origin and r.id != run.id), None)
    if forked is not None:
        return forked
    before = session.runs[:number]
    for variant in _line(session, run.variant):
        mine = [r for r in before if r.variant == variant]
        if mine:
            return mine[-1]
    others = [*before, *session.runs[number + 1 :]]
    own = [r for r in others if r.variant == run.variant]
    left = own or others
    return left[-1] if left else None


def _line(session: Session, variant_id: str) -> Iterator[str]:
    """Yield the query, unless it is a mutant, then its ancestors, nearest first."""
    seen: set[str] = set()
    variant = _variant(session, variant_id)
    if variant is not None and variant.origin.mutation:
        variant = _variant(session, variant.parent)
    while variant is not None and variant.id not in seen:
        seen.add(variant.id)
        yield variant.id
        variant = _variant(session, variant.parent)


def _variant(session: Session, id: str | None) -> Variant | None:
    return next((variant for variant in session.variants if variant.id == id), None)
