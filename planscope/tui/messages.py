"""All that panes tell the room."""

from __future__ import annotations

from textual.message import Message

from planscope.debugger.selection import Selection


class PaneMessage(Message):
    """From a pane; ``pane`` is its name in the state."""

    def __init__(self, pane: str) -> None:
        super().__init__()
        self.pane = pane


class PaneClicked(PaneMessage):
    """The pane was clicked: it becomes the current one."""


class PaneZoomed(PaneMessage):
    """The pane was double-clicked: it fills the screen, or no longer does."""


class Picked(Message):
    """Something in a pane was pointed at."""

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection


class KeyHintClicked(Message):
    """An action in the footer was clicked; ``action`` is its id in the table."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = action
