"""A list with a cursor, as frozen state: the base of the lists of sessions and of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Self, TypeVar

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Generic[Thing]):
    """``listed``: the displayed things, in order. ``at``: the index of the chosen one. ``words``: the search."""

    words: str = ""
    listed: tuple[Thing, ...] = ()
    at: int = 0

    @property
    def chosen(self) -> Thing | None:
        return self.listed[self.at] if self.at < len(self.listed) else None

    def choosing(self, at: int) -> Self:
        """Choose the thing at an index, or the nearest one."""
        return replace(self, at=min(max(at, 0), max(len(self.listed) - 1, 0)))

    def listing(self, found: Sequence[Thing], key: Callable[[Thing], object], chosen: object = None) -> Self:
        """Display other things. The one whose key is ``chosen`` is chosen, by default the same as before."""
        if chosen is None and self.chosen is not None:
            chosen = key(self.chosen)
        at = next((i for i, thing in enumerate(found) if key(thing) == chosen), self.at)
        return replace(self, listed=tuple(found)).choosing(at)
