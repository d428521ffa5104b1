"""Constraints by meaning; what follows, and what is equivalent, against every plan that there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.compare import compare
from planscope.compare.result import Comparison, ConstraintDiff
from planscope.language.problem import Action, Constraint, Problem
from tests.compare.support import session, variant
from tests.nightly import examples

NAMES = "a b c d"
ORDERS = st.tuples(st.sampled_from(NAMES.split()), st.sampled_from(NAMES.split()))
BASE = st.lists(
    ORDERS.filter(lambda o: o[0] != o[1]).map(lambda o: f"{o[0]} comes before {o[1]}."),
    min_size=1,
    max_size=5,
).map(" ".join)


def compared(a: str, b: str, names: str = NAMES, durations: tuple[int, ...] | None = None) -> Comparison:
    both = session(variant(a, names, durations=durations), variant(b, names, id="v2", durations=durations))
    return compare(both, both.variants[0], both, both.variants[1])


def constraints(c: Comparison) -> ConstraintDiff:
    assert c.constraints is not None
    return c.constraints


Plan = dict[str, int]


def orders(problem: Problem) -> Iterator[Plan]:
    ids = [a.id for a in problem.actions]
    for order in permutations(range(len(ids))):
        yield dict(zip(ids, order, strict=True))


def schedules(problem: Problem) -> Iterator[Plan]:
    def from_hour(hour: int, left: tuple[Action, ...]) -> Iterator[Plan]:
        if not left:
            yield {}
        for action in left:
            takes = action.duration or 1
            for start in range(hour, 25 - takes):
                rest = tuple(other for other in left if other is not action)
                yield from ({action.id: start, **plan} for plan in from_hour(start + takes, rest))

    yield from from_hour(0, problem.actions)


def meets(plan: Plan, c: Constraint, problem: Problem) -> bool:
    takes = {a.id: a.duration or 0 for a in problem.actions}
    if c.kind == "order":
        before, after = c.before or "", c.after or ""
        return plan[before] + max(takes[before], 1) <= plan[after]
    action, hour = c.action or "", c.hour or 0
    return plan[action] >= hour if c.kind == "start_at_least" else plan[action] + takes[action] <= hour


def check(c: Comparison, plans: Callable[[Problem], Iterator[Plan]], exact: bool) -> None:
    """``follows`` and ``equivalent`` say what looking at all plans shows."""
    assert c.a.problem is not None and c.b.problem is not None
    every = list(plans(c.a.problem))
    right_a = [p for p in every if all(meets(p, x, c.a.problem) for x in c.a.problem.said)]
    right_b = [p for p in every if all(meets(p, x, c.b.problem) for x in c.b.problem.said)]
    diff = constraints(c)
    assert (c.a.contradiction == ()) == bool(right_a) and (c.b.contradiction == ()) == bool(right_b)
    for row in diff.rows:
        if row.change == "same":
            assert row.follows is None
            continue
        given, wanted = (right_b, row.a) if row.change == "gone" else (right_a, row.b)
        assert wanted is not None
        if not given:
            assert row.follows is None
            continue
        truth = all(meets(p, wanted, c.a.problem) for p in given)
        assert row.follows == truth if exact else row.follows in (None, truth)
    if right_a and right_b:
        assert diff.equivalent == (right_a == right_b)
    else:
        assert diff.equivalent is None
        assert [u.what for u in c.unknown] == ["equivalence"]


@given(BASE, BASE)
def test_orders_against_every_order(a: str, b: str) -> None:
    check(compared(a, b), orders, exact=True)


HOURS = st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["before", "after"]), st.integers(1, 23))
TIMED = st.lists(
    HOURS.map(lambda h: f"{h[0]} comes {h[1]} {h[2]}:00.")
    | st.sampled_from(["a comes before b.", "b comes before a."]),
    min_size=1,
    max_size=4,
).map(" ".join)


@given(TIMED, TIMED, st.integers(1, 9), st.integers(1, 9))
def test_hours_against_every_schedule(a: str, b: str, one: int, other: int) -> None:
    check(compared(a, b, "a b", (one, other)), schedules, exact=False)


@settings(max_examples=examples(30))
@given(TIMED, TIMED, st.tuples(st.integers(5, 9), st.integers(4, 9), st.integers(4, 6)))
def test_hours_of_three_against_every_schedule(a: str, b: str, takes: tuple[int, int, int]) -> None:
    check(compared(f"{a} c comes after a.", f"c comes after a. {b}", "a b c", takes), schedules, exact=False)


@given(BASE, BASE)
def test_every_constraint_once_and_swapping_mirrors(a: str, b: str) -> None:
    one, other = compared(a, b), compared(b, a)
    assert one.a.problem is not None and one.b.problem is not None
    rows = constraints(one).rows
    assert [r.a.id for r in rows if r.a is not None] == [x.id for x in one.a.problem.constraints]
    assert {r.b.id for r in rows if r.b is not None} == {x.id for x in one.b.problem.constraints}
    turned = {"same": "same", "added": "gone", "gone": "added"}
    said = sorted((r.change, r.words_a or "", r.words_b or "", str(r.follows)) for r in rows)
    mirrored = (
        (turned[r.change], r.words_b or "", r.words_a or "", str(r.follows)) for r in constraints(other).rows
    )
    assert said == sorted(mirrored)
    assert constraints(one).equivalent == constraints(other).equivalent


def told(c: Comparison) -> list[str]:
    return [
        f"{r.change} {r.words_a or '-'} | {r.words_b or '-'} | {r.follows}"
        for r in constraints(c).rows
        if r.change != "same"
    ]


def test_what_merely_follows_is_said() -> None:
    c = compared("a precedes b. b precedes c.", "a precedes b. b precedes c. a precedes c. a precedes d.")
    assert told(c) == ["added - | a comes before c | True", "added - | a comes before d | False"]
    assert constraints(c).equivalent is False
    assert constraints(
        compared("a precedes b. b precedes c.", "b follows a. c follows b. c follows a.")
    ).equivalent


def test_said_twice_is_matched_once() -> None:
    c = compared("a precedes b. a precedes b.", "b follows a.")
    assert told(c) == ["gone a comes before b | - | True"]


def test_an_hour_that_is_weaker_follows() -> None:
    c = compared("a comes before 15:00.", "a comes before 16:00.", "a b", (1, 1))
    assert told(c) == [
        "gone a ends at 15:00 or earlier | - | None",
        "added - | a ends at 16:00 or earlier | True",
    ]
    assert constraints(c).equivalent is False


@pytest.mark.parametrize(
    "given,wanted",
    [
        ("a comes after 9:00. a comes before b.", "b comes after 11:00."),
        ("b comes before 15:00. a comes before b.", "a comes before 14:00."),
        ("a comes before 10:00. b comes after 10:00.", "a comes before b."),
        ("a comes before b. b comes before c.", "a comes before c."),
    ],
)
def test_what_follows_from_hours_is_found(given: str, wanted: str) -> None:
    (row,) = (
        r
        for r in constraints(compared(given, f"{given} {wanted}", "a b c", (2, 1, 1))).rows
        if r.change == "added"
    )
    assert row.follows is True


@pytest.mark.parametrize(
    "a,b,why",
    [
        (
            variant("a precedes b.", "a b"),
            variant("a precedes b.", "a b", id="v2", durations=[1, 1]),
            "timed",
        ),
        (
            variant("a precedes b.", "a b", durations=[1, 1]),
            variant("a precedes b.", "a b", id="v2", durations=[1, 2]),
            "durations",
        ),
        (
            variant("a precedes b.", "a b"),
            variant("a precedes b. b precedes a.", "a b", id="v2"),
            "contradicts itself",
        ),
    ],
)
def test_what_is_not_known_is_said(a: object, b: object, why: str) -> None:
    both = session(a, b)
    c = compare(both, both.variants[0], both, both.variants[1])
    assert constraints(c).equivalent is None
    assert why in next(u.why for u in c.unknown if u.what == "equivalence")


def test_another_action_is_another_request() -> None:
    both = session(variant("a precedes b.", "a b"), variant("a precedes b.", "a b c", id="v2"))
    assert constraints(compare(both, both.variants[0], both, both.variants[1])).equivalent is False
