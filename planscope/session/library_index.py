"""What a list shows of a session, and the index that remembers it, so that a thousand sessions are listed at once.

A record of the index is valid for one state of a file (device, inode, size, time of change) and one version of the code
that judges. The index is only a cache: opening a session judges it again, and the index can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from planscope import __version__
from planscope.oracle.verdict_types import VERDICTS
from planscope.session import locations
from planscope.session.files import SessionError, open_regular, read_bytes
from planscope.session.json_bytes import parse_json
from planscope.session.locations import bundled, wrong_name
from planscope.session.validation import migrate
from planscope.wording import terms

Place = Literal["library", "bundled", "trash", "file"]
"""``file``: anywhere else; lists have none of these."""

LONGEST_TEXT = 200
"""Characters of a text that a list keeps."""

LARGEST_GLANCE = 8_000_000
"""Bytes of a file that a list reads; what a larger one holds is known once it was judged."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How the runs of a session came out, without those that dissections made; all of them are counted somewhere.

    ``right`` and ``wrong`` had no help; ``helped`` are the right and wrong ones that had. ``errors``: how many runs
    that are wrong, helped or not, have which primary type of error.
    """

    right: int = 0
    wrong: int = 0
    aborted: int = 0
    unknown: int = 0
    helped: int = 0
    helped_right: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)

    @property
    def counted(self) -> int:
        return self.right + self.wrong

    @property
    def any_wrong(self) -> bool:
        return bool(self.wrong or self.helped > self.helped_right)

    @property
    def share(self) -> str:
        """``14/20``: right of those that were counted; empty where there is one run or none."""
        runs = self.counted + self.aborted + self.unknown + self.helped
        return f"{self.right}/{self.counted}" if runs > 1 and self.counted else ""

    @property
    def text(self) -> str:
        """The same in words."""
        parts = [f"{self.right} of {self.counted} right"] if self.counted else []
        parts += [f"{self.helped} helped, {self.helped_right} of them right"] if self.helped else []
        rest = {"aborted": self.aborted, "unknown": self.unknown}
        parts += [f"{n} {terms.VERDICTS[what]}" for what, n in rest.items() if n]
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Entry:
    """One session. All texts come from its file and are hostile.

    ``agent``, ``model``, ``verdict``, ``error_type`` and ``helped`` (in words what helped it, if anything did) are
    those of the last run that no dissection made; ``outcomes`` says how all of them came out. Until the session was
    ``checked``, opened and judged as it would be on screen, it is ``pending``: ``verdict`` is None, as it stays for
    one without runs. ``wrong``: in one line, why it cannot be opened. Times are UTC; ``size`` is the file's, in bytes.
    """

    name: str
    path: Path
    place: Place
    title: str
    size: int
    changed: datetime
    created: datetime | None = None
    deleted: datetime | None = None
    agent: str | None = None
    model: str | None = None
    topic: str | None = None
    runs: int = 0
    variants: int = 0
    verdict: str | None = None
    error_type: str | None = None
    helped: str = ""
    outcomes: Outcomes | None = None
    wrong: str | None = None
    checked: bool = False

    @property
    def pending(self) -> bool:
        """Nobody has opened and judged it yet."""
        return self.wrong is None and not self.checked

    def came_out(self, verdict: str) -> bool:
        """Whether the last run has this verdict; for ``wrong``, whether any run is."""
        any_wrong = self.outcomes is not None and self.outcomes.any_wrong
        return self.verdict == verdict or (verdict == "wrong" and any_wrong)

    @property
    def error_types(self) -> frozenset[str]:
        """The types of errors of all runs that were judged."""
        own = {self.error_type} if self.error_type else set()
        return frozenset(own | {*(self.outcomes.errors if self.outcomes is not None else ())})

    @property
    def when(self) -> datetime:
        """When it was deleted or changed; a bundled one was made, whenever its file was put there."""
        made = self.created if self.place == "bundled" else None
        return self.deleted or made or self.changed

    @property
    def why_wrong(self) -> str:
        """What is wrong with the file, without its name; empty where nothing is."""
        return (self.wrong or "").removeprefix(f"{self.path} ").removeprefix(f"{self.path.name} ")

    @property
    def address(self) -> str:
        """What to type after ``planscope open``: the name, or the path where the name means something else."""
        shadowed = self.place == "library" and self.name in bundled()
        plain = self.place in ("library", "bundled") and wrong_name(self.name) is None and not shadowed
        return self.name if plain else str(self.path)


def summary_fields(path: Path, size: int) -> dict[str, Any]:
    """What a list shows of a file, as fields of :class:`Entry`. Never raises; the file is not checked thoroughly."""
    if size > LARGEST_GLANCE:
        return {}
    try:
        document = migrate(parse_json(read_bytes(path), path.name), path.name)
    except SessionError as error:
        return {"wrong": str(error)[: 2 * LONGEST_TEXT]}
    return fields_of(document)


def fields_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """The same from a session's JSON; whatever has the wrong type counts as absent."""
    runs, variants = _items(document.get("runs")), _items(document.get("variants"))
    spent, made = _of_dissections(document)
    last, newest = _last(runs, spent), _last(variants, made)
    query = newest.get("query")
    return {
        "title": _text(document.get("title")) or "",
        "created": _text(document.get("created")),
        "agent": _text(last.get("agent")),
        "model": _text(last.get("model")),
        "topic": _text(query.get("topic")) if isinstance(query, Mapping) else None,
        "runs": len(runs),
        "variants": len(variants),
    }


def _of_dissections(document: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """Ids of the runs and the variants that dissections made: as in ``own``, without the model."""
    found = _items(document.get("dissections"))
    cells = [cell for one in found for cell in _items(one.get("cells"))]
    spent = {id for cell in cells for id in _list(cell.get("runs")) if isinstance(id, str)}
    made = {id for cell in cells if isinstance(id := cell.get("variant"), str)}
    return spent, made - {id for one in found if isinstance(id := one.get("variant"), str)}


def _last(found: list[Mapping[str, Any]], left_out: set[str]) -> Mapping[str, Any]:
    """The last one that is not left out; of those, where there is no other."""
    own = [one for one in found if not (isinstance(id := one.get("id"), str) and id in left_out)]
    return (own or found or [{}])[-1]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _items(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in _list(value) if isinstance(one, Mapping)]


def _text(value: Any) -> str | None:
    return value[:LONGEST_TEXT] if isinstance(value, str) else None


def moment(text: str | None) -> datetime | None:
    """A time as files say it, in UTC; None for what is none."""
    try:
        read = datetime.fromisoformat(text or "")
        return read.replace(tzinfo=read.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def search(entries: Iterable[Entry], text: str) -> list[Entry]:
    """Those that hold every word of ``text`` somewhere: in name, title, topic, agent, model, verdict, error types."""
    words = text.casefold().split()
    return [entry for entry in entries if all(word in _haystack(entry) for word in words)]


def _haystack(entry: Entry) -> str:
    errors = [form for e in sorted(entry.error_types) for form in (e, e.replace("_", " "), terms.said(e))]
    texts = (entry.name, entry.title, entry.topic, entry.agent, entry.model, entry.verdict, *errors)
    more = ("wrong" if entry.came_out("wrong") else "", "helped" if entry.helped else "")
    return "\n".join(t for t in (*texts, *more, entry.wrong and "broken") if t).casefold()


Mark = tuple[int, int, int, int]
_LARGEST = 32_000_000
_JUDGES = ("language", "oracle", "session")
"""The parts of planscope that a verdict depends on."""

_TEXTS = frozenset(
    {"title", "created", "agent", "model", "topic", "verdict", "error_type", "wrong", "helped"}
)
_OUTCOMES = {one.name for one in fields(Outcomes)}
_COUNTS = frozenset({"runs", "variants"})


def mark_of(status: os.stat_result) -> Mark:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@cache
def engine() -> str:
    """What a verdict was found by: planscope's version, and its code as it lies on the disk (a checkout changes)."""
    seen = hashlib.sha256(__version__.encode())
    for part in _JUDGES:
        for path in sorted(Path(str(files("planscope") / part)).glob("*.py")):
            status = path.stat()
            seen.update(f"{path.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return seen.hexdigest()[:32]


class Index:
    """Records by file. Not for two threads at once; two processes: the last one to write wins, and nothing breaks."""

    def __init__(self) -> None:
        self._file = locations.cache_folder() / "sessions.json"
        self._records = _read(self._file)
        self._changed = False

    def get(self, mark: Mark) -> dict[str, Any] | None:
        return self._records.get(mark)

    def put(self, mark: Mark, record: dict[str, Any]) -> None:
        if self._records.get(mark) != record:
            self._records[mark] = record
            self._changed = True

    def keep_only(self, marks: set[Mark]) -> None:
        """Forget files that are not there any more."""
        gone = self._records.keys() - marks
        for mark in gone:
            del self._records[mark]
        self._changed = self._changed or bool(gone)

    def write(self) -> None:
        """To the disk, if there is something new; a cache that cannot be written is done without."""
        if not self._changed:
            return
        document = {
            "engine": engine(),
            "records": [[*mark, record] for mark, record in self._records.items()],
        }
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, temporary = tempfile.mkstemp(dir=self._file.parent, suffix=".tmp")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(json.dumps(document).encode())
                Path(temporary).replace(self._file)
            except OSError:
                Path(temporary).unlink()
        self._changed = False


def _read(path: Path) -> dict[Mark, dict[str, Any]]:
    """The records of this engine; none where anything is odd about the file."""
    try:
        with open_regular(path) as file:
            document = json.loads(file.read(_LARGEST))
        if document["engine"] != engine():
            return {}
        return {
            (int(a), int(b), int(c), int(d)): record
            for a, b, c, d, record in document["records"]
            if _is_record(record)
        }
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return {}


def _is_outcomes(value: Any) -> bool:
    """Counts by the names of ``library_entry.Outcomes``."""
    if not (isinstance(value, dict) and value.keys() <= _OUTCOMES and isinstance(value.get("errors"), dict)):
        return False
    counts = {**value, **value["errors"]}
    return all(isinstance(count, int) for name, count in counts.items() if name != "errors")


def _is_record(record: Any) -> bool:
    return (
        isinstance(record, dict)
        and record.get("verdict") in (None, *VERDICTS)
        and all(
            (value is None or isinstance(value, str))
            if name in _TEXTS
            else _is_outcomes(value)
            if name == "outcomes"
            else isinstance(value, int) and (name in _COUNTS or name == "checked")
            for name, value in record.items()
        )
    )
