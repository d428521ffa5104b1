"""Curves of braille dots."""

from __future__ import annotations

from collections.abc import Sequence

from planscope.tui.style.lines import Run, glyph_runs

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a braille sign by row and column."""


class Canvas:
    """Dots, each with a role; where roles share a sign, the foremost one colours it.

    ``width`` and ``height`` are given in cells, and are dots then. ``roles``: the foremost first.
    """

    def __init__(self, width: int, height: int, roles: Sequence[str]) -> None:
        self.width, self.height = width * 2, height * 4
        self._order = tuple(roles)
        self._bits: dict[tuple[int, int], int] = {}
        self._roles: dict[tuple[int, int], str] = {}
        self._signs: dict[tuple[int, int], str] = {}

    def dot(self, x: int, y: int, role: str) -> None:
        if 0 <= x < self.width and 0 <= y < self.height:
            place = y // 4, x // 2
            self._bits[place] = self._bits.get(place, 0) | _DOTS[y % 4][x % 2]
            if place not in self._signs:
                self._roles[place] = min(self._roles.get(place, role), role, key=self._order.index)

    def stroke(self, a: tuple[int, int], b: tuple[int, int], role: str) -> None:
        steps = max(abs(a[0] - b[0]), abs(a[1] - b[1]), 1)
        for k in range(steps + 1):
            self.dot(round(a[0] + (b[0] - a[0]) * k / steps), round(a[1] + (b[1] - a[1]) * k / steps), role)

    def sign(self, x: int, y: int, sign: str, role: str) -> None:
        """Show a sign instead of the dots of the cell in which a dot is."""
        self.dot(x, y, role)
        self._signs[y // 4, x // 2], self._roles[y // 4, x // 2] = sign, role

    def row(self, y: int) -> list[Run]:
        places = ((y, x) for x in range(self.width // 2))
        return glyph_runs(
            (self._signs.get(p, chr(0x2800 + self._bits[p])), self._roles[p])
            if p in self._bits
            else (" ", "")
            for p in places
        )
