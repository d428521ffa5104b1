"""What is said of the arguments of a paused call while they are typed."""

from __future__ import annotations

import pytest

from planscope.debugger.paused_call import PausedCall
from planscope.oracle.replay import Replay, replay
from planscope.oracle.trace import ToolCall, Trace
from planscope.session.oracle_input import problem_of
from tests.tui import sessions


def paused(session: object, *calls: ToolCall) -> Replay:
    return replay(problem_of(session.variants[0]), Trace(calls, "running"))  # type: ignore[attr-defined]


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
