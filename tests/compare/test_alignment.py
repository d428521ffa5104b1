"""Calls beside each other: never dearer than a plain dynamic programme finds, every call once and in order."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planscope.compare import calls as alignment
from planscope.compare import compare
from planscope.compare.result import CallDiff, Comparison
from tests.compare.reference import Call, call_cost
from tests.compare.support import run, session, variant

Attempts = list[list[Call]]

CALLS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["1", "2"])).map("@".join)
    | st.sampled_from(["restart", "ghost", "a?", "c"]),
    max_size=9,
).map(" ".join)


def compared(a: str, b: str) -> Comparison:
    about = variant("A comes before B.", "a b c", durations=[1, 2, 1])
    made = session(about, run(a), run(b, id="r2"))
    return compare(made, made.runs[0], made, made.runs[1])


def attempts(calls: str) -> Attempts:
    found: Attempts = [[]]
    for word in calls.split():
        if word == "restart":
            found.append([])
        tool, _, hour = word.partition("@")
        found[-1].append((tool.rstrip("?"), "?" if tool.endswith("?") else hour))
    return found


def check(c: Comparison) -> CallDiff:
    """Every call once, in order on each side; a moved call names its partner, who names it."""
    diff = c.calls
    assert diff is not None
    for of, steps in (("a", c.a.steps), ("b", c.b.steps)):
        places = [getattr(row, of) for row in diff.rows if getattr(row, of) is not None]
        assert places == [step.index for step in steps if step.call is not None]
    moved_a = {row.a: row.partner for row in diff.rows if row.change == "moved" and row.b is None}
    moved_b = {row.b: row.partner for row in diff.rows if row.change == "moved" and row.a is None}
    assert {partner: place for place, partner in moved_b.items()} == moved_a
    for row in diff.rows:
        one = c.a.steps[row.a] if row.a is not None else None
        other = c.b.steps[row.b] if row.b is not None else None
        assert (one is None) == (row.change == "added" or (row.change == "moved" and row.b is not None))
        assert (other is None) == (row.change == "gone" or (row.change == "moved" and row.a is not None))
        if one is not None and other is not None and one.call is not None and other.call is not None:
            assert one.call.tool == other.call.tool
            assert (one.call == other.call) == (row.change == "same")
            assert (one.attempt, other.attempt) in diff.attempts
        assert (row.partner is not None) == (row.change == "moved")
    for k, side in enumerate((c.a, c.b)):
        counted = [pair[k] for pair in diff.attempts if pair[k] is not None]
        assert counted == list(range(1, max(step.attempt for step in side.steps) + 1))
    return diff


@given(CALLS, CALLS)
@example("a@2 restart restart a@1 b@1", "b@1 a@1 a@1 b@1 restart")  # more attempts together would cost more
def test_no_alignment_is_cheaper(a: str, b: str) -> None:
    diff = check(compared(a, b))
    assert diff.minimal and diff.cost == call_cost(attempts(a), attempts(b))


@given(CALLS, CALLS)
def test_swapping_the_runs_mirrors_the_rows(a: str, b: str) -> None:
    turned = {"same": "same", "changed": "changed", "moved": "moved", "added": "gone", "gone": "added"}
    one, other = compared(a, b).calls, compared(b, a).calls
    assert one is not None and other is not None
    mirrored = {(turned[r.change], r.b, r.a, r.partner) for r in other.rows}
    assert {(r.change, r.a, r.b, r.partner) for r in one.rows} == mirrored
    assert set(one.attempts) == {(q, p) for p, q in other.attempts} and one.cost == other.cost


@given(CALLS)
def test_a_run_is_the_same_as_itself(calls: str) -> None:
    diff = check(compared(calls, calls))
    assert diff.same and diff.cost == 0


@given(CALLS, CALLS)
def test_a_call_that_is_in_both_is_never_called_gone(a: str, b: str) -> None:
    """Within attempts that stand beside each other, what is left over on both sides was moved."""
    c = compared(a, b)
    assert c.calls is not None
    beside = {p for p, q in c.calls.attempts if q is not None and p is not None}
    gone = [c.a.steps[r.a] for r in c.calls.rows if r.change == "gone" and r.a is not None]
    added = [c.b.steps[r.b] for r in c.calls.rows if r.change == "added" and r.b is not None]
    partner = dict(c.calls.attempts)
    for step in gone:
        if step.attempt in beside:
            there = [s.call.tool for s in added if s.attempt == partner[step.attempt] and s.call is not None]
            assert step.call is not None and step.call.tool not in there


def told(a: str, b: str) -> list[str]:
    c = compared(a, b)
    rows = []
    for row in check(c).rows:
        words = [
            side.steps[k].call.tool if k is not None else "-" for side, k in ((c.a, row.a), (c.b, row.b))
        ]
        rows.append(f"{row.change} {' '.join(words)}")
    return rows


@pytest.mark.parametrize(
    "a,b,expected",
    [
        ("a@1 b@2 c@4", "a@1 b@3 c@4", ["same a a", "changed b b", "same c c"]),
        ("a@1 b@2 c@4", "b@2 c@4 a@1", ["moved a -", "same b b", "same c c", "moved - a"]),
        ("a@1 c@4", "a@1 b@2 c@4", ["same a a", "added - b", "same c c"]),
        ("a@1 a@2", "a@2", ["gone a -", "same a a"]),
        ("a@1 b@2", "c@1", ["gone a -", "gone b -", "added - c"]),
        (
            "a@1 b@2 c@4",
            "b@2 restart a@1 b@2 c@4",
            ["added - b", "added - ask_for_restart", "same a a", "same b b", "same c c"],
        ),
        (
            "c@1 restart a@1 b@2",
            "b@1 restart a@1 c@2",
            [
                "gone c -",
                "added - b",
                "same ask_for_restart ask_for_restart",
                "same a a",
                "gone b -",
                "added - c",
            ],
        ),
    ],
)
def test_as_people_would_say_it(a: str, b: str, expected: list[str]) -> None:
    assert told(a, b) == expected


def test_a_call_was_moved_where_it_is_the_same() -> None:
    c = compared("a@1 a@2 b@1 b@2 b@3", "b@1 b@2 b@3 a@2 a@3")
    moved = {(r.a, r.partner): len(r.arguments) for r in check(c).rows if r.change == "moved" and r.b is None}
    assert moved == {(1, 5): 1, (2, 4): 0}


def test_what_differs_in_the_arguments_is_told() -> None:
    about = variant("A comes before B.", "a b", durations=[1, 1])
    made = session(about, run("a@1 b@2"), run("a@1 b@2", id="r2"))
    first, second = (one.events[3] for one in made.runs)
    made.runs[0].events[3] = first.model_copy(update={"arguments": {"start_time": 2, "x": 1, "y": [1.0]}})
    made.runs[1].events[3] = second.model_copy(update={"arguments": {"y": [1], "start_time": "2", "z": None}})
    diff = compare(made, made.runs[0], made, made.runs[1]).calls
    assert diff is not None
    found = [(x.name, x.change, x.a, x.b) for x in diff.rows[1].arguments]
    assert found == [("start_time", "changed", 2, "2"), ("x", "gone", 1, None), ("z", "added", None, None)]


@given(CALLS, CALLS)
def test_runs_too_long_to_be_looked_at_as_a_whole(a: str, b: str) -> None:
    before = alignment.MOST_CELLS, alignment.MOST_ATTEMPTS
    try:
        alignment.MOST_CELLS = alignment.MOST_ATTEMPTS = 1
        diff = check(compared(a, b))
        assert diff.cost >= call_cost(attempts(a), attempts(b))
        assert a != b or diff.same
    finally:
        alignment.MOST_CELLS, alignment.MOST_ATTEMPTS = before


def calls_of(steps: Sequence[object]) -> int:
    return sum(getattr(step, "call", None) is not None for step in steps)


@given(CALLS, st.integers(0, 9), CALLS)
@example("a@1 b@1 c@1", 2, "restart a@1 b@1 c@1")  # it would cost less to put the second attempt beside it
def test_what_a_fork_kept_stays_beside_each_other(a: str, step: int, more: str) -> None:
    kept = a.split()[:step]
    about = variant("A comes before B.", "a b c", durations=[1, 2, 1])
    branch = run(" ".join([*kept, *more.split()]), id="r2", forked=("r1", len(kept)))
    made = session(about, run(a), branch)
    c = compare(made, made.runs[0], made, made.runs[1])
    diff = check(c)
    assert [(r.a, r.b) for r in diff.rows[: len(kept)]] == [(k, k) for k in range(1, len(kept) + 1)]
    if kept:
        assert c.kept is not None and (c.kept.run, c.kept.steps) == ("r1", len(kept))
    else:
        assert c.kept is None
    where = c.divergence
    assert where is None or where.a > len(kept)
