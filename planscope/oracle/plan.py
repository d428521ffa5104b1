"""What a replay needs to know of a problem, whether it is timed or not."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from planscope.oracle.facts import Fact
from planscope.oracle.statuses import Attempt
from planscope.oracle.verdict_types import Core, Move, PlannedCall, State, StepNo

COUNTED = 20
"""With more actions than this remaining, valid completions are not counted."""


class Cursor(Protocol):
    """Where an attempt stands, moved forward call by call."""

    def copy(self) -> Cursor: ...

    def execute(self, fact: Fact) -> None: ...

    def state(self, attempt: Attempt, index: int) -> State: ...


class Plan(Protocol):
    """Answers about what remains. ``done`` is what was executed so far, in order."""

    def begin(self) -> Cursor: ...

    def core(self, attempt: Attempt, index: int, step: StepNo, called: Collection[int]) -> Core | None:
        """The core at the first doomed step of an attempt. ``called``: actions that any attempt had done by then."""

    def safe_moves(self, done: Sequence[Fact]) -> tuple[Move, ...]: ...

    def completions(self, done: Sequence[Fact]) -> int | None: ...

    def one_way(self, done: Sequence[Fact]) -> tuple[PlannedCall, ...] | None: ...


def rule_core(attempt: Attempt, step: StepNo, rules: dict[str, str]) -> Core | None:
    """The core where a rule of counting is what fails: an action done twice, or one never done."""
    if step == "end":
        return Core((rules["all_done"],), ("end",))
    last = attempt.facts[-1] if attempt.facts else None
    if last is not None and last.step == step and last.effect == "repeated" and last.first is not None:
        return Core((rules["once"],), (last.first, last.step))
    return None
