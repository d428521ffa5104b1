"""Calls of a user's own agent pass a gate: a debugger, or recorded answers, decide before a tool is really called."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from planscope.agents.call_arguments import plain
from planscope.agents.conversations import Conversations, Talk
from planscope.agents.gate import (
    Answer,
    EditAnswer,
    EditArguments,
    GoOn,
    PendingCall,
    Raise,
    Refuse,
    Stop,
    StoppedAtGate,
    Verb,
)
from planscope.agents.given import seen_tool
from planscope.agents.messages import REFUSED_BY, RETURNED, command_again, conversation, identity_of, text_of
from planscope.agents.toolset import REFUSED
from planscope.session.json_bytes import plain_text

Result = ToolMessage | Command[object]


class CallGate(Protocol):
    """Decides about one call at a time: ``ask`` blocks its thread, ``aask`` does not."""

    def ask(self, call: PendingCall) -> Verb: ...
    async def aask(self, call: PendingCall) -> Verb: ...


class RecordedError(Exception):
    """The error that a tool raised in the record, raised again."""


class Gated:
    """Asks a gate before each call. Calls of one message are made one after the other, and a call that is made again (a
    retry, a graph that goes on after an interrupt) is decided as before. ``attempt`` calls a function and never
    raises."""

    def __init__(self, talks: Conversations, gate: CallGate, attempt: Callable[..., object]) -> None:
        self._talks, self._gate, self._attempt = talks, gate, attempt
        self.stopped: StoppedAtGate | None = None
        """Why the gate stopped a call, whatever the agent's program has made of it."""
        self.on_stop: Callable[[], object] = lambda: None

    def stop(self, text: str) -> StoppedAtGate:
        """Return what ends the run, which it does whatever the agent's program makes of that."""
        self.stopped = StoppedAtGate(text)
        self.on_stop()
        return self.stopped

    def takes(self, talk: Talk, identity: str) -> bool:
        """Return whether a call passes the gate: if calls are deferred, or this one was."""
        return self._talks.deferred or identity in talk.waiting

    def call(
        self,
        talk: Talk,
        identity: str,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Result],
    ) -> Result:
        """Make one call of a synchronous agent."""
        with talk.run.turn().taken():
            pending, verb = self._pending(talk, identity, request)
            if pending is not None:
                with talk.run.thinking():
                    verb = self._gate.ask(pending)
            request, answer = self._decided(talk, identity, request, verb)
            if answer is not None:
                return answer
            talk.let.add(identity)
            try:
                with self._talks.calling(
                    talk, identity, request.tool_call["name"], self._attempt
                ) as answered:
                    result = handler(request)
            finally:
                talk.let.discard(identity)
            return self._done(verb, result, answered)

    async def acall(
        self,
        talk: Talk,
        identity: str,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[Result]],
    ) -> Result:
        """Make one call of an asynchronous agent."""
        async with talk.run.turn().ataken():
            pending, verb = self._pending(talk, identity, request)
            if pending is not None:
                with talk.run.thinking():
                    verb = await self._gate.aask(pending)
            request, answer = self._decided(talk, identity, request, verb)
            if answer is not None:
                return answer
            talk.let.add(identity)
            try:
                with self._talks.calling(
                    talk, identity, request.tool_call["name"], self._attempt
                ) as answered:
                    result = await handler(request)
            finally:
                talk.let.discard(identity)
            return self._done(verb, result, answered)

    def _pending(
        self, talk: Talk, identity: str, request: ToolCallRequest
    ) -> tuple[PendingCall | None, Verb]:
        """Return the call to ask about, or None and what was decided about it before."""
        if self.stopped is not None and self._talks.owned:
            raise self.stopped
        if identity not in talk.waiting:
            return None, talk.decided.get(identity, GoOn())
        arguments = plain(_edited(request) or dict(request.tool_call["args"]))
        call = PendingCall(
            talk.run.step + 1,
            request.tool_call["name"],
            arguments,
            identity,
            agent=talk.agent,
            run=talk.run.sink.token,
            schema=None if request.tool is None else seen_tool("", request.tool, request.tool).parameters,
        )
        return call, GoOn()

    def _decided(
        self, talk: Talk, identity: str, request: ToolCallRequest, verb: Verb
    ) -> tuple[ToolCallRequest, Result | None]:
        """Record the call as the gate decided. Return the request to carry out, or the answer in its place."""
        talk.decided[identity] = verb
        if isinstance(verb, Stop):
            talk.waiting.clear()
            self._attempt(self._talks.stopped, talk)
            raise self.stop(verb.text)
        arguments = plain(_edited(request) or dict(request.tool_call["args"]))
        if isinstance(verb, EditArguments):
            arguments = plain(dict(verb.arguments))
            request = request.override(tool_call={**request.tool_call, "args": dict(arguments)})
        self._attempt(self._talks.called, talk, identity, arguments)
        answer: Result | None = None
        if isinstance(verb, Refuse):
            mark = {REFUSED_BY: "user"}
            answer = _message(request, f"{REFUSED}{plain_text(verb.text)}", "error", mark)
            self._attempt(self._talks.answered, talk, identity, answer, 0.0)
        elif isinstance(verb, Answer):
            answer = _message(request, plain_text(verb.text), verb.status, verb.artifact)
            if verb.returned is not None:
                answer.additional_kwargs[RETURNED] = verb.returned
            if verb.to_graph is not None:
                answer = command_again(verb.to_graph, answer, conversation(request))
            self._attempt(lambda: self._talks.answered(talk, identity, answer, 0.0, given_by=verb.by))
        elif isinstance(verb, Raise):
            error = RecordedError(plain_text(verb.text))
            self._attempt(self._talks.failed, talk, error, "tool", "", identity)
            raise error
        return request, answer

    def _done(self, verb: Verb, result: Result, answered: Callable[..., object]) -> Result:
        said = None
        if isinstance(verb, EditAnswer) and isinstance(result, ToolMessage):
            said, result = text_of(result), result.model_copy(update={"content": plain_text(verb.text)})
        answered(result, said=said)
        return result


def _edited(request: ToolCallRequest) -> dict[str, object] | None:
    """Return the arguments that a person gave the call when LangChain's ``HumanInTheLoopMiddleware`` asked. That
    middleware puts them in only when the call is made."""
    state = request.state
    edits = state.get("hitl_edited_tool_calls") if isinstance(state, dict) else None
    found = edits.get(identity_of(request)) if isinstance(edits, dict) else None
    args = found.get("args") if isinstance(found, dict) else None
    return dict(args) if isinstance(args, dict) else None


def _message(request: ToolCallRequest, text: str, status: str, artifact: object = None) -> ToolMessage:
    return ToolMessage(
        text,
        name=request.tool_call["name"],
        tool_call_id=identity_of(request),
        status="error" if status == "error" else "success",
        artifact=artifact,
    )
