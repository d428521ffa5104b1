"""The kinds of rules: one table, with everything that differs between them.

A kind has two meanings that were written independently of each other: an automaton, by which traces are judged, and a
formula, by which Z3 confirms what the automata say. Names of kinds are those of Declare (Pesic and van der Aalst, 2006)
where it has one; the meaning is LTL on finite traces. To add a kind, add its name and its sentences to the table of
constructions (``planscope/language/constructions.py``) and its entry to ``KINDS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Literal

from planscope.frozen import frozen
from planscope.language.constructions import Kind
from planscope.rules.machine import (
    ANY_FIRST,
    BROKEN,
    FIRST,
    LATER,
    MET,
    THEN,
    TOO_LATE,
    UNTIL,
    USER,
    Definition,
    Machine,
    State,
)

if TYPE_CHECKING:
    from planscope.rules.unrolled import Holds, Unrolled

Tested = Literal["always", "first", "then", "after first"]
"""What puts a rule to the test: every trace, a call of ``first``, a call of ``then``, or any call after one of
``first``."""


@frozen
class RuleKind:
    """What is special about one kind of rules. A is the set ``first`` of a rule, B its set ``then``, C its set
    ``until``.

    ``meaning``: the rule in plain words; ``{a}``, ``{b}`` and ``{c}`` are the sets, ``{each_a}`` and ``{each_b}``
    the sets after "each", ``{times}``, ``{limit}`` and ``{condition}`` the rule's number, deadline and condition.
    ``sentence``: one that is read as this rule alone, with the same names. ``about``: where the tree lists it.
    ``{left}`` and ``{latest}``: an argument and how it is compared, and with what. ``automaton``: its states for a
    number. ``formula``: when the calls of ``Unrolled`` keep the rule with this number,
    as a Z3 formula.
    """

    meaning: str
    sentence: str
    about: Literal["before a call", "after a call", "how often", "never", "first and last"]
    automaton: Callable[[int], Definition]
    formula: Callable[[Unrolled, int], Holds]
    tested: Tested = "first"
    every_call: bool = False
    """Whether calls that the rule does not name touch it, too."""
    mined: bool = False
    """Whether mining proposes it. Of two that imply each other, the entry that stands first in the table is listed."""
    by_message: bool = False
    """Whether a call of A counts from the next message on."""
    ordered: bool = True
    """Whether the order of calls matters. If not, no shuffle of a trace can break the rule."""


# The automata -----------------------------------------------------------------------------------------------------
#
# A call that shows only in its answer that it is one of A (LATER) is pending until a new message begins, because the
# model that chose another call in its message could not know the answer.


def _always(state: State) -> bool:
    return True


def _nothing_owed(state: State) -> bool:
    return not any(state)


def _arrived(state: State) -> State:
    """A new message begins: what was pending counts from here on."""
    return (state[0] or state[1], False)


def _called(state: State, letter: int) -> State:
    """Return the state after a call of A, which counts now or later."""
    return (bool(state[0] or letter & FIRST), bool(state[1] or letter & LATER))


def _memory(wanted: bool, ends: int = 0) -> Callable[[int], Definition]:
    """Return the automaton in which a call of B is allowed only if an earlier call of A is ``wanted`` or not. ``ends``:
    UNTIL if a call of C makes those before it forgotten."""

    def automaton(count: int) -> Definition:
        def step(state: State, letter: int) -> State:
            if letter & THEN and state[0] != wanted:
                return BROKEN
            return _called((state[0] and not letter & ends, state[1]), letter)

        return Definition((False, False), step, _always, _arrived)

    return automaton


def _alternate(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        if letter & THEN and not state[0]:
            return BROKEN
        return _called((state[0] and not letter & THEN, state[1]), letter)

    return Definition((False, False), step, _always, _arrived)


def _response(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        return _called((state[0] and not letter & THEN, state[1]), letter)

    return Definition((False, False), step, _nothing_owed, _arrived)


def _in_seconds(count: int) -> Definition:
    """Return the automaton of a deadline in seconds: the judge keeps the time, and says when it is TOO_LATE."""
    plain = _response(count)

    def step(state: State, letter: int) -> State:
        return BROKEN if letter & TOO_LATE and state[0] else plain.step(state, letter & ~TOO_LATE)

    return replace(plain, step=step)


def _chain_precedence(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        if letter & THEN and state[0] != "first":
            return BROKEN
        return ("first" if letter & FIRST else "pending" if letter & LATER else "other",)

    return Definition(("other",), step, _always, lambda s: ("first",) if s[0] == "pending" else s)


def _chain_response(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        must, pending = state
        return BROKEN if must and not letter & THEN else _called((False, pending), letter)

    return Definition((False, False), step, _nothing_owed, _arrived)


def _within(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        left, pending = state
        assert isinstance(left, int)
        if letter & THEN:
            left = 0
        elif left and not letter & USER:
            left -= 1
            if left == 0:
                return BROKEN
        if letter & FIRST:
            left = left or count
        return left, bool(pending or letter & LATER)

    return Definition((0, False), step, _nothing_owed, lambda s: (s[0] or (count if s[1] else 0), False))


def _not_within(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        left, pending = state
        assert isinstance(left, int)
        if letter & THEN and left:
            return BROKEN
        if not letter & USER:
            left = max(left - 1, 0)
        return (count if letter & FIRST else left), bool(pending or letter & LATER)

    return Definition((0, False), step, _always, lambda s: (count if s[1] else s[0], False))


def _counted(least: bool, most: bool) -> Callable[[int], Definition]:
    """Return the automaton that counts calls of A up to the rule's number."""

    def automaton(count: int) -> Definition:
        def step(state: State, letter: int) -> State:
            so_far = state[0]
            assert isinstance(so_far, int)
            if not letter & ANY_FIRST:
                return state
            if so_far == count:
                return BROKEN if most else state
            return (so_far + 1,)

        return Definition((0,), step, lambda s: not least or s[0] == count)

    return automaton


def _seen(state: State, letter: int) -> State:
    """Return whether there was a call of A, and whether there was one of B."""
    return (bool(state[0] or letter & ANY_FIRST), bool(state[1] or letter & THEN))


def _both(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        after = _seen(state, letter)
        return BROKEN if all(after) else after

    return Definition((False, False), step, _always)


def _first(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        if letter & ANY_FIRST:
            return BROKEN if state[0] else state
        return state if letter & USER else (True,)

    return Definition((False,), step, _always)


def _last(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        if letter & ANY_FIRST:
            return _called(state, letter)
        return BROKEN if state[0] and not letter & USER else state

    return Definition((False, False), step, _always, _arrived)


def _init(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        if state[0] or letter & USER:
            return state
        return (True,) if letter & ANY_FIRST else BROKEN

    return Definition((False,), step, lambda s: bool(s[0]))


def _end(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        return state if letter & USER else (bool(letter & ANY_FIRST),)

    return Definition((False,), step, lambda s: bool(s[0]))


def _latest(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        known, pending = state
        if letter & THEN and known is not True:
            return BROKEN
        if letter & LATER:
            pending = bool(letter & MET)
        return known, pending

    return Definition((None, None), step, _always, lambda s: (s[0] if s[1] is None else s[1], None))


def _compared(count: int) -> Definition:
    """Return the automaton of calls that are compared with an answer. The judge keeps the answer itself, in a register:
    MET says that a call of B agrees with it, FIRST that some call can agree with the answer of this call of A."""

    def step(state: State, letter: int) -> State:
        known, pending = state
        if letter & THEN and not (known and letter & MET):
            return BROKEN
        if letter & LATER:  # with a number, all earlier answers count
            pending = bool(letter & FIRST or (count and (known or pending)))
        return known, pending

    return Definition((False, None), step, _always, lambda s: (s[0] if s[1] is None else s[1], None))


def _not_between(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        begun, pending, seen = state
        if letter & UNTIL:
            if seen:
                return BROKEN
            begun = False
        elif letter & THEN and begun:
            seen = True
        return (*_called((begun, pending), letter), seen)

    return Definition((False, False, False), step, _always, lambda s: (*_arrived(s), s[2]))


def _in_row(count: int) -> Definition:
    counted = _counted(False, True)(count)

    def step(state: State, letter: int) -> State:
        return counted.step(state, letter) if letter & (ANY_FIRST | USER) else (0,)

    return replace(counted, step=step)


# The formulas -----------------------------------------------------------------------------------------------------


Between = Callable[["Unrolled", int, int, int], "Holds"]
"""A formula about an A and a B behind it, by their indexes, and the rule's number."""


def _needed(related: Between) -> Callable[[Unrolled, int], Holds]:
    """Return the formula that each B has an A before it to which it is related so."""

    def formula(u: Unrolled, count: int) -> Holds:
        own = partial(related, u, count)
        return u.every(u.implies(u.b[j], u.before(j, own)) for j in u.all)

    return formula


def _forbidden(related: Between) -> Callable[[Unrolled, int], Holds]:
    """Return the formula that no B has an A before it to which it is related so."""

    def formula(u: Unrolled, count: int) -> Holds:
        own = partial(related, u, count)
        return u.every(u.no(u.both(u.b[j], u.before(j, own))) for j in u.all)

    return formula


def _not_ended(u: Unrolled, count: int, i: int, j: int) -> Holds:
    """There is no C in between."""
    return u.none_between(i, j, u.met)


def _next_to(u: Unrolled, count: int, i: int, j: int) -> Holds:
    return u.every(u.no(u.there[k]) for k in range(i + 1, j))


def _near(u: Unrolled, count: int, i: int, j: int) -> Holds:
    """Fewer calls than the rule's number are in between."""
    return u.total([u.both(u.call[k], u.counts[i, k]) for k in range(i + 1, j)]) < count


def _latest_met(u: Unrolled, count: int, i: int, j: int) -> Holds:
    later = (u.no(u.both(u.a[k], u.counts[k, j])) for k in range(i + 1, j))
    return u.both(u.met[i], u.every(later))


def _agreeing(u: Unrolled, count: int, i: int, j: int) -> Holds:
    return u.both(u.agree(i, j), count > 0 or u.none_between(i, j, u.a))


def _chain_response_formula(u: Unrolled, count: int) -> Holds:
    def answered(i: int) -> Holds:
        return u.some(u.both(u.b[j], u.counts[i, j], u.none_between(i, j, u.there)) for j in u.after(i))

    return u.every(u.implies(u.a[i], answered(i)) for i in u.all)


def _within_formula(u: Unrolled, count: int) -> Holds:
    def answered(i: int) -> Holds:
        return u.some(u.both(u.b[j], u.counts[i, j], _near(u, count, i, j)) for j in u.after(i))

    return u.every(u.implies(u.a[i], answered(i)) for i in u.all)


def _in_message_formula(u: Unrolled, count: int) -> Holds:
    def near(i: int) -> Holds:
        return u.total([u.both(u.a[j], u.no(u.counts[i, j])) for j in u.after(i)]) < count

    return u.every(u.implies(u.a[i], near(i)) for i in u.all)


def _together_formula(u: Unrolled, count: int) -> Holds:
    def both(i: int, j: int) -> Holds:
        return u.some((u.both(u.a[i], u.b[j]), u.both(u.b[i], u.a[j])))

    alone = u.every(u.no(u.both(u.a[j], u.b[j])) for j in u.all)
    return u.both(alone, *(u.implies(both(i, j), u.counts[i, j]) for j in u.all for i in range(j)))


def _not_between_formula(u: Unrolled, count: int) -> Holds:
    def ended(j: int) -> Holds:
        return u.some(u.met[k] for k in u.after(j))

    def within(i: int, j: int) -> Holds:
        return u.none_between(i, j + 1, u.met)

    return u.every(u.no(u.both(u.b[j], u.no(u.met[j]), ended(j), u.before(j, within))) for j in u.all)


def _in_row_formula(u: Unrolled, count: int) -> Holds:
    lengths = [u.total([])]
    for j in u.all:
        lengths.append(u.choice(u.a[j], lengths[-1] + 1, u.choice(u.call[j], u.total([]), lengths[-1])))
    return u.every(length <= count for length in lengths)


# The table --------------------------------------------------------------------------------------------------------

KINDS: Mapping[Kind, RuleKind] = {
    "chain_response": RuleKind(
        "the call just after each {each_a} must be {b}",
        "Every {a} is followed right away by {b}",
        "after a call",
        _chain_response,
        _chain_response_formula,
        every_call=True,
        mined=True,
    ),
    "chain_precedence": RuleKind(
        "the call just before each {each_b} must be {a}; a {each_b} that comes first breaks it",
        "{b} happens right after {a}",
        "before a call",
        _chain_precedence,
        _needed(_next_to),
        "then",
        every_call=True,
        mined=True,
    ),
    "alternate_precedence": RuleKind(
        "each {each_b} needs {a} before it, and another one after the {each_b} before",
        "Every {b} has its own {a} before it",
        "before a call",
        _alternate,
        _needed(lambda u, count, i, j: u.none_between(i, j, u.b)),
        "then",
        mined=True,
    ),
    "response": RuleKind(
        "each {each_a} needs {b} after it",
        "Every {a} is followed by {b}",
        "after a call",
        _response,
        lambda u, count: u.every(
            u.implies(u.a[i], u.some(u.both(u.b[j], u.counts[i, j]) for j in u.after(i))) for i in u.all
        ),
        mined=True,
    ),
    "precedence": RuleKind(
        "each {each_b} needs {a} before it; kept if there is none",
        "{a} comes before {b}",
        "before a call",
        _memory(True),
        _needed(_not_ended),
        "then",
        mined=True,
    ),
    "within": RuleKind(
        "each {each_a} needs {b} {limit}; a deadline that still runs at the end is broken",
        "Every {a} is followed by {b} within {limit}",
        "after a call",
        _within,
        _within_formula,
    ),
    "not_succession": RuleKind(
        "after {a} there must be no {each_b}",
        "{b} never happens after {a}",
        "never",
        _memory(False),
        _forbidden(_not_ended),
        "after first",
        mined=True,
    ),
    "not_within": RuleKind(
        "{b} must not be {limit} after {a}",
        "{b} never happens within {limit} after {a}",
        "never",
        _not_within,
        _forbidden(_near),
        every_call=True,
    ),
    "not_coexistence": RuleKind(
        "there must not be both {a} and {b}, in any order",
        "If {a} happens, {b} never happens",
        "never",
        _both,
        lambda u, count: u.no(u.both(u.some(u.a), u.some(u.b))),
        mined=True,
        ordered=False,
    ),
    "responded_existence": RuleKind(
        "if there is {a}, there must be {b} too, before or after it",
        "If {a} happens, {b} happens",
        "after a call",
        lambda count: Definition((False, False), _seen, lambda s: not s[0] or bool(s[1])),
        lambda u, count: u.implies(u.some(u.a), u.some(u.b)),
        mined=True,
        ordered=False,
    ),
    "latest": RuleKind(
        "each {each_b} needs {a} before it, and the answer to the latest one must have had {condition}",
        "{b} only if the latest {a} had {condition}",
        "before a call",
        _latest,
        _needed(_latest_met),
        "then",
        by_message=True,
    ),
    "compared": RuleKind(
        "each {each_b} needs {a} before it, and must have {left} {latest}",
        "{b} only with {left} {latest}",
        "before a call",
        _compared,
        _needed(_agreeing),
        "then",
        by_message=True,
    ),
    "in_message": RuleKind(
        "there may be {a} at most {times} in one message",
        "{a} happens at most {times} in a message",
        "how often",
        lambda count: replace(_counted(False, True)(count), flush=lambda s: (0,)),
        _in_message_formula,
        by_message=True,
    ),
    "together": RuleKind(
        "{a} and {b} must not be in one message",
        "{a} never happens in the same message as {b}",
        "never",
        lambda count: replace(_both(count), flush=lambda s: (False, False)),
        _together_formula,
        by_message=True,
    ),
    "since": RuleKind(
        "each {each_b} needs {a} before it, with no {c} in between",
        "Every {b} has {a} before it, with no {c} in between",
        "before a call",
        _memory(True, UNTIL),
        _needed(_not_ended),
        "then",
    ),
    "after_until": RuleKind(
        "after {a} there must be no {each_b} until there is {c}",
        "After {a}, {b} never happens until {c}",
        "never",
        _memory(False, UNTIL),
        _forbidden(_not_ended),
    ),
    "not_between": RuleKind(
        "between {a} and the next {c} there must be no {each_b}",
        "{b} never happens between {a} and {c}",
        "never",
        _not_between,
        _not_between_formula,
    ),
    "init": RuleKind(
        "the first call must be {a}; a trace without calls breaks it",
        "The first call is {a}",
        "first and last",
        _init,
        lambda u, count: u.some(u.both(u.a[j], u.every(u.no(u.call[k]) for k in range(j))) for j in u.all),
        "always",
        every_call=True,
        mined=True,
    ),
    "end": RuleKind(
        "the last call must be {a}; a trace without calls breaks it",
        "The last call is {a}",
        "first and last",
        _end,
        lambda u, count: u.some(u.both(u.a[j], u.every(u.no(u.call[k]) for k in u.after(j))) for j in u.all),
        "always",
        every_call=True,
        mined=True,
    ),
    "first": RuleKind(
        "no other call may come before {a}; kept if there is none",
        "{a} happens first",
        "first and last",
        _first,
        lambda u, count: u.every(
            u.no(u.both(u.a[j], u.call[i], u.no(u.a[i]))) for j in u.all for i in range(j)
        ),
        every_call=True,
        mined=True,
    ),
    "last": RuleKind(
        "no other call may come after {a}; kept if there is none",
        "{a} happens last",
        "first and last",
        _last,
        lambda u, count: u.every(u.no(u.both(u.call[j], u.no(u.a[j]), u.before(j))) for j in u.all),
        every_call=True,
        mined=True,
    ),
    "exactly": RuleKind(
        "there must be {a} exactly {times}",
        "{a} happens exactly {times}",
        "how often",
        _counted(True, True),
        lambda u, count: u.total(u.a) == count,
        "always",
        mined=True,
        ordered=False,
    ),
    "absence": RuleKind(
        "there may be {a} at most {times}",
        "{a} happens at most {times}",
        "how often",
        _counted(False, True),
        lambda u, count: u.total(u.a) <= count,
        mined=True,
        ordered=False,
    ),
    "in_row": RuleKind(
        "there may be {a} at most {times} in a row",
        "{a} happens at most {times} in a row",
        "how often",
        _in_row,
        _in_row_formula,
        every_call=True,
    ),
    "existence": RuleKind(
        "there must be {a} at least {times}",
        "{a} happens at least {times}",
        "how often",
        _counted(True, False),
        lambda u, count: u.total(u.a) >= count,
        "always",
        mined=True,
        ordered=False,
    ),
    "never": RuleKind(
        "there must be no {each_a}",
        "{a} never happens",
        "never",
        lambda count: _counted(False, True)(0),
        lambda u, count: u.every(u.no(x) for x in u.a),
        "always",
        ordered=False,
    ),
}


@cache
def machine_of(kind: Kind, count: int, seconds: bool) -> Machine:
    """Return the automaton of a rule. Equal rules share theirs. ``seconds``: its number is a deadline in seconds."""
    return Machine((_in_seconds if seconds else KINDS[kind].automaton)(0 if seconds else count))
