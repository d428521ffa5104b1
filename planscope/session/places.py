"""Where planscope keeps what is the user's: sessions, what was deleted, what can be recovered, what can be made again.

All of it lies in the folders that the system has for that (platformdirs; ``XDG_DATA_HOME`` and the like rule on Linux).
"""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_cache_path, user_data_path, user_state_path

from planscope.session.files import SessionError


def library() -> Path:
    """The user's own sessions."""
    return user_data_path("planscope") / "sessions"


def trash() -> Path:
    """Sessions that were deleted from the library, until the trash is emptied. On the same disk as the library."""
    return user_data_path("planscope") / "trash"


def locks() -> Path:
    """A file for each session that is being written: never beside the session, whose folder may be shared."""
    return user_state_path("planscope") / "locks"


def recovery() -> Path:
    """Work that could not be written to where it belongs."""
    return user_state_path("planscope") / "recovery"


def cache() -> Path:
    """What can be made again at any time."""
    return user_cache_path("planscope")


def make_folder(folder: Path) -> Path:
    """One of these folders, made where it is missing, for the user alone. Raises :class:`SessionError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SessionError(f"the folder {folder} cannot be made: {error.strerror or error}") from None
    return folder
