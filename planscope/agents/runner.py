"""One run of an agent, with limits, cancellation and a record (paper, section 5)."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, TypedDict, Unpack
from uuid import uuid4

from planscope.agents.event_loop import Stopping, put_down, wait_for
from planscope.agents.failures import explain
from planscope.agents.gate import CallGate, Ending, PendingCall, RunOver, StoppedAtGate, Verb
from planscope.agents.options import RunOptions
from planscope.agents.paradigms import Factory, chat_for, load_factory, made_by
from planscope.agents.react_format import prompt_event
from planscope.agents.toolset import make_toolset
from planscope.language.prompts import prompt_for
from planscope.session.model import (
    CallEvent,
    EndEvent,
    ErrorEvent,
    Event,
    ForkPoint,
    Limits,
    PromptEvent,
    Run,
    Variant,
)

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from planscope.agents.both_ways import BothWays
    from planscope.agents.conversations import Owner
    from planscope.agents.models import Graph, LoadedModel
    from planscope.agents.recorder import Recorder

STOPPED_BY_USER = "stopped by the user"
NOT_RECORDED = (
    "the agent does not use the middleware given to its factory, so nothing was recorded; pass it on"
)

OnEvent = Callable[[Event], object]


class Watched(TypedDict, total=False):
    """How a run is watched. ``gate`` is asked before each call (live debugging). ``kept`` has the first events of a
    fork, up to an answer, and ``forked_from`` their origin."""

    gate: CallGate | None
    on_event: OnEvent | None
    kept: Sequence[Event]
    forked_from: ForkPoint | None


class AgentRun:
    """A run that can be watched, paused and stopped. ``run.events`` grows while :meth:`go` runs; it is always valid.

    Whoever made the agent, and whatever its tools are: one recorder makes the events, and each call passes one gate.
    :meth:`go` turns every failure of model, network and tools into the end of the run.
    """

    limits: Limits | None = None
    """No limits for an agent that the user runs with its own tools."""

    def __init__(self, run: Run, **watched: Unpack[Watched]) -> None:
        self.run = run
        run.forked_from = watched.get("forked_from")
        self._gate, self._kept = watched.get("gate"), tuple(watched.get("kept", ()))
        on_event = watched.get("on_event")
        self._heard: OnEvent = (lambda event: None) if on_event is None else on_event
        self._begins = max((e.at for e in self._kept), default=0.0)
        self._began = time.perf_counter()
        self._clock: asyncio.Timeout | None = None
        self._left: float | None = None  # seconds, while the clock rests
        self._asked = 0  # calls that the gate thinks about
        self._stopping = Stopping()
        self._lock = threading.Lock()
        self._ended = False
        self._broken: Exception | None = None
        self._recorder: Recorder | None = None

    # What the agent is

    async def _converse(self, recorder: Recorder) -> None:
        """Run the agent, with the recorder among its middleware or its callbacks."""
        raise NotImplementedError

    def _first(self) -> Sequence[Event]:
        """Return the events that the run begins with."""
        return self._kept

    def _unseen(self, recorder: Recorder) -> str:
        """Return what to say if the recorder saw nothing of the agent, else ""."""
        return ""

    def _around(self, recorder: Recorder) -> AbstractContextManager[object]:
        """Return what is around the agent while it is at work."""
        return nullcontext()

    def _explain(self, error: BaseException, where: str) -> tuple[str, str]:
        return explain(error, where=where)

    async def _close(self) -> None:
        """Release what the run holds."""

    def _owner(self) -> Owner:
        """Return what the recorder is to know of this run."""
        from planscope.agents.conversations import Owner

        step = sum(isinstance(e, CallEvent) for e in self._kept)
        return Owner(self._began, step, prompted=bool(self._kept), explain=self._explain)

    def made_recorder(self) -> Recorder:
        """Return the recorder of this run."""
        from planscope.agents.conversations import Conversations
        from planscope.agents.gated import Gated
        from planscope.agents.recorder import Recorder

        talks = Conversations(self._opened, owner=self._owner())
        recorder = Recorder(talks)
        recorder.gate = Gated(talks, None if self._gate is None else self, recorder.attempt)
        recorder.gate.on_stop = self.stop
        recorder.limit = None if self.limits is None else self.limits.model_calls
        return recorder

    # Its way from begin to end

    def stop(self) -> None:
        """End the run at once, from any thread; it is recorded as aborted. Does nothing if it has ended."""
        self._stopping.ask()

    def wait(self) -> Run:
        """Run :meth:`go` on the shared event loop. Blocks, so do not call it from the screen's thread."""
        try:
            return wait_for(self.go())
        except KeyboardInterrupt:  # an agent that did not stop in time
            if self._recorder is not None and self.run.events:
                self._end("aborted", STOPPED_BY_USER)
            raise

    async def go(self) -> Run:
        """Run to the end. If the caller's task is cancelled, the record ends, and the cancellation is raised."""
        self.run.started = datetime.now(UTC)
        self._began = time.perf_counter() - self._begins
        self._recorder = recorder = self.made_recorder()
        try:
            for event in self._first():
                self._put(event)
            await self._work(recorder)
        finally:
            await self._close()
        if self._broken is not None:
            raise self._broken
        return self.run

    async def _work(self, recorder: Recorder) -> None:
        """Let the agent work within its time, and record how the run ended."""
        work = asyncio.create_task(self._converse(recorder))
        seconds = None if self.limits is None else self.limits.seconds
        try:
            with self._around(recorder), self._stopping.asked() as stopping:
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds) as clock:
                        self._clock = clock
                        await asyncio.wait({work, stopping}, return_when=asyncio.FIRST_COMPLETED)
                cut = not work.done()
                recorder.closed |= cut
                await put_down(work)
        except asyncio.CancelledError:  # the caller's task was cancelled
            try:
                await put_down(work)
            finally:
                _failure(work)
                self._end("aborted", STOPPED_BY_USER)
            raise
        error, talks = _failure(work), recorder.talks
        if recorder.gate is not None and recorder.gate.stopped is not None:
            error = recorder.gate.stopped
        if isinstance(error, StoppedAtGate):
            self._end("aborted", str(error) or STOPPED_BY_USER)
        elif cut and clock.expired():
            self._end("timeout", f"over {seconds:g} seconds")
        elif cut or work.cancelled():
            self._end("aborted", STOPPED_BY_USER)
        elif isinstance(error, RunOver):
            self._end(error.ending, str(error))
        elif error is not None and (runs := talks.runs()):
            talks.end_run(runs[0], error)
        elif error is not None:
            self._trouble(*self._explain(error, "agent"))
        elif unseen := self._unseen(recorder):
            self._trouble("agent", unseen)
        else:
            self._end("stopped")

    def _end(self, ending: Ending, reason: str | None = None) -> None:
        if self._recorder is not None and self._recorder.talks.runs():
            self._recorder.talks.close(ending, reason)
        else:
            self._put(EndEvent(at=self.at(), ending=ending, reason=reason))

    def _trouble(self, kind: str, line: str) -> None:
        self._put(ErrorEvent(at=self.at(), kind=kind, text=line))
        self._put(EndEvent(at=self.at(), ending="aborted", reason=line))

    def at(self) -> float:
        """Seconds since the run began."""
        return round(time.perf_counter() - self._began, 6)

    def _put(self, event: Event) -> None:
        """Record an event, unless the run has ended: a user's agent may leave calls running."""
        with self._lock:
            if self._ended:
                return
            self._ended = isinstance(event, EndEvent)
            self.run.events.append(event)
        try:
            self._heard(event)
        except Exception as error:  # noqa: BLE001  # go() raises it
            self._broken = self._broken or error
            self.stop()

    # The gate of its recorder: the limit of time rests while a person thinks

    async def ask(self, call: PendingCall, later: bool) -> Verb:
        assert self._gate is not None
        if not later:
            return await self._gate.ask(call, later)
        clock, loop = self._clock, asyncio.get_running_loop()
        if clock is not None and (when := clock.when()) is not None:
            self._left = when - loop.time()
            clock.reschedule(None)
        self._asked += 1
        try:
            return await self._gate.ask(call, later)
        finally:
            self._asked -= 1
            # Of calls that wait side by side, the last one starts the clock again
            if clock is not None and self._left is not None and not self._asked and not clock.expired():
                clock.reschedule(loop.time() + self._left)

    # Where its recorder writes

    token = ""

    def _opened(self, head: Mapping[str, object]) -> AgentRun:
        return self

    def append(self, line: Mapping[str, object]) -> None:
        """Take over the arguments that a call was really made with, after a person's edit."""

    def append_text(self, *lines: str) -> None:
        """Take over the tools, which are known."""

    def events(self, events: Iterable[Event]) -> None:
        for event in events:
            self._put(event)

    def close(self) -> None:
        """The recorder has ended the run."""


class PromptedRun(AgentRun):
    """A run of an agent that is asked one text, ``prompt``, with a model and with tools of ours. ``factory`` makes a
    user's own agent of them; its recorder is a middleware."""

    limits: Limits

    def __init__(
        self,
        run: Run,
        model: LoadedModel,
        limits: Limits,
        factory: Factory | None,
        **watched: Unpack[Watched],
    ) -> None:
        super().__init__(run, **watched)
        self._model, self._factory, self.limits = model, factory, limits

    def _prompt(self) -> PromptEvent:
        raise NotImplementedError

    async def _agent(self, middleware: Sequence[BothWays]) -> Graph:
        raise NotImplementedError

    def _messages(self) -> list[BaseMessage]:
        from langchain_core.messages import HumanMessage

        return [HumanMessage(self._prompt().text)]

    def _first(self) -> Sequence[Event]:
        return self._kept or [self._prompt()]

    def _owner(self) -> Owner:
        from planscope.agents.given import GivenSoFar

        kept = next((e for e in self._kept if isinstance(e, PromptEvent)), None)
        given = None if self._factory is None else GivenSoFar(kept or self._prompt())
        return replace(super()._owner(), prompted=True, tidy=True, given=lambda *asked: given)

    def _unseen(self, recorder: Recorder) -> str:
        return "" if recorder.calls_made else NOT_RECORDED

    def _explain(self, error: BaseException, where: str) -> tuple[str, str]:
        return explain(error, where=where, keys=self._model.keys, host=self._model.host)

    async def _converse(self, recorder: Recorder) -> None:
        """Run a fresh conversation. It is uploaded to LangSmith only if that was requested."""
        from planscope.agents.langchain_agent import tracing

        with tracing(self._traced):
            agent = await self._agent([recorder])
            await agent.ainvoke({"messages": self._messages()})

    _traced = False


class LiveRun(PromptedRun):
    """A run of a variant's query, with mock tools.

    The model of the options is loaded here, and closed at the end; ``loaded`` is used in its place and stays open, for
    many runs on one event loop.

    The constructor raises ``ModelUnavailable``, ``UnknownAgent`` or ``BadToolset``, each with one line.
    """

    def __init__(
        self,
        variant: Variant,
        options: RunOptions,
        *,
        loaded: LoadedModel | None = None,
        run_id: str | None = None,
        **watched: Unpack[Watched],
    ) -> None:
        factory = load_factory(options.agent)
        self._options = options
        self._problem = None
        if options.guard:
            from planscope.rules.in_session import guarded_problem

            self._problem = guarded_problem(variant, options.rules)
        self._tools = make_toolset(variant.actions, timed=variant.query.timed)
        self._text = prompt_for(variant.query.text, timed=variant.query.timed, file=options.prompts)
        self._own = loaded is None
        self._traced = options.tracing
        model = loaded or options.load()
        if options.agent == "responses":
            chat_for(options.agent, model)  # raises if the agent cannot use the model
        run = Run(
            id=run_id or f"r{uuid4().hex[:8]}",
            variant=variant.id,
            agent=options.agent,
            model=model.spec.text,
            seed=model.seed,
        )
        super().__init__(run, model, options.limits or variant.limits, factory, **watched)

    def wait(self) -> Run:
        prepare()
        return super().wait()

    async def _close(self) -> None:
        if self._own:
            await self._model.aclose()

    def _prompt(self) -> PromptEvent:
        return prompt_event(self.run.agent, self._text, self._options.role, [t.spec for t in self._tools])

    def made_recorder(self) -> Recorder:
        recorder = super().made_recorder()
        answers = {tool.spec.name: tool for tool in self._tools}
        assert recorder.gate is not None
        recorder.gate.preview = lambda tool, given: (
            answers[tool].answer(given)[0] if tool in answers else None
        )
        return recorder

    def _messages(self) -> list[BaseMessage]:
        from langchain_core.messages import SystemMessage

        from planscope.agents.messages import messages_of

        messages = messages_of(self._kept) or super()._messages()
        if self._factory is not None and self._options.role:
            messages.insert(0, SystemMessage(self._options.role))
        return messages

    async def _agent(self, middleware: Sequence[BothWays]) -> Graph:
        from planscope.agents.langchain_agent import langchain_tools, shared_agent

        if self._problem is not None:
            from planscope.agents.guard_middleware import GuardMiddleware

            middleware = [*middleware, GuardMiddleware(self._problem)]
        if self._factory is None:
            return shared_agent(self._model, self.run.agent, self._tools, middleware, self._options.role)
        return await made_by(self._factory, self._model.chat, langchain_tools(self._tools), middleware)


def prepare() -> None:
    """Import what a run needs. The first time takes a second or more, and here an interrupt can stop it."""
    import_module("langsmith")
    for name in ("gated", "guard_middleware", "langchain_agent", "messages", "own_agent", "react_model"):
        import_module(f"planscope.agents.{name}")


def _failure(work: asyncio.Task[object]) -> BaseException | None:
    """Return the exception of a task. Retrieving it keeps asyncio from logging it to standard error."""
    return None if not work.done() or work.cancelled() else work.exception()
