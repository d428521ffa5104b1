"""Finds where a trace is lost, and the core: rules and calls that clash, none of which can be dropped.

Once no continuation keeps all rules, no later one does, because the rest of the trace is a continuation itself. So the
first lost step is found by bisection. It is the end if every step before can still be continued.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planscope.rules.future import Future
from planscope.rules.judge import Event, Judge, Rulebook, StepNo, events
from planscope.rules.rule import Rule
from planscope.traces.shape import Said, ToolCall, Trace

BETWEEN = 64
"""The number of calls between two saved states of a judge. Deleting a call is tried from the last state before it."""


@dataclass(frozen=True, slots=True)
class Core:
    """Rules (by id) and steps of calls that cannot all be kept. ``step``: the first lost one."""

    step: StepNo
    rules: tuple[str, ...]
    steps: tuple[int, ...]
    confirmed: bool | None = None
    """Whether Z3 confirms the core; None if not decided."""


def play(book: Rulebook, happened: Sequence[tuple[Event, int]]) -> Judge:
    """Return a judge that has seen these events."""
    judge = Judge(book)
    feed(judge, happened)
    return judge


def feed(judge: Judge, happened: Sequence[tuple[Event, int]]) -> None:
    for event, step in happened:
        if isinstance(event, ToolCall):
            judge.call(event)
        else:
            judge.said(event, step)


def first_lost(
    book: Rulebook, tools: Sequence[str], trace: Trace, *, open_end: bool = False
) -> tuple[StepNo, list[tuple[Event, int]]] | None:
    """Return the first lost step and the events up to it, or None. ``open_end``: the trace may continue.

    A step that the search cannot decide counts as not lost.
    """
    happened = list(events(trace.items))
    future = Future(book, tools)
    places = [k for k, (event, _) in enumerate(happened) if isinstance(event, ToolCall)]

    def lost(calls: int) -> bool:
        upto = places[calls - 1] + 1 if calls else 0
        return future.of(play(book, happened[:upto])).possible is False

    low, high = 0, len(places)
    whole = play(book, happened)
    ended_lost = not open_end and whole.lost_at_end()
    broken = [at for k, at in whole.broken_at.items() if isinstance(at, int) and not whole.is_template(k)]
    if broken:
        high = min(
            high, sum(event.step <= min(broken) for event, _ in happened if isinstance(event, ToolCall))
        )
        if min(broken) > whole.last_step and not lost(high):
            return "end", happened
    elif not lost(high):
        return ("end", happened) if ended_lost else None
    if high and not lost(high - 1):
        low = high
    while low < high:
        middle = (low + high) // 2
        if lost(middle):
            high = middle
        else:
            low = middle + 1
    if low == 0:
        return 0, []
    upto = places[low - 1] + 1
    event = happened[upto - 1][0]
    assert isinstance(event, ToolCall)
    return event.step, happened[:upto]


def find_core(
    book: Rulebook, tools: Sequence[str], step: StepNo, happened: Sequence[tuple[Event, int]]
) -> Core:
    """Return the core of a lost step. The order of deletions makes it unique.

    Rules are dropped from the last to the first, with all calls kept; then calls, from the last to the first (a dropped
    call was not made; user messages stay); both again until no member can be dropped.
    """
    rules = list(range(len(book.rules)))
    kept = list(range(len(happened)))
    while True:
        before = len(rules), len(kept)
        rules = _drop_rules(book, tools, step, [happened[k] for k in kept], rules)
        part = Rulebook([book.rules[i] for i in rules], succeeded_only=book.succeeded_only)
        kept = drop_calls(part, tools, step, happened, kept)
        if (len(rules), len(kept)) == before:
            break
    steps = tuple(e.step for e, _ in (happened[k] for k in kept) if isinstance(e, ToolCall))
    return Core(step, tuple(book.rules[i].id for i in rules), steps)


def _is_lost(future: Future, judge: Judge, step: StepNo, only: Sequence[int] | None = None) -> bool:
    if step == "end":
        return judge.lost_at_end(only)
    return future.of(judge, only=only).possible is False


def _drop_rules(
    book: Rulebook,
    tools: Sequence[str],
    step: StepNo,
    happened: Sequence[tuple[Event, int]],
    rules: list[int],
) -> list[int]:
    judge = play(book, happened)
    future = Future(book, tools)
    enough: frozenset[int] = frozenset()
    """Rules that are known to be lost together."""
    for rule in reversed(rules.copy()):
        rest = [other for other in rules if other != rule]
        if enough and enough.issubset(rest):
            rules = rest
        elif step == "end":
            if judge.lost_at_end(rest):
                rules = rest
        else:
            found = future.of(judge, only=rest)
            if found.possible is False:
                rules, enough = rest, found.rules
    return rules


def drop_calls(
    book: Rulebook,
    tools: Sequence[str],
    step: StepNo,
    happened: Sequence[tuple[Event, int]],
    kept: Sequence[int],
) -> list[int]:
    """Drop calls, from the last to the first, while the rest is lost. Return the indexes of the events that stay."""
    future = Future(book, tools)
    saved: dict[int, Judge] = {}
    judge = Judge(book)
    for place, k in enumerate(kept):
        if place % BETWEEN == 0:
            saved[place] = judge.copy()
        feed(judge, [happened[k]])
    after: list[int] = []
    for place in reversed(range(len(kept))):
        k = kept[place]
        event = happened[k][0]
        if isinstance(event, Said):
            after.insert(0, k)
            continue
        if not any(book.touches(event.tool)) and not any(book.late):
            continue  # a rule that goes by messages may need the call: it can be the first of its message
        begin = place - place % BETWEEN
        judge = saved[begin].copy()
        feed(judge, [happened[j] for j in kept[begin:place]])
        feed(judge, [happened[j] for j in after])
        if not _is_lost(future, judge, step):
            after.insert(0, k)
    return after


def core_rules(rules: Sequence[Rule], core: Core) -> list[Rule]:
    """Return the rules of a core."""
    return [rule for rule in rules if rule.id in core.rules]
