"""The interfaces that each language (base, timed) implements: ``Plan`` answers about a run, ``Question`` about
members.

A *member* is a possible element of an unsat core: a constraint, a rule, a step or the end. Sets of members are bit
masks over ``names``. A question answers with more than it was asked for if that costs nothing: a larger set that can
hold, or a smaller one that cannot.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Literal, Protocol

from planscope.frozen import frozen
from planscope.language.problem import Problem
from planscope.oracle.facts import Fact
from planscope.oracle.precedence import bits
from planscope.oracle.statuses import Attempt
from planscope.oracle.verdict_types import Core, Move, PlannedCall, State, StepNo

COUNTED = 20
"""If more actions than this remain, valid completions are not counted."""


class Cursor(Protocol):
    """The state of one attempt, moved forward call by call."""

    def copy(self) -> Cursor: ...

    def execute(self, fact: Fact) -> None: ...

    def state(self, attempt: Attempt, index: int) -> State: ...


class Plan(Protocol):
    """Answers about the remaining actions of a run. ``done``: the executions so far, in order."""

    def begin(self) -> Cursor: ...

    def core(self, attempt: Attempt, index: int, step: StepNo, called: Collection[int]) -> Core | None:
        """Return the core at the step where an attempt was lost. ``called``: actions executed in any attempt so far."""

    def safe_moves(self, done: Sequence[Fact]) -> tuple[Move, ...]: ...

    def completions(self, done: Sequence[Fact]) -> int | None: ...

    def one_way(self, done: Sequence[Fact]) -> tuple[PlannedCall, ...] | None: ...


def rule_core(attempt: Attempt, step: StepNo, rules: dict[str, str]) -> Core | None:
    """Return the core of a violated counting rule (an action done twice, or never), or None for other violations."""
    if step == "end":
        return Core((rules["all_done"],), ("end",))
    last = attempt.facts[-1] if attempt.facts else None
    if last is not None and last.step == step and last.effect == "repeated" and last.first is not None:
        return Core((rules["once"],), (last.first, last.step))
    return None


Answered = tuple[Literal["sat", "unsat", "unknown"], int]
"""``sat`` with a superset of the members asked about, ``unsat`` with a subset of them, or ``unknown`` with 0."""


class Question(Protocol):
    """Answers whether members can hold together. ``names``: all members in the order c1.., b1.., steps, ``end``."""

    names: tuple[str, ...]

    def ask(self, chosen: int) -> Answered: ...


@frozen
class Prefix:
    """The executions of one attempt up to a step. ``ended``: the agent stopped there."""

    ran: tuple[Fact, ...]
    ended: bool


class Members:
    """The members at a step by name, and the counting rules among them (``once``, ``all_done``), which ignore the
    clock."""

    def __init__(self, problem: Problem, prefix: Prefix) -> None:
        steps = [f"step{f.step}" for f in prefix.ran]
        self.names = (*(c.id for c in problem.constraints), *steps, *(["end"] if prefix.ended else []))
        self.bit = {name: 1 << k for k, name in enumerate(self.names)}
        self.firsts = tuple(f for f in prefix.ran if f.effect == "done")
        rules = {str(c.kind): self.bit[c.id] for c in problem.constraints if c.is_rule}
        self.conflicts: list[int] = []
        """Sets that the counting rules forbid: an action is done twice, or never."""
        for fact in prefix.ran:
            if fact.effect == "repeated" and "once" in rules:
                pair = self.bit[f"step{fact.first}"] | self.bit[f"step{fact.step}"]
                self.conflicts.append(rules["once"] | pair)
        if prefix.ended and "all_done" in rules and len(self.firsts) < len(problem.actions):
            self.conflicts.append(rules["all_done"] | self.bit["end"])

    def conflict(self, chosen: int) -> int:
        """Return a subset of ``chosen`` that the counting rules forbid, or 0 if there is none."""
        return next((c for c in self.conflicts if c & chosen == c), 0)

    def widened(self, chosen: int, more: Iterable[int]) -> int:
        """Return ``chosen`` with those of ``more`` (one bit each) that the counting rules do not forbid."""
        for bit in more:
            if not any(c & bit and c & ~chosen == bit for c in self.conflicts):
                chosen |= bit
        return chosen

    def mask(self, names: Iterable[str]) -> int:
        return sum(self.bit[name] for name in set(names))

    def named(self, chosen: int) -> list[str]:
        return [self.names[k] for k in bits(chosen)]
