"""New parts of a session: ids that are free, variants."""

from __future__ import annotations

from collections.abc import Iterable

from planscope.language.problem import Problem
from planscope.session.derive import records
from planscope.session.model import Limits, Origin, Query, Session, Variant


def _next(prefix: str, taken: Iterable[str]) -> str:
    used = set(taken)
    n = len(used) + 1
    while f"{prefix}{n}" in used:
        n += 1
    return f"{prefix}{n}"


def next_run_id(session: Session, promised: Iterable[str] = ()) -> str:
    """``r1``, ``r2``, ... whichever is free. ``promised``: ids of runs that are to come."""
    return _next("r", (*(r.id for r in session.runs), *promised))


def next_variant_id(session: Session) -> str:
    """``v1``, ``v2``, ... whichever is free."""
    return _next("v", (v.id for v in session.variants))


def next_dissection_id(session: Session) -> str:
    """``d1``, ``d2``, ... whichever is free."""
    return _next("d", (d.id for d in session.dissections))


def make_variant(
    problem: Problem,
    origin: Origin,
    *,
    id: str = "v1",
    parent: str | None = None,
    topic: str | None = None,
    seed: int | None = None,
    tree: dict[str, object] | None = None,
    constraints: list[dict[str, object]] | None = None,
    limits: Limits | None = None,
) -> Variant:
    """A variant that says what ``problem`` says."""
    return Variant(
        id=id,
        parent=parent,
        origin=origin,
        query=Query(text=problem.text, timed=problem.timed, topic=topic, seed=seed, tree=tree),
        actions=records(problem.actions),
        constraints=constraints or [],
        limits=limits or Limits(),
    )
