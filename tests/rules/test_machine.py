"""Every automaton does what the table of rules says, on all short traces; so do those of several states at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from planscope.language.calls import Against, Calls
from planscope.rules.kinds import KINDS
from planscope.rules.machine import FIRST, LATER, LETTERS, MET, THEN, TOO_LATE, USER, Machine
from planscope.rules.rule import Rule
from tests.nightly import nightly
from tests.rules.table import Event, in_set, kept
from tests.rules.worlds import SCOPED, UNARY

COUNTED = ("existence", "absence", "exactly", "in_row", "in_message", "within")
Letter = tuple[str, bool]
"""A tool ("" is a user message), and whether a new message begins."""


def rules() -> Iterator[Rule]:
    """Every kind: with counts 1 and 2, with outcomes that are known late, with user messages, for both sets at once."""
    both = (Calls("a"), Calls("x")), (Calls("b"), Calls("x"))
    for kind, count in product(KINDS, (1, 2)):
        if count == 2 and kind not in COUNTED:
            continue
        rule = Rule("c1", kind, both[0], () if kind in UNARY else both[1], count, "calls")
        if kind in SCOPED:
            rule = replace(rule, until=(Calls("c"), Calls("x")))
        if kind == "compared":
            rule = replace(rule, against=Against(("x",), "=", ("status",)))
        if kind not in ("latest", "compared"):
            yield rule
            user = Calls("")
            if rule.then:
                yield replace(rule, then=(*rule.then, user))
            if kind not in ("init", "end"):
                yield replace(rule, first=(*rule.first, user))
        late = tuple(replace(one, outcome="succeeded") for one in rule.first)
        yield replace(rule, first=late)
        yield replace(rule, first=(rule.first[0], late[1]))


def letters(rule: Rule) -> list[Letter]:
    """What can happen. Messages count only for late rules."""
    tools = ["a", "b", "c", "x"]
    found = [(tool, True) for tool in tools] + ([("", True)] if rule.hears_users else [])
    if rule.late:
        found += [(tool, False) for tool in tools]
    return found


def happened(word: tuple[Letter, ...]) -> list[Event]:
    found: list[Event] = []
    for tool, fresh in word:
        joins = bool(found) and not fresh and found[-1].tool != ""
        message = found[-1].message + (not joins) if found else 0
        status = "no" if tool == "x" else "ok"
        found.append(Event(tool, (("x", "ok"),), message=message, status=status))
    return found


def letter_of(rule: Rule, trace: list[Event]) -> int:
    """The letter of the last event."""
    event = trace[-1]
    now = in_set([one for one in rule.first if not rule.later(one)], event)
    later, then = not now and in_set(rule.first, event), in_set(rule.then, event)
    fresh = rule.late and (len(trace) == 1 or trace[-2].message != event.message)
    met = rule.kind == "latest" and later and event.status == "ok"
    met = met or in_set(rule.until, event)
    if rule.kind == "compared":
        known = [e for e in trace[:-1] if in_set(rule.first, e) and e.message != event.message]
        met, now = then and bool(known) and known[-1].status == "ok", later
    return now * FIRST | later * LATER | then * THEN | met * MET | (event.tool == "") * USER | fresh * FRESH


FRESH = LETTERS
"""No bit of an automaton's letters: a new message begins before the call."""


def step(machine: Machine, state: int, letter: int) -> int:
    return machine.fill(machine.flush(state) if letter & FRESH else state, letter & ~FRESH)


def state_after(rule: Rule, machine: Machine, trace: list[Event]) -> int:
    state = 0
    for size in range(1, len(trace) + 1):
        state = step(machine, state, letter_of(rule, trace[:size]))
    return state


@pytest.mark.parametrize("kind,every", [*((kind, 4) for kind in KINDS), *nightly(("", 1))])
def test_automata_and_the_table_agree_on_all_short_traces(kind: str, every: int) -> None:
    """Of each kind every fourth rule; at night all rules of all kinds."""
    for rule in [one for one in rules() if one.kind == (kind or one.kind)][::every]:
        machine = rule.machine
        truth: dict[tuple[Letter, ...], bool] = {}
        states: dict[tuple[Letter, ...], int] = {(): 0}
        alphabet = letters(rule)
        for size in range(5):
            for word in product(alphabet, repeat=size):
                trace = happened(word)
                if word:
                    states[word] = step(machine, states[word[:-1]], letter_of(rule, trace))
                truth[word] = kept(rule, trace)
                assert machine.accepting[states[word]] == truth[word], (rule, word)
        shortest = 3 if rule.kind == "not_between" else max(2, rule.count + 1)  # what breaks a rule
        for size in range(4 - shortest + 1):
            for word in product(alphabet, repeat=size):
                ends = {truth[word + more] for k in range(5 - size) for more in product(alphabet, repeat=k)}
                expected = (
                    ("kept" if truth[word] else "broken")
                    if len(ends) == 1
                    else "kept_so_far"
                    if truth[word]
                    else "owed"
                )
                assert machine.status[states[word]] == expected, (rule, word)


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_that_stands_for_several_moves_as_each_of_them(kind: str) -> None:
    for rule in (one for one in rules() if one.kind == kind):
        machine = rule.machine
        alphabet = letters(rule)
        words = [word for size in range(3) for word in product(alphabet, repeat=size)]
        for one, other in zip(words, reversed(words), strict=True):
            traces = happened(one), happened(other)
            states = [state_after(rule, machine, trace) for trace in traces]
            both = machine.joined(states)
            for letter in (FIRST, THEN, LATER | FRESH, THEN | LATER, THEN | FRESH, USER | FRESH):
                after = [step(machine, state, letter) for state in states]
                joined = step(machine, both, letter)
                assert set(machine.members[joined]) == set(after)
                assert step(machine, both, letter) == joined
                assert machine.accepting[joined] == all(machine.accepting[k] for k in after)
                expected = {machine.status[k] for k in after}
                assert machine.status[joined] == (
                    expected.pop()
                    if len(expected) == 1
                    else "kept_so_far"
                    if expected == {"kept", "kept_so_far"}
                    else "unknown"
                )
            flushed = {machine.flushed[state] for state in states}
            assert set(machine.members[machine.flush(both)]) == flushed


@pytest.mark.parametrize("kind", KINDS)
def test_an_inverted_automaton_accepts_the_other_traces(kind: str) -> None:
    opposite = {"kept": "broken", "broken": "kept", "kept_so_far": "owed", "owed": "kept_so_far"}
    for rule in (one for one in rules() if one.kind == kind):
        machine = rule.machine
        machine.joined(
            [0, machine.rows[0][FIRST]]
        )  # a state of several does not follow into the inverted one
        other = machine.inverted()
        assert (
            len(other.accepting) == len(other.rows) == len(other.flushed) == len(other.status) == machine.size
        )
        assert [not good for good in other.accepting] == machine.accepting[: machine.size]
        assert [opposite[status] for status in other.status] == machine.status[: machine.size]
        assert other.rows == machine.rows[: machine.size] and other.flushed == machine.flushed[: machine.size]
        assert other.joined([machine.size - 1]) == machine.size - 1


def test_a_deadline_breaks_what_is_owed_and_nothing_else() -> None:
    rule = Rule("c1", "within", (Calls("a"),), (Calls("b"),), 60, "seconds")
    machine = rule.machine
    owed = machine.rows[0][FIRST]
    assert machine.status[owed] == "owed"
    assert machine.status[machine.rows[owed][TOO_LATE]] == "broken"
    assert machine.status[machine.rows[owed][TOO_LATE | THEN]] == "broken"
    assert machine.rows[0][TOO_LATE] == 0 and machine.rows[owed][THEN] == 0
    late = replace(rule, first=(Calls("a", outcome="failed"),)).machine
    pending = late.rows[0][LATER]
    assert late.rows[pending][TOO_LATE] == pending and late.status[pending] == "owed"
    assert late.status[late.rows[late.flush(pending)][TOO_LATE]] == "broken"
