"""What the library reads, each in a thread of its own: names, lists, one file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from planscope.session.bundled import bundled
from planscope.session.files import LARGEST, SessionError
from planscope.session.library import entries, session_files
from planscope.session.library_entry import Entry, Place
from planscope.session.library_index import Index
from planscope.session.lock import holder_of
from planscope.session.naming import name_of
from planscope.session.places import library, trash
from planscope.session.recovery import recoverable
from planscope.session.store import load
from planscope.tui.panes.library_lines import HERE, Looked, inside

LARGEST_LOOK = LARGEST // 4
"""Bytes of a file that is looked at merely because one passes by."""


def names() -> tuple[Entry, ...]:
    """What the folders say of the user's sessions and the bundled ones, without a look into any file."""
    found: list[Entry] = []
    places: tuple[tuple[Place, list], ...] = (  # type: ignore[type-arg]  # of paths
        ("library", session_files(library())),
        ("bundled", list(bundled().values())),
    )
    for place, paths in places:
        made = []
        for path in paths:
            try:
                status = path.stat()
            except OSError:
                continue  # what is the matter with it is said once it is read
            changed = datetime.fromtimestamp(status.st_mtime, UTC)
            name = name_of(path)
            made.append(Entry(name, path, place, name, status.st_size, changed))
        found += sorted(made, key=lambda e: (e.changed, e.name), reverse=place == "library")
    return tuple(found)


def folders() -> object:
    """Something that is another once a file in library or trash came, went or was saved."""

    def mark(folder: Path) -> tuple[int, int] | None:
        try:
            status = folder.stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns

    return mark(library()), mark(trash())


def both() -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """The user's and the bundled sessions, and those in the trash."""
    index = Index()
    trashed = tuple(entries("trash", index=index))
    return tuple(entries(index=index)), trashed


def look_at(entry: Entry, own: bool) -> Looked:
    """One file. ``own``: it is the one that is open here."""
    left = recoverable(entry.path) if not own else None
    holder = holder_of(entry.path) if not own else None
    unsaved = (
        f"work from {left.saved.astimezone():%Y-%m-%d %H:%M} that could not be saved; opening it offers it"
        if left is not None
        else ""
    )
    held = f"in another planscope ({holder})" if holder is not None else HERE if own else ""
    if entry.wrong is not None:
        return Looked(entry, None, "", unsaved, held)
    if entry.size > LARGEST_LOOK:
        return Looked(entry, None, "a large file: open it to see what it holds", unsaved, held)
    try:
        return Looked(entry, inside(load(entry.path)), "", unsaved, held)
    except SessionError as error:
        return Looked(entry, None, str(error), unsaved, held)
