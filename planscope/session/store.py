"""Sessions in files: ``name.planscope.json``, or the same with ``.gz``."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from planscope.session.check import check_references
from planscope.session.files import SessionError, parse_json, read_bytes, without_surrogates, write_atomic
from planscope.session.migrations import migrate
from planscope.session.model import Session

__all__ = ["SessionError", "dumps", "load", "loads", "save"]


def loads(data: bytes, name: str = "the input") -> Session:
    """A session from the bytes of a file. Raises :class:`SessionError` with one line."""
    document = migrate(parse_json(data, name), name)
    try:
        session = Session.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise SessionError(f"{name} is not a valid session: {where}: {first['msg']}{more}") from None
    except RecursionError:
        raise SessionError(f"{name} is nested too deeply to be a session") from None
    check_references(session, name)
    return session


def load(path: Path) -> Session:
    """A session from a file. Raises :class:`SessionError` with one line."""
    return loads(read_bytes(path), str(path))


def dumps(session: Session) -> bytes:
    """A session as the bytes of a file: readable JSON, a line a field."""
    document = without_surrogates(session.model_dump(mode="json", exclude_none=True))
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()


def save(session: Session, path: Path) -> None:
    """Write a session; the old file stays whole until the new one is. Raises :class:`SessionError`."""
    write_atomic(path, dumps(session))
