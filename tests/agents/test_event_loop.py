"""The loop that all runs share: tasks that will not end, threads, what the end of the program does with them."""

from __future__ import annotations

import asyncio
import inspect
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from planscope.agents import event_loop
from planscope.agents.event_loop import put_down, wait_for
from planscope.agents.runner import STOPPED_BY_USER, LiveRun
from planscope.session.model import ErrorEvent

from .support import abc, check_record, end_of, live_run, scripted


async def losing(cancellations: int) -> None:
    """Sleeps, and gets over so many cancellations."""
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if not cancellations:
                raise
            cancellations -= 1


@pytest.mark.parametrize("lost", [0, 1, 5])
async def test_a_task_that_loses_cancellations_ends_all_the_same(lost: int) -> None:
    task = asyncio.create_task(losing(lost))
    await asyncio.sleep(0)
    assert await put_down(task)
    assert task.cancelled()


async def test_a_task_that_will_not_end_is_given_up() -> None:
    task = asyncio.create_task(losing(10_000))
    await asyncio.sleep(0)
    assert not await put_down(task, 0.1)
    assert not task.done()
    task.get_coro().close()
    assert await put_down(asyncio.create_task(asyncio.sleep(0)), 1)


def test_an_interrupt_before_anything_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    def struck() -> asyncio.AbstractEventLoop:
        raise KeyboardInterrupt

    monkeypatch.setattr(event_loop, "_shared_loop", struck)
    work = losing(0)
    with pytest.raises(KeyboardInterrupt):
        wait_for(work)
    assert inspect.getcoroutinestate(work) == inspect.CORO_CLOSED


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_interrupt_while_the_work_is_handed_over(monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    """A coroutine that is closed while a task holds it would end without a word."""
    ended: list[BaseException] = []
    loop = event_loop._shared_loop()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        except BaseException as error:
            ended.append(error)
            raise

    class Struck:
        create_task = loop.create_task
        handed_over = False

        def call_soon_threadsafe(self, callback: Any) -> None:
            first, self.handed_over = not self.handed_over, True
            if not first or when == "after":
                loop.call_soon_threadsafe(callback)
            if first:
                time.sleep(0.1)
                raise KeyboardInterrupt

    monkeypatch.setattr(event_loop, "_shared_loop", Struck)
    coroutine = work()
    with pytest.raises(KeyboardInterrupt):
        wait_for(coroutine)
    assert inspect.getcoroutinestate(coroutine) == inspect.CORO_CLOSED
    assert [type(e) for e in ended] == ([asyncio.CancelledError] if when == "after" else [])


def test_a_run_that_does_not_come_to_rest_after_an_interrupt_has_an_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go_on = threading.Event()

    async def deaf() -> None:
        main = threading.main_thread().ident
        assert main is not None
        signal.pthread_kill(main, signal.SIGINT)
        go_on.wait(60)  # blocks the loop, as importing does on a machine that is busy

    monkeypatch.setattr(event_loop, "_PATIENCE", 0.1)
    live = own(deaf)
    with pytest.raises(KeyboardInterrupt):
        live.wait()
    try:
        check_record(live.run.events)
        assert end_of(live.run).reason == STOPPED_BY_USER
        before = list(live.run.events)
    finally:
        go_on.set()
    wait_for(asyncio.sleep(0))
    assert live.run.events == before


class Agent:
    """An agent of somebody's own, as the runner sees it."""

    def __init__(self, work: Any, middleware: list[Any]) -> None:
        self.work = work
        middleware[0].calls_made = 1

    async def ainvoke(self, state: Any) -> None:
        await self.work()


def own(work: Any, **options: Any) -> LiveRun:
    live = live_run(abc(), model=scripted(), **options)
    live._factory = lambda model, tools, middleware: Agent(work, middleware)
    return live


@pytest.mark.parametrize("lost", [1, 3])
def test_a_run_that_loses_its_first_cancellations_is_stopped(lost: int) -> None:
    live = own(lambda: losing(lost))
    timer = threading.Timer(0.1, live.stop)
    timer.start()
    run = live.wait()
    timer.join()
    assert end_of(run).reason == STOPPED_BY_USER
    check_record(run.events)


def test_an_agent_that_leaves_the_program_ends_its_own_run() -> None:
    async def leave() -> None:
        sys.exit(3)

    for _ in range(2):
        run = own(leave).wait()
        told = run.events[-2]
        assert isinstance(told, ErrorEvent)
        assert "SystemExit" in told.text
        assert end_of(run).ending == "aborted"
    assert wait_for(asyncio.sleep(0, "still here")) == "still here"


def test_threads_are_gone_when_their_work_is_done() -> None:
    async def work() -> list[str]:
        names = await asyncio.gather(
            *(asyncio.to_thread(lambda: threading.current_thread().name) for _ in "abc")
        )
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(lambda: 1 / 0)
        return names

    before = set(threading.enumerate())
    assert all(name.startswith("planscope") for name in wait_for(work()))
    for thread in set(threading.enumerate()) - before - {_shared()}:
        thread.join(60)
    assert set(threading.enumerate()) <= before | {_shared()}


def _shared() -> threading.Thread:
    return next(t for t in threading.enumerate() if t.name == "planscope agents")


LEAVING = """
import asyncio, sys, threading, time
from planscope.agents.event_loop import wait_for
begun = threading.Event()
def long():
    begun.set()
    time.sleep(60)
async def work(how):
    try:
        if how == "thread":
            await asyncio.to_thread(long)
        begun.set()
        await asyncio.sleep(60)
    finally:
        if how == "fails":
            raise RuntimeError("while it was ended")
        print("put away", flush=True)
def wait():
    try:
        wait_for(work(sys.argv[1]))
    except BaseException:
        pass
threading.Thread(target=wait, daemon=True).start()
assert begun.wait(50)
"""


@pytest.mark.parametrize("how", ["task", "thread", "fails"])
def test_the_end_of_the_program_ends_what_is_under_way(how: str) -> None:
    began = time.perf_counter()
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", LEAVING, how]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=100, check=False)
    assert time.perf_counter() - began < 50  # the work would take sixty
    said = [] if how == "fails" else ["put away"]
    assert (done.stdout.split("\n")[:-1], done.stderr, done.returncode) == (said, "", 0)


def test_there_is_one_loop() -> None:
    async def which() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    assert wait_for(which()) is wait_for(which()) is event_loop._loop
