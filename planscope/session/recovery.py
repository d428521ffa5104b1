"""Keeps unsaved work in the state folder, and offers it when its session is opened again.

There are three kinds: sessions that could not be written to their file, queries that were being edited, and, all in one
file, the texts of rules and of a new query. Each file is one JSON document, read with the same limits as a session. The
name of the first two holds a hash of the session's path, so that a path inside it is never followed. A lock says that
its writer is still running.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from planscope.frozen import frozen
from planscope.session.files import Fingerprint, SessionError, fingerprint_of, read_bytes, write_atomic
from planscope.session.json_bytes import DEEPEST, parse_json, without_surrogates
from planscope.session.locations import make_folder, recovery_folder
from planscope.session.lock import Lock, holder_of, path_key
from planscope.session.model import Session, Variant
from planscope.session.validation import check_references, from_document

_SESSION, _DRAFT = ".recovery.json", ".draft.json"
"""The ends of file names, by kind."""

_SESSION_FORMAT, _DRAFT_FORMAT, _TEXTS_FORMAT = "planscope-recovery", "planscope-draft", "planscope-texts"


@frozen
class _Left:
    """Work that a planscope left behind when it ended. In a list of all, ``path`` comes from the file and is only for
    display."""

    file: Path
    path: Path
    saved: datetime

    def discard(self) -> None:
        """Delete the file. Called when the work is saved, taken up or unwanted."""
        with suppress(OSError):
            self.file.unlink()


@frozen
class Recovery(_Left):
    """A session that could not be saved to ``path``. ``why`` is one line for a person.

    ``base`` is the SHA-256 of the session's file that the work began from; None if there was none.
    """

    why: str
    base: str | None

    @property
    def outdated(self) -> bool:
        """Whether the session's file has changed since this work began; then it is better kept as a copy."""
        now = fingerprint_of(self.path)
        return (now.digest if now is not None else None) != self.base

    def load(self) -> Session:
        """The unsaved session. Raises :class:`SessionError`."""
        return from_document(_said(self.file, _SESSION_FORMAT)["session"], str(self.file))


@frozen
class LeftDraft(_Left):
    """A query that was still being edited. ``variant.parent`` is the variant that it began from; ``session`` is the
    session's id."""

    session: str
    variant: Variant


class _StateFile:
    """One writer's file in the state folder. Other processes ignore it until the writer closes it or ends."""

    suffix: str

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept = False
        """Whether there is unsaved work in it."""
        self._file = recovery_folder() / f"{path_key(path)}.{secrets.token_hex(4)}{self.suffix}"
        self._alive: Lock | None = None

    def write(self, form: str, inner: str, data: bytes, **fields: str | None) -> None:
        """Replace the file's content. ``data`` is the JSON of its member ``inner``. Raises :class:`SessionError`."""
        head = {"format": form, "version": 1, "path": str(self.path), "saved": datetime.now(UTC).isoformat()}
        make_folder(self._file.parent)
        if self._alive is None:
            self._alive = Lock(self._file, lasting=True)
            self._alive.acquire()
        written = json.dumps(without_surrogates({**head, **fields}))[:-1]
        write_atomic(self._file, f'{written}, "{inner}": '.encode() + data + b"}\n")
        self.kept = True

    def drop(self) -> None:
        """Delete the file. Called when the work is saved elsewhere or unwanted."""
        self.kept = False
        with suppress(OSError):
            self._file.unlink()
        self.close()

    def close(self) -> None:
        """Mark the writer as ended, so that other processes may recover its work."""
        if self._alive is not None:
            self._alive.release()
            self._alive = None


class RecoveryFile(_StateFile):
    """The unsaved work of one :class:`~planscope.session.writer.SessionWriter`."""

    suffix = _SESSION

    def keep(self, data: bytes, why: str, base: Fingerprint | None) -> str:
        """Keep a session, given as the bytes of its file. Never raises; returns the error to display."""
        digest = base.digest if base is not None else None
        try:
            self.write(_SESSION_FORMAT, "session", data, why=why, base=digest)
        except SessionError as error:
            return f"{why}; it could not be kept for recovery either: {error}"
        return f"{why}; your changes are kept, and offered when you open the session again"


class DraftFile(_StateFile):
    """Keeps one draft of the session at ``path`` while it is edited. For one thread at a time."""

    suffix = _DRAFT

    def keep(self, session: str, draft: Variant) -> None:
        """Keep the draft as it is now. ``session`` is the session's id. Raises :class:`SessionError`."""
        document = without_surrogates(draft.model_dump(mode="json", exclude_none=True))
        self.write(_DRAFT_FORMAT, "draft", json.dumps(document).encode(), session=session)


def recoverable(path: Path) -> Recovery | None:
    """Return the newest unsaved work on the session at ``path``, but not that of a planscope that is still running."""
    found = [r for file in _abandoned(_SESSION, path) if (r := _recovery(file, path)) is not None]
    return max(found, key=lambda r: r.saved, default=None)


def recoveries() -> list[Recovery]:
    """Return the unsaved work on all sessions, the newest first."""
    found = [r for file in _abandoned(_SESSION) if (r := _recovery(file)) is not None]
    return sorted(found, key=lambda r: r.saved, reverse=True)


def left_drafts(path: Path | None = None) -> list[LeftDraft]:
    """Return drafts of the session at ``path``, or of all sessions, that no running planscope edits, the newest
    first.

    Never raises.
    """
    found = [draft for file in _abandoned(_DRAFT, path) if (draft := _left_draft(file)) is not None]
    return sorted(found, key=lambda draft: draft.saved, reverse=True)


def left_texts() -> dict[str, str]:
    """Return the texts that were kept: rules by the id of their session; a new query by "". Never raises."""
    try:
        return {str(key): str(text) for key, text in _said(_texts(), _TEXTS_FORMAT)["texts"].items()}
    except (*_BROKEN, OSError, AttributeError):
        return {}


def keep_texts(texts: Mapping[str, str], taken: Iterable[str]) -> None:
    """Keep texts beside those that were kept before, without those under the keys ``taken``. Never raises."""
    kept = {key: text for key, text in left_texts().items() if key not in taken} | dict(texts)
    with suppress(OSError, SessionError):
        if kept:
            make_folder(_texts().parent)
            document = without_surrogates({"format": _TEXTS_FORMAT, "version": 1, "texts": kept})
            write_atomic(_texts(), json.dumps(document).encode())
        else:
            _texts().unlink(missing_ok=True)


def _texts() -> Path:
    return recovery_folder() / "texts.json"


def _abandoned(suffix: str, path: Path | None = None) -> list[Path]:
    """Return the files of one kind whose writer has ended."""
    prefix = "" if path is None else f"{path_key(path)}."
    try:
        names = [
            p for p in recovery_folder().iterdir() if p.name.startswith(prefix) and p.name.endswith(suffix)
        ]
    except OSError:
        return []
    return [p for p in names if holder_of(p) is None]


def _said(file: Path, form: str) -> dict[str, Any]:
    """Return the JSON of a file of this format. Raises :class:`SessionError`."""
    said = parse_json(read_bytes(file), str(file), deepest=DEEPEST + 1)
    if not isinstance(said, dict) or said.get("format") != form:
        raise SessionError(f"{file} has nothing to recover")
    return said


_BROKEN = (SessionError, ValidationError, KeyError, TypeError, ValueError, OverflowError, RecursionError)


def _recovery(file: Path, path: Path | None = None) -> Recovery | None:
    try:
        said = _said(file, _SESSION_FORMAT)
        saved = datetime.fromisoformat(said["saved"]).astimezone(UTC)
        base = said["base"] if isinstance(said["base"], str) else None
        return Recovery(file, path or Path(str(said["path"])), saved, str(said["why"]), base)
    except _BROKEN:
        return None


def _left_draft(file: Path) -> LeftDraft | None:
    try:
        said = _said(file, _DRAFT_FORMAT)
        saved = datetime.fromisoformat(said["saved"]).astimezone(UTC)
        variant = Variant.model_validate(said["draft"])
        alone = Session(id="draft", title="", variants=[variant.model_copy(update={"parent": None})])
        check_references(alone, str(file))
        return LeftDraft(file, Path(str(said["path"])), saved, str(said["session"]), variant)
    except _BROKEN:
        return None
