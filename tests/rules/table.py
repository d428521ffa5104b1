"""The table of rules as sentences about whole traces ("kept when"), without automata: the yardstick of the judge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from planscope.rules.rule import Calls, Rule
from planscope.traces.shape import Said, ToolCall


class Event(NamedTuple):
    """A call or a user message (``tool`` is then "")."""

    tool: str
    arguments: tuple[tuple[str, Any], ...] = ()
    failed: bool | None = False
    """None: the call was not answered."""
    message: int = 0
    status: str = "ok"
    """What the answer says."""


def in_set(calls: Sequence[Calls], event: Event) -> bool:
    """Only what the worlds of ``worlds.py`` use: names, ``*``, ``x = 1``, ``that failed``, any user message."""
    for one in calls:
        named = event.tool == one.name or (one.name == "*" and event.tool != "")
        if one.condition is not None:
            named = named and dict(event.arguments).get("x") == 1
        if one.outcome == "failed":
            named = named and event.failed is True
        if one.outcome == "succeeded":
            named = named and event.failed is False
        if named:
            return True
    return False


def kept(rule: Rule, trace: Sequence[Event]) -> bool:
    """Does a whole trace keep a rule?"""
    if rule.per:
        name = str(rule.per[0][0])
        values = {dict(e.arguments)[name] for e in trace if dict(e.arguments).get(name) is not None}
        return all(
            _kept(rule, [e for e in trace if e.tool == "" or dict(e.arguments).get(name) == value])
            for value in values
        )
    return _kept(rule, trace)


def _kept(rule: Rule, trace: Sequence[Event]) -> bool:
    if not any(calls.is_user for calls in rule.sets):
        trace = [e for e in trace if e.tool]
    n = range(len(trace))
    a = [in_set(rule.first, e) for e in trace]
    b = [in_set(rule.then, e) for e in trace]
    is_call = [e.tool != "" for e in trace]
    late = any(calls.outcome for calls in rule.first) or rule.kind == "latest"

    def before(i: int, j: int) -> bool:
        """Was ``i`` known when ``j`` was chosen?"""
        return i < j and (not late or trace[i].message != trace[j].message)

    def following(i: int) -> int | None:
        """The next event that knew of ``i``."""
        return next((j for j in n if before(i, j)), None)

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
                    if not any(
                        a[i] and before(i, j) and (i >= last or (late and not before(i, last))) for i in n
                    ):
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
        case "not_succession":
            return not any(a[i] and b[j] and before(i, j) for i in n for j in n)
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
        case "latest":
            for j in n:
                if b[j]:
                    known = [i for i in n if a[i] and before(i, j)]
                    if not known or trace[known[-1]].status != "ok":
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
                step,
                event.tool,
                event.message,
                arguments=dict(event.arguments),
                answer=answer,
                answered=event.failed is not None,
                failed=event.failed,
            )
        )
    return items
