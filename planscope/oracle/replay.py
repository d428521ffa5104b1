"""A run judged step by step."""

from __future__ import annotations

from planscope.language.problem import Problem
from planscope.oracle.trace import Trace
from planscope.oracle.verdict_types import Move, PlannedCall, Repair, Status, StepView, Verdict


class Replay:
    """Every step's state and core, computed once; safe moves, counts and repairs on demand.

    ``steps[0]`` is before any call, ``steps[k]`` after call k, ``steps[-1]`` the end (absent while running).
    Everything that takes an ``index`` means an index into ``steps``.
    """

    problem: Problem
    trace: Trace
    steps: tuple[StepView, ...]

    def status(self, constraint_id: str, index: int) -> Status: ...
    def statuses(self, index: int) -> dict[str, Status]: ...
    def safe_moves(self, index: int) -> tuple[Move, ...]: ...
    def valid_completions(self, index: int) -> int | None: ...
    def one_way(self, index: int) -> tuple[PlannedCall, ...] | None: ...
    def verdict(self, *, strict: bool = False) -> Verdict: ...
    def repair(self, from_step: int = 0) -> Repair: ...


def replay(problem: Problem, trace: Trace) -> Replay: ...
