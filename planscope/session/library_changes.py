"""Sessions of the library renamed, copied, deleted and restored. No other file is ever changed or removed here.

The folder is locked meanwhile, so that names stay as they were looked up.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from planscope.session.bundled import bundled
from planscope.session.files import SessionError, read_bytes, write_atomic
from planscope.session.library import session_files
from planscope.session.lock import Held, Lock
from planscope.session.model import Session
from planscope.session.naming import (
    LONGEST,
    before_trash,
    checked_name,
    free_name,
    free_path,
    in_library,
    name_of,
    suffix_of,
    trashed,
)
from planscope.session.places import library, make_folder, trash
from planscope.session.stamp import stamp_of
from planscope.session.store import load, loads, save, settle


def mine(name: str) -> Path:
    """The session of the library that is meant: by its name, or by the path of its file. Raises SessionError."""
    found = in_library(name)
    if found is not None:
        return found
    path = Path(name)
    if path.parent == library() and os.path.lexists(path):
        return path
    if name in bundled():
        raise SessionError(
            f"{name} ships with planscope and stays as it is; copy it: planscope sessions copy {name}"
        )
    if path.exists():
        raise SessionError(
            f"{name} is not in your library; copy it there (planscope sessions copy) or change it yourself"
        )
    raise SessionError(
        f"there is no session {name[:LONGEST]!r} in your library (see: planscope sessions list)"
    )


def in_trash(name: str) -> Path:
    """The session in the trash that had this name, the last one deleted; or the one of this path or name in there."""
    found = [(before_trash(path), path) for path in session_files(trash())]
    exact = [path for _, path in found if name in (str(path), name_of(path))]
    named = [(when.timestamp() if when else 0.0, path) for (was, when), path in found if was == name]
    if not exact and not named:
        raise SessionError(f"there is no {name[:LONGEST]!r} in the trash (see: planscope sessions trash)")
    return exact[0] if exact else max(named)[1]


def rename(path: Path, name: str) -> Path:
    """Give a session of the library another name; its new path."""
    _own(path)
    new = checked_name(name)
    with _told_of_others(), Lock(library()), Lock(path):
        with suppress(SessionError):
            settle(path, held=True)
        _check_free(new)
        target = path.with_name(f"{new}{suffix_of(path)}")
        _move(path, target)
    return target


def retitle(path: Path, title: str) -> None:
    """Give a session of the library another title."""
    _own(path)
    stamp = stamp_of(path)
    session = load(path)
    session.title = title
    with _told_of_others():
        save(session, path, unless_changed=stamp)


def add(session: Session, wanted: str) -> Path:
    """Put a new session into the library, under a name like the one that is wanted; its path."""
    make_folder(library())
    with Lock(library()):
        path = library() / f"{free_name(wanted)}.planscope.json"
        save(session, path)
    return path


def copy(path: Path, name: str | None = None) -> Path:
    """Copy any session that can be opened into the library; the copy's path. Without ``name``: one that is free."""
    new = checked_name(name) if name is not None else None
    with suppress(SessionError):  # of a file that may not be written; what is in it is copied
        settle(path)
    data = read_bytes(path)
    loads(data, str(path))
    make_folder(library())
    with Lock(library()):
        if new is not None:
            _check_free(new)
        target = free_path(path, new)
        write_atomic(target, data)
    return target


def delete(path: Path) -> Path:
    """Move a session of the library to the trash; where it is there."""
    _own(path)
    make_folder(trash())
    target = trash() / trashed(path)
    with suppress(SessionError):
        settle(path)
    with _told_of_others(), Lock(library()), Lock(path):
        _move(path, target)
    return target


def restore(path: Path) -> Path:
    """Move a session from the trash back into the library, under its old name or one that is free; its path."""
    if path.parent != trash() or not os.path.lexists(path):
        raise SessionError(f"{path} is not in the trash (see: planscope sessions trash)")
    make_folder(library())
    with Lock(library()):
        target = free_path(path, free_name(before_trash(path)[0]))
        _move(path, target)
    return target


def empty_trash() -> int:
    """Remove what is in the trash for good; how many sessions that were."""
    count = 0
    for path in session_files(trash()):
        try:
            path.unlink()
        except OSError as error:
            raise SessionError(f"{path} cannot be removed: {error.strerror}") from None
        count += 1
    return count


def _own(path: Path) -> None:
    """Raise :class:`SessionError` for what is not a session of the library."""
    if path.parent != library():
        raise SessionError(f"{path} is not in your library")
    try:
        mode = path.lstat().st_mode
    except OSError as error:
        raise SessionError(f"{path} cannot be changed: {error.strerror}") from None
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        raise SessionError(f"{path} is neither a file nor a link; move it away yourself")


@contextmanager
def _told_of_others() -> Iterator[None]:
    """Who cannot have the session is not told what one who saves could do."""
    try:
        yield
    except Held as held:
        raise Held(held.path, held.holder, "close it there first") from None


def _check_free(name: str) -> None:
    if in_library(name) is not None or name in bundled():
        raise SessionError(f"there is a session {name!r} already; choose another name")


def _move(path: Path, target: Path) -> None:
    """Rename a file or a link as it is; its time of change stays, and with it what the index knows."""
    try:
        if os.path.lexists(target):
            raise SessionError(f"there is {target} already")
        path.rename(target)
    except OSError as error:
        raise SessionError(f"{path} cannot be moved: {error.strerror}") from None
