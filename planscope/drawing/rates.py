"""Draws success rates by number of actions as SVG: a line with its band for each agent (Figures 8 and 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from planscope.safe import visible
from planscope.wording.phrases import percent

COLOURS = ("#0b6bcb", "#c2410c", "#15803d", "#7c3aed", "#b91c1c", "#0f766e", "#a16207", "#be185d")
DASHES = ("", "6 3", "2 3", "8 3 2 3")
"""Lines are told apart by dashes and marks as well as by colour."""

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 420, 280, 48, 16, 16, 40
"""Narrow, so that letters of 12 pixels can still be read on a phone."""


class Point(NamedTuple):
    """The rate at a number of actions, with its interval."""

    actions: int
    rate: float
    ci: tuple[float, float]


def rates_svg(title: str, lines: Mapping[str, Sequence[Point]], limit: float, *, paper: bool = False) -> str:
    """Return a plot with its legend below. ``limit``: the rate at the dashed line. ``paper``: on white,
    for a file that stands alone."""
    height = HEIGHT + 20 * len(lines) + 10
    alone = ' xmlns="http://www.w3.org/2000/svg"' if paper else ""
    ground = f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>' if paper else ""
    name = quoteattr(visible(f"success rates of {title}"))
    return "\n".join(
        [
            f'<svg{alone} viewBox="0 0 {WIDTH} {height}" role="img" '
            f'aria-label={name} font-family="sans-serif" font-size="12" fill="currentColor">{ground}',
            *_axes(lines, limit),
            *(part for k, one in enumerate(lines.items()) for part in _line(k, *one, _Scale(lines))),
            "</svg>\n",
        ]
    )


class _Scale:
    def __init__(self, lines: Mapping[str, Sequence[Point]]) -> None:
        ns = sorted({point.actions for line in lines.values() for point in line}) or [2]
        self.low, self.high = ns[0], max(ns[-1], ns[0] + 1)

    def x(self, n: int) -> float:
        return LEFT + (n - self.low) / (self.high - self.low) * (WIDTH - LEFT - RIGHT)

    def y(self, rate: float) -> float:
        return TOP + (1 - rate) * (HEIGHT - TOP - BOTTOM)


def _axes(lines: Mapping[str, Sequence[Point]], limit: float) -> Iterator[str]:
    scale = _Scale(lines)
    for step in range(0, 101, 20):
        at = scale.y(step / 100)
        looks = 'stroke-dasharray="4 4"' if step == round(limit * 100) else 'stroke-opacity="0.15"'
        yield f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="currentColor" {looks}/>'
        yield f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{percent(step / 100)}</text>'
    for n in range(scale.low, scale.high + 1, max(1, (scale.high - scale.low) // 12)):
        yield f'<text x="{scale.x(n):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{n}</text>'
    yield f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 4}" text-anchor="middle">actions</text>'


def _line(k: int, name: str, line: Sequence[Point], scale: _Scale) -> Iterator[str]:
    colour, dash = COLOURS[k % len(COLOURS)], DASHES[k // len(COLOURS) % len(DASHES)]
    upper = [f"{scale.x(p.actions):.1f},{scale.y(p.ci[1]):.1f}" for p in line]
    lower = [f"{scale.x(p.actions):.1f},{scale.y(p.ci[0]):.1f}" for p in reversed(line)]
    yield f'<polygon points="{" ".join(upper + lower)}" fill="{colour}" fill-opacity="0.12"/>'
    places = [(scale.x(p.actions), scale.y(p.rate)) for p in line]
    joined = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    yield f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
    x, y = LEFT, HEIGHT + 16 + 20 * k
    yield "".join(_mark(k, a, b, colour) for a, b in [*places, (x, y)])
    yield f'<text x="{x + 12:.0f}" y="{y + 4}">{escape(visible(name))}</text>'


def _mark(k: int, a: float, b: float, colour: str) -> str:
    """Return the mark of the k-th line, whose shape tells it apart without colour."""
    shapes = (
        f"M{a - 4:.1f} {b:.1f}a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
        f"M{a - 3.5:.1f} {b - 3.5:.1f}h7v7h-7z",
        f"M{a:.1f} {b - 5:.1f}l5 9h-10z",
        f"M{a:.1f} {b - 5:.1f}l5 5-5 5-5-5z",
    )
    return f'<path d="{shapes[k % len(shapes)]}" fill="{colour}"/>'
