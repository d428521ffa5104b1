"""Reads OpenAI chat messages, and Anthropic messages, whose calls and results are blocks of content."""

from __future__ import annotations

from functools import partial
from typing import Any

from planscope.oracle.trace import Said
from planscope.traces.blocks import speaks, take, take_plain
from planscope.traces.build import Builder
from planscope.traces.messages import IDS, MessageFormat, about_messages
from planscope.traces.plain import plain_trace
from planscope.traces.values import as_text, obj, seq, text

LISTS = ("messages", "conversation", "trajectory", "traj", "history", "transcript", "chat")
_ANTHROPIC_BLOCKS = ("tool_use", "tool_result", "thinking", "server_tool_use", "mcp_tool_use")


def _sure_chat(messages: list[dict[str, Any]], beside: dict[str, Any]) -> float:
    calls = [one for m in messages for one in seq(m.get("tool_calls"))]
    if any(type(obj(one).get("function")) is dict for one in calls):
        return 0.8
    if any(m.get("role") in ("tool", "function") for m in messages):
        return 0.6
    return 0.5 if all(type(m.get("content")) in (str, type(None)) for m in messages) else 0.4


def _sure_anthropic(messages: list[dict[str, Any]], beside: dict[str, Any]) -> float:
    blocks = [obj(b).get("type") for m in messages for b in seq(m.get("content"))]
    if any(kind in _ANTHROPIC_BLOCKS for kind in blocks):
        return 0.8
    defined = any("input_schema" in obj(one) for one in seq(beside.get("tools")))
    return 0.8 if defined or text(beside.get("model")).startswith("claude") else 0.3


def about_anthropic(build: Builder, beside: dict[str, Any]) -> None:
    """Add what a file says beside its messages, including the system prompt."""
    about_messages(build, beside)
    if beside.get("system"):
        build.items.insert(0, Said("system", as_text(beside["system"]), 0))


CHAT = MessageFormat(
    "openai-chat",
    "OpenAI chat messages",
    LISTS,
    is_message=speaks,
    sure=_sure_chat,
    take=take,
    take_many=take_plain,
    plain=partial(plain_trace, ids=IDS),
)

ANTHROPIC = MessageFormat(
    "anthropic",
    "Anthropic messages",
    LISTS,
    is_message=speaks,
    sure=_sure_anthropic,
    take=take,
    about=about_anthropic,
)

READERS = (CHAT, ANTHROPIC)
