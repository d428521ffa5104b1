"""The two ways to write to a session's file that other programs may write to as well.

:class:`SessionWriter` keeps a session open for as long as somebody works on it. A save goes

- into the file itself, if it can be written and nobody else writes to it;
- into a copy in the library, if the file ships with planscope or is read-only; the first save makes the copy, under a
  name that is still free;
- into further files beside it (``NAME-2``), if one file cannot hold the session;
- into the state folder, if the write fails (disk full, folder gone, file changed by another program or held by another
  planscope). The error says so, and the session is offered at the next opening
  (:func:`planscope.session.recovery.recoverable`), unless a later save succeeds or the user discards it.

A crash loses only what was not handed to :meth:`SessionWriter.save` yet, since every file is written whole, flushed and
renamed. All methods may be called from any thread.

:func:`adding` puts new runs and variants into a file that is locked only while they are made.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from planscope.session.containers import is_session_file
from planscope.session.files import (
    Fingerprint,
    SessionError,
    TooLarge,
    check_unchanged,
    fingerprint_of,
    read_bytes,
    remove_leftovers,
    writable_target,
    write_atomic,
)
from planscope.session.locations import free_path, is_bundled, make_folder
from planscope.session.lock import LOCK_TIMEOUT, Held, Holder, Lock, holder_of
from planscope.session.merging import merge_recordings
from planscope.session.model import Session
from planscope.session.recovery import RecoveryFile
from planscope.session.store import dumps, file_beside, loads, save, split

Where = Literal["here", "copy", "held"]
"""``here``: saves go to the opened file. ``copy``: to a copy in the library. ``held``: another process has the lock."""


class SessionWriter:
    """Saves the session that was opened from ``path``, until :meth:`close`.

    Make it before the session is loaded: it takes the lock and the file's fingerprint, so that a change between loading
    and saving is noticed. Making it never raises. ``where`` and ``why`` (one line for a person, empty for ``here``) say
    what a save will do, ``holder`` which process has the lock, and ``place`` where the last save went or the first one
    will go.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.holder: Holder | None = None
        self.why = ""
        self.where: Where = "here"
        self.place = path
        self._turn = -1
        self._saving = threading.RLock()
        self._lock: Lock | None = None
        self._recovery = RecoveryFile(path)
        self._fingerprint: Fingerprint | None = None
        self._written: set[str] = set()
        """The runs in the first file."""
        self.more: list[tuple[Path, list[str]]] = []
        """Further files beside ``place``, if one cannot hold the session, and the ids of the runs in each."""
        self._begin()

    def _begin(self) -> None:
        if is_bundled(self.path):
            self._to_copy("bundled sessions are read-only")
            return
        if not is_session_file(self.path):
            self._to_copy("it is not a session file")
            return
        try:
            self.place = writable_target(self.path)
            if not _may_be_a_session(self.place):
                self._to_copy("the file there is not a session")
                return
            self._take(self.place)
        except Held as held:
            self.where, self.holder, self.why = "held", held.holder, str(held)
        except SessionError as error:
            self._to_copy(str(error))

    def _take(self, place: Path) -> None:
        lock = Lock(place, lasting=True)
        try:
            # another planscope that only renames or saves the session is done soon
            lock.acquire(LOCK_TIMEOUT)
            self._lock = lock
            remove_leftovers(place)
            # if it fails, loading still reads the recordings, and they are merged later
            with suppress(SessionError):
                merge_recordings(place, held=True)
        finally:
            self._fingerprint = fingerprint_of(place)

    def _to_copy(self, why: str) -> None:
        self.where, self.why, self.holder = "copy", why, None
        self.place = free_path(self.path)

    @property
    def unsaved(self) -> bool:
        """Whether the last save failed and its session is in the state folder."""
        return self._recovery.kept

    def save(self, session: Session, turn: int | None = None) -> Path:
        """Write the session, and return the file. A save with a smaller ``turn`` than the last one does nothing.

        Raises :class:`SessionError` if it cannot be written. Then the file is unchanged, and the session is in the
        state folder if the error says so. A session that is too large for one file goes into several (``more``).
        """
        made = self._divided(session)
        with self._saving:
            if turn is not None and turn < self._turn:
                return self.place
            self._turn = self._turn if turn is None else turn
            try:
                self._write(made[0][1])
                self._write_more(made[1:])
            except SessionError as error:
                raise SessionError(self._recovery.keep(made[0][1], str(error), self._fingerprint)) from None
            self._written = {run.id for run in made[0][0].runs}
            self._recovery.drop()
            return self.place

    def _divided(self, session: Session) -> list[tuple[Session, bytes]]:
        """Return the session as one file or as several. What the first file has stays there, if it fits."""
        try:
            return [(session, dumps(session))]
        except TooLarge:
            mine = [run for run in session.runs if run.id in self._written]
        if mine:
            with suppress(TooLarge):
                return split(session, session.model_copy(update={"runs": mine, "dissections": []}))
        return split(session)

    def _write_more(self, made: Sequence[tuple[Session, bytes]]) -> None:
        files = [file for file, _ in self.more]
        written = []
        for part, data in made:
            file = files.pop(0) if files else file_beside(self.place)
            write_atomic(file, data)
            written.append((file, [run.id for run in part.runs]))
        if written:
            self.more = written

    def _write(self, data: bytes) -> None:
        if self.where == "held":
            raise Held(self.path, self.holder)
        if self._lock is None:  # a copy is locked at its first save
            self._to_copy(self.why)
            make_folder(self.place.parent)
            self._take(self.place)
        if not self.place.parent.is_dir():
            raise SessionError(f"the folder {self.place.parent} is gone; nothing was written")
        check_unchanged(self.place, self._fingerprint)
        write_atomic(self.place, data)
        self._fingerprint = fingerprint_of(self.place)

    def go_elsewhere(self) -> Path:
        """Save to a new copy in the library from now on, because the file is held or was changed."""
        with self._saving:
            why = "another planscope writes to it" if self.where == "held" else "as you chose"
            self._release()
            self._to_copy(why)
            self.more = []
            return self.place

    def close(self) -> None:
        """Release the lock. Unsaved work stays in the state folder, and is offered at the next opening."""
        with self._saving:
            self._release()
            self._recovery.close()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> SessionWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _may_be_a_session(place: Path) -> bool:
    """Return whether there is no file, or one that may be a session. No other file is ever overwritten."""
    try:
        return not place.exists() or b'"planscope-session"' in read_bytes(place)
    except (OSError, SessionError):
        return False


def check_nobody_writes(path: Path) -> None:
    """Raise :class:`Held` if another planscope has the file open. Called before a run, which could not be saved."""
    holder = holder_of(path)
    if holder is not None and holder.lasting:
        raise Held(path, holder)


@dataclass(slots=True)
class SavedFiles:
    """The files that additions to the file at ``place`` were written to, each with the ids of its new runs."""

    place: Path | None = None
    files: list[tuple[Path, list[str]]] = field(default_factory=list)

    def named(self, target: str) -> list[tuple[str, list[str]]]:
        """Return the files by name, with their new runs. ``target`` is the caller's name for the first."""
        return [(target if file == self.place else str(file), runs) for file, runs in self.files]

    def beyond(self, target: str) -> list[tuple[str, list[str]]] | None:
        """Return :meth:`named` if one file was not enough, or else None."""
        return self.named(target) if any(file != self.place for file, _ in self.files) else None

    def where(self, run: str, target: str) -> str:
        """Return the name of the file that holds a new run."""
        return next((file for file, runs in self.named(target) if run in runs), target)


def digest_of(data: bytes) -> str:
    """Return the SHA-256 that tells :func:`adding` whether a file is still the one that was read."""
    return hashlib.sha256(data).hexdigest()


@contextmanager
def adding(
    session: Session,
    source: Path,
    target: Path,
    variants: Collection[str],
    *,
    read: str | None = None,
    kept: SavedFiles | None = None,
) -> Iterator[Session]:
    """Lock ``target``, yield the session to add to, and write it when the block ends.

    ``session`` was read from ``source``, whose bytes had the digest ``read``. If source and target are the same file,
    and another program has added to it since, the block gets the session with those additions, as long as it is still
    the same session with the same ``variants``. What is too large for the file goes into others beside it
    (``NAME-2``); ``kept`` receives the names.

    If the file has become another session, or cannot be written, it is not touched: the session goes into a new file in
    the library, and :class:`SessionError` says so.
    """
    place = writable_target(target)
    kept = SavedFiles() if kept is None else kept
    lock = Lock(place)
    try:
        lock.acquire(LOCK_TIMEOUT)
    except Held as held:
        before = {run.id for run in session.runs}
        yield session
        raise SessionError(_elsewhere(session, before, place, str(held))) from None
    try:
        now, trouble = _by_now(session, source, place, variants, read)
        old = now.model_copy(update={name: list(getattr(now, name)) for name in _LISTS})
        before = {run.id for run in now.runs}
        yield now
        if trouble is None:
            try:
                _write(now, old, place, kept)
            except SessionError as error:
                trouble = str(error)
        if trouble is not None:
            raise SessionError(_elsewhere(now, before, place, trouble))
    finally:
        lock.release()


_LISTS = ("variants", "runs", "dissections")


def _write(now: Session, old: Session, place: Path, kept: SavedFiles) -> None:
    """Write the session to its place, and the rest to files beside it if one file is too small."""
    before = {run.id for run in old.runs}
    try:
        made = [(now, dumps(now))]
    except TooLarge:
        if not before < {run.id for run in now.runs}:
            raise  # the variants alone are too large
        made = split(now, old)
    earlier = [
        file for file, _ in kept.files if file != kept.place
    ]  # files that an earlier save of the same runs made
    kept.place, kept.files = place, []
    for number, (part, data) in enumerate(made):
        file = place if not number else earlier.pop(0) if earlier else file_beside(place)
        new = [run.id for run in part.runs if run.id not in before]
        if number or new or len(made) == 1:
            write_atomic(file, data)
            kept.files.append((file, new))


def _by_now(
    session: Session, source: Path, place: Path, variants: Collection[str], read: str | None
) -> tuple[Session, str | None]:
    """Return the session to add to, and the reason why it cannot be written to its place, if there is one."""
    if not place.exists() or not (source.exists() and place.samefile(source)):
        return session, None
    try:
        data = read_bytes(place)
        if read is not None and digest_of(data) == read:
            return session.model_copy(update={name: list(getattr(session, name)) for name in _LISTS}), None
        now = loads(data, str(place))
    except SessionError as error:
        return session, f"{error}, though it could be read before"
    there, needed = _queries(now), _queries(session)
    if now.id == session.id and all(there.get(one) == needed.get(one) for one in variants):
        return now, None
    return session, f"{place} was changed by another program since it was read, and is another session now"


def _queries(session: Session) -> dict[str, object]:
    """Return the query and the actions of each variant, which must not have changed."""
    return {v.id: (v.query.text, v.query.timed, v.actions) for v in session.variants}


def _elsewhere(session: Session, before: set[str], place: Path, trouble: str) -> str:
    """Save the session, or only its new runs if it is too large, in the library. Return the error to display."""
    path = free_path(place)
    new = [run.model_copy(update={"forked_from": None}) for run in session.runs if run.id not in before]
    said = ""
    for kept in (session, session.model_copy(update={"runs": new, "dissections": []})):
        try:
            make_folder(path.parent)
            save(kept, path)
        except SessionError as error:
            said = str(error)
        else:
            return f"{trouble}; nothing was written there; the new session is in {path}"
    return f"{trouble}; it could not be saved in your library either: {said}"
