"""Work that could not be written where it belongs: kept in the state folder, offered at the next opening.

A file is one JSON document: the session, and why, when and for which file it is kept. Its name holds a hash of that
file's path, so nothing that stands in it is ever followed; it is read with the same bounds as a session.
"""

from __future__ import annotations

import json
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from planscope.session.files import SessionError, read_bytes, write_atomic
from planscope.session.json_bytes import DEEPEST, parse_json
from planscope.session.lock import Lock, holder_of, key
from planscope.session.model import Session
from planscope.session.places import make_folder, recovery
from planscope.session.stamp import Stamp, stamp_of
from planscope.session.store import from_document

_SUFFIX = ".recovery.json"


@dataclass(frozen=True, slots=True)
class Recovery:
    """Unsaved work on the session at ``path``. ``why`` it could not be saved is a line for a person.

    ``path`` is the one that was asked about; in a list of all of them it is what the file says, to be shown only.
    ``base`` is the hash of the file that the work began from, None where that was not known.
    """

    file: Path
    path: Path
    saved: datetime
    why: str
    base: str | None

    @property
    def outdated(self) -> bool:
        """The session's file is no longer what this work began from: keep it as a copy rather."""
        now = stamp_of(self.path)
        return (now.digest if now is not None else None) != self.base

    def load(self) -> Session:
        """The session as it was last. Raises :class:`SessionError`."""
        return from_document(_document(self.file)["session"], str(self.file))

    def discard(self) -> None:
        """Throw it away, once it was saved or is not wanted."""
        with suppress(OSError):
            self.file.unlink()


class Journal:
    """The unsaved work of one :class:`~planscope.session.autosave.Keeper`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept = False
        self._file = recovery() / f"{key(path)}.{secrets.token_hex(4)}{_SUFFIX}"
        self._alive: Lock | None = None

    def keep(self, data: bytes, why: str, base: Stamp | None) -> str:
        """Write down a session (its file's bytes); the error to show. Never raises."""
        head = {
            "format": "planscope-recovery",
            "version": 1,
            "path": str(self.path),
            "saved": datetime.now(UTC).isoformat(),
            "why": why,
            "base": base.digest if base is not None else None,
        }
        text = json.dumps(head)[:-1].encode() + b', "session": ' + data + b"}\n"
        try:
            make_folder(self._file.parent)
            if self._alive is None:
                self._alive = Lock(self._file, lasting=True)
                self._alive.acquire()
            write_atomic(self._file, text)
        except SessionError as error:
            return f"{why}; nor could it be kept for recovery: {error}"
        self.kept = True
        return f"{why}; what you did is kept, and offered when you open the session again"

    def drop(self) -> None:
        """What it held is safe elsewhere, or not wanted."""
        with suppress(OSError):
            if self.kept:
                self._file.unlink()
        self.kept = False
        self.close()

    def close(self) -> None:
        """Its writer leaves: from now on it is offered."""
        if self._alive is not None:
            self._alive.release()
            self._alive = None


def recoverable(path: Path) -> Recovery | None:
    """The newest unsaved work on the session at ``path`` that no running planscope still holds."""
    found = [r for file in _files(f"{key(path)}.") if (r := _read(file, path)) is not None]
    return max(found, key=lambda r: r.saved, default=None)


def recoveries() -> list[Recovery]:
    """All unsaved work, the newest first."""
    found = [r for file in _files("") if (r := _read(file, None)) is not None]
    return sorted(found, key=lambda r: r.saved, reverse=True)


def _files(prefix: str) -> list[Path]:
    try:
        return [p for p in recovery().iterdir() if p.name.startswith(prefix) and p.name.endswith(_SUFFIX)]
    except OSError:
        return []


def _read(file: Path, path: Path | None) -> Recovery | None:
    if holder_of(file) is not None:
        return None
    try:
        said = _document(file)
        saved = datetime.fromisoformat(said["saved"])
        base = said["base"] if isinstance(said["base"], str) else None
        return Recovery(file, path or Path(str(said["path"])), saved.astimezone(UTC), str(said["why"]), base)
    except (SessionError, KeyError, TypeError, ValueError, OverflowError):
        return None


def _document(file: Path) -> dict[str, Any]:
    said = parse_json(read_bytes(file), str(file), deepest=DEEPEST + 1)
    if not isinstance(said, dict) or said.get("format") != "planscope-recovery" or "session" not in said:
        raise SessionError(f"{file} holds nothing that could be recovered")
    return said
