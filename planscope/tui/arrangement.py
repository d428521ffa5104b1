"""Computes the places of the debug screen's panes, in whole cells, for the first frame and for the debug screen.

Each kind of window (narrow, wide, broad; bare for a run without query and rules) is split into rows and columns. Users
may change their shares and hide panes; the other panes fill the window. No pane is smaller than ``LEAST`` unless the
window is too small for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple, get_args

from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

Kind = Literal["narrow", "wide", "broad", "bare"]
KINDS: tuple[Kind, ...] = get_args(Kind)

UPPER = ("query", "tree", "constraints")
ALL_PANES = (*UPPER, "timeline", "step")
HIDEABLE = (*ALL_PANES, "inspector")

WIDE, BROAD, HIGH = 110, 170, 44
"""The debug screen has three columns from WIDE columns on, and an inspector from BROAD columns or HIGH rows on."""

SMALLEST = (60, 15)
LEAST = (14, 3)
"""The columns and rows that a pane needs to be readable, including its border."""

_FINE = 10_000
"""Shares that are computed from cells add up to about this."""


class Split(NamedTuple):
    """Parts beside each other (``across``) or below each other. ``name``: the setting that has their shares."""

    name: str
    across: bool
    parts: tuple[str | Split, ...]


_UPPER = Split("upper", True, UPPER)
_STACKED = Split("rows", False, (_UPPER, "timeline", "step"))
_ROWS = Split("rows", False, (_UPPER, Split("lower", True, ("timeline", "step"))))
SPLITS: Mapping[Kind, Split] = {
    "narrow": _STACKED,
    "wide": _ROWS,
    "broad": Split("sides", True, (_ROWS, "inspector")),
    "bare": Split("lower", True, (Split("rows", False, (_UPPER, "timeline")), "step")),
}


class Rect(NamedTuple):
    """A place on the screen, in cells from its left upper corner."""

    x: int
    y: int
    width: int
    height: int


class Boundary(NamedTuple):
    """The edge between two visible parts of a split: the cell ``at`` and the one before it.

    ``number`` is the index of the first of the two parts, among those that are visible.
    """

    split: Split
    number: int
    at: int
    rect: Rect


@dataclass(frozen=True)
class Arrangement:
    """Shares and hidden panes of one kind of window. In a narrow window, ``rows`` are upper panes, timeline and
    step."""

    rows: tuple[int, ...]
    upper: tuple[int, ...] = (8, 7, 9)
    lower: tuple[int, ...] = (13, 11)
    sides: tuple[int, ...] = (24, 8)
    hidden: frozenset[str] = frozenset()

    def shares(self, split: Split) -> tuple[int, ...]:
        found: tuple[int, ...] = getattr(self, split.name)
        return found

    def with_shares(self, split: Split, shares: Iterable[int]) -> Arrangement:
        made: dict[str, Any] = {split.name: tuple(shares)}
        return replace(self, **made)


FIRST: Mapping[Kind, Arrangement] = {
    "narrow": Arrangement((6, 6, 10)),
    "wide": Arrangement((9, 11)),
    "broad": Arrangement((9, 11), lower=(15, 10)),
    "bare": Arrangement((10, 27), lower=(13, 12), hidden=frozenset({"tree", "constraints"})),
}
"""The arrangements that planscope comes with."""


def kind_of(columns: int, rows: int, bare: bool = False) -> Kind:
    """Return the kind of a window. ``bare``: what it shows has neither a query nor rules."""
    if columns < WIDE:
        return "narrow"
    if bare:
        return "bare"
    return "broad" if columns >= BROAD and rows >= HIGH else "wide"


def is_too_small(columns: int, rows: int) -> bool:
    return columns < SMALLEST[0] or rows < SMALLEST[1]


def top_pane(arrangement: Arrangement, wanted: str) -> str | None:
    """Return the pane that a narrow window displays of its upper three: ``wanted``, or the first one not hidden."""
    return next((name for name in (wanted, *UPPER) if name not in arrangement.hidden), None)


def seen_panes(kind: Kind, arrangement: Arrangement, top: str, current: str) -> frozenset[str]:
    """Return the visible panes: all that are not hidden, and always the current one."""
    shown = {*HIDEABLE} - arrangement.hidden | {current}
    if kind != "broad":
        shown.discard("inspector")
    if kind == "narrow":
        only = current if current in UPPER else top_pane(arrangement, top)
        shown -= {*UPPER} - {only}
    return frozenset(shown)


def places(kind: Kind, arrangement: Arrangement, seen: frozenset[str], rect: Rect) -> dict[str, Rect]:
    """Return the place of each visible pane."""
    return {
        part: where for part, where in _walk(SPLITS[kind], arrangement, seen, rect) if isinstance(part, str)
    }


def boundaries(kind: Kind, arrangement: Arrangement, seen: frozenset[str], rect: Rect) -> Iterator[Boundary]:
    """Return all edges that can be moved."""
    found = [(SPLITS[kind], rect), *_walk(SPLITS[kind], arrangement, seen, rect)]
    for split, where in found:
        if isinstance(split, Split):
            ends = list(accumulate(_sizes(split, arrangement, seen, where)))
            for number, end in enumerate(ends[:-1]):
                yield Boundary(split, number, (where.x if split.across else where.y) + end, where)


def boundary_at(found: Iterable[Boundary], x: int, y: int) -> Boundary | None:
    """Return the boundary at a cell, or None."""
    for boundary in found:
        rect = boundary.rect
        inside = rect.x <= x < rect.x + rect.width and rect.y <= y < rect.y + rect.height
        if inside and (x if boundary.split.across else y) in (boundary.at - 1, boundary.at):
            return boundary
    return None


def moved(arrangement: Arrangement, seen: frozenset[str], boundary: Boundary, to: int) -> Arrangement:
    """Move a boundary to a column or row, as far as its two neighbours can shrink."""
    split, number, _, rect = boundary
    sizes = _sizes(split, arrangement, seen, rect)
    least = _leasts(split, seen)
    start = (rect.x if split.across else rect.y) + sum(sizes[:number])
    both = sizes[number] + sizes[number + 1]
    low, high = least[number], both - least[number + 1]
    if low > high:
        return arrangement
    first = min(max(to - start, low), high)
    sizes[number : number + 2] = [first, both - first]
    return _of_cells(arrangement, split, seen, sizes)


def grown(
    kind: Kind,
    arrangement: Arrangement,
    seen: frozenset[str],
    rect: Rect,
    pane: str,
    *,
    across: bool,
    by: int,
) -> Arrangement | None:
    """Make a pane wider or higher by ``by`` cells (negative: smaller). Return None if no pane is beside it in this
    direction.

    If no cell can be moved, the same arrangement is returned.
    """
    where = rect
    found: tuple[Split, Rect] | None = None
    inside: str | Split = SPLITS[kind]
    while isinstance(inside, Split):  # find the innermost split in which the pane has neighbours
        split = inside
        parts = _seen_parts(split, seen)
        if split.across == across and len(parts) > 1:
            found = split, where
        at = next((i for i, part in enumerate(parts) if pane in _panes(part)), None)
        if at is None:
            return None
        where = list(_cut(split, arrangement, seen, where))[at][1]
        inside = parts[at]
    if found is None:
        return None
    split, where = found
    parts = _seen_parts(split, seen)
    at = next(i for i, part in enumerate(parts) if pane in _panes(part))
    sizes, least = _sizes(split, arrangement, seen, where), _leasts(split, seen)
    others = sorted((i for i in range(len(parts)) if i != at), key=lambda i: (abs(i - at), -i))
    givers, takers = (others, [at]) if by > 0 else ([at], others[:1])
    left = abs(by)
    for giver in givers:
        given = min(left, max(sizes[giver] - least[giver], 0))
        sizes[giver] -= given
        sizes[takers[0]] += given
        left -= given
    return _of_cells(arrangement, split, seen, sizes) if left < abs(by) else arrangement


# Whole cells


def shares(total: int, parts: Sequence[int]) -> list[int]:
    """Divide a length into whole cells by shares."""
    edges = [total * part // sum(parts) for part in accumulate(parts, initial=0)]
    return [end - start for start, end in pairwise(edges)]


def fitted(total: int, parts: Sequence[int], least: Sequence[int]) -> list[int]:
    """Divide as :func:`shares` does, but make no part smaller than its ``least`` if the total is large enough."""
    if total <= sum(least):
        return shares(total, least)
    free = list(range(len(parts)))
    sizes = list(least)
    while free:
        rest = total - sum(sizes[i] for i in range(len(parts)) if i not in free)
        made = shares(rest, [parts[i] for i in free])
        short = [i for i, size in zip(free, made, strict=True) if size < least[i]]
        if not short:
            for i, size in zip(free, made, strict=True):
                sizes[i] = size
            break
        free = [i for i in free if i not in short]
    return sizes


def _panes(part: str | Split) -> tuple[str, ...]:
    if isinstance(part, str):
        return (part,)
    return tuple(name for inner in part.parts for name in _panes(inner))


def _seen_parts(split: Split, seen: frozenset[str]) -> list[str | Split]:
    return [part for part in split.parts if not seen.isdisjoint(_panes(part))]


def _least(part: str | Split, seen: frozenset[str], across: bool) -> int:
    if isinstance(part, str):
        return LEAST[0] if across else LEAST[1]
    inner = [_least(one, seen, across) for one in _seen_parts(part, seen)]
    return sum(inner) if part.across == across else max(inner)


def _leasts(split: Split, seen: frozenset[str]) -> list[int]:
    return [_least(part, seen, split.across) for part in _seen_parts(split, seen)]


def _sizes(split: Split, arrangement: Arrangement, seen: frozenset[str], rect: Rect) -> list[int]:
    parts = _seen_parts(split, seen)
    by_part = dict(zip(split.parts, arrangement.shares(split), strict=True))
    total = rect.width if split.across else rect.height
    return fitted(total, [by_part[part] for part in parts], _leasts(split, seen))


def _cut(
    split: Split, arrangement: Arrangement, seen: frozenset[str], rect: Rect
) -> Iterator[tuple[str | Split, Rect]]:
    at = 0
    sizes = _sizes(split, arrangement, seen, rect)
    for part, size in zip(_seen_parts(split, seen), sizes, strict=True):
        yield (
            part,
            Rect(rect.x + at, rect.y, size, rect.height)
            if split.across
            else Rect(rect.x, rect.y + at, rect.width, size),
        )
        at += size


def _walk(
    split: Split, arrangement: Arrangement, seen: frozenset[str], rect: Rect
) -> Iterator[tuple[str | Split, Rect]]:
    for part, where in _cut(split, arrangement, seen, rect):
        yield part, where
        if isinstance(part, Split):
            yield from _walk(part, arrangement, seen, where)


def _of_cells(
    arrangement: Arrangement, split: Split, seen: frozenset[str], sizes: Sequence[int]
) -> Arrangement:
    """Return shares that give these sizes in this window. Hidden parts keep their shares in proportion."""
    before = arrangement.shares(split)
    shown = [not seen.isdisjoint(_panes(part)) for part in split.parts]
    times = max(_FINE // max(sum(sizes), 1), 1)
    were = sum(share for share, seen_now in zip(before, shown, strict=True) if seen_now)
    cells = iter(sizes)
    return arrangement.with_shares(
        split,
        (
            next(cells) * times if seen_now else max(share * times * sum(sizes) // were, 1)
            for share, seen_now in zip(before, shown, strict=True)
        ),
    )


class PlacedLayout(Layout):
    """A layout for Textual that gives each child the place of its id, and leaves out children without one."""

    name = "placed"

    def __init__(self, places: Callable[[], Mapping[str, Rect]]) -> None:
        self._places = places

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        parent.pre_layout(self)
        places = self._places()
        return [
            WidgetPlacement(Region(*places[child.id]), NULL_OFFSET, NULL_SPACING, child)
            for child in children
            if child.id is not None and child.id in places
        ]
