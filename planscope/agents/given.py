"""Records what a model is given with each call: system prompt, tools and messages. Only changes are recorded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from operator import is_
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from planscope.agents.messages import text_of
from planscope.session.json_bytes import plain, plain_text
from planscope.session.model import Given, PromptEvent, SeenMessage, SeenTool

MOST_GIVEN = 512 * 1024
"""Limit for the recorded messages of one call, in characters. The last messages are kept."""

_ROLES = ((HumanMessage, "user"), (AIMessage, "assistant"), (ToolMessage, "tool"))


class GivenSoFar:
    """Remembers what a model was given last, to find the changes in the next call."""

    def __init__(self, prompt: PromptEvent, recorded: Sequence[BaseMessage] = ()) -> None:
        """``recorded``: the messages of the first call, if the prompt has them."""
        self._system = prompt.system
        self._tools = prompt.tools
        self._text = prompt.text
        self._same: tuple[int, ...] | None = None
        self._last: list[BaseMessage] | None = list(recorded) or None
        self._head: BaseMessage | None = None
        self._looked_at = 0
        self._system_there = False

    def changed(
        self, system: str | None, tools: Sequence[object], messages: Sequence[BaseMessage]
    ) -> Given | None:
        """Return the differences between this call and the one before, or None. A system prompt may also be among
        the messages."""
        fresh: dict[str, Any] = {}
        if self._has_system(messages):
            if system is None:
                system = next(text_of(m) for m in messages if isinstance(m, SystemMessage))
            messages = [m for m in messages if not isinstance(m, SystemMessage)]
        said = None if system is None else plain_text(system)
        if said != self._system:
            fresh["system"] = self._system = said or ""
        same = tuple(map(id, tools))
        if same != self._same:
            self._same, offered = same, seen_tools(tools)
            if offered != self._tools:
                fresh["tools"] = self._tools = offered
        if self._last is None:  # the first call: a lone prompt is recorded already
            if len(messages) != 1 or plain_text(text_of(messages[0])) != self._text:
                fresh["messages"] = seen_messages(messages)
        elif not _goes_on(self._last, messages):
            fresh["messages"] = seen_messages(messages)
        self._last = list(messages)
        return Given(**fresh) if fresh else None

    def _has_system(self, messages: Sequence[BaseMessage]) -> bool:
        """Return whether a system prompt is among the messages. Looks only at new ones: conversations get long."""
        grown = self._head is not None and len(messages) >= self._looked_at and messages[0] is self._head
        begin = self._looked_at if grown else 0
        found = any(isinstance(m, SystemMessage) for m in islice(messages, begin, None))
        self._system_there = found or (grown and self._system_there)
        self._head, self._looked_at = (messages[0] if messages else None), len(messages)
        return self._system_there


def _goes_on(before: list[BaseMessage], now: Sequence[BaseMessage]) -> bool:
    """Return whether a conversation begins with another one. Usually its messages are the same objects."""
    if len(now) < len(before):
        return False
    return all(map(is_, before, now)) or all(map(_same, before, now))


def _same(one: BaseMessage, other: BaseMessage) -> bool:
    """Return whether the model sees the same message."""
    if one is other:
        return True
    calls = [m.tool_calls if isinstance(m, AIMessage) else None for m in (one, other)]
    return one.type == other.type and one.content == other.content and calls[0] == calls[1]


def seen_messages(messages: Sequence[BaseMessage]) -> list[SeenMessage]:
    """Return the messages as the model sees them, without the system prompt. Long conversations are cut at their
    beginning."""
    made: list[SeenMessage] = []
    left = MOST_GIVEN
    for message in reversed(messages):
        role = next((word for kind, word in _ROLES if isinstance(message, kind)), message.type)
        calls = [plain(dict(call)) for call in message.tool_calls] if isinstance(message, AIMessage) else []
        text = plain_text(text_of(message))
        left -= len(text) + (len(json.dumps(calls)) if calls else 0)
        if left < 0 and made:
            break
        made.append(SeenMessage(role=role, text=text, calls=calls or None))
    return made[::-1]


def seen_tools(tools: Sequence[object]) -> list[SeenTool]:
    """Return names, descriptions and JSON schemas of tools, however they are given to a model."""
    made = []
    for tool in tools:
        said = tool.get("function", tool) if isinstance(tool, dict) else tool
        name = said.get("name") if isinstance(said, dict) else getattr(said, "name", None)
        if not isinstance(name, str):  # a tool that the provider runs, such as a web search
            name = str(tool.get("type", "tool")) if isinstance(tool, dict) else type(tool).__name__
        made.append(seen_tool(name, tool, said))
    return made


def seen_tool(name: str, tool: object, said: object) -> SeenTool:
    """Return one tool. ``said``: the part of it that has its description and schema."""
    description, schema = getattr(said, "description", None), None
    if isinstance(said, dict):
        description, schema = said.get("description"), said.get("parameters") or said.get("input_schema")
    else:
        with suppress(Exception):  # a tool that has no schema fails when it is given to the model, not here
            schema = getattr(tool, "args_schema", None)
            if not isinstance(schema, dict):
                function = convert_to_openai_tool(cast("BaseTool", tool))["function"]
                description, schema = function.get("description"), function.get("parameters")
    return SeenTool(
        name=plain_text(name),
        description=plain_text(description) if isinstance(description, str) else None,
        parameters=plain(schema) if isinstance(schema, dict) else None,
    )
