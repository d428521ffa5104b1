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
from textual.strip import Strip

from planscope.tui.style.lines import Line, Run, cut, width_of


class Look(NamedTuple):
    """How a role looks: names of theme variables (without ``planscope-``) and attributes."""

    foreground: str = "foreground"
    attributes: str = ""
    background: str = ""


_TABLE = """
dim          dim, dim
faint        frame, dim
strong       foreground, bold
label        dim, dim
title        step-current, bold
frame        frame, dim
frame-on     frame-active, bold
thumb        frame-active
number       number, bold
holds        holds
open         open, dim
broken       broken, bold
core         core, bold
completable  holds
doomed       doomed, bold
unknown      unknown, italic
finding      broken, bold
caution      caution
safe         safe
action       action
relation     foreground, italic
tool         tool
quote        dim, italic
lit          linked, underline, linked-ground
core-words   core, bold underline
lit-core     core, bold underline, linked-ground
picked       selected, bold reverse
here         key, bold underline
hit          foreground, bold underline, hit-ground
hit-mark     linked, bold
wrong-words  broken, bold underline
blamed       doomed, bold underline
diff-gone    caution, bold underline
diff-added   holds, bold underline
stop         core, bold reverse
wrong        broken, bold
right        holds, bold
running      safe, bold reverse
brand        frame-active, bold reverse
key          key, bold
mark         linked, bold
stop-mark    breakpoint, bold
"""
"""A row for each role: its name, then its :class:`Look`."""

ROLES: Mapping[str, Look] = {
    "": Look(),
    **{
        name: Look(*look.split(", "))
        for name, look in (row.split(None, 1) for row in _TABLE.strip().splitlines())
    },
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
    """

    def __init__(self) -> None:
        self.generation = 0
        self._variables: Mapping[str, str] = {}
        self._bare = False
        self._styles: dict[tuple[str, str], Style] = {}

    def use(self, variables: Mapping[str, str], *, bare: bool) -> None:
        """Use the colours of a theme, or none. ``bare``: backgrounds are attributes, not colours."""
        self._variables = variables
        self._bare = bare
        self._styles.clear()
        self.generation += 1

    def style(self, role: str, ground: str) -> Style:
        """Return the Rich style of a role on a background."""
        style = self._styles.get((role, ground))
        if style is None:
            style = self._styles[role, ground] = self._make(role, ground)
        return style

    def strip(self, line: Line, width: int) -> Strip:
        """Return a line, cut or filled to exactly ``width`` cells."""
        runs, ground = line
        used = width_of(runs)
        if used > width:
            runs = cut(runs, width)
            used = width_of(runs)
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
