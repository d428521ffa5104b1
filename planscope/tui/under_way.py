"""A run under way: its thread, its gate, and how the screen hears of it.

What the run emits is handed to the screen's thread, in order. Everything here may be called on that thread at any
moment, before the run has begun and after it has ended.
"""

from __future__ import annotations

import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterable
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.debugger.stops import LiveStops
from planscope.tui.jobs import Ticket

if TYPE_CHECKING:
    from planscope.agents.gate import Pauser, PendingCall, Verb
    from planscope.agents.runner import LiveRun
    from planscope.debugger.breakpoints import Breakpoint
    from planscope.language.problem import Problem
    from planscope.session.events import Event
    from planscope.session.model import Limits, Run, Variant


@dataclass(frozen=True, slots=True)
class RunChoice:
    """How to run, as on the command line. ``stepping``: pause before every call."""

    agent: str = "tools"
    model: str = "sim:careful"
    seed: int | None = None
    base_url: str | None = None
    guard: bool = False
    stepping: bool = False
    role: str | None = None
    prompts: Path | None = None
    tracing: bool = False
    limits: Limits | None = None


@dataclass(frozen=True, slots=True)
class ForkChoice:
    """From where: a recorded run up to the answer to ``step`` (0: its prompt), which ``answer`` may stand in for."""

    run: Run
    step: int
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """What the screen is told, each on its own thread: an event was added; the run paused; it goes on."""

    event: Callable[[Run, Event], None]
    paused: Callable[[Run, PendingCall], None]
    resumed: Callable[[Run], None]


class UnderWay:
    """One run. :meth:`work` is for a job's thread; it gives back the run, whole, however it ended."""

    def __init__(
        self,
        variant: Variant,
        choice: RunChoice,
        run_id: str,
        loop: AbstractEventLoop,
        heard: Heard,
        *,
        problem: Problem | None = None,
        breakpoints: Iterable[Breakpoint] = (),
        fork: ForkChoice | None = None,
    ) -> None:
        self.variant = variant
        self.choice = choice
        self.run_id = run_id
        self.fork = fork
        self.problem = problem
        self.paused: PendingCall | None = None
        self._loop = loop
        self._heard = heard
        self._context = copy_context()  # what is heard is taken as if by whoever made this
        self._stops = LiveStops(problem, breakpoints)
        self._why: tuple[str, ...] = ()
        self._lock = threading.Lock()
        self._stopped = False
        self._stepping = choice.stepping
        self._live: LiveRun | None = None
        self._pauser: Pauser | None = None

    def work(self, ticket: Ticket) -> Run:
        """Run to the end. Raises what making the run raises, each one line (``UserError``)."""
        from planscope.agents.gate import Pauser

        pauser = Pauser(
            wanted=self._wanted,
            on_pause=self._on_pause,
            on_resume=lambda call, verb: self._on_resume(),
            stepping=self._stepping,
        )
        live = self._make(pauser)
        with self._lock:
            self._live, self._pauser = live, pauser
            pauser.stepping = self._stepping
            if self._stopped:
                live.stop()
        return live.wait()

    def _make(self, pauser: Pauser) -> LiveRun:
        from planscope.agents.forks import fork
        from planscope.agents.runner import LiveRun

        choice = self.choice
        options: dict[str, Any] = {
            "seed": choice.seed,
            "base_url": choice.base_url,
            "guard": choice.guard,
            "prompts": choice.prompts,
            "tracing": choice.tracing,
            "limits": choice.limits,
            "run_id": self.run_id,
            "gate": pauser,
            "on_event": self._on_event,
        }
        if choice.role is not None:
            options["role"] = choice.role
        if self.fork is None:
            return LiveRun(self.variant, model=choice.model, agent=choice.agent, **options)
        return fork(
            self.fork.run,
            self.variant,
            step=self.fork.step,
            answer=self.fork.answer,
            model=choice.model,
            agent=choice.agent,
            **options,
        )

    def stop(self) -> None:
        """End the run at once; what happened until then is its record."""
        with self._lock:
            self._stopped = True
            if self._live is not None:
                self._live.stop()

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        return self._stops.breakpoints

    @breakpoints.setter
    def breakpoints(self, breakpoints: Iterable[Breakpoint]) -> None:
        self._stops.breakpoints = tuple(breakpoints)

    def decide(self, verb: Verb, *, stepping: bool) -> bool:
        """What becomes of the call that waits; False where none does."""
        return self._pauser is not None and self._pauser.decide(verb, stepping=stepping)

    @property
    def stepping(self) -> bool:
        """Whether it pauses before the next call, whatever that is."""
        return self._pauser.stepping if self._pauser is not None else self._stepping

    @stepping.setter
    def stepping(self, stepping: bool) -> None:
        with self._lock:
            self._stepping = stepping
            if self._pauser is not None:
                self._pauser.stepping = stepping

    # On the run's thread

    def _wanted(self, call: PendingCall) -> tuple[str, ...]:
        """Why to pause before a call, if there is a reason."""
        from planscope.session.derive import trace_of

        live = self._live
        if live is None:
            return ()
        return self._stops.why(trace_of(live.run, live=True), call.call)

    def _on_pause(self, call: PendingCall) -> None:
        run = self._so_far()
        self._tell(lambda: self._pause(run, call))

    def _on_resume(self) -> None:
        run = self._so_far()
        self._tell(lambda: self._resumed(run))

    def _on_event(self, event: Event) -> None:
        run = self._so_far()
        if run is not None:
            self._tell(lambda: self._heard.event(run, event))

    def _so_far(self) -> Run | None:
        """The run as it is now: told a moment later, it must not be ahead of what is told before."""
        live = self._live
        return None if live is None else live.run.model_copy(update={"events": list(live.run.events)})

    def _tell(self, what: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(what, context=self._context)
        except RuntimeError:
            return  # the screen is gone

    # On the screen's thread

    def _pause(self, run: Run | None, call: PendingCall) -> None:
        self.paused = call
        if run is not None:
            self._heard.paused(run, call)

    def _resumed(self, run: Run | None) -> None:
        self.paused = None
        if run is not None:
            self._heard.resumed(run)
