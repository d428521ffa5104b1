"""Handles the signals that end planscope: SIGINT (Ctrl-C), SIGTERM and SIGHUP (the terminal is closed).

They are handled in one of three ways: exit at once (while nothing has begun), raise ``KeyboardInterrupt`` (in a
command), or call a function on an event loop (on the screen). A signal that is ignored, as by nohup, stays ignored. The
exit status is 128 plus the number of the signal, as in shells.
"""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False  # importing typing would take longer than everything else here
if TYPE_CHECKING:
    import sys
    import threading
    from asyncio import AbstractEventLoop
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any, NoReturn

HEEDED = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def leave_at_once() -> None:
    """Exit silently at a signal, as long as there is nothing to lose."""
    for number in HEEDED:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _leave)


def _leave(number: int, frame: object) -> NoReturn:
    os._exit(128 + number)


def status_of(number: int) -> int:
    """Return the exit status of a process that a signal ended."""
    return 128 + number


AGAIN = (0.01, 0.1, 1.0)
"""Seconds until a lost signal is sent again, each time it was lost."""


class Interrupts:
    """While a command runs, a signal raises ``KeyboardInterrupt``. ``seen`` is the number of the first signal.

    The number is kept because code that the exception passes through, such as a C library's callback, may turn it into
    another exception. Code that cannot raise, such as the callback of a weak reference, would lose it: then the signal
    is sent again. Handlers set by others stay.
    """

    seen: int | None = None
    _dropped_one = False
    _again: threading.Timer | None = None

    def __enter__(self) -> Interrupts:
        import sys

        self._before: dict[int, Any] = {}
        if _in_main_thread():
            usual = (signal.SIG_DFL, signal.default_int_handler, _leave)
            self._before = {n: h for n in HEEDED if (h := signal.getsignal(n)) in usual}
            self._hook = sys.unraisablehook
            if self._before:
                sys.unraisablehook = self._dropped
            for number in self._before:
                signal.signal(number, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        import sys

        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._before:
            sys.unraisablehook = self._hook
        if self._again is not None:
            self._again.cancel()
        # After an interrupt in code made by exec, python -m exits by the signal, unless exec runs once more.
        if self.seen is not None:
            exec("")

    @property
    def status(self) -> int:
        """The exit status for the first signal."""
        return status_of(signal.SIGINT if self.seen is None else self.seen)

    def _interrupt(self, number: int, frame: object) -> None:
        if self.seen is not None and number != signal.SIGINT and not self._dropped_one:
            return  # the command is saving its work, and only a second Ctrl-C stops that
        self._dropped_one = False
        self.seen = number if self.seen is None else self.seen
        raise KeyboardInterrupt

    def _dropped(self, what: sys.UnraisableHookArgs) -> None:
        if not isinstance(what.exc_value, KeyboardInterrupt):
            self._hook(what)
        elif hasattr(signal, "pthread_kill"):  # Windows has no pthread_kill
            import threading

            again = (threading.main_thread().ident, self.seen or signal.SIGINT)
            for seconds in AGAIN:
                self._dropped_one = True
                self._again = threading.Timer(seconds, signal.pthread_kill, again)
                self._again.daemon = True
                try:
                    self._again.start()
                except KeyboardInterrupt:  # on a busy machine the signal can arrive before start returns
                    continue
                return


def end_with_parent() -> None:
    """End this worker process as soon as the process that started it is gone, even if that was killed. It watches the
    pipe that ``multiprocessing`` keeps to the parent."""
    import multiprocessing
    from multiprocessing.connection import wait
    from threading import Thread

    parent = multiprocessing.parent_process()

    def watch(sentinel: int) -> None:
        wait([sentinel])
        os._exit(1)

    if parent is not None:
        Thread(target=watch, args=(parent.sentinel,), name="planscope parent", daemon=True).start()


LATE = 10.0
"""Seconds after a signal until the process exits by force, if its event loop does not end."""


def passed_on(
    loop: AbstractEventLoop, act: Callable[[int], object], late: Callable[[], object]
) -> AbstractContextManager[None]:
    """Inside the block, a signal raises nothing; instead the loop calls ``act`` with its number.

    If the block has not ended ``LATE`` seconds later (a blocked terminal can stop the loop), ``late`` is called on
    another thread and the process exits. Works only on the main thread; on others nothing changes. Handlers set by
    others, and ignored signals, stay.
    """
    from contextlib import contextmanager, suppress
    from threading import Timer

    timers: list[Timer] = []

    def by_force(number: int) -> None:
        with suppress(Exception):
            late()
        os._exit(status_of(number))

    def tell(number: int, frame: object) -> None:
        if not timers:
            timers.append(Timer(LATE, by_force, (number,)))
            timers[0].daemon = True
            timers[0].start()
        if not loop.is_closed():
            loop.call_soon_threadsafe(act, number)

    @contextmanager
    def telling() -> Iterator[None]:
        before: dict[int, Any] = {}
        try:
            for number in HEEDED if _in_main_thread() else ():
                if _is_ours(handler := signal.getsignal(number)):
                    before[number] = handler
                    signal.signal(number, tell)
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            for timer in timers:
                timer.cancel()

    return telling()


def _is_ours(handler: Any) -> bool:
    usual = (signal.SIG_DFL, signal.default_int_handler, _leave)
    return handler in usual or isinstance(getattr(handler, "__self__", None), Interrupts)


def _in_main_thread() -> bool:
    import threading

    return threading.current_thread() is threading.main_thread()
