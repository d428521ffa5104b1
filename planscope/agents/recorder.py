"""The recorder: a middleware that emits the events of a run as they happen.

It sees every model call and every tool call, also of tools that do not exist. The calls of one message are executed one
by one, in the message's order.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from planscope.agents.call_arguments import plain
from planscope.agents.gate import (
    EditAnswer,
    EditArguments,
    Gate,
    GoOn,
    PendingCall,
    Refuse,
    Stop,
    StoppedAtGate,
    Verb,
)
from planscope.agents.given import GivenSoFar
from planscope.agents.messages import (
    DONE_WITH,
    REFUSED_BY,
    Pending,
    answer_event,
    call_event,
    call_ids,
    ended_by_guard,
    in_order,
    message_event,
    readable,
    text_of,
)
from planscope.agents.toolset import REFUSED
from planscope.session.json_bytes import plain_text
from planscope.session.model import Event, Given, PromptEvent


class CallLimitReached(Exception):
    """The agent has used up its model calls, or the guard ended the run. The message says which."""


Preview = Callable[[str, Mapping[str, object]], str | None]
"""A function that predicts a tool's answer to a call, or returns None if it cannot."""


class Recorder(AgentMiddleware[Any, Any, object]):
    """Passes each event of a run to ``emit``. Times are seconds of ``clock``, starting at ``begins``.

    ``phase`` is ``model``, ``tool`` or ``agent``: what is running now. ``step`` is the last step that a fork has kept.
    ``gate`` is asked before each call, also before one that cannot be read. ``prompt`` says what the model is given at
    first; what differs from it is recorded with the model's answer.
    """

    def __init__(
        self,
        emit: Callable[[Event], None],
        *,
        model_calls: int,
        step: int = 0,
        begins: float = 0.0,
        gate: Gate | None = None,
        preview: Preview = lambda tool, arguments: None,
        prompt: PromptEvent | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        super().__init__()
        self.emit = emit
        self.limit = model_calls
        self.phase = "agent"
        self.calls_made = 0
        self._clock = clock
        self._began = clock() - begins
        self._step = step
        self._gate = gate
        self._preview = preview
        self._waiting: list[Pending] = []
        self._unanswered: dict[str, int] = {}
        self._stopped: BaseException | None = None
        self._given = GivenSoFar(prompt) if prompt is not None else None

    def at(self) -> float:
        """Seconds since the run began."""
        return max(0.0, round(self._clock() - self._began, 6))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[object]]],
    ) -> ModelResponse[object]:
        self._note_answers(request.messages)
        if self.calls_made >= self.limit:
            raise CallLimitReached
        self.calls_made += 1
        given = None
        if self._given is not None:
            given = self._given.changed(request.system_prompt, request.tools, request.messages)
        began = self.at()
        self.phase = "model"
        response = await handler(request)
        self.phase = "agent"
        for message in response.result:
            if isinstance(message, AIMessage) and (reason := ended_by_guard(message)) is not None:
                self.calls_made -= 1
                raise CallLimitReached(reason)
        taken = {m.id for m in request.messages if m.id}, call_ids(request.messages)
        result = [readable(m, *taken) if isinstance(m, AIMessage) else m for m in response.result]
        for message in result:
            if isinstance(message, AIMessage):
                await self._record(message, began, given)
                given = None
        return ModelResponse(result=result, structured_response=response.structured_response)

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[object]]],
    ) -> ToolMessage | Command[object]:
        identity = request.tool_call["id"] or ""
        pending = next((p for p in self._waiting if p.identity == identity), None)
        if pending is None:  # another middleware added this call
            pending = Pending(identity, request.tool_call["name"], plain(request.tool_call["args"]))
        else:
            await pending.turn.wait()
        if self._stopped is not None:  # the gate stopped the run at an earlier call
            raise self._stopped
        try:
            result = await self._do(pending, request, handler)
        except BaseException:
            await self._advance(pending, ask=False)
            raise
        await self._advance(pending)
        return result

    async def _do(
        self,
        pending: Pending,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[object]]],
    ) -> ToolMessage | Command[object]:
        """Carry out one call: ask the gate, record the call, execute or refuse it, record the answer."""
        verb = await self._ask(pending)
        asked = None
        if isinstance(verb, EditArguments):
            asked, pending.arguments = pending.arguments, plain(dict(verb.arguments))
            request = request.override(tool_call={**request.tool_call, "args": dict(pending.arguments or {})})
        step = self._call(pending, asked)
        began = self.at()
        if isinstance(verb, Refuse):
            message = _refusal(request, verb.text)
            self._answer(step, pending.identity, message, 0.0)
            return message
        self.phase = "tool"
        result = await handler(request)
        self.phase = "agent"
        said = None
        if isinstance(verb, EditAnswer) and isinstance(result, ToolMessage):
            said, result = text_of(result), result.model_copy(update={"content": plain_text(verb.text)})
        if asked is not None and isinstance(result, ToolMessage):
            result = result.model_copy(update={"artifact": {DONE_WITH: pending.arguments}})
        self._answer(step, pending.identity, result, self.at() - began, said)
        return result

    async def _ask(self, pending: Pending) -> Verb:
        """Return the gate's decision about a call. If it stops or fails, no later call is executed either."""
        if self._gate is None:
            return GoOn()
        wanted = pending.arguments or {}
        answer = None if pending.error else self._preview(pending.tool, wanted)
        call = PendingCall(
            self._step + 1, pending.tool, wanted, pending.identity, answer, pending.raw, pending.error
        )
        try:
            verb = await self._gate(call)
            if isinstance(verb, Stop):
                raise StoppedAtGate
        except BaseException as error:
            self._stopped = error
            raise
        return verb

    async def _record(self, message: AIMessage, began: float, given: Given | None) -> None:
        now = self.at()
        calls = in_order(message)
        self.emit(message_event(message, message, now, began, given))
        self._waiting = calls
        await self._advance()

    async def _advance(self, done: Pending | None = None, *, ask: bool = True) -> None:
        """Let the next readable call run. Unreadable calls before it are recorded as steps and never run."""
        if done in self._waiting:
            self._waiting.remove(done)
        elif done is not None:
            return
        if self._stopped is not None:
            for pending in self._waiting:
                pending.turn.set()
            return
        while self._waiting:
            pending = self._waiting[0]
            if pending.arguments is not None:
                pending.turn.set()
                return
            self._waiting.pop(0)
            if ask:
                await self._ask(pending)
            self._unanswered[pending.identity] = self._call(pending)

    def _call(self, pending: Pending, asked: dict[str, object] | None = None) -> int:
        self._step += 1
        self.emit(call_event(pending, self.at(), self._step, asked))
        return self._step

    def _note_answers(self, messages: Sequence[BaseMessage]) -> None:
        """Record the answers to unreadable calls, which the agent loop writes just before the next model call."""
        for message in messages if self._unanswered else ():
            step = self._unanswered.pop(getattr(message, "tool_call_id", ""), None)
            if step is not None and isinstance(message, ToolMessage):
                self._answer(step, message.tool_call_id, message, 0.0)

    def _answer(
        self,
        step: int,
        identity: str,
        answer: ToolMessage | Command[object],
        took: float,
        said: str | None = None,
    ) -> None:
        self.emit(answer_event(answer, self.at(), step, identity, took, said))


def _refusal(request: ToolCallRequest, text: str) -> ToolMessage:
    return ToolMessage(
        f"{REFUSED}{plain_text(text)}",
        name=request.tool_call["name"],
        tool_call_id=request.tool_call["id"] or "",
        status="error",
        artifact={REFUSED_BY: "user"},
    )
