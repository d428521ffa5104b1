"""A user's own agent, live, with its own tools: every call passes a gate before its tool is really called.

The agent is imported as it is. Its model calls are heard by callbacks, and its tools are caught wherever the graph
calls them (``own_tools.py``); so sub-agents that a tool calls are seen, too.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Unpack
from uuid import uuid4

from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool
from langgraph.errors import is_invalid_resume
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

from planscope.agents.conversations import Conversations, answered_by_person, waits_for
from planscope.agents.event_loop import wait_for
from planscope.agents.failures import one_line
from planscope.agents.gate import (
    Answer,
    EditAnswer,
    EditArguments,
    GoOn,
    Pauser,
    PendingCall,
    RunOver,
    Verb,
)
from planscope.agents.given import seen_tool
from planscope.agents.graphs import text_of_value
from planscope.agents.interrupts import (
    NO_CHECKPOINTER,
    Asked,
    Person,
    asked_in,
    can_go_on,
    questions_in,
    resumed_by,
)
from planscope.agents.messages import messages_of
from planscope.agents.models import Graph
from planscope.agents.own_tools import at_work, catch_all, collecting, find_nodes, is_no_tool, running
from planscope.agents.paradigms import UnknownAgent, awaited, imported
from planscope.agents.recorder import Recorder
from planscope.agents.reruns import RecordedAnswers, not_captured, state_kept
from planscope.agents.runner import AgentRun, Watched
from planscope.session.json_bytes import Obj, plain
from planscope.session.model import (
    ActionRecord,
    CallEvent,
    Event,
    MessageEvent,
    PromptEvent,
    Run,
)
from planscope.session.oracle_input import plain_name

NOT_SEEN = (
    "the agent called no chat model that planscope can see, so nothing was recorded; it gets callbacks in its config, "
    "and has to pass that config on"
)
NOT_CALLED = "(not called: this is a dry run)"


@dataclass(eq=False)
class LoadedAgent:
    """An agent that the user named: a compiled graph, or a factory of one. ``nodes``: where its tools are called."""

    name: str
    made: Callable[..., object]
    nodes: list[ToolNode] = field(default_factory=list)

    @property
    def is_factory(self) -> bool:
        return not _runs(self.made)

    @property
    def takes_middleware(self) -> bool:
        return self.is_factory and _parameters(self.made) > 0

    @property
    def tools(self) -> dict[str, BaseTool]:
        """The tools that are known so far, by name. A factory makes them only when it is called."""
        return {name: tool for node in self.nodes for name, tool in node.tools_by_name.items()}

    def actions(self) -> list[ActionRecord]:
        """Return the tools as actions of a variant."""
        found: list[ActionRecord] = []
        for name, tool in self.tools.items():
            seen = seen_tool(name, tool, tool)
            found.append(
                ActionRecord(
                    id=f"a{len(found) + 1}",
                    name=plain_name(name),
                    tool=name,
                    description=seen.description,
                    parameters=seen.parameters,
                )
            )
        return found

    def make_once(self) -> None:
        """Let a factory make an agent, to know its tools and its errors. Raises :class:`UnknownAgent`."""
        try:
            wait_for(self.runnable())
        except Exception as error:
            why = one_line(f"{type(error).__name__}: {error}")
            raise UnknownAgent(f"the agent {self.name[:80]!r} cannot be made ({why})") from error

    async def runnable(self, middleware: Sequence[object] = ()) -> Graph:
        """Return the agent itself; a factory is called with ``middleware``. Raises TypeError if it makes none."""
        made: object = self.made
        with collecting(self.nodes):
            if self.is_factory:
                made = self.made(list(middleware)) if _parameters(self.made) else self.made()
            agent = await awaited(made, "invoke")
        find_nodes(agent, self.nodes)
        return agent


_loaded: dict[str, LoadedAgent] = {}
"""Agents that the user named in a command; a session file must not cause an import."""


def load_agent(name: str) -> LoadedAgent:
    """Import the agent that ``package.module:agent`` names. Raises :class:`UnknownAgent`."""
    nodes: list[ToolNode] = []
    with collecting(nodes):
        found = imported(name, "name a compiled graph, or a function of (middleware) that returns one")
    if not _runs(found) and not callable(found):
        raise UnknownAgent(
            f"{name[:80]!r} is no agent; name a compiled graph, or a function of (middleware) that returns one"
        )
    agent = _loaded[name] = LoadedAgent(name, found, nodes)
    if not agent.is_factory:
        find_nodes(found, nodes)
    return agent


def loaded(name: str) -> LoadedAgent | None:
    """Return an agent that the user named before in this process."""
    return _loaded.get(name)


def _runs(made: object) -> bool:
    return not inspect.isclass(made) and callable(getattr(made, "invoke", None))


def _parameters(factory: Callable[..., object]) -> int:
    try:
        return len(inspect.signature(factory).parameters)
    except (TypeError, ValueError):
        return 1


class DryGate:
    """Lets no call reach its tool: the answer is a recorded one, or the user's, who is asked by ``pauser``."""

    closed = True
    """No tool may be called that does not pass the gate."""

    def __init__(self, pauser: Pauser, recorded: RecordedAnswers | None = None) -> None:
        self._pauser, self._recorded = pauser, recorded

    async def ask(self, call: PendingCall, later: bool) -> Verb:
        found = self._recorded.find(call)[0] if self._recorded is not None else None
        if found is not None:
            return found
        self._pauser.step(True)
        verb = await self._pauser.ask(call, later)
        if isinstance(verb, EditAnswer):
            return Answer(verb.text)
        return Answer(NOT_CALLED) if isinstance(verb, GoOn | EditArguments) else verb


class OwnRun(AgentRun):
    """A run of a user's agent with its own tools.

    ``given``: what the agent is asked, a text or the graph's input as a mapping. ``kept``: the first events of a fork
    of the run ``of``, whose messages and state the agent goes on from; no call among them is made again.
    ``middleware`` goes to a factory. ``note`` is said at the beginning of the record. ``person`` answers an interrupted
    graph; without one the run ends there.
    """

    def __init__(
        self,
        agent: LoadedAgent,
        given: str | Mapping[str, object],
        *,
        variant: str,
        run_id: str,
        of: Run | None = None,
        middleware: Sequence[object] = (),
        note: str = "",
        person: Person | None = None,
        **watched: Unpack[Watched],
    ) -> None:
        run = Run(id=run_id, variant=variant, agent=agent.name, model="its own")
        super().__init__(run, **watched)
        self._agent, self._given, self._of = agent, given, of
        if of is not None:
            run.state = of.state
        elif isinstance(given, Mapping):
            run.state = {key: None if key == "messages" else plain(one) for key, one in given.items()}
        self._middleware, self._person = middleware, person
        self._notes = [note] if note else []
        self._in_thread = False

    def made_recorder(self) -> Recorder:
        recorder = super().made_recorder()
        recorder.closed = getattr(self._gate, "closed", False)
        if recorder.closed or isinstance(self._gate, Pauser):
            recorder.cannot_catch = lambda name: name not in self._agent.tools and is_no_tool(name)
        return recorder

    def _around(self, recorder: Recorder) -> AbstractContextManager[object]:
        return at_work(recorder)

    def _unseen(self, recorder: Recorder) -> str:
        return "" if recorder.talks.runs() or self._kept else NOT_SEEN

    def _opened(self, head: Mapping[str, object]) -> OwnRun:
        self.run.model = str(head["model"])
        return self

    def append(self, line: Mapping[str, object]) -> None:
        done = line.get("done_with")
        for place, event in enumerate(self.run.events if done is not None else ()):
            if isinstance(event, CallEvent) and event.step == line["step"]:
                asked = event.arguments if event.asked is None else event.asked
                self.run.events[place] = event.model_copy(update={"arguments": done, "asked": asked})

    def events(self, events: Iterable[Event]) -> None:
        for event in events:
            self._put(event)
            for note in self._notes if isinstance(event, PromptEvent) else ():
                self._put(MessageEvent(at=event.at, by="system", text=note))

    async def _converse(self, recorder: Recorder) -> None:
        agent = await self._agent.runnable(self._middleware)
        given: object = self._given
        if self._kept:
            state, differs = await state_kept(agent, self._kept, self._of)
            self._put(MessageEvent(at=self._begins, by="system", text=not_captured(differs)))
            given = {**state, "messages": messages_of(self._kept)}
        elif isinstance(given, str):
            given = {"messages": [HumanMessage(given)]}
        running.set(recorder)
        catch_all()
        config = self._config(recorder)
        try:
            result = await self._invoked(agent, given, config)
        except NotImplementedError:  # a middleware of the user's is only synchronous
            if self._in_thread or any(isinstance(e, CallEvent) and not e.kept for e in self.run.events):
                raise
            self._in_thread, config = True, self._config(recorder)
            result = await self._invoked(agent, given, config)
        while asked := asked_in(result):
            result = await self._resumed(agent, recorder.talks, config, asked)

    def _config(self, recorder: Recorder) -> Obj:
        self.run.thread = uuid4().hex
        return {"callbacks": [recorder], "configurable": {"thread_id": self.run.thread}}

    async def _invoked(self, agent: Graph, given: object, config: Obj) -> object:
        if self._in_thread or not callable(getattr(agent, "ainvoke", None)):
            return await asyncio.to_thread(agent.invoke, given, config)
        return await agent.ainvoke(given, config)

    async def _resumed(self, agent: Graph, talks: Conversations, config: Obj, asked: Asked) -> object:
        """Let a person answer an interrupted graph, and go on with it. Raises :class:`StoppedAtGate` if it cannot."""
        questions = questions_in(asked)
        if not talks.asks_person(questions):
            self._notes.append(waits_for(questions))  # no model was called yet
        if self._person is None or not can_go_on(agent):
            why = "" if can_go_on(agent) else f" ({NO_CHECKPOINTER})"
            raise RunOver("aborted", f"the agent {waits_for(questions)}{why}")
        wrong = ""
        while True:
            with ExitStack() as stack:
                for run in talks.runs():
                    stack.enter_context(run.thinking())
                values = await self._person(asked, wrong)
            resume = resumed_by(asked, values)
            said = text_of_value(values[0] if len(values) == 1 else resume)
            if not talks.person_answers(said):
                self._notes.append(answered_by_person(said))
            try:
                return await self._invoked(agent, Command(resume=resume), config)
            except Exception as error:
                if not is_invalid_resume(error):
                    raise
                wrong = f"the agent does not take that answer: {one_line(str(error))}"


def given_in(text: str) -> str | Mapping[str, object]:
    """Return what to ask an agent: the text, or the graph's whole input if it is a JSON object."""
    if text.lstrip().startswith("{"):
        try:
            found = json.loads(text)
        except ValueError:
            return text
        if isinstance(found, dict):
            return found
    return text
