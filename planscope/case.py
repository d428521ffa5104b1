"""A case: a run of a session found by its id, its request read, every step judged.

What commands and sharing begin with. Nothing is imported before it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planscope.errors import UserError
from planscope.safe import visible

if TYPE_CHECKING:
    from planscope.language.reading import Reading
    from planscope.oracle.replay import Replay
    from planscope.session.model import Run, Session, Variant
    from planscope.session.record import Help

LISTED = 10
"""Ids named in an error before it says how many more there are."""

MOST_STATUSES = 4_000_000
"""Steps times constraints and actions of a run that is written as one document."""


@dataclass(frozen=True)
class Case:
    """One run judged, or the bare request where ``run`` is None (its replay then has step 0 only)."""

    session: Session
    variant: Variant
    run: Run | None
    reading: Reading
    replay: Replay

    @property
    def help(self) -> Help:
        """What helped the run."""
        from planscope.session.record import NO_HELP, help_of

        return help_of(self.run) if self.run is not None else NO_HELP


def listed(ids: Iterable[str]) -> str:
    """Ids for an error: the first few, and how many more."""
    known = list(ids)
    more = f" and {len(known) - LISTED} more" if len(known) > LISTED else ""
    return ", ".join(visible(one, limit=40) for one in known[:LISTED]) + more


def find_run(session: Session, run_id: str | None) -> Run | None:
    """The run of that id, by default the last one that no dissection made on its way; None where there is none."""
    from planscope.session.model import own_runs

    if run_id is None:
        own = own_runs(session)
        return own[-1] if own else None
    for run in session.runs:
        if run.id == run_id:
            return run
    known = listed(r.id for r in session.runs) or "it has none"
    raise UserError(f"the session has no run {run_id[:40]!r}; its runs: {known}")


def need_run(session: Session, run_id: str | None) -> Run:
    """As :func:`find_run`, but there must be one."""
    run = find_run(session, run_id)
    if run is None:
        raise UserError(
            "the session holds no run yet; make one with: planscope run SESSION --model sim:careful"
        )
    return run


def variant_shown(session: Session, run: Run | None = None) -> Variant:
    """The request of a run; the newest one for a session without runs."""
    from planscope.session.model import own_variants, variant_of

    if run is not None:
        return variant_of(session, run)
    if not session.variants:
        raise UserError("the session holds no request; make one with: planscope new -o FILE")
    return own_variants(session)[-1]


def read_request(variant: Variant) -> Reading:
    """What a variant asks for. Raises UserError that says where its text cannot be read."""
    from planscope.language.errors import ParseFailure, in_a_line
    from planscope.session.oracle_input import reading_of

    try:
        return reading_of(variant)
    except ParseFailure as failure:
        name = visible(variant.id, limit=40)
        raise UserError(
            f"the request of variant {name} cannot be read: {in_a_line(failure.errors)}"
        ) from None


def judge(session: Session, run: Run | None) -> Case:
    """Read and judge. Raises UserError where the request cannot be read."""
    from planscope.oracle.replay import replay
    from planscope.oracle.trace import Trace
    from planscope.session.oracle_input import trace_of

    variant = variant_shown(session, run)
    reading = read_request(variant)
    trace = trace_of(run) if run is not None else Trace((), "running")
    return Case(session, variant, run, reading, replay(reading.problem, trace))


def check_size(replay: Replay) -> None:
    """Raise UserError where the document of all steps, with every constraint at each, would fill a disk."""
    size = len(replay.steps) * (len(replay.problem.constraints) + len(replay.problem.actions))
    if size > MOST_STATUSES:
        raise UserError(
            f"{len(replay.steps):,} steps with {len(replay.problem.constraints):,} constraints each are too many for "
            "one document; look at them with planscope open, or planscope replay without --json"
        )
