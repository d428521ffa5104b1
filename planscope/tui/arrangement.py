"""Computes the places of the debug screen's panes, in whole cells, for the first frame and for the debug screen.

Each kind of window (narrow, wide, broad; bare for a run without query and rules) is split into rows and columns. Users
may change their shares and hide panes; the other panes fill the window. No pane is smaller than ``LEAST`` unless the
window is too small for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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


FIRST: Mapping[Kind, Arrangement] = {
    "narrow": Arrangement((5, 8, 9)),
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


Part = str | Split


class Panes(NamedTuple):
    """The visible panes of a window. ``wants``: how many rows each pane's content fills, its upper line included.

    As long as the rows of a window have the shares that planscope comes with, a pane leaves the rows that it does not
    fill to those that need more.
    """

    kind: Kind
    arrangement: Arrangement
    seen: frozenset[str]
    rect: Rect
    wants: Mapping[str, int] = {}

    def places(self) -> dict[str, Rect]:
        """Return the place of each visible pane."""
        return {part: rect for part, rect in self._walk() if isinstance(part, str)}

    def boundaries(self) -> Iterator[Boundary]:
        """Return all edges that can be moved."""
        for split, rect in self._walk():
            if isinstance(split, Split):
                start = rect.x if split.across else rect.y
                for number, end in enumerate(accumulate(self._sizes(split, rect)[:-1])):
                    yield Boundary(split, number, start + end, rect)

    def boundary_at(self, x: int, y: int) -> Boundary | None:
        """Return the boundary at a cell, or None."""
        for boundary in self.boundaries():
            rect = boundary.rect
            inside = rect.x <= x < rect.x + rect.width and rect.y <= y < rect.y + rect.height
            if inside and (x if boundary.split.across else y) in (boundary.at - 1, boundary.at):
                return boundary
        return None

    def moved(self, boundary: Boundary, to: int) -> Arrangement:
        """Move a boundary to a column or row, as far as its two neighbours can shrink."""
        split, number, _, rect = boundary
        sizes, least = self._sizes(split, rect), self._leasts(split)
        low, high = least[number] - sizes[number], sizes[number + 1] - least[number + 1]
        if low > high:
            return self.arrangement
        now = (rect.x if split.across else rect.y) + sum(sizes[: number + 1])
        by = min(max(to - now, low), high)
        sizes[number] += by
        sizes[number + 1] -= by
        return self._of_cells(split, sizes)

    def grown(self, pane: str, *, across: bool, by: int) -> Arrangement | None:
        """Make a pane wider or higher by ``by`` cells (negative: smaller). Return None if no pane is beside it in this
        direction.

        If no cell can be moved, the same arrangement is returned.
        """
        splits = [
            (split, rect, parts)
            for split, rect in self._walk()
            if isinstance(split, Split) and split.across == across and pane in _panes(split)
            if len(parts := self._inside(split)) > 1
        ]
        if not splits:
            return None
        split, rect, parts = splits[-1]  # the innermost
        at = next(i for i, part in enumerate(parts) if pane in _panes(part))
        sizes, least = self._sizes(split, rect), self._leasts(split)
        others = sorted((i for i in range(len(parts)) if i != at), key=lambda i: (abs(i - at), -i))
        givers, taker = (others, at) if by > 0 else ([at], others[0])
        left = abs(by)
        for giver in givers:
            given = min(left, max(sizes[giver] - least[giver], 0))
            sizes[giver] -= given
            sizes[taker] += given
            left -= given
        return self._of_cells(split, sizes) if left < abs(by) else self.arrangement

    # Whole cells

    def _inside(self, split: Split) -> list[Part]:
        return [part for part in split.parts if not self.seen.isdisjoint(_panes(part))]

    def _leasts(self, split: Split) -> list[int]:
        return [self._least(part, split.across) for part in self._inside(split)]

    def _least(self, part: Part, across: bool) -> int:
        if isinstance(part, str):
            return LEAST[0] if across else LEAST[1]
        inner = [self._least(one, across) for one in self._inside(part)]
        return sum(inner) if part.across == across else max(inner)

    def _sizes(self, split: Split, rect: Rect) -> list[int]:
        parts, shares = self._inside(split), self.arrangement.shares(split)
        by_part = dict(zip(split.parts, shares, strict=True))
        total = rect.width if split.across else rect.height
        sizes = fitted(total, [by_part[part] for part in parts], self._leasts(split))
        if split.across or shares != FIRST[self.kind].shares(split):
            return sizes
        return by_content(sizes, [self._wanted(part, size) for part, size in zip(parts, sizes, strict=True)])

    def _wanted(self, part: Part, size: int) -> int:
        """Return the rows that a part's content fills; ``size``, if that is not known."""
        inner = _panes(part)
        rows = [max(self.wants[name], LEAST[1]) for name in inner if name in self.wants and name in self.seen]
        return max(rows, default=size)

    def _walk(self, part: Part | None = None, rect: Rect | None = None) -> Iterator[tuple[Part, Rect]]:
        """Yield all visible parts with their places, outer ones first."""
        part, rect = part or SPLITS[self.kind], rect or self.rect
        yield part, rect
        if isinstance(part, str):
            return
        at = 0
        for inner, size in zip(self._inside(part), self._sizes(part, rect), strict=True):
            x, y, width, height = rect
            where = Rect(x + at, y, size, height) if part.across else Rect(x, y + at, width, size)
            yield from self._walk(inner, where)
            at += size

    def _of_cells(self, split: Split, sizes: Sequence[int]) -> Arrangement:
        """Return shares that give these sizes in this window. Hidden parts keep their shares in proportion."""
        before = self.arrangement.shares(split)
        shown = [not self.seen.isdisjoint(_panes(part)) for part in split.parts]
        times = max(_FINE // max(sum(sizes), 1), 1)
        were = sum(share for share, seen_now in zip(before, shown, strict=True) if seen_now)
        cells = iter(sizes)
        made = (
            next(cells) * times if seen_now else max(share * times * sum(sizes) // were, 1)
            for share, seen_now in zip(before, shown, strict=True)
        )
        changes: dict[str, Any] = {split.name: tuple(made)}
        return replace(self.arrangement, **changes)


def _panes(part: Part) -> tuple[str, ...]:
    return (part,) if isinstance(part, str) else tuple(name for inner in part.parts for name in _panes(inner))


def shares(total: int, parts: Sequence[int]) -> list[int]:
    """Divide a length into whole cells by shares."""
    edges = [total * part // sum(parts) for part in accumulate(parts, initial=0)]
    return [end - start for start, end in pairwise(edges)]


def fitted(total: int, parts: Sequence[int], least: Sequence[int]) -> list[int]:
    """Divide as :func:`shares` does, but make no part smaller than its ``least`` if the total is large enough."""
    if total <= sum(least):
        return shares(total, least)
    sizes = dict(enumerate(least))
    free = list(sizes)
    while free:
        rest = total - sum(size for i, size in sizes.items() if i not in free)
        wide = dict(zip(free, shares(rest, [parts[i] for i in free]), strict=True))
        free = [i for i in free if wide[i] >= least[i]]
        if len(free) == len(wide):
            sizes |= wide
            break
    return list(sizes.values())


def by_content(sizes: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """Let parts leave the rows that they do not fill to those that need more, the smallest need first."""
    spare = [size - rows for size, rows in zip(sizes, wanted, strict=True)]
    order = sorted(range(len(spare)), key=spare.__getitem__)
    for taker in reversed(order):
        for giver in reversed(order):
            rows = min(-spare[taker], spare[giver])
            if rows > 0:
                spare[taker] += rows
                spare[giver] -= rows
    return [rows + free for rows, free in zip(wanted, spare, strict=True)]


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
