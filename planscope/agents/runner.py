"""One run of an agent on a variant: limits, cancelling, and a record of all that happens (paper, section 5)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from planscope.agents.background import wait_for
from planscope.agents.failures import explain
from planscope.agents.models import LoadedModel, load_model
from planscope.agents.toolset import make_toolset
from planscope.errors import UserError
from planscope.session.events import EndEvent, ErrorEvent, Event, PromptEvent
from planscope.session.model import Limits, Run, Variant

if TYPE_CHECKING:
    from planscope.agents.recorder import Recorder

AGENTS = ("tools",)
"""Paradigms by name (Table 1 of the paper)."""

STOPPED_BY_USER = "stopped by the user"

OnEvent = Callable[[Event], None]


class UnknownAgent(UserError):
    """There is no such paradigm. One line."""


class LiveRun:
    """A run that can be watched and stopped. ``run.events`` grows while :meth:`go` runs; ``run`` is always whole.

    ``model`` is a ``--model`` text (loaded, and closed at the end) or a :class:`LoadedModel` (left open, for many
    runs on one event loop). ``role`` is a role prompt, ``prompts`` the user's own file of templates.

    Making one raises ``ModelUnavailable``, ``UnknownAgent`` or ``BadToolset``, each one line; ``go`` itself turns
    every failure of model, network and tools into the run's end.
    """

    def __init__(
        self,
        variant: Variant,
        *,
        model: str | LoadedModel,
        agent: str = "tools",
        seed: int | None = None,
        role: str | None = None,
        prompts: Path | None = None,
        limits: Limits | None = None,
        base_url: str | None = None,
        run_id: str | None = None,
        on_event: OnEvent | None = None,
    ) -> None:
        from planscope.language.prompts import prompt_for

        if agent not in AGENTS:
            raise UnknownAgent(f"there is no agent {agent[:40]!r}: the agents are {', '.join(AGENTS)}")
        self._tools = make_toolset(variant.actions, timed=variant.query.timed)
        self._prompt = prompt_for(variant.query.text, timed=variant.query.timed, file=prompts)
        self._role = role
        self._limits = limits or variant.limits
        self._on_event = on_event
        self._own = isinstance(model, str)
        self._model = load_model(model, seed=seed, base_url=base_url) if isinstance(model, str) else model
        self._lock = threading.Lock()
        self._stop = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._work: asyncio.Task[Any] | None = None
        self._broken_callback: Exception | None = None
        self.run = Run(
            id=run_id or f"r{uuid4().hex[:8]}",
            variant=variant.id,
            agent=agent,
            model=self._model.spec.text,
            seed=self._model.seed,
        )

    def stop(self) -> None:
        """End the run at once, from any thread; it is recorded as aborted. Does nothing where it has ended."""
        with self._lock:
            self._stop = True
            if self._loop is not None and self._work is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._work.cancel)

    async def go(self) -> Run:
        """Run to the end. Cancelling the caller's task ends the record, too, and is passed on."""
        from planscope.agents.recorder import Recorder

        self.run.started = datetime.now(UTC)
        recorder = Recorder(self._emit, model_calls=self._limits.model_calls)
        try:
            self._emit(PromptEvent(text=self._prompt, system=self._role))
            self._emit(await self._finish(recorder))
        finally:
            with self._lock:
                self._loop = self._work = None
            if self._own:
                await self._model.aclose()
        return self.run

    def wait(self) -> Run:
        """:meth:`go` on the event loop that all such runs share; blocks, so not from a thread with a screen."""
        return wait_for(self.go())

    async def _finish(self, recorder: Recorder) -> EndEvent:
        """Wait for the agent, and say how it came to its end."""
        from planscope.agents.recorder import CallLimitReached

        seconds = self._limits.seconds
        with self._lock:
            self._loop = asyncio.get_running_loop()
            self._work = asyncio.create_task(self._converse(recorder))
            if self._stop:
                self._work.cancel()
        try:
            async with asyncio.timeout(seconds) as clock:
                await self._work
        except TimeoutError as error:
            if clock.expired():
                return self._end(recorder, "timeout", f"over {seconds:g} seconds")
            return self._abort(recorder, error)
        except asyncio.CancelledError:
            end = self._end(recorder, "aborted", STOPPED_BY_USER)
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # it was the caller's own task, not only ours
                self._emit(end)
                raise
            return end
        except CallLimitReached:
            return self._end(recorder, "call_limit", f"over {self._limits.model_calls} model calls")
        except Exception as error:
            if self._broken_callback is not None:
                raise self._broken_callback from None
            return self._abort(recorder, error)
        return self._end(recorder, "stopped")

    async def _converse(self, recorder: Recorder) -> None:
        """A fresh agent for each case; nothing of it is uploaded, whatever the environment says."""
        from langchain.agents import create_agent
        from langchain_core.messages import HumanMessage
        from langsmith import tracing_context

        from planscope.agents.mock_tools import langchain_tools

        with tracing_context(enabled=False):
            graph: Any = create_agent(
                self._model.chat,
                langchain_tools(self._tools),
                system_prompt=self._role,
                middleware=[recorder],
            )
            await graph.ainvoke({"messages": [HumanMessage(self._prompt)]})

    def _abort(self, recorder: Recorder, error: Exception) -> EndEvent:
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
        self.run.events.append(event)
        if self._on_event is not None:
            try:
                self._on_event(event)
            except Exception as error:
                self._broken_callback = error
                raise


async def run_agent(
    variant: Variant,
    *,
    model: str | LoadedModel,
    agent: str = "tools",
    seed: int | None = None,
    role: str | None = None,
    prompts: Path | None = None,
    limits: Limits | None = None,
    base_url: str | None = None,
    run_id: str | None = None,
    on_event: OnEvent | None = None,
) -> Run:
    """One run, from prompt to end. ``on_event`` gets each event as it happens, on the event loop's thread."""
    live = LiveRun(
        variant,
        model=model,
        agent=agent,
        seed=seed,
        role=role,
        prompts=prompts,
        limits=limits,
        base_url=base_url,
        run_id=run_id,
        on_event=on_event,
    )
    return await live.go()


def run_once(variant: Variant, *, model: str | LoadedModel, **options: Any) -> Run:
    """:func:`run_agent` without an event loop of one's own: ``LiveRun(...).wait()``."""
    return LiveRun(variant, model=model, **options).wait()
