"""Is a file still the one that was read? Looked at before it is written over."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from planscope.session.files import SessionError, open_regular


class Changed(SessionError):
    """The file is not the one that was read: somebody else wrote to it, or removed it."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a file was when it was read: what the system says of it, and a hash of its bytes."""

    mtime_ns: int
    size: int
    inode: int
    digest: str


def stamp_of(path: Path) -> Stamp | None:
    """The file's stamp, None where there is none that can be read."""
    try:
        with open_regular(path) as file:
            status = _status(path)
            return Stamp(*status, hashlib.file_digest(file, "sha256").hexdigest())
    except OSError:
        return None


def _status(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size, status.st_ino


def check_unchanged(path: Path, stamp: Stamp | None) -> None:
    """Raise :class:`Changed` unless the file is as it was (None: not there); the same content counts as the same."""
    try:
        now = _status(path)
    except FileNotFoundError:
        if stamp is None:
            return
        raise Changed(f"{path} is gone since it was read; nothing was written") from None
    except OSError as error:
        raise Changed(
            f"{path} cannot be looked at any more ({error.strerror}); nothing was written"
        ) from None
    if stamp is not None and now == (stamp.mtime_ns, stamp.size, stamp.inode):
        return
    found = stamp_of(path)
    if stamp is None or found is None or found.digest != stamp.digest:
        raise Changed(f"{path} was changed by another program since it was read; nothing was written over it")
