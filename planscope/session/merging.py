"""Complete recordings are merged into their session's file: at once, soon in the background, or when the program ends.

The agent never waits for it. The longer a session takes to write, the less often it is written: merging takes at most a
twentieth of the time.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import warnings
from contextlib import nullcontext, suppress
from pathlib import Path

from planscope.session.files import SessionError, read_bytes, recordings_of, writable_target, write_atomic
from planscope.session.locations import free_path, make_folder
from planscope.session.lock import Held, Lock
from planscope.session.recordings import any_recordings, complete_recordings, recordings, with_recordings
from planscope.session.store import dumps, loads

_SOON = 0.2
"""Seconds from the end of a run to the writing of its session."""

_RARELY = 20
_AGAIN = 2.0


def merge_recordings(path: Path, *, held: bool = False, into: Path | None = None) -> None:
    """Put the runs whose recordings are complete into the session's file. ``held``: its lock is the caller's.

    ``into``: into another file, where that one cannot have them.
    Raises :class:`SessionError` as :func:`save`; then the recordings stay, and are read with the session.
    """
    if not any_recordings(path):
        return
    place = writable_target(into or path)
    with nullcontext() if held else Lock(place), complete_recordings(path) as found:
        session = loads(read_bytes(place), str(place)) if place.exists() else None
        if session is None:
            found = (
                found if into is not None else recordings(path)
            )  # so that it is seen that something is recorded
        if not found:
            return
        write_atomic(place, dumps(with_recordings(session, found)))


def warn(line: str) -> None:
    """One warning; where a program makes errors of warnings, a line on standard error: nothing of it may fail."""
    try:
        warnings.warn(line, RuntimeWarning, stacklevel=3)
    except RuntimeWarning:
        with suppress(Exception):
            print(line, file=sys.stderr)  # noqa: T201


def merge_now(path: Path) -> str | None:
    """Put what is complete into the session, or else into a new one in the library: what to warn of, if anything.

    Raises ``Held`` where another planscope has the session open: it is read with the session meanwhile.
    """
    try:
        merge_recordings(path)
    except Held:
        raise
    except SessionError as error:
        known = _elsewhere.get(path)
        if known is not None:
            with suppress(SessionError):
                merge_recordings(path, into=known)
                return None
        try:
            place = free_path(path)
            make_folder(place.parent)
            merge_recordings(path, into=place)
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
                again = self.merge(path)
            with self._changed:
                now = time.monotonic()
                self._not_before[path] = now + _RARELY * (now - began)
                if again:
                    self._due.setdefault(path, now + _AGAIN)

    def merge(self, path: Path) -> bool:
        """Whether it is to be tried again."""
        try:
            said = merge_now(path)
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
                self.merge(path)


_settler = _Settler()


def merge_soon(path: Path) -> None:
    """A recording of the session at ``path`` is complete."""
    _settler.soon(path)


def finish_merging() -> None:
    """Settle now what is to be settled soon."""
    _settler.finish()


def _afresh() -> None:
    global _settler
    _settler = _Settler()


atexit.register(lambda: _settler.finish())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_afresh)
