"""What of a session is the user's own: requests and runs that no dissection made on the way.

A dissection adds dozens of mutants and runs. "The last run" and "the newest request" are not among them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planscope.session.model import Run, Session, Variant


def own_runs(session: Session) -> list[Run]:
    """Runs that no dissection spent; all of them where there are no others."""
    spent = {run for one in session.dissections for cell in one.cells for run in cell.runs}
    return [run for run in session.runs if run.id not in spent] or session.runs


def run_to_open(ids: Sequence[str], left: object, trials: Collection[str]) -> str:
    """The id of the run that a session opens at: where it was left, else the last that no dissection made; or "".

    ``left`` is what the session's cursor says, ``trials`` are the ids of the runs that dissections made.
    """
    if isinstance(left, str) and left in ids:
        return left
    own = [id for id in ids if id not in trials]
    return (own or [*ids] or [""])[-1]


def own_variants(session: Session) -> list[Variant]:
    """Requests that no dissection made; all of them where there are no others."""
    made = {cell.variant for one in session.dissections for cell in one.cells}
    made -= {one.variant for one in session.dissections}
    return [variant for variant in session.variants if variant.id not in made] or session.variants
