"""Z3's certificate: right about what can and what cannot be met, one solver for many questions."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.language.problem import make_actions
from planscope.language.reading import read_query
from planscope.oracle.precedence import topological
from planscope.oracle.satisfiable import MANY, Certifier, Undecided, certifier
from planscope.oracle.schedule import NEVER, Schedule
from tests.nightly import examples

ONE = Certifier()
"""Kept over all examples: its solvers must not remember what they were asked before."""


@st.composite
def orders(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    n = draw(st.integers(2, 7))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    return n, draw(st.lists(pair, max_size=2 * n))


@given(orders())
@settings(max_examples=examples(300), deadline=None)
def test_base(order: tuple[int, list[tuple[int, int]]]) -> None:
    n, pairs = order
    assert ONE.certify_base(n, pairs) is (topological(n, pairs) is not None)


@st.composite
def days(
    draw: st.DrawFn,
) -> tuple[list[tuple[int, int]], list[tuple[int, int]], list[tuple[int, int]], list[int]]:
    n = draw(st.integers(2, 6))
    action = st.integers(0, n - 1)
    pair = st.tuples(action, action).filter(lambda p: p[0] != p[1])
    window = st.tuples(action, st.integers(0, 24))
    takes = draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    return (
        draw(st.lists(pair, max_size=n)),
        draw(st.lists(window, max_size=3)),
        draw(st.lists(window, max_size=3)),
        takes,
    )


@given(days(), st.booleans())
@settings(max_examples=examples(300), deadline=None)
def test_timed(
    day: tuple[list[tuple[int, int]], list[tuple[int, int]], list[tuple[int, int]], list[int]],
    with_plan: bool,
) -> None:
    """The same as exact scheduling; a plan that is wrong changes nothing."""
    pairs, starts, ends, takes = day
    n = len(takes)
    release = [max([0, *[hour for j, hour in starts if j == i]]) for i in range(n)]
    deadline = [min([24, *[hour for j, hour in ends if j == i]]) for i in range(n)]
    possible = Schedule(takes, release, deadline, pairs).latest((1 << n) - 1) not in (NEVER,)
    feasible = possible and Schedule(takes, release, deadline, pairs).latest((1 << n) - 1) >= 0
    plan = list(range(n)) if with_plan else None
    assert ONE.certify_timed(pairs, starts, ends, takes, plan) is feasible


def test_a_whole_problem() -> None:
    actions = make_actions(["network diagnosis", "napkin folding"], [2, 3])
    good = "Network diagnosis comes before 10:00. Napkin folding comes after 20:00."
    bad = f"{good} Napkin folding precedes network diagnosis."
    assert ONE.certify(read_query(good, actions, timed=True).problem)
    assert not ONE.certify(read_query(bad, actions, timed=True).problem)
    late = "Napkin folding comes after 22:00, and network diagnosis comes before 10:00."
    assert not ONE.certify(read_query(late, actions, timed=True).problem), "three hours from 22:00 on"


def test_the_day_is_full() -> None:
    assert ONE.certify_timed([], [], [], [1] * 24)
    assert ONE.certify_timed([], [], [], [12, 12])
    assert not ONE.certify_timed([], [], [], [12, 13])


def test_effort_is_for_each_question() -> None:
    """An allowance that is enough for one question is enough for hundreds of them."""
    small = Certifier(effort=300_000)
    for hour in range(1, 20):
        for _ in range(20):
            assert small.certify_timed([(0, 1), (1, 2)], [(0, hour)], [], [1, 1, 2, 1])


def test_no_answer_is_no_yes() -> None:
    with pytest.raises(Undecided):
        Certifier(effort=1).certify_timed([(0, 1)], [(2, 5)], [(1, 8)], [2, 3, 1, 4])


def test_each_thread_has_its_own() -> None:
    def work(seed: int) -> tuple[Certifier, bool]:
        mine = certifier()
        ok = all(mine.certify_base(5, [(i % 5, (i + 1) % 5)]) for i in range(seed, seed + 200))
        return mine, ok and not mine.certify_base(3, [(0, 1), (1, 2), (2, 0)])

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(work, range(8)))
    assert all(ok for _, ok in answers)
    assert certifier() is certifier()
    assert all(certifier() is not other for other, _ in answers)


MEASURED = """
import re
from pathlib import Path
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request
from tests.nightly import examples
assert synthesize(Request(actions=1000, seed=2)).certified
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux does")
def test_a_thousand_actions_take_little_memory() -> None:
    """Megabytes; they were 630."""
    done = subprocess.run([sys.executable, "-c", MEASURED], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 150


@pytest.mark.parametrize("n", [MANY - 1, MANY, MANY + 60])
def test_many_actions_are_judged_as_few_are(n: int) -> None:
    made = Certifier()
    chain = [(i, i + 1) for i in range(n - 1)]
    assert made.certify_base(n, chain)
    assert not made.certify_base(n, [*chain, (n - 1, 0)])
    assert not made.certify_base(n, [*chain[: n // 2], (n // 2, 3)])
    assert made.certify_base(n, [*chain[: n // 2], (3, n // 2), (n - 1, 0)])


def test_the_solvers_used_last_are_kept() -> None:
    made = Certifier()
    for n in (*range(2, 12), 4, 12):
        assert made.certify_base(n, [(0, 1)]) and not made.certify_base(n, [(0, 1), (1, 0)])
    assert list(made._base) == [6, 7, 8, 9, 10, 11, 4, 12]
