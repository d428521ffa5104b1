"""Reads runs of AgentDojo. A tool's message repeats its call and has a mark for errors; some models leave the ids
empty."""

from __future__ import annotations

from typing import Any

from planscope.traces.blocks import speaks, take
from planscope.traces.build import Builder
from planscope.traces.messages import MessageFormat, about_messages
from planscope.traces.values import as_text, name, number, obj, rest_of, text

_PLACED = frozenset(("role", "content", "tool_call_id", "tool_call", "error"))


def _take(build: Builder, message: dict[str, Any]) -> None:
    if message.get("role") != "tool":
        take(build, message)
        return
    build.message += 1
    call = obj(message.get("tool_call"))
    error = message.get("error")
    content = as_text(message.get("content"))
    build.answer(
        message.get("tool_call_id") or call.get("id"),
        content or as_text(error),
        tool=call.get("function"),
        failed=bool(error),
        raw=rest_of(message, _PLACED),
    )


def _sure(messages: list[dict[str, Any]], beside: dict[str, Any]) -> float:
    if "suite_name" in beside and "user_task_id" in beside:
        return 0.95
    return 0.85 if any(type(m.get("tool_call")) is dict for m in messages) else 0.0


def _id(beside: dict[str, Any]) -> str:
    parts = ("suite_name", "pipeline_name", "user_task_id", "injection_task_id", "attack_type")
    return ".".join(part for key in parts if (part := name(beside.get(key))) and part != "none")


def _about(build: Builder, beside: dict[str, Any]) -> None:
    about_messages(build, beside)
    build.trace.model = text(beside.get("pipeline_name")) or build.trace.model
    build.trace.reward = number(beside.get("utility"))
    if beside.get("error"):
        build.problem(f"the run ended in an error: {as_text(beside['error'])[:200]}", cause="model")


READERS = (
    MessageFormat(
        "agentdojo",
        "an AgentDojo run",
        ("messages",),
        is_message=speaks,
        sure=_sure,
        take=_take,
        about=_about,
        id_of=_id,
        aside={"evaluation": "a gold plan"},
    ),
)
