"""Jobs: late answers are dropped, errors are no end, quitting does not wait."""

from __future__ import annotations

import asyncio
import threading
import time

from planscope.oracle.cancellation import Cancelled, check_cancelled
from planscope.tui.controllers.jobs import Jobs, Ticket


async def until(condition: object, seconds: float = 60.0) -> None:
    begun = time.monotonic()
    while not condition() and time.monotonic() - begun < seconds:  # type: ignore[operator]
        await asyncio.sleep(0.005)


async def test_an_answer_comes_on_the_loop() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    got: list[object] = []
    jobs.start(
        "a",
        lambda ticket: threading.current_thread(),
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
    tickets: list[Ticket] = []

    def slow(ticket: Ticket) -> str:
        tickets.append(ticket)
        release.wait(60)
        return "old"

    jobs.start("a", slow, got.append, lambda e: got.append(str(e)))
    await until(lambda: tickets)
    jobs.start("a", lambda ticket: "new", got.append, lambda e: got.append(str(e)))
    assert tickets[0].stale
    release.set()
    await until(lambda: got)
    await asyncio.sleep(0.05)
    assert got == ["new"]


async def test_an_error_is_told_once_and_the_next_job_runs() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    got: list[str] = []

    def wrong(ticket: Ticket) -> str:
        raise RecursionError("too deep")

    jobs.start("a", wrong, got.append, lambda e: got.append(f"{type(e).__name__}: {e}"))
    await until(lambda: got)
    jobs.start("a", lambda ticket: "fine", got.append, lambda e: got.append(str(e)))
    await until(lambda: len(got) == 2)
    assert got == ["RecursionError: too deep", "fine"]


async def test_an_answer_that_cannot_be_taken_is_told_as_well() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    got: list[str] = []

    def take(answer: int) -> None:
        raise LookupError("nowhere to put it")

    jobs.start("a", lambda ticket: 1, take, lambda e: got.append(str(e)))
    await until(lambda: got)
    assert got == ["nowhere to put it"]


async def test_cancel_interrupts_and_drops() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    got: list[object] = []
    stop = threading.Event()
    jobs.start("a", lambda ticket: stop.wait(60), got.append, got.append, interrupt=stop.set)
    jobs.cancel("a")
    assert stop.is_set()
    await asyncio.sleep(0.05)
    assert got == [] and not jobs.running("a")


async def test_closing_does_not_wait_for_long() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    got: list[object] = []
    for name in "abc":
        jobs.start(name, lambda ticket: time.sleep(5), got.append, got.append)
    begun = time.monotonic()
    jobs.close(0.2)
    assert time.monotonic() - begun < 4  # the jobs would take 5
    jobs.start("d", lambda ticket: 1, got.append, got.append)
    await asyncio.sleep(0.05)
    assert got == [] and not jobs.running("d")


async def test_a_ticket_wakes_who_waits() -> None:
    jobs = Jobs(asyncio.get_running_loop())
    woke: list[bool] = []

    def wait(ticket: Ticket) -> None:
        woke.append(ticket.wait(60))

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

    def search(ticket: Ticket) -> int:
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
    ticket = Ticket(1)
    said: list[str] = []
    keep = ticket.when_dropped(lambda: said.append("kept"))
    undo = ticket.when_dropped(lambda: said.append("undone"))
    undo()
    ticket.drop()
    assert said == ["kept"] and ticket.stale
    keep()
