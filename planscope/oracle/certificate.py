"""Z3's signature under a verdict: it is asked about the whole run and about the core, member by member."""

from __future__ import annotations

from collections.abc import Callable

from planscope.oracle.formula import Encoding, encode
from planscope.oracle.reason_types import Correction
from planscope.oracle.timed_judge import judge_of
from planscope.oracle.verdict_types import Core
from planscope.oracle.walk import Walk


def encoding_of(run: Walk) -> Encoding:
    """The last attempt as formulas, with its end where the agent stopped."""
    return encode(run.problem, run.last_attempt.facts, _ended(run))


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
