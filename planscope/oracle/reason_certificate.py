"""Z3's signature under all reasons: each core and each correction is asked about, member by member."""

from __future__ import annotations

from collections.abc import Callable, Collection

from planscope.oracle.certificate import member_names
from planscope.oracle.question import stretch_of
from planscope.oracle.reason_types import Correction, Reasons
from planscope.oracle.smt import Answer, Judge
from planscope.oracle.timed_judge import judge_of
from planscope.oracle.verdict_types import Core
from planscope.oracle.walk import Walk


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
