"""What a judged run needs of others, and what can be known of it without Z3.

Rules come in through :class:`Beside`, since the oracle knows none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from planscope.frozen import frozen
from planscope.language.problem import Problem
from planscope.oracle.trace import Trace
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


@frozen
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
