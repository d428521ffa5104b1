"""Deletes queries and runs, and restores them.

Deleted parts stay in the file, out of sight (``Session.removed``), until they are deleted for good. They are never
shared.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, Literal

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.safe import visible
from planscope.session.files import SessionError
from planscope.session.model import Removal, Session
from planscope.session.validation import check_references
from planscope.wording.phrases import plural

_LISTS: tuple[Literal["variants", "runs", "dissections"], ...] = ("variants", "runs", "dissections")


@frozen
class Parts:
    """The ids of variants, runs and dissections."""

    variants: frozenset[str] = frozenset()
    runs: frozenset[str] = frozenset()
    dissections: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The parts in words, for example ``run r2`` or ``1 query, 3 runs``."""
        return parts_text(self.variants, self.runs, self.dissections)


def parts_text(variants: Collection[str], runs: Collection[str], dissections: Collection[str]) -> str:
    """Describe in words what was deleted or restored."""
    if len(runs) == 1 and not variants and not dissections:
        return f"run {visible(next(iter(runs)), limit=20)}"
    counts = (
        (len(variants), "query", "queries"),
        (len(runs), "run", "runs"),
        (len(dissections), "dissection", "dissections"),
    )
    return ", ".join(plural(n, one, many) for n, one, many in counts if n)


def text_of(removal: Removal) -> str:
    """Describe in words what was deleted together."""
    ids: list[list[str]] = [[one.id for one in getattr(removal, name)] for name in _LISTS]
    return parts_text(*ids)


def with_dependents(
    session: Session, variants: Iterable[str] = (), runs: Iterable[str] = (), *, busy: Collection[str] = ()
) -> Parts:
    """Return these queries and runs and what depends on them: runs and edits of a query, forks of a run,
    dissections.

    ``busy``: ids of runs and dissections that are in progress. Raises UserError if something cannot be deleted: a run
    that a dissection counts, one in progress, or the last query; or if there is nothing to delete.
    """
    gone_variants, gone_runs, gone_dissections = set(variants), set(runs), set[str]()
    if not gone_variants and not gone_runs:
        raise UserError("there is nothing to delete")
    size = -1
    while size != (size := len(gone_variants) + len(gone_runs) + len(gone_dissections)):
        gone_variants |= {v.id for v in session.variants if v.parent in gone_variants}
        gone_runs |= {
            run.id
            for run in session.runs
            if run.variant in gone_variants
            or (run.forked_from is not None and run.forked_from.run in gone_runs)
        }
        gone_dissections |= {one.id for one in session.dissections if one.variant in gone_variants}
        mutants = (
            cell.variant for one in session.dissections if one.id in gone_dissections for cell in one.cells
        )
        gone_variants.update(mutants)
    for one in session.dissections:
        if one.id in gone_dissections:
            continue
        name = visible(one.id, limit=20)
        counted = {run for cell in one.cells for run in cell.runs}
        if counted & gone_runs or {cell.variant for cell in one.cells} & gone_variants:
            raise UserError(f"dissection {name} counts it; delete the dissected query to delete all of it")
        if one.run in gone_runs:
            raise UserError(
                f"dissection {name} began with it; delete the dissected query to delete all of it"
            )
    if (gone_runs | gone_dissections) & set(busy):
        raise UserError("it is in progress; stop it first")
    if session.variants and gone_variants >= {v.id for v in session.variants}:
        raise UserError("a session keeps at least one query; delete the session itself in the library")
    return Parts(frozenset(gone_variants), frozenset(gone_runs), frozenset(gone_dissections))


def remove(session: Session, parts: Parts) -> Removal:
    """Delete these parts, which :func:`with_dependents` found. Changes the session in place."""
    found: dict[str, Any] = {"places": {}}
    for name in _LISTS:
        ids, things = getattr(parts, name), getattr(session, name)
        found[name] = [one for one in things if one.id in ids]
        found["places"][name] = [place for place, one in enumerate(things) if one.id in ids]
        things[:] = [one for one in things if one.id not in ids]
    removal = Removal(**found)
    session.removed = [*(session.removed or ()), removal]
    return removal


def take_back(session: Session, wanted: Callable[[Removal], bool] = lambda removal: True) -> Removal:
    """Restore the last deletion that is ``wanted`` to its places. Changes the session in place.

    Raises UserError if there is none, or if the session no longer has what it belongs to.
    """
    removed = list(session.removed or ())
    removal = next((one for one in reversed(removed) if wanted(one)), None)
    if removal is None:
        raise UserError("nothing was deleted that could be restored")
    lists: dict[str, list[Any]] = {name: list(getattr(session, name)) for name in _LISTS}
    for name in _LISTS:
        things: list[Any] = getattr(removal, name)
        places = [*removal.places.get(name, ()), *([len(lists[name])] * len(things))]
        for place, one in zip(places, things, strict=False):
            lists[name].insert(place, one)
    try:
        check_references(session.model_copy(update=lists), "the session")
    except SessionError as error:
        raise UserError(f"{text_of(removal)} cannot be restored: {error}") from None
    for name in _LISTS:
        getattr(session, name)[:] = lists[name]
    session.removed = [one for one in removed if one is not removal] or None
    return removal


def delete_for_good(session: Session) -> int:
    """Delete everything in ``removed`` for good, but for its ids. Return the number of its runs and queries."""
    removed = session.removed or ()
    count = sum(len(one.runs) + len(one.variants) for one in removed)
    ids = [part.id for one in removed for name in _LISTS for part in getattr(one, name)]
    session.gone = list(dict.fromkeys([*(session.gone or ()), *ids])) or None
    session.removed = None
    return count


def without_removed(session: Session) -> Session:
    """Return the session without what was deleted, which nobody else may see."""
    if session.removed is None and session.gone is None:
        return session
    return session.model_copy(update={"removed": None, "gone": None})
