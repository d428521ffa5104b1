"""The recorder: a middleware that emits a run's events as they happen.

It sees every model call and every tool call, those of tools that do not exist included. Calls of one message are
done one by one, in the order in which they stand in it.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage, message_to_dict
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from planscope.agents.plain_json import plain, plain_text
from planscope.session.events import AnswerEvent, CallEvent, Event, MessageEvent, Usage


class CallLimitReached(Exception):
    """The agent asked for one model call more than it may make."""


@dataclass(slots=True)
class _Pending:
    """A call of the last message. ``turn`` is set once the calls before it are done."""

    identity: str
    tool: str
    arguments: dict[str, Any] | None
    raw: str | None = None
    error: str | None = None
    turn: asyncio.Event = field(default_factory=asyncio.Event)


class Recorder(AgentMiddleware[Any, Any, Any]):
    """``emit`` gets each event; ``at`` counts seconds of ``clock`` since the recorder was made.

    ``phase`` says what is at work: ``model``, ``tool`` or ``agent``.
    """

    def __init__(
        self,
        emit: Callable[[Event], None],
        *,
        model_calls: int,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        super().__init__()
        self.emit = emit
        self.limit = model_calls
        self.phase = "agent"
        self.calls_made = 0
        self._clock = clock
        self._began = clock()
        self._step = 0
        self._waiting: list[_Pending] = []
        self._unanswered: dict[str, int] = {}

    def at(self) -> float:
        """Seconds since the run began."""
        return max(0.0, round(self._clock() - self._began, 6))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        self._note_answers(request.messages)
        if self.calls_made >= self.limit:
            raise CallLimitReached
        self.calls_made += 1
        began = self.at()
        self.phase = "model"
        response = await handler(request)
        self.phase = "agent"
        taken = {m.id for m in request.messages if m.id}, _call_ids(request.messages)
        result = [_readable(m, *taken) if isinstance(m, AIMessage) else m for m in response.result]
        for message in result:
            if isinstance(message, AIMessage):
                self._record(message, began)
        return ModelResponse(result=result, structured_response=response.structured_response)

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        identity = request.tool_call["id"] or ""
        pending = next((p for p in self._waiting if p.identity == identity), None)
        if pending is None:  # another middleware made this call up
            pending = _Pending(identity, request.tool_call["name"], plain(request.tool_call["args"]))
        else:
            await pending.turn.wait()
        step = self._call(pending)
        began = self.at()
        self.phase = "tool"
        answer = await handler(request)
        self.phase = "agent"
        self._answer(step, identity, answer, self.at() - began)
        if pending in self._waiting:
            self._waiting.remove(pending)
            self._advance()
        return answer

    def _record(self, message: AIMessage, began: float) -> None:
        now = self.at()
        usage = message.usage_metadata
        calls = _in_order(message)
        message.additional_kwargs.pop("tool_calls", None)
        self.emit(
            MessageEvent(
                at=now,
                text=plain_text(_text(message)),
                took=max(0.0, round(now - began, 6)),
                usage=Usage(input_tokens=usage["input_tokens"], output_tokens=usage["output_tokens"])
                if usage
                else None,
                message=plain(message_to_dict(message)),
            )
        )
        self._waiting = calls
        self._advance()

    def _advance(self) -> None:
        """Give the next readable call its turn; what could not be read before it is a step without a turn."""
        while self._waiting:
            pending = self._waiting[0]
            if pending.arguments is not None:
                pending.turn.set()
                return
            self._waiting.pop(0)
            self._unanswered[pending.identity] = self._call(pending)

    def _call(self, pending: _Pending) -> int:
        self._step += 1
        self.emit(
            CallEvent(
                at=self.at(),
                step=self._step,
                tool=pending.tool,
                arguments=pending.arguments,
                raw=pending.raw,
                error=pending.error,
                call_id=pending.identity,
            )
        )
        return self._step

    def _note_answers(self, messages: Sequence[BaseMessage]) -> None:
        """Calls that could not be read are answered by the agent loop itself, just before the next model call."""
        for message in messages if self._unanswered else ():
            step = self._unanswered.pop(getattr(message, "tool_call_id", ""), None)
            if step is not None and isinstance(message, ToolMessage):
                self._answer(step, message.tool_call_id, message, 0.0)

    def _answer(self, step: int, identity: str, answer: ToolMessage | Command[Any], took: float) -> None:
        message = answer if isinstance(answer, ToolMessage) else None
        self.emit(
            AnswerEvent(
                at=self.at(),
                step=step,
                text=plain_text(_text(message) if message else str(answer)),
                status="error" if message is not None and message.status == "error" else "ok",
                took=max(0.0, round(took, 6)),
                call_id=identity,
            )
        )


def _text(message: BaseMessage) -> str:
    """The message's text; where it has none, what it thought aloud."""
    if message.text:
        return str(message.text)
    blocks = message.content if isinstance(message.content, list) else []
    thoughts = [b.get("reasoning") or b.get("thinking") for b in blocks if isinstance(b, dict)]
    thoughts.append(message.additional_kwargs.get("reasoning_content"))
    return "\n".join(t for t in thoughts if isinstance(t, str))


def _call_ids(messages: Sequence[BaseMessage]) -> set[str]:
    return {
        call["id"] or ""
        for m in messages
        if isinstance(m, AIMessage)
        for call in (*m.tool_calls, *m.invalid_tool_calls)
    }


def _readable(message: AIMessage, message_ids: set[str], call_ids: set[str]) -> AIMessage:
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
    return [c["id"] for c in sent if isinstance(c, dict) and isinstance(c.get("id"), str)]


def _in_order(message: AIMessage) -> list[_Pending]:
    """The calls in the order in which they stand in the message; where that is lost, readable ones first."""
    place = {identity: i for i, identity in enumerate(_sent_ids(message))}
    found = [_Pending(c["id"] or "", c["name"], c["args"]) for c in message.tool_calls]
    found += [
        _Pending(c["id"] or "", c["name"] or "", None, c["args"], _why_unreadable(c["args"]))
        for c in message.invalid_tool_calls
    ]
    return sorted(found, key=lambda p: place.get(p.identity, len(place)))


def _why_unreadable(raw: str | None) -> str:
    """In a few words of ours: the client's own carry the arguments again, and an address."""
    if raw is None:
        return "the call has no arguments"
    try:
        value = json.loads(raw)
    except json.JSONDecodeError as error:
        return f"the arguments are not JSON: {error.msg.lower()} at column {error.colno}"
    except (ValueError, RecursionError):
        return "the arguments are too large to be read"
    return (
        "the arguments could not be read"
        if isinstance(value, dict)
        else "the arguments are not a JSON object"
    )
