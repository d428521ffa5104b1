"""Where a session is saved, and what of the screen goes into it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.debugger.cursor import cursor_record
from planscope.session.bundled import is_bundled
from planscope.session.carriers import is_session_file
from planscope.session.naming import name_of, suffix_of
from planscope.session.places import library
from planscope.tui.state import RoomState

if TYPE_CHECKING:
    from planscope.session.model import Session


def place_for(path: Path) -> Path:
    """Where to save what was opened from ``path``: there, or in the library if it is a page or not to be written to."""
    writable = os.access(path if path.exists() else path.parent, os.W_OK)
    if writable and not is_bundled(path) and is_session_file(path):
        return path
    return library() / f"{name_of(path)}{suffix_of(path)}"


def kept(state: RoomState) -> dict[str, object]:
    """What is saved of the screen's state, as fields of the session."""
    run = state.run
    record: dict[str, object] = dict(cursor_record(state.debug))
    if run is not None:
        record["run"] = run.id
    return {
        "breakpoints": _texts(state.breakpoints, state.strange_breakpoints),
        "watches": _texts(state.watches, state.strange_watches),
        "cursor": record,
    }


def _texts(made: Sequence[object], strange: Sequence[str]) -> list[str]:
    return [*map(str, made), *strange]


def save_state(session: Session, fields: dict[str, object], path: Path) -> Path:
    """Save the session with what the screen keeps; says where. Raises ``SessionError``."""
    from planscope.session.store import save

    place = place_for(path)
    save(session.model_copy(update=fields), place)
    return place
