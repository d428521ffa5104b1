"""Background work: each job is a thread, and the answer of a cancelled job is dropped.

Jobs have names. Starting a job cancels the running job of the same name. A cancelled job can stop early: it can check
its token, the caller can give an interrupt (such as the solver's), and the oracle's searches end by themselves. No
exception of a job ends the application.
"""

from __future__ import annotations

import asyncio
import threading
from asyncio import AbstractEventLoop
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, TypeVar

from planscope.errors import UserError
from planscope.oracle.cancellation import cancelled_by

Answer = TypeVar("Answer")


class CancelToken:
    """Tells a job whether it was cancelled. For any thread."""

    def __init__(self) -> None:
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
        """Call ``act`` on cancellation, or at once if already cancelled. Return a function that removes ``act``.

        ``act`` must be quick: the screen waits for it.
        """
        with self._lock:
            self._acts.append(act)
            if self.cancelled:
                act()

        def undo() -> None:
            with self._lock:
                self._acts.remove(act)

        return undo

    def wait(self, seconds: float) -> bool:
        """Sleep until the time is over or the job is cancelled. Return True if it is cancelled."""
        return self._cancelled.wait(seconds)


@dataclass(slots=True)
class _Current:
    token: CancelToken
    thread: threading.Thread
    interrupt: Callable[[], None] | None


class Jobs:
    """The jobs of one session. ``done`` and ``failed`` are called on the event loop's thread."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self.loop = loop
        self._context = copy_context()  # Textual's active application, for the callbacks
        self._current: dict[str, _Current] = {}
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
        """Run ``work`` in a thread. Nothing is started once the jobs are closed."""
        self.cancel(name)
        if self._closed:
            return
        token = CancelToken()

        def run() -> None:
            try:
                with cancelled_by(token):
                    answer = work(token)
            except Exception as error:  # noqa: BLE001  (no error of a job may end the application)
                self._deliver(name, token, failed, error, failed)
            else:
                self._deliver(name, token, done, answer, failed)

        thread = threading.Thread(target=run, name=f"planscope {name}", daemon=True)
        self._current[name] = _Current(token, thread, interrupt)
        thread.start()

    async def run(self, name: str, work: Callable[[CancelToken], Answer]) -> Answer:
        """Run ``work`` in a thread and wait for its answer. Raises ``UserError`` for any error of ``work``.

        Cancelling the job cancels the caller, and the other way round.
        """
        answer: asyncio.Future[Answer] = self.loop.create_future()

        def done(value: Answer) -> None:
            if not answer.done():
                answer.set_result(value)

        def failed(error: Exception) -> None:
            if not answer.done():
                known = (
                    error if isinstance(error, UserError) else UserError(str(error) or type(error).__name__)
                )
                answer.set_exception(known)

        def given_up() -> None:
            answer.cancel()

        self.start(name, work, done, failed, interrupt=given_up)
        mine = self._current.get(name)
        if mine is None:  # nothing is started once the jobs are closed
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
            except Exception as error:  # noqa: BLE001  (nor one of the code that takes its answer)
                failed(error)

        if not token.cancelled:
            try:
                self.loop.call_soon_threadsafe(on_loop, context=self._context)
            except RuntimeError:
                return  # the loop is closed: the application is gone

    def tell(self, what: Callable[[], None]) -> None:
        """Call ``what`` on the event loop's thread. Jobs use it for results that come before their answer."""
        try:
            self.loop.call_soon_threadsafe(what, context=self._context)
        except RuntimeError:
            return  # the loop is closed: the application is gone

    def running(self, name: str) -> bool:
        return name in self._current

    def cancel(self, name: str) -> None:
        """Drop the answer of a job, and interrupt it if it has an interrupt."""
        if (current := self._current.pop(name, None)) is not None:
            current.token.cancel()
            if current.interrupt is not None:
                current.interrupt()

    def close(self, seconds: float = 0.5) -> None:
        """Cancel all jobs and wait for their threads, at most ``seconds``. Nothing can be started afterwards."""
        self._closed = True
        threads = [current.thread for current in self._current.values()]
        for name in tuple(self._current):
            self.cancel(name)
        for thread in threads:
            thread.join(seconds / len(threads))
