"""The signals that end planscope: SIGINT (Ctrl-C), SIGTERM and SIGHUP (the terminal is gone).

Three ways to heed them, one after the other: leave at once while nothing is done yet, raise ``KeyboardInterrupt`` in
a command, and tell an event loop, which ends between two of its steps. A signal that is ignored already, as nohup does
with SIGHUP, stays ignored. The exit status is 128 plus the number of the signal, as shells have it.
"""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False  # typing takes longer to import than all else that is needed here
if TYPE_CHECKING:
    import sys
    import threading
    from asyncio import AbstractEventLoop
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any, NoReturn

HEEDED = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def leave_at_once() -> None:
    """For the time in which there is nothing to lose: end without a word."""
    for number in HEEDED:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _leave)


def _leave(number: int, frame: object) -> NoReturn:
    os._exit(128 + number)


def status_of(number: int) -> int:
    """The exit status of a process that this signal ended."""
    return 128 + number


class Interrupts:
    """While a command runs, a signal raises ``KeyboardInterrupt``; ``seen`` is the number of the first that came.

    It is remembered because what it strikes, a C library's callback for one, may turn it into another exception.
    Where it strikes what cannot raise, such as a weak reference's callback, Python would drop it: it is sent again.
    Handlers that somebody else has set stay.
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
        # python -m dies of an interrupt that struck code made from text, until other such code has run
        if self.seen is not None:
            exec("")

    @property
    def status(self) -> int:
        """The exit status after the signal that was seen."""
        return status_of(signal.SIGINT if self.seen is None else self.seen)

    def _interrupt(self, number: int, frame: object) -> None:
        if self.seen is not None and number != signal.SIGINT and not self._dropped_one:
            return  # what was done is being saved; a second Ctrl-C means now
        self._dropped_one = False
        self.seen = number if self.seen is None else self.seen
        raise KeyboardInterrupt

    def _dropped(self, what: sys.UnraisableHookArgs) -> None:
        if not isinstance(what.exc_value, KeyboardInterrupt):
            self._hook(what)
        elif hasattr(signal, "pthread_kill"):  # not on Windows
            import threading

            self._dropped_one = True
            main = threading.main_thread().ident
            again = (main, self.seen or signal.SIGINT)
            self._again = threading.Timer(0.01, signal.pthread_kill, again)
            self._again.daemon = True
            self._again.start()


LATE = 10.0
"""Seconds after a signal until the process is ended by force, because its event loop does not."""


def told(
    loop: AbstractEventLoop, act: Callable[[int], object], late: Callable[[], object]
) -> AbstractContextManager[None]:
    """Inside the block, a signal strikes nothing: ``act`` gets its number from the loop, between two of its steps.

    Where the block has not ended ``LATE`` seconds after it, since a terminal takes no more output for one, ``late`` is
    called on another thread, and the process ends. For the main thread, which the loop runs in; in another one nothing
    changes. Signals that somebody else heeds or ignores are left to them.
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
