"""Cancellation of long computations, per thread.

Code that starts oracle work in a thread sets a token with :func:`cancelled_by`. Long searches check the token from time
to time, and Z3 is interrupted. Without a token, every computation runs to its end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol


class Cancelled(Exception):
    """Raised when the thread's token was cancelled, because nobody waits for the answer any more."""


class CancellationToken(Protocol):
    """Tells a thread that its work was cancelled."""

    @property
    def cancelled(self) -> bool:
        """Whether the work was cancelled."""

    def when_cancelled(self, act: Callable[[], None]) -> Callable[[], None]:
        """Call ``act`` on cancellation, in whichever thread cancels. Return a function that removes ``act`` again."""


class _Here(threading.local):
    token: CancellationToken | None = None


_here = _Here()


@contextmanager
def cancelled_by(token: CancellationToken) -> Iterator[None]:
    """Within this block, this thread's computations raise :class:`Cancelled` once ``token`` is cancelled."""
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
    """Run a block that cannot check the token itself. Cancelling calls ``interrupt`` and then raises
    :class:`Cancelled`."""
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
