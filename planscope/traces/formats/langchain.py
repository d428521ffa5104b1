"""Reads LangChain messages, as ``messages_to_dict``, ``dumpd`` and ``model_dump`` write them, and the state of
LangGraph."""

from __future__ import annotations

from typing import Any, Literal

from planscope.traces.blocks import take_blocks, take_tool_call, usage_of
from planscope.traces.build import Builder
from planscope.traces.messages import MessageFormat, about_messages
from planscope.traces.values import as_text, obj, rest_of, seq, text

KINDS: dict[str, Literal["user", "model", "system", "tool", "chat", "remove"]] = {
    "human": "user",
    "ai": "model",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "chat": "chat",
    "remove": "remove",
}
"""The ``type`` of a message. Chunks of a stream are named like ``AIMessageChunk``."""
_CHUNKS = {
    "AIMessageChunk": "ai",
    "HumanMessageChunk": "human",
    "ToolMessageChunk": "tool",
    "SystemMessageChunk": "system",
}
_PLACED = frozenset(
    ("type", "content", "tool_calls", "invalid_tool_calls", "tool_call_id", "status", "name", "id", "usage_metadata",
     "role", "lc", "example", "additional_kwargs", "response_metadata", "tool_call_chunks", "chunk_position")
)  # fmt: skip


def plain(value: Any) -> dict[str, Any] | None:
    """Return a message of any of the three shapes as ``model_dump`` writes it, or None for other values."""
    if type(value) is not dict:
        return None
    if value.get("lc") == 1 and type(value.get("id")) is list:
        inner = obj(value.get("kwargs"))
        label = text(value["id"][-1]) if value["id"] else ""
        if not label.endswith(("Message", "MessageChunk")):
            return None
        return {"type": label.removesuffix("Chunk").removesuffix("Message").lower(), **inner}
    kind = value.get("type")
    if type(kind) is not str:
        return None
    if kind not in KINDS and kind not in _CHUNKS:
        return None
    data = value.get("data")
    if type(data) is dict and "content" in data:
        return {**data, "type": _CHUNKS.get(kind, kind)}
    return {**value, "type": _CHUNKS[kind]} if kind in _CHUNKS else value if "content" in value else None


def is_message(value: Any) -> bool:
    """Return whether a value is a message of LangChain."""
    return plain(value) is not None


def take(
    build: Builder, message: dict[str, Any], *, at: float | None = None, agent: str | None = None
) -> None:
    """Add one message with its calls. A call whose arguments could not be read becomes a call with a problem."""
    found = plain(message)
    if found is None:
        build.unknown(message.get("type"))
        return
    build.message += 1
    by = KINDS.get(text(found.get("type")))
    raw = rest_of(found, _PLACED)
    if by == "tool":
        failed = found.get("status") == "error" if "status" in found else None
        build.answer(
            found.get("tool_call_id"),
            as_text(found.get("content")),
            tool=found.get("name"),
            failed=failed,
            at=at,
            raw=raw,
        )
        return
    if by == "remove" or by is None:
        build.unknown("remove")
        return
    if by == "chat":
        by = "model" if found.get("role") in ("assistant", "ai", "model") else "user"
    usage = usage_of(found.get("usage_metadata"))
    content = found.get("content")
    name = text(found.get("name")) or agent if by == "model" else None
    if type(content) is list:
        # blocks that are calls repeat what tool_calls says
        blocks = [
            b for b in content if text(obj(b).get("type")) not in ("tool_use", "tool_call", "function_call")
        ]
        take_blocks(build, blocks, by, at=at, agent=name, usage=usage, raw=raw)
    else:
        build.said(by, content, at=at, agent=name, usage=usage, raw=raw)
    calls = seq(found.get("tool_calls"))
    for call in calls:
        take_tool_call(build, call, at=at, agent=name)
    for call in seq(found.get("invalid_tool_calls")):
        one = obj(call)
        why = text(one.get("error")) or f"the arguments could not be read: {as_text(one.get('args'))[:200]}"
        build.call(one.get("name"), None, one.get("id"), at=at, agent=name, problem=why)
    if not calls:
        for call in seq(obj(found.get("additional_kwargs")).get("tool_calls")):
            if not build.known(obj(call).get("id")):
                take_tool_call(build, call, at=at, agent=name)


def _sure(messages: list[dict[str, Any]], beside: dict[str, Any]) -> float:
    return 0.85 if any(plain(m) is not None and "role" not in m for m in messages) else 0.5


def _about(build: Builder, beside: dict[str, Any]) -> None:
    about_messages(build, beside)


def _take(build: Builder, message: dict[str, Any]) -> None:
    take(build, message)


READERS = (
    MessageFormat(
        "langchain",
        "LangChain messages",
        ("messages", "history", "chat_history", "output", "outputs"),
        is_message=is_message,
        sure=_sure,
        take=_take,
        about=_about,
    ),
)
