"""The user's sessions and the bundled ones: lists, judges, renames, copies, deletes and restores them.

Nothing here changes or removes a file outside the library and its trash. The library's folder is locked during a
change, so that no name is taken twice.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.session.files import SessionError, fingerprint_of, read_bytes, write_atomic
from planscope.session.library_index import (
    Entry,
    Index,
    Mark,
    Place,
    Record,
    fields_of,
    mark_of,
    moment,
    summary_fields,
)
from planscope.session.locations import (
    LONGEST,
    SUFFIXES,
    before_trash,
    bundled,
    checked_name,
    free_name,
    free_path,
    in_library,
    is_bundled,
    library_folder,
    make_folder,
    name_of,
    suffix_of,
    trash_folder,
    trashed,
)
from planscope.session.lock import Held, Lock
from planscope.session.merging import merge_recordings
from planscope.session.model import Session, own_runs
from planscope.session.record import help_of
from planscope.session.run_list import outcomes_of_runs
from planscope.session.store import load, loads, save
from planscope.session.tally import Tally

if TYPE_CHECKING:
    from planscope.session.oracle_input import ProblemIn


PLACES: tuple[Place, ...] = ("library", "bundled")
_LISTED: Any = {
    "title": True,
    "created": True,
    "variants": {"__all__": {"id": True, "query": {"topic"}}},
    "runs": {"__all__": {"id", "agent", "model"}},
    "fuzzings": {"__all__": {"findings": {"__all__": {"tool"}}}},
    "dissections": {"__all__": {"variant": True, "cells": {"__all__": {"variant", "runs"}}}},
}


def entries(*where: Place, index: Index | None = None) -> list[Entry]:
    """Return the entries of these places (by default library and bundled), in each place the last changed first.

    Never raises, whatever the files contain and even if folders are missing. Verdicts come from the index.
    """
    known = index if index is not None else Index()
    seen: set[Mark] = set()
    found = [entry for place in where or PLACES for entry in _listed(place, known, seen)]
    if not where:
        known.keep_only(seen)
    known.write()
    return found


def judge(entry: Entry, problem_in: ProblemIn, index: Index | None = None) -> Entry:
    """Judge the runs of an entry again, keep the verdicts in the index, and return the entry with them.

    A file that cannot be opened gets ``wrong``; a query that cannot be read gives the verdict ``unknown``. A caller who
    passes an ``index`` has to write it.
    """
    try:
        status = entry.path.stat()
    except OSError as error:
        return replace(entry, wrong=f"{entry.path} cannot be read: {error.strerror}")
    try:
        record = _record(load(entry.path), problem_in)
    except SessionError as error:
        record = Record(wrong=str(error))
    known = index if index is not None else Index()
    known.put(mark_of(status), record)
    if index is None:
        known.write()
    return _entry(entry.place, entry.path, status, record)


def judge_all(
    found: Iterable[Entry], problem_in: ProblemIn, stop: Callable[[], bool] = lambda: False
) -> Iterator[Entry]:
    """Judge the pending entries one by one, yield each judged entry, and write the index at the end.

    Runs in a thread of its own, and ends as soon as ``stop`` returns True.
    """
    index = Index()
    try:
        for entry in found:
            if stop():
                return
            if entry.pending:
                yield judge(entry, problem_in, index)
    finally:
        index.write()


def entry_at(path: Path, session: Session, problem_in: ProblemIn) -> Entry:
    """Return the judged entry of an open session, from any folder. Raises :class:`SessionError`."""
    place: Place = "bundled" if is_bundled(path) else "library" if path.parent == library_folder() else "file"
    try:
        return _entry(place, path, path.stat(), _record(session, problem_in))
    except OSError as error:
        raise SessionError(f"{path} cannot be read: {error.strerror}") from None


def _record(session: Session, problem_in: ProblemIn) -> Record:
    """Return the index's record of a session, judged."""
    record = fields_of(session.model_dump(mode="json", include=_LISTED))
    record["checked"] = True
    if session.runs:
        own = own_runs(session)
        found = list(outcomes_of_runs(session, own, problem_in))
        record["outcome"] = found[-1]
        record["helped"] = help_of(own[-1]).text
        helped = (bool(help_of(run)) for run in own)
        record["outcomes"] = Tally.of(zip(found, helped, strict=True))
    return record


def _listed(place: Place, index: Index, seen: set[Mark]) -> Iterator[Entry]:
    paths = (
        bundled().values()
        if place == "bundled"
        else session_files(library_folder() if place == "library" else trash_folder())
    )
    found = []
    for path in paths:
        try:
            status = path.stat()
        except OSError as error:
            wrong = f"{path} cannot be read: {error.strerror}"
            found.append(_entry(place, path, _itself(path), {"wrong": wrong}))
            continue
        mark = mark_of(status)
        seen.add(mark)
        record = index.get(mark)
        if record is None:
            record = summary_fields(path, status.st_size if stat.S_ISREG(status.st_mode) else 0)
            index.put(mark, record)
        found.append(_entry(place, path, status, record))
    yield from sorted(found, key=lambda e: (e.deleted or e.changed, e.name), reverse=True)


def _itself(path: Path) -> os.stat_result:
    """Return size and time of a broken link, or zeros if the link is gone too."""
    try:
        return path.lstat()
    except OSError:
        return os.stat_result((0,) * 10)


def session_files(folder: Path) -> list[Path]:
    """Return the files in the folder with a session's suffix; none if the folder cannot be read."""
    try:
        with os.scandir(folder) as found:
            return [folder / one.name for one in found if one.name.endswith(SUFFIXES)]
    except OSError:
        return []


def _entry(place: Place, path: Path, status: os.stat_result, record: Record) -> Entry:
    name, deleted = (name_of(path), None) if place != "trash" else before_trash(path)
    known: dict[str, Any] = {**record, "created": moment(record.get("created"))}
    known["title"] = record.get("title") or name
    return Entry(
        name=name,
        path=path,
        place=place,
        size=status.st_size,
        changed=datetime.fromtimestamp(status.st_mtime, UTC),
        deleted=deleted,
        **known,
    )


def library_session(name: str) -> Path:
    """Return the library's session with this name or path. Raises :class:`SessionError`."""
    found = in_library(name)
    if found is not None:
        return found
    path = Path(name)
    if path.parent == library_folder() and os.path.lexists(path):
        return path
    if name in bundled():
        raise SessionError(
            f"{name} is bundled with planscope and read-only; copy it: planscope sessions copy {name}"
        )
    if path.exists():
        raise SessionError(
            f"{name} is not in your library; copy it there (planscope sessions copy) or change it yourself"
        )
    raise SessionError(
        f"there is no session {name[:LONGEST]!r} in your library (see: planscope sessions list)"
    )


def in_trash(name: str) -> Path:
    """Return the session in the trash with this path or file name, or the last deleted one that had this name.

    Raises :class:`SessionError`.
    """
    found = [(before_trash(path), path) for path in session_files(trash_folder())]
    exact = [path for _, path in found if name in (str(path), name_of(path))]
    named = [(when.timestamp() if when else 0.0, path) for (was, when), path in found if was == name]
    if not exact and not named:
        raise SessionError(f"there is no {name[:LONGEST]!r} in the trash (see: planscope sessions trash)")
    return exact[0] if exact else max(named)[1]


def rename(path: Path, name: str) -> Path:
    """Rename a session of the library, and return its new path."""
    _own(path)
    new = checked_name(name)
    with _without_saving_advice(), Lock(library_folder()), Lock(path):
        with suppress(SessionError):
            merge_recordings(path, held=True)
        _check_free(new)
        target = path.with_name(f"{new}{suffix_of(path)}")
        _move(path, target)
    return target


def retitle(path: Path, title: str) -> None:
    """Change the title of a session of the library."""
    _own(path)
    stamp = fingerprint_of(path)
    session = load(path)
    session.title = title
    with _without_saving_advice():
        save(session, path, unless_changed=stamp)


def add(session: Session, wanted: str) -> Path:
    """Save a new session in the library under ``wanted`` or a similar free name, and return its path."""
    make_folder(library_folder())
    with Lock(library_folder()):
        path = library_folder() / f"{free_name(wanted)}.planscope.json"
        save(session, path)
    return path


def copy(path: Path, name: str | None = None) -> Path:
    """Copy a session from anywhere into the library, by default under a free name, and return the copy's path."""
    new = checked_name(name) if name is not None else None
    with suppress(SessionError):  # the file may be read-only; then it is copied as it is
        merge_recordings(path)
    data = read_bytes(path)
    loads(data, str(path))
    make_folder(library_folder())
    with Lock(library_folder()):
        if new is not None:
            _check_free(new)
        target = free_path(path, new)
        write_atomic(target, data)
    return target


def delete(path: Path) -> Path:
    """Move a session of the library to the trash, and return its path there."""
    _own(path)
    make_folder(trash_folder())
    target = trash_folder() / trashed(path)
    with suppress(SessionError):
        merge_recordings(path)
    with _without_saving_advice(), Lock(library_folder()), Lock(path):
        _move(path, target)
    return target


def restore(path: Path) -> Path:
    """Move a session from the trash back into the library, under its old name if that is free, and return its path."""
    if path.parent != trash_folder() or not os.path.lexists(path):
        raise SessionError(f"{path} is not in the trash (see: planscope sessions trash)")
    make_folder(library_folder())
    with Lock(library_folder()):
        target = free_path(path, free_name(before_trash(path)[0]))
        _move(path, target)
    return target


def empty_trash() -> int:
    """Delete all sessions in the trash, and return their number."""
    count = 0
    for path in session_files(trash_folder()):
        try:
            path.unlink()
        except OSError as error:
            raise SessionError(f"{path} cannot be removed: {error.strerror}") from None
        count += 1
    return count


def _own(path: Path) -> None:
    """Raise :class:`SessionError` unless the path is a file or link in the library."""
    if path.parent != library_folder():
        raise SessionError(f"{path} is not in your library")
    try:
        mode = path.lstat().st_mode
    except OSError as error:
        raise SessionError(f"{path} cannot be changed: {error.strerror}") from None
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        raise SessionError(f"{path} is neither a file nor a link; move it away yourself")


@contextmanager
def _without_saving_advice() -> Iterator[None]:
    """Change the advice of a :class:`Held` error to one that fits here: writing to another file would not help."""
    try:
        yield
    except Held as held:
        raise Held(held.path, held.holder, "close it there first") from None


def _check_free(name: str) -> None:
    if in_library(name) is not None or name in bundled():
        raise SessionError(f"a session {name!r} exists already; choose another name")


def _move(path: Path, target: Path) -> None:
    """Rename a file, or a link itself. Its modification time is unchanged, so its entry in the index stays valid."""
    try:
        if os.path.lexists(target):
            raise SessionError(f"{target} exists already")
        path.rename(target)
    except OSError as error:
        raise SessionError(f"{path} cannot be moved: {error.strerror}") from None
