"""Reads OpenAI chat messages, and Anthropic messages, whose calls and results are blocks of content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from planscope.oracle.trace import Said
from planscope.traces.blocks import only_text, speaks, take, take_plain, usage_of
from planscope.traces.build import Builder
from planscope.traces.json_stream import parsed
from planscope.traces.messages import IDS, MessageFormat, about_messages
from planscope.traces.plain import plain_trace
from planscope.traces.spans import acts_in, key_of
from planscope.traces.values import as_text, obj, seq, some, text

LISTS = ("messages", "conversation", "trajectory", "traj", "history", "transcript", "chat")
_ANTHROPIC_BLOCKS = ("tool_use", "tool_result", "thinking", "server_tool_use", "mcp_tool_use")


def _sure_chat(messages: list[dict[str, Any]], beside: dict[str, Any]) -> float:
    calls = [one for m in messages for one in seq(m.get("tool_calls"))]
    if any(type(obj(one).get("function")) is dict for one in calls):
        return 0.8
    if any(m.get("role") in ("tool", "function") for m in messages):
        return 0.6
    if only_text(messages, beside):
        return 0.0
    if "mistake_agent" in beside:  # Who&When
        return 0.0
    return 0.5 if all(type(m.get("content")) in (str, type(None)) for m in messages) else 0.4


def _sure_anthropic(messages: list[dict[str, Any]], beside: dict[str, Any]) -> float:
    blocks = [obj(b).get("type") for m in messages for b in seq(m.get("content"))]
    if any(kind in _ANTHROPIC_BLOCKS for kind in blocks):
        return 0.8
    defined = any("input_schema" in obj(one) for one in seq(beside.get("tools")))
    if only_text(messages, beside) or "mistake_agent" in beside:
        return 0.0
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


def _sure_parts(*keys: str) -> Callable[[list[dict[str, Any]], dict[str, Any]], float]:
    def sure(messages: list[dict[str, Any]], beside: dict[str, Any]) -> float:
        parts = [
            obj(one) for m in messages for one in seq(obj(m.get("content")).get("parts") or m.get("parts"))
        ]
        return 0.79 if any(type(part.get(key)) is dict for part in parts for key in keys) else 0.0

    return sure


def _sure_vercel(messages: list[dict[str, Any]], beside: dict[str, Any]) -> float:
    if any(type(m.get("toolInvocations")) is list for m in messages):
        return 0.85
    blocks = [obj(b) for m in messages for b in (*seq(m.get("content")), *seq(m.get("parts")))]
    return 0.75 if any("toolCallId" in b or type(b.get("toolInvocation")) is dict for b in blocks) else 0.0


def is_content(value: Any) -> bool:
    """Return whether a value is a content of Gemini, alone or in an event of ADK."""
    if type(value) is not dict:
        return False
    inner = value if type(value.get("parts")) is list else obj(value.get("content"))
    return type(inner.get("parts")) is list and inner.get("role") in ("user", "model", "function", None)


def _take_content(build: Builder, message: dict[str, Any]) -> None:
    inner = message if type(message.get("parts")) is list else obj(message.get("content"))
    take(build, {**message, "role": inner.get("role") or "user"}, agent=text(message.get("author")) or None)


VERCEL = MessageFormat(
    "vercel-ai",
    "Vercel AI SDK messages",
    LISTS,
    is_message=speaks,
    sure=_sure_vercel,
    take=take,
)

GENAI = MessageFormat(
    "google-genai",
    "Gemini contents",
    ("contents", "events", *LISTS),
    is_message=is_content,
    sure=_sure_parts("functionCall", "function_call", "functionResponse", "function_response"),
    take=_take_content,
)


def _response(value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the response of a model in a record, alone or logged with its request, and the message in it: a chat
    completion or a response of Gemini. Both are empty if none is."""
    record = obj(value)
    inner = obj(record.get("response"))
    for found in (record, inner, obj(inner.get("body"))):
        for key, member, by in (("choices", "message", "assistant"), ("candidates", "content", "model")):
            message = obj(next(iter(seq(found.get(key))), None)).get(member)
            if type(message) is dict:
                return found, {"role": by, **message}
    return {}, {}


def _take_response(build: Builder, record: dict[str, Any]) -> None:
    """Add what is new in a request, whose messages tell the history again, and the response."""
    response, answer = _response(record)
    here: Counter[str] = Counter()
    asked = next(
        (found for key in ("request", "body", "kwargs", "input") if (found := obj(record.get(key)))), record
    )
    at = some(response, ("created", "createTime"))
    history = some(asked, ("messages", "contents"))
    for message in (*({"role": "user", **obj(one)} for one in seq(history)), answer):
        key = key_of(message)
        here[key] += 1
        if here[key] > build.heard[key] or message is answer:
            build.heard[key] = max(here[key], build.heard[key])
            take(build, message, at=build.at(at))
        else:
            for act in acts_in(message):
                build.excuse("a copy of a call that is kept", act.tool, act.value, act.id)
    tokens = usage_of(some(response, ("usage", "usageMetadata", "usage_metadata")))
    if tokens is not None:
        build.said("model", "", usage=tokens)
    build.trace.model = (
        build.trace.model or text(some(response, ("model", "modelVersion", "model_version"))) or None
    )
    build.tools(asked.get("tools"))


def _responses(name: str, title: str, key: str) -> MessageFormat:
    return MessageFormat(
        name,
        title,
        ("completions", "responses", "requests"),
        is_message=lambda value: key in _response(value)[0],
        sure=lambda messages, beside: 0.9,
        take=_take_response,
    )


RESPONSES = (
    _responses("openai-completions", "OpenAI chat completions", "choices"),
    _responses("gemini-responses", "responses of Gemini", "candidates"),
)

_FROM = {
    "human": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
}
_CALLS_FROM, _ANSWERS_FROM = (
    ("function_call", "tool_call"),
    ("observation", "function_response", "tool_response", "tool"),
)


def _take_shared(build: Builder, message: dict[str, Any]) -> None:
    """Add a message of ShareGPT, where the text of a call is its JSON."""
    by, words = text(message.get("from")), message.get("value")
    if by in _ANSWERS_FROM:
        build.message += 1
        build.answer(None, words)
    elif by in _CALLS_FROM:
        try:
            found = parsed(text(words))
        except ValueError:
            found = None
        build.message += 1
        for one in found if type(found) is list else [found]:
            build.call(obj(one).get("name"), obj(one).get("arguments", one if type(one) is str else None))
    else:
        take(build, {"role": _FROM.get(by, by), "content": words})


SHARED = MessageFormat(
    "sharegpt",
    "ShareGPT conversations",
    ("conversations", "conversation", "messages"),
    is_message=lambda value: type(value) is dict and type(value.get("from")) is str and "value" in value,
    sure=lambda messages, beside: 0.8 if any(m["from"] in _CALLS_FROM for m in messages) else 0.3,
    take=_take_shared,
)

READERS = (CHAT, ANTHROPIC, VERCEL, GENAI, *RESPONSES, SHARED)
