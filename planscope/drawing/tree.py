"""Draws the lines of a tree whose nodes stand below one another."""

from __future__ import annotations

from collections.abc import Sequence


def guides(depths: Sequence[int]) -> list[str]:
    """Draw the connecting lines of a tree, given the depths of its nodes in order."""
    made = [""] * len(depths)
    goes_on: list[bool] = []  # for each depth, whether a sibling follows below
    for i in range(len(depths) - 1, -1, -1):
        depth = depths[i]
        while len(goes_on) <= depth:
            goes_on.append(False)
        if depth > 0:
            bars = "".join("│ " if goes_on[d] else "  " for d in range(1, depth))
            made[i] = bars + ("├ " if goes_on[depth] else "└ ")
        goes_on[depth] = True
        del goes_on[depth + 1 :]
    return made
