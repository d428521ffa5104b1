"""Finds folders and names of sessions: the user's library, the bundled sessions, and the file that a typed name
means.

All folders of the user are where the system keeps such files (platformdirs; on Linux variables such as
``XDG_DATA_HOME`` move them).
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

from platformdirs import user_cache_path, user_data_path, user_state_path

from planscope.errors import UserError
from planscope.resources import shipped
from planscope.safe import visible
from planscope.session.containers import CONTAINER_SUFFIXES, holds_session
from planscope.session.files import SessionError, recordings_of

SUFFIXES = (".planscope.json", ".planscope.json.gz")
DEFAULT = "first-look"
"""The session that opens by default: a failing run of five actions."""


def bundled() -> dict[str, Path]:
    """Return the bundled sessions' files by name, sorted."""
    folder = shipped("sessions")
    return {
        path.name.removesuffix(suffix): path
        for suffix in SUFFIXES
        for path in sorted(folder.glob(f"*{suffix}"))
    }


def is_bundled(path: Path) -> bool:
    """Return whether the file ships with planscope, and so must not be written to."""
    try:
        return path.resolve().parent == shipped("sessions").resolve()
    except (OSError, ValueError, RuntimeError):  # a link that leads to itself raises RuntimeError
        return False


def library_folder() -> Path:
    """The folder of the user's own sessions."""
    return user_data_path("planscope") / "sessions"


def campaigns_folder() -> Path:
    """The folder of the user's campaigns."""
    return user_data_path("planscope") / "campaigns"


def trash_folder() -> Path:
    """The folder of deleted sessions, on the same disk as the library."""
    return user_data_path("planscope") / "trash"


def locks_folder() -> Path:
    """The folder of lock files. They are not beside the sessions, because those folders may be shared."""
    return user_state_path("planscope") / "locks"


def recovery_folder() -> Path:
    """The folder of unsaved work."""
    return user_state_path("planscope") / "recovery"


def cache_folder() -> Path:
    """The folder of caches, which can be deleted at any time."""
    return user_cache_path("planscope")


def make_folder(folder: Path) -> Path:
    """Make one of these folders if it is missing, readable only by the user. Raises :class:`SessionError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SessionError(f"the folder {folder} cannot be created: {error.strerror or error}") from None
    return folder


_NAMED = 6
LONGEST = 120
"""The limit for a name in bytes; with suffix and number it stays below the 255 of file systems."""

_NEVER = frozenset('/\\:*?"<>|')
"""Characters that no name may contain, so that a library can be moved to any system."""

_TRASHED = re.compile(r"(.+)~([0-9]{8}T[0-9]{6})-[0-9a-f]{6}", re.DOTALL)
_WHEN = "%Y%m%dT%H%M%S"


def name_of(path: Path) -> str:
    """Return the file's name without the suffix of sessions, pages and tests."""
    for suffix in (*SUFFIXES, *CONTAINER_SUFFIXES):
        if path.name.endswith(suffix) and path.name != suffix:
            return path.name.removesuffix(suffix)
    return path.name


def suffix_of(path: Path) -> str:
    """Return ``.planscope.json.gz`` if the name ends so, else ``.planscope.json``."""
    return next((s for s in reversed(SUFFIXES) if path.name.endswith(s)), SUFFIXES[0])


def in_library(name: str) -> Path | None:
    """Return the file of the library's session with that name."""
    if not name or wrong_name(name):
        return None
    return next((p for s in SUFFIXES if os.path.lexists(p := library_folder() / f"{name}{s}")), None)


def wrong_name(name: str) -> str | None:
    """Return the reason why no session of the library can have that name, or None if one can."""
    if not name or name != name.strip():
        return "it is empty, or begins or ends with a blank"
    if name.startswith((".", "-", "~")):
        return f"it begins with {name[0]!r}"
    if _NEVER & set(name):
        return f"it contains {min(_NEVER & set(name))!r}"
    if any(unicodedata.category(c)[0] in "CZ" and c != " " for c in name):
        return "it contains invisible characters"
    if len(name.encode("utf-8")) > LONGEST:
        return f"it is longer than {LONGEST} bytes"
    return None


def checked_name(name: str) -> str:
    """Return the name in Unicode's form NFC. Raises :class:`SessionError` if it is not allowed."""
    bare = unicodedata.normalize("NFC", name_of(Path(name)) if "/" not in name else name)
    why = wrong_name(bare)
    if why is not None:
        raise SessionError(f"{name[:LONGEST]!r} cannot be a session's name: {why}")
    return bare


def free_name(wanted: str, taken: Collection[str] = ()) -> str:
    """Return the name, followed by ``-2``, ``-3``, ... if the library or a bundled session has it already."""
    stem = _tidy(wanted)
    shipped, number, name = bundled(), 1, stem
    while name in shipped or name in taken or in_library(name) is not None:
        number += 1
        name = f"{stem}-{number}"
    return name


def free_path(path: Path, name: str | None = None) -> Path:
    """Return the library's file for a copy of ``path``, under ``name`` or by default under its own name if that is
    free."""
    return library_folder() / f"{name or free_name(name_of(path))}{suffix_of(path)}"


def _tidy(wanted: str) -> str:
    """Return a similar name that is allowed, since files may have any name."""
    kept = "".join(
        "-" if c in _NEVER or (unicodedata.category(c)[0] in "CZ" and c != " ") else c
        for c in unicodedata.normalize("NFC", wanted)
    )
    stem = kept.encode("utf-8")[:LONGEST].decode("utf-8", "ignore").strip().lstrip(".-~").strip()
    return stem if stem and wrong_name(stem) is None else "session"


def resolve(name: str | Path) -> Path:
    """Return the file that a typed argument means. Raises :class:`SessionError`.

    The argument is looked up as a path, then as a bundled session's name, then as a name in the library. So the names
    in the documentation mean the same for everybody.
    """
    path = Path(name)
    if path.exists() or recorded(path):
        return path
    found = bundled().get(str(name)) or in_library(str(name))
    if found is not None:
        return found
    from difflib import get_close_matches

    shipped, mine = list(bundled()), library_names()
    near, own = (get_close_matches(str(name), names, 3, 0.6) for names in (shipped, mine))
    some = ", ".join(near or shipped[:_NAMED]) + (
        ", ..." if len(shipped) > len(near or shipped[:_NAMED]) else ""
    )
    more = (
        f", nor in your library (is it {' or '.join(own)}?)"
        if own
        else ", nor in your library"
        if mine
        else ""
    )
    raise SessionError(
        f"there is no file {path}, nor a bundled session of that name ({some}){more}; see: planscope sessions list"
    )


def recorded(path: Path) -> bool:
    """Return whether recordings for the session exist, even if its file is not written yet."""
    try:
        return any(recordings_of(path).iterdir())
    except (OSError, ValueError, RuntimeError):
        return False


def library_names() -> list[str]:
    """Return the names of the library's sessions; none if the folder cannot be read."""
    try:
        found = [one.name for one in os.scandir(library_folder()) if one.name.endswith(SUFFIXES)]
    except OSError:
        return []
    return sorted(n for n in map(name_of, map(Path, found)) if wrong_name(n) is None)


def trashed(path: Path) -> str:
    """Return a session's file name in the trash: its name, the time of deletion, and a random part."""
    import secrets

    return f"{name_of(path)}~{datetime.now(UTC).strftime(_WHEN)}-{secrets.token_hex(3)}{suffix_of(path)}"


def before_trash(path: Path) -> tuple[str, datetime | None]:
    """Return the former name of a session in the trash, and when it was deleted."""
    found = _TRASHED.fullmatch(name_of(path))
    if found is None:
        return name_of(path), None
    try:
        return found[1], datetime.strptime(found[2], _WHEN).replace(tzinfo=UTC)
    except ValueError:
        return found[1], None


def session_at(name: str) -> Path | None:
    """Return the file of the session of that name, or None for a file, a folder or a glob of traces. Raises
    UserError."""
    if not name:
        raise UserError("the name is empty; name a session or a file")
    path = Path(name)
    try:
        if os.path.lexists(name):
            if not path.is_file():  # a folder; or a device or pipe, which could make reading wait for ever
                return None
            with path.open("rb") as file:
                held = holds_session(file)
            sure = held or name.endswith((*SUFFIXES, *CONTAINER_SUFFIXES)) or recorded(path)
            return path if sure else None
        return resolve(name)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"{visible(name, limit=200)} cannot be read: {why}") from None
    except UserError:
        if any(sign in name for sign in "*?["):
            return None
        raise
