"""Reads messages of models' interfaces: OpenAI chat and completions, Anthropic, Vercel AI SDK, Gemini, and
ShareGPT."""

from __future__ import annotations

from collections import Counter
from functools import partial

from planscope.traces.blocks import SPEAKERS, Shape, take, usage_of
from planscope.traces.build import Builder
from planscope.traces.json_stream import parsed
from planscope.traces.messages import IDS, MessageFormat
from planscope.traces.plain import plain_trace
from planscope.traces.signs import holds
from planscope.traces.spans import acts_in, key_of
from planscope.traces.values import Obj, obj, seq, some, text

LISTS = ("messages", "conversation", "trajectory", "traj", "history", "transcript", "chat")
_TEXT = (0.0, "only text"), (0.0, "beside.mistake_agent")  # the second is Who&When
_PART = "functionCall/function_call/functionResponse/function_response"


def is_content(value: object) -> bool:
    """Return whether a value is a content of Gemini, alone or in an event of ADK."""
    inner = value if holds(value, "parts:list") else obj(value).get("content")
    return holds(inner, "parts:list") and obj(inner).get("role") in ("user", "model", "function", None)


def _response(value: object) -> tuple[Obj, Obj]:
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


def _take_response(build: Builder, record: Obj) -> None:
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
                build.excuse("a copy of a call that is kept", act.tool, act.given, act.id)
    tokens = usage_of(some(response, ("usage", "usageMetadata", "usage_metadata")))
    if tokens is not None:
        build.said("model", "", usage=tokens)
    model = text(some(response, ("model", "modelVersion", "model_version")))
    build.trace.model = build.trace.model or model or None
    build.tools(asked.get("tools"))


def _responds(key: str, value: object) -> bool:
    return key in _response(value)[0]


_CALLS, _ANSWERS = (
    ("function_call", "tool_call"),
    ("observation", "function_response", "tool_response", "tool"),
)
_FROM = {"gpt": "assistant", "chatgpt": "assistant", "bing": "assistant", "bard": "assistant"}


def _take_shared(build: Builder, message: Obj) -> None:
    """Add a message of ShareGPT, where the text of a call is its JSON."""
    by, words = text(message.get("from")), message.get("value")
    if by in _ANSWERS:
        build.message += 1
        build.answer(None, words)
    elif by in _CALLS:
        try:
            found = parsed(text(words))
        except ValueError:
            found = None
        build.message += 1
        for one in found if type(found) is list else [found]:
            build.call(obj(one).get("name"), obj(one).get("arguments", one if type(one) is str else None))
    else:
        take(build, {"role": _FROM.get(by, by), "content": words})


READERS = (
    MessageFormat(
        "openai-chat",
        "OpenAI chat messages",
        LISTS,
        (
            (0.8, "m[].tool_calls[].function:dict"),
            (0.6, "m[].role=tool|function"),
            *_TEXT,
            (0.4, "m[].content:list|dict|int|float|bool"),
            (0.5, ""),
        ),
        plain=partial(plain_trace, ids=tuple(IDS.split("|"))),
    ),
    MessageFormat(
        "anthropic",
        "Anthropic messages",
        LISTS,
        (
            (0.8, "m[].content[].type=tool_use|tool_result|thinking|server_tool_use|mcp_tool_use"),
            *_TEXT,
            (0.8, "beside.tools[].input_schema"),
            (0.8, "beside.model=claude*"),
            (0.3, ""),
        ),
        about={"system": "system"},
    ),
    MessageFormat(
        "vercel-ai",
        "Vercel AI SDK messages",
        LISTS,
        (
            (0.85, "m[].toolInvocations:list"),
            (0.75, "m[].content/parts[].toolCallId"),
            (0.75, "m[].content/parts[].toolInvocation:dict"),
        ),
    ),
    MessageFormat(
        "google-genai",
        "Gemini contents",
        ("contents", "events", *LISTS),
        ((0.79, f"m[].content.parts[].{_PART}|m[].parts[].{_PART}:dict"),),
        is_content,
        Shape("role|content.role", {**SPEAKERS, None: "user", "": "user"}, agent="author"),
    ),
    *(
        MessageFormat(
            name,
            title,
            ("completions", "responses", "requests"),
            ((0.9, ""),),
            partial(_responds, key),
            take=_take_response,
        )
        for name, title, key in (
            ("openai-completions", "OpenAI chat completions", "choices"),
            ("gemini-responses", "responses of Gemini", "candidates"),
        )
    ),
    MessageFormat(
        "sharegpt",
        "ShareGPT conversations",
        ("conversations", "conversation", "messages"),
        ((0.8, f"m[].from={'|'.join(_CALLS)}"), (0.3, "")),
        "from:str & value",
        take=_take_shared,
    ),
)
CHAT = READERS[0]
