"""A case is a run found by its id, its query read, and every step judged. Commands and exports begin with one.

Modules are imported when they are needed, so that a command starts fast.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planscope.errors import UserError
from planscope.safe import visible
from planscope.session.run_names import run_named

if TYPE_CHECKING:
    from planscope.language.reading import Reading
    from planscope.oracle.judged import JudgedRun
    from planscope.rules.judge import Rulebook
    from planscope.rules.many import Judged
    from planscope.rules.report import CheckOptions
    from planscope.session.model import Run, Session, Variant
    from planscope.session.record import Help

LISTED = 10
"""An error lists this many ids and counts the rest."""

MOST_STATUSES = 4_000_000
"""The limit for one document: its steps times the number of constraints and actions."""


@dataclass(frozen=True)
class Case:
    """A judged run; or a query without a run, if ``run`` is None. The replay then has only step 0."""

    session: Session
    variant: Variant
    run: Run | None
    reading: Reading
    replay: JudgedRun

    @property
    def help(self) -> Help:
        """The help that the run had."""
        from planscope.session.record import NO_HELP, help_of

        return help_of(self.run) if self.run is not None else NO_HELP


def listed(ids: Iterable[str]) -> str:
    """Return ids for an error message: the first few, and how many more there are."""
    known = list(ids)
    more = f" and {len(known) - LISTED} more" if len(known) > LISTED else ""
    return ", ".join(visible(one, limit=40) for one in known[:LISTED]) + more


def find_run(session: Session, run_id: str | None) -> Run | None:
    """Return the run with that id or number, by default the last one that no dissection made, or None if the session
    has no run.

    Raises UserError for an unknown id.
    """
    from planscope.session.model import own_runs

    if run_id is None:
        own = own_runs(session)
        return own[-1] if own else None
    named = run_named((run.id for run in session.runs), run_id)
    for run in session.runs:
        if run.id == named:
            return run
    known = listed(r.id for r in session.runs) or "it has none"
    raise UserError(f"the session has no run {run_id[:40]!r}; its runs: {known}")


def need_run(session: Session, run_id: str | None) -> Run:
    """Return the run that :func:`find_run` finds. Raises UserError if the session has no run."""
    run = find_run(session, run_id)
    if run is None:
        raise UserError(
            "the session has no run yet; make one with: planscope run SESSION --model sim:careful"
        )
    return run


def variant_shown(session: Session, run: Run | None = None) -> Variant:
    """Return the variant of a run, or without a run the newest variant. Raises UserError if the session has none."""
    from planscope.session.model import own_variants, variant_of

    if run is not None:
        return variant_of(session, run)
    if not session.variants:
        raise UserError("the session has no query; make one with: planscope new -o FILE")
    return own_variants(session)[-1]


def read_variant(variant: Variant) -> Reading:
    """Read a variant's text. Raises UserError, which says at what place the text cannot be read."""
    from planscope.language.errors import ParseFailure, in_a_line
    from planscope.session.oracle_input import reading_of

    try:
        return reading_of(variant)
    except ParseFailure as failure:
        name = visible(variant.id, limit=40)
        raise UserError(f"the query of variant {name} cannot be read: {in_a_line(failure.errors)}") from None


def read_in(session: Session, variant: Variant) -> Reading:
    """Read a variant's text with the session's rules. Raises UserError as :func:`read_variant`, and for the rules."""
    from planscope.rules.in_session import reading_in

    read_variant(variant)
    return reading_in(session, variant)


def judge(session: Session, run: Run | None) -> Case:
    """Read the query and the session's rules, and judge the run. Raises UserError if they cannot be read."""
    from planscope.oracle.replay import replay
    from planscope.oracle.trace import Trace
    from planscope.session.oracle_input import trace_of

    variant = variant_shown(session, run)
    reading = read_in(session, variant)
    trace = trace_of(run) if run is not None else Trace((), "running")
    return Case(session, variant, run, reading, replay(reading.problem, trace))


def check_size(replay: JudgedRun) -> None:
    """Raise UserError if a document of all steps, each with every constraint, would be too large."""
    size = len(replay.steps) * (len(replay.problem.constraints) + len(replay.problem.actions))
    if size > MOST_STATUSES:
        raise UserError(
            f"{len(replay.steps):,} steps with {len(replay.problem.constraints):,} constraints each are too many for "
            "one document; look at them with planscope open, or planscope replay without --json"
        )


def judge_by(
    session: Session, run: Run, book: Rulebook, options: CheckOptions, *, strict: bool = False
) -> Judged:
    """Judge a run by the given rules, which stand in for the session's own. If the run has a query, both must hold.

    ``strict``: warnings about the query count, too. Raises UserError if the query cannot be read.
    """
    from planscope.rules.many import check_traces
    from planscope.rules.runs import trace_of_run
    from planscope.session.model import variant_of
    from planscope.wording.terms import VERDICTS

    (found,) = check_traces([trace_of_run(run)], book, options)
    if variant_of(session, run).query.text.strip():
        alone = session.model_copy(update={"rules": None})
        verdict = judge(alone, run).replay.verdict(strict=strict).verdict
        checked = found.checked
        checked.more["query"] = verdict
        worst = [one for one in ("wrong", "aborted", "unknown") if one in (checked.verdict, verdict)]
        if worst and worst[0] != checked.verdict:
            checked.verdict = worst[0]
            checked.explanation += f" The query's verdict is {VERDICTS[verdict]}."
            checked.more["explanation"] = checked.explanation
    return found
