"""Finds where a trace is lost, and the core: rules and calls that clash, none of which can be dropped.

A step is called lost only if the search decided that no continuation keeps all rules. Then every later step is lost,
too, because the rest of the trace is a continuation itself. A trace that is lost at no step may be lost at its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from planscope.frozen import frozen
from planscope.oracle.trace import Said, ToolCall
from planscope.oracle.verdict_types import Core
from planscope.rules.future import Future
from planscope.rules.judge import Event, Judge, Rulebook, StepNo, tool_of

BETWEEN = 64
"""The number of calls between two saved states of a judge. Deleting a call is tried from the last state before it."""


Happened = Sequence[tuple[Event, int]]
"""Events, each with the number of its step."""


@frozen
class Lost:
    """A step at which rules are lost, and the events up to it. ``members``: sets of rules, by index, that count as one
    each, by their ids. ``first``: no earlier step can be lost; else the search did not decide about the step before."""

    book: Rulebook
    tools: Sequence[str]
    step: StepNo
    happened: Happened
    members: Mapping[str, Sequence[int]]
    first: bool = False

    def rules(self, names: Iterable[str]) -> list[int]:
        """Return the indexes of the rules of these members."""
        return sorted(i for name in names for i in self.members[name])

    def now(self, future: Future, judge: Judge) -> bool:
        """Return whether what the judge has seen is lost, as this step is."""
        return judge.lost_at_end() if self.step == "end" else future.of(judge).possible is False


def each(ids: Iterable[str]) -> dict[str, list[int]]:
    """Return the members if each rule, in this order, counts by itself."""
    return {id: [k] for k, id in enumerate(ids)}


def play(book: Rulebook, happened: Happened) -> Judge:
    """Return a judge that has seen these events."""
    judge = Judge(book)
    feed(judge, happened)
    return judge


def feed(judge: Judge, happened: Happened) -> None:
    for event, step in happened:
        judge.take(event, step)


def heard(book: Rulebook, happened: Happened) -> list[tuple[Event, int]]:
    """Return the events that matter to rules: messages only if one names them or has a deadline, or if one begins."""
    return [one for one in happened if isinstance(one[0], ToolCall) or tool_of(one[0]) in (None, *book.hears)]


def find_core(lost: Lost) -> Core:
    """Return the core of a lost step. The order of deletions makes it unique.

    Members are dropped from the last to the first, with all calls kept; then calls, from the last to the first (a
    dropped call was not made; user messages stay); both again until nothing can be dropped.
    """
    names, kept = list(lost.members), list(range(len(lost.happened)))
    while True:
        before = len(names), len(kept)
        names = _drop_members(lost, names, kept)
        kept = _drop_calls(lost, names, kept)
        if (len(names), len(kept)) == before:
            break
    events = (lost.happened[k][0] for k in kept)
    return Core(tuple(names), tuple(event.step for event in events if isinstance(event, ToolCall)))


def _drop_members(lost: Lost, names: list[str], kept: Sequence[int]) -> list[str]:
    judge = play(lost.book, [lost.happened[k] for k in kept])
    future = Future(lost.book, lost.tools)
    enough: frozenset[int] = frozenset()
    """Rules that are known to be lost together."""
    for name in reversed(names.copy()):
        rest = [other for other in names if other != name]
        left = lost.rules(rest)
        if enough and enough.issubset(left):
            names = rest
        elif lost.step == "end":
            names = rest if judge.lost_at_end(left) else names
        else:
            found = future.of(judge, only=left)
            if found.possible is False:
                names, enough = rest, found.rules
    return names


def _drop_calls(lost: Lost, names: Iterable[str], kept: Sequence[int]) -> list[int]:
    """Drop calls, from the last to the first, while the rest is lost. Return the indexes of the events that stay."""
    book, happened = lost.book.part(lost.rules(names)), lost.happened
    future = Future(book, lost.tools)
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
        if not lost.now(future, judge):
            after.append(k)
    return after[::-1]
