"""Cancellation of long questions, per thread.

The code that starts oracle work in a thread names a token there (:func:`cancelled_by`). Long searches check it from
time to time, and Z3 is interrupted. Without a token, every question runs to its end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol


class Cancelled(Exception):
    """The thread's token was cancelled, so nobody waits for the answer."""


class CancellationToken(Protocol):
    """Says whether the work of a thread was cancelled."""

    @property
    def cancelled(self) -> bool:
        """Whether it was."""

    def when_cancelled(self, act: Callable[[], None]) -> Callable[[], None]:
        """Call ``act`` on cancellation, in any thread. The result is a function that removes ``act`` again."""


class _Here(threading.local):
    token: CancellationToken | None = None


_here = _Here()


@contextmanager
def cancelled_by(token: CancellationToken) -> Iterator[None]:
    """Within this block, the thread's questions raise :class:`Cancelled` once ``token`` is cancelled."""
    before, _here.token = _here.token, token
    try:
        yield
    finally:
        _here.token = before


def check_cancelled() -> None:
    """Raise :class:`Cancelled` if the thread's token is cancelled."""
    if _here.token is not None and _here.token.cancelled:
        raise Cancelled


@contextmanager
def interruptible(interrupt: Callable[[], None]) -> Iterator[None]:
    """For work that cannot check by itself: cancellation calls ``interrupt``, then :class:`Cancelled` is raised."""
    token = _here.token
    if token is None:
        yield
        return
    undo = token.when_cancelled(interrupt)
    try:
        check_cancelled()
        yield
    finally:
        undo()
    check_cancelled()
