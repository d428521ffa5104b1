"""The conversation that a fork's kept events are for a model.

It is rebuilt from them in plain words, so that any model can take it up: nothing in it points to what a server keeps
(with ``previous_response_id`` an edit before the last answer would not be sent).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from planscope.session.events import AnswerEvent, CallEvent, Event, MessageEvent, PromptEvent

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage


def messages_of(events: Sequence[Event]) -> list[BaseMessage]:
    """The conversation up to the last answer; empty without events. Ends in a human or a tool message."""
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langchain_core.messages.tool import invalid_tool_call, tool_call

    from planscope.agents.recorder import DONE_WITH, REFUSED_BY

    answers = {e.step: e for e in events if isinstance(e, AnswerEvent)}
    messages: list[BaseMessage] = []
    said, calls = "", list[CallEvent]()
    number = 0
    talks = any(isinstance(e, MessageEvent) for e in events)  # imported runs may have calls alone

    def flush() -> None:
        nonlocal calls, number, said
        if not calls:
            return
        good: list[Any] = []
        bad: list[Any] = []
        behind: list[BaseMessage] = []
        for call in calls:
            identity = call.call_id or f"step_{call.step}"
            asked = call.arguments if call.asked is None else call.asked
            if asked is not None:
                good.append(tool_call(name=call.tool, args=dict(asked), id=identity))
            else:
                bad.append(invalid_tool_call(name=call.tool, args=call.raw, id=identity, error=call.error))
            answer = answers.get(call.step)
            if answer is None:
                continue
            mark: dict[str, Any] = {REFUSED_BY: answer.refused_by} if answer.refused_by else {}
            if call.asked is not None:
                mark[DONE_WITH] = call.arguments
            behind.append(
                ToolMessage(
                    answer.text,
                    name=call.tool,
                    tool_call_id=identity,
                    status="error" if answer.status == "error" else "success",
                    artifact=mark or None,
                )
            )
        number += 1
        messages.append(AIMessage(said, tool_calls=good, invalid_tool_calls=bad, id=f"kept-{number}"))
        messages.extend(behind)
        calls, said = [], ""

    for event in events:
        if isinstance(event, PromptEvent):
            messages.append(HumanMessage(event.text))
        elif isinstance(event, MessageEvent):
            flush()
            said = event.text
        elif isinstance(event, CallEvent):
            if not talks or event.call_id is None:  # a person's call stands in no message of a model's
                flush()
            calls.append(event)
    flush()
    return messages
