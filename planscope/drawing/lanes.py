"""Draws the order graph in cells of a terminal: an action on each row, its edges as lanes at the left of the names.

An action that others follow has a lane, which runs from its row to the last of their rows. A branch leads from the lane
to the name of each. A lane that crosses a branch is drawn over it. Edges of the conflict are heavy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

from planscope.drawing.order import OrderGraph
from planscope.frozen import frozen

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
LIGHT = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"
_HEAVY = " ╹╻┃╸┛┓┫╺┗┏┣━┻┳╋"
_BACK, _BACK_HEAVY = "┆", "┇"
"""A part of a lane that points upwards, in a contradiction."""


class Piece(NamedTuple):
    """One cell of a row: its glyph, and the edges that it belongs to, by index."""

    glyph: str
    edges: tuple[int, ...] = ()


@frozen
class Lane:
    """The lane of one action: its column, its first and last row, and the row of each of its edges by index."""

    source: str
    column: int
    first: int
    last: int
    begins: int
    ends: tuple[tuple[int, int], ...]


@frozen
class Lanes:
    """The lanes of a graph. ``columns``: the number of lanes beside each other. ``rows``: the actions, from above."""

    graph: OrderGraph
    rows: tuple[str, ...]
    columns: int
    lanes: tuple[Lane, ...]
    at_row: tuple[tuple[Lane, ...], ...]
    """By row: the lanes that pass or touch it."""


def lay_lanes(graph: OrderGraph) -> Lanes:
    """Give each lane a column. Short lanes are near the names."""
    rows = graph.rows
    place = {action: i for i, action in enumerate(rows)}
    out: dict[str, list[int]] = defaultdict(list)
    for number, edge in enumerate(graph.edges):
        out[edge.before].append(number)
    spans = []
    for source, numbers in out.items():
        ends = tuple((number, place[graph.edges[number].after]) for number in numbers)
        touched = [place[source], *(row for _, row in ends)]
        spans.append((min(touched), max(touched), source, ends))
    spans.sort(key=lambda span: (span[1] - span[0], span[0]))
    taken: list[list[tuple[int, int]]] = []
    lanes = []
    for first, last, source, ends in spans:
        column = next(
            (k for k, others in enumerate(taken) if all(last < a or b < first for a, b in others)), len(taken)
        )
        if column == len(taken):
            taken.append([])
        taken[column].append((first, last))
        lanes.append(Lane(source, column, first, last, place[source], ends))
    at_row: list[list[Lane]] = [[] for _ in rows]
    for lane in lanes:
        for row in range(lane.first, lane.last + 1):
            at_row[row].append(lane)
    return Lanes(graph, rows, len(taken), tuple(lanes), tuple(map(tuple, at_row)))


def width_of(lanes: Lanes, spread: int) -> int:
    """Return the width of the lanes in a row, in cells. ``spread``: cells from one lane to the next."""
    return lanes.columns * spread + 1 if lanes.columns else 0


def draw_row(lanes: Lanes, row: int, spread: int, heavy: Collection[int] = ()) -> tuple[Piece, ...]:
    """Return the cells of a row, from the left up to the name. ``heavy``: the edges of the conflict, by index."""
    width = width_of(lanes, spread)
    if not width:
        return ()
    strokes = [0] * width
    edges: list[tuple[int, ...]] = [()] * width
    joined: list[tuple[int, tuple[int, ...]]] = []
    over: dict[int, tuple[tuple[int, ...], bool]] = {}
    for lane in lanes.at_row[row]:
        at = (lanes.columns - 1 - lane.column) * spread
        here = tuple(number for number, end in lane.ends if end == row)
        through = tuple(
            number for number, end in lane.ends if min(end, lane.begins) <= row <= max(end, lane.begins)
        )
        up = UP if row > lane.first else 0
        down = DOWN if row < lane.last else 0
        edges[at] = through
        if row == lane.begins or here:
            strokes[at] = up | down | RIGHT
            joined.append((at, through if row == lane.begins else here))
        else:
            back = all(end < lane.begins for number, end in lane.ends if number in through)
            over[at] = (through, back)
    if joined:
        for x in range(min(at for at, _ in joined) + 1, width):
            passing = tuple(dict.fromkeys(n for at, numbers in joined if at < x for n in numbers))
            if x in over:
                continue
            strokes[x] |= LEFT | (RIGHT if x < width - 1 else 0)
            edges[x] = tuple(dict.fromkeys((*edges[x], *passing)))
        strokes[width - 1] |= RIGHT
    pieces = []
    for x in range(width):
        if x in over:
            through, back = over[x]
            bold = not set(through).isdisjoint(heavy)
            glyph = (_BACK_HEAVY if bold else _BACK) if back else (_HEAVY if bold else LIGHT)[UP | DOWN]
            pieces.append(Piece(glyph, through))
        else:
            bold = not set(edges[x]).isdisjoint(heavy)
            pieces.append(Piece((_HEAVY if bold else LIGHT)[strokes[x]], edges[x]))
    return tuple(pieces)
