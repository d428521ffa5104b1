"""The whole comparison: two sessions, requests that cannot be read or met, strings that nobody expects."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.compare import compare
from planscope.compare.result import Comparison, Field
from planscope.compare.wording import called, counted, equivalence, judged, parting, renamed, unknowns, value
from planscope.documents.comparison import ComparisonDocument
from planscope.oracle.replay import replay
from planscope.session.model import EndEvent, MessageEvent, PromptEvent, Run, Session, Usage
from planscope.session.oracle_input import problem_of
from planscope.session.store import loads
from planscope.session.traces import trace_of
from tests.cli.test_hostile import hostile_free_text, hostile_names
from tests.compare.support import run, session, variant
from tests.each import each
from tests.hostile import HOSTILE


def compared(a: Run, b: Run, *variants: Any) -> Comparison:
    both = session(*variants, a, b)
    return compare(both, a, both, b)


def test_a_run_with_itself() -> None:
    c = compared(run(), run(id="r2"))
    assert c.text.same and c.calls is not None and c.calls.same
    assert c.tree is not None and c.tree.same
    assert c.constraints is not None and c.constraints.same and c.constraints.equivalent
    assert [f.name for f in c.differing] == ["run"]
    assert (c.divergence, c.kept, c.unknown) == (None, None, ())


def test_what_else_differs() -> None:
    b = run("b a c", id="r2", agent="react", model="sim:literal", seed=3, ending="timeout")
    b.events.insert(1, MessageEvent(at=1, took=0.5, usage=Usage(input_tokens=7, output_tokens=2)))
    other = variant("A precedes B. B precedes C.", id="v2")
    other.limits.seconds = 5
    b.variant = "v2"
    c = compared(run(), b, variant(), other)
    found = {f.name: (f.a, f.b) for f in c.differing}
    assert found == {
        "variant": ("v1", "v2"),
        "limit_seconds": (180.0, 5.0),
        "run": ("r1", "r2"),
        "agent": ("tools", "react"),
        "model": ("sim:careful", "sim:literal"),
        "seed": (None, 3),
        "verdict": ("right", "wrong"),
        "error_type": (None, "timeout"),
        "first_violation": (None, 1),
        "ending": ("stopped", "timeout"),
        "model_calls": (0, 1),
        "input_tokens": (None, 7),
        "output_tokens": (None, 2),
        "model_seconds": (0.0, 0.5),
    }
    assert field(c, "seed").b == 3
    assert value(c, field(c, "first_violation"), "b") == "step 1" and value(c, field(c, "seed"), "a") == "-"


def test_verdicts_and_states_are_those_of_the_judge() -> None:
    about, a, b = variant(), run("a b c"), run("a c b", id="r2")
    both = session(about, a, b)
    c = compare(both, a, both, b)
    for side, one in ((c.a, a), (c.b, b)):
        walked = replay(problem_of(about), trace_of(one))
        assert side.verdict == walked.verdict()
        assert [s.state for s in side.steps] == [v.state for v in walked.steps]
        assert [(s.index, s.step, s.attempt, s.call) for s in side.steps] == [
            (v.index, v.step, v.attempt, v.call) for v in walked.steps
        ]
    judged_before = compare(
        both,
        a,
        both,
        b,
        replay_a=replay(problem_of(about), trace_of(a)),
        replay_b=replay(problem_of(about), trace_of(b)),
    )
    assert judged_before == c


def test_a_request_that_cannot_be_read() -> None:
    unreadable = variant("A comes near B. B comes before C.", id="v2", parent="v1", kind="edited")
    c = compared(run("a b c"), run("a c b", id="r2", of="v2"), variant(), unreadable)
    assert (c.tree, c.constraints, c.b.verdict, c.b.problem, c.b.contradiction) == (
        None,
        None,
        None,
        None,
        None,
    )
    assert c.b.errors[0].column == 3 and [s.state for s in c.b.steps] == [None] * 5
    assert not c.text.same and c.calls is not None and c.calls.cost == 4
    assert c.divergence is not None and (c.divergence.a, c.divergence.reasons) == (2, ("call",))
    assert [(u.side, u.what) for u in c.unknown] == [("b", "request"), ("b", "verdict"), (None, "states")]
    assert judged(c.b) == "the query cannot be read"


def test_attempts_of_a_run_that_is_not_judged() -> None:
    unreadable = variant("A comes near B.", "a b", durations=[1, 1])
    c = compared(run("a@1 restart b@1 restart? a@2"), run("b@1", id="r2"), unreadable)
    assert [s.attempt for s in c.a.steps] == [1, 1, 2, 2, 2, 2, 2]
    assert c.calls is not None and c.calls.attempts == ((1, None), (2, 1))


def test_names_that_nothing_can_be_read_with() -> None:
    about = variant("A comes before B.", "a b")
    about.actions[1].name = "A"
    c = compared(run("a b"), run("b a", id="r2"), about)
    assert [u.what for u in c.unknown] == ["request", "verdict", "request", "verdict"]
    assert "same name" in c.unknown[0].why and c.calls is not None and not c.calls.same


def test_a_contradiction() -> None:
    about = variant("A comes before B. B comes before C. C comes before A.")
    c = compared(run("a b c"), run("c b a", id="r2"), variant(), about)
    assert c.a.contradiction == () and judged(c.a) == "RIGHT"
    both = session(variant(), variant(about.query.text, id="v2"))
    c = compare(both, both.variants[0], both, both.variants[1])
    assert c.b.contradiction == ("c1", "c2", "c3") and judged(c.b) == "CONFLICT (unsat core): c1, c2, c3"
    assert judged(c.a) == "can be met" and c.calls is None and c.divergence is None and c.a.steps == ()
    assert [u.what for u in c.unknown] == ["equivalence"] and "contradicts itself" in equivalence(c)


def test_a_run_with_a_request() -> None:
    both = session(variant(), run())
    c = compare(both, both.runs[0], both, both.variants[0])
    assert c.calls is None and c.b.steps == () and parting(c) == ""
    assert [(u.side, u.what) for u in c.unknown] == [("b", "calls")]
    assert field(c, "model").a == "sim:careful" and field(c, "model").b is None


def test_two_sessions() -> None:
    one = session(variant("A comes before B.", "a b"), run("a b"))
    other = session(variant("A precedes C.", "a c"), run("a c"), id="t")
    c = compare(one, one.runs[0], other, other.runs[0])
    assert c.matched == "names" and [f.name for f in c.differing] == ["session"]
    assert counted(c.actions) == "1 the same, 1 only in a, 1 only in b"
    assert c.calls is not None and counted(c.calls.rows) == "1 the same, 1 only in a, 1 only in b"


def test_a_run_that_is_still_under_way() -> None:
    about, a, b = variant(), run("a b", ending=None), run("a b c", id="r2")
    both = session(about, a, b)
    live = replay(problem_of(about), trace_of(a, live=True))
    c = compare(both, a, both, b, replay_a=live)
    assert [s.step for s in c.a.steps] == [0, 1, 2] and c.a.ending == "running"
    assert c.divergence is not None and (c.divergence.a, c.divergence.b) == (2, 3)
    a.events.append(EndEvent(ending="stopped"))


@pytest.mark.parametrize(
    "a,b,expected",
    [
        (run(), run(id="r2"), "Nothing differs from the beginning to the end."),
        (
            run(),
            run("a c b", id="r2", forked=("r1", 1)),
            "Both keep the first call of run r1. First difference: step 2. The calls differ: b() and c(); "
            "the states differ: possible and violated.",
        ),
        (
            run("a b"),
            run("a b c", id="r2", forked=("r1", 2)),
            "Both keep the first 2 calls of run r1. First difference: step 3. The calls differ: the end and c(); "
            "the states differ: lost and possible.",
        ),
        (
            run(),
            run(id="r2", answers={1: "No."}),
            "First difference: step 1. The answers differ: “a is done.” and “No.”.",
        ),
        (
            run(),
            run(id="r2", ending="call_limit"),
            "First difference: the end. The runs end differently: the agent ended the run and too many model calls.",
        ),
    ],
)
def test_where_they_part_in_words(a: Run, b: Run, expected: str) -> None:
    assert parting(compared(a, b)) == expected


def field(c: Comparison, name: str) -> Field:
    return next(one for one in c.fields if one.name == name)


def strings(c: Comparison) -> None:
    """Everything that is told, said once."""
    json.dumps(ComparisonDocument.about(c).as_data())
    parting(c)
    equivalence(c)
    list(unknowns(c))
    for side in (c.a, c.b):
        judged(side)
        for step in side.steps:
            called(step)
    for row in c.actions:
        renamed(row)
    for one in c.fields:
        value(c, one, "a")


def sessions(h: str) -> list[Session]:
    documents = [hostile_free_text(h, timed) for timed in (False, True)] + list(hostile_names(h))
    return [loads(json.dumps(document).encode()) for document in documents]


@each("k", range(len(HOSTILE)), every=16)
def test_hostile_strings(k: int) -> None:
    made = sessions(HOSTILE[k])
    for one, other in zip(made, [*made[1:], made[0]], strict=True):
        strings(compare(one, one.runs[0], other, other.runs[-1]))
        strings(compare(one, one.variants[0], other, other.variants[0]))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(VALUES, VALUES)
def test_any_arguments(one: Any, other: Any) -> None:
    """8 and 8.0 are one hour; true is no 1."""
    a, b = run("a"), run("a", id="r2")
    for made, passed in ((a, one), (b, other)):
        made.events[1] = made.events[1].model_copy(update={"arguments": {"x": passed}})
    c = compared(a, b)
    assert c.calls is not None
    (row,) = c.calls.rows
    assert (row.change == "same") == (row.arguments == ()) == (plain(one) == plain(other))


def plain(value: Any) -> Any:
    """With whole floats as integers, and what is true or false apart from numbers."""
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, list) else value


def test_arguments_that_no_file_could_hold() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    a, b = run("a"), run("a", id="r2")
    a.events[1] = a.events[1].model_copy(update={"arguments": {"x": deep}})
    b.events[1] = b.events[1].model_copy(update={"arguments": {"x": float("inf")}})
    c = compared(a, b)
    assert c.calls is not None and c.calls.rows[0].change == "changed"


def test_prompts_alone_are_no_runs_calls() -> None:
    a, b = run(""), run("", id="r2")
    b.events = [PromptEvent(text="Do it.")]
    c = compared(a, b)
    assert c.calls is not None and c.calls.rows == () and c.calls.attempts == ((1, 1),)
    assert c.divergence is not None and c.divergence.reasons == ("state", "ending")
