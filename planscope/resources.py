"""Finds the files that ship with planscope: inside the package in a wheel, at the top of a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def shipped(folder: str) -> Path:
    """Return the path of the folder ``themes`` or ``sessions``, which may be missing in a broken installation."""
    packaged = _PACKAGE / "data" / folder
    return packaged if packaged.is_dir() else _PACKAGE.parent / folder
