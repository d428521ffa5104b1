"""Remembers which sessions the debugger opened last and where each was left, so that it can continue there."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from platformdirs import user_state_path

from planscope.session.containers import is_passing
from planscope.session.files import open_regular, write_atomic

MOST = 12
"""The number of sessions that are remembered."""

_LARGEST, _LONGEST = 100_000, 4000
"""The limits for the file in bytes, and for a text in it in code points."""


class Left(NamedTuple):
    """A session that was open, the id of the displayed run or "", and the step as commands name it, or ""."""

    path: Path
    run: str = ""
    step: str = ""


def _file() -> Path:
    return user_state_path("planscope") / "recent.json"


def recent() -> list[Left]:
    """Return the sessions that were opened last and still exist, the last first. Never raises."""
    return [left for left in _read() if _exists(left.path)]


def remember(path: Path, run: str = "", step: str = "") -> None:
    """Note that a session was opened, or left at a run and a step. Never raises, since nothing depends on it."""
    if is_passing(path):
        return
    here = Left(Path(os.path.abspath(path)), run[:_LONGEST], step[:_LONGEST])  # noqa: PTH100, links stay
    rest = [left for left in _read() if left.path != here.path and _exists(left.path)]
    entries = [{"path": str(one.path), "run": one.run, "step": one.step} for one in (here, *rest)]
    with suppress(OSError, ValueError):
        file = _file()
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomic(file, json.dumps({"sessions": entries[:MOST]}, indent=1).encode())


def _exists(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _read() -> list[Left]:
    try:
        with open_regular(_file()) as file:
            found = json.loads(file.read(_LARGEST))["sessions"]
        return [left for one in found[:MOST] if (left := _left(one)) is not None]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):  # it is only a convenience
        return []


def _left(one: Any) -> Left | None:
    found = [one.get(name) for name in ("path", "run", "step")] if isinstance(one, dict) else []
    texts = [text for text in found if isinstance(text, str) and len(text) <= _LONGEST]
    if len(texts) != 3:
        return None
    path, run, step = texts
    return Left(Path(path), run, step) if path and "\0" not in path else None
