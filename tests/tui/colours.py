"""How colours look: WCAG contrast, and what eyes that miss a kind of cone see of them."""

from __future__ import annotations

from textual.color import Color


def linear(color: str) -> tuple[float, float, float]:
    parts = [c / 255 for c in Color.parse(color).rgb]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return red, green, blue


def luminance(color: str) -> float:
    red, green, blue = linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """WCAG 2.1: 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


Eye = tuple[tuple[float, float, float], ...]

EYES: dict[str, Eye] = {  # Machado, Oliveira and Fernandes 2009, severity 1, over linear RGB
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.01182, 0.04294, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.3039),
    ),
}


def difference(one: str, other: str, eye: Eye) -> float:
    """How far apart two colours are for an eye: the distance in CIELAB (CIE 1976), of which about 2 can be seen."""
    a, b = (_lab(color, eye) for color in (one, other))
    return float(sum((p - q) ** 2 for p, q in zip(a, b, strict=True)) ** 0.5)


def _lab(color: str, eye: Eye) -> tuple[float, float, float]:
    seen = [sum(a * b for a, b in zip(row, linear(color), strict=True)) for row in eye]
    red, green, blue = (min(1.0, max(0.0, c)) for c in seen)
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883,
    )
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)
