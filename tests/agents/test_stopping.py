"""A run is stopped at every event, at every pause and while the model is slow: at once, whole, nothing left behind."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planscope.agents.runner import STOPPED_BY_USER, LiveRun
from planscope.session.model import Event

from .stopping import Stopped, is_whole, left_behind, paused_at, slow_at, speak, wire_run
from .support import abc, check_record, end_of, live_run
from .wire.replies import Drip, Slow
from .wire.server import WireServer

BOUND = 20.0
"""Seconds, generous: the servers and models here would take sixty. ``tests.bench.bench_stop`` measures."""

EVENTS = 11
"""Of a run of three calls, less its end."""


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789abcdef")
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL", "LANGSMITH_GATEWAY", "OPENAI_ORG_ID", "OPENAI_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def nothing_is_left(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Threads, tasks, and what asyncio says of tasks that were lost or exceptions that nobody looked at."""
    before = threading.enumerate()
    with caplog.at_level(logging.WARNING, logger="asyncio"):
        yield
        assert left_behind(before) == []
    assert [r.message for r in caplog.records if r.name == "asyncio"] == []


@pytest.fixture(params=["tools", "react", "responses"])
def agent(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def streamed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def simulated(agent: str, model: str = "sim:careful", **options: Any) -> LiveRun:
    return live_run(abc(), model=model, agent=agent, **options)


@pytest.mark.parametrize("guard", [False, True], ids=["", "guarded"])
def test_at_every_event_of_a_simulated_run(agent: str, guard: bool, tmp_path: Path) -> None:
    for number in range(EVENTS):
        one = Stopped(lambda **more: simulated(agent, guard=guard, **more))
        run = one.run(lambda event, seen, number=number: seen == number)
        assert one.took < BOUND
        if number < EVENTS - 1 or end_of(run).ending == "aborted":  # else the last word was said already
            is_whole(abc(), run, tmp_path)
        check_record(run.events)
        assert len(run.events) <= number + 3  # what was just being said, and the end


def test_at_every_event_over_the_wire(agent: str, streamed: bool, tmp_path: Path) -> None:
    for number in range(EVENTS - 1):
        with WireServer(speak(agent)) as server:
            one = Stopped(lambda server=server, **more: wire_run(server, agent, streamed, **more))
            run = one.run(lambda event, seen, number=number: seen == number)
        assert one.took < BOUND
        is_whole(abc(), run, tmp_path)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_while_paused_at_the_gate(agent: str, step: int, tmp_path: Path) -> None:
    one = Stopped(lambda **more: simulated(agent, "sim:careful", gate=paused_at(step, one.moment), **more))
    run = one.run()
    assert one.took < BOUND
    is_whole(abc(), run, tmp_path)
    assert end_of(run).reason == STOPPED_BY_USER
    with WireServer(speak(agent)) as server:
        two = Stopped(lambda **more: wire_run(server, agent, False, gate=paused_at(step, two.moment), **more))
        run = two.run()
    assert two.took < BOUND
    is_whole(abc(), run, tmp_path)


@pytest.mark.parametrize("number", [0, 2])
def test_while_the_server_is_silent(agent: str, streamed: bool, number: int, tmp_path: Path) -> None:
    with WireServer(slow_at(speak(agent), number, Slow)) as server:
        one = Stopped(lambda **more: wire_run(server, agent, streamed, **more))

        def asked() -> None:
            while len(server.requests) <= number:
                threading.Event().wait(0.01)
            one.moment.set()

        threading.Thread(target=asked).start()
        run = one.run()
    assert one.took < BOUND
    is_whole(abc(), run, tmp_path)


@pytest.mark.parametrize("number", [0, 2])
def test_in_the_middle_of_an_answer(agent: str, streamed: bool, number: int, tmp_path: Path) -> None:
    with WireServer(slow_at(speak(agent), number, Drip)) as server:
        one = Stopped(lambda **more: wire_run(server, agent, streamed, **more), server.dripping)
        run = one.run()
    assert one.took < BOUND
    is_whole(abc(), run, tmp_path)


def test_while_a_simulated_model_is_slow(agent: str, tmp_path: Path) -> None:
    one = Stopped(lambda **more: simulated(agent, "sim:slow?seconds=60", **more))
    run = one.run(lambda event, seen: seen == 0)
    assert one.took < BOUND
    is_whole(abc(), run, tmp_path)
    two = Stopped(lambda **more: simulated(agent, "sim:slow?seconds=60", **more))
    threading.Timer(0.3, two.moment.set).start()
    run = two.run()
    assert two.took < BOUND
    is_whole(abc(), run, tmp_path)


def test_before_it_begins_and_after_its_end(agent: str) -> None:
    live = simulated(agent)
    live.stop()
    run = live.wait()
    check_record(run.events)
    assert end_of(run).reason == STOPPED_BY_USER
    live = simulated(agent)
    ended = live.wait()
    events = list(ended.events)
    live.stop()
    live.stop()
    assert ended.events == events


async def test_cancelling_the_callers_task_at_every_event_over_the_wire(agent: str) -> None:
    """The other way to stop: on an event loop of one's own."""
    for number in range(EVENTS - 1):
        with WireServer(speak(agent)) as server:
            holder: list[asyncio.Task[Any]] = []
            seen = [0]

            def watch(event: Event, seen: list[int] = seen, number: int = number) -> None:
                if seen[0] == number:
                    holder[0].cancel()  # noqa: B023
                seen[0] += 1

            live = wire_run(server, agent, bool(number % 2), on_event=watch)
            holder.append(asyncio.create_task(live.go()))
            await asyncio.wait(holder, timeout=BOUND)
            assert holder[0].done()
            assert holder[0].cancelled()
            check_record(live.run.events)
            assert end_of(live.run).reason == STOPPED_BY_USER
        async with asyncio.timeout(BOUND):
            while len(asyncio.all_tasks()) > 1:
                await asyncio.sleep(0)
