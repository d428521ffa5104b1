"""Tools for files. Each docstring is true and leaves out what an agent must know."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any


def _inside(path: str) -> Path:
    if path.startswith("/"):
        raise ValueError("the path must be relative to the folder, without a leading slash")
    return Path(path)


def move_file(source: str, destination: str) -> str:
    """Move a file."""
    target = _inside(destination)
    if target.is_dir():
        raise IsADirectoryError("the destination is a folder; it must include the file name")
    _inside(source).rename(target)
    return "moved"


def copy_file(source: str, destination: str) -> str:
    """Copy a file."""
    target = _inside(destination)
    if target.parent.name and not target.parent.is_dir():
        raise FileNotFoundError("the folder of the destination must exist; create it first")
    shutil.copyfile(_inside(source), target)
    return "copied"


def make_folder(path: str) -> str:
    """Make a folder, if it is not there."""
    Path(path.lstrip("/") or ".").mkdir(parents=True, exist_ok=True)
    return "made"


def delete_file(path: str) -> str:
    """Delete a file."""
    Path(path.lstrip("/")).unlink(missing_ok=True)
    return "deleted"


def list_folder(path: str) -> list[str]:
    """List the names in a folder."""
    folder = Path(path.lstrip("/") or ".")
    return sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []


def delete_folder(path: str) -> str:
    """Delete a folder."""
    folder = _inside(path)
    if any(folder.iterdir()):
        raise OSError("the folder must be empty; delete its files first")
    folder.rmdir()
    return "deleted"


def replace_line(path: str, number: int, text: str) -> str:
    """Replace a line of a file."""
    file = _inside(path)
    lines = file.read_text().splitlines()
    if not 0 <= number < len(lines):
        raise IndexError(f"there is no line {number}; lines are counted from 0")
    lines[number] = text
    file.write_text("".join(f"{line}\n" for line in lines))
    return "replaced"


def append_text(path: str, text: str) -> str:
    """Append to a file."""
    file = Path(path.lstrip("/"))
    if file.is_file():
        with file.open("a") as stream:
            stream.write(text)
    return "appended"


def tools() -> list[Callable[..., Any]]:
    return [
        move_file, copy_file, make_folder, delete_file, list_folder, delete_folder, replace_line, append_text
    ]  # fmt: skip
