"""Real tools: what the query names is required and nothing else; a call is refused by its own schema alone."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.language.problem import Action
from planscope.oracle.arguments import extra_arguments, read_start, schema_refusal
from planscope.oracle.replay import Replay, replay
from planscope.oracle.trace import Ending, ToolCall, Trace
from planscope.oracle.verdict_types import graded
from planscope.report import verdict_blocks
from planscope.session.oracle_input import UNJUDGED, own_reading
from planscope.show.text import lines
from planscope.wording.explain import explain_verdict
from tests.each import each

NAMES = ["build", "push", "deploy", "log", "page"]
ACTIONS = tuple(Action(f"a{i}", name, name) for i, name in enumerate(NAMES, 1))
TAGGED = {"type": "object", "properties": {"tag": {"type": "string"}}, "required": ["tag"]}
SCHEMAS: dict[str, Mapping[str, Any] | None] = {**dict.fromkeys(NAMES), "build": TAGGED}


def judged(text: str, *calls: ToolCall | str, ending: Ending = "stopped", timed: bool = False) -> Replay:
    made = tuple(ToolCall(c) if isinstance(c, str) else c for c in calls)
    return replay(own_reading(text, ACTIONS, SCHEMAS, timed=timed).problem, Trace(made, ending))


ORDER = "Build happens before push. Push happens before deploy."


@each("seed", range(200))
def test_against_the_sentence_itself(seed: int) -> None:
    """Right is: each named one exactly once, in an order that the text allows; whatever else is called."""
    draw = random.Random(seed)
    calls = [draw.choice(NAMES) for _ in range(draw.randint(0, 6))]
    named = [c for c in calls if c in ("build", "push", "deploy")]
    found = judged(ORDER, *calls)
    assert (found.verdict().verdict == "right") == (named == ["build", "push", "deploy"])
    assert found.certify() == "confirmed"


def test_free_tools_change_nothing() -> None:
    found = judged(ORDER, "log", "build", "log", "log", "push", "ghost", "deploy", "page", "page")
    assert found.verdict().findings == ()
    assert [v.action for v in found.steps if v.action] == ["a1", "a2", "a3"]
    assert {c.id for c in found.problem.constraints} == {"c1", "c2", "b1", "b2"}
    assert [found.problem.action_by_id[m.action].tool for m in found.safe_moves(1)] == ["build"]
    assert found.repair().order == ("a1", "a2", "a3") and found.repair().inserted == ()
    wrong = judged(ORDER, "log", "push", "build")
    assert (wrong.repair().order, wrong.repair().inserted) == (("a1", "a2", "a3"), ("a3",))
    assert wrong.certify() == "confirmed" and wrong.reasons().cores


def test_only_its_own_schema_refuses_a_call() -> None:
    more = {"tag": "v1", "whatever": [1]}
    fine = judged(ORDER, ToolCall("build", more), ToolCall("push", {"x": 1}), ToolCall("deploy", {"y": None}))
    assert fine.verdict().findings == ()
    failed = judged(
        ORDER,
        ToolCall("build", {"tag": 1}, failed=True),
        ToolCall("build", {"tag": "v1"}, failed=True),
        ToolCall("build", {"tag": "v1"}),
        "push",
        "deploy",
    )
    assert [(f.type, f.step, f.message) for f in failed.verdict().findings] == [
        ("act_error", 1, "build: tag must be a string, not an integer")
    ]
    assert failed.verdict().verdict == "right"


def test_hours_are_of_the_named_ones_alone() -> None:
    text = "Build happens before 10:00. Push happens after build."
    call = lambda tool, hour: ToolCall(tool, {"start_time": hour})  # noqa: E731
    good = judged(text, call("build", 1), "log", call("push", 4), timed=True)
    assert (good.verdict().verdict, good.certify()) == ("right", "confirmed")
    late = judged(text, "log", call("build", 12), timed=True)
    assert late.verdict().error_type == "action_lost" and late.steps[2].state == "broken"


def test_without_a_query_nothing_is_said_of_the_calls() -> None:
    for ending, kind in (("stopped", "unknown"), ("timeout", "unknown"), ("aborted", "aborted")):
        for timed in (False, True):
            found = judged("", "build", "build", "ghost", ending=ending, timed=timed)
            verdict = found.verdict()
            assert (verdict.verdict, verdict.findings, verdict.first_violation) == (kind, (), None)
            assert f"{UNJUDGED}." in explain_verdict(found, verdict)
            assert {v.state for v in found.steps} == {"unknown"}
            assert (found.certify(), found.safe_moves(1), found.valid_completions(1)) == (
                "not_asked",
                (),
                None,
            )
            assert found.repair().order is None and found.repair().reason == UNJUDGED
            assert found.reasons().cores == () and found.one_way(0) is None


def test_fifty_findings_of_one_call_are_one_line() -> None:
    found = judged(ORDER, *["build"] * 51, "push", "deploy")
    verdict = found.verdict()
    assert len(verdict.findings) == 50
    told = list(lines(verdict_blocks(found, verdict), 100))
    (line,) = [one for one in told if "error: repeated action" in one]
    assert line.strip().startswith("step 2") and "(50 times, last at step 51)" in " ".join(told)
    assert explain_verdict(found, verdict) == (
        "At step 2 build was done again, after step 1, and every task can only be executed once. "
        "The same happened 49 more times, the last time at step 51."
    )


SCHEMA = st.recursive(
    st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"]).map(
        lambda t: {"type": t}
    )
    | st.lists(st.integers(0, 3) | st.sampled_from(["a", "b", True]), min_size=1).map(lambda v: {"enum": v})
    | st.integers(0, 3).map(lambda n: {"type": "integer", "minimum": n, "maximum": n + 1})
    | st.just({"type": "string", "minLength": 2})
    | st.just({}),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"anyOf": parts})
        | inner.map(lambda part: {"type": "array", "items": part, "maxItems": 2})
        | st.builds(
            lambda parts, needed, more: {
                "type": "object",
                "properties": parts,
                "required": needed,
                "additionalProperties": more,
            },
            st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            st.lists(st.sampled_from("abc"), unique=True, max_size=2),
            st.booleans() | inner,
        )
    ),
    max_leaves=6,
)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 4) | st.sampled_from([1.0, 1.5, "a", "b", "long"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=6,
)


@given(SCHEMA, st.dictionaries(st.sampled_from("abcd"), VALUE, max_size=3))
def test_schemas_against_the_standard(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    wanted = jsonschema.Draft202012Validator(schema).is_valid(arguments)
    assert (schema_refusal(schema, arguments) is None) == wanted


def test_references_and_odd_schemas() -> None:
    schema = {"properties": {"x": {"$ref": "#/$defs/X"}}, "$defs": {"X": {"type": "integer"}}}
    assert schema_refusal(schema, {"x": 1}) is None
    assert schema_refusal(schema, {"x": "1"}) == "x must be an integer, not a string"
    loop = {"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}]}}}
    for odd in (loop, {"$ref": "elsewhere"}, {"type": "odd"}, {"required": 3, "properties": [], "enum": 4}):
        assert schema_refusal(odd, {"x": 1}) is None


@pytest.mark.parametrize(
    ("schema", "value", "why"),
    [
        ({"type": "integer"}, True, "x must be an integer, not a boolean"),
        ({"type": "integer"}, 1.5, "x must be an integer, not a number"),
        ({"type": "integer"}, 2.0, None),
        ({"type": "integer"}, float("inf"), "x must be an integer, not a number"),
        ({"type": ["array", "null"]}, {}, "x must be an array or null, not an object"),
        ({"type": "object"}, None, "x must be an object, not null"),
        ({"type": "string"}, [], "x must be a string, not an array"),
        ({"type": "string"}, object, "x must be a string, not something else"),
        ({"type": ["string", "odd"]}, 5, None),
        ({"enum": [1, "a"]}, True, "x is not one of the allowed values"),
        ({"const": 0}, False, "x is not the one allowed value"),
        ({"const": 0}, 0, None),
        ({"minimum": 1}, 1, None),
        ({"minimum": 1}, 0, "x is out of range"),
        ({"maximum": 1}, 1, None),
        ({"maximum": 1}, 2, "x is out of range"),
        ({"exclusiveMinimum": 1}, 1, "x is out of range"),
        ({"exclusiveMaximum": 1}, 1, "x is out of range"),
        ({"exclusiveMaximum": 1}, 0.5, None),
        ({"minimum": True}, -5, None),
        ({"minimum": 1}, False, None),
        ({"minLength": 2}, "a", "x must have at least 2 characters"),
        ({"maxLength": 2}, "abc", "x must have at most 2 characters"),
        ({"minItems": 1}, [], "x must have at least 1 items"),
        ({"maxItems": 1}, [1, 2], "x must have at most 1 items"),
        ({"maxItems": True}, [1, 2], None),
        ({"minLength": 2, "maxLength": 2}, "ab", None),
        ({"anyOf": [{"type": "string"}]}, 5, "x must be a string, not an integer"),
        ({"oneOf": [{"type": "string"}, {"const": 6}]}, 5, "x has none of the allowed forms"),
        ({"allOf": [{}, {"type": "string"}]}, 5, "x must be a string, not an integer"),
        ({"items": {"type": "string"}}, ["a", 5], "x[1] must be a string, not an integer"),
        ({"required": ["y"]}, {}, "x.y is missing"),
        ({"required": ["y", 5]}, {"y": 1}, None),
        ({"properties": {"y": {"type": "null"}}}, {"y": 1}, "x.y must be null, not an integer"),
        ({"additionalProperties": False}, {"y": 1}, "it does not take x.y"),
        ({"additionalProperties": {"type": "null"}}, {"y": 1}, "x.y must be null, not an integer"),
        ({"$ref": "#/$defs/A"}, 5, "x must be a string, not an integer"),
        ({"$ref": "#/$defs/B"}, 5, None),
        ({"$ref": "$defs/A"}, 5, None),
    ],
)
def test_why_a_schema_refuses_a_value(schema: dict[str, Any], value: Any, why: str | None) -> None:
    whole = {"properties": {"x": schema}, "$defs": {"A": {"type": "string"}}}
    assert schema_refusal(whole, {"x": value}) == why


def test_why_a_schema_refuses_the_arguments() -> None:
    assert schema_refusal({"required": ["x"]}, None) == "x is missing"
    assert schema_refusal({"type": "array"}, {}) == "the arguments must be an array, not an object"
    assert schema_refusal({"anyOf": [{"required": ["x"]}, {"required": ["y"]}]}, {}) == (
        "the arguments has none of the allowed forms"
    )
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(40):
        deep = {"items": deep}
    value: Any = 5
    for _ in range(40):
        value = [value]
    assert schema_refusal({"properties": {"x": deep}}, {"x": value}) is None  # too deep to be looked at
    assert schema_refusal({"properties": {"x": deep["items"]}}, {"x": "a"}) is None


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        (None, "the arguments could not be read"),
        ({}, "start_time is missing"),
        ({"start_time": 8}, 8),
        ({"start_time": 8.0}, 8),
        ({"start_time": 8.5}, "start_time must be a whole hour, not 8.5"),
        ({"start_time": float("nan")}, "start_time must be a whole hour, not nan"),
        ({"start_time": True}, "start_time must be an integer, not a boolean"),
        ({"start_time": "8"}, "start_time must be an integer, not a string"),
        ({"start_time": None}, "start_time must be an integer, not null"),
        ({"start_time": []}, "start_time must be an integer, not a list"),
        ({"start_time": {}}, "start_time must be an integer, not an object"),
        ({"start_time": ()}, "start_time must be an integer, not something else"),
    ],
)
def test_a_start_is_a_whole_hour(arguments: dict[str, Any] | None, start: int | str) -> None:
    assert read_start(arguments) == start


def test_arguments_that_a_tool_does_not_take() -> None:
    assert extra_arguments({"start_time": 1, "x": 2}, True) == ("x",)
    assert extra_arguments({"start_time": 1, "x": 2}, False) == ("start_time", "x")
    assert extra_arguments(None, True) == extra_arguments({}, False) == ()


def test_a_grade_is_odd_where_the_verdict_says_otherwise() -> None:
    assert (graded(0, "right"), graded(1, "wrong")) == (
        "graded 0, keeps all rules",
        "graded 1, violates a rule",
    )
    assert [graded(0, "wrong"), graded(1, "right"), graded(0.5, "right"), graded(None, "right")] == [
        *("graded 0", "graded 1", "graded 0.5", ""),
    ]
