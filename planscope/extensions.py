"""Extensions: what other installed packages add by entry points (``planscope.traces``, ``planscope.models``,
``planscope.themes``). One that does not work is one line, and everything else goes on."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

WHAT = {"planscope.traces": "trace reader", "planscope.models": "models", "planscope.themes": "themes"}
"""The groups, each with what its entry points add, in words."""


@cache
def entries(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group, the first of each name. None is imported."""
    from importlib.metadata import entry_points  # takes half as long to import as all readers of traces

    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        found.setdefault(entry.name, entry)
    return tuple(found.values())


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
