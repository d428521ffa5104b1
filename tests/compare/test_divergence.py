"""Where two runs part, and what a fork kept."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.compare import compare
from planscope.compare.result import Comparison
from planscope.session.model import AnswerEvent, Run, Variant
from tests.compare.support import ABC, run, session, variant


def compared(a: Run, b: Run, *variants: Variant) -> Comparison:
    both = session(*variants, a, b)
    return compare(both, a, both, b)


def where(a: Run, b: Run, *variants: Variant) -> Any:
    found = compared(a, b, *variants).divergence
    return None if found is None else (found.a, found.b, *found.reasons)


@pytest.mark.parametrize(
    "a,b,expected",
    [
        (run("a b c"), run("a b c", id="r2"), None),
        (run("a b c"), run("a c b", id="r2"), (2, 2, "call", "state")),
        (run("c"), run("b", id="r2"), (1, 1, "call")),
        (run("a b"), run("a b c", id="r2"), (3, 3, "call", "state")),
        (run("a b c"), run("a b c", id="r2", answers={2: "No."}), (2, 2, "answer")),
        (run("a b?"), run("a b", id="r2"), (2, 2, "arguments")),
        (run("a ghost"), run("a spirit", id="r2"), (2, 2, "call")),
        (run("a b c"), run("a b c", id="r2", ending="timeout"), (4, 4, "ending")),
        (run("a b"), run("a b", id="r2", ending=None), (3, 3, "state", "ending")),
    ],
)
def test_first_difference(a: Run, b: Run, expected: Any) -> None:
    assert where(a, b) == expected


def test_requests_may_part_before_any_call() -> None:
    contradictory = variant("A precedes B. B precedes A.", "a b c", id="v2")
    assert where(run(), run(id="r2", of="v2"), variant(), contradictory) == (0, 0, "state")


def test_hours_are_arguments() -> None:
    timed = variant("A comes before B.", "a b", durations=[1, 2])
    assert where(run("a@8 b@9"), run("a@8 b@10", id="r2"), timed) == (2, 2, "arguments")


def test_a_refused_call_is_another_answer() -> None:
    a, b = run(), run(id="r2")
    b.events = [
        e.model_copy(update={"refused_by": "guard"}) if isinstance(e, AnswerEvent) and e.step == 2 else e
        for e in b.events
    ]
    assert where(a, b) == (2, 2, "answer")


def test_answers_that_name_renamed_actions_are_the_same() -> None:
    other = variant("X comes before Y. Y comes before Z.", "x y z", id="v2", parent="v1", kind="mutated")
    said = {1: "a is done, b is next", 2: "b is done."}
    mirrored = {1: "x is done, y is next", 2: "y is done."}
    b = run("x y z", id="r2", of="v2", answers=mirrored)
    assert where(run(answers=said), b, variant(), other) is None
    swapped = run("x y z", id="r2", of="v2", answers={1: "y is done, x is next"})
    assert where(run(answers=said), swapped, variant(), other) == (1, 1, "answer")


CALLS = st.lists(st.sampled_from(["a", "b", "c", "ghost", "a?"]), max_size=6).map(" ".join)


@given(CALLS, CALLS)
def test_all_is_the_same_before_it_and_something_is_not_there(one: str, other: str) -> None:
    c = compared(run(one), run(other, id="r2"))
    end = c.divergence.a if c.divergence is not None else max(len(c.a.steps), len(c.b.steps))
    for x, y in zip(c.a.steps[:end], c.b.steps[:end], strict=True):
        assert (x.call, x.answer, x.state) == (y.call, y.answer, y.state)
    assert (c.divergence is None) == (one == other)
    if c.divergence is not None:
        x, y = c.a.steps[end], c.b.steps[end]
        assert (x.call, x.answer, x.state) != (y.call, y.answer, y.state)
        turned = compared(run(other), run(one, id="r2")).divergence
        assert turned == type(turned)(c.divergence.b, c.divergence.a, c.divergence.reasons)


@pytest.mark.parametrize(
    "runs,which,expected",
    [
        ([run(), run("a c b", id="r2", forked=("r1", 1))], (0, 1), ("r1", 1)),
        ([run(), run("a c b", id="r2", forked=("r1", 1))], (1, 0), ("r1", 1)),
        ([run(), run(id="r2", forked=("r1", 2)), run("a b a", id="r3", forked=("r2", 3))], (0, 2), ("r1", 2)),
        (
            [run(), run("a b a", id="r2", forked=("r1", 2)), run("a c b", id="r3", forked=("r1", 1))],
            (1, 2),
            ("r1", 1),
        ),
        ([run(), run("b a c", id="r2", forked=("r1", 2))], (0, 1), None),
        ([run(), run("a c b", id="r2", forked=("r1", 0))], (0, 1), None),
        ([run(), run("a c b", id="r2")], (0, 1), None),
        ([run(forked=("r2", 3)), run("a b c", id="r2", forked=("r1", 2))], (0, 1), ("r2", 3)),
        ([run(forked=("gone", 3)), run("a b c", id="r2", forked=("gone", 2))], (0, 1), None),
    ],
)
def test_what_a_fork_kept(runs: list[Run], which: tuple[int, int], expected: Any) -> None:
    one, other = (runs[k] for k in which)
    both = session(*runs)
    kept = compare(both, one, both, other).kept
    assert (None if kept is None else (kept.run, kept.steps)) == expected


def test_a_fork_with_another_answer_parts_at_that_step() -> None:
    branch = run("a b c", id="r2", forked=("r1", 2), answers={2: "Not now."})
    c = compared(run(), branch)
    assert c.kept is not None and c.kept.steps == 2
    assert c.divergence is not None and (c.divergence.a, c.divergence.reasons) == (2, ("answer",))


def test_text_of_requests_does_not_part_runs() -> None:
    other = variant(ABC.replace("comes before", "precedes"), "a b c", id="v2")
    assert where(run(), run(id="r2", of="v2"), variant(), other) is None
