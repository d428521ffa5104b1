"""Extensions: what other installed packages add by entry points (``planscope.traces``, ``planscope.models``,
``planscope.themes``). One that does not work is one line, and everything else goes on."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

WHAT = {"planscope.traces": "trace reader", "planscope.models": "models", "planscope.themes": "themes"}
"""The groups, each with what its entry points add, in words."""


@cache
def entries(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group, the first of each name. None is imported."""
    if not _any_named():
        return ()
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        found.setdefault(entry.name, entry)
    return tuple(found.values())


def _any_named() -> bool:
    """Return whether an installed package may have entry points for planscope.

    Importing ``importlib.metadata`` and asking it takes 35 ms, an eighth of a short command; a look into
    the files takes two. It is asked wherever packages may be elsewhere than in folders on the path.
    """
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        return True
    for place in sys.path:
        try:
            with os.scandir(place or ".") as entries:
                found = [
                    one.path for one in entries if one.name.endswith((".dist-info", ".egg-info", ".egg"))
                ]
        except FileNotFoundError:
            continue
        except OSError:  # an archive, for example
            return True
        for file in (Path(one, "entry_points.txt") for one in found):
            if file.parent.suffix == ".egg" or (file.is_file() and b"[planscope." in file.read_bytes()):
                return True
    return False


@cache
def loaded(group: str) -> tuple[tuple[tuple[EntryPoint, Any], ...], tuple[str, ...]]:
    """Return the entry points of a group with what they name, and a line about each that cannot be imported."""
    found: list[tuple[EntryPoint, Any]] = []
    troubles: list[str] = []
    for entry in entries(group):
        try:
            found.append((entry, entry.load()))
        except Exception as error:  # noqa: BLE001  (another package's code may raise anything)
            troubles.append(trouble(entry, error))
    return tuple(found), tuple(troubles)


def trouble(entry: EntryPoint, error: BaseException) -> str:
    """Return one line about an entry point that does not work."""
    said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return f"the {WHAT[entry.group]} {entry.name} ({entry.value}) of another package cannot be used: {said}"
