"""One event loop for all runs, because the clients of some providers break with a second one."""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

Answer = TypeVar("Answer")

_PATIENCE = 2.0
"""Seconds that cancelled work has to clean up."""

_AGAIN = 0.02
"""Seconds until a cancelled task that is still running is cancelled again."""

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def at_once(work: Coroutine[object, object, Answer]) -> Answer:
    """Return what a coroutine returns that awaits nothing that is not there."""
    try:
        work.send(None)
    except StopIteration as end:
        found: Answer = end.value
        return found
    except RuntimeError as error:
        if str(error) == "coroutine raised StopIteration":  # as a user's tool may, and a coroutine cannot
            raise (error.__cause__ or error) from None
        raise
    raise AssertionError("it waits, although it was to do all at once")


def wait_for(work: Coroutine[object, object, Answer]) -> Answer:
    """Run a coroutine on the shared loop and return its result. Blocks; call it from any other thread.

    An interrupt (Ctrl-C) cancels the work, lets it clean up, and is raised again.
    """
    ended = threading.Event()
    tasks: list[asyncio.Task[Answer]] = []

    def begin() -> None:
        if not ended.is_set():
            tasks.append(loop.create_task(work))
            tasks[0].add_done_callback(over)

    def over(task: asyncio.Task[Answer]) -> None:
        _ = task.cancelled() or task.exception()  # asyncio logs an exception that nobody retrieves
        work.close()  # a task cancelled before its start leaves it open
        ended.set()

    def give_up() -> None:
        if tasks:
            tasks[0].cancel()
        else:  # the interrupt came before the loop got the work
            work.close()
            ended.set()

    try:
        loop = _shared_loop()
    except BaseException:
        work.close()
        raise
    try:
        loop.call_soon_threadsafe(begin)
        ended.wait()
    except BaseException:
        loop.call_soon_threadsafe(give_up)
        ended.wait(_PATIENCE)
        raise
    return tasks[0].result()


async def put_down(task: asyncio.Task[object], patience: float = _PATIENCE) -> bool:
    """Cancel a task until it ends. Return False if it has not ended after ``patience`` seconds.

    One cancellation can be lost: ``asyncio.wait_for`` (before Python 3.12) drops it if its result arrives at the same
    moment, and OpenAI's client waits for each chunk of a stream that way.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + patience
    while not task.done() and loop.time() < until:
        task.cancel()
        await asyncio.wait({task}, timeout=_AGAIN)
    return task.done()


class Stopping:
    """Stops work on an event loop, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._heard: asyncio.Future[None] | None = None

    def ask(self) -> None:
        """Stop the work at once, or before it begins. Does nothing if it has ended."""
        with self._lock:
            self._asked = True
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(_settle, self._heard)

    @contextmanager
    def asked(self) -> Iterator[asyncio.Future[None]]:
        """Around the work, on its loop. Yields what is done as soon as it is to stop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            self._loop, self._heard = loop, (heard := loop.create_future())
            if self._asked:
                heard.set_result(None)
        try:
            yield heard
        finally:
            with self._lock:
                self._loop = self._heard = None


def _settle(heard: asyncio.Future[None] | None) -> None:
    if heard is not None and not heard.done():
        heard.set_result(None)


def _shared_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None:
            loop = asyncio.new_event_loop()
            loop.set_default_executor(_Threads())
            closing = threading.Event()
            thread = threading.Thread(
                target=_keep_running, args=(loop, closing), name="planscope agents", daemon=True
            )
            thread.start()
            atexit.register(_close, loop, thread, closing)
            # set only now: an interrupt before this line must not leave a loop that does not run
            _loop = loop
        return _loop


def _keep_running(loop: asyncio.AbstractEventLoop, closing: threading.Event) -> None:
    """Run the loop. A user's agent that calls ``sys.exit`` ends only its own run."""
    while not closing.is_set():
        try:
            loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            continue


def _close(loop: asyncio.AbstractEventLoop, thread: threading.Thread, closing: threading.Event) -> None:
    """At the end of the program, cancel the tasks that are still running, then close the loop."""

    async def end_all() -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*(put_down(t, _PATIENCE / 2) for t in tasks if t is not None))
        for task in tasks:
            if task is not None and task.done() and not task.cancelled():
                task.exception()  # asyncio logs an exception that nobody retrieves

    closing.set()
    ending = asyncio.run_coroutine_threadsafe(end_all(), loop)
    ending.add_done_callback(lambda _: loop.call_soon_threadsafe(loop.stop))
    thread.join(timeout=_PATIENCE)
    if not loop.is_running():
        loop.close()


class _Threads(ThreadPoolExecutor):
    """A daemon thread for each piece of work that would block the loop.

    The end of the program does not wait for them: a model without async support runs on after its run was stopped.
    """

    def submit(self, fn: Callable[..., Answer], /, *args: object, **kwargs: object) -> Future[Answer]:
        future: Future[Answer] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                answer = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001  # who waits for the future gets it
                future.set_exception(error)
            else:
                future.set_result(answer)

        threading.Thread(target=work, name="planscope agents at work", daemon=True).start()
        return future
