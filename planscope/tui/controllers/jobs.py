"""Work that must not hold up the screen: threads whose late answers are dropped.

One job of a name is current at a time. Starting another of the same name, or cancelling, makes the older one's
answer stale: it is thrown away when it comes. A job that looks at its ``CancelToken`` can stop early; an interrupt
given with the job (such as the solver's) is called to make it stop; what a job asks the oracle ends by itself.
Nothing that a job raises is fatal.
"""

from __future__ import annotations

import asyncio
import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, TypeVar

from planscope.oracle.cancellation import cancelled_by

Answer = TypeVar("Answer")


class CancelToken:
    """Given to a job: whether anyone still waits for its answer."""

    def __init__(self, generation: int) -> None:
        self.generation = generation
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._acts: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    def cancel(self) -> None:
        with self._lock:
            self._cancelled.set()
            for act in self._acts:
                act()

    def when_cancelled(self, act: Callable[[], None]) -> Callable[[], None]:
        """Have ``act`` called as soon as nobody waits; gives back what undoes this. It must be quick."""
        with self._lock:
            self._acts.append(act)

        def undo() -> None:
            with self._lock:
                self._acts.remove(act)

        return undo

    def wait(self, seconds: float) -> bool:
        """Sleep, but not longer than the answer is waited for; true where it no longer is."""
        return self._cancelled.wait(seconds)


@dataclass(slots=True)
class _Current:
    token: CancelToken
    thread: threading.Thread
    interrupt: Callable[[], None] | None


class Jobs:
    """The jobs of one application. Answers come on the event loop's thread, in ``done`` or ``failed``."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self.loop = loop
        self._context = copy_context()  # answers are taken as if by whoever made this
        self._current: dict[str, _Current] = {}
        self._count = 0
        self._closed = False

    def start(
        self,
        name: str,
        work: Callable[[CancelToken], Answer],
        done: Callable[[Answer], None],
        failed: Callable[[Exception], None],
        *,
        interrupt: Callable[[], None] | None = None,
    ) -> None:
        """Run ``work`` in a thread; the job of the same name before it is cancelled."""
        self.cancel(name)
        if self._closed:
            return
        self._count += 1
        token = CancelToken(self._count)

        def run() -> None:
            try:
                with cancelled_by(token):
                    answer = work(token)
            except Exception as error:
                self._deliver(name, token, failed, error, failed)
            else:
                self._deliver(name, token, done, answer, failed)

        thread = threading.Thread(target=run, name=f"planscope {name}", daemon=True)
        self._current[name] = _Current(token, thread, interrupt)
        thread.start()

    async def run(self, name: str, work: Callable[[CancelToken], Answer]) -> Answer:
        """The same for a worker: wait for the answer, or raise what ``work`` raised.

        Where the job is cancelled meanwhile, so is the one who waits. Where that one is cancelled, so is the job.
        """
        answer: asyncio.Future[Answer] = self.loop.create_future()

        def done(value: Answer) -> None:
            if not answer.done():
                answer.set_result(value)

        def failed(error: Exception) -> None:
            if not answer.done():
                answer.set_exception(error)

        def given_up() -> None:
            answer.cancel()

        self.start(name, work, done, failed, interrupt=given_up)
        mine = self._current.get(name)
        if mine is None:  # closed
            answer.cancel()
        try:
            return await answer
        finally:
            if mine is not None and self._current.get(name) is mine:
                self.cancel(name)

    def _deliver(
        self,
        name: str,
        token: CancelToken,
        take: Callable[[Any], None],
        what: object,
        failed: Callable[[Exception], None],
    ) -> None:
        def on_loop() -> None:
            if token.cancelled:
                return
            self._current.pop(name, None)
            try:
                take(what)
            except Exception as error:
                failed(error)

        if not token.cancelled:
            try:
                self.loop.call_soon_threadsafe(on_loop, context=self._context)
            except RuntimeError:
                return  # the loop is closed: the application is gone

    def tell(self, what: Callable[[], None]) -> None:
        """From a job's thread: call ``what`` on the event loop's, with what was found so far."""
        try:
            self.loop.call_soon_threadsafe(what, context=self._context)
        except RuntimeError:
            return  # the loop is closed: the application is gone

    def running(self, name: str) -> bool:
        return name in self._current

    def cancel(self, name: str) -> None:
        """Throw away what the job of this name will answer, and make it stop if it can be."""
        if (current := self._current.pop(name, None)) is not None:
            current.token.cancel()
            if current.interrupt is not None:
                current.interrupt()

    def close(self, patience: float = 0.5) -> None:
        """Cancel all and wait for them no longer than ``patience`` seconds; nothing can be started after it."""
        self._closed = True
        threads = [current.thread for current in self._current.values()]
        for name in tuple(self._current):
            self.cancel(name)
        for thread in threads:
            thread.join(patience / len(threads))
