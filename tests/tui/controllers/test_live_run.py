"""The run under way: its events in the document, its pauses and decisions, its end and its failures."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from textual.message import Message

from planscope.agents import forks, runner
from planscope.agents.gate import GoOn, PendingCall, Refuse, Stop, Verb
from planscope.agents.options import RunOptions
from planscope.debugger.breakpoints import Breakpoint, StepBreak
from planscope.errors import UserError
from planscope.session.model import AnswerEvent, CallEvent, EndEvent, Event, PromptEvent, Run, Session
from planscope.tui.controllers import live_run
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.live_run import JOB, ForkChoice, LiveRun, RunChoice
from planscope.tui.messages import DocumentChanged, LiveChanged
from tests.tui import sessions
from tests.tui.controllers.at_once import JobsAtOnce, Posted
from tests.tui.controllers.test_judge import unusable

TOOLS = ("network_audit", "disk_check", "cable_survey")


class Agent:
    """Calls the tools of ``TOOLS`` one after the other, each through the gate, as ``planscope.agents`` does."""

    made: ClassVar[list[Agent]] = []
    fails: Exception | None = None

    def __init__(self, variant: Any, given: RunOptions, *, run_id: str, gate: Any, on_event: Any) -> None:
        if self.fails is not None:
            raise self.fails
        self.given, self.gate, self.on_event, self.stopped = given, gate, on_event, False
        self.run = Run(id=run_id, variant=variant.id, agent=given.agent, model=given.model, events=[])
        Agent.made.append(self)

    def note(self, event: Event) -> None:
        self.run.events.append(event)
        self.on_event(event)

    def wait(self) -> Run:
        self.note(PromptEvent(text="Do it."))
        for step, tool in enumerate(TOOLS, 1):
            verb: Verb = (
                Stop() if self.stopped else asyncio.run(self.gate.ask(PendingCall(step, tool, {}), True))
            )
            if isinstance(verb, Stop):
                break
            self.note(CallEvent(step=step, tool=tool, arguments={}))
            self.note(AnswerEvent(step=step, text="Done."))
        self.note(EndEvent(ending="stopped"))
        return self.run

    def stop(self) -> None:
        self.stopped = True


@pytest.fixture(autouse=True)
def _agents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Agent, "made", [])
    monkeypatch.setattr(Agent, "fails", None)
    monkeypatch.setattr(runner, "LiveRun", Agent)


class Stage:
    """A live run, what it posted, and what is done about each pause."""

    def __init__(self, session: Session | None = None, *held: str) -> None:
        self.posted, self.jobs = Posted(), JobsAtOnce(*held)
        self.document = Document(None, self.posted)
        self.document.open(session or sessions.no_run())
        self.on_pause: Callable[[PendingCall], object] = lambda call: self.decide()
        self.seen: list[PendingCall] = []
        self.live = LiveRun(self.document, self.jobs, self._heard)
        self.posted.clear()

    def _heard(self, message: Message) -> None:
        self.posted(message)
        if isinstance(message, LiveChanged) and message.what == "paused":
            assert self.live.paused is not None
            self.seen.append(self.live.paused)
            self.on_pause(self.live.paused)

    def decide(self, verb: Verb | None = None, *, stepping: bool = False) -> None:
        assert self.live.decide(verb or GoOn(), stepping=stepping)

    def start(self, *breakpoints: Breakpoint, fork: ForkChoice | None = None, **choice: Any) -> bool:
        return self.live.start(
            self.document.variants[0], RunChoice(**choice), lambda problem: breakpoints, fork
        )

    @property
    def told(self) -> list[str]:
        return [message.what for message in self.posted.of(LiveChanged)]


def test_a_run_is_in_the_document_event_by_event_and_whole_at_its_end() -> None:
    stage = Stage()
    assert stage.start()
    run = stage.document.run("r1")
    assert run is not None and [event.type for event in run.events][-1] == "end"
    changes = [message.fresh for message in stage.posted.of(DocumentChanged)]
    assert changes == [True] + [False] * 8, "eight events, and the whole run"
    assert stage.told == ["began", "ended"]
    assert not stage.live.at_work and (stage.live.run_id, stage.live.paused, stage.live.seconds) == (
        "",
        None,
        0,
    )
    assert not stage.document.under_way and stage.document.record("r1").ending == "stopped"


def test_one_run_at_a_time() -> None:
    stage = Stage(None, JOB)
    assert stage.start() and not stage.start()
    assert stage.live.at_work and stage.live.run_id == "r1"
    stage.jobs.go(JOB)
    assert stage.start() and stage.live.run_id == "r2"


def test_a_run_pauses_before_each_call_while_it_is_stepped() -> None:
    stage = Stage()
    stage.on_pause = lambda call: stage.decide(stepping=call.step < 2)
    stage.start(stepping=True)
    assert [call.step for call in stage.seen] == [1, 2]
    assert stage.told == ["began", "paused", "resumed", "paused", "resumed", "ended"]


def test_the_paused_call_is_looked_at_and_in_no_file() -> None:
    stage, looked = Stage(), []

    def look(call: PendingCall) -> None:
        record = stage.document.record("r1")
        looked.append((record.pending, [c.tool for c in record.calls]))
        assert stage.document.snapshot().runs[0].events[-1].type != "call"
        assert stage.live.at_work and stage.live.stepping
        stage.decide(Stop())

    stage.on_pause = look
    stage.start(stepping=True)
    assert looked == [(True, ["network_audit"])] and not stage.document.pending
    assert stage.document.record("r1").calls == () and stage.told[-1] == "ended"


def test_a_run_pauses_at_breakpoints_and_says_why() -> None:
    stage = Stage()
    stage.start(StepBreak(2))
    assert [(call.step, call.why) for call in stage.seen] == [(2, ("step 2",))]
    assert not stage.live.at_work


def test_breakpoints_may_change_while_it_runs() -> None:
    stage = Stage()

    def change(call: PendingCall) -> None:
        stage.live.set_breakpoints(lambda problem: [StepBreak(3)])
        stage.decide()

    stage.on_pause = change
    stage.start(StepBreak(1))
    assert [call.step for call in stage.seen] == [1, 3]
    stage.live.set_breakpoints(lambda problem: [StepBreak(1)])
    assert not stage.live.at_work


def test_one_decision_a_pause() -> None:
    stage, taken = Stage(), []

    def twice(call: PendingCall) -> None:
        taken.append(stage.live.decide(Refuse("no"), stepping=False))
        taken.append(stage.live.decide(Stop(), stepping=False))

    stage.on_pause = twice
    assert not stage.live.decide(GoOn(), stepping=True)
    stage.start(StepBreak(1))
    assert taken == [True, False] and len(stage.document.record("r1").calls) == 3
    assert not stage.live.decide(GoOn(), stepping=True)


def test_a_pause_that_was_asked_for_before_the_run_began_counts() -> None:
    stage = Stage(None, JOB)
    stage.live.pause_before(next_call=True)
    assert not stage.live.stepping
    stage.start()
    stage.live.pause_before(next_call=True)
    assert stage.live.stepping
    stage.jobs.go(JOB)
    assert [call.step for call in stage.seen] == [1]


def test_a_run_that_is_stopped_before_it_began_ends_at_once() -> None:
    stage = Stage(None, JOB)
    stage.live.stop()
    stage.start()
    stage.live.stop()
    stage.jobs.go(JOB)
    assert stage.document.record("r1").calls == () and stage.told == ["began", "ended"]


def test_cancelling_the_job_stops_the_agent() -> None:
    stage = Stage()
    stage.on_pause = lambda call: (stage.jobs.cancel(JOB), stage.decide(Stop()))
    stage.start(stepping=True)
    assert Agent.made[0].stopped


@pytest.mark.parametrize(("error", "said"), [(UserError("no key"), "no key"), (ValueError(), "ValueError")])
def test_what_cannot_be_run_says_why(error: Exception, said: str) -> None:
    Agent.fails = error
    stage = Stage()
    assert stage.start()
    (message,) = stage.posted.of(LiveChanged)
    assert (message.what, message.run_id, message.trouble) == ("failed", "r1", said)
    assert not stage.live.at_work and stage.document.runs == []


def test_a_thread_that_raises_leaves_what_happened_until_then() -> None:
    stage = Stage()

    def raises(call: PendingCall) -> None:
        raise ValueError("the agent's own code")

    stage.on_pause = raises
    stage.start(StepBreak(2))
    assert stage.told[-1] == "failed" and not stage.live.at_work
    assert [call.tool for call in stage.document.record("r1").calls] == ["network_audit"]
    assert not stage.document.under_way and not stage.document.pending


def test_what_is_heard_of_an_older_run_is_dropped() -> None:
    stage = Stage()
    stage.start()
    (agent,) = Agent.made
    late = CallEvent(step=9, tool="late", arguments={})
    count = len(stage.posted)
    agent.on_event(late)
    assert len(stage.posted) == count and len(stage.document.record("r1").calls) == 3
    stage.jobs.held.add(JOB)
    stage.start()
    assert stage.live.at_work and stage.live.run_id == "r2"
    agent.on_event(late)
    assert len(stage.posted) == count and stage.document.run("r2") is None


def test_a_run_is_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    stage, given = Stage(sessions.out_of_order()), []

    def fork(
        run: Run, variant: Any, options: RunOptions, *, step: int, answer: str | None, **watched: Any
    ) -> Agent:
        given.append((run.id, step, answer))
        return Agent(variant, options, **watched)

    monkeypatch.setattr(forks, "fork", fork)
    stage.start(fork=ForkChoice(stage.document.runs[0], 2, "Other."), role="a planner")
    assert given == [("r1", 2, "Other.")] and Agent.made[0].given.role == "a planner"
    assert stage.document.run("r2") is not None


def test_a_query_whose_actions_cannot_be_used_is_run_and_pauses_at_steps() -> None:
    stage, problems = Stage(unusable()), []

    def breakpoints(problem: object) -> list[Breakpoint]:
        problems.append(problem)
        return [StepBreak(2)]

    assert stage.live.start(stage.document.variants[0], RunChoice(), breakpoints)
    assert problems == [None] and [call.step for call in stage.seen] == [2]


def test_seconds_at_a_paused_call_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    stage, seconds = Stage(), []
    now = [100.0]
    monkeypatch.setattr(live_run.time, "monotonic", lambda: now[0])

    def wait(call: PendingCall) -> None:
        now[0] += 3
        seconds.append(stage.live.seconds)
        stage.decide(stepping=True)
        now[0] += 5 if call.step == 1 else 0

    stage.on_pause = wait
    stage.start(stepping=True)
    assert seconds[0] == 0 and seconds[-1] == seconds[1] and stage.live.seconds == 0


def test_how_to_run_is_as_the_last_time_else_as_the_run_else_as_configured() -> None:
    preset = RunChoice(model="sim:literal", guard=True)
    stage = Stage(sessions.out_of_order())
    live = LiveRun(stage.document, stage.jobs, stage.posted, preset)
    run = stage.document.runs[0]
    assert live.default_choice(None) == preset
    assert live.default_choice(run) == RunChoice(model=run.model, guard=True)
    own = run.model_copy(update={"agent": "os:system", "seed": 7})
    assert live.default_choice(own) == RunChoice(agent="tools", model=run.model, seed=7, guard=True)
    assert live.start(stage.document.variants[0], RunChoice(seed=3), lambda problem: ())
    assert live.default_choice(run) == RunChoice(seed=3)
    other = LiveRun(stage.document, stage.jobs, stage.posted, preset)
    other.follow_on(live)
    assert other.default_choice(run) == RunChoice(seed=3)


async def test_what_is_heard_from_another_thread_is_taken_by_the_screens() -> None:
    threads: list[threading.Thread] = []
    from planscope.tui.controllers.jobs import Jobs

    document, jobs = Document(None, lambda message: threads.append(threading.current_thread())), None
    document.open(sessions.no_run())
    jobs = Jobs(asyncio.get_running_loop())
    live = LiveRun(document, jobs, lambda message: threads.append(threading.current_thread()))
    live.start(document.variants[0], RunChoice(), lambda problem: ())
    while live.at_work:
        await asyncio.sleep(0.001)
    assert set(threads) == {threading.main_thread()} and len(document.record("r1").calls) == 3
    jobs.close()
