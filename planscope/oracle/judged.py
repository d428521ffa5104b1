"""The interface of a judged run: what the screen, ``walk``, documents, comparison and sharing ask.

:class:`~planscope.oracle.replay.Replay` answers for a query, ``planscope.rules.replay.RuledReplay`` for rules about
calls, alone or together with a query. :func:`planscope.oracle.replay.replay` makes the right one, so that nobody else
needs to know which it is. It lies here, below all who ask, with the plain data of the answers (``verdict_types.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from planscope.language.problem import Problem
from planscope.oracle.facts import Fact
from planscope.oracle.statuses import Attempt
from planscope.oracle.trace import Call, Ending, Trace
from planscope.oracle.verdict_types import (
    Core,
    Correction,
    Move,
    PlannedCall,
    Reasons,
    Repair,
    Status,
    StepView,
    Verdict,
)

if TYPE_CHECKING:
    from planscope.oracle.lookahead import Looks

Started = Callable[[Callable[[], None]], None]
"""Is called with a function that ends the work at once, from any thread."""


class Judged(Protocol):
    """The part that is known of a run that is not judged, too (``unjudged.py``)."""

    @property
    def problem(self) -> Problem: ...
    @property
    def trace(self) -> Trace: ...
    @property
    def steps(self) -> tuple[StepView, ...]: ...
    def status(self, constraint_id: str, index: int) -> Status: ...
    def valid_completions(self, index: int) -> int | None: ...
    def verdict(self) -> Verdict: ...


class JudgedRun(Protocol):
    """A run, judged at every step. Every ``index`` is an index into ``steps``: 0 is before any call, k after call k."""

    @property
    def problem(self) -> Problem:
        """All constraints and rules, each with an id."""

    @property
    def trace(self) -> Trace: ...
    @property
    def steps(self) -> tuple[StepView, ...]: ...
    @property
    def facts(self) -> list[Fact]:
        """What each call did, in order."""

    @property
    def last_attempt(self) -> Attempt: ...
    @property
    def first_doomed(self) -> int | None:
        """The index at which the last attempt was lost, or None."""

    def lost_at(self, attempt: int) -> int | None:
        """Return the index at which an attempt was lost, or None. Attempts count from 1."""

    def then(self, *calls: Call, ending: Ending = "running", reason: str | None = None) -> JudgedRun:
        """Return the same run with more calls, at the cost of those alone. The run must not have ended."""

    def status(self, constraint_id: str, index: int) -> Status: ...
    def statuses(self, index: int) -> dict[str, Status]: ...
    def value_at(self, constraint_id: str, index: int) -> str:
        """Return the value that decides a rule's status, if it is judged per value: ``order_id 7``. Else ""."""

    def safe_moves(self, index: int) -> tuple[Move, ...]:
        """Return the calls that can come next without losing the plan."""

    def valid_completions(self, index: int) -> int | None:
        """Count the valid orders of the remaining actions; None if they are too many, or if rules do not count them."""

    def one_way(self, index: int) -> tuple[PlannedCall, ...] | None:
        """Return one way to go on so that everything is kept, or None if there is none."""

    def verdict(self, *, strict: bool = False) -> Verdict: ...
    def repair(self, from_step: int = 0) -> Repair: ...
    def way_back(self) -> Repair: ...
    def certify(self, timeout: int = 10_000, started: Started | None = None) -> bool | None:
        """Ask Z3 to confirm verdict and core. Returns None if it gave up. ``timeout``: milliseconds per question."""

    def reasons(
        self,
        index: int | None = None,
        *,
        most: int = 100,
        timeout: int = 2_000,
        on_core: Callable[[Core], None] | None = None,
        on_correction: Callable[[Correction], None] | None = None,
        stopped: Callable[[], bool] | None = None,
        started: Started | None = None,
    ) -> Reasons:
        """Find all minimal cores and corrections at ``index`` (see ``reasons.py``)."""

    def certify_reasons(
        self,
        found: Reasons,
        timeout: int = 10_000,
        *,
        stopped: Callable[[], bool] | None = None,
        started: Started | None = None,
    ) -> bool | None:
        """Ask Z3 whether each of these is a minimal core or a minimal correction; None if it gave up."""

    def ahead(self) -> Looks:
        """Look one call ahead from the end of a run that goes on."""


@runtime_checkable
class OwnJudge(Protocol):
    """A problem that more than a query states, and that brings its own judge."""

    def replay(self, trace: Trace) -> JudgedRun: ...


def together(states: Sequence[str]) -> str:
    """Return the state of a plan that several judge: the worst of theirs."""
    return next((s for s in ("broken", "doomed", "unknown") if s in states), "completable")
