"""A model's message as the recorder takes it: fit for JSON, its calls with ids of their own and in their order."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, message_to_dict

from planscope.agents.plain_json import plain, plain_text
from planscope.agents.unreadable import why_unreadable
from planscope.session.events import CallEvent, MessageEvent, Usage


@dataclass(slots=True)
class Pending:
    """A call of the last message. ``turn`` is set once the calls before it are done."""

    identity: str
    tool: str
    arguments: dict[str, Any] | None
    raw: str | None = None
    error: str | None = None
    turn: asyncio.Event = field(default_factory=asyncio.Event)


def text_of(message: BaseMessage) -> str:
    """The message's text; where it has none, what it thought aloud."""
    if message.text:
        return str(message.text)
    blocks = message.content if isinstance(message.content, list) else []
    thoughts = [b.get("reasoning") or b.get("thinking") for b in blocks if isinstance(b, dict)]
    thoughts.append(message.additional_kwargs.get("reasoning_content"))
    return "\n".join(t for t in thoughts if isinstance(t, str))


def call_ids(messages: Sequence[BaseMessage]) -> set[str]:
    return {
        call["id"] or ""
        for m in messages
        if isinstance(m, AIMessage)
        for call in (*m.tool_calls, *m.invalid_tool_calls)
    }


def readable(message: AIMessage, message_ids: set[str], call_ids: set[str]) -> AIMessage:
    """The message as it goes on: fit for JSON, its calls with ids of their own (some servers give none, or always
    the same), since both the loop and the providers match answers by them."""
    used = set(call_ids)

    def renamed(call: Any) -> Any:
        old = plain_text(call.get("id") or "")
        new, number = old or "call_1", 1
        while new in used:
            number += 1
            new = f"{old or 'call'}_{number}"
        used.add(new)
        return {**plain(dict(call)), "id": new}

    order = _sent_ids(message)
    readable, unreadable = (
        [renamed(c) for c in message.tool_calls],
        [renamed(c) for c in message.invalid_tool_calls],
    )
    before = [c.get("id") for c in (*message.tool_calls, *message.invalid_tool_calls)]
    after = [c["id"] for c in (*readable, *unreadable)]
    names = dict(zip(before, after, strict=True))
    extra = {k: v for k, v in plain(message.additional_kwargs).items() if k != "tool_calls"}
    return message.model_copy(
        update={
            "content": plain(message.content),
            "tool_calls": readable,
            "invalid_tool_calls": unreadable,
            "id": None if message.id in message_ids else message.id,
            "additional_kwargs": extra | {"tool_calls": [{"id": names[i]} for i in order if i in names]},
        }
    )


def _sent_ids(message: AIMessage) -> list[str]:
    """Ids of the calls in the order in which they were sent, as far as the message still shows it."""
    sent = message.additional_kwargs.get("tool_calls") or (
        message.content if isinstance(message.content, list) else []
    )
    ids = [c.get("call_id") or c.get("id") for c in sent if isinstance(c, dict)]
    return [identity for identity in ids if isinstance(identity, str)]


def in_order(message: AIMessage) -> list[Pending]:
    """The calls in the order in which they stand in the message; where that is lost, readable ones first."""
    place = {identity: i for i, identity in enumerate(_sent_ids(message))}
    found = [Pending(c["id"] or "", c["name"], c["args"]) for c in message.tool_calls]
    found += [
        Pending(c["id"] or "", c["name"] or "", None, c["args"], why_unreadable(c["args"], c["error"]))
        for c in message.invalid_tool_calls
    ]
    return sorted(found, key=lambda p: place.get(p.identity, len(place)))


def message_event(message: AIMessage, tidy: AIMessage, at: float, began: float) -> MessageEvent:
    """The record of one answer of the model; ``tidy`` is the message as it can be sent on from a fork."""
    usage = message.usage_metadata
    return MessageEvent(
        at=at,
        text=plain_text(text_of(message)),
        took=max(0.0, round(at - began, 6)),
        usage=Usage(input_tokens=usage["input_tokens"], output_tokens=usage["output_tokens"])
        if usage
        else None,
        message=plain(message_to_dict(tidy)),
    )


def call_event(call: Pending, at: float, step: int, asked: dict[str, Any] | None = None) -> CallEvent:
    """The record of one call; ``asked`` is what the agent had passed where the user changed it."""
    return CallEvent(
        at=at,
        step=step,
        tool=call.tool,
        arguments=call.arguments,
        raw=call.raw,
        error=call.error,
        call_id=call.identity,
        asked=asked,
    )
