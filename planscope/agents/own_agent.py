"""Record an agent of one's own, with its own model and its own real tools: two lines in any ``create_agent`` script.

::

    from planscope import record
    agent = create_agent(model, tools, middleware=[record("my_agent.planscope.json")])

Then ``planscope my_agent.planscope.json``. Nothing of the agent is changed, slowed or serialised; with ``query`` the
debugger knows what the calls have to meet, without it shows the calls alone.
"""

from __future__ import annotations

import asyncio
import threading
import time
import warnings
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from planscope.agents.failures import explain
from planscope.agents.guarding import plain_name
from planscope.agents.recorded_message import (
    call_event,
    conversation,
    in_order,
    last_answer,
    message_event,
    readable,
    text_of,
)
from planscope.agents.recorder import refuser
from planscope.language.problem import is_tool_name
from planscope.session.events import (
    AnswerEvent,
    EndEvent,
    ErrorEvent,
    Event,
    PromptEvent,
)
from planscope.session.files import SessionError
from planscope.session.json_bytes import plain_text
from planscope.session.model import ActionRecord, Origin, Query, Run, Session, Variant
from planscope.session.naming import free_path
from planscope.session.new_parts import next_run_id, next_variant_id
from planscope.session.places import library
from planscope.session.stamp import stamp_of
from planscope.session.store import load, save

SAVE_EVERY = 0.25
"""Seconds between two writings while a run goes on; its end is always written."""


@dataclass(slots=True)
class _Conversation:
    """One run. ``open`` maps the ids of calls without an answer to their steps."""

    run: Run
    began: float
    step: int = 0
    open: dict[str, int] = field(default_factory=dict)

    def at(self) -> float:
        return max(0.0, round(time.perf_counter() - self.began, 6))

    @property
    def ended(self) -> bool:
        return isinstance(self.run.events[-1], EndEvent)

    def add(self, event: Event) -> None:
        self.run.events.append(event)


class OwnAgentRecorder(AgentMiddleware[Any, Any, Any]):
    """Writes a session while an agent works; each conversation is a run of it. One agent may be in many at once."""

    def __init__(self, path: Path, title: str, query: str, timed: bool) -> None:
        super().__init__()
        self.path = path
        self._lock = threading.RLock()
        self._saved = 0.0
        self._conversations: dict[str, _Conversation] = {}
        self._stamp = stamp_of(path)
        self.session = load(path) if path.exists() else Session(id=f"s{uuid4().hex[:8]}", title=title)
        self._variant = self._find_variant(query, timed)

    def _find_variant(self, query: str, timed: bool) -> Variant:
        for variant in self.session.variants:
            if variant.origin.kind == "imported" and variant.query.text == query:
                return variant
        made = Variant(
            id=next_variant_id(self.session),
            origin=Origin(kind="imported"),
            query=Query(text=query, timed=timed),
            actions=[],
        )
        self.session.variants.append(made)
        return made

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        talk, began = self._asked(request)
        try:
            response = handler(request)
        except BaseException as error:
            self._failed(talk, error, "model")
            raise
        self._said(talk, request, response, began)
        return response

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        talk, began = self._asked(request)
        try:
            response = await handler(request)
        except BaseException as error:
            self._failed(talk, error, "model")
            raise
        self._said(talk, request, response, began)
        return response

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        talk, began = self._of(request), time.perf_counter()
        try:
            answer = handler(request)
        except BaseException as error:
            self._failed(talk, error, "tool")
            raise
        self._answered(talk, request.tool_call["id"] or "", answer, time.perf_counter() - began)
        return answer

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        talk, began = self._of(request), time.perf_counter()
        try:
            answer = await handler(request)
        except BaseException as error:
            self._failed(talk, error, "tool")
            raise
        self._answered(talk, request.tool_call["id"] or "", answer, time.perf_counter() - began)
        return answer

    def _asked(self, request: ModelRequest[Any]) -> tuple[_Conversation, float]:
        """The run that the request belongs to: a new one for a new conversation, and for one that had ended."""
        with self._lock:
            talk = self._conversations.get(_key(request.messages)) or self._begin(request)
            for message in request.messages:
                if isinstance(message, ToolMessage):
                    self._answered(talk, message.tool_call_id, message, 0.0)
            self._note_tools(request.tools)
            return talk, talk.at()

    def _begin(self, request: ModelRequest[Any]) -> _Conversation:
        model = request.model
        name = getattr(model, "model_name", None) or getattr(model, "model", None) or type(model).__name__
        run = Run(
            id=next_run_id(self.session),
            variant=self._variant.id,
            agent="own",
            model=plain_text(str(name))[:200],
            started=datetime.now(UTC),
        )
        self.session.runs.append(run)
        asked = [m for m in request.messages if isinstance(m, HumanMessage)]
        text = plain_text(text_of(asked[-1])) if asked else ""
        run.events.append(PromptEvent(text=text, system=request.system_prompt))
        return _Conversation(run, time.perf_counter())

    def _note_tools(self, tools: Sequence[Any]) -> None:
        """The variant's actions are the tools that were seen."""
        known = {a.tool for a in self._variant.actions}
        for tool in tools:
            function = tool.get("function", tool) if isinstance(tool, dict) else {}
            name = str(function.get("name", "")) if isinstance(tool, dict) else str(tool.name)
            if name not in known and is_tool_name(name):
                known.add(name)
                number = len(self._variant.actions) + 1
                self._variant.actions.append(ActionRecord(id=f"a{number}", name=plain_name(name), tool=name))

    def _said(
        self, talk: _Conversation, request: ModelRequest[Any], response: ModelResponse[Any], began: float
    ) -> None:
        with self._lock:
            self._conversations.pop(_key(request.messages), None)
            for message in response.result:
                if isinstance(message, AIMessage):
                    self._message(talk, message, began)
            if any(isinstance(m, AIMessage) and m.tool_calls for m in response.result):
                self._conversations[_key(response.result)] = talk
            else:
                self._end(talk, "stopped")
            self._save()

    def _message(self, talk: _Conversation, message: AIMessage, began: float) -> None:
        """All calls are recorded with the message, in its order, whenever the agent comes to do them."""
        tidy = readable(message, set(), set(), as_done=True)
        calls = in_order(tidy)
        now = talk.at()
        talk.add(message_event(message, tidy, now, began))
        for call in calls:
            talk.step += 1
            talk.open[call.identity] = talk.step
            talk.add(call_event(call, now, talk.step))

    def _of(self, request: ToolCallRequest) -> _Conversation | None:
        with self._lock:
            return self._conversations.get(_key(conversation(request)))

    def _answered(
        self, talk: _Conversation | None, identity: str, answer: ToolMessage | Command[Any], took: float
    ) -> None:
        with self._lock:
            step = talk.open.pop(identity, None) if talk is not None else None
            if talk is None or step is None or talk.ended:
                return
            message = answer if isinstance(answer, ToolMessage) else None
            talk.add(
                AnswerEvent(
                    at=talk.at(),
                    step=step,
                    text=plain_text(text_of(message) if message is not None else str(answer)),
                    status="error" if message is not None and message.status == "error" else "ok",
                    took=max(0.0, round(took, 6)),
                    call_id=identity,
                    refused_by=refuser(message),
                )
            )
            self._save(at_once=False)

    def _failed(self, talk: _Conversation | None, error: BaseException, where: str) -> None:
        """An exception passes through; a pause of the graph's own (an interrupt) is no failure."""
        if talk is None or isinstance(error, GraphBubbleUp):
            return
        with self._lock:
            if isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
                line = "stopped by the user"
            else:
                kind, line = explain(error, where=where)
                if talk.ended:
                    return
                talk.add(ErrorEvent(at=talk.at(), kind=kind, text=line))
            self._end(talk, "aborted", line)
            self._save()

    def _end(
        self, talk: _Conversation, ending: Literal["stopped", "aborted"], reason: str | None = None
    ) -> None:
        if not talk.ended:
            talk.add(EndEvent(at=talk.at(), ending=ending, reason=reason))
        for key in [k for k, t in self._conversations.items() if t is talk]:
            del self._conversations[key]

    def _save(self, at_once: bool = True) -> None:
        """A disk that is full must not end somebody's agent: it is warned of."""
        now = time.perf_counter()
        if not at_once and now - self._saved < SAVE_EVERY:
            return
        self._saved = now
        try:
            self._write(self.path)
        except SessionError as error:
            self._go_on_elsewhere(error)

    def _write(self, path: Path) -> None:
        save(self.session, path, unless_changed=self._stamp if path.exists() else None)
        self._stamp = stamp_of(path)

    def _go_on_elsewhere(self, error: SessionError) -> None:
        """Somebody else writes to the file by now, or it cannot be written: what is recorded goes to the library."""
        said = f"planscope could not record: {error}"
        if self.path.parent != library():
            self._stamp = None
            place = free_path(self.path)
            with suppress(SessionError):
                self._write(place)
                self.path = place
                said = f"{said}; it is recorded in {place}"
        warnings.warn(said, RuntimeWarning, stacklevel=4)


def _key(messages: Sequence[BaseMessage]) -> str:
    """Conversations are told apart by the model's last message, which has an id of its own."""
    last = last_answer(messages)
    return "" if last is None else last.id or "".join(c["id"] or "" for c in last.tool_calls)


def record(
    path: str | Path, *, title: str | None = None, query: str = "", timed: bool = False
) -> OwnAgentRecorder:
    """A middleware that writes what an agent does to a session file, new or there already (runs are added).

    ``query``: the requirement, in planscope's language, about tools by their names with blanks (``boil_water`` is
    "boil water"). Put it first in the list of middlewares, so that it sees what the others refuse. Raises
    ``SessionError`` where the file is there and no session.
    """
    target = Path(path)
    return OwnAgentRecorder(target, title or target.name.split(".")[0], query, timed)
