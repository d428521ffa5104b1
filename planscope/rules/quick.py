"""Judges plain traces (``traces/plain.py``) by tables. A trace that is not certainly right is left to ``Judge``.

The rules are cut into groups. A group is one automaton, whose states are found while traces are read: ``Judge`` says
which state a call leads to, and the table remembers it, so there is only one judge. A rule with values is judged as one
without them, by the calls that have the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from planscope.language.calls import Path
from planscope.oracle.trace import ToolCall
from planscope.rules.judge import Judge, Rulebook, Touch, waits
from planscope.rules.machine import ANY_FIRST, FOLLOWED
from planscope.rules.values import MISSING, Key, at, key_part
from planscope.traces.plain import PlainTrace, plain_arguments
from planscope.traces.values import says_error

LARGEST = 10_000
"""Limit of the states of a group's automata, multiplied, unless the group has only one rule."""
MOST_KNOWN = 20_000
"""Limit of tools, and of sets of tools, that are remembered."""
MOST_VALUES = 255


class _State:
    """A state of a group. ``tested``: a number with one byte for each rule of the book, 1 for a rule of the group that
    was put to the test; None unless every rule of the group is kept if the trace ends here. ``later``: the same if
    calls follow that do not touch the group."""

    __slots__ = ("key", "later", "message", "next", "tested")

    def __init__(self, key: Any, message: int, tested: int | None, later: int) -> None:
        self.key, self.message, self.tested, self.later = key, message, tested, later
        self.next: dict[Any, _State] = {}


_LOST = _State(None, 0, None, 0)
"""A rule is broken."""


class _Group:
    """Rules that are judged as one automaton. ``numbers``: their places in the book."""

    def __init__(self, book: Rulebook, numbers: Sequence[int]) -> None:
        self.numbers = numbers
        first = book.rules[numbers[0]]
        self.per, self.per_then = first.per, first.per_then
        rules = [replace(book.rules[i], per=(), per_then=()) for i in numbers]
        self.book = Rulebook(rules)
        self.late = any(self.book.late)
        self._masks = [mask for _, mask, _, _ in self.book.shortcuts]
        self._always = [always for _, _, always, _ in self.book.shortcuts]
        self._states: dict[Any, _State] = {}
        self._letters: dict[Any, int] = {}
        self.start = self._state(Judge(self.book))

    def letter(self, tool: str) -> int:
        """Return a number that is equal for tools that the group cannot tell apart."""
        return self._letters.setdefault(self.book.touches(tool), len(self._letters))

    def step(self, state: _State, letter: Any, fresh: bool, call: ToolCall) -> _State:
        """Return the state after a call, as ``Judge`` says, and remember it."""
        if state is _LOST:
            return _LOST
        judge = Judge(self.book)
        judge.state, judge.seen, judge.last_message = (one.copy() for one in state.key)
        judge.waiting = {k for k in self.book.followed if waits(judge.seen[k])}
        judge.take(replace(call, message=state.message + fresh), call.step)
        after = state.next[letter] = self._state(judge)
        return after

    def _state(self, judge: Judge) -> _State:
        """Return the state of a judge. Judges are in the same one if whatever follows, their results are the same."""
        machines = self.book.machines
        if any(machine.status[k] == "broken" for machine, k in zip(machines, judge.state, strict=True)):
            return _LOST
        seen = [
            bits & mask or (bits & ANY_FIRST if mask == FOLLOWED else 0)
            for bits, mask in zip(judge.seen, self._masks, strict=True)
        ]
        recent = tuple(k for k, message in judge.last_message.items() if message == judge.message)
        key = (*judge.state, *seen, *sorted(recent))
        found = self._states.get(key)
        if found is None:
            tested: int | None = None
            put = [
                (1 << 8 * i, always or bits & mask, bits)
                for i, bits, mask, always in zip(self.numbers, seen, self._masks, self._always, strict=True)
            ]
            if all(machine.accepting[k] for machine, k in zip(machines, judge.state, strict=True)):
                tested = sum(one for one, now, _ in put if now)
            later = sum(one for one, now, bits in put if now or bits)
            message = max(judge.message, 0)
            made = (judge.state, seen, dict.fromkeys(recent, message))
            found = self._states[key] = _State(made, message, tested, later)
        return found


@dataclass(frozen=True, slots=True)
class _Place:
    """What a tool's calls are to a group that sees them. ``asked``: the rules whose conditions must be looked at.
    ``paths``: where the values are; ``named``: whether a call without them must be judged by ``Judge``."""

    slot: int
    group: _Group
    letter: int
    asked: tuple[Touch, ...]
    paths: tuple[Path, ...]
    named: bool
    name: str | None
    """The argument that has the value, if it is one argument."""


_Places = tuple[tuple[tuple[int, int], ...], tuple[_Place, ...], tuple[_Place, ...]]
"""For one tool: groups whose next state the tool's name decides, each with its letter; all others that it touches; and
groups with values that it does not touch, but whose rules a call with the same value may put to the test."""


class Quick:
    """The tables of one rulebook. They grow while traces are judged."""

    def __init__(self, book: Rulebook) -> None:
        self.book = book
        self.fits = not book.users and not any(book.seconds) and not book.unnamed
        """Whether there are tables for these rules: they do not depend on times and messages of the user."""
        self.timed = any(book.seconds)
        self.users = bool(book.users)
        self.answers = book.succeeded_only or any(
            rule.kind == "latest" or any(calls.needs_answer for calls in rule.sets) for rule in book.rules
        )
        """Whether the rules depend on answers."""
        self._by_value = [calls for rule in book.rules if rule.per for calls in rule.sets]
        self._schemas: dict[frozenset[str], bool] = {}
        self._groups = [_Group(book, numbers) for numbers in _parts(book)] if self.fits else []
        self._start = [group.start for group in self._groups if not group.per]
        self._groups.sort(key=lambda group: bool(group.per))
        self._places: dict[str, _Places] = {}
        self._known: dict[frozenset[str], tuple[Quick, frozenset[str]]] = {}

    def right(self, trace: PlainTrace) -> tuple[bytes, frozenset[str]] | None:
        """Return for how many values each rule is put to the test, and the tools, if the trace keeps all rules for
        sure."""
        tools = frozenset([call[0] for call in trace.calls])
        if trace.tools:
            if self._by_value and self._seen_by_value(frozenset(trace.tools) - tools):
                return None  # the schema of such a tool may not have the argument that a rule goes by
            tools = tools.union(trace.tools)
        known = self._known.get(tools)
        if known is None:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            book = self.book.for_tools(tools)
            known = self._known[tools] = (self if book is self.book else Quick(book), tools)
        tested = known[0]._tested(trace)
        return None if tested is None else (tested, known[1])

    def _seen_by_value(self, tools: frozenset[str]) -> bool:
        """Return whether a rule with values names one of these tools."""
        found = self._schemas.get(tools)
        if found is None:
            if len(self._schemas) > MOST_KNOWN:
                self._schemas.clear()
            found = any(calls.names(tool) for calls in self._by_value for tool in tools)
            self._schemas[tools] = found
        return found

    def _tested(self, trace: PlainTrace) -> bytes | None:
        now = self._start.copy()
        without_values = len(now)
        last: dict[int, int] = {}
        of_value: dict[tuple[int, Key], _State] = {}
        last_of: dict[tuple[int, Key], int] = {}
        places, succeeded_only = self._places, self.book.succeeded_only
        found: _Places = ((), (), ())
        for tool, given, message, answer, _ in trace.calls:
            if succeeded_only and answer is not None and says_error(answer):
                continue
            of_tool = places.get(tool)
            found = self._of_tool(tool) if of_tool is None else of_tool
            decided, others, beside = found
            for slot, letter in decided:
                after = now[slot].next.get(letter)
                if after is None:
                    call = ToolCall(tool, None, step=1, message=message)
                    after = self._groups[slot].step(now[slot], letter, True, call)
                now[slot] = after
            if not others and not (beside and of_value):
                continue
            arguments = plain_arguments(given)
            if arguments is None:
                return None
            call = ToolCall(tool, arguments, step=1, message=message)
            if answer is not None:
                call.answer, call.answered, call.failed = answer, True, says_error(answer)
            for place in others:
                slot, group = place.slot, place.group
                bits = [touch.of(call) for touch in place.asked]
                if not group.per:
                    fresh = group.late and last.get(slot) != message
                    last[slot] = message
                    now[slot] = _next(group, now[slot], (place.letter, fresh, *bits), fresh, call)
                    continue
                value = arguments.get(place.name) if place.name is not None else None
                key = (value,) if type(value) is str else _key(place, arguments)
                if key is None:
                    if place.named:
                        return None
                    continue
                one = slot, key
                fresh = group.late and last_of.get(one) != message
                last_of[one] = message
                before = of_value.get(one, group.start)
                of_value[one] = _next(group, before, (place.letter, fresh, *bits), fresh, call)
            for place in beside:
                one = place.slot, _key(place, arguments) or ()
                if one in of_value:
                    of_value[one] = _next(place.group, of_value[one], (place.letter, False), False, call)
        total = 0
        if of_value:
            if len(of_value) > MOST_VALUES:
                return None
            now += of_value.values()
        for slot, state in enumerate(now):
            tested = state.tested
            if tested is None:
                return None
            if state.later != tested and slot < without_values and not _touches(found, slot):
                tested = state.later
            total += tested
        return total.to_bytes(len(self.book.rules), "little")

    def _of_tool(self, tool: str) -> _Places:
        decided: list[tuple[int, int]] = []
        others: list[_Place] = []
        beside: list[_Place] = []
        for slot, group in enumerate(self._groups):
            touches = [
                touch for k in range(len(group.numbers)) if (touch := self.book.touch(group.numbers[k], tool))
            ]
            if not touches:
                if group.per and group.book.followed:
                    letter = group.letter(tool)
                    beside.append(_Place(slot, group, letter, (), group.per, False, None))
                continue
            asked = tuple(touch for touch in touches if touch.plain is None)
            letter = group.letter(tool)
            if not asked and not group.late and not group.per:
                decided.append((slot, letter))
                continue
            named = any(touch.letter for touch in touches)
            only_then = all(touch.then and not touch.first for touch in touches)
            paths = group.per_then if group.per_then and only_then else group.per
            name = paths[0][0] if len(paths) == 1 and len(paths[0]) == 1 else None
            others.append(
                _Place(slot, group, letter, asked, paths, named, name if isinstance(name, str) else None)
            )
        if len(self._places) > MOST_KNOWN:
            self._places.clear()
        found = self._places[tool] = (tuple(decided), tuple(others), tuple(beside))
        return found


def _touches(places: _Places, slot: int) -> bool:
    """Return whether the last call, of a tool with these places, touched a group."""
    return any(slot == one for one, _ in places[0]) or any(slot == place.slot for place in places[1])


def _next(group: _Group, state: _State, letter: Any, fresh: bool, call: ToolCall) -> _State:
    after = state.next.get(letter)
    return group.step(state, letter, fresh, call) if after is None else after


def _key(place: _Place, arguments: dict[str, Any]) -> Key | None:
    """Return the values that a call is judged by, or None if it lacks one."""
    for paths in (place.paths, place.group.per_then if not place.named else ()):
        values = [at(arguments, path) for path in paths]
        if values and MISSING not in values:
            return tuple(map(key_part, values))
    return None


def _parts(book: Rulebook) -> list[list[int]]:
    """Cut the rules into groups: with the same values, of tools that they share, and not too large together."""
    parts: list[list[int]] = []
    sizes: list[int] = []
    names: list[set[str]] = []
    for i, (rule, machine) in enumerate(zip(book.rules, book.machines, strict=True)):
        size = sum(status != "broken" for status in machine.status[: machine.size])
        own = {calls.name for calls in rule.sets}
        best = max(
            (
                k
                for k, numbers in enumerate(parts)
                if not rule.per_then
                and book.rules[numbers[0]].per == rule.per
                and not book.rules[numbers[0]].per_then
                and sizes[k] * size <= LARGEST
                and names[k] & own
            ),
            key=lambda k: len(names[k] & own),
            default=None,
        )
        if best is None:
            parts.append([i])
            sizes.append(size)
            names.append(own)
        else:
            parts[best].append(i)
            sizes[best] *= size
            names[best] |= own
    return parts
