"""Sessions in files: ``name.planscope.json``, or the same with ``.gz``; and read out of what carries one."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from planscope.session.carriers import carried, is_session_file
from planscope.session.check import check_references, check_sizes
from planscope.session.files import SessionError, read_bytes, writable_target, write_atomic
from planscope.session.json_bytes import (
    WIDEST,
    check_writable,
    json_text,
    parse_json,
    visible_json,
    without_surrogates,
)
from planscope.session.lock import Lock
from planscope.session.migrations import migrate
from planscope.session.model import Session
from planscope.session.recordings import any_recordings, complete, recordings, with_recordings
from planscope.session.stamp import Stamp, check_unchanged

_NO_NUMBER = re.compile("NaN|Infinity")
"""As pydantic writes them; no JSON."""


def loads(data: bytes, name: str = "the input") -> Session:
    """A session from the bytes of a file, or of what carries one. Raises :class:`SessionError` with one line."""
    return from_document(parse_json(carried(data, name), name), name)


def from_document(document: Any, name: str) -> Session:
    """A session from the JSON of a file. Raises :class:`SessionError` with one line."""
    document = migrate(document, name)
    try:
        session = Session.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise SessionError(f"{name} is not a valid session: {where}: {first['msg']}{more}") from None
    except RecursionError:
        raise SessionError(f"{name} is nested too deeply to be a session") from None
    check_sizes(session, name)
    check_references(session, name)
    return session


def load(path: Path, parsed: Any = None) -> Session:
    """A session from a file, with the runs that are being recorded for it, or were until a crash.

    ``parsed``: the file's JSON, where it was read already. Raises :class:`SessionError` with one line.
    """
    found = recordings(path)  # first: what is settled meanwhile is in the file
    if parsed is not None and not found:
        return from_document(parsed, str(path))
    if not found:
        return loads(read_bytes(path), str(path))
    session = with_recordings(loads(read_bytes(path), str(path)) if path.exists() else None, found)
    check_sizes(session, str(path))
    return session


def settle(path: Path, *, held: bool = False, into: Path | None = None) -> None:
    """Put the runs whose recordings are complete into the session's file. ``held``: its lock is the caller's.

    ``into``: into another file, where that one cannot have them.
    Raises :class:`SessionError` as :func:`save`; then the recordings stay, and are read with the session.
    """
    if not any_recordings(path):
        return
    place = writable_target(into or path)
    with nullcontext() if held else Lock(place), complete(path) as found:
        session = loads(read_bytes(place), str(place)) if place.exists() else None
        if session is None:
            found = (
                found if into is not None else recordings(path)
            )  # so that it is seen that something is recorded
        if not found:
            return
        write_atomic(place, dumps(with_recordings(session, found)))


def dumps(session: Session) -> bytes:
    """A session as the bytes of a file: readable JSON, a line a field; whatever is read from it is equal.

    Raises :class:`SessionError` for what could not be read again: not a number (NaN), lists too deep in one another,
    numbers too long, more than a file may hold.
    """
    check_sizes(session, "the session")
    try:
        text = session.model_dump_json(indent=1, exclude_none=True)
        if not _NO_NUMBER.search(text) and sys.getsizeof(text) <= WIDEST:
            return _bytes(visible_json(text) + "\n")
    except (ValueError, RecursionError):
        pass  # what pydantic cannot write of halves of surrogate pairs and deep lists, the other way can, or says why
    try:
        return encoded(session.model_dump(mode="json", exclude_none=True))
    except ValueError as error:  # of pydantic: something that holds itself
        raise SessionError(f"the session cannot be written: {error}") from None


def encoded(document: Any) -> bytes:
    """A session's JSON as the bytes of a file; raises as :func:`dumps`."""
    try:
        document = without_surrogates(document)
        text = json_text(document)
        if sys.getsizeof(text) > WIDEST:
            text = json_text(document, ascii_only=True)
        return _bytes(text)
    except RecursionError:
        raise SessionError("the session is nested too deeply to be written") from None
    except ValueError as error:
        raise SessionError(f"the session cannot be written: {error}") from None


def _bytes(text: str) -> bytes:
    data = text.encode()
    check_writable(data)
    return data


def save(session: Session, path: Path, *, unless_changed: Stamp | None = None) -> None:
    """Write a session; the old file stays whole until the new one is.

    ``unless_changed``: what the file was when it was read (:func:`~planscope.session.stamp.stamp_of`). Raises
    :class:`SessionError`; of its kinds ``Held`` where somebody else writes to it (their lock is waited for, if only for
    a moment), and ``Changed``.
    """
    if not is_session_file(path):
        raise SessionError(
            f"{path} is a page or a test, not a session file; name another file (NAME.planscope.json)"
        )
    data, place = dumps(session), writable_target(path)
    with Lock(place):
        if unless_changed is not None:
            check_unchanged(place, unless_changed)
        write_atomic(place, data)
