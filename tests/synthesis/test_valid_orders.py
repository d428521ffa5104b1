"""The number of valid orders: exact, and within the range that was asked for."""

from __future__ import annotations

from itertools import combinations, permutations
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.oracle.precedence import count_orders
from planscope.oracle.schedule import count_schedules
from planscope.synthesis.generate import cases, synthesize
from planscope.synthesis.partial_order import draw_order
from planscope.synthesis.random_choices import RandomChoices
from planscope.synthesis.request import Request, SynthesisError
from tests.nightly import examples
from tests.synthesis.support import brute_orders, clauses


@pytest.mark.parametrize("timed", [False, True], ids=["base", "timed"])
@pytest.mark.parametrize(("n", "count"), [(2, 40), (3, 60), (4, 60), (5, 60), (6, 12), (7, 2)])
def test_agrees_with_brute_force(n: int, count: int, timed: bool) -> None:
    for made in cases(Request(actions=n, timed=timed), count):
        assert made.valid_orders == brute_orders(made.problem)


@st.composite
def days(draw: st.DrawFn) -> tuple[list[int], list[int], list[int], list[tuple[int, int]]]:
    n = draw(st.integers(1, 7))
    hours = st.integers(0, 24)
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    return (
        draw(st.lists(st.integers(1, 6), min_size=n, max_size=n)),
        draw(st.lists(hours, min_size=n, max_size=n)),
        draw(st.lists(hours, min_size=n, max_size=n)),
        draw(st.lists(pairs, max_size=n)),
    )


@given(days())
@settings(max_examples=examples(300))
def test_counting_agrees_with_trying_every_order(
    day: tuple[list[int], list[int], list[int], list[tuple[int, int]]],
) -> None:
    """Whatever the windows are, cycles among them."""
    takes, release, deadline, edges = day
    count = 0
    for order in permutations(range(len(takes))):
        clock, fits = 0, all(order.index(a) < order.index(b) for a, b in edges)
        for i in order:
            clock = max(clock, release[i]) + takes[i]
            fits = fits and clock <= deadline[i]
        count += fits
    assert count_schedules(*day) == count


@pytest.mark.parametrize(("n", "orders"), [(2, (2, 2)), (3, (3, 6)), (4, (13, 24)), (5, (60, 120))])
def test_more_orders_than_comparing_leaves_come_from_clock_times(n: int, orders: tuple[int, int]) -> None:
    for made in cases(Request(actions=n, valid_orders=orders, timed=True), 10):
        assert made.valid_orders is not None and orders[0] <= made.valid_orders <= orders[1]


@pytest.mark.parametrize("timed", [False, True], ids=["base", "timed"])
@pytest.mark.parametrize(
    ("n", "orders"),
    [
        (2, (1, 1)),
        (4, (1, 1)),
        (4, (6, 6)),
        (5, (1, 6)),
        (5, (20, 24)),
        (6, (5, 5)),
        (7, (50, 60)),
        (8, (1, 2)),
    ],
)
def test_a_range_is_met(n: int, orders: tuple[int, int], timed: bool) -> None:
    found = set()
    for made in cases(Request(actions=n, valid_orders=orders, timed=timed), 25):
        assert made.valid_orders is not None and orders[0] <= made.valid_orders <= orders[1]
        found.add(made.valid_orders)
    assert len(found) > 1 or orders[1] - orders[0] < 2


def test_as_many_valid_orders_as_there_can_be() -> None:
    """Only one action before all the others will do; hardly ever met by chance."""
    for made in cases(Request(actions=8, valid_orders=(4500, 5040)), 15):
        assert made.valid_orders == factorial(7)


def test_numbers_of_a_range_all_occur() -> None:
    found = {made.valid_orders for made in cases(Request(valid_orders=(1, 6)), 120)}
    assert found == {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize("orders", [(1, 6), (1000, 2000), (10**15, 10**17)])
def test_a_range_for_twenty_actions(orders: tuple[int, int]) -> None:
    for made in cases(Request(actions=20, valid_orders=orders), 3):
        assert made.valid_orders is not None and orders[0] <= made.valid_orders <= orders[1]


def test_a_range_in_given_sentences() -> None:
    for n, sentences, orders in ((5, 1, (1, 24)), (5, 3, (1, 2)), (6, 6, (1, 1)), (8, 3, (1, 200))):
        for made in cases(Request(actions=n, sentences=sentences, valid_orders=orders), 10):
            assert len(made.tree.sentences) == sentences
            assert made.valid_orders is not None and orders[0] <= made.valid_orders <= orders[1]


def test_a_range_leaves_the_knobs_alone() -> None:
    request = Request(valid_orders=(1, 6), forms={"fronted": 1}, relatives=0.0, lists=0.0)
    for made in cases(request, 30):
        for clause in clauses(made.tree):
            assert clause.form == "fronted" and clause.subject.relative is None
            assert len(clause.subject.actions) == 1


@pytest.mark.parametrize(
    ("request_", "part"),
    [
        (
            Request(actions=4, valid_orders=(7, 9)),
            "4 actions, each compared with another one, have 6 valid",
        ),
        (
            Request(actions=5, valid_orders=(13, 13)),
            "has 13..13 valid orders, as far as was searched; 12 and 14 are possible",
        ),
        (Request(actions=6, valid_orders=(100, 119)), "90 and 120 are possible"),
        (
            Request(actions=8, sentences=1, second_clauses=0.0, lists=0.0, valid_orders=(1, 1)),
            "cannot mention 8",
        ),
        (
            Request(actions=4, sentences=1, second_clauses=0.0, lists=0.0, valid_orders=(6, 6)),
            "in 1 sentence has",
        ),
        (Request(actions=21, valid_orders=(1, 6)), "counted for up to 20 actions"),
        (Request(valid_orders=(0, 6)), "1 <= A <= B"),
        (Request(valid_orders=(6, 1)), "1 <= A <= B"),
    ],
)
def test_what_cannot_be_had_is_said_in_one_line(request_: Request, part: str) -> None:
    with pytest.raises(SynthesisError) as raised:
        synthesize(request_)
    assert part in str(raised.value) and "\n" not in str(raised.value)


def test_the_most_valid_orders_that_there_can_be() -> None:
    """(n - 1)!: one action before all the others. All orders of up to six actions, in some numbering of them."""
    for n in range(2, 7):
        pairs = list(combinations(range(n), 2))
        best = 0
        for chosen in range(1 << len(pairs)):
            edges = [pair for k, pair in enumerate(pairs) if chosen >> k & 1]
            if len(edges) < n and len({i for pair in edges for i in pair}) == n:
                best = max(best, count_orders(n, edges))
        assert best == factorial(n - 1)
        draw_order(RandomChoices(0), n, best, best)
        with pytest.raises(SynthesisError):
            draw_order(RandomChoices(0), n, best + 1, 2 * best)
