"""The live run: its thread, its gate and its breakpoints. It puts its events into the document.

The run's thread hands its events to the screen's thread one by one, in order. The run is never read again as a whole.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from planscope.agents import forks
from planscope.agents.options import RunOptions
from planscope.agents.paradigms import AGENTS
from planscope.debugger.stops import LiveStops
from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.session.model import CallEvent, Event, Run, Variant, next_run_id
from planscope.session.record import RunRecord, record_of, with_event
from planscope.session.recordings import RecordedRun, RecordingTail, kept_rules, placed
from planscope.tui.controllers.document import Document, Post
from planscope.tui.controllers.jobs import CancelToken, Jobs
from planscope.tui.messages import LiveChanged

if TYPE_CHECKING:
    from planscope.agents.attach.client import AttachedAgent, AttachedRun
    from planscope.agents.gate import CallGate, Pauser, PendingCall, Question, Verb
    from planscope.agents.own_live import OwnRun
    from planscope.agents.runner import LiveRun as AgentRun
    from planscope.debugger.breakpoints import Breakpoint
    from planscope.language.problem import Problem

    MadeRun = AgentRun | OwnRun | AttachedRun
    Make = Callable[["_Running", Pauser], MadeRun]

JOB = "run"
"""The name of the run's job. The screen runs one at a time."""

ATTACHED = "attached"
"""The name of the job that follows an attached agent, which goes on when planscope is left."""

Breakpoints = Callable[["Problem | None"], "Iterable[Breakpoint]"]
"""Returns the breakpoints for the query's problem, which is None if the query cannot be read."""

BreakpointsOf = Callable[["Variant | None"], Breakpoints]


@frozen
class OwnChoice:
    """How to run a user's own agent, with its own tools. ``message``: what it is asked.

    ``dry``: no tool is called, and every answer comes from ``recorded``, a run, or from the user.
    """

    message: str
    dry: bool = False
    recorded: Run | None = None


@frozen
class RunChoice(RunOptions):
    """The options of a run that is watched. ``stepping``: pause before every call.

    ``own``: the agent is the user's own, which was loaded before under its name. ``attached``: the agent runs in
    another process, and begins its runs itself.
    """

    stepping: bool = False
    own: OwnChoice | None = None
    attached: AttachedAgent | None = None


@frozen
class RunRequest:
    """A run to begin as soon as the session is read. ``breakpoints``: as the user wrote them."""

    choice: RunChoice
    variant: str
    breakpoints: tuple[str, ...] = ()


@frozen
class ForkChoice:
    """A fork keeps a run's events up to the answer to ``step`` (0: its prompt). ``answer`` replaces that answer."""

    run: Run
    step: int
    answer: str | None = None


class LiveRun:
    """Runs agents, one run at a time. All methods are for the screen's thread.

    ``paused``: the call before which the run is paused. ``question``: what its interrupted agent asks the user.
    ``last_choice``: the options of the last run.
    """

    def __init__(self, document: Document, jobs: Jobs, post: Post, preset: RunChoice = RunChoice()) -> None:
        self.document = document
        self.jobs = jobs
        self.last_choice: RunChoice | None = None
        self.paused: PendingCall | None = None
        self.question: Question | None = None
        self._preset = preset
        self._post = post
        self._run: _Running | None = None
        self._took = 0.0
        self._since: float | None = None
        self._attached: RunChoice | None = None
        self._breakpoints_of: BreakpointsOf = lambda variant: lambda problem: ()

    @property
    def at_work(self) -> bool:
        """Whether a run is in progress or is starting."""
        return self._run is not None

    @property
    def run_id(self) -> str:
        """The id of the live run, or ""."""
        return self._run.run_id if self._run is not None else ""

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
        run = self.document.run(self.run_id)
        gated = run is None or run.recording is None or agent.gated(run.recording)
        return "" if gated else "recorded by callbacks or spans: it can be watched, not paused"

    @property
    def unfollowed(self) -> int:
        """How many other runs the attached agent has under way, whose calls go on."""
        return self.attached.unfollowed if self.attached is not None and self._run is not None else 0

    @property
    def seconds(self) -> int:
        """The seconds that the run has taken, without the time at paused calls."""
        going = time.monotonic() - self._since if self._since is not None else 0.0
        return int(self._took + going) if self._run is not None else 0

    def default_choice(self, run: Run | None) -> RunChoice:
        """Return the options to offer: those of the last run, or else of ``run``, or else of the config file.

        An agent that is named in a session's file is never imported.
        """
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
        self, variant: Variant, choice: RunChoice, breakpoints: Breakpoints, fork: ForkChoice | None = None
    ) -> bool:
        """Run a query in the background. Return False if another run is in progress."""
        if self._run is not None:
            return False
        self.last_choice = choice
        session = self.document.open_session
        run = self._begin(
            variant, choice, next_run_id(session), breakpoints, partial(_made, fork, session.rules)
        )
        self.jobs.start(JOB, run.work, self._ended, partial(self._not_run, run), interrupt=run.stop)
        return True

    def _begin(
        self,
        variant: Variant,
        choice: RunChoice,
        run_id: str,
        breakpoints: Breakpoints,
        make: Make,
        took: float = 0.0,
    ) -> _Running:
        stops = self._stops(variant, breakpoints)
        self._run = _Running(self, variant, choice, run_id, stops, make)
        self.paused = self.question = None
        self._took, self._since = took, time.monotonic()
        return self._run

    def _stops(self, variant: Variant, breakpoints: Breakpoints) -> LiveStops:
        from planscope.rules.in_session import problem_in

        try:
            problem = problem_in(self.document.open_session, variant)
        except UserError:
            problem = None  # it can still run, with breakpoints at tools and steps
        return LiveStops(problem, breakpoints(problem))

    def decide(self, verb: Verb, *, stepping: bool) -> bool:
        """Decide about the paused call or the question. ``stepping``: pause at the next call, too. Return False if
        there is none."""
        return self._run is not None and self._run.decide(verb, stepping=stepping)

    def pause_before(self, next_call: bool) -> None:
        """Set whether the run pauses before its next call even without a breakpoint."""
        if self._run is not None:
            self._run.step(next_call)

    def set_breakpoints(self, breakpoints: Breakpoints) -> None:
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
        self.jobs.start(
            ATTACHED, lambda token: agent.next_run(), self._found, self._gone, interrupt=agent.leave
        )
        self._post(LiveChanged("waiting"))

    def _found(self, found: RecordingTail | None) -> None:
        """Show a run of the attached agent, and follow it."""
        choice, document = self._attached, self.document
        recorded = found.run if found is not None else None
        if found is None or recorded is None or choice is None or choice.attached is None:
            self._gone()
            return
        if changes := kept_rules(document.open_session, recorded.rules):
            document.edit(change=False, **changes)
        variant, header = placed(document.open_session, recorded)
        document.put_variant(variant, followed=True)
        age = max((datetime.now(UTC) - recorded.started).total_seconds(), 0.0)
        follow = partial(_followed, choice.attached, found, header)
        run = self._begin(variant, choice, header.id, self._breakpoints_of(variant), follow, age)
        document.put_run(header, under_way=True, followed=True)
        self._post(LiveChanged("began", header.id))
        failed = partial(self._not_run, run)
        self.jobs.start(ATTACHED, run.work, self._run_over, failed, interrupt=choice.attached.leave)

    def heard_tools(self, recorded: RecordedRun) -> None:
        """Take over tools of an attached agent that were not known when its run began."""
        assert self._run is not None
        variant, _ = placed(self.document.open_session, recorded)
        self.document.put_variant(variant, followed=True)
        self._run.pause_at(self._stops(variant, self._breakpoints_of(variant)))
        self._post(LiveChanged("tools", self.run_id))

    def _run_over(self, run: Run) -> None:
        """Note the end of an attached agent's run, and wait for its next one."""
        agent = self.attached
        if self._attached is not None:
            self._attached = replace(self._attached, stepping=self.stepping)
        self._ended(run)
        if agent is not None:
            self._await_run(agent)

    def _gone(self, error: Exception | None = None) -> None:
        agent, self._attached = self.attached, None
        if agent is not None and not agent.left:
            self._post(LiveChanged("gone", "", str(error) if error is not None else agent.trouble))

    # News of the run, on the screen's thread

    def follows(self, run: _Running) -> bool:
        """Return whether this is the live run, and no older one."""
        return run is self._run

    def heard_event(self, event: Event, header: Run) -> None:
        if self.document.run(self.run_id) is not None:
            self.document.append(self.run_id, event)
            return
        self.document.put_run(header.model_copy(update={"events": [event]}), under_way=True)
        self._post(LiveChanged("began", self.run_id))

    def heard_pause(self, call: PendingCall) -> None:
        self.paused = call
        told = CallEvent(
            step=call.step,
            tool=call.tool,
            arguments=None if call.error else dict(call.arguments),
            raw=call.raw,
            error=call.error,
            agent=call.agent,
        )
        self._rest()
        self.document.pause(self.run_id, told)
        self._post(LiveChanged("paused", self.run_id))

    def heard_question(self, question: Question) -> None:
        self.question = question
        self._rest()
        self._post(LiveChanged("asks", self.run_id))

    def _rest(self) -> None:
        """Count no seconds while the user thinks."""
        if self._since is not None:
            self._took, self._since = self._took + time.monotonic() - self._since, None

    def heard_resume(self, *of: object) -> None:
        self.paused = self.question = None
        self._since = time.monotonic() if self._since is None else self._since
        self.document.pause(self.run_id, None)
        self._post(LiveChanged("resumed", self.run_id))

    def _over(self, run: Run) -> None:
        """Put a run that ended into the document; no run is live any more."""
        self._run = self.paused = self.question = None
        self.document.put_run(run, followed=run.recording is not None)

    def _ended(self, run: Run) -> None:
        began = self.document.run(run.id) is None
        self._over(run)
        if began:
            self._post(LiveChanged("began", run.id))
        self._post(LiveChanged("ended", run.id))

    def _not_run(self, run: _Running, error: Exception) -> None:
        if (agent := self.attached) is not None:
            self._attached = None
            agent.leave()
        if (begun := self.document.run(run.run_id)) is not None:
            self._over(begun)
        self._run = self.paused = self.question = None
        self._post(LiveChanged("failed", run.run_id, str(error) or type(error).__name__))


class _Running:
    """The thread of one run. :meth:`work` is for a job's thread; it returns the whole run, however that ended.

    ``make``: makes the agent's run. ``found``: the run of an attached agent.
    """

    def __init__(
        self,
        live: LiveRun,
        variant: Variant,
        choice: RunChoice,
        run_id: str,
        stops: LiveStops,
        make: Make,
    ) -> None:
        self.variant, self.choice, self.run_id, self.stops = variant, choice, run_id, stops
        self._live, self._make = live, make
        self._lock = threading.Lock()
        self._stopped = False
        self._stepping = choice.stepping
        self._run: MadeRun | None = None
        self._record: RunRecord | None = None
        self._pauser: Pauser | None = None

    def work(self, token: CancelToken) -> Run:
        """Run the agent to its end. Raises ``UserError`` if it cannot be started."""
        from planscope.agents.gate import Pauser

        live = self._live
        pauser = Pauser(
            wanted=self._wanted,
            on_pause=partial(self.tell, live.heard_pause),
            on_resume=partial(self.tell, live.heard_resume),
            on_question=partial(self.tell, live.heard_question),
            on_answered=partial(self.tell, live.heard_resume),
            stepping=self._stepping,
        )
        run = self._make(self, pauser)
        with self._lock:
            self._run, self._pauser = run, pauser
            if self.choice.attached is not None:
                self._record = record_of(run.run, under_way=True)
            pauser.step(self._stepping)
            if self._stopped:
                run.stop()
        return run.wait()

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._run is not None:
                self._run.stop()

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

    def heard(self, event: Event) -> None:
        """Take an event of the run."""
        if (run := self._run) is not None:
            before = self._record
            self._record = record_of(run.run, under_way=True) if before is None else with_event(before, event)
            self.tell(self._live.heard_event, event, run.run)

    def heard_tools(self, recorded: RecordedRun) -> None:
        self.tell(self._live.heard_tools, recorded)

    def tell(self, hear: Callable[..., None], *given: object) -> None:
        """Let the screen's thread hear something, unless another run is the live one by then."""
        live = self._live
        live.jobs.tell(lambda: hear(*given) if live.follows(self) else None)


# The runs that are made, on the run's thread


def _followed(
    agent: AttachedAgent, found: RecordingTail, header: Run, of: _Running, pauser: Pauser
) -> AttachedRun:
    from planscope.agents.attach.client import AttachedRun

    copy = header.model_copy(update={"events": list(header.events)})
    return AttachedRun(agent, found, copy, gate=pauser, on_event=of.heard, on_tools=of.heard_tools)


def _made(fork: ForkChoice | None, rules: str | None, of: _Running, pauser: Pauser) -> AgentRun | OwnRun:
    from planscope.agents.runner import LiveRun as AgentRun

    if of.choice.own is not None:
        return _own(fork, of.choice.own, of, pauser)
    options = replace(of.choice, rules=rules)
    watched: dict[str, Any] = {"run_id": of.run_id, "gate": pauser, "on_event": of.heard}
    if fork is None:
        return AgentRun(of.variant, options, **watched)
    return forks.fork(fork.run, of.variant, options, step=fork.step, answer=fork.answer, **watched)


def _own(fork: ForkChoice | None, own: OwnChoice, of: _Running, pauser: Pauser) -> OwnRun:
    from planscope.agents.forks import fork_own
    from planscope.agents.interrupts import by_verbs
    from planscope.agents.own_live import DryGate, OwnRun, given_in, load_agent, loaded
    from planscope.agents.reruns import RecordedAnswers

    name = of.choice.agent
    gate: CallGate = pauser
    if own.dry:
        gate = DryGate(pauser, RecordedAnswers(own.recorded) if own.recorded is not None else None)
    watched: dict[str, Any] = {
        "run_id": of.run_id,
        "gate": gate,
        "person": by_verbs(pauser.answer),
        "on_event": of.heard,
    }
    if fork is None:
        agent = loaded(name) or load_agent(name)
        return OwnRun(agent, given_in(own.message), variant=of.variant.id, **watched)
    return fork_own(fork.run, of.variant, step=fork.step, answer=fork.answer, agent=name, **watched)
