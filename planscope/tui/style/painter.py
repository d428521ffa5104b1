"""Turns roles and backgrounds into colours and attributes; no other module decides how text looks.

Colours come from the theme's variables. No role depends on colour alone: each has a glyph or a word beside it, or an
attribute (bold, underline, reverse), which also terminals without colours display.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.color import Color, ColorParseError
from textual.filter import LineFilter
from textual.strip import Strip

from planscope.safe import cell_width
from planscope.tui.style.lines import Line, Run, cut


class Look(NamedTuple):
    """How a role looks: names of theme variables (without ``planscope-``) and attributes."""

    foreground: str = "foreground"
    attributes: str = ""
    background: str = ""


ROLES: Mapping[str, Look] = {
    "": Look(),
    "dim": Look("dim", "dim"),
    "faint": Look("frame", "dim"),
    "strong": Look(attributes="bold"),
    "label": Look("dim", "dim"),
    "title": Look("step-current", "bold"),
    "frame": Look("frame", "dim"),
    "frame-on": Look("frame-active", "bold"),
    "thumb": Look("frame-active"),
    "number": Look("number", "bold"),
    "holds": Look("holds"),
    "open": Look("open", "dim"),
    "broken": Look("broken", "bold"),
    "core": Look("core", "bold"),
    "completable": Look("holds"),
    "doomed": Look("doomed", "bold"),
    "unknown": Look("unknown", "italic"),
    "finding": Look("broken", "bold"),
    "caution": Look("caution"),
    "safe": Look("safe"),
    "action": Look("action"),
    "relation": Look("foreground", "italic"),
    "tool": Look("tool"),
    "quote": Look("dim", "italic"),
    "lit": Look("linked", "underline", "linked-ground"),
    "core-words": Look("core", "bold underline"),
    "lit-core": Look("core", "bold underline", "linked-ground"),
    "picked": Look("selected", "bold reverse"),
    "here": Look("key", "bold underline"),
    "hit": Look("foreground", "bold underline", "hit-ground"),
    "hit-mark": Look("linked", "bold"),
    "wrong-words": Look("broken", "bold underline"),
    "blamed": Look("doomed", "bold underline"),
    "diff-gone": Look("caution", "bold underline"),
    "diff-added": Look("holds", "bold underline"),
    "stop": Look("core", "bold reverse"),
    "wrong": Look("broken", "bold"),
    "right": Look("holds", "bold"),
    "running": Look("safe", "bold reverse"),
    "brand": Look("frame-active", "bold reverse"),
    "key": Look("key", "bold"),
    "mark": Look("linked", "bold"),
    "stop-mark": Look("breakpoint", "bold"),
}

GROUNDS: Mapping[str, Look] = {
    "": Look(background="background"),
    "lit": Look(background="linked-ground"),
    "current": Look(background="current-ground"),
    "cursor": Look(background="selected-ground", attributes="bold"),
    "bar": Look(background="bar"),
}

_BARE_GROUNDS = {"cursor": "reverse", "lit": "bold"}
"""Attributes for backgrounds on terminals without colours."""


class Painter:
    """Makes the styles of the current theme. ``generation`` grows when the theme changes, and cached strips become
    stale.

    ``filters`` are applied to every strip; only NO_COLOR needs one.
    """

    def __init__(self) -> None:
        self.generation = 0
        self.background = Color(0, 0, 0)
        self.filters: tuple[LineFilter, ...] = ()
        self._variables: Mapping[str, str] = {}
        self._bare = False
        self._styles: dict[tuple[str, str], Style] = {}

    def filter_by(self, *filters: LineFilter) -> None:
        """Set the filters for all strips."""
        self.filters = filters

    def use(self, variables: Mapping[str, str], *, bare: bool) -> None:
        """Use the colours of a theme. ``bare``: backgrounds are attributes, not colours."""
        self._variables = variables
        self._bare = bare
        self._styles.clear()
        self.generation += 1
        self.background = self._color("background") or Color(0, 0, 0)

    def style(self, role: str, ground: str) -> Style:
        """Return the Rich style of a role on a background."""
        style = self._styles.get((role, ground))
        if style is None:
            style = self._styles[role, ground] = self._make(role, ground)
        return style

    def strip(self, line: Line, width: int) -> Strip:
        """Return a line, cut or filled to exactly ``width`` cells."""
        runs, ground = line
        used = 0
        for text, *_ in runs:
            used += cell_width(text)
        if used > width:
            runs = cut(runs, width)
            used = sum(cell_width(text) for text, *_ in runs)
        if used < width:
            runs = (*runs, Run(" " * (width - used)))
        return Strip(self._joined(runs, ground), width)

    def _joined(self, runs: Iterable[Run], ground: str) -> list[Segment]:
        """Return as few segments as possible: each costs some 40 bytes of a terminal's line.

        Blanks look the same in all roles without a ground or a line of their own.
        """
        segments: list[Segment] = []
        before = drawn = ""
        for text, role, _ in runs:
            look = ROLES[role]
            plain = not (look.background or "reverse" in look.attributes or "underline" in look.attributes)
            if segments and (role == before or (plain and drawn == "plain" and text.isspace())):
                segments[-1] = Segment(segments[-1].text + text, segments[-1].style)
            else:
                segments.append(Segment(text, self.style(role, ground)))
                before, drawn = role, "plain" if plain else ""
        return segments

    def _color(self, name: str) -> Color | None:
        value = self._variables.get(f"planscope-{name}") or self._variables.get(name) or ""
        try:
            return Color.parse(value.split(" ")[0]) if value else None
        except ColorParseError:
            return None

    def _make(self, role: str, ground: str) -> Style:
        look, under = ROLES[role], GROUNDS[ground]
        words = f"{look.attributes} {under.attributes}".split()
        if self._bare:
            reverse = "reverse" in words
            words += _BARE_GROUNDS.get(ground, "").split()
            if ground == "cursor" and reverse:
                words = [word for word in words if word != "reverse"]
        else:
            words = [word for word in words if word != "dim"]
        over = self._color(look.foreground) or self._color("foreground")
        back = self._color(look.background or under.background) or self._color("background")
        style = Style.from_color(
            over.rich_color if over is not None else None, back.rich_color if back is not None else None
        )
        return style + Style.parse(" ".join(words) or "none")
