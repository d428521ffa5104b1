"""Recordings are put into their sessions in the background, so that no agent waits for it, and when a program ends.

The more a session takes to write the rarer that is done: it takes a twentieth of the time at most.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path

from planscope.session.files import SessionError, recordings_of
from planscope.session.lock import Held
from planscope.session.naming import free_path
from planscope.session.places import make_folder
from planscope.session.store import settle

_SOON = 0.2
"""Seconds from the end of a run to the writing of its session."""

_RARELY = 20
_AGAIN = 2.0


def warn(line: str) -> None:
    """One warning; where a program makes errors of warnings, a line on standard error: nothing of it may fail."""
    try:
        warnings.warn(line, RuntimeWarning, stacklevel=3)
    except RuntimeWarning:
        with suppress(Exception):
            print(line, file=sys.stderr)  # noqa: T201


def settle_now(path: Path) -> str | None:
    """Put what is complete into the session, or else into a new one in the library: what to warn of, if anything.

    Raises ``Held`` where another planscope has the session open: it is read with the session meanwhile.
    """
    try:
        settle(path)
    except Held:
        raise
    except SessionError as error:
        known = _elsewhere.get(path)
        if known is not None:
            with suppress(SessionError):
                settle(path, into=known)
                return None
        try:
            place = free_path(path)
            make_folder(place.parent)
            settle(path, into=place)
        except (SessionError, OSError):
            return f"planscope could not record: {error}; what was recorded is kept in {recordings_of(path)}"
        _elsewhere[path] = place
        return f"planscope could not record: {error}; it is recorded in {place}"
    return None


_elsewhere: dict[Path, Path] = {}
"""Where recordings go, by the session that cannot have them."""


class _Settler:
    """One thread for all sessions that are recorded by this process."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._one = threading.Lock()
        self._due: dict[Path, float] = {}
        self._not_before: dict[Path, float] = {}
        self._thread: threading.Thread | None = None

    def soon(self, path: Path) -> None:
        with self._changed:
            self._due.setdefault(path, max(time.monotonic() + _SOON, self._not_before.get(path, 0.0)))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="planscope-settler", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._due:
                    self._changed.wait()
                path = min(self._due, key=self._due.__getitem__)
                left = self._due[path] - time.monotonic()
                if left > 0:
                    self._changed.wait(left)
                    continue
                del self._due[path]
            began = time.monotonic()
            with self._one:
                again = self.settle(path)
            with self._changed:
                now = time.monotonic()
                self._not_before[path] = now + _RARELY * (now - began)
                if again:
                    self._due.setdefault(path, now + _AGAIN)

    def settle(self, path: Path) -> bool:
        """Whether it is to be tried again."""
        try:
            said = settle_now(path)
        except Held:
            return True
        except Exception as error:
            said = f"planscope could not record: {error}; what was recorded is kept in {recordings_of(path)}"
        if said is not None:
            warn(said)
        return False

    def finish(self) -> None:
        """The program ends: what is still to be done is done now."""
        with self._changed:
            paths, self._due = list(self._due), {}
        with self._one:
            for path in paths:
                self.settle(path)


_settler = _Settler()


def settle_soon(path: Path) -> None:
    """A recording of the session at ``path`` is complete."""
    _settler.soon(path)


def finish() -> None:
    """Settle now what is to be settled soon."""
    _settler.finish()


def _afresh() -> None:
    global _settler
    _settler = _Settler()


atexit.register(lambda: _settler.finish())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_afresh)
