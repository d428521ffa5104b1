"""One run of an agent on a variant, with limits, cancellation and a record (paper, section 5)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from planscope.agents.event_loop import Stopping, put_down, wait_for
from planscope.agents.failures import explain
from planscope.agents.options import RunOptions
from planscope.agents.paradigms import chat_for, load_factory, made_by
from planscope.agents.react_format import prompt_event
from planscope.agents.toolset import make_toolset
from planscope.session.model import (
    CallEvent,
    EndEvent,
    ErrorEvent,
    Event,
    ForkPoint,
    PromptEvent,
    Run,
    Variant,
)

if TYPE_CHECKING:
    from planscope.agents.gate import Gate, PendingCall, Verb
    from planscope.agents.models import LoadedModel
    from planscope.agents.recorder import Recorder

STOPPED_BY_USER = "stopped by the user"
NOT_RECORDED = (
    "the agent does not use the middleware given to its factory, so nothing was recorded; pass it on"
)

OnEvent = Callable[[Event], None]


class LiveRun:
    """A run that can be watched and stopped. ``run.events`` grows while :meth:`go` runs; ``run`` is always valid.

    The model of the options is loaded here, and closed at the end; ``loaded`` is used in its place and stays open, for
    many runs on one event loop. ``gate`` is asked before each call (live debugging). ``kept`` has the first events of a
    fork, up to an answer, and ``forked_from`` their origin.

    The constructor raises ``ModelUnavailable``, ``UnknownAgent`` or ``BadToolset``, each with one line. :meth:`go`
    turns every failure of model, network and tools into the end of the run.
    """

    def __init__(
        self,
        variant: Variant,
        options: RunOptions,
        *,
        loaded: LoadedModel | None = None,
        run_id: str | None = None,
        on_event: OnEvent | None = None,
        gate: Gate | None = None,
        kept: Sequence[Event] = (),
        forked_from: ForkPoint | None = None,
    ) -> None:
        from planscope.language.prompts import prompt_for

        self._factory = load_factory(options.agent)
        self._options = options
        self._problem = None
        if options.guard:
            from planscope.rules.in_session import guarded_problem

            self._problem = guarded_problem(variant, options.rules)
        self._gate = gate
        self._clock: asyncio.Timeout | None = None
        self._kept = tuple(kept)
        self._tools = make_toolset(variant.actions, timed=variant.query.timed)
        self._prompt = prompt_for(variant.query.text, timed=variant.query.timed, file=options.prompts)
        self._limits = options.limits or variant.limits
        self._on_event = on_event
        self._own = loaded is None
        self._model = loaded or options.load()
        if options.agent == "responses":
            chat_for(options.agent, self._model)  # raises if the agent cannot use the model
        self._lock = threading.Lock()
        self._stopping = Stopping()
        self._recorder: Recorder | None = None
        self._broken_callback: Exception | None = None
        self._ended = False
        self.run = Run(
            id=run_id or f"r{uuid4().hex[:8]}",
            variant=variant.id,
            forked_from=forked_from,
            agent=options.agent,
            model=self._model.spec.text,
            seed=self._model.seed,
        )

    def stop(self) -> None:
        """End the run at once, from any thread; it is recorded as aborted. Does nothing if it has ended."""
        self._stopping.ask()

    async def go(self) -> Run:
        """Run to the end. If the caller's task is cancelled, the record ends, and the cancellation is raised."""
        from planscope.agents.recorder import Recorder

        self.run.started = datetime.now(UTC)
        answers = {tool.spec.name: tool for tool in self._tools}

        def preview(tool: str, arguments: Mapping[str, object]) -> str | None:
            return answers[tool].answer(arguments)[0] if tool in answers else None

        kept = next((e for e in self._kept if isinstance(e, PromptEvent)), None)
        prompt = kept or prompt_event(self.run.agent, self._prompt, self._options.role, self._tools)
        self._recorder = recorder = Recorder(
            self._emit,
            model_calls=self._limits.model_calls,
            step=sum(isinstance(e, CallEvent) for e in self._kept),
            begins=max((e.at for e in self._kept), default=0.0),
            gate=self._patient if self._gate is not None else None,
            preview=preview,
            prompt=prompt if self._factory is not None else None,
        )
        try:
            if not self._kept:
                self._emit(prompt)
            for event in self._kept:
                self._emit(event)
            with self._stopping.asked() as stopping:
                self._emit(await self._finish(recorder, stopping))
        finally:
            if self._own:
                await self._model.aclose()
        return self.run

    def wait(self) -> Run:
        """Run :meth:`go` on the shared event loop. Blocks, so do not call it from the screen's thread."""
        prepare()
        try:
            return wait_for(self.go())
        except KeyboardInterrupt:
            self._break_off()
            raise

    def _break_off(self) -> None:
        """End the record of an interrupted agent that did not stop in time."""
        if self._recorder is not None and self.run.events:
            self._emit(self._end(self._recorder, "aborted", STOPPED_BY_USER))

    async def _patient(self, call: PendingCall) -> Verb:
        """Ask the gate while the time limit pauses: the user is thinking, not the agent."""
        assert self._gate is not None
        clock, now = self._clock, asyncio.get_running_loop().time
        when = clock.when() if clock is not None else None
        if clock is None or when is None:
            return await self._gate(call)
        left = when - now()
        clock.reschedule(None)
        verb = await self._gate(call)
        if not clock.expired():
            clock.reschedule(now() + left)
        return verb

    async def _finish(self, recorder: Recorder, stopping: asyncio.Future[None]) -> EndEvent:
        """Wait for the agent, and say how the run ended."""
        work = asyncio.create_task(self._converse(recorder))
        cut = True
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._limits.seconds) as clock:
                    self._clock = clock
                    await asyncio.wait({work, stopping}, return_when=asyncio.FIRST_COMPLETED)
            cut = not work.done()
            await put_down(work)
        except asyncio.CancelledError:  # the caller's task was cancelled
            try:
                await put_down(work)
            finally:
                _failure(work)
                self._emit(self._end(recorder, "aborted", STOPPED_BY_USER))
            raise
        error = _failure(work)
        if self._broken_callback is not None:
            raise self._broken_callback from None
        if cut and clock.expired():
            return self._end(recorder, "timeout", f"over {self._limits.seconds:g} seconds")
        if cut or work.cancelled():
            return self._end(recorder, "aborted", STOPPED_BY_USER)
        return self._ended_by_itself(recorder, error)

    def _ended_by_itself(self, recorder: Recorder, error: BaseException | None) -> EndEvent:
        from planscope.agents.gate import StoppedAtGate
        from planscope.agents.recorder import CallLimitReached

        if isinstance(error, CallLimitReached):
            reason = str(error) or f"over {self._limits.model_calls} model calls"
            return self._end(recorder, "call_limit", reason)
        if isinstance(error, StoppedAtGate):
            return self._end(recorder, "aborted", STOPPED_BY_USER)
        if error is not None:
            return self._abort(recorder, error)
        if not recorder.calls_made:
            self._emit(ErrorEvent(at=recorder.at(), kind="agent", text=NOT_RECORDED))
            return self._end(recorder, "aborted", NOT_RECORDED)
        return self._end(recorder, "stopped")

    async def _converse(self, recorder: Recorder) -> None:
        """Run a fresh conversation. It is uploaded to LangSmith only if ``tracing`` was requested."""
        from langchain_core.messages import HumanMessage, SystemMessage

        from planscope.agents.langchain_agent import langchain_tools, shared_agent, tracing
        from planscope.agents.messages import messages_of

        middleware: list[Any] = [recorder]
        if self._problem is not None:
            from planscope.agents.guard_middleware import GuardMiddleware

            middleware.append(GuardMiddleware(self._problem))
        messages: list[Any] = messages_of(self._kept) or [HumanMessage(self._prompt)]
        if self._factory is not None and self._options.role:
            messages.insert(0, SystemMessage(self._options.role))
        with tracing(self._options.tracing):
            if self._factory is None:
                agent = shared_agent(self._model, self.run.agent, self._tools, middleware, self._options.role)
            else:
                agent = await made_by(
                    self._factory, self._model.chat, langchain_tools(self._tools), middleware
                )
            await agent.ainvoke({"messages": messages})

    def _abort(self, recorder: Recorder, error: BaseException) -> EndEvent:
        kind, line = explain(error, where=recorder.phase, keys=self._model.keys, host=self._model.host)
        self._emit(ErrorEvent(at=recorder.at(), kind=kind, text=line))
        return self._end(recorder, "aborted", line)

    def _end(
        self,
        recorder: Recorder,
        ending: Literal["stopped", "timeout", "call_limit", "aborted"],
        reason: str | None = None,
    ) -> EndEvent:
        return EndEvent(at=recorder.at(), ending=ending, reason=reason)

    def _emit(self, event: Event) -> None:
        """Record an event, unless the run has ended: a user's own agent may leave calls running."""
        with self._lock:
            if self._ended:
                return
            self._ended = isinstance(event, EndEvent)
            self.run.events.append(event)
        if self._on_event is not None:
            try:
                self._on_event(event)
            except Exception as error:
                self._broken_callback = error
                raise


def prepare() -> None:
    """Import what a run needs. The first time takes a second or more, and here an interrupt can stop it."""
    import_module("langsmith")
    for name in ("guard_middleware", "langchain_agent", "messages", "react_model", "recorder"):
        import_module(f"planscope.agents.{name}")


def _failure(work: asyncio.Task[Any]) -> BaseException | None:
    """Return the exception of a task. Retrieving it keeps asyncio from logging it to standard error."""
    return None if not work.done() or work.cancelled() else work.exception()
