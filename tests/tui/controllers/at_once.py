"""What controllers are given in their tests: a loop and jobs that work at once, and a list of what was posted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from textual.message import Message

from planscope.tui.controllers.jobs import CancelToken, Jobs


class Loop:
    """Does at once what threads hand to it. What is called later waits for :meth:`pass_time`."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[Timer] = []

    def call_soon_threadsafe(self, what: Callable[..., None], *given: Any, context: Any = None) -> None:
        what(*given)

    def time(self) -> float:
        return self.now

    def call_later(self, seconds: float, what: Callable[[], None], *, context: Any = None) -> Timer:
        timer = Timer(self.now + seconds, what)
        self.timers.append(timer)
        return timer

    def pass_time(self, seconds: float) -> None:
        """Call what is due by then, in its order."""
        ends = self.now + seconds
        while due := [t for t in self.timers if not t.cancelled and t.at <= ends]:
            first = min(due, key=lambda timer: timer.at)
            self.timers.remove(first)
            self.now = max(self.now, first.at)
            first.what()
        self.now = ends


@dataclass(eq=False)
class Timer:
    at: float
    what: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@dataclass(eq=False)
class _Job:
    token: CancelToken
    work: Callable[[CancelToken], Any]
    done: Callable[[Any], None]
    failed: Callable[[Exception], None]
    interrupt: Callable[[], None] | None


class JobsAtOnce(Jobs):
    """Jobs that are over when they were started. Those whose names are ``held`` wait for :meth:`go`.

    ``started``: the names of all that were started, in order.
    """

    def __init__(self, *held: str) -> None:
        super().__init__(Loop())  # what jobs need of one
        self.held = set(held)
        self.started: list[str] = []
        self.waiting: dict[str, _Job] = {}

    def start(
        self,
        name: str,
        work: Callable[[CancelToken], Any],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
        *,
        interrupt: Callable[[], None] | None = None,
    ) -> None:
        self.cancel(name)
        self.started.append(name)
        self.waiting[name] = _Job(CancelToken(), work, done, failed, interrupt)
        if name not in self.held:
            self.go(name)

    def go(self, name: str) -> None:
        """Do the work of a job, and hand over its answer unless it was cancelled meanwhile."""
        job = self.waiting[name]
        try:
            answer = job.work(job.token)
        except Exception as error:
            take, what = job.failed, error
        else:
            take, what = job.done, answer
        if job.token.cancelled:
            return
        del self.waiting[name]
        try:
            take(what)
        except Exception as error:
            job.failed(error)

    def tell(self, what: Callable[[], None]) -> None:
        what()

    def running(self, name: str) -> bool:
        return name in self.waiting

    def cancel(self, name: str) -> None:
        if (job := self.waiting.pop(name, None)) is not None:
            job.token.cancel()
            if job.interrupt is not None:
                job.interrupt()

    def close(self, seconds: float = 0.5) -> None:
        for name in tuple(self.waiting):
            self.cancel(name)


class Posted(list[Message]):
    """A controller's ``post``: collects messages."""

    def __call__(self, message: Message) -> None:
        self.append(message)

    def of(self, kind: type[Message]) -> list[Any]:
        return [message for message in self if isinstance(message, kind)]


class Pool:
    """In the place of a ``ThreadPoolExecutor``: work is done as it is submitted."""

    def __init__(self, *given: Any, **more: Any) -> None:
        self.closed = False

    def submit(self, work: Callable[..., Any], *given: Any) -> Future[Any]:
        assert not self.closed
        done: Future[Any] = Future()
        try:
            done.set_result(work(*given))
        except Exception as error:
            done.set_exception(error)
        return done

    def shutdown(self, wait: bool = True) -> None:
        self.closed = True
