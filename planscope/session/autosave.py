"""Work on a session that is never lost: one writer, atomic saves, and a journal for what could not be written.

Where a change goes (:class:`Keeper`):

- into the file itself, where it may be written and nobody else writes to it;
- into a copy in the library, where the file ships with planscope or is read-only: the copy is made by the first save
  and has a name of its own, so that no earlier copy is written over;
- what is more than one file may hold, into files beside it, each whole (``NAME-2``);
- into the journal in the state folder, where the write fails (disk full, folder gone, changed by another program,
  held by another planscope). The error says so, and the next one that opens the file is offered it
  (:func:`planscope.session.recovery.recoverable`), unless a later save went well or it was thrown away.

A crash loses what was not handed to :meth:`Keeper.save` yet, and nothing else: every file is written whole, flushed and
renamed. All of it may be called from any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Literal

from planscope.session.bundled import is_bundled
from planscope.session.carriers import is_session_file
from planscope.session.files import SessionError, TooLarge, read_bytes, sweep, writable_target, write_atomic
from planscope.session.lock import PATIENCE, Held, Holder, Lock
from planscope.session.model import Session
from planscope.session.naming import free_path
from planscope.session.parts import beside, parts
from planscope.session.places import make_folder
from planscope.session.recovery import Journal
from planscope.session.stamp import Stamp, check_unchanged, stamp_of
from planscope.session.store import dumps, settle

Where = Literal["here", "copy", "held"]
"""``here``: saved where it was opened. ``copy``: into the library. ``held``: another planscope writes to it."""


class Keeper:
    """Keeps the work on the session that was opened from ``path``, until :meth:`close`.

    Make it before the session is loaded: it takes the lock and remembers what the file is, so that a change between
    loading and saving is noticed. It never raises here: ``where`` and ``why`` (one line for a person, empty where all
    is well) say what saving will do, ``holder`` who else writes to it, ``place`` where the last save went or the
    first will go.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.holder: Holder | None = None
        self.why = ""
        self.where: Where = "here"
        self.place = path
        self._turn = -1
        self._one = threading.RLock()
        self._lock: Lock | None = None
        self._journal = Journal(path)
        self._stamp: Stamp | None = None
        self._written: tuple[set[str], set[str]] = set(), set()
        self.more: list[tuple[Path, list[str]]] = []
        """Files beside ``place`` for what one cannot hold, and the runs that are in each."""
        self._begin()

    def _begin(self) -> None:
        if is_bundled(self.path):
            self._to_copy("it ships with planscope")
            return
        if not is_session_file(self.path):
            self._to_copy("it is not a session file of its own")
            return
        try:
            self.place = writable_target(self.path)
            if not _may_be_a_session(self.place):
                self._to_copy("what is there is no session")
                return
            self._take(self.place)
        except Held as held:
            self.where, self.holder, self.why = "held", held.holder, str(held)
        except SessionError as error:
            self._to_copy(str(error))

    def _take(self, place: Path) -> None:
        lock = Lock(place, lasting=True)
        try:
            lock.acquire(PATIENCE)  # who only renames or saves it is soon done
            self._lock = lock
            sweep(place)
            with suppress(SessionError):  # then they are read with the session, and put into it later
                settle(place, held=True)
        finally:
            self._stamp = stamp_of(place)

    def _to_copy(self, why: str) -> None:
        self.where, self.why, self.holder = "copy", why, None
        self.place = free_path(self.path)

    @property
    def unsaved(self) -> bool:
        """The last save did not reach its file; what it held is in the journal, if that could be written."""
        return self._journal.kept

    def save(self, session: Session, turn: int | None = None) -> Path:
        """Write the session and say where. One save at a time; with ``turn`` an older one never undoes a newer one.

        Raises :class:`SessionError` where it could not be written: the file there is as it was, and the session is
        in the journal, as the error says. What is too large for one file goes into several (``more``).
        """
        made = self._divided(session)
        with self._one:
            if turn is not None and turn < self._turn:
                return self.place
            self._turn = self._turn if turn is None else turn
            try:
                self._write(made[0][1])
                self._write_more(made[1:])
            except SessionError as error:
                raise SessionError(self._journal.keep(made[0][1], str(error), self._stamp)) from None
            first = made[0][0]
            self._written = {run.id for run in first.runs}, {one.id for one in first.dissections}
            self._journal.drop()
            return self.place

    def _divided(self, session: Session) -> list[tuple[Session, bytes]]:
        """The session as one file, or as several: what was in the first one stays there if it can."""
        try:
            return [(session, dumps(session))]
        except TooLarge:
            runs, dissections = self._written
        if runs:
            mine = {
                "runs": [run for run in session.runs if run.id in runs],
                "dissections": [one for one in session.dissections if one.id in dissections],
            }
            with suppress(TooLarge):
                return parts(session, session.model_copy(update=mine))
        return parts(session)

    def _write_more(self, made: Sequence[tuple[Session, bytes]]) -> None:
        files = [file for file, _ in self.more]
        written = []
        for part, data in made:
            file = files.pop(0) if files else beside(self.place)
            write_atomic(file, data)
            written.append((file, [run.id for run in part.runs]))
        if written:
            self.more = written

    def _write(self, data: bytes) -> None:
        if self.where == "held":
            raise Held(self.path, self.holder)
        if self._lock is None:  # the first save of a copy
            self._to_copy(self.why)
            make_folder(self.place.parent)
            self._take(self.place)
        if not self.place.parent.is_dir():
            raise SessionError(f"the folder {self.place.parent} is gone; nothing was written")
        check_unchanged(self.place, self._stamp)
        write_atomic(self.place, data)
        self._stamp = stamp_of(self.place)

    def go_elsewhere(self) -> Path:
        """From now on save to a new copy in the library: what one does with a session that is held or was changed."""
        with self._one:
            why = "another planscope writes to it" if self.where == "held" else "as you chose"
            self._release()
            self._to_copy(why)
            self.more = []
            return self.place

    def close(self) -> None:
        """Let others write. What could not be saved stays in the journal, to be offered at the next opening."""
        with self._one:
            self._release()
            self._journal.close()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Keeper:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _may_be_a_session(place: Path) -> bool:
    """Whether what lies there, if anything, is what one could have opened: no other file is ever saved over."""
    try:
        return not place.exists() or b'"planscope-session"' in read_bytes(place)
    except (OSError, SessionError):
        return False
