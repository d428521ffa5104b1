"""Rules as small automata: a state is what a rule remembers; a letter is what one call is to the rule.

The states are made from a kind's definition (``kinds.py``) by search. The four statuses follow from the graph, as in
run-time verification of Declare (Maggi and others, 2011): kept for good, kept so far, owed, broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from planscope.frozen import frozen

FIRST, THEN, MET, USER, LATER = 1, 2, 4, 8, 16
TOO_LATE = UNTIL = MET
"""Bits of a letter: the call belongs to ``first``, to ``then``; its answer meets the condition of ``latest``; it is a
user message. LATER stands in place of FIRST: that the call belongs to ``first`` shows only in its answer. TOO_LATE: a
deadline in seconds passed (rules with a deadline use MET for nothing else). UNTIL: the call belongs to ``until`` (kinds
with a scope use MET for nothing else)."""

ANY_FIRST = FIRST | LATER
LETTERS = 32
FOLLOWED = 32
"""No bit of a letter: a judge marks instances with it that a call followed, after one of ``first``."""

Status = Literal["kept", "kept_so_far", "owed", "broken", "unknown"]
"""``unknown``: the trace did not capture enough to tell."""

State = tuple[object, ...]
BROKEN: State = ("broken",)
Step = Callable[[State, int], State]

UNFILLED = -1


@frozen
class Definition:
    """An automaton before its states are numbered. ``flush``: the change at the beginning of a new message."""

    start: State
    step: Step
    accepts: Callable[[State], bool]
    flush: Callable[[State], State] = lambda state: state
    inverted: bool = False
    """Whether exactly the other traces are accepted."""


class Machine:
    """The automaton of a rule, for one trace or for the calls with one value. State 0 is the start.

    ``rows[state][letter]`` is the next state, or UNFILLED: then ``fill`` computes it. A state may stand for several
    (``members``) if the trace does not tell which one of them it is.
    """

    def __init__(self, definition: Definition) -> None:
        states: dict[State, int] = {definition.start: 0}
        self.rows: list[list[int]] = []
        self.flushed: list[int] = []
        for state in (order := [definition.start]):
            broken = state == BROKEN
            made = [BROKEN if broken else definition.step(state, letter) for letter in range(LETTERS)]
            made.append(BROKEN if broken else definition.flush(state))
            for one in made:
                if one not in states:
                    states[one] = len(order)
                    order.append(one)
            *row, begun = (states[one] for one in made)
            self.rows.append(row)
            self.flushed.append(begun)
        inverted = definition.inverted
        self.accepting = [(s != BROKEN and definition.accepts(s)) is not inverted for s in order]
        self.status: list[Status] = self.statuses()
        self.members: list[tuple[int, ...]] = [(k,) for k in range(len(order))]
        self.sets: dict[tuple[int, ...], int] = {members: k for k, members in enumerate(self.members)}
        self.size = len(order)
        self.start = 0
        self.definition, self.plain = definition, self
        self._gapped: dict[int, Machine] = {}

    def statuses(self) -> list[Status]:
        """Compute each state's status from the states that it can reach: broken if none accepts, kept for good if
        all do."""
        before: list[set[int]] = [set() for _ in self.rows]
        for state, (row, begun) in enumerate(zip(self.rows, self.flushed, strict=True)):
            for after in (*row, begun):
                before[after].add(state)
        accept, refuse = (
            _reached({k for k, one in enumerate(self.accepting) if one is good}, before.__getitem__)
            for good in (True, False)
        )
        return [
            "broken"
            if k not in accept
            else "kept"
            if k not in refuse
            else "kept_so_far"
            if self.accepting[k]
            else "owed"
            for k in range(len(self.rows))
        ]

    def remembered(self, *, late: bool) -> int:
        """Count the states that are not broken and that a rule can be in; without ``late`` no answer decides it."""
        rows, begun = self.rows, self.flushed
        reached = _reached({0}, lambda s: {*rows[s], begun[s]} if late else {*rows[s][:LATER]})
        return sum(self.status[state] != "broken" for state in reached)

    def inverted(self) -> Machine:
        """Return the automaton that accepts what this one does not."""
        return Machine(replace(self.definition, inverted=True))

    def with_gaps(self, bits: int) -> Machine:
        """Return the automaton of traces that lack calls, which may stand anywhere and have any of these bits."""
        if bits not in self._gapped:
            self._gapped[bits] = Gapped(self, bits)
        return self._gapped[bits]

    def _closed(self, states: set[int], turns: bool) -> set[int]:
        """Return all states that lacking calls lead to. ``turns``: new messages may begin among them."""
        return states

    def joined(self, states: Iterable[int]) -> int:
        """Return the state that stands for one of these states."""
        members = tuple(sorted({member for state in states for member in self.members[state]}))
        found = self.sets.get(members)
        if found is None:
            found = self.sets[members] = len(self.rows)
            self.rows.append([UNFILLED] * LETTERS)
            self.members.append(members)
            self.accepting.append(all(self.accepting[k] for k in members))
            self.status.append(_joined_status({self.status[k] for k in members}))
            self.flushed.append(UNFILLED)
        return found

    def fill(self, state: int, letter: int) -> int:
        """Compute the next state of a state that stands for several."""
        after = self.rows[state][letter]
        if after == UNFILLED:
            made = {self.plain.rows[member][letter] for member in self.members[state]}
            after = self.rows[state][letter] = self.joined(self._closed(made, False))
        return after

    def after(self, state: int, letters: Sequence[int]) -> int:
        """Return the next state if a call is one of these letters."""
        if len(letters) == 1:
            after = self.rows[state][letters[0]]
            return after if after != UNFILLED else self.fill(state, letters[0])
        return self.joined(self.fill(state, letter) for letter in letters)

    def flush(self, state: int) -> int:
        """Return the state once a new message has begun."""
        after = self.flushed[state]
        if after == UNFILLED:
            begun = {self.plain.flushed[member] for member in self.members[state]}
            after = self.flushed[state] = self.joined(self._closed(begun, True))
        return after

    def step(
        self, state: int, letters: Sequence[int] | None, before: bool = False, after: bool = False
    ) -> int:
        """Return the state after an event (None: nothing). ``before``, ``after``: whether a message begins there. A
        state below 0 is that of a value that no call has yet; messages do not bring it."""
        begun = state >= 0
        real = state if begun else ~state
        if before:
            real = self.flush(real)
        if letters is not None:
            real = self.after(real, letters)
            begun = begun or not letters[0] & USER
        if after:
            real = self.flush(real)
        return real if begun else ~real


def never_decided() -> Machine:
    """Return the automaton of a rule that a trace cannot decide: whatever happens, it is unknown, and nothing is
    owed."""
    found = Machine(Definition((True,), lambda state, _: state, lambda _: True))
    found.status = ["unknown"]
    return found


class Gapped(Machine):
    """The automaton of traces that lack calls. Its states are sets of states of another one, each closed under what a
    lacking call can be to the rule. So a set holds every state that some lacking calls can lead to, and the rule is
    broken for sure exactly if no state of the set, and none behind it, accepts.

    Lacking calls stand before and after each event. Between two events of one message they belong to this message;
    between messages they may be of others, so that what was pending counts for them (``flush``).
    """

    def __init__(self, plain: Machine, bits: int) -> None:
        self.plain = plain
        self.letters = [letter for letter in range(LETTERS) if not letter & ~bits]
        self.size = plain.size
        self.rows = [[UNFILLED] * LETTERS for _ in range(self.size)]
        self.flushed = [UNFILLED] * self.size
        self.members = [(k,) for k in range(self.size)]
        self.sets = {}
        self.status = plain.status[: self.size]
        good = plain.accepting
        self.accepting = [any(good[one] for one in self._closed({k}, True)) for k in range(self.size)]
        self.start = self.joined(self._closed({0}, True))

    def _closed(self, states: set[int], turns: bool) -> set[int]:
        rows, flushed = self.plain.rows, self.plain.flushed

        def after(state: int) -> set[int]:
            return {*(rows[state][letter] for letter in self.letters), flushed[state] if turns else state}

        return _reached(states, after)

    def joined(self, states: Iterable[int]) -> int:
        """Return the state that stands for one of these, which is broken or unknown."""
        found = super().joined(states)
        if self.status[found] != "broken":
            self.status[found] = "unknown"
        return found


def _reached(states: set[int], after: Callable[[int], set[int]]) -> set[int]:
    """Return all states that these lead to, and these. ``after``: those to which one leads at once."""
    found, todo = set(states), list(states)
    while todo:
        more = after(todo.pop()) - found
        found |= more
        todo += more
    return found


def _joined_status(statuses: set[Status]) -> Status:
    if len(statuses) == 1:
        return next(iter(statuses))
    return "kept_so_far" if statuses == {"kept", "kept_so_far"} else "unknown"
