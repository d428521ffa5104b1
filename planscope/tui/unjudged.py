"""A run that nobody has judged yet: its calls can be gone through all the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from planscope.language.problem import Action, Problem
from planscope.oracle.trace import Call, Ending, Trace
from planscope.oracle.verdict_types import Status, StepView, Verdict
from planscope.tui.glance import RunGlance, VariantGlance

_ENDINGS: Mapping[str, Ending] = {ending: ending for ending in get_args(Ending)}


class Unjudged:
    """What the debugger needs of a replay, with every step ``unknown`` and every constraint ``open``."""

    def __init__(self, problem: Problem, trace: Trace, attempts: tuple[int, ...] = ()) -> None:
        self.problem = problem
        self.trace = trace
        numbers = attempts or (1,) * len(trace.calls)
        views = [_view(0, 0, 1, None)]
        views += [
            _view(k, k, attempt, call)
            for k, (call, attempt) in enumerate(zip(trace.calls, numbers, strict=True), 1)
        ]
        if trace.ending != "running":
            views.append(_view("end", len(views), views[-1].attempt, None))
        self.steps = tuple(views)

    def status(self, constraint_id: str, index: int) -> Status:
        return "open"

    def valid_completions(self, index: int) -> int | None:
        return None

    def verdict(self) -> Verdict:
        return Verdict("unknown", None, (), None, "")


def _view(step: int | Literal["end"], index: int, attempt: int, call: Call | None) -> StepView:
    return StepView(step, index, attempt, call, None, None, None, "unknown", (), None)


def unjudged(
    run: RunGlance | None, variant: VariantGlance | None, problem: Problem | None = None
) -> Unjudged:
    """A run as the file tells it. Without a run: a run of no calls that goes on."""
    if problem is None:
        actions = variant.actions if variant else ()
        problem = Problem(
            tuple(Action(a.id, a.name, a.tool) for a in actions), (), bool(variant and variant.timed)
        )
    if run is None:
        return Unjudged(problem, Trace(ending="running"))
    calls = tuple(Call(c.tool, c.arguments, c.error or None) for c in run.calls)
    trace = Trace(calls, _ENDINGS.get(run.ending, "aborted"), run.reason or None)
    return Unjudged(problem, trace, tuple(c.attempt for c in run.calls))
