"""All messages: from widgets to their screen, and from controllers to all open screens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from textual.message import Message

if TYPE_CHECKING:
    from planscope.debugger.selection import Selection
    from planscope.tui.arrangement import Arrangement, Kind


class PaneMessage(Message):
    """A message from a pane; ``pane`` is its name in the layout."""

    def __init__(self, pane: str) -> None:
        super().__init__()
        self.pane = pane


class PaneClicked(PaneMessage):
    """The pane was clicked, so it becomes the current one."""


class PaneZoomed(PaneMessage):
    """The pane was double-clicked: it fills the screen, or no longer does."""


class EdgeDragged(Message):
    """An edge between panes is dragged from ``start`` to ``to``, both cells of the screen."""

    def __init__(self, start: tuple[int, int], to: tuple[int, int]) -> None:
        super().__init__()
        self.start = start
        self.to = to


class EdgeDropped(Message):
    """The dragged edge was released."""


class Picked(Message):
    """Something in a pane was selected."""

    def __init__(self, selection: Selection) -> None:
        super().__init__()
        self.selection = selection


class KeyHintClicked(Message):
    """An action in the footer was clicked; ``action`` is its id in the table."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = action


class OptionChosen(Message):
    """One of the next calls in the what-if pane was chosen. ``taken``: it is to be played."""

    def __init__(self, at: int, taken: bool) -> None:
        super().__init__()
        self.at = at
        self.taken = taken


class ThemeChosen(Message):
    """A theme was chosen, not only previewed."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class Arranged(Message):
    """The user arranged the panes of a kind of window. None means that the arrangement was reset."""

    def __init__(self, kind: Kind, arrangement: Arrangement | None) -> None:
        super().__init__()
        self.kind = kind
        self.arrangement = arrangement


class DocumentChanged(Message):
    """The open session changed: ``what`` and, for a variant, run or dissection, its ``id``.

    ``fields``: title, notes, breakpoints, watches or cursor. ``saving``: only the save status or the path changed.
    ``removed``: queries and runs were deleted or restored.
    ``fresh``: False if the thing with this id was there before.
    """

    def __init__(
        self,
        what: Literal["opened", "variant", "run", "dissection", "fields", "saving", "removed"],
        id: str = "",
        fresh: bool = True,
    ) -> None:
        super().__init__()
        self.what = what
        self.id = id
        self.fresh = fresh


class Judged(Message):
    """The judge knows more about the displayed run. ``key``: the ids of query and run."""

    def __init__(self, key: tuple[str, str]) -> None:
        super().__init__()
        self.key = key


class FactsFound(Message):
    """The oracle's facts about one step were found."""

    def __init__(self, key: tuple[str, str], index: int) -> None:
        super().__init__()
        self.key = key
        self.index = index


class LiveChanged(Message):
    """The live run began, paused, asks the user what its interrupted graph asks a person, went on, or ended.
    ``failed``: it could not be run; ``trouble`` says why.

    Of an attached agent: ``tools``: the run has more tools than before. ``waiting``: it has no run yet, or no more.
    ``gone``: its process has ended, or the connection broke off.
    """

    def __init__(
        self,
        what: Literal["began", "paused", "asks", "resumed", "ended", "failed", "tools", "waiting", "gone"],
        run_id: str = "",
        trouble: str = "",
    ) -> None:
        super().__init__()
        self.what = what
        self.run_id = run_id
        self.trouble = trouble


class DissectionChanged(Message):
    """The dissection began or ended."""


class CauseFound(Message):
    """It is known what the last dissection of a query found."""

    def __init__(self, variant: str) -> None:
        super().__init__()
        self.variant = variant


class StateChanged(Message):
    """The controller of one screen changed what that screen shows: a draft, or a list."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, StateChanged)


class Notice(Message):
    """A notice to show above the keys."""

    def __init__(self, line: str) -> None:
        super().__init__()
        self.line = line
