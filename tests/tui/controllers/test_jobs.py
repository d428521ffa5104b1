"""Jobs: late answers are dropped, errors are no end, quitting does not wait."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from planscope.errors import UserError
from planscope.oracle.cancellation import Cancelled, check_cancelled
from planscope.tui.controllers.jobs import CancelToken, Jobs


async def until(condition: object, seconds: float = 60.0) -> None:
    begun = time.monotonic()
    while not condition() and time.monotonic() - begun < seconds:
        await asyncio.sleep(0.005)


async def test_an_answer_comes_on_the_loop() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    got: list[object] = []
    jobs.start(
        "a",
        lambda token: threading.current_thread(),
        lambda t: got.extend([t, threading.current_thread()]),
        got.append,
    )
    await until(lambda: got)
    assert got[0] is not got[1] is threading.main_thread()
    assert not jobs.running("a")


async def test_a_job_of_the_same_name_makes_the_older_one_stale() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    got: list[str] = []
    release = threading.Event()
    tokens: list[CancelToken] = []

    def slow(token: CancelToken) -> str:
        tokens.append(token)
        release.wait(60)
        return "old"

    jobs.start("a", slow, got.append, lambda e: got.append(str(e)))
    await until(lambda: tokens)
    jobs.start("a", lambda token: "new", got.append, lambda e: got.append(str(e)))
    assert tokens[0].cancelled
    release.set()
    await until(lambda: got)
    await asyncio.sleep(0.05)
    assert got == ["new"]


async def test_an_error_is_told_once_and_the_next_job_runs() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    got: list[str] = []

    def wrong(token: CancelToken) -> str:
        raise RecursionError("too deep")

    jobs.start("a", wrong, got.append, lambda e: got.append(f"{type(e).__name__}: {e}"))
    await until(lambda: got)
    jobs.start("a", lambda token: "fine", got.append, lambda e: got.append(str(e)))
    await until(lambda: len(got) == 2)
    assert got == ["RecursionError: too deep", "fine"]


async def test_an_answer_that_cannot_be_taken_is_told_as_well() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    got: list[str] = []

    def take(answer: int) -> None:
        raise LookupError("nowhere to put it")

    jobs.start("a", lambda token: 1, take, lambda e: got.append(str(e)))
    await until(lambda: got)
    assert got == ["nowhere to put it"]


async def test_cancel_interrupts_and_drops() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    got: list[object] = []
    stop = threading.Event()
    jobs.start("a", lambda token: stop.wait(60), got.append, got.append, interrupt=stop.set)
    jobs.cancel("a")
    assert stop.is_set()
    await asyncio.sleep(0.05)
    assert got == [] and not jobs.running("a")


async def test_closing_does_not_wait_for_long() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    got: list[object] = []
    for name in "abc":
        jobs.start(name, lambda token: time.sleep(5), got.append, got.append)
    begun = time.monotonic()
    jobs.close(0.2)
    assert time.monotonic() - begun < 4  # the jobs would take 5
    jobs.start("d", lambda token: 1, got.append, got.append)
    await asyncio.sleep(0.05)
    assert got == [] and not jobs.running("d")


async def test_a_ticket_wakes_who_waits() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    woke: list[bool] = []

    def wait(token: CancelToken) -> None:
        woke.append(token.wait(60))

    jobs.start("a", wait, lambda _: None, lambda _: None)
    await asyncio.sleep(0.02)
    jobs.cancel("a")
    await until(lambda: woke)
    assert woke == [True]


async def test_what_a_job_asks_the_oracle_ends_when_nobody_waits() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    got: list[object] = []
    ended: list[type[BaseException] | None] = []
    begun = threading.Event()

    def search(token: CancelToken) -> int:
        count = 0
        try:
            while True:  # a search without end, that looks as the oracle's do
                begun.set()
                count += 1
                check_cancelled()
        except Cancelled as error:
            ended.append(type(error))
            raise

    jobs.start("a", search, got.append, got.append)
    await until(begun.is_set)
    jobs.cancel("a")
    await until(lambda: ended)
    await asyncio.sleep(0.02)
    assert ended == [Cancelled] and not got


def test_what_is_dropped_interrupts_what_cannot_look_by_itself() -> None:
    token = CancelToken()
    said: list[str] = []
    keep = token.when_cancelled(lambda: said.append("kept"))
    undo = token.when_cancelled(lambda: said.append("undone"))
    undo()
    token.cancel()
    assert said == ["kept"] and token.cancelled
    keep()


def test_what_is_said_after_the_cancelling_is_called_at_once() -> None:
    token, said = CancelToken(), []
    token.cancel()
    token.when_cancelled(lambda: said.append("late"))
    assert said == ["late"]


async def test_a_closed_one_runs_nothing_and_keeps_nobody_waiting() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    jobs.close()
    for _ in range(2):
        with pytest.raises(asyncio.CancelledError):
            await jobs.run("a", lambda token: 1)
    jobs.close()


async def test_who_waits_is_told_the_answer_the_error_or_the_end() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    assert await jobs.run("a", lambda token: 1) == 1

    def wrong(token: CancelToken) -> None:
        raise ValueError("no")

    with pytest.raises(UserError, match="no"):
        await jobs.run("a", wrong)
    slow = asyncio.create_task(jobs.run("a", lambda token: token.wait(60)))
    await until(lambda: jobs.running("a"))
    jobs.cancel("a")
    with pytest.raises(asyncio.CancelledError):
        await slow
    tokens: list[CancelToken] = []

    def waits(token: CancelToken) -> None:
        tokens.append(token)
        token.wait(60)

    slow = asyncio.create_task(jobs.run("a", waits))
    await until(lambda: tokens)
    slow.cancel()
    await asyncio.gather(slow, return_exceptions=True)
    assert tokens[0].cancelled and not jobs.running("a")
