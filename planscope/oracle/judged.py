"""The interface of a judged run: what the screen, ``walk``, documents, comparison and sharing ask.

:class:`~planscope.oracle.replay.Replay` answers, for a query, for rules about calls, and for both together. Rules come
in through :class:`Beside`, since the oracle knows none. Both interfaces lie here, below all who ask, with the plain
data of the answers (``verdict_types.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from planscope.language.problem import Problem
from planscope.oracle.facts import Fact
from planscope.oracle.statuses import Attempt
from planscope.oracle.trace import Ending, Item, Trace
from planscope.oracle.verdict_types import (
    Core,
    Correction,
    Move,
    PlannedCall,
    Proof,
    Reasons,
    Repair,
    SafeCall,
    State,
    Status,
    StepView,
    Verdict,
    VerdictKind,
)

if TYPE_CHECKING:
    from planscope.oracle.lookahead import Looks
    from planscope.oracle.walk import Walk

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
    def asks(self) -> bool:
        """Whether there is a query, and not only rules."""

    @property
    def first_doomed(self) -> int | None:
        """The index at which the last attempt was lost, or None."""

    def lost_at(self, attempt: int) -> int | None:
        """Return the index at which an attempt was lost, or None. Attempts count from 1."""

    def then(self, *items: Item, ending: Ending = "running", reason: str | None = None) -> JudgedRun:
        """Return the same run with more calls, and what was said between them, at the cost of those alone. The run must
        not have ended."""

    def status(self, constraint_id: str, index: int) -> Status: ...
    def statuses(self, index: int) -> dict[str, Status]: ...
    def value_at(self, constraint_id: str, index: int) -> str:
        """Return the value that decides a rule's status, if it is judged per value: ``order_id 7``. Else ""."""

    def safe_moves(self, index: int) -> tuple[Move, ...]:
        """Return the calls that can come next, as a message of their own, without losing the plan."""

    def safe_calls(self, index: int) -> tuple[SafeCall, ...]:
        """Return the same with arguments and answers that do not lose the plan."""

    def valid_completions(self, index: int) -> int | None:
        """Count the valid orders of the remaining actions; None if they are too many, or if rules do not count them."""

    def one_way(self, index: int) -> tuple[PlannedCall, ...] | None:
        """Return one way to go on so that everything is kept, or None if there is none."""

    def verdict(self, *, strict: bool = False) -> Verdict: ...
    def undecided(self) -> str:
        """Say why a run that is over is not decided."""

    def repair(self, from_step: int = 0) -> Repair: ...
    def way_back(self) -> Repair: ...
    def certify(self, timeout: int = 10_000, started: Started | None = None) -> Proof:
        """Ask Z3 to confirm verdict and core. ``timeout``: milliseconds per question."""

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
    ) -> Proof:
        """Ask Z3 whether each of these is a minimal core or a minimal correction."""

    def ahead(self) -> Looks:
        """Look one call ahead from the end of a run that goes on."""


class Beside(Protocol):
    """Rules about calls along a run, judged beside its query (``planscope/rules/beside.py``).

    Every ``index`` is an index into the run's steps. Rules go on over attempts; what query and rules allow only
    together, they judge as one.
    """

    numbers: Mapping[str, int]
    """The rules' places in their file, by their ids in the problem."""

    anew: bool
    """Whether a longer run (``then``) was judged from its first call on, so that earlier steps may differ."""

    def then(self, own: Walk) -> Beside:
        """Return the rules along a longer run. ``own``: its query, judged."""

    def view(self, own: StepView) -> StepView:
        """Add to a step of the query what the rules say of it."""

    def lost_at(self, attempt: int) -> int | None:
        """Return the index at which the rules, or query and rules together, were lost in an attempt."""

    def status(self, rule: str, index: int) -> Status: ...
    def value_at(self, rule: str, index: int) -> str: ...
    def safe_calls(self, index: int, own: tuple[Move, ...]) -> tuple[SafeCall, ...]: ...
    def one_way(self, index: int, own: tuple[PlannedCall, ...] | None) -> tuple[PlannedCall, ...] | None: ...
    def kind(self) -> VerdictKind:
        """Return the verdict on the rules alone."""

    def undecided(self) -> str:
        """Say why rules are not decided; "" if they are."""

    def warnings(self) -> tuple[str, ...]:
        """Return a line for each argument in the rules that no call has."""

    def repair(self, from_step: int, own: Repair) -> Repair: ...
    def certify(self) -> list[Proof]:
        """Ask Z3; return its answers."""

    def reasons(self, index: int, core: Core, search: Search) -> Reasons | None:
        """Find the reasons of a lost step, or None if the query alone was lost."""

    def certify_reasons(self, found: Reasons, stopped: Callable[[], bool] | None) -> Proof:
        """Ask Z3 about reasons that are not of the query alone."""

    def after(
        self, action: int, arguments: Mapping[str, Any] | None, own: str
    ) -> tuple[State, tuple[str, ...]]:
        """Return the state after one more call, and the ids of the rules that it breaks. ``own``: the query's state."""


@dataclass(frozen=True, slots=True)
class Search:
    """How to look for reasons; see :func:`planscope.oracle.reasons.reasons`."""

    most: int = 100
    timeout: int = 2_000
    on_core: Callable[[Core], None] | None = None
    on_correction: Callable[[Correction], None] | None = None
    stopped: Callable[[], bool] | None = None
    started: Started | None = None


@runtime_checkable
class Ruled(Protocol):
    """A problem that has rules beside its query."""

    @property
    def query(self) -> Problem: ...
    @property
    def late(self) -> bool:
        """Whether messages matter, since rules look at answers."""

    def beside(self, own: Walk) -> Beside: ...


def same_message(run: Judged, view: StepView) -> bool:
    """Return whether a call was made in one message with the call before, so that it knew no answer to it, where rules
    look at answers."""
    calls, problem = run.trace.calls, run.problem
    if not (isinstance(problem, Ruled) and problem.late) or view.step == "end" or view.index < 2:
        return False
    return calls[view.index - 1].message == calls[view.index - 2].message


WORST: tuple[State, ...] = ("broken", "doomed", "unknown")


def together(states: Sequence[State]) -> State:
    """Return the state of a plan that several judge: the worst of theirs."""
    return next((state for state in WORST if state in states), "completable")
