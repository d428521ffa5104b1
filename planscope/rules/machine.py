"""Rules as small automata: a state is what a rule remembers; a letter is what one call is to the rule.

The states are made from the definitions below by search, and the four statuses follow from the graph, as in run-time
verification of Declare (Maggi and others, 2011): kept for good, kept so far, owed, broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Literal

from planscope.rules.rule import Kind, Rule

FIRST, THEN, MET, USER, FRESH = 1, 2, 4, 8, 16
TOO_LATE = MET
"""Bits of a letter: the call belongs to ``first``, to ``then``; its answer meets the condition of ``latest``; it is
a user message; it is the first in a new message since the rule was last touched. TOO_LATE: a deadline in seconds
passed (rules with a deadline use MET for nothing else)."""

LETTERS = 32

Status = Literal["kept", "kept_so_far", "owed", "broken", "unknown"]
"""``unknown``: the trace did not capture enough to tell."""

State = tuple[object, ...]
BROKEN: State = ("broken",)
Step = Callable[[State, int], State]

UNFILLED = -1


@dataclass(frozen=True, slots=True)
class Definition:
    """An automaton before its states are numbered. ``flush``: the change at the beginning of a new message."""

    start: State
    step: Step
    accepts: Callable[[State], bool]
    flush: Callable[[State], State] = lambda state: state


class Machine:
    """The automaton of a rule, for one trace or for the calls with one value. State 0 is the start.

    ``rows[state][letter]`` is the next state, or UNFILLED: then ``fill`` computes it. A state may stand for several
    (``members``) if the trace does not tell which one of them it is.
    """

    def __init__(self, definition: Definition) -> None:
        states: dict[State, int] = {definition.start: 0}
        order = [definition.start]
        self.rows: list[list[int]] = []
        flushed: list[State] = []
        for state in order:
            flushed.append(BROKEN if state == BROKEN else definition.flush(state))
            row = []
            for letter in range(LETTERS):
                if state == BROKEN:
                    after = BROKEN
                else:
                    begun = flushed[-1] if letter & FRESH else state
                    after = definition.step(begun, letter & ~FRESH)
                if after not in states:
                    states[after] = len(order)
                    order.append(after)
                row.append(states[after])
            if flushed[-1] not in states:
                states[flushed[-1]] = len(order)
                order.append(flushed[-1])
            self.rows.append(row)
        self.flushed = [states[state] for state in flushed]
        self.accepting = [s != BROKEN and definition.accepts(s) for s in order]
        self.status: list[Status] = self._statuses()
        self.members: list[tuple[int, ...]] = [(k,) for k in range(len(order))]
        self._sets: dict[tuple[int, ...], int] = {members: k for k, members in enumerate(self.members)}
        self.size = len(order)

    def _statuses(self) -> list[Status]:
        """Compute each state's status from the states that it can reach: broken if none accepts, kept for good if
        all do."""
        before: list[set[int]] = [set() for _ in self.rows]
        for state, row in enumerate(self.rows):
            for after in row:
                before[after].add(state)
        accept = _reaching(before, (k for k, good in enumerate(self.accepting) if good))
        refuse = _reaching(before, (k for k, good in enumerate(self.accepting) if not good))
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

    def inverted(self) -> Machine:
        """Return the automaton that accepts what this one does not."""
        other = copy(self)
        other.accepting = [not good for good in self.accepting[: self.size]]
        other.rows = [row.copy() for row in self.rows[: self.size]]
        other.flushed = self.flushed[: self.size]
        other.members = self.members[: self.size]
        other._sets = {members: k for k, members in enumerate(other.members)}
        other.status = other._statuses()
        return other

    def joined(self, states: Iterable[int]) -> int:
        """Return the state that stands for one of these states."""
        members = tuple(sorted({member for state in states for member in self.members[state]}))
        found = self._sets.get(members)
        if found is None:
            found = self._sets[members] = len(self.rows)
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
            after = self.joined(self.rows[member][letter] for member in self.members[state])
            self.rows[state][letter] = after
        return after

    def flush(self, state: int) -> int:
        """Return the state once a new message has begun."""
        after = self.flushed[state]
        if after == UNFILLED:
            after = self.flushed[state] = self.joined(self.flushed[m] for m in self.members[state])
        return after


def _reaching(before: list[set[int]], goals: Iterable[int]) -> set[int]:
    found = set(goals)
    todo = list(found)
    while todo:
        for state in before[todo.pop()] - found:
            found.add(state)
            todo.append(state)
    return found


def _joined_status(statuses: set[Status]) -> Status:
    if len(statuses) == 1:
        return next(iter(statuses))
    return "kept_so_far" if statuses == {"kept", "kept_so_far"} else "unknown"


def machine_of(rule: Rule) -> Machine:
    """Return the automaton of a rule. Rules of one kind share theirs."""
    timed = rule.kind == "within" and rule.unit == "seconds"
    kind: Kind = "response" if timed else rule.kind
    return _machine(kind, 0 if timed else rule.count, rule.late, timed)


@cache
def _machine(kind: Kind, count: int, late: bool, timed: bool) -> Machine:
    return Machine(_definition(kind, count, late, timed))


def _definition(kind: Kind, count: int, late: bool, timed: bool) -> Definition:
    """Return the states of each kind.

    If ``late``, a call of ``first`` is only pending until a new message begins, because the model that chose another
    call in its message could not know its answer.
    """
    match kind:
        case "precedence" | "not_succession":
            wanted = kind == "precedence"

            def memory(state: State, letter: int) -> State:
                seen = state[0]
                if letter & THEN and seen != wanted:
                    return BROKEN
                if letter & FIRST:
                    return (seen, True) if late else (True, False)
                return state

            return Definition((False, False), memory, _always, lambda s: (s[0] or s[1], False))
        case "alternate_precedence":

            def alternate(state: State, letter: int) -> State:
                ready, pending = state
                if letter & THEN:
                    if not ready:
                        return BROKEN
                    ready = False
                if letter & FIRST:
                    ready, pending = (ready, True) if late else (True, False)
                return ready, pending

            return Definition((False, False), alternate, _always, lambda s: (s[0] or s[1], False))
        case "response":

            def response(state: State, letter: int) -> State:
                owed, pending = state
                if timed and letter & TOO_LATE and owed:
                    return BROKEN
                if letter & THEN:
                    owed = False
                if letter & FIRST:
                    owed, pending = (owed, True) if late else (True, False)
                return owed, pending

            return Definition((False, False), response, lambda s: not any(s), lambda s: (s[0] or s[1], False))
        case "chain_precedence":

            def chain(state: State, letter: int) -> State:
                if letter & THEN and state[0] != "first":
                    return BROKEN
                return (("pending" if late else "first") if letter & FIRST else "other",)

            return Definition(("other",), chain, _always, lambda s: ("first",) if s[0] == "pending" else s)
        case "chain_response":

            def chained(state: State, letter: int) -> State:
                must, pending = state
                if must and not letter & THEN:
                    return BROKEN
                must = False
                if letter & FIRST:
                    must, pending = (False, True) if late else (True, False)
                return must, pending

            return Definition((False, False), chained, lambda s: not any(s), lambda s: (s[0] or s[1], False))
        case "within":

            def within(state: State, letter: int) -> State:
                left, pending = state
                assert isinstance(left, int)
                if letter & THEN:
                    left = 0
                elif left and not letter & USER:
                    left -= 1
                    if left == 0:
                        return BROKEN
                if letter & FIRST:
                    if late:
                        pending = True
                    else:
                        left = left or count
                return left, pending

            return Definition(
                (0, False),
                within,
                lambda s: not any(s),
                lambda s: (s[0] or (count if s[1] else 0), False),
            )
        case "existence" | "absence" | "exactly" | "never":
            most = 0 if kind == "never" else count

            def counted(state: State, letter: int) -> State:
                so_far = state[0]
                assert isinstance(so_far, int)
                if not letter & FIRST:
                    return state
                if so_far == most:
                    return state if kind == "existence" else BROKEN
                return (so_far + 1,)

            return Definition((0,), counted, lambda s: kind in ("absence", "never") or s[0] == most)
        case "not_coexistence" | "responded_existence":

            def both(state: State, letter: int) -> State:
                after = (bool(state[0] or letter & FIRST), bool(state[1] or letter & THEN))
                return BROKEN if kind == "not_coexistence" and all(after) else after

            return Definition(
                (False, False), both, lambda s: kind == "not_coexistence" or not s[0] or bool(s[1])
            )
        case "first":

            def first(state: State, letter: int) -> State:
                if letter & FIRST:
                    return BROKEN if state[0] else state
                return state if letter & USER else (True,)

            return Definition((False,), first, _always)
        case "last":

            def last(state: State, letter: int) -> State:
                seen = state[0]
                if letter & FIRST:
                    return (seen, True) if late else (True, False)
                return BROKEN if seen and not letter & USER else state

            return Definition((False, False), last, _always, lambda s: (s[0] or s[1], False))
        case "init":

            def init(state: State, letter: int) -> State:
                if state[0] or letter & USER:
                    return state
                return (True,) if letter & FIRST else BROKEN

            return Definition((False,), init, lambda s: bool(s[0]))
        case "end":
            return Definition(
                (False,),
                lambda state, letter: state if letter & USER else (bool(letter & FIRST),),
                lambda s: bool(s[0]),
            )
        case "latest":

            def latest(state: State, letter: int) -> State:
                known, pending = state
                if letter & THEN and known is not True:
                    return BROKEN
                if letter & FIRST:
                    pending = bool(letter & MET)
                return known, pending

            return Definition((None, None), latest, _always, lambda s: (s[0] if s[1] is None else s[1], None))
    raise AssertionError(kind)


def _always(state: State) -> bool:
    return True
