"""What the library shows of all sessions: filtered, searched and sorted. Pure state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from planscope.session.library_entry import Entry, search

Shown = Literal["all", "library", "bundled", "trash"]
SHOWN: tuple[Shown, ...] = ("all", "library", "bundled", "trash")

Order = Literal["date", "title", "verdict", "model", "size"]
ORDERS: tuple[Order, ...] = ("date", "title", "verdict", "model", "size")

VERDICTS = ("right", "wrong", "aborted", "unknown", "no run", "broken")
"""What one can filter by: the verdict on the last run, or ``wrong`` on any; no run; a file that cannot be opened."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """``listed`` are the entries that are shown, in their order, ``at`` the one that is chosen, if any.

    ``complete``: all was read; before that there are names alone. ``trash`` counts what is in there.
    """

    entries: tuple[Entry, ...] = ()
    trashed: tuple[Entry, ...] = ()
    complete: bool = False
    trash: int = 0
    shown: Shown = "all"
    words: str = ""
    verdict: str = ""
    error_type: str = ""
    order: Order = "date"
    reverse: bool = False
    listed: tuple[Entry, ...] = ()
    at: int = 0
    judging: tuple[int, int] = (0, 0)
    """Sessions that were judged, of how many; nothing is under way where they are as many."""

    seconds_left: float | None = field(default=None)

    @property
    def chosen(self) -> Entry | None:
        return self.listed[self.at] if self.at < len(self.listed) else None


def verdict_of(entry: Entry) -> str:
    """One of ``VERDICTS``; empty while nobody has judged it."""
    if entry.wrong is not None:
        return "broken"
    if entry.pending:
        return ""
    return entry.verdict or "no run"


def verdicts_in(entry: Entry) -> set[str]:
    """What one finds it by: that on its last run, and ``wrong`` where any run is."""
    found = {verdict_of(entry)} - {""}
    return found | {"wrong"} if entry.wrong is None and entry.came_out("wrong") else found


def arranged(shelf: Shelf, at: Path | None = None) -> Shelf:
    """The shelf with what is shown of it. The one that was chosen stays chosen, or the one at ``at``."""
    before = at or (shelf.chosen.path if shelf.chosen is not None else None)
    found = _in_order(_filtered(shelf), shelf)
    place = next((i for i, entry in enumerate(found) if entry.path == before), None)
    if place is None:
        place = min(shelf.at, max(len(found) - 1, 0))
    return replace(shelf, listed=tuple(found), at=place)


def placed(shelf: Shelf) -> list[Entry]:
    """All entries of the places that are shown."""
    if shelf.shown == "trash":
        return list(shelf.trashed)
    return [entry for entry in shelf.entries if shelf.shown in ("all", entry.place)]


def _filtered(shelf: Shelf) -> list[Entry]:
    found = placed(shelf)
    if shelf.verdict:
        found = [entry for entry in found if shelf.verdict in verdicts_in(entry)]
    if shelf.error_type:
        found = [entry for entry in found if shelf.error_type in entry.error_types]
    return search(found, shelf.words) if shelf.words.strip() else found


def _in_order(found: list[Entry], shelf: Shelf) -> list[Entry]:
    """Sorted; what is alike stays as it was, the last changed first, one's own before the bundled ones."""
    if shelf.order == "title":
        found.sort(key=lambda e: (e.title.casefold(), e.name))
    elif shelf.order == "verdict":
        places = {verdict: i for i, verdict in enumerate(("wrong", "right", *VERDICTS[2:], ""))}
        found.sort(key=lambda e: (places.get(verdict_of(e), 9), e.error_type or ""))
    elif shelf.order == "model":
        found.sort(key=lambda e: (e.model is None, (e.model or "").casefold()))
    elif shelf.order == "size":
        found.sort(key=lambda e: -e.size)
    return found[::-1] if shelf.reverse else found


def verdicts(shelf: Shelf) -> Mapping[str, int]:
    """How many sessions of each verdict there are in the places that are shown."""
    return Counter(verdict for entry in placed(shelf) for verdict in verdicts_in(entry))


def error_types(shelf: Shelf) -> Mapping[str, int]:
    """How many sessions of each type of error, the most frequent first."""
    found = Counter(error for entry in placed(shelf) for error in sorted(entry.error_types))
    return dict(found.most_common())


def with_judged(shelf: Shelf, judged: Mapping[Path, Entry]) -> Shelf:
    """The shelf with entries that were judged meanwhile."""
    entries = tuple(judged.get(entry.path, entry) for entry in shelf.entries)
    trashed = tuple(judged.get(entry.path, entry) for entry in shelf.trashed)
    return arranged(replace(shelf, entries=entries, trashed=trashed))
