"""The live run: its thread, its gate and its breakpoints. It puts its events into the document.

The run's thread hands its events to the screen's thread one by one, in order. The run is never read again as a whole.
"""

from __future__ import annotations

import threading
import time
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterable
from contextvars import copy_context
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from planscope.agents.options import RunOptions
from planscope.debugger.stops import LiveStops
from planscope.errors import UserError
from planscope.session.model import CallEvent
from planscope.tui.controllers.document import Document, Post
from planscope.tui.controllers.jobs import CancelToken, Jobs
from planscope.tui.messages import LiveChanged

if TYPE_CHECKING:
    from planscope.agents.attach.client import AttachedAgent, AttachedRun, FollowedRun
    from planscope.agents.gate import CallGate, Pauser, PendingCall, Question, Verb
    from planscope.agents.own_live import OwnRun
    from planscope.agents.runner import LiveRun as AgentRun
    from planscope.debugger.breakpoints import Breakpoint
    from planscope.language.problem import Problem
    from planscope.session.model import Event, Run, Variant
    from planscope.session.record import RunRecord
    from planscope.session.recordings import RecordedRun

JOB = "run"
"""The name of the run's job. The screen runs one at a time."""

ATTACHED = "attached"
"""The name of the job that follows an attached agent, which goes on when planscope is left."""

BreakpointsOf = Callable[["Variant | None"], Callable[["Problem | None"], "Iterable[Breakpoint]"]]


@dataclass(frozen=True, slots=True)
class OwnChoice:
    """How to run a user's own agent, with its own tools. ``message``: what it is asked.

    ``dry``: no tool is called, and every answer comes from ``recorded``, a run, or from the user.
    """

    message: str
    dry: bool = False
    recorded: Run | None = None


@dataclass(frozen=True, slots=True)
class RunChoice(RunOptions):
    """The options of a run that is watched. ``stepping``: pause before every call.

    ``own``: the agent is the user's own, which was loaded before under its name. ``attached``: the agent runs in
    another process, and begins its runs itself.
    """

    stepping: bool = False
    own: OwnChoice | None = None
    attached: AttachedAgent | None = None


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run to begin as soon as the session is read. ``breakpoints``: as the user wrote them."""

    choice: RunChoice
    variant: str
    breakpoints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForkChoice:
    """A fork keeps a run's events up to the answer to ``step`` (0: its prompt). ``answer`` replaces that answer."""

    run: Run
    step: int
    answer: str | None = None


class LiveRun:
    """Runs agents, one run at a time. All methods are for the screen's thread.

    ``paused``: the call before which the run is paused. ``run_id``: the id of the live run, or "". ``last_choice``: the
    options of the last run.
    """

    def __init__(self, document: Document, jobs: Jobs, post: Post, preset: RunChoice = RunChoice()) -> None:
        self.document = document
        self.last_choice: RunChoice | None = None
        self._preset = preset
        self._jobs = jobs
        self._post = post
        self._run: _RunThread | None = None
        self._began = 0.0
        self._at_rest = 0.0
        self._paused_at: float | None = None
        self._attached: RunChoice | None = None
        self._breakpoints_of: BreakpointsOf = lambda variant: lambda problem: ()

    @property
    def at_work(self) -> bool:
        """Whether a run is in progress or is starting."""
        return self._run is not None

    @property
    def run_id(self) -> str:
        return self._run.run_id if self._run is not None else ""

    @property
    def paused(self) -> PendingCall | None:
        return self._run.paused if self._run is not None else None

    @property
    def question(self) -> Question | None:
        """What the interrupted agent asks the user."""
        return self._run.question if self._run is not None else None

    @property
    def waits(self) -> bool:
        """Whether the run waits for the user: it is paused, or its agent asks something."""
        return self.paused is not None or self.question is not None

    @property
    def stepping(self) -> bool:
        """Whether the run pauses before its next call even without a breakpoint."""
        return self._run is not None and self._run.stepping

    @property
    def own(self) -> OwnChoice | None:
        """How the user's own agent runs, if it is the one that runs now."""
        return self._run.choice.own if self._run is not None else None

    @property
    def attached(self) -> AttachedAgent | None:
        """The agent that is attached, if one is."""
        return self._attached.attached if self._attached is not None else None

    @property
    def only_watched(self) -> str:
        """Why nothing can be decided about the attached agent, or ""."""
        agent = self.attached
        if agent is None:
            return ""
        if agent.watches:
            return (
                "this debugger only watches: another one decides" if agent.welcome.busy else "you only watch"
            )
        gated = self._run is None or self._run.found is None or agent.gated(self._run.found.token)
        return "" if gated else "recorded by callbacks or spans: it can be watched, not paused"

    @property
    def unfollowed(self) -> int:
        """How many other runs the attached agent has under way, whose calls go on."""
        return self.attached.unfollowed if self.attached is not None and self._run is not None else 0

    @property
    def seconds(self) -> int:
        """The seconds that the run has taken, without the time at paused calls."""
        if self._run is None:
            return 0
        now = self._paused_at if self._paused_at is not None else time.monotonic()
        return int(now - self._began - self._at_rest)

    def default_choice(self, run: Run | None) -> RunChoice:
        """Return the options to offer: those of the last run, or else of ``run``, or else of the config file.

        An agent that is named in a session's file is never imported.
        """
        from planscope.agents.paradigms import AGENTS

        if self.last_choice is not None:
            return self.last_choice
        if run is None:
            return self._preset
        agent = run.agent if run.agent in AGENTS else "tools"
        return replace(self._preset, agent=agent, model=run.model, seed=run.seed)

    def follow_on(self, before: LiveRun) -> None:
        """Take over the last options from the session that was open before."""
        self.last_choice = before.last_choice

    def start(
        self,
        variant: Variant,
        choice: RunChoice,
        breakpoints: Callable[[Problem | None], Iterable[Breakpoint]],
        fork: ForkChoice | None = None,
    ) -> bool:
        """Run a query in the background. Return False if another run is in progress.

        ``breakpoints`` returns the breakpoints for the query's problem, which is None if the query cannot be read.
        """
        from planscope.rules.in_session import problem_in
        from planscope.session.model import next_run_id

        if self._run is not None:
            return False
        try:
            problem = problem_in(self.document.open_session, variant)
        except UserError:
            problem = None  # it can still run, with breakpoints at tools and steps
        self.last_choice = choice
        run_id = next_run_id(self.document.open_session)
        stops = LiveStops(problem, breakpoints(problem))
        rules = self.document.open_session.rules
        run = self._run = _RunThread(
            variant, choice, run_id, self._jobs.loop, self, stops, rules=rules, fork=fork
        )
        self._began, self._at_rest, self._paused_at = time.monotonic(), 0.0, None
        self._jobs.start(
            JOB, run.work, self._ended, lambda error: self._not_run(run, error), interrupt=run.stop
        )
        return True

    def decide(self, verb: Verb, *, stepping: bool) -> bool:
        """Decide about the paused call or the question. ``stepping``: pause at the next call, too. Return False if
        there is none."""
        return self._run is not None and self._run.decide(verb, stepping=stepping)

    def pause_before(self, next_call: bool) -> None:
        """Set whether the run pauses before its next call even without a breakpoint."""
        if self._run is not None:
            self._run.step(next_call)

    def set_breakpoints(self, breakpoints: Callable[[Problem | None], Iterable[Breakpoint]]) -> None:
        if self._run is not None:
            self._run.stops.pause_at(breakpoints(self._run.stops.problem))

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """The breakpoints of the live run."""
        return self._run.stops.breakpoints if self._run is not None else ()

    def stop(self) -> None:
        """End the run now; its events so far stay."""
        if self._run is not None:
            self._run.stop()

    def leave(self) -> None:
        """Leave the run: it ends, but an attached agent goes on."""
        if (agent := self.attached) is not None:
            agent.leave()
        else:
            self.stop()

    # An attached agent

    def attach(self, choice: RunChoice, breakpoints_of: BreakpointsOf) -> bool:
        """Follow the runs of an attached agent, one after the other. Return False if a run is in progress."""
        if self._run is not None or choice.attached is None:
            return False
        self._attached, self._breakpoints_of = choice, breakpoints_of
        self._await_run(choice.attached)
        return True

    def _await_run(self, agent: AttachedAgent) -> None:
        self._jobs.start(
            ATTACHED, lambda token: agent.next_run(), self._found, self._gone, interrupt=agent.leave
        )
        self._post(LiveChanged("waiting"))

    def _found(self, found: FollowedRun | None) -> None:
        """Show a run of the attached agent, and follow it."""
        from planscope.session.recordings import kept_rules, placed

        choice, document = self._attached, self.document
        if found is None or choice is None:
            self._gone()
            return
        if changes := kept_rules(document.open_session, found.recorded.rules):
            document.edit(change=False, **changes)
        variant, header = placed(document.open_session, found.recorded)
        document.put_variant(variant, followed=True)
        run = self._run = _RunThread(
            variant,
            choice,
            header.id,
            self._jobs.loop,
            self,
            self._stops(variant),
            found=found,
            header=header,
        )
        age = (datetime.now(UTC) - found.recorded.started).total_seconds()
        self._began, self._at_rest, self._paused_at = time.monotonic() - max(age, 0.0), 0.0, None
        document.put_run(header, under_way=True, followed=True)
        self._post(LiveChanged("began", header.id))
        self._jobs.start(
            ATTACHED,
            run.work,
            self._followed,
            lambda error: self._not_run(run, error),
            interrupt=found.agent.leave,
        )

    def _stops(self, variant: Variant) -> LiveStops:
        from planscope.rules.in_session import problem_in

        try:
            problem = problem_in(self.document.open_session, variant)
        except UserError:
            problem = None
        return LiveStops(problem, self._breakpoints_of(variant)(problem))

    def heard_tools(self, run: _RunThread, recorded: RecordedRun) -> None:
        """Take over tools of an attached agent that were not known when its run began."""
        from planscope.session.recordings import placed

        if run is not self._run:
            return
        variant, _ = placed(self.document.open_session, recorded)
        self.document.put_variant(variant, followed=True)
        run.pause_at(self._stops(variant))
        self._post(LiveChanged("tools", run.run_id))

    def _followed(self, run: Run) -> None:
        """Note the end of an attached agent's run, and wait for its next one."""
        ended, agent = self._run, self.attached
        if ended is not None and self._attached is not None:
            self._attached = replace(self._attached, stepping=ended.stepping)
        self._ended(run)
        if agent is not None:
            self._await_run(agent)

    def _gone(self, error: Exception | None = None) -> None:
        agent, self._attached = self.attached, None
        if agent is not None and not agent.left:
            self._post(LiveChanged("gone", "", str(error) if error is not None else agent.trouble))

    # News of the run, on the screen's thread

    def heard_event(self, run: _RunThread, event: Event, header: Run) -> None:
        if run is not self._run:
            return
        if self.document.run(run.run_id) is not None:
            self.document.append(run.run_id, event)
            return
        self.document.put_run(header.model_copy(update={"events": [event]}), under_way=True)
        self._post(LiveChanged("began", run.run_id))

    def heard_pause(self, run: _RunThread, call: PendingCall) -> None:
        if run is not self._run:
            return
        self._paused_at = time.monotonic()
        readable = None if call.error else dict(call.arguments)
        self.document.pause(
            run.run_id,
            CallEvent(
                step=call.step,
                tool=call.tool,
                arguments=readable,
                raw=call.raw,
                error=call.error,
                agent=call.agent,
            ),
        )
        self._post(LiveChanged("paused", run.run_id))

    def heard_question(self, run: _RunThread) -> None:
        if run is not self._run:
            return
        self._paused_at = time.monotonic()
        self._post(LiveChanged("asks", run.run_id))

    def heard_resume(self, run: _RunThread) -> None:
        if run is not self._run:
            return
        if self._paused_at is not None:
            self._at_rest += time.monotonic() - self._paused_at
            self._paused_at = None
        self.document.pause(run.run_id, None)
        self._post(LiveChanged("resumed", run.run_id))

    def _ended(self, run: Run) -> None:
        ended, self._run = self._run, None
        began = self.document.run(run.id) is None
        self.document.put_run(run, followed=ended is not None and ended.found is not None)
        if began:
            self._post(LiveChanged("began", run.id))
        self._post(LiveChanged("ended", run.id))

    def _not_run(self, run: _RunThread, error: Exception) -> None:
        self._run = None
        if (agent := self.attached) is not None:
            self._attached = None
            agent.leave()
        begun = self.document.run(run.run_id)
        if begun is not None:
            self.document.put_run(begun, followed=run.found is not None)
        self._post(LiveChanged("failed", run.run_id, str(error) or type(error).__name__))


class _RunThread:
    """One run. :meth:`work` is for a job's thread; it returns the whole run, however that ended."""

    def __init__(
        self,
        variant: Variant,
        choice: RunChoice,
        run_id: str,
        loop: AbstractEventLoop,
        owner: LiveRun,
        stops: LiveStops,
        *,
        rules: str | None = None,
        fork: ForkChoice | None = None,
        found: FollowedRun | None = None,
        header: Run | None = None,
    ) -> None:
        self.variant = variant
        self.run_id = run_id
        self.paused: PendingCall | None = None
        self.question: Question | None = None
        self.stops = stops
        self.choice = choice
        self.found = found
        self._header = header
        self._rules = rules
        self._fork = fork
        self._loop = loop
        self._owner = owner
        self._context = copy_context()  # Textual's active application, for the callbacks
        self._lock = threading.Lock()
        self._stopped = False
        self._stepping = choice.stepping
        self._live: AgentRun | OwnRun | AttachedRun | None = None
        self._record: RunRecord | None = None
        self._pauser: Pauser | None = None

    def work(self, token: CancelToken) -> Run:
        """Run the agent to its end. Raises ``UserError`` if it cannot be started."""
        from planscope.agents.gate import Pauser
        from planscope.session.record import record_of

        pauser = Pauser(
            wanted=self._wanted,
            on_pause=self._on_pause,
            on_resume=lambda call, verb: self._on_resume(),
            on_question=lambda question: self._tell(lambda: self._ask(question)),
            on_answered=self._on_resume,
            stepping=self._stepping,
        )
        live = self._make(pauser)
        with self._lock:
            self._live, self._pauser = live, pauser
            if self.found is not None:
                self._record = record_of(live.run, under_way=True)
            pauser.step(self._stepping)
            if self._stopped:
                live.stop()
        return live.wait()

    def _make_own(self, own: OwnChoice, pauser: Pauser) -> OwnRun:
        from planscope.agents.forks import fork_own
        from planscope.agents.interrupts import by_verbs
        from planscope.agents.own_live import DryGate, OwnRun, given_in, load_agent, loaded
        from planscope.agents.reruns import RecordedAnswers

        name, fork = self.choice.agent, self._fork
        gate: CallGate = pauser
        if own.dry:
            gate = DryGate(pauser, RecordedAnswers(own.recorded) if own.recorded is not None else None)
        if fork is not None:
            return fork_own(
                fork.run,
                self.variant,
                step=fork.step,
                answer=fork.answer,
                agent=name,
                run_id=self.run_id,
                gate=gate,
                person=by_verbs(pauser.answer),
                on_event=self._on_event,
            )
        return OwnRun(
            loaded(name) or load_agent(name),
            given_in(own.message),
            variant=self.variant.id,
            run_id=self.run_id,
            gate=gate,
            person=by_verbs(pauser.answer),
            on_event=self._on_event,
        )

    def _follow(self, found: FollowedRun, header: Run, pauser: Pauser) -> AttachedRun:
        from planscope.agents.attach.client import AttachedRun

        copy = header.model_copy(update={"events": list(header.events)})
        return AttachedRun(found, copy, gate=pauser, on_event=self._on_event, on_tools=self._on_tools)

    def _make(self, pauser: Pauser) -> AgentRun | OwnRun | AttachedRun:
        if self.found is not None and self._header is not None:
            return self._follow(self.found, self._header, pauser)
        from planscope.agents.forks import fork
        from planscope.agents.runner import LiveRun as AgentRun

        choice = self.choice
        if choice.own is not None:
            return self._make_own(choice.own, pauser)
        options = replace(choice, rules=self._rules)
        if self._fork is None:
            return AgentRun(self.variant, options, run_id=self.run_id, gate=pauser, on_event=self._on_event)
        return fork(
            self._fork.run,
            self.variant,
            options,
            step=self._fork.step,
            answer=self._fork.answer,
            run_id=self.run_id,
            gate=pauser,
            on_event=self._on_event,
        )

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._live is not None:
                self._live.stop()

    def decide(self, verb: Verb, *, stepping: bool) -> bool:
        return self._pauser is not None and self._pauser.decide(verb, stepping=stepping)

    @property
    def stepping(self) -> bool:
        return self._pauser.stepping if self._pauser is not None else self._stepping

    def step(self, stepping: bool) -> None:
        with self._lock:
            self._stepping = stepping
            if self._pauser is not None:
                self._pauser.step(stepping)

    def pause_at(self, stops: LiveStops) -> None:
        """Set other breakpoints, for a problem with more tools."""
        self.stops = stops

    # On the run's thread

    def _wanted(self, call: PendingCall) -> tuple[str, ...]:
        """Return the reasons to pause before a call."""
        record = self._record
        return () if record is None or not self.stops.breakpoints else self.stops.why(record, call.call)

    def _on_tools(self, recorded: RecordedRun) -> None:
        self._tell(lambda: self._owner.heard_tools(self, recorded))

    def _on_pause(self, call: PendingCall) -> None:
        self._tell(lambda: self._pause(call))

    def _on_resume(self) -> None:
        self._tell(self._resume)

    def _on_event(self, event: Event) -> None:
        from planscope.session.record import record_of, with_event

        live = self._live
        if live is not None:
            before = self._record
            self._record = (
                record_of(live.run, under_way=True) if before is None else with_event(before, event)
            )
            self._tell(lambda: self._owner.heard_event(self, event, live.run))

    def _tell(self, what: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(what, context=self._context)
        except RuntimeError:
            return  # the loop is closed: the application is gone

    # On the screen's thread

    def _pause(self, call: PendingCall) -> None:
        self.paused = call
        self._owner.heard_pause(self, call)

    def _ask(self, question: Question) -> None:
        self.question = question
        self._owner.heard_question(self)

    def _resume(self) -> None:
        self.paused = self.question = None
        self._owner.heard_resume(self)
