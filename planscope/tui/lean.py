"""Shortens what Textual writes to a terminal: cells, colours and attributes are sent only where they change.

Textual renders all widgets within a rectangle around all changes, and writes a line from the left edge of its widget
on. It writes each piece with its whole style and a reset.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from rich.console import Console
from textual._compositor import Compositor, CompositorMap, CompositorUpdate, ReflowResult
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

_STYLE = re.compile(r"\x1b\[([0-9;]*)m")
_MOVES = re.compile(r"(?:\x1b\[[0-9;]*H|\n)*")
_INK, _GROUND = re.compile(r"3\d[;\d]*|9[0-7]"), re.compile(r"4\d[;\d]*|10[0-7]")
_OFF = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "9": "29"}
"""The code that ends an attribute. Bold and dim share one. An attribute that is not here ends with a reset."""


class _Style(NamedTuple):
    """``ink`` and ``ground``: the codes of the colours; ``more``: the attributes."""

    ink: str = "39"
    ground: str = "49"
    more: frozenset[str] = frozenset()


_PLAIN = _Style()


@lru_cache(4096)
def _after(style: _Style, codes: str) -> _Style:
    """Return the style after a sequence of codes."""
    left = codes.split(";")
    while left:
        code = left.pop(0)
        if code in ("38", "48"):
            size = 4 if left[:1] == ["2"] else 2
            code, left = ";".join((code, *left[:size])), left[size:]
        if code.strip("0") == "":
            style = _PLAIN
        elif _INK.fullmatch(code):
            style = style._replace(ink=code)
        elif _GROUND.fullmatch(code):
            style = style._replace(ground=code)
        else:
            style = style._replace(more=style.more | {code})
    return style


@lru_cache(4096)
def _change(old: _Style, new: _Style) -> str:
    """Return the shortest codes that turn one style into another."""
    gone = old.more - new.more
    ends = {_OFF.get(one, "0") for one in gone}
    kept = old._replace(more=old.more - (gone | ({"1", "2"} if "22" in ends else set())))
    ways = [[*sorted(ends), *_added(kept, new)]] if "0" not in ends else []
    codes = min((";".join(way) for way in [*ways, ["0", *_added(_PLAIN, new)]]), key=len)
    return f"\x1b[{codes}m" if codes else ""


def _added(old: _Style, new: _Style) -> list[str]:
    """Return the codes of what the new style has beside the old one."""
    colours = [new.ink] * (new.ink != old.ink) + [new.ground] * (new.ground != old.ground)
    return sorted(new.more - old.more) + colours


class LeanUpdate(CompositorUpdate):
    """Writes ``pieces`` of rows: their row, their first column, and their strip."""

    def __init__(self, pieces: Iterable[tuple[int, int, Strip]]) -> None:
        self.pieces = tuple(pieces)

    def render_segments(self, console: Console) -> str:
        return "".join(f"\x1b[{y + 1};{x + 1}H{strip.render(console)}" for y, x, strip in self.pieces)


class LeanCompositor(Compositor):
    """Renders the changed cells alone."""

    def __init__(self) -> None:
        super().__init__()
        self._laid_out: CompositorMap = {}

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay out, and find what changed since the last time. A widget that is asked for its size before that makes a
        new map, beside which nothing is new."""
        self._full_map = self._laid_out
        found = super().reflow(parent, size)
        self._laid_out = self._full_map
        return found

    def render_partial_update(self) -> LeanUpdate | None:  # type: ignore[override]
        spans = tuple(self._regions_to_spans(self._dirty_regions))
        self._dirty_regions.clear()
        return LeanUpdate(piece for span in spans for piece in self._pieces(*span)) if spans else None

    def _pieces(self, y: int, left: int, right: int) -> Iterator[tuple[int, int, Strip]]:
        """Render some cells of a row: of each widget those that no widget before it covers."""
        free = [(left, right)] if y < len(self.layers_visible) else []
        for widget, clip, region in self.layers_visible[y] if free else ():
            behind = []
            for a, b in free:
                first, last = max(a, clip.x), min(b, clip.right)
                if first < last:
                    crop = Region(first - region.x, y - region.y, last - first, 1)
                    yield y, first, widget.render_lines(crop)[0]
                    behind += [part for part in ((a, first), (last, b)) if part[0] < part[1]]
                else:
                    behind.append((a, b))
            if not (free := behind):
                return


class Lean:
    """Rewrites what is written, piece after piece. ``style``: that of the terminal."""

    def __init__(self) -> None:
        self.style = _PLAIN

    def __call__(self, text: str) -> str:
        """Return what shows the same with fewer codes."""
        made: list[str] = []
        wanted = self.style
        for k, part in enumerate(_STYLE.split(text)):
            if k % 2:
                wanted = _after(wanted, part)
            elif part:
                if wanted != self.style and not _MOVES.fullmatch(part):
                    made.append(_change(self.style, wanted))
                    self.style = wanted
                made.append(part)
        if wanted != self.style:
            made.append(_change(self.style, wanted))
        self.style = wanted
        return "".join(made)
