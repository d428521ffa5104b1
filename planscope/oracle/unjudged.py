"""A run before it is judged: one can step through its calls, and every state is ``unknown``."""

from __future__ import annotations

from planscope.language.problem import Problem
from planscope.oracle.facts import read_facts
from planscope.oracle.trace import ToolCall, Trace
from planscope.oracle.verdict_types import Status, StepNo, StepView, Verdict


class Unjudged:
    """Takes the place of a replay in the debugger. It counts attempts as the oracle does, but asks no solver."""

    def __init__(self, problem: Problem, trace: Trace) -> None:
        self.problem = problem
        self.trace = trace
        views = [_view(0, 0, 1, None)]
        facts = enumerate(read_facts(problem, trace), 1)
        views += [_view(k, k, fact.attempt, fact.call) for k, fact in facts]
        if trace.ending != "running":
            views += [_view("end", len(views), views[-1].attempt, None)]
        self.steps = tuple(views)

    def status(self, constraint_id: str, index: int) -> Status:
        return "open"

    def valid_completions(self, index: int) -> int | None:
        return None

    def verdict(self) -> Verdict:
        return Verdict("unknown", None, (), None)


def _view(step: StepNo, index: int, attempt: int, call: ToolCall | None) -> StepView:
    return StepView(step, index, attempt, call, None, None, None, "unknown", (), None)
