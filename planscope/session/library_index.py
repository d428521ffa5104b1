"""What was found out about session files, kept so that a list of a thousand opens at once.

A record holds for one file as it is (device, inode, size, time of change) and one engine; else it counts for nothing.
It is a list's only source of verdicts that were not computed just now, and of nothing else: opening a session judges it
anew. The index lies in the cache folder and can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from dataclasses import fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from planscope import __version__
from planscope.oracle.verdict_types import VERDICTS
from planscope.session import places
from planscope.session.files import open_regular
from planscope.session.library_entry import Outcomes

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
        self._file = places.cache() / "sessions.json"
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
