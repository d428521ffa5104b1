"""Determines what each call of a run did: executions, refusals, repeats, restarts, and the clock after it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Literal

from planscope.frozen import frozen
from planscope.language.problem import Problem
from planscope.oracle.arguments import extra_arguments, read_start, schema_refusal
from planscope.oracle.trace import RESTART_TOOL, ToolCall, Trace

Effect = Literal["done", "repeated", "refused", "restart", "free", "failed"]
"""``free``: the call of a real tool that the query does not name. ``failed``: a real tool failed; nothing was done,
and the agent is not to blame."""


@frozen
class Fact:
    """What one call did. ``step`` counts from 1, ``action`` is an index into ``problem.actions``.

    Timed: ``start`` and ``end`` are hours, ``clock`` is the latest end before this call (None before the first).
    ``refusal`` says why the call did not run; ``extra`` names arguments that the tool does not take. ``first``: for a
    repeated action, the step of its first execution.
    """

    step: int
    attempt: int
    call: ToolCall
    effect: Effect
    action: int | None = None
    start: int | None = None
    end: int | None = None
    clock: int | None = None
    refusal: str | None = None
    extra: tuple[str, ...] = ()
    first: int | None = None


def durations(problem: Problem) -> list[int]:
    """Return the hours of each action; 1 if an action has no duration."""
    return [1 if a.duration is None else a.duration for a in problem.actions]


def read_facts(problem: Problem, trace: Trace) -> list[Fact]:
    """Return what every call of the trace did, in order. An action's first execution counts for the order."""
    reader = FactReader(problem)
    return [reader.read(call) for call in trace.calls]


class FactReader:
    """Reads the calls of one run, one after another."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._index = {a.tool: i for i, a in enumerate(problem.actions)}
        self._takes = durations(problem)
        self._step, self._attempt = 0, 1
        self.done: dict[int, int] = {}
        self._clock: int | None = None

    def copy(self) -> FactReader:
        """An independent reader at the same place."""
        made = copy(self)
        made.done = dict(self.done)
        return made

    def read(self, call: ToolCall) -> Fact:
        """Return what the next call did."""
        problem, own = self._problem, self._problem.own
        self._step += 1
        extra = extra_arguments(call.arguments, problem.timed) if own is None else ()
        if call.arguments is None or call.error is not None:
            return self._fact(call, "refused", refusal=call.error or "the arguments could not be read")
        if call.refused:
            return self._fact(call, "refused", refusal="the call was blocked before it reached the tool")
        if own is not None and call.failed:
            refusal = _own_refusal(own, call)
            return self._fact(call, "failed" if refusal is None else "refused", refusal=refusal)
        restarts = call.tool == RESTART_TOOL and call.tool not in self._index and call.tool not in (own or ())
        if problem.timed and restarts:
            self._attempt, self._clock, self.done = self._attempt + 1, None, {}
            return self._fact(call, "restart", extra=tuple(call.arguments))
        action = self._index.get(call.tool)
        if action is None and own is not None:
            return self._fact(call, "free")
        if action is None:
            return self._fact(call, "refused", refusal="there is no such tool")
        if not problem.timed:
            return self._ran(call, action, None, extra)
        read = read_start(call.arguments)
        if isinstance(read, str):
            return self._fact(call, "refused", action=action, refusal=read)
        return self._ran(call, action, read, extra)

    def _ran(self, call: ToolCall, action: int, start: int | None, extra: tuple[str, ...]) -> Fact:
        effect: Effect = "repeated" if action in self.done else "done"
        end = None if start is None else start + self._takes[action]
        first = self.done.get(action)
        fact = self._fact(call, effect, action=action, start=start, end=end, extra=extra, first=first)
        self.done.setdefault(action, self._step)
        if end is not None:
            self._clock = end if self._clock is None else max(self._clock, end)
        return fact

    def _fact(self, call: ToolCall, effect: Effect, **more: Any) -> Fact:
        return Fact(self._step, self._attempt, call, effect, clock=self._clock, **more)


def _own_refusal(own: Mapping[str, Mapping[str, Any] | None], call: ToolCall) -> str | None:
    """Return why a real tool refused a call that it answered with an error, or None if it accepted the call and then
    failed."""
    if own and call.tool not in own:
        return "there is no such tool"
    schema = own.get(call.tool)
    return None if schema is None else schema_refusal(schema, call.arguments)
