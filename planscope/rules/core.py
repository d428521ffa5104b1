"""Finds where a trace is lost, and the core: rules and calls that clash, none of which can be dropped.

A step is called lost only if the search decided that no continuation keeps all rules. Then every later step is lost,
too, because the rest of the trace is a continuation itself. A trace that is lost at no step may be lost at its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from planscope.oracle.trace import Said, ToolCall
from planscope.rules.future import Future
from planscope.rules.judge import Event, Judge, Rulebook, StepNo, tool_of

BETWEEN = 64
"""The number of calls between two saved states of a judge. Deleting a call is tried from the last state before it."""


@dataclass(frozen=True, slots=True)
class Core:
    """Rules (by id) and steps of calls that cannot all be kept. ``step``: the first lost one."""

    step: StepNo
    rules: tuple[str, ...]
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """The first step that is lost, and the events up to it. ``first``: no earlier step can be lost; else the search did
    not decide about the step before."""

    step: StepNo
    happened: list[tuple[Event, int]]
    first: bool


def play(book: Rulebook, happened: Sequence[tuple[Event, int]]) -> Judge:
    """Return a judge that has seen these events."""
    judge = Judge(book)
    feed(judge, happened)
    return judge


def feed(judge: Judge, happened: Sequence[tuple[Event, int]]) -> None:
    for event, step in happened:
        judge.take(event, step)


def heard(book: Rulebook, happened: Sequence[tuple[Event, int]]) -> list[tuple[Event, int]]:
    """Return the events that matter to rules: messages only if one names them or has a deadline, or if one begins."""
    return [one for one in happened if isinstance(one[0], ToolCall) or tool_of(one[0]) in (None, *book.hears)]


def find_core(
    book: Rulebook,
    tools: Sequence[str],
    step: StepNo,
    happened: Sequence[tuple[Event, int]],
    members: Mapping[str, Sequence[int]] | None = None,
) -> Core:
    """Return the core of a lost step. The order of deletions makes it unique.

    Rules are dropped from the last to the first, with all calls kept; then calls, from the last to the first (a dropped
    call was not made; user messages stay); both again until no member can be dropped. ``members``: sets of rules, by
    index, that count as one each, by their ids; else each rule counts.
    """
    if members is None:
        members = {rule.id: [i] for i, rule in enumerate(book.rules)}
    names, kept = list(members), list(range(len(happened)))
    while True:
        before = len(names), len(kept)
        names = _drop_rules(book, tools, step, [happened[k] for k in kept], names, members)
        kept = _drop_calls(book.part(indexes(names, members)), tools, step, happened, kept)
        if (len(names), len(kept)) == before:
            break
    steps = tuple(e.step for e, _ in (happened[k] for k in kept) if isinstance(e, ToolCall))
    return Core(step, tuple(names), steps)


def indexes(names: Iterable[str], members: Mapping[str, Sequence[int]]) -> list[int]:
    """Return the indexes of the rules of these members."""
    return sorted(i for name in names for i in members[name])


def _is_lost(future: Future, judge: Judge, step: StepNo) -> bool:
    return judge.lost_at_end() if step == "end" else future.of(judge).possible is False


def _drop_rules(
    book: Rulebook,
    tools: Sequence[str],
    step: StepNo,
    happened: Sequence[tuple[Event, int]],
    names: list[str],
    members: Mapping[str, Sequence[int]],
) -> list[str]:
    judge = play(book, happened)
    future = Future(book, tools)
    enough: frozenset[int] = frozenset()
    """Rules that are known to be lost together."""
    for name in reversed(names.copy()):
        rest = [other for other in names if other != name]
        left = indexes(rest, members)
        if enough and enough.issubset(left):
            names = rest
        elif step == "end":
            names = rest if judge.lost_at_end(left) else names
        else:
            found = future.of(judge, only=left)
            if found.possible is False:
                names, enough = rest, found.rules
    return names


def _drop_calls(
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
            after.append(k)
            continue
        if not any(book.touches(event.tool)) and not any(book.late):
            continue  # a rule that goes by messages may need the call: it can be the first of its message
        begin = place - place % BETWEEN
        judge = saved[begin].copy()
        feed(judge, [happened[j] for j in kept[begin:place]])
        feed(judge, [happened[j] for j in reversed(after)])
        if not _is_lost(future, judge, step):
            after.append(k)
    return after[::-1]
