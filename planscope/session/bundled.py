"""The sessions that ship with planscope, by name."""

from __future__ import annotations

from pathlib import Path

from planscope.resources import shipped

SUFFIXES = (".planscope.json", ".planscope.json.gz")
DEFAULT = "first-look"
"""The one that opens when no file is named: a failing run of five actions."""


def bundled() -> dict[str, Path]:
    """Name and file of every bundled session, in order of names."""
    folder = shipped("sessions")
    return {
        path.name.removesuffix(suffix): path
        for suffix in SUFFIXES
        for path in sorted(folder.glob(f"*{suffix}"))
    }


def is_bundled(path: Path) -> bool:
    """Is this one of the files that ship with planscope, not to be written to?"""
    try:
        return path.resolve().parent == shipped("sessions").resolve()
    except (OSError, ValueError, RuntimeError):  # RuntimeError: a link that leads to itself
        return False
