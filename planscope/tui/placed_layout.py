"""Puts widgets where a room says that they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

from planscope.tui.arrangement import Rect


class PlacedLayout(Layout):
    """Asks for the place of each child by its id; what has none is left out."""

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
