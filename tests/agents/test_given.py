"""What a model is given is recorded by its changes; from those, what it was given with each call can be told again."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from planscope.agents.given import GivenSoFar, seen_messages
from planscope.session.model import PromptEvent, SeenMessage
from tests.nightly import examples

ASKED = HumanMessage("Ship it.")


def turn(number: int) -> list[BaseMessage]:
    """One call and its answer."""
    call = {"name": "build", "args": {"n": number}, "id": f"c{number}", "type": "tool_call"}
    return [
        AIMessage("", tool_calls=[call], id=f"m{number}"),
        ToolMessage(f"built {number}", tool_call_id=f"c{number}"),
    ]


def edited(messages: list[BaseMessage], way: str, at: int) -> list[BaseMessage]:
    """A history as the program gives it to the model: the same, copied, edited, trimmed or summarised."""
    at = at % len(messages)
    if way == "copy":
        return deepcopy(messages)
    if way == "edit":
        made: Any = messages[at].model_copy(update={"content": f"cleared {at}"})
        return [*messages[:at], made, *messages[at + 1 :]]
    if way == "arguments" and isinstance(found := messages[at], AIMessage) and found.tool_calls:
        cleared = found.model_copy(update={"tool_calls": [{**found.tool_calls[0], "args": {}}]})
        return [*messages[:at], cleared, *messages[at + 1 :]]
    if way == "trim":
        return messages[at:]
    if way == "summarise":
        return [HumanMessage(f"Summary of {at}."), *messages[at:]]
    return messages


WAYS = ["same", "same", "copy", "edit", "arguments", "trim", "summarise"]


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(WAYS), st.integers(0, 30)), max_size=8))
def test_what_was_given_with_each_call_can_be_told_again(ways: list[tuple[str, int]]) -> None:
    so_far = GivenSoFar(PromptEvent(text="Ship it.", tools=[]))
    history: list[BaseMessage] = [ASKED]
    assert so_far.changed(None, (), history) is None
    told: list[SeenMessage] = seen_messages(history)
    for number, (way, at) in enumerate(ways):
        new = turn(number)  # as it is recorded: what came before is edited, not this
        history = [*edited(history, way, at), *new]
        change = so_far.changed(None, (), history)
        fresh = change.messages if change is not None else None
        told = [*told, *seen_messages(new)] if fresh is None else fresh
        assert told == seen_messages(history)
        assert change is None or way not in ("same", "copy"), "nothing changed"


@pytest.mark.parametrize("copied", [False, True])
def test_an_edit_in_the_middle_is_recorded_once(copied: bool) -> None:
    so_far = GivenSoFar(PromptEvent(text="Ship it.", tools=[]))
    history = [ASKED, *turn(1), *turn(2)]
    so_far.changed(None, (), history[:3])
    cleared: list[BaseMessage] = [*history[:2], ToolMessage("[cleared]", tool_call_id="c1"), *history[3:]]
    change = so_far.changed(None, (), cleared)
    assert change is not None and [m.text for m in change.messages or []][2] == "[cleared]"
    assert so_far.changed(None, (), [*(deepcopy(cleared) if copied else cleared), *turn(3)]) is None
