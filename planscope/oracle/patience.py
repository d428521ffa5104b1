"""A long question ends when nobody waits for its answer any more.

Whoever lets the oracle work in a thread says there who waits (:func:`waited_for_by`); long searches look now and
then, and Z3 is interrupted. Without anyone named, every question is worked out to its end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol


class NotWanted(Exception):
    """Nobody waits for the answer any more."""


class Waiter(Protocol):
    """Who waits for what a thread works on."""

    @property
    def stale(self) -> bool:
        """Whether nobody does any more."""

    def when_dropped(self, act: Callable[[], None]) -> Callable[[], None]:
        """Have ``act`` called, in whatever thread, as soon as nobody waits; gives back what undoes this."""


class _Here(threading.local):
    waiter: Waiter | None = None


_here = _Here()


@contextmanager
def waited_for_by(waiter: Waiter) -> Iterator[None]:
    """What this thread asks in here ends in :class:`NotWanted` once ``waiter`` is stale."""
    before, _here.waiter = _here.waiter, waiter
    try:
        yield
    finally:
        _here.waiter = before


def go_on() -> None:
    """Raises :class:`NotWanted` where nobody waits."""
    if _here.waiter is not None and _here.waiter.stale:
        raise NotWanted


@contextmanager
def interruptible(interrupt: Callable[[], None]) -> Iterator[None]:
    """For work that cannot look by itself: ``interrupt`` ends it from another thread, then NotWanted is raised."""
    waiter = _here.waiter
    if waiter is None:
        yield
        return
    undo = waiter.when_dropped(interrupt)
    try:
        go_on()
        yield
    finally:
        undo()
    go_on()
