"""What the pages of the compare room are made of: rows of two columns, and the signs of what changed."""

from __future__ import annotations

from dataclasses import dataclass

from planscope.tui.style.lines import Line, Run


@dataclass(frozen=True, slots=True)
class Row:
    """A row of both columns. ``differs``: it is a difference. ``steps``: the steps that it shows, by their index."""

    a: Line
    b: Line
    differs: bool = False
    steps: tuple[int | None, int | None] = (None, None)


def both(*runs: Run, differs: bool = False) -> Row:
    """The same at both sides."""
    return Row(Line(runs), Line(runs), differs)


def beside(
    a: list[tuple[Run, ...]],
    b: list[tuple[Run, ...]],
    differs: bool,
    steps: tuple[int | None, int | None] = (None, None),
) -> list[Row]:
    """Two paragraphs beside each other, in as many rows as the longer one; the first of them is the difference."""
    longest = max(len(a), len(b))
    a, b = a + [()] * (longest - len(a)), b + [()] * (longest - len(b))
    return [
        Row(Line(x), Line(y), differs and i == 0, steps) for i, (x, y) in enumerate(zip(a, b, strict=True))
    ]
