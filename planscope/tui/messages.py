"""All messages: from widgets to their screen, and from controllers to all open screens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual.message import Message

if TYPE_CHECKING:
    from textual.selection import Selection as TextSelection
    from textual.widget import Widget

    from planscope.debugger.selection import Selection
    from planscope.tui.arrangement import Arrangement, Kind


@dataclass
class PaneClicked(Message):
    """The pane with this name in the layout was clicked, so it becomes the current one. ``again``: it was
    double-clicked, and fills the screen, or no longer does."""

    pane: str
    again: bool = False


class PaneResized(Message):
    """The size of a pane changed, and so may the rows that its content fills."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, PaneResized)


@dataclass
class EdgeDragged(Message):
    """An edge between panes is dragged from ``start`` to ``to``, both cells of the screen. It is released if there is
    no ``to``."""

    start: tuple[int, int]
    to: tuple[int, int] | None = None


@dataclass
class TextMarked(Message):
    """Text of a pane is selected with the mouse."""

    widget: Widget
    selection: TextSelection


@dataclass
class Picked(Message):
    """Something in a pane was selected."""

    selection: Selection


@dataclass
class KeyHintClicked(Message):
    """An action in the footer was clicked; ``action`` is its id in the table."""

    action: str


@dataclass
class OptionChosen(Message):
    """One of the next calls in the what-if pane was chosen. ``taken``: it is to be played."""

    at: int
    taken: bool


@dataclass
class ThemeChosen(Message):
    """A theme was chosen, not only previewed."""

    name: str


@dataclass
class Arranged(Message):
    """The user arranged the panes of a kind of window. None means that the arrangement was reset."""

    kind: Kind
    arrangement: Arrangement | None


@dataclass
class DocumentChanged(Message):
    """The open session changed: ``what`` and, for a variant, run or dissection, its ``id``.

    ``fields``: title, notes, breakpoints, watches or cursor. ``saving``: only the save status or the path changed.
    ``removed``: queries and runs were deleted or restored.
    ``fresh``: False if the thing with this id was there before.
    """

    what: Literal["opened", "variant", "run", "dissection", "fields", "saving", "removed"]
    id: str = ""
    fresh: bool = True


@dataclass
class Judged(Message):
    """The judge knows more about the displayed run. ``key``: the ids of query and run."""

    key: tuple[str, str]


@dataclass
class FactsFound(Message):
    """The oracle's facts about one step were found."""

    key: tuple[str, str]
    index: int


@dataclass
class LiveChanged(Message):
    """The live run began, paused, asks the user what its interrupted graph asks a person, went on, or ended.
    ``failed``: it could not be run; ``trouble`` says why.

    Of an attached agent: ``tools``: the run has more tools than before. ``waiting``: it has no run yet, or no more.
    ``gone``: its process has ended, or the connection broke off.
    """

    what: Literal["began", "paused", "asks", "resumed", "ended", "failed", "tools", "waiting", "gone"]
    run_id: str = ""
    trouble: str = ""


class DissectionChanged(Message):
    """The dissection began or ended."""


@dataclass
class CauseFound(Message):
    """It is known what the last dissection of a query found."""

    variant: str


class StateChanged(Message):
    """The controller of one screen changed what that screen shows: a draft, or a list."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, StateChanged)


@dataclass
class Notice(Message):
    """A notice to show to the user."""

    line: str
