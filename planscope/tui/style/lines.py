"""What panes are made of: lines of runs of text, each run with a role, each line on a ground.

Texts in here are already fit to be shown (they come out of ``safe_text``); roles and grounds are names that
``paint`` turns into colours and attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from planscope.tui.style.safe_text import cell_width, clip, show, visible, wrap

_WORD = re.compile(r"\S+")
_SIMPLE = re.compile("[ -~\u201c\u201d\u2018\u2019\u2013\u2014→←·…✓✗●○]*")
"""Texts of one cell a code point that are shown as they are; wrapping them is ten times as fast."""


class Run(NamedTuple):
    """A stretch of text in one role, such as ``core`` or ``dim``; the empty role is plain text."""

    text: str
    role: str = ""


class Line(NamedTuple):
    """One line. ``ground`` is its background: ``""``, ``lit``, ``current`` or ``cursor``."""

    runs: tuple[Run, ...] = ()
    ground: str = ""

    @property
    def text(self) -> str:
        return "".join(run.text for run in self.runs)


BLANK = Line()


def line(*runs: Run | str, ground: str = "") -> Line:
    """A line of runs; strings are plain. Empty ones are left out."""
    made = (run if isinstance(run, Run) else Run(run) for run in runs)
    return Line(tuple(run for run in made if run.text), ground)


def width_of(runs: Iterable[Run]) -> int:
    return sum(cell_width(run.text) for run in runs)


def justify(left: Sequence[Run], right: Sequence[Run], width: int, *, gap: int = 1) -> tuple[Run, ...]:
    """``left`` and ``right`` at the two edges; ``left`` is cut if the width is too small."""
    right_width = width_of(right)
    if right_width + gap >= width:
        return cut(right, width)
    kept = cut(left, width - right_width - (gap if right else 0))
    pad = width - right_width - width_of(kept)
    return (*kept, Run(" " * pad), *right) if right else kept


def cut(runs: Sequence[Run], width: int) -> tuple[Run, ...]:
    """At most ``width`` cells of the runs; what was cut ends in an ellipsis."""
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
            kept.append(Run(text, run.role))
        break
    return tuple(kept)


def fitted(parts: Sequence[tuple[int, Sequence[Run]]], width: int) -> list[Sequence[Run]]:
    """As many parts as fit into ``width`` cells, a bar of three cells between them.

    Each comes with how soon it is left out (most first); the last one is kept, whatever its size.
    """
    kept = list(parts)
    while len(kept) > 1 and sum(width_of(runs) + 3 for _, runs in kept) - 3 > width:
        kept.remove(max(kept, key=lambda part: part[0]))
    return [runs for _, runs in kept]


def joined(parts: Iterable[Sequence[Run]]) -> list[Run]:
    """Parts with a bar between them."""
    made: list[Run] = []
    for runs in parts:
        made += [Run(" │ ", "faint"), *runs] if made else runs
    return made


def with_span(run: Run, span: tuple[int, int], role: str = "hit") -> tuple[Run, ...]:
    """A run of which a range of code points has a role of its own."""
    a, b = span
    parts = (Run(run.text[:a], run.role), Run(run.text[a:b], role), Run(run.text[b:], run.role))
    return tuple(part for part in parts if part.text)


def shown(text: str, limit: int = 400) -> str:
    """One line of an untrusted text, at most ``limit`` code points."""
    return visible(text, limit=limit)


def ranges(text: str, width: int) -> list[tuple[int, int]]:
    """Lines of at most ``width`` cells, as half-open ranges of the original text's code points."""
    if _SIMPLE.fullmatch(text):
        return _plain_ranges(text, max(width, 1))
    return wrap(text, width)


def _plain_ranges(text: str, width: int) -> list[tuple[int, int]]:
    """The same for a simple text; breaks behind blanks alone."""
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
    """An untrusted text wrapped into lines of one role; at most ``limit`` code points of it."""
    if len(text) <= limit and _SIMPLE.fullmatch(text):
        return tuple((Run(text[a:b], role),) for a, b in _plain_ranges(text, max(width, 1)))
    whole = show(text, limit=limit, keep_newlines=True)
    return tuple((Run(whole.part(*part), role),) for part in wrap(whole, width))


def labelled(
    label: str, body: Sequence[tuple[Run, ...]], *, indent: int, role: str = "label"
) -> list[tuple[Run, ...]]:
    """``body`` with a label in the margin of its first line, ``indent`` cells wide."""
    margin = Run(" " * indent)
    head = Run(label.ljust(indent), role)
    return [((head if i == 0 else margin), *runs) for i, runs in enumerate(body)]
