"""Limits, stopping, cancelling, failures: how a run comes to its end."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from langchain_core.exceptions import ModelAuthenticationError, ModelRateLimitError

from planscope.agents.options import RunOptions
from planscope.agents.paradigms import UnknownAgent
from planscope.agents.runner import STOPPED_BY_USER, LiveRun
from planscope.session.model import AnswerEvent, ErrorEvent, Event, Limits, Session
from planscope.session.store import load, save
from tests.agents.support import run_agent, run_once

from .support import abc, called, calls_of, check_record, end_of, says, scripted


async def test_time_is_limited_exactly() -> None:
    began = time.perf_counter()
    run = await run_agent(abc(), model=scripted(says(("alpha", {})), 30), limits=Limits(seconds=1.5))
    took = time.perf_counter() - began
    check_record(run.events)
    assert (end_of(run).ending, end_of(run).reason) == ("timeout", "over 1.5 seconds")
    assert len(calls_of(run)) == 1
    assert took < 15  # the model would take 30
    assert 1.5 <= end_of(run).at < 15


async def test_model_calls_are_limited() -> None:
    endless = [says(("alpha", {})) for _ in range(9)]
    run = await run_agent(abc(), model=scripted(*endless), limits=Limits(model_calls=3))
    check_record(run.events)
    assert (end_of(run).ending, end_of(run).reason) == ("call_limit", "over 3 model calls")
    assert len(calls_of(run)) == 3


async def test_the_last_allowed_model_call_may_be_the_last_word() -> None:
    run = await run_agent(abc(), model=scripted(says(("alpha", {}))), limits=Limits(model_calls=2))
    assert end_of(run).ending == "stopped"


async def test_the_variants_limits_hold_by_default() -> None:
    case = abc()
    case.limits = Limits(model_calls=1)
    run = await run_agent(case, model=scripted(says(("alpha", {}))))
    assert end_of(run).ending == "call_limit"


async def test_cancelling_ends_the_record_at_once() -> None:
    events: list[Event] = []
    task = asyncio.create_task(
        run_agent(abc(), model=scripted(says(("alpha", {})), 30), on_event=events.append)
    )
    while len(events) < 4:
        await asyncio.sleep(0.01)
    began = time.perf_counter()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.perf_counter() - began < 15  # the model would take 30
    check_record(events)
    assert events[-1].ending == "aborted"


async def test_stopping_from_another_thread_gives_the_run() -> None:
    def stop(event: Event) -> None:
        if isinstance(event, AnswerEvent):
            threading.Thread(target=live.stop).start()

    live = LiveRun(abc(), RunOptions(), loaded=scripted(says(("alpha", {})), 30), on_event=stop)
    run = await asyncio.wait_for(live.go(), 20)  # the model would take 30
    assert run is live.run
    check_record(run.events)
    assert (end_of(run).ending, end_of(run).reason) == ("aborted", STOPPED_BY_USER)
    assert [c.tool for c in calls_of(run)] == ["alpha"]
    live.stop()  # does nothing any more


async def test_stopping_before_it_began() -> None:
    live = LiveRun(abc(), RunOptions(), loaded=scripted(says(("alpha", {}))))
    live.stop()
    run = await live.go()
    check_record(run.events)
    assert [e.type for e in run.events] == ["prompt", "end"]


async def test_stopping_inside_a_callback() -> None:
    live: LiveRun

    def stop(event: Event) -> None:
        if event.type == "call":
            live.stop()

    live = LiveRun(
        abc(), RunOptions(), loaded=scripted(*(says(("alpha", {})) for _ in range(30))), on_event=stop
    )
    run = await live.go()
    check_record(run.events)
    assert end_of(run).ending == "aborted"
    assert len(calls_of(run)) <= 2


@pytest.mark.parametrize(
    ("error", "kind", "says_"),
    [
        (
            ModelAuthenticationError("Incorrect API key: sk-abcdefgh12345678"),
            "authentication",
            "refused the key (401)",
        ),
        (ModelRateLimitError("slow down"), "rate_limit", "(429); try again later: slow down"),
        (RuntimeError("first\nsecond"), "model", "RuntimeError: first"),
        (ConnectionResetError("peer"), "connection", "could not be reached"),
        (TimeoutError(), "model", "TimeoutError"),
        (KeyError("choices"), "model", "KeyError"),
    ],
)
async def test_a_crash_is_recorded_and_is_no_planning(error: Exception, kind: str, says_: str) -> None:
    run = await run_agent(abc(), model=scripted(says(("alpha", {})), error))
    check_record(run.events)
    end, told = end_of(run), run.events[-2]
    assert end.ending == "aborted"
    assert isinstance(told, ErrorEvent)
    assert told.kind == kind
    assert told.text == end.reason
    assert says_ in told.text
    assert "\n" not in told.text
    assert "sk-" not in told.text
    assert len(calls_of(run)) == 1


async def test_a_model_that_cancels_itself_does_not_cancel_us() -> None:
    run = await run_agent(abc(), model=scripted(asyncio.CancelledError()))
    assert end_of(run).ending == "aborted"


async def test_a_failing_callback_is_not_blamed_on_the_model() -> None:
    def fail(event: Event) -> None:
        if event.type == "call":
            raise RuntimeError("screen is gone")

    live = LiveRun(abc(), RunOptions(), loaded=scripted(says(("alpha", {}))), on_event=fail)
    with pytest.raises(RuntimeError, match="screen is gone"):
        await live.go()


async def test_prompts_of_the_users_own(tmp_path: Path) -> None:
    own = tmp_path / "prompts.toml"
    own.write_text('base = "Please: [text] Thanks."\ntimed = "[text]"\n')
    run = await run_agent(abc("Beta happens before alpha."), model="sim:careful", prompts=own)
    assert run.events[0].text == "Please: Beta happens before alpha. Thanks."


async def test_unknown_agents_are_refused_in_one_line() -> None:
    with pytest.raises(UnknownAgent, match="the agents are tools"):
        await run_agent(abc(), model="sim:careful", agent="planner")


async def test_many_runs_share_a_loop_and_nothing_else() -> None:
    cases = [abc("Alpha happens before beta."), abc("Beta happens before alpha.")] * 8
    runs = await asyncio.gather(*(run_agent(c, model="sim:careful") for c in cases))
    for case, run in zip(cases, runs, strict=True):
        order = [tool for tool, _ in called(run)]
        first, second = ("alpha", "beta") if case.query.text.startswith("Alpha") else ("beta", "alpha")
        assert order.index(first) < order.index(second)
    assert len({r.id for r in runs}) == len(runs)


def test_blocking_runs_share_one_loop() -> None:
    loops = []

    def note(event: Event) -> None:
        loops.append((asyncio.get_running_loop(), threading.current_thread().name))

    for _ in range(2):
        run_once(abc(), model="sim:careful", on_event=note)
    assert len(set(loops)) == 1
    assert loops[0][1] != threading.current_thread().name


def test_blocking_runs_are_stopped_from_another_thread() -> None:
    answered = threading.Event()

    def note(event: Event) -> None:
        if event.type == "answer":
            answered.set()

    live = LiveRun(abc(), RunOptions(), loaded=scripted(says(("alpha", {})), 3600), on_event=note)
    other = threading.Thread(target=lambda: answered.wait() and live.stop())
    other.start()
    run = live.wait()  # the model would take an hour for its next answer
    other.join()
    assert len(called(run)) == 1
    check_record(run.events)
    assert end_of(run).reason == STOPPED_BY_USER


def test_runs_go_into_a_session_file_and_back(tmp_path: Path) -> None:
    case = abc("Alpha happens before beta.")
    unread = scripted(says(("alpha", "{"), ("beta", {"a": float("inf")}), ("ghost", {})), says(("alpha", {})))
    failing = scripted(says(("beta", {})), RuntimeError("gone"))
    models: list[Any] = ["sim:careful", "sim:literal", unread, failing]
    runs = [run_once(case, model=m, run_id=f"r{i}") for i, m in enumerate(models)]
    session = Session(id="s1", title="t", variants=[case], runs=runs)
    path = tmp_path / "s.planscope.json"
    save(session, path)
    assert load(path).runs == runs


def test_run_once_needs_no_loop_and_may_be_repeated() -> None:
    first, second = (run_once(abc(), model="sim:careful", seed=3, run_id=name) for name in ("r1", "r2"))
    assert (first.id, second.id) == ("r1", "r2")
    assert first.seed == 3
    assert called(first) == called(second)


async def test_nothing_is_uploaded_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    from langsmith import utils

    asked: list[Any] = []
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGSMITH_API_KEY", "lsv2_planted")
    utils.get_env_var.cache_clear()
    original = utils.tracing_is_enabled

    class Spying(type(scripted().chat)):
        async def _agenerate(self, *args: Any, **kwargs: Any) -> Any:
            asked.append(original())
            return await super()._agenerate(*args, **kwargs)

    assert original() is True
    model = scripted()
    model.chat = Spying(script=[says(("alpha", {}))])
    await run_agent(abc(), model=model)
    monkeypatch.undo()
    utils.get_env_var.cache_clear()
    assert asked == [False, False]


@pytest.mark.parametrize(("asked", "enabled"), [(False, False), (True, None)])
async def test_tracing_is_the_environments_only_where_it_is_asked_for(
    asked: bool, enabled: bool | None
) -> None:
    from langsmith.run_helpers import get_tracing_context

    found: list[Any] = []

    class Spying(type(scripted().chat)):
        async def _agenerate(self, *args: Any, **kwargs: Any) -> Any:
            found.append(get_tracing_context()["enabled"])
            return await super()._agenerate(*args, **kwargs)

    model = scripted()
    model.chat = Spying(script=[])
    await run_agent(abc(), model=model, tracing=asked)
    assert found == [enabled]


async def test_what_a_run_took_is_counted() -> None:
    from planscope.agents.forks import fork
    from planscope.session.record import cost_of

    run = await run_agent(abc(), model="sim:careful")
    cost = cost_of(run)
    assert cost.model_calls == 4
    assert (cost.input_tokens or 0) > (cost.output_tokens or 0) > 0
    assert cost.model_seconds <= cost.seconds
    branch = await fork(run, abc(), RunOptions(agent="", model="sim:careful"), step=2).go()
    assert cost_of(branch).model_calls == 2
    silent = await run_agent(abc(), model=scripted(says(("alpha", {}))))
    assert (cost_of(silent).input_tokens, cost_of(silent).output_tokens) == (None, None)
