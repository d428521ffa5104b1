"""The kinds of rules: one table, with everything that differs between them.

A kind has two meanings that were written independently of each other: an automaton, by which traces are judged, and a
formula, by which Z3 confirms what the automata say. Names of kinds are those of Declare (Pesic and van der Aalst, 2006)
where it has one; the meaning is LTL on finite traces. To add a kind, add its name to ``Kind`` and its entry to
``KINDS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

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
    from planscope.rules.confirm import Unrolled

Kind = Literal[
    "chain_response",
    "chain_precedence",
    "alternate_precedence",
    "response",
    "precedence",
    "within",
    "not_succession",
    "not_coexistence",
    "responded_existence",
    "latest",
    "since",
    "after_until",
    "not_between",
    "init",
    "end",
    "first",
    "last",
    "exactly",
    "absence",
    "in_row",
    "existence",
    "never",
]

Tested = Literal["always", "first", "then", "after first"]
"""What puts a rule to the test: every trace, a call of ``first``, a call of ``then``, or any call after one of
``first``."""


@dataclass(frozen=True, slots=True)
class RuleKind:
    """What is special about one kind of rules. A is the set ``first`` of a rule, B its set ``then``, C its set
    ``until``.

    ``meaning``: the rule in plain words; ``{a}``, ``{b}`` and ``{c}`` are the sets, ``{each_a}`` and ``{each_b}``
    the sets after "each", ``{times}``, ``{limit}`` and ``{condition}`` the rule's number, deadline and condition.
    ``sentence``: one that is read as this rule alone, with the same names. ``about``: where the tree lists it.
    ``automaton``: its states for a number. ``formula``: when the calls of ``Unrolled`` keep the rule with this number,
    as a Z3 formula.
    """

    meaning: str
    sentence: str
    about: Literal["before a call", "after a call", "how often", "never", "first and last"]
    automaton: Callable[[int], Definition]
    formula: Callable[[Unrolled, int], Any]
    tested: Tested = "first"
    every_call: bool = False
    """Whether calls that the rule does not name touch it, too."""
    mined: bool = False
    """Whether mining proposes it. Of two that imply each other, the entry that stands first in the table is listed."""
    forms: str = ""
    """The shapes of sentences that say it (``shapes.py``), one a line; what stands at two kinds may mean either."""
    beside: str = ""
    """The clauses beside a main clause with which both together say it, behind the earlier and the later set."""
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


def _memory(wanted: bool) -> Callable[[int], Definition]:
    """Return the automaton in which a call of B is allowed only if an earlier call of A is ``wanted`` or not."""

    def automaton(count: int) -> Definition:
        def step(state: State, letter: int) -> State:
            return BROKEN if letter & THEN and state[0] != wanted else _called(state, letter)

        return Definition((False, False), step, _always, _arrived)

    return automaton


def _alternate(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        ready, pending = state
        if letter & THEN:
            if not ready:
                return BROKEN
            ready = False
        return _called((ready, pending), letter)

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


def _never(count: int) -> Definition:
    return _counted(False, True)(0)


def _both(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        after = (bool(state[0] or letter & ANY_FIRST), bool(state[1] or letter & THEN))
        return BROKEN if all(after) else after

    return Definition((False, False), step, _always)


def _if_then(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        return (bool(state[0] or letter & ANY_FIRST), bool(state[1] or letter & THEN))

    return Definition((False, False), step, lambda s: not s[0] or bool(s[1]))


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


def _since(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        if letter & THEN and not state[0]:
            return BROKEN
        return _called((state[0] and not letter & UNTIL, state[1]), letter)

    return Definition((False, False), step, _always, _arrived)


def _after_until(count: int) -> Definition:
    def step(state: State, letter: int) -> State:
        if letter & THEN and state[0]:
            return BROKEN
        return _called((state[0] and not letter & UNTIL, state[1]), letter)

    return Definition((False, False), step, _always, _arrived)


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
    def step(state: State, letter: int) -> State:
        so_far = state[0]
        assert isinstance(so_far, int)
        if not letter & ANY_FIRST:
            return state if letter & USER else (0,)
        return BROKEN if so_far == count else (so_far + 1,)

    return Definition((0,), step, _always)


# The formulas -----------------------------------------------------------------------------------------------------


def _precedence_formula(u: Unrolled, count: int) -> Any:
    return u.every(u.implies(u.b[j], u.before(j)) for j in u.all)


def _alternate_formula(u: Unrolled, count: int) -> Any:
    return u.every(u.implies(u.b[j], u.before(j, lambda i, j: u.none_between(i, j, u.b))) for j in u.all)


def _response_formula(u: Unrolled, count: int) -> Any:
    return u.every(
        u.implies(u.a[i], u.some(u.both(u.b[j], u.counts[i, j]) for j in u.after(i))) for i in u.all
    )


def _chain_precedence_formula(u: Unrolled, count: int) -> Any:
    def next_to(i: int, j: int) -> Any:
        return u.every(u.no(u.there[k]) for k in range(i + 1, j))

    return u.every(u.implies(u.b[j], u.before(j, next_to)) for j in u.all)


def _chain_response_formula(u: Unrolled, count: int) -> Any:
    def answered(i: int) -> Any:
        return u.some(u.both(u.b[j], u.counts[i, j], u.none_between(i, j, u.there)) for j in u.after(i))

    return u.every(u.implies(u.a[i], answered(i)) for i in u.all)


def _within_formula(u: Unrolled, count: int) -> Any:
    def passed(i: int, j: int) -> Any:
        return u.total([u.both(u.call[k], u.counts[i, k]) for k in range(i + 1, j)])

    def answered(i: int) -> Any:
        return u.some(u.both(u.b[j], u.counts[i, j], passed(i, j) < count) for j in u.after(i))

    return u.every(u.implies(u.a[i], answered(i)) for i in u.all)


def _not_succession_formula(u: Unrolled, count: int) -> Any:
    return u.every(u.no(u.both(u.b[j], u.before(j))) for j in u.all)


def _first_formula(u: Unrolled, count: int) -> Any:
    return u.every(u.no(u.both(u.a[j], u.call[i], u.no(u.a[i]))) for j in u.all for i in range(j))


def _last_formula(u: Unrolled, count: int) -> Any:
    return u.every(u.no(u.both(u.call[j], u.no(u.a[j]), u.before(j))) for j in u.all)


def _init_formula(u: Unrolled, count: int) -> Any:
    return u.some(u.both(u.a[j], u.every(u.no(u.call[k]) for k in range(j))) for j in u.all)


def _end_formula(u: Unrolled, count: int) -> Any:
    return u.some(u.both(u.a[j], u.every(u.no(u.call[k]) for k in u.after(j))) for j in u.all)


def _latest_formula(u: Unrolled, count: int) -> Any:
    def latest(i: int, j: int) -> Any:
        later = (u.no(u.both(u.a[k], u.counts[k, j])) for k in range(i + 1, j))
        return u.both(u.met[i], u.every(later))

    return u.every(u.implies(u.b[j], u.before(j, latest)) for j in u.all)


def _since_formula(u: Unrolled, count: int) -> Any:
    return u.every(u.implies(u.b[j], u.before(j, lambda i, j: u.none_between(i, j, u.met))) for j in u.all)


def _after_until_formula(u: Unrolled, count: int) -> Any:
    return u.every(u.no(u.both(u.b[j], u.before(j, lambda i, j: u.none_between(i, j, u.met)))) for j in u.all)


def _not_between_formula(u: Unrolled, count: int) -> Any:
    def ended(j: int) -> Any:
        return u.some(u.met[k] for k in u.after(j))

    def within(i: int, j: int) -> Any:
        return u.none_between(i, j + 1, u.met)

    return u.every(u.no(u.both(u.b[j], u.no(u.met[j]), ended(j), u.before(j, within))) for j in u.all)


def _in_row_formula(u: Unrolled, count: int) -> Any:
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
        forms=r"""
            (?:every <first>|<first> always) right followed_by <then>
            (?:next|right) call_is (?:that )?(?:right )?(?:comes )?(?:right )?after (?:every )?<first> \
              is <then>
            (?:every <first>(?: always)?|<first> always) followed_by <then> right_later(?:(?: ,)? nothing_between)?
            <first> followed_by <then> right_later(?:(?: ,)? nothing_between)?
            call_is (?:that )?(?:right )?(?:comes )?right after (?:every )?<first> is <then>
            call_is (?:that )?right comes after (?:every )?<first> is <then>
            (?:after|once|when|if)(?: every)? <DONE> ?,? <AFTER> is <then>
            (?:after|once|when|if)(?: every)? <DONE> ?,? <then> is <AFTER>
            <AFTER> (?:after|once|when|if)(?: every)? <DONE> is <then>
            <then> is <AFTER> (?:after|once|when|if)(?: every)? <DONE>
            <first> right followed_by <then>
            <first> right precedes <then>
            """,
        beside=r"""
            s x: do right before | only right before | not without right_later
            x s: do right after front | do right after every | do if right_later | do when right_later
            """,
    ),
    "chain_precedence": RuleKind(
        "the call just before each {each_b} must be {a}; a {each_b} that comes first breaks it",
        "{b} happens right after {a}",
        "before a call",
        _chain_precedence,
        _chain_precedence_formula,
        "then",
        every_call=True,
        mined=True,
        forms=r"""
            <first> followed_by <then> right_later(?:(?: ,)? nothing_between)?
            (?:no|not_do|there_no) <then>(?: (?:may_)?happens)? unless <BEFORE> is <first>
            (?:no|not_do|there_no) <then>(?: (?:may_)?happens)? unless <first> is <BEFORE>
            <then> not_(?:may_)?happens unless <BEFORE> is <first>
            <then> not_(?:may_)?happens unless <first> is <BEFORE>
            (?:<then> (?:may_)?only_happens|(?:may_)?only_do <then>|<then> only) (?:if|when) <BEFORE> is \
              <first>
            (?:<then> (?:may_)?only_happens|(?:may_)?only_do <then>|<then> only) (?:if|when) <first> is \
              <BEFORE>
            earlier call_is before (?:every )?<then> is <first>
            (?:if|when|before) (?:every )?(?:do )?<then>(?: happens)? ?,? <BEFORE> is <first>
            (?:if|when|before) (?:every )?(?:do )?<then>(?: happens)? ?,? <first> is <BEFORE>
            <first> is (?:call_is right preceding|right preceding call_is|call_is right before) (?:every \
              )?<then>
            call_is (?:that )?(?:comes )?right before (?:every )?<then> is <first>
            (?:every )?<then>(?: always)? right preceded_by <first>
            (?:every )?<then>(?: always)? preceded_by <first> ?,? nothing_between
            <then> right follows <first>
            <first> right followed_by <then>
            <first> right precedes <then>
            """,
        beside=r"""
            s x: do right before | do right before every | do if right_earlier | do when right_earlier
            x s: do right after | do right after front | only right after | not without right_earlier | \
              not unless right_earlier | only if right_earlier
            """,
    ),
    "alternate_precedence": RuleKind(
        "each {each_b} needs {a} before it, and another one after the {each_b} before",
        "Every {b} has its own {a} before it",
        "before a call",
        _alternate,
        _alternate_formula,
        "then",
        mined=True,
        forms=r"""
            (?:every )?<then> (?:every )?(?:has|needs|preceded_by|contains) (?:earlier )?own (?:earlier \
              )?<first>(?: earlier)?
            (?:every )?<then> (?:every )?(?:has|needs) (?:earlier )?<first>(?: earlier)? own(?: earlier)?
            before every <then> ,? ?(?:(?:there|do|comes) )?own <first>(?: happens| comes| earlier)*
            before every <then> ,? ?(?:do )?<first>(?: happens)? own
            (?:do )?<first>(?: happens)? own before every <then>
            (?:do )?own <first>(?: happens)? before every <then>
            (?:no|not_do|there_no) <then> without own <first>(?: earlier)?
            """,
    ),
    "response": RuleKind(
        "each {each_a} needs {b} after it",
        "Every {a} is followed by {b}",
        "after a call",
        _response,
        _response_formula,
        mined=True,
        forms=r"""
            (?:every <first>|<first>)(?: (?:always|every|later))+ followed_by (?:later )?(?:every \
              )?<then>(?: later)?
            every <first> (?:later )?followed_by (?:later )?<then>(?: later)?
            (?:every )?<first>(?: always)? (?:needs|has|contains) (?:COUNT_OF )?(?:later <then>|<then> \
              later)(?: later)*
            (?:every )?<first> (?:that )?not_followed_by (?:later )?<then>(?: later)? not_happens
            (?:every <first> ?,?|after every <first> ?,?) (?:there|comes) (?:later )?<then>(?: later)?
            <first> followed_by <then>
            <then> must_follows <first>
            """,
        beside=r"""
            x s: do after front | do after every | do once front | do if later | do if done | do when | \
              do when later | do once later
            s x: not without later | not unless later
            """,
    ),
    "precedence": RuleKind(
        "each {each_b} needs {a} before it; kept if there is none",
        "{a} comes before {b}",
        "before a call",
        _memory(True),
        _precedence_formula,
        "then",
        mined=True,
        forms=r"""
            <NEEDS> (?:earlier |did_do )*<first> (?:did_<V>|may_<V> earlier|<V> earlier)(?: earlier)*
            (?P<first>S)(?: happens)? is prerequisite (?:every )?<then>(?: (?:may_)?happens)?
            <first> <V> earlier ,? ?(?:and )?<then>(?: <V>)? later
            (?:every )?<then> (?:that )?not_preceded_by (?:earlier )?<first> not_happens
            <first> followed_by <then>
            (?:every )?<then>(?: every| always| earlier)* preceded_by (?:earlier )?<first>(?: earlier| \
              later|(?: ,)? too)*
            (?:every )?<then>(?: every| always)* needs (?:COUNT_OF |earlier )*<first>(?: earlier| before)?
            (?:every )?<then> has (?:COUNT_OF )?earlier <first>
            (?:every )?<then> has <first> earlier
            <first>(?: always)? precedes (?:every )?<then>
            (?:every )?<then>(?: always)? follows <first>
            every <then>(?: always)? must_follows <first>
            <then> must_follows <first>
            """,
        beside=r"""
            s x: do before | do if earlier | do when earlier | only before
            x s: do after | do after front | do once | do once front | only after | only once | only if \
              | only if done | only if earlier | only when | only when done | only when earlier | not \
              before | not until | not unless | not unless done | not unless earlier | not without | not \
              without earlier | not if undone | not when undone | not while undone
            """,
    ),
    "within": RuleKind(
        "each {each_a} needs {b} {limit}; a deadline that still runs at the end is broken",
        "Every {a} is followed by {b} within {limit}",
        "after a call",
        _within,
        _within_formula,
        forms=r"""
            (?:every )?<first>(?: every| always)* followed_by (?:later )?<then> WITHIN
            (?:every )?<first>(?: every| always)* followed_by WITHIN <then>
            (?:when|if|after every) <DONE> ?,? <then> (?:(?:must_)?follows|happens) WITHIN
            (?:every )?<first>(?: always)? (?:needs|has|contains) (?:COUNT_OF )?(?:later )?<then>(?: \
              later)? WITHIN
            """,
        beside=r"""
            x s: do within after | do within if | do within when | do within after front
            """,
    ),
    "not_succession": RuleKind(
        "after {a} there must be no {each_b}",
        "{b} never happens after {a}",
        "never",
        _memory(False),
        _not_succession_formula,
        "after first",
        mined=True,
        forms=r"""
            (?:every )?<first> not_followed_by (?:later )?<then>(?: later)?
            <then> not_follows <first>
            (?:every )?<then> not_preceded_by (?:earlier )?<first>
            """,
        beside=r"""
            x s: only before | only until | not after | not once | not if done | not if later | not if \
              earlier | not when | not when done | not when earlier | not when later
            """,
    ),
    "not_coexistence": RuleKind(
        "there must not be both {a} and {b}, in any order",
        "If {a} happens, {b} never happens",
        "never",
        _both,
        lambda u, count: u.no(u.both(u.some(u.a), u.some(u.b))),
        mined=True,
        ordered=False,
        forms=r"""
            (?P<first>S) and (?P<then>S) (?:every )?(?:may_)?exclude
            no trace (?:may_)?contains (?:both )?(?P<first>S) and (?P<then>S)(?: together)?
            trace not_contains both (?P<first>S) and (?P<then>S)(?: together)?
            trace (?:with|that contains) (?P<first>S) not_contains (?P<then>S)
            trace that (?P<first>S) not_do (?P<then>S)
            not_do (?P<first>S) and (?P<then>S) together
            (?:(?:not_do|not|no|never) both|both not_do) (?P<first>S) and (?P<then>S)(?: together)?
            (?P<first>S) and (?P<then>S) (?:(?:both|together) not_happens|not_happens (?:both|together))
            (?P<first>S) and (?P<then>S) is exclude
            """,
        beside=r"""
            x s: not if | not when
            """,
    ),
    "responded_existence": RuleKind(
        "if there is {a}, there must be {b} too, before or after it",
        "If {a} happens, {b} happens",
        "after a call",
        _if_then,
        lambda u, count: u.implies(u.some(u.a), u.some(u.b)),
        mined=True,
        ordered=False,
        forms=r"""
            (?:every )?<first>(?: always)? (?:needs|has) (?:COUNT_OF )?<then>(?:(?: ,)? too)+
            whoever (?:contains|do|did_do) (?P<first>S) ,? ?(?:contains|do) (?:too )?<then>(?:(?: ,)? \
              too)*
            if <RUN> contains <first> ,? ?(?:it |do )?contains <then>(?:(?: ,)? too)*
            <RUN> (?:with|that contains) <first> (?:too )?contains <then>(?:(?: ,)? too)*
            """,
        beside=r"""
            x s: do if | do if done | do when | do if too | do when too
            s x: only if | only when | not unless | not without | not without too | not unless too | \
              only if too
            """,
    ),
    "latest": RuleKind(
        "each {each_b} needs {a} before it, and the answer to the latest one must have had {condition}",
        "{b} only if the latest {a} had {condition}",
        "before a call",
        _latest,
        _latest_formula,
        "then",
        forms=r"""
            <NEEDS> latest <first> COND
            (?:before|if|when) (?:every )?(?:do )?<then>(?: happens)? ?,? latest <first> COND
            """,
        beside=r"""
            x s: only if latest | only when latest | not unless latest
            """,
    ),
    "since": RuleKind(
        "each {each_b} needs {a} before it, with no {c} in between",
        "Every {b} has {a} before it, with no {c} in between",
        "before a call",
        _since,
        _since_formula,
        "then",
        forms=r"""
            (?:<then> (?:may_)?only_<V>|(?:may_)?only_do <then>|<then> only|only <then>(?: may_<V>)?) \
              <BETWEEN>
            <NO_THEN> (?:unless|outside|except)(?: (?:in_)?<BETWEEN>)
            (?:every )?<then>(?: always| every)* (?:preceded_by|has|needs|contains) <first>(?: earlier)* \
              ?,? ?(?:and )?(?:with no|without|with none) <until> in_between
            """,
    ),
    "after_until": RuleKind(
        "after {a} there must be no {each_b} until there is {c}",
        "After {a}, {b} never happens until {c}",
        "never",
        _after_until,
        _after_until_formula,
        forms=r"""
            (?:after|once|when|if)(?: every)? <DONE> ?,? <NO_THEN> (?:until|before) (?:do |did_do \
              )?<until>(?: (?:did_)?<V>)?
            <NO_THEN> (?:after|once) <DONE> until (?:do |did_do )?<until>(?: (?:did_)?<V>)?
            """,
    ),
    "not_between": RuleKind(
        "between {a} and the next {c} there must be no {each_b}",
        "{b} never happens between {a} and {c}",
        "never",
        _not_between,
        _not_between_formula,
        forms=r"""
            <NO_THEN> <BETWEEN>
            <BETWEEN> ?,? <NO_THEN>
            """,
    ),
    "init": RuleKind(
        "the first call must be {a}; a trace without calls breaks it",
        "The first call is {a}",
        "first and last",
        _init,
        _init_formula,
        "always",
        every_call=True,
        mined=True,
        forms=r"""
            <NONE> (?:(?:may_)?<V> |is )?(?:before|until) (?:every )?<DONE>
            (?:before|until) (?:every )?<DONE> ?,? <NONE>(?: (?:may_)?(?:<V>|is))?(?: earlier)*
            <NONE> (?:may_)?precedes <first>
            (?:do |always |every )+begin_trace <first>
            (?:always )*do (?:always )*begins <first>
            first call_is(?: happens)?(?: always)? is(?: always)? <first>
            <first> <IS> first call_is(?: happens)?
            <RUN> (?:always )?begins <first>(?: first)?
            begin_trace <first>(?: first)?
            begins <first>
            <first> (?:comes|happens) before else
            """,
    ),
    "end": RuleKind(
        "the last call must be {a}; a trace without calls breaks it",
        "The last call is {a}",
        "first and last",
        _end,
        _end_formula,
        "always",
        every_call=True,
        mined=True,
        forms=r"""
            (?:do |always |every )+end_trace <first>
            (?:always )*do (?:always )*ends_with <first>
            trace not_happens unless last call_is is <first>
            last call_is(?: happens)?(?: always)? is(?: always)? <first>
            <first> <IS> last call_is(?: happens)?
            <RUN> (?:always )?ends_with <first>(?: last)?
            end_trace <first>(?: last)?
            ends_with <first>
            <first> (?:comes|happens) after else
            """,
    ),
    "first": RuleKind(
        "no other call may come before {a}; kept if there is none",
        "{a} happens first",
        "first and last",
        _first,
        _first_formula,
        every_call=True,
        mined=True,
        forms=r"""
            <NONE> (?:(?:may_)?<V> |is )?(?:before|until) (?:every )?<DONE>
            (?:before|until) (?:every )?<DONE> ?,? <NONE>(?: (?:may_)?(?:<V>|is))?(?: earlier)*
            <NONE> (?:may_)?precedes <first>
            (?:do )?<first><MAY> first
            (?:if|when) (?:do |did_do )?<first>(?: happens)?(?: too)? ?, none(?:_else)? (?:may_)?<V> \
              earlier
            <first> is optional ,? ?but none(?:_else)? (?:may_)?<V> earlier
            <first> is optional ,? ?but (?:if|when) it happens ,? ?it is first call_is
            begins <first>
            <first> (?:comes|happens) before else
            if (?:do )?<first>(?: happens)? ,? ?(?:it )?is first call_is
            """,
    ),
    "last": RuleKind(
        "no other call may come after {a}; kept if there is none",
        "{a} happens last",
        "first and last",
        _last,
        _last_formula,
        every_call=True,
        mined=True,
        forms=r"""
            <OTHER> (?:(?:may_)?<V> |is )?(?:after|once) (?:every )?<DONE>
            (?:after|once) (?:every )?<DONE> ?,? <OTHER>(?: (?:may_)?(?:<V>|is|follows))?(?: later| \
              again)*
            <OTHER> (?:may_)?follows <first>
            (?:do )?<first><MAY> last
            (?:if|when) (?:do |did_do )?<first>(?: happens)?(?: too)? ?, none(?:_else)? (?:may_)?<V> later
            <first> is optional ,? ?but none(?:_else)? (?:may_)?<V> later
            <first> is optional ,? ?but (?:if|when) it happens ,? ?it is last call_is
            ends_with <first>
            <first> (?:comes|happens) after else
            if (?:do )?<first>(?: happens)? ,? ?(?:it )?is last call_is
            """,
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
        forms=r"""
            <first> not_repeats
            """,
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
        forms=r"""
            (?:every )?trace without (?:COUNT_OF )?(?:do )?<first> not_happens
            (?:no|not_do) trace without (?:COUNT_OF )?(?:do )?<first>
            not_do end_run without (?:did_do |do |once )?<first>
            """,
    ),
    "never": RuleKind(
        "there must be no {each_a}",
        "{a} never happens",
        "never",
        _never,
        lambda u, count: u.every(u.no(x) for x in u.a),
        "always",
        ordered=False,
    ),
}


@cache
def machine_of(kind: Kind, count: int, seconds: bool) -> Machine:
    """Return the automaton of a rule. Equal rules share theirs. ``seconds``: its number is a deadline in seconds."""
    return Machine((_in_seconds if seconds else KINDS[kind].automaton)(0 if seconds else count))
