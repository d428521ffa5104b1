"""Decides which panes of the debug screen are visible, how large they are, and which one receives keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from planscope.tui.arrangement import (
    ALL_PANES,
    FIRST,
    HIDEABLE,
    SMALLEST,
    UPPER,
    Arrangement,
    Boundary,
    Kind,
    Panes,
    Rect,
    is_too_small,
    kind_of,
    seen_panes,
    top_pane,
)
from planscope.tui.controllers.document import Post
from planscope.tui.keys import key_for
from planscope.tui.messages import Arranged

COLUMNS_A_KEY, ROWS_A_KEY = 2, 1

Place = tuple[int, int]
"""A cell of the screen: column, row."""


class PaneLayout:
    """The arrangement of each kind of window, the current pane, the upper pane of a narrow window, and the zoom.

    ``bare``: what is shown has neither a query nor rules. ``playing``: the what-if pane replaces the step pane.
    ``notice``: the lines of the notice, over the panes. Posts :class:`Arranged` on changes that are remembered. Some
    methods return a notice: one line that says what changed, or why nothing did.
    """

    def __init__(
        self,
        arrangements: Mapping[Kind, Arrangement] = FIRST,
        configured: Callable[[Kind], Arrangement] = FIRST.__getitem__,
        post: Post = lambda message: None,
    ) -> None:
        self.arrangements = dict(arrangements)
        self.pane = "timeline"
        self.top = "query"
        self.zoomed = False
        self.playing = False
        self.pictured = ""
        self.commands = False
        self.columns, self.rows = 0, 0
        self.shows(bare=False, notice=0, wants={})
        self._configured = configured
        self._post = post
        self._held: tuple[object, Boundary | None] | None = None
        self._placed: tuple[Panes | None, dict[str, Rect]] = None, {}

    def fit(self, columns: int, rows: int) -> None:
        """Set the window's size."""
        self.columns, self.rows = columns, rows

    def shows(self, *, bare: bool, notice: int, wants: Mapping[str, int]) -> None:
        """Note what is shown: whether it has neither query nor rules, the lines of the notice, and the rows that the
        content of each pane fills."""
        self.bare, self.notice, self.wants = bare, notice, wants

    @property
    def kind(self) -> Kind:
        return kind_of(self.columns, self.rows, self.bare)

    @property
    def too_small(self) -> bool:
        return is_too_small(self.columns, self.rows)

    @property
    def inside(self) -> Rect:
        """The area of all panes, between header and footer."""
        return Rect(0, 1, self.columns, self.rows - 2 - self._shows_commands)

    @property
    def arrangement(self) -> Arrangement:
        """The arrangement of this kind of window."""
        return self.arrangements[self.kind]

    @property
    def seen(self) -> frozenset[str]:
        """The visible panes if none is zoomed."""
        needed = {name for name, on in (("step", self.playing), ("tree", self.pictured)) if on}
        arrangement = replace(self.arrangement, hidden=self.arrangement.hidden - needed)
        return seen_panes(self.kind, arrangement, self.top, self.pane)

    @property
    def panes(self) -> Panes:
        """The visible panes in their places, if none is zoomed."""
        return Panes(self.kind, self.arrangement, self.seen, self.inside, self.wants)

    def places(self) -> dict[str, Rect]:
        """The place of each widget of the screen, by its id."""
        if self.too_small:
            return {"too-small": Rect(0, 0, self.columns, self.rows)}
        if (panes := self.panes) != self._placed[0]:
            self._placed = panes, panes.places()
        found = {self.pane: self.inside} if self.zoomed else dict(self._placed[1])
        if self.playing and "step" in found:
            found["play"] = found.pop("step")
        if self.pictured and "tree" in found:
            found[self.pictured] = found.pop("tree")
        below = self.rows - 1
        lines = {"header": (0, 1), "command": (below - 1, self._shows_commands), "footer": (below, 1)}
        lines["notice"] = (below - self.notice, self.notice)
        return found | {name: Rect(0, y, self.columns, high) for name, (y, high) in lines.items() if high}

    # The current pane

    def turn_to(self, pane: str) -> None:
        self.pane = pane
        if pane in UPPER:
            self.top = pane

    def show(self, pane: str) -> None:
        """Make a pane the current one, or show the inspector. It is not hidden any more."""
        if pane in ALL_PANES:
            self.turn_to(pane)
        if pane in FIRST[self.kind].hidden:  # it is empty, and shown only while it is the current one
            return
        self._rearrange(replace(self.arrangement, hidden=self.arrangement.hidden - {pane}))

    def reveal(self, pane: str) -> None:
        """Bring a pane to the front if only one is visible there: an upper pane of a narrow window, or a zoomed
        pane."""
        if pane in UPPER:
            self.top = pane
        if self.zoomed:
            self.pane = pane

    def next(self, by: int) -> None:
        """Make the next pane that is not hidden the current one."""
        hidden = self.arrangement.hidden - ({"step"} if self.playing else set())
        order = [name for name in ALL_PANES if name not in hidden or name == self.pane]
        self.turn_to(order[(order.index(self.pane) + by) % len(order)])

    def zoom(self, on: bool) -> None:
        """Zoom one pane to the whole screen, or end the zoom."""
        self.zoomed = on

    def play(self, on: bool) -> None:
        """Begin or end what-if play, whose pane replaces the step pane."""
        self.playing = on

    def picture(self, pane: str) -> None:
        """Show the pane of a picture in the place of the tree. "" shows the tree again."""
        self.pictured = pane

    @property
    def _shows_commands(self) -> bool:
        return self.commands and self.rows > SMALLEST[1]

    def show_commands(self, on: bool) -> None:
        """Show or hide the line with the shell command that does the same as the last key."""
        self.commands = on

    # Hidden panes

    def hide(self, pane: str) -> str:
        """Hide a pane, or the inspector. The last pane cannot be hidden."""
        if pane == "step" and self.playing:
            return "this pane cannot be hidden during what-if play"
        hidden = self.arrangement.hidden | {pane}
        left = [one for one in ALL_PANES if one not in hidden]
        if not left:
            return "the last pane cannot be hidden"
        if self.pane in hidden:
            later = ALL_PANES.index(self.pane)
            self.pane = next((one for one in left if ALL_PANES.index(one) > later), left[0])
            self.zoomed = False
        arrangement = replace(self.arrangement, hidden=hidden)
        self._rearrange(arrangement)
        self.top = top_pane(arrangement, self.top) or self.top
        shows = key_for(f"show-pane-{pane}" if pane in ALL_PANES else "toggle-inspector")
        return f"{pane} hidden: {shows} shows it again"

    def toggle_inspector(self) -> str:
        if self.kind != "broad":
            return "the inspector needs a window of 170 columns and 44 rows"
        if "inspector" not in self.arrangement.hidden:
            return self.hide("inspector")
        self.show("inspector")
        return ""

    def hidden_panes(self) -> list[tuple[str, bool]]:
        """Every pane that this kind of window can have, and whether it is hidden."""
        hidden = self.arrangement.hidden
        return [(name, name in hidden) for name in HIDEABLE if name != "inspector" or self.kind == "broad"]

    # Sizes

    def grow(self, *, across: bool, by: int) -> str:
        """Make the current pane wider or higher by ``by`` cells; a negative number makes it smaller."""
        if self.too_small:
            return ""
        if self.zoomed:
            return f"this pane fills the screen: {key_for('zoom')} restores it"
        made = self.panes.grown(self.pane, across=across, by=by)
        if made is None:
            return f"no pane {'beside' if across else 'above or below'} this one"
        if made == self.arrangement:
            return "there is no more room" if by > 0 else "this pane cannot be smaller"
        self._rearrange(made)
        return ""

    def drag(self, start: Place, to: Place) -> bool:
        """Move the edge at ``start``, which the mouse holds. Return whether anything moved."""
        if self.zoomed or self.too_small:
            return False
        panes, here = self.panes, (start, self.kind, self.seen, self.inside)
        if self._held is None or self._held[0] != here:
            self._held = here, panes.boundary_at(*start)
        boundary = self._held[1]
        if boundary is None:
            return False
        axis = 0 if boundary.split.across else 1
        return self._rearrange(panes.moved(boundary, boundary.at + to[axis] - start[axis]))

    def drop(self) -> None:
        """End the drag of an edge."""
        self._held = None

    def reset(self) -> str:
        """Go back to the config file's arrangement, or to the default one."""
        self.arrangements[self.kind] = self._configured(self.kind)
        self._post(Arranged(self.kind, None))
        return "all panes in their original sizes"

    def _rearrange(self, arrangement: Arrangement) -> bool:
        if arrangement == self.arrangement:
            return False
        self.arrangements[self.kind] = arrangement
        self._post(Arranged(self.kind, arrangement))
        return True
