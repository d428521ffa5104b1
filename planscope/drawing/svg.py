"""Draws the order graph and the hours as SVG: layers from above, a box for each action; a row of hours for each
action."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from xml.sax.saxutils import escape

from planscope.drawing.hours import Bar, Kind
from planscope.drawing.order import OrderGraph
from planscope.frozen import frozen
from planscope.language.problem import DAY
from planscope.safe import cell_width, clip

GLYPHS: Mapping[Kind, str] = {"done": "✓", "next": "→", "open": "○", "lost": "✗"}
WORDS: Mapping[Kind, str] = {"done": "done", "next": "next", "open": "to do", "lost": "in the conflict"}

CELL, LETTER = 7.3, 12
"""Width of a cell of text and size of its letters, in pixels."""
_BOX, _GAP, _LAYER, _BEND, EDGE = 26, 16, 62, 10, 14
LONGEST = 28
"""Limit for a name, in cells. The title of the box has all of it."""

_HOUR, ROW = 16, 24

_COLOURS = """text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#22262c}
.box rect{fill:#fafaf7;stroke:#6b7280}.done rect{stroke:#1a5e33;fill:#e6f2ea}.next rect{stroke:#0a5c52;stroke-width:2}
.lost rect{stroke:#a34b00;stroke-width:2;fill:#fdf0e0}.edge{fill:none;stroke:#6b7280}
.core{stroke:#a34b00;stroke-width:3}.back{stroke-dasharray:4 3}.axis{stroke:#c9c9c2}
.window{fill:#c6dbf2}.safe{fill:#8fc7bd}.bar{fill:#14508f}.lost .bar{fill:#a34b00}"""


@frozen
class Box:
    """The box of one action, in pixels from the upper left corner."""

    action: str
    label: str
    x: float
    y: float
    width: float
    height: float


@frozen
class Curve:
    """The line of one edge, by its index: an SVG path."""

    edge: int
    path: str


@frozen
class Picture:
    """Boxes and lines of an order graph, and the size of the whole picture."""

    boxes: tuple[Box, ...]
    curves: tuple[Curve, ...]
    width: float
    height: float


def lay_boxes(graph: OrderGraph, names: Mapping[str, str]) -> Picture:
    """Place a box for each action, in its layer, and a line for each edge; long edges pass between boxes.

    ``names``: safe names of the actions.
    """
    layers: list[list[str | int]] = [list(layer) for layer in graph.layers]
    rank = {action: i for i, layer in enumerate(graph.layers) for action in layer}
    stops: list[list[str | int]] = []
    bends = 0
    for edge in graph.edges:
        first, last = rank[edge.before], rank[edge.after]
        way: list[str | int] = [edge.before]
        for number in range(first + 1, last):
            bends += 1
            layers[number].append(bends)
            way.append(bends)
        stops.append([*way, edge.after])
    _untangle(layers, stops)
    if graph.free:
        layers.append(list(graph.free))
    labels = {action: clip(name, LONGEST) for action, name in names.items()}
    wide: dict[str | int, float] = {
        thing: _BEND if isinstance(thing, int) else (cell_width(labels[thing]) + 4) * CELL
        for layer in layers
        for thing in layer
    }
    breadth = [sum(wide[thing] for thing in layer) + _GAP * (len(layer) - 1) for layer in layers]
    width = max(breadth, default=0) + 2 * EDGE
    middle: dict[str | int, float] = {}
    top: dict[str | int, float] = {}
    boxes = []
    for k, layer in enumerate(layers):
        x, y = (width - breadth[k]) / 2, EDGE + k * _LAYER
        for thing in layer:
            middle[thing], top[thing] = x + wide[thing] / 2, y
            if not isinstance(thing, int):
                boxes.append(Box(thing, labels[thing], x, y, wide[thing], _BOX))
            x += wide[thing] + _GAP
    curves = [Curve(n, _path([(middle[s], top[s]) for s in way])) for n, way in enumerate(stops)]
    height = EDGE * 2 + _BOX + _LAYER * (len(layers) - 1) if layers else 2 * EDGE
    return Picture(tuple(boxes), tuple(curves), width, height)


def _untangle(layers: list[list[str | int]], stops: Sequence[Sequence[str | int]]) -> None:
    """Order each layer by the middle of its neighbours above (barycentres), from above and back."""
    beside: dict[str | int, list[str | int]] = defaultdict(list)
    for way in stops:
        for one, other in pairwise(way):
            beside[one].append(other)
            beside[other].append(one)
    for sweep in range(4):
        place = {thing: (i + 0.5) / len(layer) for layer in layers for i, thing in enumerate(layer)}
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            centre = {
                thing: sum(place[other] for other in beside[thing]) / len(beside[thing])
                if beside[thing]
                else place[thing]
                for thing in layer
            }
            layer.sort(key=centre.__getitem__)
            place |= {thing: (i + 0.5) / len(layer) for i, thing in enumerate(layer)}


def _path(points: Sequence[tuple[float, float]]) -> str:
    """Return a smooth line from the lower edge of the first box to the upper edge of the last."""
    x, y = points[0]
    y += _BOX
    path = f"M{x:.1f} {y:.1f}"
    for n, (to_x, to_y) in enumerate(points[1:], 1):
        half = (to_y - y) / 2
        path += f"C{x:.1f} {y + half:.1f} {to_x:.1f} {to_y - half:.1f} {to_x:.1f} {to_y:.1f}"
        x, y = to_x, to_y
        if n < len(points) - 1:
            y += _BOX
            path += f"V{y:.1f}"
    return path


def order_svg(
    graph: OrderGraph, names: Mapping[str, str], kinds: Mapping[str, Kind], core: Collection[str] = ()
) -> str:
    """Return the order graph as one SVG element, without blank lines. ``core``: the constraints of the conflict."""
    picture = lay_boxes(graph, names)
    parts = []
    for curve in picture.curves:
        edge = graph.edges[curve.edge]
        said = "core" if not set(edge.constraints).isdisjoint(core) else ""
        classes = " ".join(part for part in ("edge", said, "back" if edge.back else "") if part)
        ids = escape(" ".join(edge.constraints))
        parts.append(f'<path class="{classes}" d="{curve.path}"><title>{ids}</title></path>')
    for box in picture.boxes:
        kind = kinds.get(box.action, "open")
        text = escape(f"{GLYPHS[kind]} {box.label}")
        parts.append(
            f'<g class="box {kind}"><title>{escape(names[box.action])}: {WORDS[kind]}</title>'
            f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height}" rx="5"/>'
            f'<text x="{box.x + CELL:.1f}" y="{box.y + 17:.1f}">{text}</text></g>'
        )
    return svg_of(parts, picture.width, picture.height, "Order of the actions")


def hours_svg(bars: Sequence[Bar], names: Mapping[str, str]) -> str:
    """Return the hours of each action as one SVG element, without blank lines."""
    labels = {bar.action: clip(names[bar.action], LONGEST) for bar in bars}
    left = max((cell_width(label) for label in labels.values()), default=0) * CELL + 4 * CELL
    bottom = ROW * (len(bars) + 1)
    parts = []
    for hour in range(0, DAY + 1, 3):
        x = left + hour * _HOUR
        parts.append(f'<path class="axis" d="M{x:.1f} {ROW - 6}V{bottom}"/>')
        parts.append(f'<text x="{x - CELL:.1f}" y="{LETTER}">{hour}</text>')
    for row, bar in enumerate(bars, 1):
        y = row * ROW
        spans = (
            (bar.window, "window", 3, ROW - 6),
            (bar.safe, "safe", 3, ROW - 6),
            (bar.done, "bar", 6, ROW - 12),
        )
        drawn = "".join(
            f'<rect class="{name}" x="{left + begin * _HOUR:.1f}" y="{y + down}" '
            f'width="{(end - begin) * _HOUR}" height="{high}"/>'
            for span, name, down, high in spans
            if span is not None
            for begin, end in [(_in_day(span[0]), _in_day(span[1]))]
        )
        text = escape(f"{GLYPHS[bar.kind]} {labels[bar.action]}")
        parts.append(
            f'<g class="{bar.kind}"><title>{escape(names[bar.action])}: {WORDS[bar.kind]}</title>{drawn}'
            f'<text x="{CELL:.1f}" y="{y + 16}">{text}</text></g>'
        )
    return svg_of(parts, left + DAY * _HOUR + 2 * CELL, bottom + EDGE, "Hours of the actions")


def _in_day(hour: int) -> int:
    """Return an hour within the day: an agent can name any hour."""
    return max(0, min(DAY, hour))


def svg_of(parts: Sequence[str], width: float, height: float, title: str) -> str:
    """Return parts as one SVG element of this size in pixels."""
    size = f"{width:.0f} {height:.0f}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{width:.0f}" height="{height:.0f}" '
        f'role="img"><title>{title}</title><style>{_COLOURS}</style>'
    )
    ground = f'<rect class="ground" width="{width:.0f}" height="{height:.0f}" fill="#fafaf7"/>'
    return "\n".join([head, ground, *parts, "</svg>"])
