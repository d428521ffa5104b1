"""The recorder of all agents: a middleware and a callback handler that hears what happens at an agent.

Conversations (``conversations.py``) make events of it; ``gated.py`` stands between a call and its tool. It is the same
for mock agents and for users' own, live, recorded by two lines, attached or run again.
"""

from __future__ import annotations

import atexit
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar
from uuid import UUID

from langchain.agents.middleware import ModelRequest, ModelResponse
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt.tool_node import ToolCallRequest

from planscope.agents.both_ways import BothWays, ModelHandler, Response, Result, ToolHandler, found_by
from planscope.agents.conversations import Conversations, RunUnderWay, Speaker, Talk, inside_call, key_of
from planscope.agents.failures import one_line
from planscope.agents.gate import RunOver
from planscope.agents.gated import Gated
from planscope.agents.given import seen_tools
from planscope.agents.graphs import Outermost, calling, heard_by
from planscope.agents.messages import conversation, identity_of, text_of
from planscope.session.json_bytes import Obj, plain
from planscope.session.merging import warn

Found = TypeVar("Found")


class Recorder(BothWays, BaseCallbackHandler):
    """Records an agent into ``talks``. One agent may be in many conversations at once.

    It is both a middleware and a callback handler. An agent that uses it as both is recorded once. ``gate`` asks a
    debugger before each call, and may change it.
    """

    run_inline = True
    raise_error = False
    wanted: Path | None = None
    """The session file that it was asked to record in."""

    def __init__(self, talks: Conversations, gate: Gated | None = None) -> None:
        super().__init__()
        self.talks = talks
        self.gate = gate
        self.closed = False
        """Whether no tool may be called that does not pass the gate."""
        self.cannot_catch: Callable[[str], bool] | None = None
        """Says of which tools the calls would pass the gate by; None if that is of no matter."""
        self.limit: int | None = None
        """How often the model may be called, as far as a middleware sees it."""
        self.calls_made = 0
        self._offered: dict[UUID, frozenset[str]] = {}
        self._warned = False
        self._as_middleware = False
        self._calls: dict[UUID, tuple[Talk, float, str]] = {}
        self._chains = Outermost()
        self._graphs: dict[UUID, list[RunUnderWay]] = {}
        self._of_root: dict[UUID, RunUnderWay] = {}
        _recorders.add(self)

    @property
    def name(self) -> str:
        """A unique name, so that one agent can have two recorders."""
        return f"{type(self).__name__}-{id(self):x}"

    def __copy__(self) -> Recorder:
        return self

    def __deepcopy__(self, memo: object) -> Recorder:
        return self

    def close(self) -> None:
        """Write all runs to the session file; unfinished ones as aborted. The recorder can be used again."""
        self.attempt(self.leave, True)

    def leave(self, settle: bool) -> None:
        self.talks.close()

    # No error of the recorder may reach the user's program.

    def attempt(self, what: Callable[..., Found], *given: object) -> Found | None:
        """Call a function and return its result. If it raises: warn once, and return None."""
        try:
            return what(*given)
        except Exception as error:  # noqa: BLE001  # whatever it is, the user's program goes on
            self.warn(
                f"planscope could not record all of this: {one_line(f'{type(error).__name__}: {error}')}",
                self.wanted if isinstance(error, OSError) else None,
            )
            return None

    def warn(self, line: str, path: Path | None = None) -> None:
        """Warn, but only once; about the file of ``path`` once for all recorders."""
        if not self._warned:
            self._warned = True
            warn(line, path)

    # Used as a middleware:

    async def around_model(self, request: ModelRequest, handler: ModelHandler, later: bool) -> Response:
        with self._asking(request) as (talk, heard):
            found = await found_by(handler(request), later)
        response = heard(found)
        if self.gate is not None and talk is not None:
            await self.gate.pass_unread(talk, later)
        return response

    @contextmanager
    def _asking(self, request: ModelRequest) -> Iterator[tuple[Talk | None, Callable[[Response], Response]]]:
        """Around a call of the model. Yields its conversation, and what hears its response and returns what the agent
        gets."""
        talk, began = self.attempt(self._asked_for, request) or (None, 0.0)
        if self.limit is not None and self.calls_made >= self.limit:
            raise RunOver("call_limit", f"over {self.limit} model calls")
        self.calls_made += 1

        def heard(response: Response) -> Response:
            return self.attempt(self._answered_by, talk, began, request, response) or response

        try:
            yield talk, heard
        except BaseException as error:
            self.attempt(self.talks.failed, talk, error, "model", _task_of(request))
            raise

    async def around_tool(self, request: ToolCallRequest, handler: ToolHandler, later: bool) -> Result:
        with self._calling(request) as (talk, identity):
            if self.gate is not None and talk is not None and self.gate.takes(talk, identity):
                return await self.gate.call(talk, identity, request, handler, later)
            with self.talks.calling(talk, identity, request.tool_call["name"], self.attempt) as answered:
                answer: Result = await found_by(handler(request), later)
            answered(answer)
            return answer

    @contextmanager
    def _calling(self, request: ToolCallRequest) -> Iterator[tuple[Talk | None, str]]:
        """Around a call of a tool and what a gate decides about it. Yields its conversation and its id."""
        talk, identity = self.attempt(self._of, request) or (None, "")
        token = calling.set(self._really_called(talk, identity, identity_of(request)))
        try:
            yield talk, identity
        finally:
            calling.reset(token)

    def _asked_for(self, request: ModelRequest) -> tuple[Talk, float]:
        self._as_middleware = True
        model = request.model
        name = getattr(model, "model_name", None) or getattr(model, "model", None) or type(model).__name__
        around, answer = self._around()
        speaker = _speaker(str(name), _task_of(request), getattr(request.runtime, "control", None), answer)
        talk = self.talks.asked(request.messages, request.system_prompt, request.tools, speaker)
        self._belongs(talk.run, around)
        return talk, talk.run.at()

    def _around(self) -> tuple[UUID | None, str]:
        """Return the graph that a middleware is called in, and what a person answered if it goes on."""
        return (None, "") if self.talks.owner is not None else heard_by(self)

    def _belongs(self, run: RunUnderWay, graph: UUID | None) -> None:
        if graph is not None and run not in (known := self._graphs.setdefault(graph, [])):
            known.append(run)

    def graph_over(self, root: UUID, outputs: object, error: BaseException | None, asked: list[str]) -> None:
        """End the runs of a graph that has ended, or let them rest if they may go on."""
        for run in self._graphs.pop(root, ()):
            self.attempt(self._over, run, outputs, error, asked)

    def _over(self, run: RunUnderWay, outputs: object, error: BaseException | None, asked: list[str]) -> None:
        self.talks.last_answers(run, _messages_in(outputs))
        if isinstance(error, GraphBubbleUp):
            error = None
        if error is None and (asked or any(talk.open or talk.waiting for talk in run.talks)):
            self.talks.rest(run, asked)
        else:
            self.talks.end_run(run, error)

    def _really_called(
        self, talk: Talk | None, identity: str, sent: str
    ) -> Callable[[str | None, Obj], object] | None:
        """Return what hears with which arguments a tool is called after a person's edit, inside of all middleware."""
        if talk is None:
            return None

        def heard(called: str | None, arguments: Obj) -> None:
            if called == sent and talk.run.person:
                self.attempt(lambda: self.talks.changed_by_person(talk, identity, plain(arguments)))

        return heard

    def _answered_by(
        self, talk: Talk | None, began: float, request: ModelRequest, response: object
    ) -> Response | None:
        """Record a response. Return it as the agent gets it, or None if that is not changed."""
        if talk is None:
            return None
        found = getattr(response, "model_response", response)  # the response may come with a command
        forms = isinstance(found, ModelResponse) and request.response_format is not None
        if isinstance(found, AIMessage):
            found = ModelResponse(result=[found])
        if not isinstance(found, ModelResponse):
            return None
        structured = found.structured_response
        tidy = self.talks.said(talk, began, "", found.result, structured, forms, request.messages)
        if isinstance(response, ModelResponse) and self.talks.owner is not None and self.talks.owner.tidy:
            return replace(response, result=list(tidy))
        return None

    def _of(self, request: ToolCallRequest) -> tuple[Talk, str] | None:
        """Return the conversation and the id of a call before its execution. Records its arguments if a person has
        edited them."""
        messages = conversation(request)
        around, answer = self._around()
        talk = self.talks.talk_with(messages)
        if talk is None and not self._as_middleware:
            talk = self._with_call(key_of(messages), identity_of(request))
        if talk is None:
            talk = self.talks.resumed(messages, _speaker("model", "", _control(), answer))
        if talk is None:
            return None
        self.talks.goes_on(talk, _control(), answer)
        self._belongs(talk.run, around)
        arguments = plain(dict(request.tool_call["args"]))
        identity = talk.identity(identity_of(request), request.tool_call["name"], arguments)
        if self.talks.deferred and identity not in talk.calls:  # another middleware added this call
            self.talks.added(talk, identity, request.tool_call["name"], arguments)
        if identity in talk.open:
            self.talks.changed_by_person(talk, identity, arguments)
        if request.tool is None or not request.tool.return_direct:
            talk.direct = False
        return talk, identity

    # Used as a callback handler:

    def on_chain_start(
        self,
        serialized: object,
        inputs: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: object,
    ) -> None:
        if not self._as_middleware:
            self._chains.begins(run_id, parent_run_id, inputs)

    def on_chain_end(self, outputs: object, *, run_id: UUID, **more: object) -> None:
        self.attempt(self._chain_ended, run_id, outputs, None)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **more: object) -> None:
        self.attempt(self._chain_ended, run_id, None, error)

    def on_chat_model_start(
        self,
        serialized: Obj | None,
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: object,
    ) -> None:
        if not self._as_middleware:
            names = _mapping(serialized).get("id")
            more["kind"] = names[-1] if isinstance(names, list) and names else "model"
            self.attempt(self._model_started, messages[0] if messages else [], run_id, parent_run_id, more)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **more: object) -> None:
        self.attempt(self._model_ended, response, run_id)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **more: object) -> None:
        talk, *_ = self._calls.pop(run_id, (None, 0.0, ""))
        self.attempt(self.talks.failed, talk, error, "model")

    def on_tool_start(
        self,
        serialized: Obj | None,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: object,
    ) -> None:
        if not self._as_middleware:
            self._chains.begins(run_id, parent_run_id)
            name = str(_mapping(serialized).get("name") or "")
            self.attempt(self._tool_started, run_id, name, str(more.get("tool_call_id") or ""), more)

    def on_tool_end(self, output: object, *, run_id: UUID, **more: object) -> None:
        self.attempt(self._tool_ended, output, run_id)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **more: object) -> None:
        self._chains.ends(run_id, error)
        talk, _, identity = self._calls.pop(run_id, (None, 0.0, ""))
        self.attempt(self.talks.failed, talk, error, "tool", "", identity)

    def _tool_started(self, run_id: UUID, tool: str, sent: str, more: Mapping[str, object]) -> None:
        arguments, around = more.get("inputs"), inside_call.get()
        given = plain(arguments) if isinstance(arguments, dict) else {}
        if (
            self.talks.owner is not None
        ):  # the gate has told the call from others; a person may have changed it
            if (
                isinstance(arguments, dict)
                and around is not None
                and around[2] == tool
                and around[0].run.person
            ):
                self.talks.changed_by_person(around[0], around[1], given)
            return
        root = self._chains.of(run_id) or run_id
        metadata = _mapping(more.get("metadata"))
        run = self._of_root.get(root)
        talk = self._open_call(root, sent, place_in(metadata))
        if talk is not None:
            identity = talk.identity(sent, tool, given)
        elif not sent and run is not None:
            where = place_in(metadata), agent_in(metadata)
            talk, identity = self.talks.of_program(tool, given, None, *where, run)
        else:
            return
        self._calls[run_id] = (talk, time.perf_counter(), identity)
        inside_call.set((talk, identity, tool))  # in the context of this call, where its sub-agents run
        self.talks.goes_on(talk, root, self._chains.answer(root))
        if root != run_id:
            self._of_root[root] = talk.run
        if isinstance(arguments, dict) and talk.run.person:
            self.talks.changed_by_person(talk, identity, given)

    def _open_call(self, root: UUID, sent: str, place: str) -> Talk | None:
        """Return the conversation of a call: that of its graph, one of its graph's run, or the only one that knows the
        call."""
        run = self._of_root.get(root)
        runs = self.talks.runs() if run is None else [run]
        found = [talk for one in runs for talk in reversed(one.talks) if talk.waits_for(sent)]
        found.sort(key=lambda talk: talk.place != place)
        return found[0] if found and (run is not None or len(found) == 1) else None

    def _check(self, talk: Talk, offered: frozenset[str]) -> None:
        """End a run before a call that cannot be caught. Raises ``StoppedAtGate``."""
        for call in talk.calls.values():
            if call.tool in offered and self.cannot_catch is not None and self.cannot_catch(call.tool):
                assert self.gate is not None
                raise self.gate.stop(
                    f"the run ended before {call.tool!r} was called: it is no tool of LangChain's, so nothing can "
                    "stop the program from calling it; make it one with @tool"
                )

    def called_by_program(self, tool: str, arguments: Obj, sent: str | None) -> tuple[Talk, str]:
        """Return the conversation and the id of a call that the program makes itself."""
        metadata = _metadata()
        return self.talks.of_program(tool, arguments, sent, place_in(metadata), agent_in(metadata))

    def _with_call(self, key: str, identity: str) -> Talk | None:
        """Return the conversation, of any run, that waits for the answer to a call of the message ``key``, or that
        has this message: a middleware may have added the call."""
        talks = [talk for run in reversed(self.talks.runs()) for talk in reversed(run.talks)]

        def fits(talk: Talk) -> tuple[bool, bool]:
            return talk.waits_for(identity), key != "" and any(k.endswith(key) for k in talk.keys)

        return max((talk for talk in talks if any(fits(talk))), key=fits, default=None)

    def _model_started(
        self, messages: list[BaseMessage], run_id: UUID, parent: UUID | None, more: Mapping[str, object]
    ) -> None:
        system = [m for m in messages if isinstance(m, SystemMessage)]
        said, metadata, options = (
            _mapping(more.get(part)) for part in ("invocation_params", "metadata", "options")
        )
        model = said.get("model") or said.get("model_name") or metadata.get("ls_model_name")
        root = self._chains.of(parent) or run_id
        tools = said.get("tools") or options.get("tools")
        tools = tools if isinstance(tools, list | tuple) else ()
        run = self._of_root.get(root)
        place = root if run is None else run.root
        speaker = Speaker(
            *(str(model or more["kind"]), agent_in(metadata), place, True),
            scope=str(root),
            place=place_in(metadata),
        )
        told = text_of(system[0]) if system else None
        talk = self.talks.asked(messages, told, tools, speaker)
        self._of_root[root] = talk.run
        self._calls[run_id] = (talk, talk.run.at(), str(root))
        if self.cannot_catch is not None and "ls_structured_output_format" not in options:
            self._offered[run_id] = frozenset(tool.name for tool in seen_tools(tools))

    def _model_ended(self, response: LLMResult, run_id: UUID) -> None:
        talk, began, scope = self._calls.pop(run_id, (None, 0.0, ""))
        offered = self._offered.pop(run_id, frozenset())
        if talk is None:
            return
        found = [
            g.message for row in response.generations[:1] for g in row[:1] if isinstance(g, ChatGeneration)
        ]
        self.talks.said(talk, began, scope, found, None, False)
        self._check(talk, offered)
        talk.direct = False  # only a middleware knows whether a tool's answer is the agent's
        if run_id in self._of_root:  # the model was called outside a chain
            self._chain_ended(run_id, None, None)

    def _tool_ended(self, output: object, run_id: UUID) -> None:
        self._chains.ends(run_id)
        talk, began, identity = self._calls.pop(run_id, (None, 0.0, ""))
        if talk is not None:
            self.talks.answered(talk, identity, output, time.perf_counter() - began)

    def _chain_ended(self, run_id: UUID, outputs: object, error: BaseException | None) -> None:
        """End the run of the outermost chain when it ends."""
        outermost, asked = self._chains.ends(run_id, error)
        run = self._of_root.pop(run_id, None) if outermost else None
        if run is None:
            return
        if self.talks.owner is not None:
            self.talks.last_answers(run, _messages_in(outputs))
        else:
            self._over(run, outputs, error, asked)


_recorders: weakref.WeakSet[Recorder] = weakref.WeakSet()


def _leave() -> None:
    """At the end of the program, record unfinished runs as aborted."""
    for recorder in list(_recorders):
        recorder.attempt(recorder.leave, False)


atexit.register(_leave)


def _messages_in(outputs: object) -> Sequence[object]:
    """Return the messages of a graph's last state."""
    messages = outputs.get("messages") if isinstance(outputs, dict) else None
    return messages if isinstance(messages, list) else ()


def _task_of(request: ModelRequest) -> str:
    """Return the id of the graph's task that makes a model call, the same for a retry; empty if unknown."""
    info = getattr(request.runtime, "execution_info", None)
    return str(getattr(info, "task_id", "") or "")


def _speaker(model: str, task: str, control: object, answer: str = "") -> Speaker:
    metadata = _metadata()
    nested = "|" in str(metadata.get("langgraph_checkpoint_ns") or "")
    return Speaker(
        *(model, agent_in(metadata), control, nested, task), answer=answer, place=place_in(metadata)
    )


def _metadata() -> Obj:
    """Return what LangGraph knows about the step that this code runs in; nothing outside a graph."""
    with suppress(RuntimeError):
        return _mapping(get_config().get("metadata"))
    return {}


def _mapping(value: object) -> Obj:
    return value if isinstance(value, dict) else {}


def place_in(metadata: Obj) -> str:
    """Return the name of the graph that a step belongs to, which is no other graph's of the run."""
    return str(metadata.get("langgraph_checkpoint_ns") or "").rpartition("|")[0]


def _control() -> object:
    """Return the object that stands for the outermost graph of this task, or None."""
    with suppress(Exception):
        runtime = get_config()["configurable"]["__pregel_runtime"]
        return getattr(runtime, "control", None)
    return None


def agent_in(metadata: Obj) -> str | None:
    """Return the name of the agent that a step belongs to: the agent's own, or that of its node in a graph."""
    name = metadata.get("lc_agent_name")
    place = str(metadata.get("langgraph_checkpoint_ns") or "").split("|")
    caller, around = place[-2].partition(":")[0] if len(place) > 1 else "", inside_call.get()
    if caller == "tools" and around is not None and name in (None, "", around[0].agent):
        return around[2]  # an agent without a name is called as the tool that it is; it inherits its caller's
    if isinstance(name, str) and name:
        return name
    if len(place) > 1:
        return caller or None
    if metadata.get("ls_integration") == "langchain_create_agent":
        return None
    node = metadata.get("langgraph_node")
    if node == "model":  # the node of create_agent; callbacks of a chat model do not tell who made the graph
        return None
    return node if isinstance(node, str) and node else None
