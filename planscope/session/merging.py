"""Merges complete recordings into their session's file: at once, soon in the background, or when the program ends.

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
from planscope.session.locations import free_name, free_path, make_folder, name_of
from planscope.session.lock import Held, Lock
from planscope.session.recordings import any_recordings, complete_recordings, recordings, with_recordings
from planscope.session.store import dumps, loads

_SOON = 0.2
"""Seconds between the end of a run and merging it."""

_RARELY = 20
"""The pause after merging, as a multiple of the time that it took."""

_AGAIN = 2.0
"""Seconds until the next try if another process has the session open."""


def merge_recordings(path: Path, *, held: bool = False, into: Path | None = None) -> None:
    """Merge the complete recordings into the session's file. ``held``: the caller holds its lock.

    ``into``: another file for them, if the session's own cannot be written. Raises :class:`SessionError`; then the
    recordings stay, and loading the session still adds them.
    """
    if not any_recordings(path):
        return
    place = writable_target(into or path)
    with nullcontext() if held else Lock(place), complete_recordings(path) as found:
        session = loads(read_bytes(place), str(place)) if place.exists() else None
        if session is None:
            # A new session is written with its running runs, too, so that its file appears at once.
            found = found if into is not None else recordings(path, found)
        if not found:
            return
        write_atomic(place, dumps(with_recordings(session, found)))


def warn(line: str, path: Path | None = None) -> None:
    """Warn, and about each ``path`` only once in this process. Never raise: if the program turns warnings into errors,
    print the line to standard error."""
    with _moving:
        if path in _warned:
            return
        if path is not None:
            _warned.add(path)
    try:
        warnings.warn(line, RuntimeWarning, stacklevel=3)
    except RuntimeWarning:
        with suppress(Exception):
            print(line, file=sys.stderr)  # noqa: T201


def merge_now(path: Path) -> str | None:
    """Merge finished recordings into the session, or else into a new one in the library. Return a warning, or None.

    Raises ``Held`` if another planscope has the session open; that planscope reads the recordings with the session.
    """
    try:
        merge_recordings(path)
    except Held:
        raise
    except SessionError as error:
        place = stand_in(path)
        try:
            make_folder(place.parent)
            merge_recordings(path, into=place)
        except (SessionError, OSError):
            return f"planscope could not save a recording: {error}; it is kept in {recordings_of(path)}"
        return recorded_elsewhere(path, error)
    return None


stand_ins: dict[Path, Path] = {}
"""For each session that could not be written, the file that gets its recordings instead."""
_warned: set[Path | None] = set()
_moving = threading.Lock()


def stand_in(path: Path) -> Path:
    """Return the file of the library that gets the recordings of a session that cannot be written: always the same
    one in this process, however many recorders it makes."""
    with _moving:
        if path not in stand_ins:
            taken = {name_of(place) for place in stand_ins.values()}
            stand_ins[path] = free_path(path, free_name(name_of(path), taken))
        return stand_ins[path]


def recorded_elsewhere(path: Path, why: object) -> str:
    """Return the warning that a session's recordings go to the library."""
    return f"planscope cannot record in {path}: {why}; it records in {stand_in(path)}"


class _Merger:
    """One thread that merges recordings for all sessions of this process."""

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
                self._thread = threading.Thread(target=self._work, name="planscope-merger", daemon=True)
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
        """Merge one session's recordings, and warn if that fails. Return whether to try again later."""
        try:
            said = merge_now(path)
        except Held:
            return True
        except Exception as error:  # noqa: BLE001, whatever happens, the user's agent goes on
            said = f"planscope could not save a recording: {error}; it is kept in {recordings_of(path)}"
        if said is not None:
            warn(said, path)
        return False

    def finish(self) -> None:
        """Merge everything that still waits, because the program ends."""
        with self._changed:
            paths, self._due = list(self._due), {}
        with self._one:
            for path in paths:
                self.merge(path)


_merger = _Merger()


def merge_soon(path: Path) -> None:
    """Merge the recordings of the session at ``path`` soon, in the background. Called when a recording is complete."""
    _merger.soon(path)


def finish_merging() -> None:
    """Merge at once everything that waits for the background thread."""
    _merger.finish()


def _start_anew() -> None:
    """Replace the merger in a forked child, where the parent's thread does not exist."""
    global _merger
    _merger = _Merger()


atexit.register(lambda: _merger.finish())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)
