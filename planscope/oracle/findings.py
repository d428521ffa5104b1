"""A run's errors (paper 6.2, Tables 3 and 6), call by call and as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from planscope.language.problem import Problem
from planscope.oracle.facts import Fact
from planscope.oracle.statuses import Attempt
from planscope.oracle.trace import Trace
from planscope.oracle.verdict_types import ErrorType, Finding

PRIMARY: tuple[ErrorType, ...] = ("timeout", "act_error", "action_lost", "action_repeated")
"""A run's primary error is the first of these types that it has, or else the earlier one of the other two types."""


def find(problem: Problem, attempt: Attempt, fact: Fact) -> Iterator[Finding]:
    """Return the findings of one call. ``attempt`` must include the call already."""
    tool = fact.call.tool
    if fact.call.refused:
        return
    if fact.effect == "refused":
        yield Finding("act_error", fact.step, message=f"{tool}: {fact.refusal}")
        return
    if fact.extra:
        names = ", ".join(fact.extra)
        yield Finding("act_error", fact.step, (), "warning", message=f"{tool} does not take {names}")
    if fact.action is None:
        return
    action = problem.actions[fact.action]
    here = set(attempt.broke.get(fact.step, ()))
    said = [c for c in problem.constraints if c.id in here] if here else []
    if fact.effect == "repeated":
        rule = tuple(c.id for c in problem.constraints if c.kind == "once")
        message = f"{action.name} was done already at step {fact.first}"
        yield Finding("action_repeated", fact.step, rule, actions=(action.id,), message=message)
    orders = [c for c in said if c.kind == "order"]
    if orders:
        concerned = dict.fromkeys(a for c in orders for a in c.actions)
        yield Finding("order_error", fact.step, tuple(c.id for c in orders), actions=tuple(concerned))
    if problem.timed:
        wrong = tuple(_hours_break(problem, fact, action.id))
        if wrong:
            yield Finding("parameter_error", fact.step, wrong, actions=(action.id,))


def _hours_break(problem: Problem, fact: Fact, action: str) -> Iterator[str]:
    """Return clock times and clock rules that this call's hours violate, even if they were decided before.

    The hours of a repeated call are judged like any other's, although the first execution decides the constraint's
    status.
    """
    assert fact.start is not None and fact.end is not None
    wrong = {
        "one_by_one": fact.clock is not None and fact.start < fact.clock,
        "start_range": not 0 <= fact.start <= 23,
        "end_range": not 1 <= fact.end <= 24,
    }
    for c in problem.constraints:
        if c.action == action:
            hour = c.hour or 0
            if fact.start < hour if c.kind == "start_at_least" else fact.end > hour:
                yield c.id
        elif wrong.get(c.kind):
            yield c.id


def find_at_end(problem: Problem, attempt: Attempt, trace: Trace) -> Iterator[Finding]:
    """Return the findings that only the end of a run shows: a limit was reached, or actions were never done."""
    if trace.ending in ("timeout", "call_limit"):
        why = trace.reason or ("out of time" if trace.ending == "timeout" else "too many model calls")
        yield Finding("timeout", "end", message=why)
    if trace.ending in ("aborted", "running"):
        return
    missing = [a for i, a in enumerate(problem.actions) if i not in attempt.first]
    if missing:
        rule = tuple(c.id for c in problem.constraints if c.kind == "all_done")
        names = ", ".join(a.name for a in missing)
        yield Finding(
            "action_lost", "end", rule, actions=tuple(a.id for a in missing), message=f"never done: {names}"
        )


def grouped(findings: Sequence[Finding]) -> list[tuple[Finding, ...]]:
    """Group findings that differ only in their step. Groups are ordered by their first step."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for one in findings:
        said = (one.type, one.severity, one.constraints, one.actions, one.message)
        groups.setdefault(said, []).append(one)
    return [tuple(group) for group in groups.values()]


def ordered(findings: Sequence[Finding], complete: bool) -> tuple[Finding, ...]:
    """Sort findings: the primary one first, then by step. An act_error becomes a warning if the run did every action
    anyway."""
    settled = [replace(f, severity="warning") if f.type == "act_error" and complete else f for f in findings]
    kinds: tuple[ErrorType, ...] = (*PRIMARY, "parameter_error", "order_error")

    def by_step(f: Finding) -> tuple[float, int]:
        return (float("inf") if f.step == "end" else f.step, kinds.index(f.type))

    settled.sort(key=by_step)
    errors = [f for f in settled if f.severity == "error"]
    if not errors:
        return tuple(settled)
    first = min(errors, key=lambda f: (min(kinds.index(f.type), len(PRIMARY)), *by_step(f)))
    return (first, *[f for f in settled if f is not first])
