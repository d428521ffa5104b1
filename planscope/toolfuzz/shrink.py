"""Makes a failing input smaller. A candidate is kept if the call still shows the same error and it is simpler."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

MOST_CALLS = 500
MOST_FOR_ONE = 160
"""Limit of calls for one string or list, so that a long one leaves calls for the others."""

Path = tuple[Any, ...]


def weight(value: object) -> tuple[int, int, str]:
    """Return what is compared: the length of the JSON text, its characters other than 0 and a, the text."""
    return _weight(json.dumps(value))


def _weight(text: str) -> tuple[int, int, str]:
    return len(text), 2 * len(text) - 2 * text.count("0") - text.count("a"), text


class Shrinker:
    """Shrinks one input. ``fails`` makes a call; ``calls`` counts them. ``best`` is the smallest input so far."""

    def __init__(
        self,
        value: object,
        fails: Callable[[object], bool],
        most: int = MOST_CALLS,
        better: Callable[[object], None] | None = None,
    ) -> None:
        self.best = json.loads(json.dumps(value))
        self.calls = 0
        self._fails, self._most, self._better = fails, most, better
        self._seen: set[str] = set()

    def run(self) -> object:
        """Return the smallest input that was found."""
        before = None
        while before != weight(self.best) and self.calls < self._most:
            before = weight(self.best)
            for path in list(_paths(self.best)):
                with suppress(KeyError, IndexError, TypeError):  # what is around it is smaller by now
                    self._simplify(path, _at(self.best, path))
        return self.best

    def _try(self, path: Path, value: object, simpler: bool = False) -> bool:
        """Make a call with another value at one place. ``simpler``: whatever the text, the value is known to be."""
        if self.calls >= self._most:
            return False
        candidate = _with(self.best, path, value)
        key = json.dumps(candidate)
        if key in self._seen or (not simpler and _weight(key) >= weight(self.best)):
            return False
        self._seen.add(key)
        self.calls += 1
        if not self._fails(json.loads(key)):
            return False
        self.best = candidate
        if self._better is not None:
            self._better(candidate)
        return True

    def _simplify(self, path: Path, value: object) -> None:
        if path:
            holder = _at(self.best, path[:-1])
            if isinstance(holder, dict) and self._try(
                path[:-1], {k: v for k, v in holder.items() if k != path[-1]}
            ):
                return
        if isinstance(value, str):
            self._string(path, value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self._number(path, value)
        elif isinstance(value, list):
            self._list(path, value)
        elif isinstance(value, dict) and value and path:
            self._try(path, {})

    def _string(self, path: Path, value: str) -> None:
        limit = self.calls + MOST_FOR_ONE
        for whole in ("", "0" * len(value), "a" * len(value)):
            if self._try(path, whole):
                value = whole
                break
        value = self._without_chunks(path, value, limit)
        for k in range(min(len(value), 60)):
            for letter in ("0", "a"):
                if self.calls < limit and self._try(path, value[:k] + letter + value[k + 1 :]):
                    value = value[:k] + letter + value[k + 1 :]
                    break

    def _list(self, path: Path, value: list[object]) -> None:
        if value and not self._try(path, []):
            self._without_chunks(path, value, self.calls + MOST_FOR_ONE)

    def _without_chunks(self, path: Path, value: Any, limit: int) -> Any:
        """Leave out parts, from the end, of half the length and less."""
        size = len(value) // 2
        while size and self.calls < limit:
            end = len(value)
            while end > 0 and self.calls < limit:
                shorter = value[: max(end - size, 0)] + value[end:]
                value = shorter if self._try(path, shorter) else value
                end -= size
            size //= 2
        return value

    def _number(self, path: Path, value: float) -> None:
        if any(self._try(path, simple) for simple in (0, 1, -1)):
            return
        if isinstance(value, float):
            if not (value.is_integer() and abs(value) < 1e15 and self._try(path, int(value))):
                any(self._try(path, round(value, digits)) for digits in (0, 1, 2))
                return
            value = int(value)
        sign = -1 if value < 0 else 1
        low, high = 0, abs(value)  # high fails; low does not, as far as is known
        while low + 1 < high:
            middle = (low + high) // 2
            if self._try(path, sign * middle, simpler=True):
                high = middle
            else:
                low = middle


def _paths(value: object, above: Path = ()) -> Iterator[Path]:
    """Return the place of every part of a JSON value, the whole first."""
    yield above
    if isinstance(value, dict):
        for key in list(value):
            yield from _paths(value[key], (*above, key))
    elif isinstance(value, list):
        for k in range(min(len(value), 40)):
            yield from _paths(value[k], (*above, k))


def _at(value: Any, path: Path) -> Any:
    for part in path:
        value = value[part]
    return value


def _with(value: Any, path: Path, new: object) -> object:
    """Return a copy with another value at one place."""
    if not path:
        return new
    made = dict(value) if isinstance(value, dict) else list(value)
    made[path[0]] = _with(value[path[0]], path[1:], new)
    return made
