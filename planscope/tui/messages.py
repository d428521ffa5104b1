"""All that panes tell the room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
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


class OptionChosen(Message):
    """A next call was chosen in the pane of what could be played; ``taken``: and is to be played."""

    def __init__(self, at: int, taken: bool) -> None:
        super().__init__()
        self.at = at
        self.taken = taken


class NotOpened(Message):
    """The session turned out to be none; ``why`` is one line."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__()
