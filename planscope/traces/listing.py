"""Names formats, and finds the newest session of a coding agent on this machine."""

from __future__ import annotations

import os
from pathlib import Path

from planscope.traces.opening import own_readers
from planscope.traces.source import Unreadable


def format_title(name: str) -> str:
    """Return the name of a format for people."""
    return next((reader.title for reader in own_readers() if reader.name == name), name)


_SESSIONS = {
    "claude": ("CLAUDE_CONFIG_DIR", ".claude", ("projects/*/*.jsonl",)),
    "codex": (
        "CODEX_HOME",
        ".codex",
        ("sessions/**/rollout-*.jsonl", "sessions/**/rollout-*.jsonl.zst", "archived_sessions/*.jsonl*"),
    ),
    "gemini": ("", ".gemini", ("tmp/*/chats/*.json", "tmp/*/chats/*.jsonl")),
}
"""Where coding agents keep their sessions: a variable that names the folder, the folder in the user's own, files."""


def newest(agent: str) -> Path:
    """Return the file of the newest session of a coding agent. Raises Unreadable if there is none."""
    variable, own, patterns = _SESSIONS[agent]
    folder = Path(os.environ.get(variable) or Path.home() / own)
    best: tuple[float, Path] | None = None
    try:
        for pattern in patterns:
            for path in folder.glob(pattern):
                if path.name.startswith("agent-") or not path.is_file():
                    continue
                age = path.stat().st_mtime
                if best is None or age > best[0]:
                    best = (age, path)
    except OSError as error:
        raise Unreadable(f"{folder} cannot be read: {error.strerror or error}") from None
    if best is None:
        raise Unreadable(f"there is no session of {agent} in {folder}; name a file")
    return best[1]
