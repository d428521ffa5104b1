"""Judges every step of a trace: the state of each rule, whether all can still be kept, and which tools are safe
next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from planscope.rules.future import Future
from planscope.rules.judge import Judge, Rulebook, StepNo, known_tools
from planscope.rules.machine import Status
from planscope.traces.shape import Said, ToolCall, Trace

State = Literal["completable", "doomed", "broken", "unknown"]


@dataclass(frozen=True, slots=True)
class RulesStep:
    """The state after a call (step 0: before the first one; "end": after the last)."""

    step: StepNo
    call: ToolCall | None
    state: State
    statuses: dict[str, Status]
    safe_next: tuple[str, ...] = ()


def state_of(future: Future, judge: Judge) -> State:
    """Return completable, doomed, broken, or unknown if the trace or the search does not tell."""
    statuses = {judge.rule_status(i) for i in range(len(judge.book.rules))}
    if "broken" in statuses:
        return "broken"
    found = future.of(judge).possible
    if found is None:
        return "unknown"
    return "completable" if found else "doomed"


def safe_tools(future: Future, judge: Judge, tools: Sequence[str]) -> tuple[str, ...]:
    """Return the tools of which some call keeps the trace completable."""
    return tuple(tool for tool in tools if future.of(judge, tool).possible)


def steps(book: Rulebook, trace: Trace, *, safe: bool = True) -> Iterator[RulesStep]:
    """Yield every step of a trace, from 0 to "end". Each is judged when it is asked for. ``safe``: with safe tools."""
    book = book.for_tools({*trace.tools, *(call.tool for call in trace.calls)})
    tools = known_tools(book, trace)
    future = Future(book, tools)
    judge = Judge(book)
    statuses = {rule.id: judge.rule_status(i) for i, rule in enumerate(book.rules)}

    def now(step: StepNo, call: ToolCall | None) -> RulesStep:
        for i in {judge.owner[k] for k in judge.changed}:
            statuses[book.rules[i].id] = judge.rule_status(i)
        judge.changed.clear()
        state = state_of(future, judge)
        next_ones = safe_tools(future, judge, tools) if safe and state == "completable" else ()
        return RulesStep(step, call, state, statuses.copy(), next_ones)

    yield now(0, None)
    for item in trace.items:
        if isinstance(item, ToolCall):
            judge.call(item)
            yield now(item.step, item)
        elif isinstance(item, Said):
            judge.said(item, judge.last_step + 1)
    last = now("end", None)
    ended: dict[str, Status] = {}
    for result in judge.results(trace, open_end=trace.ended != "complete"):
        ended[result.rule.id] = {"broken": "broken", "unknown": "unknown"}.get(result.state, "kept")  # type: ignore[assignment]
    values = set(ended.values())
    final: State = "broken" if "broken" in values else "unknown" if "unknown" in values else "completable"
    if last.state in ("doomed",) and final == "unknown":
        final = "doomed"
    yield RulesStep("end", None, final, ended)
