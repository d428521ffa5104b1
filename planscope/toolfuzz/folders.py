"""A folder of the user's for tools: they get a copy under its own path, which each child finds as it was."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from planscope.errors import UserError
from planscope.toolfuzz.namespaces import is_key
from planscope.toolfuzz.sandbox import empty

LARGEST = 2**30
ORIGIN, COPY = "origin", "copy"
"""Names in the scratch folder: what is never changed, and what tools get."""


def copy_folder(source: Path, scratch: Path) -> None:
    """Copy a folder into the scratch folder, twice. Keys, sockets and FIFOs are left out. Raises UserError."""
    if not source.is_dir():
        raise UserError(f"--folder: {source} is not a folder")
    size = 0
    for path, _, names in os.walk(source):
        for name in names:
            with suppress(FileNotFoundError):  # it is gone by now
                size += os.lstat(Path(path, name)).st_size
        if size > LARGEST:
            raise UserError(f"--folder: {source} has more than {LARGEST // 2**30} GB; name a smaller one")
    try:
        shutil.copytree(source, scratch / ORIGIN, symlinks=True, ignore=_left_out)
        shutil.copytree(scratch / ORIGIN, scratch / COPY, symlinks=True)
    except OSError as error:
        raise UserError(f"--folder: {source} cannot be copied: {error}") from None


def _left_out(folder: str, names: list[str]) -> list[str]:
    modes = {name: os.lstat(Path(folder, name)).st_mode for name in names}
    plain = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)
    return [
        name
        for name, mode in modes.items()
        if not any(one(mode) for one in plain) or is_key(name.casefold(), stat.S_ISDIR(mode))
    ]


class FolderCopy:
    """The copy, at ``place``. ``origin`` is never changed."""

    def __init__(self, place: Path, origin: Path) -> None:
        self.place, self.origin = place, origin
        self._as_it_was = self._print()

    def reset(self) -> None:
        """Make the copy as the user's folder was, if it was changed."""
        if self._print() != self._as_it_was:
            empty(self.place)
            shutil.copytree(self.origin, self.place, symlinks=True, dirs_exist_ok=True)
            self._as_it_was = self._print()

    def _print(self) -> set[tuple[str, int, int, int]]:
        found = set()
        for path, folders, names in os.walk(self.place):
            for one in (f"{path}{os.sep}{name}" for name in (*folders, *names)):
                told = os.lstat(one)
                found.add(
                    (one, told.st_mode, told.st_size, told.st_mtime_ns if stat.S_ISREG(told.st_mode) else 0)
                )
        return found
