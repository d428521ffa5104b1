"""Calls of a user's own agent pass a gate: a debugger, or recorded answers, decide before a tool is really called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest

from planscope.agents.both_ways import Result, ToolHandler, found_by
from planscope.agents.conversations import Conversations, Talk
from planscope.agents.gate import (
    Answer,
    CallGate,
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
from planscope.agents.messages import (
    DONE_WITH,
    REFUSED_BY,
    RETURNED,
    command_again,
    conversation,
    identity_of,
    text_of,
)
from planscope.agents.toolset import REFUSED
from planscope.session.json_bytes import Obj, plain, plain_text


class RecordedError(Exception):
    """The error that a tool raised in the record, raised again."""


class Gated:
    """Asks a gate before each call, if there is one. Calls of one message are made one after the other, and a call that
    is made again (a retry, a graph that goes on after an interrupt) is decided as before. ``attempt`` calls a function
    and never raises."""

    def __init__(self, talks: Conversations, gate: CallGate | None, attempt: Callable[..., object]) -> None:
        self._talks, self._gate, self._attempt = talks, gate, attempt
        self.stopped: BaseException | None = None
        """Why the gate stopped a call, or failed, whatever the agent's program has made of it."""
        self.on_stop: Callable[[], object] = lambda: None
        self.preview: Callable[[str, Mapping[str, object]], str | None] | None = None
        """Predicts the answers of mock tools."""

    def stop(self, text: str) -> StoppedAtGate:
        """Return what ends the run, which it does whatever the agent's program makes of that."""
        self.stopped = stopped = StoppedAtGate(text)
        self.on_stop()
        return stopped

    def takes(self, talk: Talk, identity: str) -> bool:
        """Return whether a call passes the gate: if calls are deferred, or this one was."""
        return self._talks.deferred or identity in talk.waiting

    async def call(
        self,
        talk: Talk,
        identity: str,
        request: ToolCallRequest,
        handler: ToolHandler,
        later: bool,
    ) -> Result:
        """Make one call."""
        async with talk.run.turn().taken(later):
            await self.pass_unread(talk, later)
            pending, verb = self._pending(talk, identity, request)
            if pending is not None:
                verb = await self._ask(talk, pending, later)
            request, answer = self._decided(talk, identity, request, verb)
            if answer is not None:
                return answer
            talk.let.add(identity)
            try:
                with self._talks.calling(
                    talk, identity, request.tool_call["name"], self._attempt
                ) as answered:
                    result: Result = await found_by(handler(request), later)
            finally:
                talk.let.discard(identity)
            result = self._done(verb, request, result, answered)
            await self.pass_unread(talk, later)
            return result

    async def pass_unread(self, talk: Talk, later: bool) -> None:
        """Make the calls whose turn it is steps, as long as they cannot be read. They never reach a tool."""
        for call in self._unread(talk):
            verb = await self._ask(talk, call, later)
            if isinstance(verb, Stop):
                raise self._stop(talk, verb)

    def _unread(self, talk: Talk) -> Iterator[PendingCall]:
        while self.stopped is None and (call := self._talks.unread(talk)) is not None:
            yield replace(call, step=talk.run.step + 1)
            self._attempt(self._talks.called, talk, call.call_id, None)

    async def _ask(self, talk: Talk, call: PendingCall, later: bool) -> Verb:
        if self._gate is None:
            return GoOn()
        with self._asking(talk):
            return await self._gate.ask(call, later)

    @contextmanager
    def _asking(self, talk: Talk) -> Iterator[None]:
        """Around a decision. If the gate of a run of ours fails, no later call is made."""
        try:
            with talk.run.thinking():
                yield
        except Exception as error:
            if self._talks.owner is not None:
                self.stopped = error
            raise

    def _stop(self, talk: Talk, verb: Stop) -> StoppedAtGate:
        talk.waiting.clear()
        self._attempt(self._talks.stopped, talk)
        return self.stop(verb.text)

    def _pending(
        self, talk: Talk, identity: str, request: ToolCallRequest
    ) -> tuple[PendingCall | None, Verb]:
        """Return the call to ask about, or None and what was decided about it before."""
        if self.stopped is not None and self._talks.owner is not None:
            raise self.stopped
        if self._gate is None or identity not in talk.waiting:
            return None, talk.decided.get(identity, GoOn())
        tool, arguments = request.tool_call["name"], _arguments(request)
        answer, schema = None, None
        if self.preview is not None:
            answer = self.preview(tool, arguments)
        elif request.tool is not None:
            schema = seen_tool("", request.tool, request.tool).parameters
        call = PendingCall(
            talk.run.step + 1, tool, arguments, identity, answer,
            agent=talk.agent, run=talk.run.sink.token, schema=schema,
        )  # fmt: skip
        return call, GoOn()

    def _decided(
        self, talk: Talk, identity: str, request: ToolCallRequest, verb: Verb
    ) -> tuple[ToolCallRequest, Result | None]:
        """Record the call as the gate decided. Return the request to carry out, or the answer in its place."""
        talk.decided[identity] = verb
        if isinstance(verb, Stop):
            raise self._stop(talk, verb)
        arguments = _arguments(request)
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

    def _done(
        self, verb: Verb, request: ToolCallRequest, result: Result, answered: Callable[..., object]
    ) -> Result:
        said = None
        if isinstance(verb, EditAnswer) and isinstance(result, ToolMessage):
            said, result = text_of(result), result.model_copy(update={"content": plain_text(verb.text)})
        if isinstance(verb, EditArguments) and isinstance(result, ToolMessage) and result.artifact is None:
            # a guard behind this gate judges the call by what was done
            result = result.model_copy(update={"artifact": {DONE_WITH: request.tool_call["args"]}})
        answered(result, said=said)
        return result


def _arguments(request: ToolCallRequest) -> Obj:
    found: Obj = plain(_edited(request) or dict(request.tool_call["args"]))
    return found


def _edited(request: ToolCallRequest) -> Obj | None:
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
