"""Record a user's own agent, with its own model and real tools: two lines in any ``create_agent`` script.

::

    from planscope import record
    agent = create_agent(model, tools, middleware=[record("my_agent.planscope.json")])

Then ``planscope my_agent.planscope.json`` opens the run. Anything that takes callbacks can be recorded, too:
``config={"callbacks": [record(...)]}``. The recorder does not change, slow down or serialise the agent, and its errors
never reach it. With ``query`` the debugger judges the calls; without it, it only shows them.
"""

from __future__ import annotations

import asyncio
import atexit
import dataclasses
import json
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from planscope.agents.call_arguments import plain
from planscope.agents.failures import explain, one_line
from planscope.agents.given import GivenSoFar, seen_messages, seen_tool, seen_tools
from planscope.agents.messages import (
    answer_event,
    answer_parts,
    call_event,
    conversation,
    ended_by_guard,
    in_order,
    last_answer,
    message_event,
    readable,
    text_of,
)
from planscope.language.problem import is_tool_name
from planscope.session.containers import is_session_file
from planscope.session.files import SessionError, read_bytes, writable_target
from planscope.session.json_bytes import plain_text
from planscope.session.locations import free_path
from planscope.session.lock import Held
from planscope.session.merging import merge_now, merge_soon, warn
from planscope.session.model import EndEvent, ErrorEvent, Event, Given, PromptEvent
from planscope.session.record import notice_of
from planscope.session.recordings import Journal

_WAITING = 64
"""Limit of failed runs that may still be retried, over all conversations of one recorder."""

_LEFT = "the program ended or closed the recorder before the agent finished"

Ending = Literal["stopped", "call_limit", "aborted"]


@dataclass(slots=True)
class _Conversation:
    """One run. ``open`` maps the ids of unanswered calls to their steps.

    ``ending``: the run ends once all calls are answered. ``failed``: an error ended it, but it may be retried.
    ``changed``: the new part of what the model was given with its current call.
    """

    journal: Journal
    began: float
    step: int = 0
    last: float = 0.0
    open: dict[str, int] = field(default_factory=dict)
    passed: dict[str, Any] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    structured: set[str] = field(default_factory=set)
    direct: bool = False
    ending: bool = False
    notice: str = ""
    failed: bool = False
    failed_call: str = ""
    ended: bool = False
    keys: list[str] = field(default_factory=list)
    given: GivenSoFar | None = None
    changed: Given | None = None

    def at(self) -> float:
        self.last = max(self.last, round(time.perf_counter() - self.began, 6))
        return self.last


class OwnAgentRecorder(AgentMiddleware[Any, Any, Any], BaseCallbackHandler):
    """Records an agent; each conversation is a run. One agent may be in many conversations at once.

    It is both a middleware and a callback handler. An agent that uses it as both is recorded once.
    """

    run_inline = True
    raise_error = False

    def __init__(self, path: Path, title: str, query: str, timed: bool) -> None:
        super().__init__()
        self.path = path
        self._title, self._query, self._timed = title, query, timed
        self._lock = threading.RLock()
        self._warned = False
        self._as_middleware = False
        self._conversations: dict[str, _Conversation] = {}
        self._failed: OrderedDict[str, _Conversation] = OrderedDict()
        self._tools: dict[str, str] = {}
        self._calls: dict[UUID, tuple[_Conversation, float]] = {}
        self._roots: dict[UUID, UUID] = {}
        self._of_root: dict[UUID, list[_Conversation]] = {}
        self._do(self._find_place)
        _recorders.add(self)

    @property
    def name(self) -> str:
        """A unique name, so that one agent can have two recorders."""
        return f"{type(self).__name__}-{id(self):x}"

    def __copy__(self) -> OwnAgentRecorder:
        return self

    def __deepcopy__(self, memo: Any) -> OwnAgentRecorder:
        return self

    def close(self) -> None:
        """Write all runs to the session file; unfinished ones as aborted. The recorder can be used again."""
        self._do(self._close, True)

    def _close(self, settle: bool) -> None:
        with self._lock:
            talks = [*self._conversations.values(), *self._failed.values()]
            talks += [talk for found in self._of_root.values() for talk in found]
            for talk in talks:
                self._end(talk, "aborted", _LEFT)
            self._conversations.clear()
            self._failed.clear()
        if settle:
            with suppress(Held):
                if (said := merge_now(self.path)) is not None:
                    self._warn(said)

    def _find_place(self) -> None:
        """Record in the library if the given path cannot be a session file."""
        try:
            place = writable_target(self.path)
            if not is_session_file(place) or (
                place.exists() and b'"planscope-session"' not in read_bytes(place)
            ):
                raise SessionError(f"{self.path} is not a session file")
        except SessionError as error:
            self.path = free_path(self.path)
            self._warn(f"planscope cannot record there: {error}; it records in {self.path}")

    # No error of the recorder may reach the user's program.

    def _do(self, what: Callable[..., Any], *given: Any) -> Any:
        """Call a function and return its result. If it raises: warn once, and return None."""
        try:
            return what(*given)
        except Exception as error:
            self._warn(
                f"planscope could not record all of this: {one_line(f'{type(error).__name__}: {error}')}"
            )
            return None

    def _warn(self, line: str) -> None:
        if not self._warned:
            self._warned = True
            warn(line)

    # Used as a middleware:

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        asked = self._do(self._asked_for, request)
        try:
            response = handler(request)
        except BaseException as error:
            self._do(self._fail, asked, error, "model", _task_of(request))
            raise
        self._do(self._answered_by, asked, request, response)
        return response

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        asked = self._do(self._asked_for, request)
        try:
            response = await handler(request)
        except BaseException as error:
            self._do(self._fail, asked, error, "model", _task_of(request))
            raise
        self._do(self._answered_by, asked, request, response)
        return response

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        talk, began = self._do(self._of, request), time.perf_counter()
        try:
            answer = handler(request)
        except BaseException as error:
            self._do(self._fail, talk and (talk, 0.0), error, "tool", "", _identity(request))
            raise
        self._do(self._answered, talk, _identity(request), answer, time.perf_counter() - began)
        return answer

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        talk, began = self._do(self._of, request), time.perf_counter()
        try:
            answer = await handler(request)
        except BaseException as error:
            self._do(self._fail, talk and (talk, 0.0), error, "tool", "", _identity(request))
            raise
        self._do(self._answered, talk, _identity(request), answer, time.perf_counter() - began)
        return answer

    def _asked_for(self, request: ModelRequest[Any]) -> tuple[_Conversation, float]:
        self._as_middleware = True
        model = request.model
        name = getattr(model, "model_name", None) or getattr(model, "model", None) or type(model).__name__
        system, task = request.system_prompt, _task_of(request)
        talk = self._asked(request.messages, system, request.tools, str(name), task)
        self._note_tools(talk, request.tools)
        return talk, talk.at()

    def _answered_by(
        self, asked: tuple[_Conversation, float] | None, request: ModelRequest[Any], response: Any
    ) -> None:
        if asked is None:
            return
        found = getattr(response, "model_response", response)  # the response may come with a command
        result = found.result if isinstance(found, ModelResponse) else [found]
        structured = found.structured_response if isinstance(found, ModelResponse) else None
        forms = isinstance(found, ModelResponse) and request.response_format is not None
        self._said(*asked, "", result, structured, forms)

    def _of(self, request: ToolCallRequest) -> _Conversation | None:
        """Return the conversation of a call before its execution. Records its arguments if a person has edited them."""
        with self._lock:
            talk = self._conversations.get(_key(conversation(request)))
            if talk is None or (step := talk.open.get(_identity(request))) is None:
                return talk
            asked, passed = talk.passed.get(_identity(request)), plain(dict(request.tool_call["args"]))
            if asked is not None and passed != asked:
                talk.journal.append({"done_with": passed, "step": step})
                talk.passed[_identity(request)] = passed
            if request.tool is None or not request.tool.return_direct:
                talk.direct = False
            return talk

    # Used as a callback handler:

    def on_chain_start(
        self, serialized: Any, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any
    ) -> None:
        if not self._as_middleware:
            with self._lock:
                self._roots[run_id] = self._root(parent_run_id) or run_id

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **more: Any) -> None:
        self._do(self._chain_ended, run_id, outputs, None)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        self._do(self._chain_ended, run_id, None, error)

    def on_chat_model_start(
        self,
        serialized: Any,
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: Any,
    ) -> None:
        if not self._as_middleware:
            self._do(self._model_started, messages[0] if messages else [], run_id, parent_run_id, more)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **more: Any) -> None:
        self._do(self._model_ended, response, run_id)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        self._do(self._fail, self._calls.pop(run_id, None), error, "model", "")

    def on_tool_start(
        self,
        serialized: Any,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: Any,
    ) -> None:
        if not self._as_middleware:
            with self._lock:
                self._roots[run_id] = self._root(parent_run_id) or run_id
                talk = self._open_call(self._roots[run_id], str(more.get("tool_call_id") or ""))
                if talk is not None:
                    self._calls[run_id] = (talk, time.perf_counter())

    def on_tool_end(self, output: Any, *, run_id: UUID, **more: Any) -> None:
        self._do(self._tool_ended, output, run_id)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **more: Any) -> None:
        self._roots.pop(run_id, None)
        self._do(self._fail, self._calls.pop(run_id, None), error, "tool", "")

    def _root(self, parent: UUID | None) -> UUID | None:
        return None if parent is None else self._roots.get(parent, parent)

    def _open_call(self, root: UUID, identity: str) -> _Conversation | None:
        return next((t for t in reversed(self._of_root.get(root, ())) if identity in t.open), None)

    def _model_started(
        self, messages: list[BaseMessage], run_id: UUID, parent: UUID | None, more: dict[str, Any]
    ) -> None:
        system = [m for m in messages if isinstance(m, SystemMessage)]
        said = more.get("invocation_params") or {}
        model = (
            said.get("model") or said.get("model_name") or (more.get("metadata") or {}).get("ls_model_name")
        )
        root = self._root(parent) or run_id
        with self._lock:
            told = text_of(system[0]) if system else None
            tools = said.get("tools") or (more.get("options") or {}).get("tools") or ()
            talk = self._asked(messages, told, tools, str(model or "model"), "", str(root))
            found = self._of_root.setdefault(root, [])
            if talk not in found:
                found.append(talk)
            self._note_tools(talk, tools)
            self._calls[run_id] = (talk, talk.at())

    def _model_ended(self, response: LLMResult, run_id: UUID) -> None:
        asked = self._calls.pop(run_id, None)
        if asked is None:
            return
        found = [
            g.message for row in response.generations[:1] for g in row[:1] if isinstance(g, ChatGeneration)
        ]
        root = next((r for r, talks in self._of_root.items() if asked[0] in talks), run_id)
        self._said(*asked, str(root), found, None, False)
        if run_id in self._of_root:  # the model was called outside a chain
            self._chain_ended(run_id, None, None)

    def _tool_ended(self, output: Any, run_id: UUID) -> None:
        self._roots.pop(run_id, None)
        talk, began = self._calls.pop(run_id, (None, 0.0))
        message = output if isinstance(output, ToolMessage) else None
        if talk is not None:
            identity = message.tool_call_id if message is not None else next(iter(talk.open), "")
            self._answered(talk, identity, output, time.perf_counter() - began)

    def _chain_ended(self, run_id: UUID, outputs: Any, error: BaseException | None) -> None:
        """End all conversations of the outermost chain when it ends."""
        with self._lock:
            root = self._roots.pop(run_id, run_id)
            if root != run_id or isinstance(error, GraphBubbleUp):
                return
            paused = isinstance(outputs, dict) and outputs.get("__interrupt__")
            messages = outputs.get("messages") if isinstance(outputs, dict) else None
            for talk in self._of_root.pop(root, ()):
                for message in reversed(messages if isinstance(messages, list) else []):
                    if not isinstance(message, ToolMessage):
                        break
                    self._answered(talk, message.tool_call_id, message, 0.0)
                if error is not None:
                    self._fail((talk, 0.0), error, "agent", "")
                elif not paused:
                    self._end(talk, "stopped")

    # Shared by middleware and callback handler

    def _asked(
        self,
        messages: Sequence[BaseMessage],
        system: str | None,
        tools: Sequence[Any],
        model: str,
        task: str,
        scope: str = "",
    ) -> _Conversation:
        """Return the run that a model call belongs to, or a new one if the conversation is new or has ended."""
        with self._lock:
            talk = self._conversations.get(scope + _key(messages))
            if talk is None and task and (failed := self._failed.get(task)) is not None:
                talk = failed
            if talk is None:
                talk = self._begin(messages, system, tools, model)
            if talk.given is not None:
                talk.changed = talk.given.changed(system, tools, messages) or talk.changed
            talk.failed = False
            for message in reversed(messages):
                if isinstance(message, AIMessage):
                    break
                if isinstance(message, ToolMessage):
                    self._answered(talk, message.tool_call_id, message, 0.0)
            return talk

    def _begin(
        self, messages: Sequence[BaseMessage], system: str | None, tools: Sequence[Any], model: str
    ) -> _Conversation:
        began = time.perf_counter()
        head = {
            "title": self._title,
            "query": self._query,
            "timed": self._timed,
            "agent": "own",
            "model": plain_text(model)[:200],
            "started": datetime.now(UTC).isoformat(),
        }
        try:
            journal = Journal(self.path, head)
        except OSError as error:
            place = free_path(self.path)
            if self.path.parent == place.parent:
                raise
            self._warn(
                f"planscope cannot record in {self.path.parent}: {error.strerror}; it records in {place}"
            )
            self.path = place
            journal = Journal(self.path, head)
        if not self.path.exists():
            merge_soon(self.path)
        talk = _Conversation(journal, began)
        asked = next((m for m in reversed(messages) if isinstance(m, HumanMessage)), None)
        text = plain_text(text_of(asked)) if asked is not None else ""
        rest = [m for m in messages if not isinstance(m, SystemMessage)]
        prompt = PromptEvent(
            text=text,
            system=None if system is None else plain_text(system),
            tools=seen_tools(tools),
            messages=None if rest == [asked] else seen_messages(rest),
        )
        self._add(talk, prompt)
        talk.given = GivenSoFar(prompt, rest)
        return talk

    def _add(self, talk: _Conversation, *events: Event) -> None:
        if not talk.ended:
            talk.journal.events(events)

    def _note_tools(self, talk: _Conversation, tools: Sequence[Any]) -> None:
        """Record names, descriptions and schemas of the real tools, as the model sees them."""
        for tool in tools:
            said = tool.get("function", tool) if isinstance(tool, dict) else tool
            name = said.get("name") if isinstance(said, dict) else getattr(said, "name", None)
            if isinstance(name, str) and name not in talk.known and is_tool_name(name):
                talk.known.add(name)
                if name not in self._tools:
                    self._tools[name] = json.dumps({"tool": seen_tool(name, tool, said).model_dump()})
                talk.journal.append_text(self._tools[name])

    def _said(
        self,
        talk: _Conversation,
        began: float,
        scope: str,
        result: Sequence[Any],
        structured: Any,
        forms: bool,
    ) -> None:
        """Record the model's answer. ``forms``: structured output was requested, so its calls are not tool calls."""
        with self._lock:
            self._forget(talk)
            answers = [m for m in result if isinstance(m, ToolMessage)]
            formed = {m.tool_call_id for m in answers} if forms else set()
            said = [m for m in result if isinstance(m, AIMessage)]
            for message in said:
                if (reason := ended_by_guard(message)) is not None:
                    self._end(talk, "call_limit", reason)
                    return
                data = _data_of(structured) if structured is not None and message is said[-1] else None
                self._message(talk, message, began, data, formed)
            for answer in answers:
                if answer.tool_call_id in formed and structured is None:
                    line = one_line(text_of(answer))
                    self._add(talk, ErrorEvent(at=talk.at(), kind="structured_output", text=plain_text(line)))
            if structured is not None:
                talk.ending = True
            calling = any(m.tool_calls for m in said) and not (talk.ending and not talk.open)
            if calling:
                self._find_by(self._conversations, talk, scope + _key(said))
            else:
                self._end(talk, "stopped")

    def _message(
        self, talk: _Conversation, message: AIMessage, began: float, structured: Any, formed: set[str]
    ) -> None:
        """Record the message and all its calls, in order, before the agent executes them."""
        tidy = readable(message, set(), set(), as_done=True)
        calls = [call for call in in_order(tidy) if call.identity not in formed]
        now = talk.at()
        event = message_event(message, tidy, now, began, talk.changed)
        talk.changed = None
        if structured is None and formed:
            structured = next((plain(c["args"]) for c in message.tool_calls if c["id"] in formed), None)
        if structured is not None:
            event = event.model_copy(update={"structured": structured})
        talk.notice = notice_of(event.refusal, event.finish)
        talk.direct = bool(calls)
        events: list[Event] = [event]
        for call in calls:
            talk.step += 1
            talk.open[call.identity] = talk.step
            if call.arguments is not None:
                talk.passed[call.identity] = call.arguments
            events.append(call_event(call, now, talk.step))
        self._add(talk, *events)

    def _answered(self, talk: _Conversation | None, identity: str, answer: Any, took: float) -> None:
        with self._lock:
            step = talk.open.pop(identity, None) if talk is not None else None
            if talk is None or step is None or talk.ended:
                return
            talk.passed.pop(identity, None)
            talk.failed = talk.failed and identity != talk.failed_call
            self._add(talk, answer_event(answer, talk.at(), step, identity, took))
            _, command = answer_parts(answer, identity)
            if (command and command.get("graph")) or (talk.direct and not talk.open and self._as_middleware):
                talk.ending = True
            if talk.ending and not talk.open:
                self._end(talk, "stopped")

    def _fail(
        self,
        asked: tuple[_Conversation, float] | None,
        error: BaseException,
        where: str,
        task: str,
        identity: str = "",
    ) -> None:
        """Record an exception of the model or a tool. A pause (an interrupt of the graph) is not a failure.

        The run ends here; if the agent retries, it goes on.
        """
        if asked is None or isinstance(error, GraphBubbleUp):
            return
        talk = asked[0]
        with self._lock:
            if talk.ended or talk.failed:
                return
            if isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
                line = "stopped by the user"
            else:
                kind, line = explain(error, where=where)
                line = plain_text(line)
                self._add(talk, ErrorEvent(at=talk.at(), kind=kind, text=line))
            self._add(talk, EndEvent(at=talk.at(), ending="aborted", reason=line))
            talk.failed, talk.failed_call = True, identity
            self._find_by(self._failed, talk, task or f"{id(talk)}")
            while len(self._failed) > _WAITING:
                self._end(self._failed.popitem(last=False)[1], "aborted")

    def _end(self, talk: _Conversation, ending: Ending, reason: str | None = None) -> None:
        if talk.ended:
            return
        if not talk.failed:
            notice = talk.notice if ending == "stopped" else ""
            self._add(talk, EndEvent(at=talk.at(), ending=ending, reason=reason or notice or None))
        talk.ended = True
        talk.journal.close()
        merge_soon(self.path)
        self._forget(talk)

    def _find_by(self, known: dict[str, _Conversation], talk: _Conversation, key: str) -> None:
        known[key] = talk
        talk.keys.append(key)

    def _forget(self, talk: _Conversation) -> None:
        for known in (self._conversations, self._failed):
            for key in talk.keys:
                if known.get(key) is talk:
                    del known[key]
        talk.keys.clear()


_recorders: weakref.WeakSet[OwnAgentRecorder] = weakref.WeakSet()


def _leave() -> None:
    """At the end of the program, record unfinished runs as aborted."""
    for recorder in list(_recorders):
        recorder._do(recorder._close, False)


atexit.register(_leave)


def _data_of(structured: Any) -> Any:
    """Return a structured answer as JSON."""
    if hasattr(structured, "model_dump"):
        return plain(structured.model_dump(mode="json"))
    if dataclasses.is_dataclass(structured) and not isinstance(structured, type):
        return plain(dataclasses.asdict(structured))
    return plain(structured)


def _identity(request: ToolCallRequest) -> str:
    return request.tool_call["id"] or ""


def _task_of(request: ModelRequest[Any]) -> str:
    """Return the id of the graph's task that makes a model call, the same for a retry; empty if unknown."""
    info = getattr(request.runtime, "execution_info", None)
    return str(getattr(info, "task_id", "") or "")


def _key(messages: Sequence[BaseMessage]) -> str:
    """Return the key of a conversation: the id of the model's last message."""
    last = last_answer(messages)
    return "" if last is None else last.id or "".join(c["id"] or "" for c in last.tool_calls)


def record(
    path: str | Path, *, title: str | None = None, query: str = "", timed: bool = False
) -> OwnAgentRecorder:
    """Make a middleware that records an agent's runs in a session file. An existing session gets more runs.

    ``query``: the requirement in planscope's language. It names a tool by its name with blanks (``boil_water`` is "boil
    water"). ``timed``: the query has clock times. Put the recorder first in the list of middlewares, so that it sees
    what the others refuse. It is a callback handler, too. It never raises: a problem is one warning, and if the path
    cannot be a session file, the runs go to the library.
    """
    target = Path(path)
    return OwnAgentRecorder(target, title or target.name.split(".")[0], query, timed)
