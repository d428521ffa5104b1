"""What happened in a run, call by call: executions, refusals, repeats, restarts, and the clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planscope.language.problem import Problem
from planscope.oracle.arguments import extra_arguments, read_start
from planscope.oracle.trace import RESTART_TOOL, Call, Trace

Effect = Literal["done", "repeated", "refused", "restart"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One call's effect. ``step`` counts from 1, ``action`` indexes ``problem.actions``.

    Timed: ``start`` and ``end`` are hours, ``clock`` is the latest end before this call, None before the first.
    ``refusal`` says why a call is no execution; ``extra`` names arguments that the tool does not take.
    ``first`` is, for a repeated one, the step that did it first.
    """

    step: int
    attempt: int
    call: Call
    effect: Effect
    action: int | None = None
    start: int | None = None
    end: int | None = None
    clock: int | None = None
    refusal: str | None = None
    extra: tuple[str, ...] = ()
    first: int | None = None


def durations(problem: Problem) -> list[int]:
    """Hours of each action; 1 where none is given."""
    return [1 if a.duration is None else a.duration for a in problem.actions]


def read_facts(problem: Problem, trace: Trace) -> list[Fact]:
    """The effect of every call of the trace, in order (spec: the first execution counts for the order)."""
    index = {a.tool: i for i, a in enumerate(problem.actions)}
    takes = durations(problem)
    facts: list[Fact] = []
    attempt, done = 1, dict[int, int]()
    clock: int | None = None
    for step, call in enumerate(trace.calls, 1):
        extra = extra_arguments(call.arguments, problem.timed)
        if call.arguments is None or call.error is not None:
            why = call.error or "the arguments could not be read"
            facts.append(Fact(step, attempt, call, "refused", refusal=why, clock=clock))
            continue
        if call.refused:
            facts.append(
                Fact(step, attempt, call, "refused", refusal="it was kept from its tool", clock=clock)
            )
            continue
        if problem.timed and call.tool == RESTART_TOOL and call.tool not in index:
            attempt, clock, done = attempt + 1, None, {}
            extra = tuple(call.arguments)
            facts.append(Fact(step, attempt, call, "restart", extra=extra))
            continue
        action = index.get(call.tool)
        if action is None:
            facts.append(Fact(step, attempt, call, "refused", refusal="there is no such tool", clock=clock))
            continue
        start = end = None
        if problem.timed:
            read = read_start(call.arguments)
            if isinstance(read, str):
                facts.append(Fact(step, attempt, call, "refused", action, refusal=read, clock=clock))
                continue
            start, end = read, read + takes[action]
        effect: Effect = "repeated" if action in done else "done"
        facts.append(
            Fact(step, attempt, call, effect, action, start, end, clock, extra=extra, first=done.get(action))
        )
        done.setdefault(action, step)
        if end is not None:
            clock = end if clock is None else max(clock, end)
    return facts
