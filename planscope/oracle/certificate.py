"""Confirms a verdict, its unsat core and all reasons with Z3."""

from __future__ import annotations

from collections.abc import Callable, Collection

from planscope.oracle.formula import Encoding, encode
from planscope.oracle.plan import Prefix
from planscope.oracle.smt import Answer, Judge
from planscope.oracle.timed import judge_of
from planscope.oracle.verdict_types import Core, Correction, Reasons
from planscope.oracle.walk import Walk


def encoding_of(run: Walk) -> Encoding:
    """Encode the last attempt as formulas, with the end of the run as a member if the agent stopped."""
    return encode(run.problem, run.last_attempt.facts, _ended(run))


def prefix_of(run: Walk, index: int) -> Prefix:
    """Return the executions of the attempt at ``index``, up to that step."""
    view = run.steps[index]
    ran = tuple(
        f
        for f in run.facts
        if f.attempt == view.attempt and f.step <= index and f.effect in ("done", "repeated")
    )
    return Prefix(ran, view.step == "end" and run.trace.ending != "aborted")


def member_names(one: Core | Correction) -> list[str]:
    """Return the members of a core or a correction by their names in the encoding."""
    return [*one.constraints, *("end" if s == "end" else f"step{s}" for s in one.steps)]


def certify(
    run: Walk, timeout: int, started: Callable[[Callable[[], None]], None] | None = None
) -> bool | None:
    """Ask Z3 whether the plan is lost, and whether the core is unsatisfiable and minimal.

    Returns True if Z3 agrees, False if it disagrees, None if it gave up. An unsatisfiable core implies that the plan is
    lost, so Z3 is asked about the core alone. ``timeout``: milliseconds per question.
    """
    judge = judge_of(run.problem, run.last_attempt.facts, _ended(run), timeout)
    if started is not None:
        started(judge.interrupt)
    index = run.first_doomed
    core = None if index is None else run.steps[index].core
    if core is not None:
        return judge.is_minimal_core(member_names(core))
    whole = judge.check()
    if index is not None:
        return False if whole == "sat" else None
    return None if whole == "unknown" else whole == "sat"


def _ended(run: Walk) -> bool:
    return run.trace.ending not in ("aborted", "running")


def certify_reasons(
    run: Walk,
    found: Reasons,
    timeout: int = 10_000,
    *,
    stopped: Callable[[], bool] | None = None,
    started: Callable[[Callable[[], None]], None] | None = None,
) -> bool | None:
    """Ask Z3 whether these are minimal cores and minimal corrections, each of them.

    Returns True if Z3 agrees with all, False if it disagrees with one, None as soon as it gives up. Z3 is not asked
    whether there are more. ``timeout``: milliseconds per question. ``stopped`` and ``started``: as in
    :func:`~planscope.oracle.reasons.reasons`.
    """
    prefix = prefix_of(run, found.index)
    judge = judge_of(run.problem, prefix.ran, prefix.ended, timeout)
    halted = False

    def halt() -> None:
        nonlocal halted
        halted = True
        judge.interrupt()

    if started is not None:
        started(halt)
    everything: list[Core | Correction] = [*found.cores, *found.corrections]
    for one in everything:
        if halted or (stopped is not None and stopped()):
            return None
        names = member_names(one)
        said = judge.is_minimal_core(names) if isinstance(one, Core) else _is_correction(judge, names)
        if not said:
            return said
    return True


def _is_correction(judge: Judge, given_up: Collection[str]) -> bool | None:
    """Ask Z3 whether the rest can hold without these members, but not if any one of them is put back. None if it
    gave up."""
    rest = [m for m in judge.members if m not in given_up]
    questions: list[tuple[Answer, list[str]]] = [("sat", rest)]
    questions += [("unsat", [*rest, member]) for member in given_up]
    return judge.all_true(questions)
