"""Lines of styled text, the content of all panes. A line consists of runs, each with a role, on a background.

Texts in runs are safe to show (``planscope.safe``). Roles and backgrounds are names; ``painter`` turns them into
colours and attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from planscope.safe import cell_width, clip, show, visible, wrap

_WORD = re.compile(r"\S+")
_SIMPLE = re.compile("[ -~\u201c\u201d\u2018\u2019\u2013\u2014→←·…✓✗●○]*")
"""Safe texts in which each code point takes one cell. They are wrapped ten times as fast."""


class Run(NamedTuple):
    """A piece of text in one role, such as ``core`` or ``dim``; "" is plain text. ``does``: the action of a click."""

    text: str
    role: str = ""
    does: str = ""


class Line(NamedTuple):
    """One line. ``ground`` is its background: ``""``, ``lit``, ``current``, ``cursor`` or ``bar``."""

    runs: tuple[Run, ...] = ()
    ground: str = ""

    @property
    def text(self) -> str:
        return "".join(run.text for run in self.runs)


BLANK = Line()


def line(*runs: Run | str, ground: str = "") -> Line:
    """Make a line of runs and plain strings. Empty ones are left out."""
    made = (run if isinstance(run, Run) else Run(run) for run in runs)
    return Line(tuple(run for run in made if run.text), ground)


def does_at(runs: Iterable[Run], column: int) -> str:
    """Return what a click on a cell does; "" for nothing."""
    for run in runs:
        column -= cell_width(run.text)
        if column < 0:
            return run.does
    return ""


def tabs(titles: Iterable[tuple[str, str]], at: int, role: str = "strong", gap: int = 2) -> list[Run]:
    """Name pages, each with its title and the action of a click on it; ``at`` is the displayed one, in ``role``."""
    made = []
    for number, (title, does) in enumerate(titles):
        here = number == at
        made += [Run("▶" if here else " ", "mark"), Run(title, role if here else "dim", does), Run(" " * gap)]
    return made


def width_of(runs: Iterable[Run]) -> int:
    return sum(cell_width(run.text) for run in runs)


def justify(left: Sequence[Run], right: Sequence[Run], width: int, *, gap: int = 1) -> tuple[Run, ...]:
    """Put ``left`` and ``right`` at the edges of a line. ``left`` is cut if the width is too small."""
    right_width = width_of(right)
    if right_width + gap >= width:
        return cut(right, width)
    kept = cut(left, width - right_width - (gap if right else 0))
    pad = width - right_width - width_of(kept)
    return (*kept, Run(" " * pad), *right) if right else kept


def cut(runs: Sequence[Run], width: int) -> tuple[Run, ...]:
    """Cut the runs to ``width`` cells. A cut text ends in an ellipsis."""
    if width_of(runs) <= width:
        return tuple(runs)
    kept: list[Run] = []
    free = width
    for run in runs:
        size = cell_width(run.text)
        if size < free:
            kept.append(run)
            free -= size
            continue
        if text := clip(run.text + ("…" if size <= free else ""), free):
            kept.append(run._replace(text=text))
        break
    return tuple(kept)


def fitted(parts: Sequence[tuple[int, Sequence[Run]]], width: int) -> list[Sequence[Run]]:
    """Return the parts that fit into ``width`` cells, with a bar of three cells between them.

    Each part has a number; the part with the highest number is left out first. One part always remains.
    """
    kept = list(parts)
    while len(kept) > 1 and sum(width_of(runs) + 3 for _, runs in kept) - 3 > width:
        kept.remove(max(kept, key=lambda part: part[0]))
    return [runs for _, runs in kept]


def glyph_runs(cells: Iterable[tuple[str, str]]) -> list[Run]:
    """Make runs of single glyphs, each with its role. Neighbours of one role make one run."""
    return [Run("".join(glyph for glyph, _ in some), role) for role, some in groupby(cells, itemgetter(1))]


def joined(parts: Iterable[Sequence[Run]]) -> list[Run]:
    """Join parts with bars."""
    made: list[Run] = []
    for runs in parts:
        made += [Run(" │ ", "faint"), *runs] if made else runs
    return made


def with_span(run: Run, span: tuple[int, int], role: str = "hit") -> tuple[Run, ...]:
    """Split a run so that a range of its code points has another role."""
    a, b = span
    parts = (Run(run.text[:a], run.role), Run(run.text[a:b], role), Run(run.text[b:], run.role))
    return tuple(part for part in parts if part.text)


def alike(one: str, other: str) -> int:
    """Return the length of the common beginning of two texts."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def shown(text: str, limit: int = 400) -> str:
    """Return an untrusted text on one line, safe to show, of at most ``limit`` code points."""
    return visible(text, limit=limit)


def ranges(text: str, width: int) -> list[tuple[int, int]]:
    """Wrap a text into lines of at most ``width`` cells: half-open ranges of its code points."""
    if _SIMPLE.fullmatch(text):
        return _plain_ranges(text, max(width, 1))
    return wrap(text, width)


def _plain_ranges(text: str, width: int) -> list[tuple[int, int]]:
    """Compute :func:`ranges` for a text that ``_SIMPLE`` matches."""
    lines: list[tuple[int, int]] = []
    begin = end = 0
    fresh = True
    for word in _WORD.finditer(text):
        start, stop = word.span()
        if not fresh and stop - begin > width:
            lines.append((begin, end))
            fresh = True
        if fresh:
            begin = start
            fresh = False
        while stop - begin > width:
            lines.append((begin, begin + width))
            begin += width
        end = stop
    lines.append((begin, end))
    return lines


@lru_cache(maxsize=2000)
def paragraph(text: str, width: int, role: str = "", limit: int = 4000) -> tuple[tuple[Run, ...], ...]:
    """Wrap an untrusted text, of which ``limit`` code points are shown, into lines of one role."""
    if len(text) <= limit and _SIMPLE.fullmatch(text):
        return tuple((Run(text[a:b], role),) for a, b in _plain_ranges(text, max(width, 1)))
    whole = show(text, limit=limit, keep_newlines=True)
    return tuple((Run(whole.part(*part), role),) for part in wrap(whole, width))


def wrapped(text: str, width: int, role: str = "", limit: int = 4000) -> list[Line]:
    """Wrap an untrusted text, as :func:`paragraph` does, into lines."""
    return [Line(runs) for runs in paragraph(text, width, role, limit)]


def indented(lines: Iterable[Line], by: int = 1) -> list[Line]:
    """Put blanks before each line."""
    return [Line((Run(" " * by), *one.runs), one.ground) for one in lines]


def labelled(
    label: str, body: Sequence[tuple[Run, ...]], *, indent: int, role: str = "label"
) -> list[tuple[Run, ...]]:
    """Put a margin of ``indent`` cells before ``body``, with a label in its first line."""
    margin = Run(" " * indent)
    head = Run(label.ljust(indent), role)
    return [((head if i == 0 else margin), *runs) for i, runs in enumerate(body)]


def labelled_lines(
    label: str, text: str, width: int, *, indent: int, role: str = "", limit: int = 4000
) -> list[Line]:
    """Wrap an untrusted text beside its label, of ``indent`` cells."""
    body = paragraph(text, max(width - indent, 8), role, limit)
    return [Line(runs) for runs in labelled(label, body, indent=indent)]


class Page:
    """Collects lines of ``width`` cells. Labels have ``indent`` cells; of each text, which is untrusted, ``limit`` code
    points are shown."""

    def __init__(self, width: int, indent: int = 0, limit: int = 4000) -> None:
        self.width, self.indent, self.limit = width, indent, limit
        self.lines: list[Line] = []

    def say(self, label: str, text: str, role: str = "") -> None:
        """Add a text beside its label."""
        self.lines += labelled_lines(label, text, self.width, indent=self.indent, role=role, limit=self.limit)

    def text(self, text: str, role: str = "", margin: int = 0, ground: str = "") -> None:
        """Add a text, unless it is empty."""
        for runs in paragraph(text, self.width - margin, role, self.limit) if text else ():
            self.add(" " * margin, *runs, ground=ground)

    def add(self, *runs: Run | str, ground: str = "") -> None:
        """Add a line; without runs a blank one."""
        self.lines.append(line(*runs, ground=ground))
