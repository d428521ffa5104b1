"""Mock tools: what they show, what they answer, what they refuse."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.agents.langchain_agent import langchain_tools
from planscope.agents.toolset import BadToolset, make_toolset
from planscope.oracle.arguments import read_start
from planscope.session.model import ActionRecord


def action(
    name: str = "network diagnosis", duration: int | None = None, tool: str | None = None
) -> ActionRecord:
    return ActionRecord(
        id="a1", name=name, tool=name.replace(" ", "_") if tool is None else tool, duration=duration
    )


async def call(tool: Any, arguments: Any) -> Any:
    return await tool.ainvoke({"type": "tool_call", "name": tool.name, "args": arguments, "id": "c1"})


def test_base_tools_take_nothing_and_say_that_it_is_done() -> None:
    (tool,) = make_toolset([action()], timed=False)
    assert tool.spec.description == "Network diagnosis."
    assert tool.spec.parameters["properties"] == {}
    assert tool.answer({}) == ("Network diagnosis has been done.", True)
    assert tool.answer({"extra": 1}) == ("Network diagnosis has been done.", True)


@pytest.mark.parametrize(
    ("hours", "said"), [(1, "1 hour."), (2, "2 hours."), (None, "1 hour."), (24, "24 hours.")]
)
def test_timed_tools_tell_their_hours(hours: int | None, said: str) -> None:
    tool, restart = make_toolset([action(duration=hours)], timed=True)
    assert tool.answer({"start_time": 8}) == (f"Network diagnosis takes {said}", True)
    assert restart.spec.name == "ask_for_restart"
    assert restart.answer({})[1]


@pytest.mark.parametrize("hour", [0, 23, 24, -1, 8.0, 10**30])
def test_any_whole_hour_is_answered_as_usual(hour: float) -> None:
    tool, _ = make_toolset([action(duration=3)], timed=True)
    assert tool.answer({"start_time": hour}) == ("Network diagnosis takes 3 hours.", True)
    assert tool.answer({"start_time": hour, "why": "now"})[1]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        None,
        {"start": 8},
        *({"start_time": v} for v in ("8", True, None, 8.5, [8], float("nan"), float("inf"))),
    ],
)
def test_a_start_that_is_no_integer_is_refused_and_told_why(arguments: Any) -> None:
    tool, _ = make_toolset([action(duration=3)], timed=True)
    text, executed = tool.answer(arguments)
    assert not executed
    assert text.startswith("Error: ")
    assert "3" not in text
    if arguments is not None:
        assert str(read_start(arguments)) in text  # the oracle's own words: one place judges


@given(st.integers(2, 24), st.sampled_from(["alpha", "network speed test", "Überprüfung der Lage"]))
def test_nothing_shown_before_the_call_depends_on_the_duration(hours: int, name: str) -> None:
    shown = [
        json.dumps([(t.name, t.description, t.args_schema) for t in langchain_tools(tools)])
        for tools in (
            make_toolset([action(name, hours, tool="x")], timed=True),
            make_toolset([action(name, 1, tool="x")], timed=True),
        )
    ]
    assert shown[0] == shown[1]


async def test_a_refused_call_is_an_error_message() -> None:
    tool, _ = langchain_tools(make_toolset([action(duration=3)], timed=True))
    refused = await call(tool, {"start_time": "8"})
    assert (refused.status, refused.content) == (
        "error",
        "Error: start_time must be an integer, not a string. Nothing was done.",
    )
    done = await call(tool, {"start_time": 8})
    assert (done.status, done.content) == ("success", "Network diagnosis takes 3 hours.")


@pytest.mark.parametrize(
    "name", ["self", "config", "run_manager", "callbacks", "tool_input", "arguments", "runtime", "state"]
)
async def test_arguments_named_like_langchains_own_are_arguments(name: str) -> None:
    for timed in (False, True):
        tool = langchain_tools(make_toolset([action(duration=3)], timed=timed))[0]
        answer = await call(tool, {name: 1, "start_time": 8})
        assert answer.status == "success"


@pytest.mark.parametrize(
    "actions",
    [
        [action(tool="x"), action(tool="x")],
        [action(tool="ask_for_restart")],
        [action(tool="a b")],
        [action(tool="")],
        [action(tool="é")],
        [action(tool="x" * 65)],
    ],
)
def test_tools_that_no_provider_takes_are_refused_in_one_line(actions: list[ActionRecord]) -> None:
    with pytest.raises(BadToolset) as error:
        make_toolset(actions, timed=True)
    assert "\n" not in str(error.value)
