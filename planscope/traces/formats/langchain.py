"""Reads LangChain messages, as ``messages_to_dict``, ``dumpd`` and ``model_dump`` write them, and the state of
LangGraph."""

from __future__ import annotations

from planscope.traces.blocks import CALLS, By, Shape, take
from planscope.traces.build import Builder
from planscope.traces.messages import MessageFormat
from planscope.traces.values import Obj, as_text, dig, name, obj, seq, text

_ROLES: dict[object, By] = {"human": "user", "ai": "model", "system": "system", "developer": "system"}
KINDS = (*_ROLES, "tool", "function", "chat", "remove")
"""The ``type`` of a message. Chunks of a stream are named like ``AIMessageChunk``."""
_CHUNKS = {f"{kind}MessageChunk": kind.lower() for kind in ("AI", "Human", "Tool", "System")}
_SHAPE = Shape(
    role="type",
    roles=_ROLES,
    usage="usage_metadata",
    placed=frozenset(
        ("invalid_tool_calls", "name", "role", "lc", "example", "additional_kwargs", "response_metadata",
         "tool_call_chunks", "chunk_position")
    ),
)  # fmt: skip


def plain(value: object) -> Obj | None:
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


def is_message(value: object) -> bool:
    """Return whether a value is a message of LangChain."""
    return plain(value) is not None


def _take(build: Builder, message: Obj) -> None:
    """Add one message with its calls. A call whose arguments could not be read becomes a call with a problem."""
    found = plain(message)
    if found is None or found["type"] == "remove":
        build.unknown("remove" if found else message.get("type"))
        return
    if found["type"] == "chat":
        found = {**found, "type": "ai" if found.get("role") in ("assistant", "ai", "model") else "human"}
    content, calls = found.get("content"), seq(found.get("tool_calls"))
    if type(content) is list and found["type"] == "ai":  # blocks that are calls repeat what tool_calls says
        content = [b for b in content if text(obj(b).get("type")) not in CALLS]
    told: list[object] = []
    for one in map(obj, seq(found.get("invalid_tool_calls"))):
        why = text(one.get("error")) or f"the arguments could not be read: {as_text(one.get('args'))[:200]}"
        told.append({**one, "args": None, "parse_error": why})
    if not calls:
        known = {name(obj(one).get("id")) for one in told}
        given = seq(dig(found, "additional_kwargs.tool_calls"))
        told += [one for one in given if name(obj(one).get("id")) not in known]
    whole = {**found, "content": content, "tool_calls": [*calls, *told]}
    take(build, whole, _SHAPE, agent=text(found.get("name")) or None)


READERS = (
    MessageFormat(
        "langchain",
        "LangChain messages",
        ("messages", "history", "chat_history", "output", "outputs"),
        ((0.85, "m[].lc"), (0.85, "m[].data"), (0.85, "!m[].role"), (0.5, "")),
        is_message,
        take=_take,
    ),
)
