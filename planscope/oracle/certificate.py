"""Z3's signature under a verdict: it is asked about the whole run and about the core, member by member."""

from __future__ import annotations

from collections.abc import Callable

from planscope.oracle.formula import Encoding, encode
from planscope.oracle.reason_types import Correction
from planscope.oracle.smt import Judge
from planscope.oracle.verdict_types import Core
from planscope.oracle.walk import Walk


def encoding_of(run: Walk) -> Encoding:
    """The last attempt as formulas, with its end where the agent stopped."""
    ended = run.trace.ending not in ("aborted", "running")
    return encode(run.problem, run.last_attempt.facts, ended)


def member_names(one: Core | Correction) -> list[str]:
    """The members of a core or a correction by their names in the encoding."""
    return [*one.constraints, *("end" if s == "end" else f"step{s}" for s in one.steps)]


def certify(
    run: Walk, timeout: int, started: Callable[[Callable[[], None]], None] | None = None
) -> bool | None:
    """True where Z3 says the same: lost or not, and a core that is one and minimal. None where it gave up."""
    judge = Judge(encoding_of(run), timeout)
    if started is not None:
        started(judge.interrupt)
    index = run.first_doomed
    whole = judge.check()
    if whole == "unknown":
        return None
    if index is None:
        return whole == "sat"
    core = run.steps[index].core
    if core is None or whole == "sat":
        return False if whole == "sat" else None
    return judge.is_minimal_core(member_names(core))
