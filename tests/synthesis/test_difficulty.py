"""Redundancy: what it is, by brute force; and the knob that steers for it."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random
from time import process_time

import pytest

from planscope.language.problem import Problem, make_actions
from planscope.language.reading import read_query
from planscope.oracle.redundancy import redundant
from planscope.synthesis.generate import cases
from planscope.synthesis.request import Request
from tests.nightly import nightly, rounds
from tests.oracle import brute

ABC = make_actions(["network diagnosis", "login form redesign", "napkin folding"])


def ids(text: str, *, timed: bool = False) -> tuple[str, ...]:
    return redundant(read_query(text, ABC, timed=timed).problem)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Network diagnosis precedes login form redesign.", ()),
        (
            "Network diagnosis precedes login form redesign. Login form redesign precedes napkin folding. "
            "Network diagnosis precedes napkin folding.",
            ("c3",),
        ),
        (
            "Network diagnosis precedes login form redesign. Login form redesign follows network diagnosis.",
            ("c1", "c2"),
        ),
        (
            "Network diagnosis precedes napkin folding. Napkin folding precedes network diagnosis. "
            "Login form redesign precedes napkin folding.",
            ("c3",),
        ),
    ],
)
def test_order(text: str, found: tuple[str, ...]) -> None:
    assert ids(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Network diagnosis comes before 10:00. Network diagnosis comes before 12:00.", ("c2",)),
        ("Network diagnosis comes before 10:00. Napkin folding comes after 10:00.", ()),
        (
            "Network diagnosis comes before 10:00. Napkin folding comes after 10:00. "
            "Network diagnosis precedes napkin folding.",
            ("c3",),
        ),
        (
            "Network diagnosis precedes napkin folding. Napkin folding comes before 10:00. "
            "Network diagnosis comes before 09:00.",
            ("c3",),
        ),
        ("Network diagnosis comes after 00:00. Napkin folding comes before 24:00.", ("c1", "c2")),
    ],
)
def test_clock_times(text: str, found: tuple[str, ...]) -> None:
    assert ids(text, timed=True) == found


def starts_that_meet(problem: Problem, dropped: str) -> set[tuple[int, ...]]:
    """Start and end hours, few of them, that meet all constraints but one."""
    found = set()
    number = {a.id: i for i, a in enumerate(problem.actions)}
    spans = [(s, e) for s in range(24) for e in range(s + 1, min(s + 3, 25))]
    for plan in product(spans, repeat=len(number)):
        for c in problem.said:
            if c.id == dropped:
                continue
            if c.before is not None and c.after is not None:
                ok = plan[number[c.before]][1] <= plan[number[c.after]][0]
            elif c.kind == "end_at_most":
                ok = plan[number[c.action or ""]][1] <= (c.hour or 0)
            else:
                ok = plan[number[c.action or ""]][0] >= (c.hour or 0)
            if not ok:
                break
        else:
            found.add(tuple(hour for span in plan for hour in span))
    return found


def test_agrees_with_brute_force() -> None:
    """A constraint is redundant if dropping it lets in nothing new (durations of one and two hours will do)."""
    for made in cases(Request(actions=2, timed=True, sentences=3, clock_times=0.7), 25):
        whole = starts_that_meet(made.problem, "")
        wanted = tuple(c.id for c in made.problem.said if starts_that_meet(made.problem, c.id) == whole)
        assert redundant(made.problem) == wanted


@pytest.mark.parametrize(("n", "timed"), [(5, True), (8, False), *nightly((5, False), (8, True))])
def test_the_knob_acts(n: int, timed: bool) -> None:
    found = []
    for wanted in (0.0, 0.2, 0.4, 0.55):
        made = list(cases(Request(actions=n, timed=timed, redundant=wanted), 60))
        found.append(sum(len(redundant(m.problem)) for m in made) / sum(len(m.problem.said) for m in made))
        assert found[-1] == pytest.approx(wanted, abs=0.05)
        assert not any(m.misses(wanted) for m in made)
    assert all(low + 0.08 < high for low, high in pairwise(found))


def test_none_redundant_means_none() -> None:
    for made in cases(Request(actions=6, redundant=0.0), 200):
        assert redundant(made.problem) == ()


def test_the_knob_acts_within_a_range_of_valid_orders() -> None:
    shares = []
    for wanted in (0.0, 0.7):
        made = list(cases(Request(actions=6, redundant=wanted, valid_orders=(1, 6)), 100))
        shares.append(sum(len(redundant(m.problem)) for m in made) / sum(len(m.problem.said) for m in made))
    assert shares[0] == 0 and shares[1] > 0.5


@pytest.mark.parametrize("timed", [False, True], ids=["base", "timed"])
@pytest.mark.parametrize("orders", [None, (1, 6)], ids=["any", "few"])
def test_nothing_is_stated_twice_by_default(timed: bool, orders: tuple[int, int] | None) -> None:
    for made in cases(Request(timed=timed, valid_orders=orders), 60):
        stated = [(c.kind, c.before, c.after, c.action, c.hour) for c in made.problem.said]
        assert len(set(stated)) == len(stated)


def test_a_share_that_cannot_be_met_is_noticed() -> None:
    made = next(cases(Request(actions=3, redundant=0.9), 1))
    assert made.misses(0.9) and made.share == pytest.approx(1 / 3)


def test_orders_are_found_implied_by_paths_as_by_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = [brute.random_base(Random(seed))[0] for seed in range(rounds(120, 300))]
    found = [redundant(problem) for problem in problems]
    monkeypatch.setattr("planscope.oracle.redundancy._by_paths", lambda *_: None)
    assert [redundant(problem) for problem in problems] == found
    assert sum(map(bool, found)) > rounds(20, 50)


def test_a_thousand_actions_are_looked_through_at_once() -> None:
    actions = make_actions([f"action number {n}" for n in range(1000)])
    said = [f"Action number {n} precedes action number {n + step}." for step in (1, 2) for n in range(500)]
    problem = read_query(" ".join(said), actions, timed=False).problem
    began = process_time()
    assert redundant(problem) == tuple(f"c{n}" for n in range(501, 1000))
    assert process_time() - began < 5  # it took minutes
