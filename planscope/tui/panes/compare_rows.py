"""The rows of the compare screen: each row has a line in both columns."""

from __future__ import annotations

from dataclasses import dataclass

from planscope.tui.style.lines import Line, Run


@dataclass(frozen=True, slots=True)
class Row:
    """A row with a line in each column. ``differs``: the two sides differ. ``steps``: the index of each side's step.

    ``constraints``: the id of each side's constraint, or "".
    """

    a: Line
    b: Line
    differs: bool = False
    steps: tuple[int | None, int | None] = (None, None)
    constraints: tuple[str, str] = ("", "")


def both(*runs: Run, differs: bool = False) -> Row:
    """Make a row with the same line in both columns."""
    line = Line(runs)
    return Row(line, line, differs)


def beside(
    a: list[tuple[Run, ...]],
    b: list[tuple[Run, ...]],
    differs: bool,
    steps: tuple[int | None, int | None] = (None, None),
    constraints: tuple[str, str] = ("", ""),
) -> list[Row]:
    """Put two paragraphs side by side. If ``differs``, only the first row counts as a difference."""
    longest = max(len(a), len(b))
    a, b = a + [()] * (longest - len(a)), b + [()] * (longest - len(b))
    return [
        Row(Line(x), Line(y), differs and i == 0, steps, constraints)
        for i, (x, y) in enumerate(zip(a, b, strict=True))
    ]
