"""A case is a run found by its id, its query read, and every step judged. Commands and exports begin with one.

Modules are imported when they are needed, so that a command starts fast.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from planscope.errors import UserError
from planscope.safe import visible
from planscope.session.run_names import run_named

if TYPE_CHECKING:
    from planscope.language.reading import Reading
    from planscope.oracle.replay import Replay
    from planscope.oracle.trace import Trace
    from planscope.oracle.verdict_types import Proof, Reasons, Verdict
    from planscope.rules.budget import Budget
    from planscope.rules.report import Checked, CheckOptions
    from planscope.rules.rule import RuleFile
    from planscope.session.model import Run, Session, Variant
    from planscope.session.record import Help


@dataclass(frozen=True)
class Asked:
    """A judged run of a session, or a judged trace (``is_trace``), as commands and programs ask about it.

    ``file``: the rules that were given, which stand in for the session's.
    """

    id: str | None
    replay: Replay
    file: RuleFile | None
    help: Help
    is_trace: bool = False

    def verdict(self, *, strict: bool = False, certify: bool = False) -> Verdict:
        """Return the verdict. ``strict``: warnings count as errors. ``certify``: Z3 is asked to confirm it."""
        from planscope.oracle.verdict_types import proved

        found = self.replay.verdict(strict=strict)
        return proved(found, self.replay.certify()) if certify else found

    def reasons(
        self, step: int | str | None, most: int, seconds: float, *, certify: bool = True
    ) -> tuple[Reasons, Proof]:
        """Return every reason for which the plan is lost at a step (None: where the last attempt was lost), and whether
        Z3 confirms them. ``most`` limits each list, ``seconds`` the search, and then what Z3 is asked."""
        run = self.replay
        known = {str(view.step): view.index for view in run.steps}
        if step is not None and str(step) not in known:
            steps = f"0 to {len(run.facts)}" if run.facts else "0"
            end = " and end" if run.steps[-1].step == "end" else ""
            raise UserError(f"there is no step {visible(str(step)[:40])}; the steps are {steps}{end}")
        index = None if step is None else known[str(step)]
        found = run.reasons(index, most=most, stopped=_after(seconds))
        if not certify:
            return found, "not_asked"
        return found, run.certify_reasons(found, CONFIRM_LIMIT, stopped=_after(seconds))

    @property
    def of_calls(self) -> bool:
        """Whether rules were given and there is no query, so that a repair changes calls and makes no plan."""
        return self.file is not None and not self.replay.asks


def asked_run(session: Session, run: Run | None, file: RuleFile | None = None) -> Asked:
    """Judge a run of a session, or its newest query without a run."""
    case = judge(session, run, file)
    return Asked(run.id if run is not None else None, case.replay, file, case.help)


def asked_in(session: Session, run_id: str | None, file: RuleFile | None = None, need: bool = True) -> Asked:
    """Judge the run with that id, by default the last. ``need``: raise UserError if there is none."""
    find = need_run if need else find_run
    return asked_run(session, find(session, run_id), file)


def _after(seconds: float) -> Callable[[], bool]:
    """Return a function that tells whether ``seconds`` have passed since this call."""
    over = time.monotonic() + seconds
    return lambda: time.monotonic() > over


def asked_trace(trace: Trace, file: RuleFile) -> Asked:
    """Judge a trace by rules."""
    from planscope.rules.beside import judged_trace
    from planscope.session.record import NO_HELP

    return Asked(trace.id, judged_trace(file, trace), file, NO_HELP, True)


CONFIRM_LIMIT = 2_000
"""Milliseconds that Z3 has to confirm one core or correction."""

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
    replay: Replay

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


def read_in(session: Session, variant: Variant, file: RuleFile | None = None) -> Reading:
    """Read a variant's text with the session's rules, or with ``file`` in their place. Raises UserError as
    :func:`read_variant`, and for the rules."""
    from planscope.rules.in_session import reading_in

    read_variant(variant)
    return reading_in(session, variant, file)


def judge(
    session: Session, run: Run | None, file: RuleFile | None = None, options: CheckOptions | None = None
) -> Case:
    """Read the query and the session's rules, and judge the run. ``file``: rules that stand in for the session's;
    ``options``, for these: whether the run may go on, and failed calls count.

    Raises UserError if they cannot be read.
    """
    from planscope.oracle.replay import replay
    from planscope.oracle.trace import Trace
    from planscope.session.traces import trace_of

    variant = variant_shown(session, run)
    reading = read_in(session, variant, file)
    trace = trace_of(run) if run is not None else Trace((), "running")
    problem = reading.problem
    if options is not None and options.running:
        trace = replace(trace, ending="running", reason=None, cause=None)
    if options is not None and options.succeeded_only:
        from planscope.rules.beside import RuledProblem

        assert isinstance(problem, RuledProblem)  # for mypy: ``file`` has rules
        problem = replace(problem, succeeded_only=True)
    return Case(session, variant, run, reading, replay(problem, trace))


def check_size(replay: Replay) -> None:
    """Raise UserError if a document of all steps, each with every constraint, would be too large."""
    size = len(replay.steps) * (len(replay.problem.constraints) + len(replay.problem.actions))
    if size > MOST_STATUSES:
        raise UserError(
            f"{len(replay.steps):,} steps with {len(replay.problem.constraints):,} constraints each are too many for "
            "one document; look at them with planscope open, or planscope replay without --json"
        )


def judge_by(
    session: Session,
    run: Run,
    file: RuleFile,
    *,
    strict: bool = False,
    details: bool = True,
    budget: Budget | None = None,
    options: CheckOptions | None = None,
) -> Checked:
    """Judge a run by rules that stand in for the session's own. If it has a query, both must hold.

    ``strict``: warnings about the query count, too. ``details``: seek core and repair, with the rest of this
    ``budget``, and the cause of what went wrong. ``options``: as for :func:`judge`. Raises UserError if the query
    cannot be read.
    """
    from planscope.cause.find import add_cause
    from planscope.cause.told import sought
    from planscope.rules.beside import checked_run
    from planscope.rules.many import Judged

    judged = judge(session, run, file, options).replay
    checked = checked_run(judged, file, run.id, strict=strict, details=details, budget=budget)
    if details and sought(judged, checked.verdict):
        add_cause(Judged(checked, trace=judged.trace), file)
    return checked
