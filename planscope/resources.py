"""Where the files that ship with planscope lie: beside the code in a wheel, at the top of a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def shipped(folder: str) -> Path:
    """The folder ``themes`` or ``sessions``; it may be missing in a broken installation."""
    packaged = _PACKAGE / "data" / folder
    return packaged if packaged.is_dir() else _PACKAGE.parent / folder
