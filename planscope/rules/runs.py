"""Converts runs of a session to traces, so that rules can judge them."""

from __future__ import annotations

from typing import Literal

from planscope.session.model import (
    AnswerEvent,
    CallEvent,
    EndEvent,
    ErrorEvent,
    MessageEvent,
    PromptEvent,
    Run,
    SeenTool,
)
from planscope.traces.shape import Mark, Said, Tool, ToolCall, Trace


def trace_of_run(run: Run) -> Trace:
    """Return a run as a trace, with the run's id. It is complete if the agent stopped."""
    found = Trace(run.id, "planscope", model=run.model, agent=run.agent, ended="broke_off")
    calls: dict[int, ToolCall] = {}
    message = 0
    for event in run.events:
        if isinstance(event, PromptEvent):
            _tools(found, event.tools)
            found.items.append(Said("user", event.text, message, event.at))
            message += 1
        elif isinstance(event, MessageEvent):
            message += 1
            if event.given is not None:
                _tools(found, event.given.tools)
                sub_agent = event.agent is not None and event.agent != run.agent
                for said in () if sub_agent else event.given.messages or ():
                    if said.role in ("user", "human"):
                        found.items.append(Said("user", said.text, message, event.at))
                        message += 1
            if event.by == "handoff":
                found.items.append(Mark("handoff", event.text, message, event.at))
            elif event.text and event.by != "system":
                said_by: Literal["user", "model"] = "user" if event.by == "user" else "model"
                found.items.append(Said(said_by, event.text, message, event.at, event.agent))
        elif isinstance(event, CallEvent):
            call = ToolCall(
                event.step,
                event.tool,
                message,
                event.arguments,
                event.error,
                agent=event.agent or run.agent,
                at=event.at,
            )
            calls[event.step] = call
            found.items.append(call)
        elif isinstance(event, AnswerEvent):
            answered = calls.get(event.step)
            if answered is not None:
                answered.answer, answered.answered = event.text, True
                answered.failed = event.status == "error"
                answered.refused = event.refused_by is not None
        elif isinstance(event, ErrorEvent):
            found.items.append(Mark("error", event.text, message, event.at))
        elif isinstance(event, EndEvent):
            found.ended = "error" if event.ending == "aborted" else "complete"
            found.problem = event.reason if event.ending == "aborted" else None
    return found


def _tools(found: Trace, tools: list[SeenTool] | None) -> None:
    for tool in tools or ():
        found.tools[tool.name] = Tool(tool.name, tool.description, tool.parameters)
