"""Reads messages of pydantic-ai: requests and responses, each with parts."""

from __future__ import annotations

from planscope.oracle.trace import Said
from planscope.traces.blocks import usage_of
from planscope.traces.build import Builder
from planscope.traces.messages import MessageFormat
from planscope.traces.values import Obj, as_text, obj, rest_of, seq, text

_PLACED = frozenset(
    ("part_kind", "content", "tool_name", "args", "tool_call_id", "timestamp", "outcome", "id", "tool_kind")
)
_OUTPUT = ("Final result processed", "Output tool not used")
"""How an output tool answers."""
CALLS = ("tool-call", "builtin-tool-call", "native-tool-call", "deferred-tool-call")
RETURNS = ("tool-return", "builtin-tool-return", "native-tool-return")


def _take(build: Builder, message: Obj) -> None:
    build.message += 1
    at = build.time = build.at(message.get("timestamp"))
    if message.get("instructions") and not any(
        isinstance(one, Said) and one.by == "system" for one in build.items
    ):
        build.said("system", message["instructions"])
    build.trace.model = build.trace.model or text(message.get("model_name")) or None
    tokens = usage_of(message.get("usage"))
    for part in seq(message.get("parts")):
        part = obj(part)
        kind = part.get("part_kind")
        raw = rest_of(part, _PLACED)
        when = build.at(part.get("timestamp"))
        build.time = at if when is None else when
        if kind in CALLS:
            build.call(part.get("tool_name"), part.get("args"), part.get("tool_call_id"), raw=raw)
        elif kind in RETURNS:
            outcome = part.get("outcome")
            words = as_text(part.get("content"))
            given = build.answer(
                part.get("tool_call_id"),
                words,
                tool=part.get("tool_name"),
                failed=outcome in ("failed", "retried"),
                refused=outcome == "denied",
                raw=raw,
            )
            if given is not None and words.startswith(_OUTPUT):
                build.gave(given)
        elif kind == "retry-prompt":
            _take_retry(build, part, raw)
        elif kind in ("user-prompt", "system-prompt"):
            build.said("user" if kind == "user-prompt" else "system", part.get("content"), raw=raw)
        elif kind == "text":
            build.said("model", part.get("content"), usage=tokens, raw=raw)
            tokens = None
        elif kind == "thinking":
            build.said("model", "", raw={"reasoning": text(part.get("content"))})
        else:
            build.unknown(kind)
    if tokens is not None and message.get("kind") == "response":
        build.said("model", "", at=at, usage=tokens)


def _take_retry(build: Builder, part: Obj, raw: object) -> None:
    """Add a tool's complaint, or without a tool one about the model's answer."""
    words = as_text(part.get("content"))
    if part.get("tool_name"):
        build.answer(part.get("tool_call_id"), words, tool=part.get("tool_name"), failed=True, raw=raw)
    else:
        build.said("user", words, raw=raw)


READERS = (
    MessageFormat(
        "pydantic-ai",
        "pydantic-ai messages",
        ("messages", "message_history", "all_messages", "new_messages"),
        ((0.9, "m[].parts[].part_kind:set"), (0.3, "")),
        "kind=request|response & parts:list",
        take=_take,
    ),
)
