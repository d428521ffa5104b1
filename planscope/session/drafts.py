"""Requests that are being written: kept in the state folder meanwhile, so that a crash takes none of them.

A file is one JSON document: the draft as a variant below the one that it began from, of which session, and when. Its
name holds a hash of the path of the session's file, so nothing that stands in it is ever followed; it is read with the
same bounds as a session. A lock says that whoever writes it is alive.
"""

from __future__ import annotations

import json
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from planscope.session.check import check_references
from planscope.session.files import SessionError, read_bytes, write_atomic
from planscope.session.json_bytes import parse_json, without_surrogates
from planscope.session.lock import Lock, holder_of, key
from planscope.session.model import Session, Variant
from planscope.session.places import make_folder, recovery

_SUFFIX = ".draft.json"
_FORMAT = "planscope-draft"


@dataclass(frozen=True, slots=True)
class LeftDraft:
    """A draft that a planscope left behind which is not running any more. ``variant.parent``: what it began from.

    ``path`` is the session's as the file says it, to be shown only.
    """

    file: Path
    path: Path
    session: str
    saved: datetime
    variant: Variant

    def discard(self) -> None:
        """Once it was taken up, or is not wanted."""
        with suppress(OSError):
            self.file.unlink()


class DraftFile:
    """Where one draft of the session at ``path`` is kept while it is written. For one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = recovery() / f"{key(path)}.{secrets.token_hex(4)}{_SUFFIX}"
        self._alive: Lock | None = None

    def keep(self, session: str, draft: Variant) -> None:
        """Write the draft down as it is now; ``session`` is the session's id. Raises :class:`SessionError`."""
        document = {
            "format": _FORMAT,
            "version": 1,
            "path": str(self.path),
            "session": session,
            "saved": datetime.now(UTC).isoformat(),
            "draft": draft.model_dump(mode="json", exclude_none=True),
        }
        make_folder(self._file.parent)
        if self._alive is None:
            self._alive = Lock(self._file, lasting=True)
            self._alive.acquire()
        write_atomic(self._file, json.dumps(without_surrogates(document)).encode())

    def drop(self) -> None:
        """It was kept otherwise, or is not wanted."""
        with suppress(OSError):
            self._file.unlink()
        self.close()

    def close(self) -> None:
        """Its writer leaves: from now on it is found."""
        if self._alive is not None:
            self._alive.release()
            self._alive = None


def left_drafts(path: Path | None = None) -> list[LeftDraft]:
    """Drafts of the session at ``path``, or of all, that nobody writes any more, the newest first. Never raises."""
    prefix = "" if path is None else f"{key(path)}."
    try:
        files = [p for p in recovery().iterdir() if p.name.startswith(prefix)]
    except OSError:
        return []
    found = [left for file in files if file.name.endswith(_SUFFIX) and (left := _read(file)) is not None]
    return sorted(found, key=lambda left: left.saved, reverse=True)


def _read(file: Path) -> LeftDraft | None:
    if holder_of(file) is not None:
        return None
    try:
        said = parse_json(read_bytes(file), str(file))
        if not isinstance(said, dict) or said.get("format") != _FORMAT:
            return None
        saved = datetime.fromisoformat(said["saved"]).astimezone(UTC)
        variant = Variant.model_validate(said["draft"])
        alone = Session(id="draft", title="", variants=[variant.model_copy(update={"parent": None})])
        check_references(alone, str(file))
        return LeftDraft(file, Path(str(said["path"])), str(said["session"]), saved, variant)
    except (SessionError, ValidationError, KeyError, TypeError, ValueError, OverflowError, RecursionError):
        return None
