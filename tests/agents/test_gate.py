"""Live debugging: pause, step, edit, refuse, stop; and a stop at every event leaves a whole record."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest
from langchain.agents.middleware import ModelRequest, ModelResponse

from planscope.agents.gate import (
    CallGate,
    EditAnswer,
    EditArguments,
    GoOn,
    Pauser,
    PendingCall,
    Refuse,
    Stop,
    Verb,
    problem_from,
)
from planscope.agents.options import RunOptions
from planscope.agents.runner import STOPPED_BY_USER, LiveRun
from planscope.oracle.replay import replay
from planscope.session.model import Event, Limits, Run, Variant
from planscope.session.oracle_input import problem_of
from planscope.session.traces import trace_of
from tests.agents.support import run_agent
from tests.nightly import nightly

from .support import (
    abc,
    answers_of,
    calls_of,
    check_record,
    decided,
    end_of,
    live_run,
    says,
    scripted,
    variant,
)


def at(step: int, verb: Verb) -> CallGate:
    @decided
    async def gate(call: PendingCall) -> Verb:
        return verb if call.step == step else GoOn()

    return gate


async def test_the_gate_sees_each_call_before_it_is_done() -> None:
    seen: list[tuple[PendingCall, int]] = []

    @decided
    async def gate(call: PendingCall) -> Verb:
        seen.append((call, len(live.run.events)))
        return GoOn()

    live = LiveRun(abc(), RunOptions(), loaded=scripted(says(("alpha", {}), ("ghost", {"a": 1}))), gate=gate)
    run = await live.go()
    check_record(run.events)
    assert [(c.step, c.tool, dict(c.arguments), c.answer) for c, _ in seen] == [
        (1, "alpha", {}, "Alpha has been done."),
        (2, "ghost", {"a": 1}, None),
    ]
    assert [run.events[n].type for _, n in seen] == ["call", "call"]


async def test_arguments_are_edited_and_the_wish_is_kept() -> None:
    case = variant("Alpha happens after 8:00.", ["alpha"], durations=[2])
    model = scripted(says(("alpha", {"start_time": 3})))
    run = await run_agent(case, model=model, gate=at(1, EditArguments({"start_time": 9})), guard=True)
    (call,) = calls_of(run)
    assert (call.arguments, call.asked) == ({"start_time": 9}, {"start_time": 3})
    assert answers_of(run)[0].refused_by is None
    assert replay(problem_of(case), trace_of(run)).verdict().verdict == "right"


async def test_the_guard_remembers_edited_arguments() -> None:
    case = variant("Alpha happens before beta.", ["alpha", "beta"], durations=[2, 1])
    model = scripted(says(("alpha", {"start_time": 0})), says(("beta", {"start_time": 2})))
    run = await run_agent(case, model=model, gate=at(1, EditArguments({"start_time": 9})), guard=True)
    assert [a.refused_by for a in answers_of(run)] == [None, "guard"]


async def test_an_answer_is_edited_and_the_true_one_kept() -> None:
    model = scripted(says(("alpha", {})), says(("beta", {})))
    run = await run_agent(abc(), model=model, gate=at(1, EditAnswer("Alpha failed.")))
    first = answers_of(run)[0]
    assert (first.text, first.said, first.status) == ("Alpha failed.", "Alpha has been done.", "ok")
    assert model.chat.seen[1][-1].content == "Alpha failed."


async def test_a_refused_call_never_reaches_its_tool() -> None:
    case = abc()
    model = scripted(*(says((t, {})) for t in ("gamma", "alpha", "beta", "gamma")))
    run = await run_agent(case, model=model, gate=at(1, Refuse("not now")))
    first = answers_of(run)[0]
    assert (first.text, first.status, first.refused_by) == ("Refused: not now", "error", "user")
    assert replay(problem_of(case), trace_of(run)).verdict().verdict == "right"


async def test_the_limit_of_time_rests_while_the_gate_waits() -> None:
    @decided
    async def gate(call: PendingCall) -> Verb:
        await asyncio.sleep(0.8)
        return GoOn()

    limits = Limits(seconds=1.5)  # less than the two waits, and far more than what is done between them
    run = await run_agent(
        abc(), model=scripted(says(("alpha", {})), says(("beta", {}))), gate=gate, limits=limits
    )
    assert end_of(run).ending == "stopped"
    run = await run_agent(abc(), model=scripted(says(("alpha", {})), 60), gate=gate, limits=limits)
    assert end_of(run).ending == "timeout"
    assert len(calls_of(run)) == 1


async def test_the_limit_of_time_rests_until_the_last_of_several_calls_is_decided() -> None:
    """As agents have them that work side by side."""

    @decided
    async def gate(call: PendingCall) -> Verb:
        await asyncio.sleep(call.step / 2)
        return GoOn()

    live = live_run(abc(), model=scripted(), gate=gate)
    async with asyncio.timeout(0.4) as live._clock:
        calls = [PendingCall(step, "alpha", {}) for step in (0, 2)]
        await asyncio.gather(*(live.ask(one, True) for one in calls))
        when = live._clock.when()
        assert when is not None and when > asyncio.get_running_loop().time()


async def test_stop_ends_it_before_the_call() -> None:
    model = scripted(says(("alpha", {}), ("beta", {})), says(("gamma", {})))
    run = await run_agent(abc(), model=model, gate=at(2, Stop()))
    check_record(run.events)
    assert [c.tool for c in calls_of(run)] == ["alpha"]
    assert (end_of(run).ending, end_of(run).reason) == ("aborted", STOPPED_BY_USER)


async def test_a_gate_that_fails_aborts_the_run() -> None:
    @decided
    async def gate(call: PendingCall) -> Verb:
        raise RuntimeError("screen is gone")

    run = await run_agent(abc(), model=scripted(says(("alpha", {}))), gate=gate)
    check_record(run.events)
    assert end_of(run).ending == "aborted"


async def test_pausing_stepping_and_going_on() -> None:
    paused: list[str] = []
    resumed: list[str] = []
    gate = Pauser(
        wanted=lambda call: call.tool == "alpha",
        on_pause=lambda call: paused.append(call.tool),
        on_resume=lambda call, verb: resumed.append(type(verb).__name__),
    )
    assert gate.decide(GoOn()) is False  # nothing is paused
    script = [says((t, {})) for t in ("alpha", "beta", "gamma", "alpha")]
    live = LiveRun(abc(), RunOptions(), loaded=scripted(*script), gate=gate)
    task = asyncio.create_task(live.go())

    async def until(n: int) -> None:
        async with asyncio.timeout(60):
            while len(paused) < n or gate.paused is None:
                await asyncio.sleep(0.005)

    await until(1)
    assert [e.type for e in live.run.events] == ["prompt", "message"]
    assert gate.decide(GoOn(), stepping=True)
    await until(2)
    assert len(calls_of(live.run)) == 1
    assert gate.decide(Refuse("no"))
    await until(3)
    assert paused == ["alpha", "beta", "alpha"]  # gamma was passed: stepping was over
    assert gate.decide(GoOn())
    run = await asyncio.wait_for(task, 60)
    check_record(run.events)
    assert resumed == ["GoOn", "Refuse", "GoOn"]
    assert [a.refused_by for a in answers_of(run)] == [None, "user", None, None]
    assert gate.decide(GoOn()) is False


def test_a_paused_run_is_stopped_from_another_thread() -> None:
    paused = threading.Event()
    gate = Pauser(stepping=True, on_pause=lambda call: paused.set())
    live = LiveRun(abc(), RunOptions(), loaded=scripted(says(("alpha", {}))), gate=gate)
    done: list[Any] = []
    thread = threading.Thread(target=lambda: done.append(live.wait()))
    thread.start()
    assert paused.wait(60)
    began = time.perf_counter()
    live.stop()
    thread.join(60)
    assert time.perf_counter() - began < 20
    (run,) = done
    check_record(run.events)
    assert end_of(run).reason == STOPPED_BY_USER
    assert gate.paused is None
    assert gate.decide(GoOn()) is False


SCRIPT = [
    says(("alpha", {}), ("ghost", {}), text="x"),
    says(("beta", "{"), ("beta", {})),
    says(("gamma", {})),
]


def own_threads() -> set[threading.Thread]:
    """All but the event loop's pool of workers, which waits for more."""
    return {t for t in threading.enumerate() if not t.name.startswith("asyncio_")}


@pytest.mark.parametrize("how", ["stop", "cancel"])
async def test_stopping_at_every_event_leaves_a_whole_record_and_nothing_running(how: str) -> None:
    whole = await run_agent(abc(), model=scripted(*SCRIPT))
    others = own_threads()
    for number in range(len(whole.events)):
        before = asyncio.all_tasks()
        holder: list[asyncio.Task[Any]] = []
        when = [0.0]
        seen = [0]

        def watch(event: Event) -> None:
            if seen[0] == number:  # noqa: B023
                when[0] = time.perf_counter()  # noqa: B023
                live.stop() if how == "stop" else holder[0].cancel()  # noqa: B023
            seen[0] += 1  # noqa: B023

        live = LiveRun(abc(), RunOptions(), loaded=scripted(*SCRIPT), on_event=watch)
        holder.append(asyncio.create_task(live.go()))
        await asyncio.wait(holder, timeout=60)
        assert time.perf_counter() - when[0] < 20
        assert holder[0].done()
        check_record(live.run.events)
        if how == "stop":
            assert holder[0].result() is live.run
        if number < len(whole.events) - 1:
            assert end_of(live.run).ending == "aborted"
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == before
    assert own_threads() <= others


@pytest.mark.parametrize(
    "agent,guard",
    [
        *(("tools", False), ("react", False), ("responses", False), ("react", True)),
        *nightly(("tools", True), ("responses", True)),
    ],
)
async def test_stopping_at_every_event_in_every_paradigm(agent: str, guard: bool) -> None:
    options: dict[str, Any] = {"model": "sim:literal", "agent": agent, "guard": guard}
    case = abc("Beta happens after alpha. Gamma happens before alpha.")
    whole = await run_agent(case, **options)
    for number in range(1, len(whole.events)):
        run, took = await stopped_at(case, number, options)
        assert took < 20  # what it does take is measured by tests/bench
        check_record(run.events)
        assert end_of(run).ending == "aborted"
        assert len(asyncio.all_tasks()) == 1


async def stopped_at(case: Variant, events: int, options: dict[str, Any]) -> tuple[Run, float]:
    """The run, stopped once there are so many events, and the seconds that it took to end."""
    when: list[float] = []

    def watch(event: Event) -> None:
        if len(live.run.events) == events:
            when.append(time.perf_counter())
            live.stop()

    live = live_run(case, on_event=watch, **options)
    run = await asyncio.wait_for(live.go(), 60)
    return run, time.perf_counter() - when[0]


async def test_stopping_at_every_pause() -> None:
    for step in (1, 2, 3, 4):
        gate = Pauser(wanted=lambda call, step=step: call.step == step)
        live = LiveRun(abc(), RunOptions(), loaded=scripted(*SCRIPT), gate=gate)
        task = asyncio.create_task(live.go())
        async with asyncio.timeout(60):
            while gate.paused is None and not task.done():
                await asyncio.sleep(0.002)
        began = time.perf_counter()
        live.stop()
        run = await asyncio.wait_for(task, 60)
        assert time.perf_counter() - began < 20
        check_record(run.events)
        assert len(asyncio.all_tasks()) == 1


@pytest.mark.parametrize("place", [1, 2, 3])
async def test_stop_leaves_no_call_of_the_message_to_be_done_behind_it(place: int) -> None:
    asked: list[int] = []

    @decided
    async def gate(call: PendingCall) -> Verb:
        asked.append(call.step)
        await asyncio.sleep(0)
        return Stop() if call.step == place else GoOn()

    model = scripted(says(("alpha", {}), ("beta", {}), ("gamma", {})))
    run = await run_agent(abc(), model=model, gate=gate)
    check_record(run.events)
    await asyncio.sleep(0.05)
    assert asked == list(range(1, place + 1))
    assert [c.tool for c in calls_of(run)] == ["alpha", "beta", "gamma"][: place - 1]
    assert end_of(run).reason == STOPPED_BY_USER
    assert asyncio.all_tasks() == {asyncio.current_task()}


UNREADABLE = [
    [says(("alpha", "{"))],
    [says(("alpha", "{"), ("beta", {})), says(("gamma", {}))],
    [says(("alpha", {}), ("beta", "{"), ("gamma", {})), says(text="ok")],
    [says(("alpha", {}), ("beta", "{"), ("gamma", "["))],
]


@pytest.mark.parametrize("script", UNREADABLE)
async def test_calls_that_cannot_be_read_are_asked_about_in_their_turn(script: list[Any]) -> None:
    """Their order in the record is that in which the gate saw them; they can be looked at and passed."""
    seen: list[PendingCall] = []

    @decided
    async def gate(call: PendingCall) -> Verb:
        assert call.step == len(calls_of(live.run)) + 1
        seen.append(call)
        await asyncio.sleep(0)
        return Refuse("no matter") if call.error else GoOn()

    plain = await run_agent(abc(), model=scripted(*script))
    live = LiveRun(abc(), RunOptions(), loaded=scripted(*script), gate=gate)
    run = await live.go()
    check_record(run.events)
    assert [(c.tool, c.arguments, c.raw) for c in calls_of(run)] == [
        (c.tool, c.arguments, c.raw) for c in calls_of(plain)
    ]
    assert [(a.step, a.text) for a in answers_of(run)] == [(a.step, a.text) for a in answers_of(plain)]
    assert [(c.call.tool, c.call.arguments, c.call.error) for c in seen] == [
        (c.tool, c.arguments, c.error) for c in calls_of(run)
    ]
    assert any(c.raw == "{" and not c.arguments for c in seen)


@pytest.mark.parametrize("script", UNREADABLE)
async def test_a_run_is_stopped_at_a_call_that_cannot_be_read(script: list[Any]) -> None:
    @decided
    async def gate(call: PendingCall) -> Verb:
        return Stop() if call.error else GoOn()

    run = await run_agent(abc(), model=scripted(*script), gate=gate)
    check_record(run.events)
    assert all(c.error is None for c in calls_of(run))
    assert end_of(run).reason == STOPPED_BY_USER
    await asyncio.sleep(0.05)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_pause_tells_why() -> None:
    why: list[tuple[str, tuple[str, ...]]] = []
    pauser = Pauser(
        wanted=lambda call: ["it is alpha"] if call.tool == "alpha" else [],
        on_pause=lambda call: (why.append((call.tool, call.why)), pauser.decide(GoOn(), stepping=True))[0],
    )
    script = [says((t, {})) for t in ("beta", "alpha", "gamma")]
    run = await asyncio.wait_for(run_agent(abc(), model=scripted(*script), gate=pauser), 60)
    assert why == [("alpha", ("it is alpha",)), ("gamma", ())]
    assert end_of(run).ending == "stopped"


async def test_nothing_is_recorded_behind_the_end() -> None:
    """An agent of somebody's own may leave calls under way; they are no part of a run that has ended."""

    class Leaves:
        def __init__(self, recorder: Any) -> None:
            self.recorder = recorder

        async def ainvoke(self, state: Any) -> None:
            request = ModelRequest(model=scripted().chat, messages=state["messages"])
            await self.recorder.awrap_model_call(request, self.called)
            loose.append(asyncio.create_task(self.late(request)))

        async def called(self, request: Any) -> Any:
            return ModelResponse(result=[says(("alpha", {}))])

        async def late(self, request: Any) -> None:
            await asyncio.sleep(0.01)
            await self.recorder.awrap_model_call(request, self.called)

    loose: list[asyncio.Task[None]] = []
    live = LiveRun(abc(), RunOptions(), loaded=scripted())
    live._factory = lambda model, tools, middleware: Leaves(middleware[0])
    run = await live.go()
    events = list(run.events)
    await asyncio.gather(*loose)
    assert run.events == events


def test_actions_of_own_tools_are_numbered_from_one() -> None:
    made = problem_from(
        "Get order comes before cancel-it.",
        ["get_order", "cancel-it", "get_order"],
        timed=True,
        hours={"get_order": 3},
    )
    assert [(a.id, a.name, a.tool, a.duration) for a in made.actions] == [
        ("a1", "get order", "get_order", 3),
        ("a2", "cancel it", "cancel-it", 1),
    ]
