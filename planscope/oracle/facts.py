"""What happened in a run, call by call: executions, refusals, repeats, restarts, and the clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from planscope.language.problem import Problem
from planscope.oracle.arguments import extra_arguments, read_start, schema_refusal
from planscope.oracle.trace import RESTART_TOOL, Call, Trace

Effect = Literal["done", "repeated", "refused", "restart", "free", "failed"]
"""``free``: a real tool was called that the query does not name. ``failed``: a real tool failed at its work; nothing
was done, and the agent made no error."""


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
    own = problem.own
    attempt, done = 1, dict[int, int]()
    clock: int | None = None
    for step, call in enumerate(trace.calls, 1):
        extra = extra_arguments(call.arguments, problem.timed) if own is None else ()
        if call.arguments is None or call.error is not None:
            why = call.error or "the arguments could not be read"
            facts.append(Fact(step, attempt, call, "refused", refusal=why, clock=clock))
            continue
        if call.refused:
            facts.append(
                Fact(step, attempt, call, "refused", refusal="it was kept from its tool", clock=clock)
            )
            continue
        if own is not None and call.failed:
            refusal = _own_refusal(own, call)
            effect: Effect = "failed" if refusal is None else "refused"
            facts.append(Fact(step, attempt, call, effect, refusal=refusal, clock=clock))
            continue
        restarts = call.tool == RESTART_TOOL and call.tool not in index and call.tool not in (own or ())
        if problem.timed and restarts:
            attempt, clock, done = attempt + 1, None, {}
            extra = tuple(call.arguments)
            facts.append(Fact(step, attempt, call, "restart", extra=extra))
            continue
        action = index.get(call.tool)
        if action is None and own is not None:
            facts.append(Fact(step, attempt, call, "free", clock=clock))
            continue
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
        effect = "repeated" if action in done else "done"
        facts.append(
            Fact(step, attempt, call, effect, action, start, end, clock, extra=extra, first=done.get(action))
        )
        done.setdefault(action, step)
        if end is not None:
            clock = end if clock is None else max(clock, end)
    return facts


def _own_refusal(own: Mapping[str, Mapping[str, Any] | None], call: Call) -> str | None:
    """Why a real tool refused a call that it answered with an error; None where it took the call, and failed."""
    if own and call.tool not in own:
        return "there is no such tool"
    schema = own.get(call.tool)
    return None if schema is None else schema_refusal(schema, call.arguments)
