"""What is said of the arguments of a paused call while they are typed."""

from __future__ import annotations

import pytest

from planscope.debugger.paused_call import PausedCall, judge_by_schema
from planscope.oracle.replay import Replay, replay
from planscope.oracle.trace import ToolCall, Trace
from planscope.session.oracle_input import problem_of
from tests.tui import sessions


def paused(session: object, *calls: ToolCall) -> Replay:
    return replay(problem_of(session.variants[0]), Trace(calls, "running"))


HAIR, TRAINING = "applying_hair_color", "attending_training_sessions"


@pytest.mark.parametrize(
    ("text", "said", "role"),
    [
        ('{"start_time": 8}', "✓ This call is safe.", "completable"),
        ('{"start_time": 9}', "● This call loses the plan.", "doomed"),
        ('{"start_time": 30}', "✗ This call violates a constraint: ", "broken"),
        ('{"start_time": "8"}', "the tool would refuse the call: start_time must be an integer", "caution"),
        ("{}", "the tool would refuse the call: start_time is missing", "caution"),
        ('{"start_time": ', "not JSON at column", "dim"),
    ],
)
def test_each_text_is_judged_with_the_safe_hours_beside_it(text: str, said: str, role: str) -> None:
    run = paused(sessions.figure_10(), ToolCall(HAIR, {"start_time": 9}))
    told = PausedCall(run, 1, HAIR).judge(text)
    assert told[0] == ("safe hours: 0 to 8", "completable")
    assert told[1][0].startswith(said) and told[1][1] == role


SCHEMA = {
    "type": "object",
    "properties": {"start_time": {"type": "integer"}, "order_id": {"type": "string"}},
    "required": ["start_time", "order_id"],
}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"start_time": 8, "order_id": "7"}', []),
        ('{"start_time": 8}', ["the tool would refuse the call: order_id is missing"]),
        (
            '{"start_time": 8, "order_id": 7}',
            ["the tool would refuse the call: order_id must be a string, not an integer"],
        ),
        (
            '{"start_time": 8, "order_id": "7", "why": 1}',
            ["the tool does not name why among its arguments"],
        ),
        ('{"start_time": ', ["not JSON at column 16: expecting value"]),
    ],
)
def test_a_real_tool_is_spoken_of_by_its_own_schema(text: str, said: list[str]) -> None:
    run = paused(sessions.figure_10(), ToolCall(HAIR, {"start_time": 9}))
    told = [line for line, _ in PausedCall(run, 1, HAIR, SCHEMA).judge(text)]
    assert [line for line in told if "tool" in line or "JSON" in line] == said
    assert [line for line, _ in judge_by_schema(SCHEMA, text)] == said
    free = [line for line, _ in PausedCall(run, 1, "other_tool", SCHEMA).judge(text)]
    assert free[:-1] == said and "is no action of the query" in free[-1]
    unknown = PausedCall(run, 1, HAIR, {}).judge('{"start_time": 8, "order_id": "7"}')
    assert not any("does not" in line for line, _ in unknown)


def test_after_the_plan_is_lost_no_hour_is_safe_and_calls_are_judged_by_their_tool() -> None:
    run = paused(
        sessions.figure_10(), ToolCall(TRAINING, {"start_time": 10}), ToolCall(HAIR, {"start_time": 8})
    )
    told = PausedCall(run, 2, HAIR).judge('{"start_time": 8, "who": 1}')
    assert told[0][0] == "safe hours: none" and told[1][1] in ("doomed", "broken")
    assert told[2][0] == "the tool does not take who; it is called anyway"
    assert "is no action of the query" in PausedCall(run, 2, "other_tool").judge("{}")[0][0]


def test_without_hours_only_the_order_counts() -> None:
    session = sessions.out_of_order()
    problem = problem_of(session.variants[0])
    tools = [action.tool for action in problem.actions]
    calls = [event for event in session.runs[0].events if event.type == "call"]
    run = paused(session, *(ToolCall(call.tool, {}) for call in calls))
    states = {PausedCall(run, 1, tool).judge("{}")[0][1] for tool in tools}
    assert states <= {"completable", "doomed", "broken"} and len(states) > 1
