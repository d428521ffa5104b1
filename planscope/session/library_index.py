"""Describes a session for a list, and keeps these descriptions in an index, so that a thousand sessions are listed
at once.

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
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, OnErrorOmit, TypeAdapter, with_config
from typing_extensions import TypedDict

from planscope import __version__
from planscope.frozen import frozen
from planscope.oracle.verdict_types import VerdictKind
from planscope.session import locations
from planscope.session.files import SessionError, open_regular, read_bytes
from planscope.session.json_bytes import parse_json
from planscope.session.locations import bundled, wrong_name
from planscope.session.tally import Outcome, Tally
from planscope.session.validation import migrate
from planscope.wording import terms

Place = Literal["library", "bundled", "trash", "file"]
"""Where a session is. ``file`` is any other folder; lists do not contain such sessions."""

LONGEST_TEXT = 200
"""The limit for a text in a list, in characters."""

LARGEST_LISTED = 8_000_000
"""The limit for files that a list reads, in bytes. A larger file is known only after it was judged."""


@frozen
class Entry:
    """One session in a list. All texts come from its file and are untrusted.

    ``agent``, ``model``, ``outcome`` and ``helped`` (in words) are those of the last run that no dissection made;
    ``outcomes`` counts all such runs. ``checked``: the session was loaded and judged; before that it
    is ``pending``, and ``outcome`` is None. ``wrong`` is one line that says why it cannot be opened. Times are UTC;
    ``size`` is in bytes.
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
    findings: int = 0
    outcome: Outcome | None = None
    helped: str = ""
    outcomes: Tally | None = None
    wrong: str | None = None
    checked: bool = False

    @property
    def verdict(self) -> VerdictKind | None:
        return self.outcome.verdict if self.outcome is not None else None

    @property
    def pending(self) -> bool:
        """Whether the session has not been judged yet."""
        return self.wrong is None and not self.checked

    def came_out(self, verdict: str) -> bool:
        """Return whether the last run has this verdict; for ``wrong``, whether any run has it."""
        any_wrong = self.outcomes is not None and self.outcomes.any_wrong
        return self.verdict == verdict or (verdict == "wrong" and any_wrong)

    @property
    def error_types(self) -> frozenset[str]:
        """The types of error that words name of the judged runs; filters go by them."""
        own = {self.outcome.headline} if self.outcome is not None and self.outcome.headline else set()
        return frozenset(own | {*(self.outcomes.headlines if self.outcomes is not None else ())})

    @property
    def when(self) -> datetime:
        """When the session was deleted or changed. For a bundled session, when it was created, as installing changes
        files."""
        made = self.created if self.place == "bundled" else None
        return self.deleted or made or self.changed

    @property
    def why_wrong(self) -> str:
        """Why the session cannot be opened, without the file's name; empty if it can."""
        return (self.wrong or "").removeprefix(f"{self.path} ").removeprefix(f"{self.path.name} ")

    @property
    def words(self) -> str:
        """What a search looks in."""
        errors = [
            form
            for json_name in self.error_types
            for form in (json_name, json_name.replace("_", " "), terms.said(json_name))
        ]
        told = terms.VERDICTS[self.outcome.told] if self.outcome is not None else ""
        texts = (self.name, self.title, self.topic, self.agent, self.model, self.verdict, told, *errors)
        more = ("wrong" * self.came_out("wrong"), self.helped and "helped")
        return "\n".join(t for t in (*texts, *more, self.wrong and "broken") if t).casefold()

    @property
    def address(self) -> str:
        """The argument for ``planscope open``: the name, or the path if the name means another session."""
        shadowed = self.place == "library" and self.name in bundled()
        plain = self.place in ("library", "bundled") and wrong_name(self.name) is None and not shadowed
        return self.name if plain else str(self.path)


def summary_fields(path: Path, size: int) -> Record:
    """Return the fields of :class:`Entry` that a list reads from a file, without a full check. Never raises."""
    if size > LARGEST_LISTED:
        return {}
    try:
        document = migrate(parse_json(read_bytes(path), path.name), path.name)
    except SessionError as error:
        return {"wrong": str(error)[: 2 * LONGEST_TEXT]}
    return fields_of(document)


def fields_of(document: Mapping[str, Any]) -> Record:
    """Return the fields of :class:`Entry` from a session's JSON. A value of the wrong type counts as missing."""
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
        "findings": sum(len(_items(one.get("findings"))) for one in _items(document.get("fuzzings"))),
    }


def _of_dissections(document: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """Return the ids of runs and variants that dissections made, from JSON as ``model.own_runs`` does from a
    session."""
    found = _items(document.get("dissections"))
    cells = [cell for one in found for cell in _items(one.get("cells"))]
    spent = {id for cell in cells for id in _list(cell.get("runs")) if isinstance(id, str)}
    made = {id for cell in cells if isinstance(id := cell.get("variant"), str)}
    return spent, made - {id for one in found if isinstance(id := one.get("variant"), str)}


def _last(found: list[Mapping[str, Any]], left_out: set[str]) -> Mapping[str, Any]:
    """Return the last item whose id is not in ``left_out``, or the last item if all are."""
    own = [one for one in found if not (isinstance(id := one.get("id"), str) and id in left_out)]
    return (own or found or [{}])[-1]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _items(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in _list(value) if isinstance(one, Mapping)]


def _text(value: Any) -> str | None:
    return value[:LONGEST_TEXT] if isinstance(value, str) else None


def moment(text: str | None) -> datetime | None:
    """Return an ISO 8601 time in UTC, or None for other text."""
    try:
        read = datetime.fromisoformat(text or "")
        return read.replace(tzinfo=read.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def search(entries: Iterable[Entry], text: str) -> list[Entry]:
    """Return the entries that contain every word of ``text`` in name, title, topic, agent, model, verdict or error
    types."""
    words = text.casefold().split()
    return [entry for entry in entries if all(map(entry.words.__contains__, words))]


Mark = tuple[int, int, int, int]
_LARGEST = 32_000_000
_JUDGES = ("language", "oracle", "rules", "session")
"""The packages of planscope that a verdict depends on."""


@with_config(ConfigDict(extra="forbid"))
class Record(TypedDict, total=False):
    """What the index keeps of a file: fields of :class:`Entry`."""

    title: str | None
    created: str | None
    agent: str | None
    model: str | None
    topic: str | None
    runs: int
    variants: int
    findings: int
    outcome: Outcome
    helped: str
    outcomes: Tally
    wrong: str
    checked: bool


def mark_of(status: os.stat_result) -> Mark:
    """Return the state of a file that a record is valid for: device, inode, size and time of change."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@cache
def engine() -> str:
    """Return a hash of planscope's version and its judging code, since a checkout changes without a new version."""
    seen = hashlib.sha256(__version__.encode())
    for part in _JUDGES:
        for path in sorted(Path(str(files("planscope") / part)).glob("*.py")):
            status = path.stat()
            seen.update(f"{path.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return seen.hexdigest()[:32]


class Index:
    """Records by file. Only one thread may use it. If two processes write it, the later one wins."""

    def __init__(self) -> None:
        self._file = locations.cache_folder() / "sessions.json"
        self._records = _read(self._file)
        self._changed = False

    def get(self, mark: Mark) -> Record | None:
        """Return the record of a file, or None if there is none."""
        return self._records.get(mark)

    def put(self, mark: Mark, record: Record) -> None:
        """Keep the record of a file."""
        if self._records.get(mark) != record:
            self._records[mark] = record
            self._changed = True

    def keep_only(self, marks: set[Mark]) -> None:
        """Forget the records of all other files."""
        gone = self._records.keys() - marks
        for mark in gone:
            del self._records[mark]
        self._changed = self._changed or bool(gone)

    def write(self) -> None:
        """Write the index if it has changed. Errors are ignored, since it is only a cache."""
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
                    file.write(json.dumps(document, default=asdict).encode())
                Path(temporary).replace(self._file)
            except OSError:
                Path(temporary).unlink()
        self._changed = False


class _Kept(TypedDict):
    engine: str
    records: list[OnErrorOmit[tuple[int, int, int, int, Record]]]


@cache
def _kept() -> TypeAdapter[_Kept]:
    return TypeAdapter(_Kept)


def _read(path: Path) -> dict[Mark, Record]:
    """Return the valid records for the current code; none if the file is damaged."""
    try:
        with open_regular(path) as file:
            kept = _kept().validate_json(file.read(_LARGEST), strict=True)
    except (OSError, ValueError):
        return {}
    return {(a, b, c, d): record for a, b, c, d, record in kept["records"] if kept["engine"] == engine()}
