"""Allows one writer at a time: a lock on a session's file that the system releases however its holder ends.

The lock is an ``flock`` (on Windows a locked byte) of a file in planscope's state folder, whose name is a hash of the
session's real path. So nothing is left in folders that are shared or read-only. The file says who holds the lock.

The lock separates the processes of one user with one home. It does not see other users, nor other machines that reach
the session over the network; there a writer notices that the file is not the one that it read
(:func:`planscope.session.files.check_unchanged`). If the state folder cannot be written, or its file system has no
locks, only that check remains, and ``Lock.works`` is False.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from planscope.frozen import frozen
from planscope.session.files import SessionError
from planscope.session.locations import locks_folder

LOCK_TIMEOUT = 3.0
"""Seconds to wait for a lock that is held only for a moment. Nobody waits for a lasting one."""

_POLL = 0.02
"""Seconds between two attempts to take the lock."""

_LOOK_TIME = 0.1
"""Seconds to keep trying even against a lasting lock, because :func:`holder_of` takes a lock for an instant to look
at it."""
_HOLDER_BYTES = 2000


@frozen
class Holder:
    """The process that writes to a session. ``lasting``: it keeps the session open instead of writing once."""

    pid: int
    host: str
    since: datetime
    lasting: bool = False

    @property
    def here(self) -> bool:
        """Whether the holder is this process."""
        return self.pid == os.getpid() and self.host == platform.node()

    def __str__(self) -> str:
        since = self.since.astimezone()
        day = "" if since.date() == datetime.now().astimezone().date() else f"{since:%Y-%m-%d} "
        where = "" if self.host == platform.node() else f" on {self.host}"
        return f"process {self.pid}{where}, since {day}{since:%H:%M:%S}"


class Held(SessionError):
    """Another process holds the lock. ``holder`` is None if that process did not write who it is."""

    def __init__(
        self, path: Path, holder: Holder | None, advice: str = "close it there, or write to another file"
    ) -> None:
        self.path, self.holder = path, holder
        who = f"another planscope ({holder})" if holder is not None else "another planscope"
        super().__init__(f"{path} is being written by {who}; {advice}")


def path_key(path: Path) -> str:
    """Return a name for the file that ``path`` leads to, the same in every process."""
    real = os.path.normcase(os.path.realpath(path))
    return hashlib.sha256(os.fsencode(real)).hexdigest()[:32]


class Lock:
    """The exclusive right to write to a session file. ``lasting``: it is kept while the session is open.

    As a context manager it waits at most ``LOCK_TIMEOUT`` for another holder, unless that one's lock is lasting.
    ``works`` is False if the system cannot lock; then everybody gets the lock.
    """

    def __init__(self, path: Path, *, lasting: bool = False) -> None:
        self.path = path
        self.works = True
        self._lasting = lasting
        self._file = locks_folder() / f"{path_key(path)}.lock"
        self._handle: int | None = None

    def acquire(self, wait: float = 0.0) -> None:
        """Take the lock; wait up to ``wait`` seconds for one that is not lasting. Raises :class:`Held`."""
        began = time.monotonic()
        while not self._try():
            holder, waited = _read(self._file), time.monotonic() - began
            if waited >= _LOOK_TIME and (waited >= wait or (holder is not None and holder.lasting)):
                raise Held(self.path, holder)
            time.sleep(_POLL)

    def release(self) -> None:
        """Release the lock if it is held."""
        if self._handle is None:
            return
        # another process may have opened the file meanwhile; it notices the removal and opens a new one
        if sys.platform != "win32":
            with suppress(OSError):
                self._file.unlink()
        os.close(self._handle)
        self._handle = None

    def __enter__(self) -> Lock:
        self.acquire(LOCK_TIMEOUT)
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def _try(self) -> bool:
        if self._handle is not None:
            raise RuntimeError("this lock is already held")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(self._file, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError:
            self.works = False
            return True
        try:
            taken = lock_handle(handle)
            if taken and os.fstat(handle).st_ino != _inode(self._file):
                taken = False  # the file that we opened was removed by its holder meanwhile
            if taken:
                self._sign(handle)
                self._handle, handle = handle, -1
            return taken
        except OSError:
            self.works = False
            return True
        finally:
            if handle >= 0:
                os.close(handle)

    def _sign(self, handle: int) -> None:
        holder = {
            "pid": os.getpid(),
            "host": platform.node(),
            "since": datetime.now(UTC).isoformat(),
            "lasting": self._lasting,
        }
        with suppress(OSError):  # if the disk is full, the lock works without the name of its holder
            os.ftruncate(handle, 0)
            os.pwrite(handle, json.dumps(holder).encode(), 0) if hasattr(os, "pwrite") else os.write(
                handle, json.dumps(holder).encode()
            )


def holder_of(path: Path) -> Holder | None:
    """Return the process that holds the session's lock, or None if nobody does or it did not write who it is."""
    file = locks_folder() / f"{path_key(path)}.lock"
    try:
        handle = os.open(file, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    try:
        return None if lock_handle(handle) else _read(file)
    except OSError:
        return None
    finally:
        os.close(handle)  # a file that a crash left stays for the next writer


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 20
    """The position of the locked byte; everybody can read the bytes before it."""

    def lock_handle(handle: int) -> bool:
        """Lock an open file and return True, or False if another holds the lock. Closing the file unlocks it."""
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(handle, 0, os.SEEK_SET)
        return True

    def _inode(path: Path) -> int:
        return path.stat().st_ino

else:
    import fcntl

    def lock_handle(handle: int) -> bool:
        """Lock an open file and return True, or False if another holds the lock. Closing the file unlocks it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def _inode(path: Path) -> int:
        try:
            return path.stat().st_ino
        except FileNotFoundError:
            return -1


def _read(file: Path) -> Holder | None:
    """Return the holder that the lock's file names, or None if it is not written as :class:`Lock` writes it."""
    try:
        with file.open("rb") as opened:
            said = json.loads(opened.read(_HOLDER_BYTES))
        return Holder(
            int(said["pid"]),
            str(said["host"])[:80],
            datetime.fromisoformat(said["since"]),
            bool(said["lasting"]),
        )
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
