"""The table of rules as sentences about whole traces ("kept when"), without automata: the yardstick of the judge."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from planscope.language.calls import Calls
from planscope.oracle.trace import Said, ToolCall
from planscope.rules.rule import Rule


class Event(NamedTuple):
    """A call or a user message (``tool`` is then "")."""

    tool: str
    arguments: tuple[tuple[str, Any], ...] = ()
    failed: bool | None = False
    """None: the call was not answered."""
    message: int = 0
    status: str | None = "ok"
    """What the answer says."""


def in_set(calls: Sequence[Calls], event: Event) -> bool:
    """Only what the worlds of ``worlds.py`` use: names and globs, simple conditions, ``that failed``, any user
    message."""
    return any(_in_one(one, event) for one in calls)


def _in_one(one: Calls, event: Event) -> bool:
    if event.tool == "" or one.name == "":
        return event.tool == one.name
    begin, star, end = one.name.partition("*")
    if not star and event.tool != one.name:
        return False
    if star and not (
        len(event.tool) >= len(begin + end) and event.tool.startswith(begin) and event.tool.endswith(end)
    ):
        return False
    if one.outcome is not None and event.failed is not (one.outcome == "failed"):
        return False
    return one.condition is None or _meets(one.condition, event)


def _meets(condition: Any, event: Event) -> bool:
    if condition.source == "argument":
        found = dict(event.arguments).get(condition.path[0])
    else:
        found = None if event.failed is None else event.status
    if condition.operator in ("is missing", "is set"):
        return (found is None) is (condition.operator == "is missing")
    if condition.operator in ("matches", "does not match"):
        matches = found is not None and re.search(condition.value, found) is not None
        return found is not None and matches is (condition.operator == "matches")
    if condition.operator == ">":
        return isinstance(found, int) and found > condition.value
    if condition.operator == "!=":
        return found is not None and found != condition.value
    assert condition.operator == "="
    return bool(found == condition.value)


def _met(rule: Rule, event: Event) -> bool:
    return event.status == "ok" if rule.condition is None else _meets(rule.condition, event)


def _agrees(rule: Rule, event: Event, known: list[Event]) -> bool:
    """Only what the worlds use: the argument x is, or is not, a status that was answered."""
    assert rule.against is not None
    found = dict(event.arguments).get("x")
    said = [e.status for e in (known if rule.against.every else known[-1:]) if e.failed is not None]
    if not said or found is None:
        return False
    return (found in said) is (rule.against.relation == "=")


def kept(rule: Rule, trace: Sequence[Event]) -> bool:
    """Does a whole trace keep a rule?"""
    return all(_kept(rule, one) for one in traces_of(rule, trace))


def tested(rule: Rule, trace: Sequence[Event]) -> int:
    """For how many values a whole trace puts a rule to the test; without values 0 or 1."""
    return sum(_tested(rule, one) for one in traces_of(rule, trace))


def traces_of(rule: Rule, trace: Sequence[Event]) -> list[list[Event]]:
    """The traces that a rule is about: the calls of each value, whatever their tool, or all."""
    if not rule.per:
        return [list(trace)]
    name = str(rule.per[0][0])
    values = {dict(e.arguments)[name] for e in trace if dict(e.arguments).get(name) is not None}
    return [[e for e in trace if e.tool == "" or dict(e.arguments).get(name) == value] for value in values]


def _tested(rule: Rule, trace: Sequence[Event]) -> bool:
    a, b = [in_set(rule.first, e) for e in trace], [in_set(rule.then, e) for e in trace]
    match rule.kind:
        case "existence" | "exactly" | "never" | "init" | "end":
            return True
        case "precedence" | "alternate_precedence" | "chain_precedence" | "latest" | "compared" | "since":
            return any(b)
        case "not_succession":  # any call after an A; a user message only if it breaks the rule
            later = [e.tool != "" or hit for e, hit in zip(trace, b, strict=True)]
            return any(hit and any(later[i + 1 :]) for i, hit in enumerate(a))
    return any(a)


def _kept(rule: Rule, trace: Sequence[Event]) -> bool:
    if not any(calls.is_user for calls in rule.sets):
        trace = [e for e in trace if e.tool]
    n = range(len(trace))
    a = [in_set(rule.first, e) for e in trace]
    b = [in_set(rule.then, e) for e in trace]
    c = [in_set(rule.until, e) for e in trace]
    is_call = [e.tool != "" for e in trace]
    plain = [c for c in rule.first if not (c.outcome or (c.condition and c.condition.source == "answer"))]
    at_once = [rule.kind != "latest" and in_set(plain, e) for e in trace]
    """Does the call alone, without its answer, show that it is one of A?"""

    def before(i: int, j: int) -> bool:
        """Was it known when ``j`` was chosen that ``i`` is one of A?"""
        return i < j and (at_once[i] or trace[i].message != trace[j].message)

    def following(i: int) -> int | None:
        """The next event that knew of ``i``."""
        return next((j for j in n if before(i, j)), None)

    def open_at(j: int) -> bool:
        """Is there an A before ``j`` that no C has ended?"""
        return any(
            a[i] and before(i, j) and not any(c[k] and before(i, k) for k in range(i + 1, j)) for i in n
        )

    count = sum(a)
    match rule.kind:
        case "precedence":
            return all(any(a[i] and before(i, j) for i in n) for j in n if b[j])
        case "alternate_precedence":
            for j in n:
                if b[j]:
                    last = max((k for k in range(j) if b[k]), default=-1)
                    # an A at or after the last B: a call that is both counts for the next B, and an answer
                    # counts from the next message on
                    if not any(a[i] and before(i, j) and (i >= last or not before(i, last)) for i in n):
                        return False
            return True
        case "response":
            return all(any(b[j] and before(i, j) for j in n) for i in n if a[i])
        case "chain_precedence":
            return all(j > 0 and a[j - 1] and before(j - 1, j) for j in n if b[j])
        case "chain_response":
            return all((j := following(i)) is not None and b[j] for i in n if a[i])
        case "within":
            for i in n:
                if a[i]:
                    later = [j for j in n if before(i, j)]
                    good = next((j for j in later if b[j]), None)
                    if good is None or sum(is_call[j] for j in later if j < good) >= rule.count:
                        return False
            return True
        case "existence":
            return count >= rule.count
        case "absence":
            return count <= rule.count
        case "exactly":
            return count == rule.count
        case "never":
            return count == 0
        case "in_row":
            row = "".join("a" if a[i] else "." for i in n if a[i] or is_call[i])
            return max(map(len, row.split("."))) <= rule.count
        case "since":
            return all(open_at(j) for j in n if b[j])
        case "after_until":
            return not any(open_at(j) for j in n if b[j])
        case "not_between":
            inside = (j for j in n if b[j] and not c[j] and open_at(j))
            return not any(c[k] for j in inside for k in range(j + 1, len(trace)))
        case "not_succession":
            return not any(a[i] and b[j] and before(i, j) for i in n for j in n)
        case "not_within":
            for i in n:
                near = [j for j in n if before(i, j)] if a[i] else []
                if any(b[j] and sum(is_call[k] for k in near if k < j) < rule.count for j in near):
                    return False
            return True
        case "not_coexistence":
            return not (any(a) and any(b))
        case "responded_existence":
            return not any(a) or any(b)
        case "first":
            return not any(a[j] and is_call[i] and not a[i] for j in n for i in range(j))
        case "last":
            return not any(a[i] and is_call[j] and not a[j] and before(i, j) for i in n for j in n)
        case "init":
            return next((a[i] for i in n if is_call[i]), False)
        case "end":
            return next((a[i] for i in reversed(n) if is_call[i]), False)
        case "compared":
            for j in n:
                known = [i for i in n if a[i] and i < j and trace[i].message != trace[j].message]
                if b[j] and not _agrees(rule, trace[j], [trace[i] for i in known]):
                    return False
            return True
        case "in_message":
            return all(sum(a[j] and trace[i].message == trace[j].message for j in n) <= rule.count for i in n)
        case "together":
            return not any(a[i] and b[j] and trace[i].message == trace[j].message for i in n for j in n)
        case "latest":
            for j in n:
                if b[j]:
                    known = [i for i in n if a[i] and before(i, j)]
                    if not known or not _met(rule, trace[known[-1]]):
                        return False
            return True
    raise AssertionError(rule.kind)


def as_items(trace: Sequence[Event]) -> list[ToolCall | Said]:
    """The events as a trace of the judge."""
    items: list[ToolCall | Said] = []
    step = 0
    for event in trace:
        if event.tool == "":
            items.append(Said("user", "yes", event.message))
            continue
        step += 1
        answer = None if event.failed is None else json.dumps({"status": event.status})
        items.append(
            ToolCall(
                event.tool,
                dict(event.arguments),
                step=step,
                message=event.message,
                answer=answer,
                answered=event.failed is not None,
                failed=event.failed,
            )
        )
    return items
