"""Judges plain traces (``traces/plain.py``) by tables. A trace that is not certainly right is left to ``Judge``.

The rules are cut into groups. A group is one automaton, whose states are found while traces are read: ``Judge`` says
which state a call leads to, and the table remembers it, so there is only one judge. A rule with values is judged as one
without them, by the calls that have the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from planscope.language.calls import ASSISTANT, USER, Path
from planscope.oracle.trace import ToolCall
from planscope.rules.judge import Judge, Rulebook, Touch, key_in
from planscope.rules.values import Key
from planscope.traces.plain import PlainCall, PlainTrace, plain_arguments
from planscope.traces.values import says_error

LARGEST = 10_000
"""Limit of the states of a group's automata, multiplied, unless the group has only one rule."""
MOST_KNOWN = 20_000
"""Limit of tools, and of sets of tools, that are remembered."""
MOST_VALUES = 255


class _State:
    """A state of a group, as a judge of its rules. ``tested``: a number with one byte for each rule of the book, 1 for
    a rule of the group that was put to the test; None unless every rule of the group is kept if the trace ends here."""

    __slots__ = ("judge", "next", "tested")

    def __init__(self, judge: Judge | None, tested: int | None) -> None:
        self.judge, self.tested = judge, tested
        self.next: dict[object, _State] = {}


_LOST = _State(None, None)
"""A rule is broken."""


class _Group:
    """Rules that are judged as one automaton. ``numbers``: their places in the book."""

    def __init__(self, book: Rulebook, numbers: Sequence[int]) -> None:
        self.numbers = numbers
        first = book.rules[numbers[0]]
        self.per, self.per_then = first.per, first.per_then
        self.book = Rulebook([replace(book.rules[i], per=(), per_then=()) for i in numbers])
        self.late = any(self.book.late)
        self._states: dict[object, _State] = {}
        self._letters: dict[object, int] = {}
        self.start = self._state(Judge(self.book))

    def letter(self, tool: str) -> int:
        """Return a number that is equal for tools that the group cannot tell apart."""
        return self._letters.setdefault(self.book.touches(tool), len(self._letters))

    def next(self, state: _State, letter: object, fresh: bool, call: ToolCall) -> _State:
        """Return the state after a call, as ``Judge`` says, and remember it. ``fresh``: it begins a message."""
        if state.judge is None:
            return _LOST
        judge = state.judge.copy()
        judge.take(replace(call, message=max(judge.message, 0) + fresh), call.step)
        after = state.next[letter] = self._state(judge)
        return after

    def _state(self, judge: Judge) -> _State:
        """Return the state of a judge. Judges are in the same one if whatever follows, their results are the same."""
        rules = list(
            zip(self.numbers, self.book.machines, judge.state, self.book.shortcuts, judge.seen, strict=True)
        )
        if any(machine.status[state] == "broken" for _, machine, state, _, _ in rules):
            return _LOST
        tested = tuple(always or bool(seen & mask) for _, _, _, (_, mask, always, _), seen in rules)
        recent = sorted(k for k, message in judge.last_message.items() if message == judge.message)
        key = (*judge.state, *tested, *recent)
        found = self._states.get(key)
        if found is None:
            kept = all(machine.accepting[state] for _, machine, state, _, _ in rules)
            number = sum(1 << 8 * i for i, put in zip(self.numbers, tested, strict=True) if put)
            found = self._states[key] = _State(judge, number if kept else None)
        return found


@dataclass(frozen=True, slots=True)
class _Place:
    """What a tool's calls are to a group that sees them. ``asked``: the rules whose conditions must be looked at.
    ``value``: where the values are; None for rules without."""

    slot: int
    group: _Group
    letter: int
    asked: tuple[Touch, ...]
    value: Touch | None


_Places = tuple[tuple[tuple[int, int], ...], tuple[_Place, ...]]
"""For one tool: groups whose next state the tool's name decides, each with its letter; and all others that it
touches."""


class Quick:
    """The tables of one rulebook. They grow while traces are judged."""

    def __init__(self, book: Rulebook) -> None:
        self.book = book
        compared = any(rule.against is not None for rule in book.rules)
        self.fits = not (book.hears or book.unnamed or book.followed or compared)
        """Whether there are tables for these rules: they do not depend on times, messages, answers that arguments are
        compared with, and calls that no rule names."""
        self.timed = any(book.seconds) or ASSISTANT in book.hears
        """Whether they depend on times, or on what the model said, which plain traces lack."""
        self.users = USER in book.hears
        self.answers = book.succeeded_only or any(
            rule.kind in ("latest", "compared") or any(calls.needs_answer for calls in rule.sets)
            for rule in book.rules
        )
        """Whether the rules depend on answers."""
        self._by_value = [calls for rule in book.rules if rule.per for calls in rule.sets]
        self._schemas: dict[frozenset[str], bool] = {}
        self._groups = [_Group(book, numbers) for numbers in _parts(book)] if self.fits else []
        self._groups.sort(key=lambda group: bool(group.per))
        self._start = [group.start for group in self._groups if not group.per]
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
        tested = known[0].tested(trace)
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

    def tested(self, trace: PlainTrace) -> bytes | None:
        """Return for how many values each rule is put to the test, or None if a rule may not be kept."""
        now = self._start.copy()
        last: dict[object, int] = {}
        of_value: dict[tuple[int, Key], _State] = {}
        places, succeeded_only = self._places, self.book.succeeded_only
        for made in trace.calls:
            tool, given, message, answer, _ = made
            if succeeded_only and answer is not None and says_error(answer):
                continue
            decided, others = places.get(tool) or self._of_tool(tool)
            for slot, letter in decided:
                after = now[slot].next.get(letter)
                if after is None:
                    call = ToolCall(tool, None, step=1, message=message)
                    after = self._groups[slot].next(now[slot], letter, True, call)
                now[slot] = after
            if others:
                arguments = plain_arguments(given)
                if arguments is None or not _taken(others, arguments, made, now, of_value, last):
                    return None
        if len(of_value) > MOST_VALUES:
            return None
        total = 0
        for state in (*now, *of_value.values()):
            if state.tested is None:
                return None
            total += state.tested
        return total.to_bytes(len(self.book.rules), "little")

    def _of_tool(self, tool: str) -> _Places:
        decided: list[tuple[int, int]] = []
        others: list[_Place] = []
        for slot, group in enumerate(self._groups):
            touches = [touch for i in group.numbers if (touch := self.book.touch(i, tool)) is not None]
            asked = tuple(touch for touch in touches if touch.plain is None)
            if touches and not asked and not group.late and not group.per:
                decided.append((slot, group.letter(tool)))
            elif touches:
                named = next((touch for touch in touches if touch.letter), touches[0])
                value = named if group.per else None
                others.append(_Place(slot, group, group.letter(tool), asked, value))
        if len(self._places) > MOST_KNOWN:
            self._places.clear()
        found = self._places[tool] = (tuple(decided), tuple(others))
        return found


def _taken(
    places: Sequence[_Place],
    arguments: Mapping[str, object],
    made: PlainCall,
    now: list[_State],
    of_value: dict[tuple[int, Key], _State],
    last: dict[object, int],
) -> bool:
    """Take in a call where its arguments or its answer matter. Return False if ``Judge`` must judge the trace: a rule
    names the tool, and the call lacks the rule's value. ``last``: the last message of each group, for each value."""
    tool, _, message, answer, _ = made
    call = ToolCall(tool, arguments, step=1, message=message)
    if answer is not None:
        call.answer, call.answered, call.failed = answer, True, says_error(answer)
    for place in places:
        slot, group = place.slot, place.group
        at: object = slot
        if place.value is not None:
            key = key_in(place.value, arguments)
            if key is None:
                if place.value.letter:
                    return False
                continue
            at = one = slot, key
        fresh = group.late and last.get(at) != message
        if group.late:
            last[at] = message
        letter = (place.letter, fresh, *[touch.of(call) for touch in place.asked])
        before = now[slot] if place.value is None else of_value.get(one, group.start)
        after = before.next.get(letter) or group.next(before, letter, fresh, call)
        if place.value is None:
            now[slot] = after
        else:
            of_value[one] = after
    return True


def _parts(book: Rulebook) -> list[list[int]]:
    """Cut the rules into groups: with the same values, of tools that they share, and not too large together."""
    parts: list[tuple[list[int], set[str]]] = []
    sizes: list[int] = []
    for i, (rule, machine) in enumerate(zip(book.rules, book.machines, strict=True)):
        size = sum(status != "broken" for status in machine.status[: machine.size])
        own = {calls.name for calls in rule.sets}

        def fits(k: int, per: tuple[Path, ...] = rule.per, size: int = size, own: set[str] = own) -> bool:
            other = book.rules[parts[k][0][0]]
            return (
                not other.per_then
                and other.per == per
                and sizes[k] * size <= LARGEST
                and bool(parts[k][1] & own)
            )

        near = [k for k in range(len(parts)) if not rule.per_then and fits(k)]
        if near:
            best = max(near, key=lambda k: len(parts[k][1] & own))
            parts[best][0].append(i)
            parts[best][1].update(own)
            sizes[best] *= size
        else:
            parts.append(([i], own))
            sizes.append(size)
    return [numbers for numbers, _ in parts]
