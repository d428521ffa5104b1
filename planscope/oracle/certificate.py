"""Z3's signature under a verdict, its core, and all reasons: each is asked about member by member."""

from __future__ import annotations

from collections.abc import Callable, Collection

from planscope.oracle.formula import Encoding, encode
from planscope.oracle.plan import Stretch
from planscope.oracle.smt import Answer, Judge
from planscope.oracle.timed import judge_of
from planscope.oracle.verdict_types import Core, Correction, Reasons
from planscope.oracle.walk import Walk


def encoding_of(run: Walk) -> Encoding:
    """The last attempt as formulas, with its end where the agent stopped."""
    return encode(run.problem, run.last_attempt.facts, _ended(run))


def stretch_of(run: Walk, index: int) -> Stretch:
    """What the attempt at an index had executed by then."""
    view = run.steps[index]
    ran = tuple(
        f
        for f in run.facts
        if f.attempt == view.attempt and f.step <= index and f.effect in ("done", "repeated")
    )
    return Stretch(ran, view.step == "end" and run.trace.ending != "aborted")


def member_names(one: Core | Correction) -> list[str]:
    """The members of a core or a correction by their names in the encoding."""
    return [*one.constraints, *("end" if s == "end" else f"step{s}" for s in one.steps)]


def certify(
    run: Walk, timeout: int, started: Callable[[Callable[[], None]], None] | None = None
) -> bool | None:
    """True where Z3 says the same: lost or not, and a core that is one and minimal. None where it gave up.

    A core that cannot be met says that the whole cannot. ``timeout``: milliseconds for a question.
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
    """True where Z3 says so, too: all of them are cores and corrections, and minimal. None as soon as it gives up.

    That there are no others is not asked. ``timeout`` in milliseconds a question; ``stopped`` and ``started`` as in
    :func:`~planscope.oracle.reasons.reasons`.
    """
    stretch = stretch_of(run, found.index)
    judge = judge_of(run.problem, stretch.ran, stretch.ended, timeout)
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
    """Can the rest hold without these, and not with any one of them back? None: Z3 gave up."""
    rest = [m for m in judge.members if m not in given_up]
    questions: list[tuple[Answer, list[str]]] = [("sat", rest)]
    questions += [("unsat", [*rest, member]) for member in given_up]
    return judge.all_true(questions)
