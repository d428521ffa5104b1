"""Where the files that ship with planscope lie: beside the code in a wheel, at the top of a checkout."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def shipped(folder: str) -> Path:
    """The folder ``themes`` or ``sessions``; it may be missing in a broken installation."""
    packaged = Path(str(files("planscope"))) / "data" / folder
    return packaged if packaged.is_dir() else Path(str(files("planscope"))).parent / folder
