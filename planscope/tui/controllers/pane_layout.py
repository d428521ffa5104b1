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
    Rect,
    boundaries,
    boundary_at,
    grown,
    is_too_small,
    kind_of,
    moved,
    places,
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
        self.notice = 0
        self.columns, self.rows = 0, 0
        self.bare = False
        self._configured = configured
        self._post = post
        self._dragging: tuple[object, Boundary | None] | None = None

    def fit(self, columns: int, rows: int) -> None:
        """Set the window's size."""
        self.columns, self.rows = columns, rows

    def show_bare(self, bare: bool) -> None:
        """Say whether what is shown has neither a query nor rules."""
        self.bare = bare

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
        arrangement = self.arrangement
        if self.playing:
            arrangement = replace(arrangement, hidden=arrangement.hidden - {"step"})
        if self.pictured:
            arrangement = replace(arrangement, hidden=arrangement.hidden - {"tree"})
        return seen_panes(self.kind, arrangement, self.top, self.pane)

    def places(self) -> dict[str, Rect]:
        """The place of each widget of the screen, by its id."""
        if self.too_small:
            return {"too-small": Rect(0, 0, self.columns, self.rows)}
        inside = self.inside
        zoomed = {self.pane: inside}
        found = zoomed if self.zoomed else places(self.kind, self.arrangement, self.seen, inside)
        if self.playing and "step" in found:
            found["play"] = found.pop("step")
        if self.pictured and "tree" in found:
            found[self.pictured] = found.pop("tree")
        return {
            "header": Rect(0, 0, self.columns, 1),
            **found,
            **({"command": Rect(0, self.rows - 2, self.columns, 1)} if self._shows_commands else {}),
            "footer": Rect(0, self.rows - 1, self.columns, 1),
            **(
                {"notice": Rect(0, self.rows - 1 - self.notice, self.columns, self.notice)}
                if self.notice
                else {}
            ),
        }

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

    def leave_for_notice(self, lines: int) -> bool:
        """Keep the lowest lines of the panes for a notice. Return whether their number changed."""
        changed = lines != self.notice
        self.notice = lines
        return changed

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
        made = grown(self.kind, self.arrangement, self.seen, self.inside, self.pane, across=across, by=by)
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
        here = (start, self.kind, self.seen, self.inside)
        if self._dragging is None or self._dragging[0] != here:
            found = boundaries(self.kind, self.arrangement, self.seen, self.inside)
            self._dragging = (here, boundary_at(found, *start))
        boundary = self._dragging[1]
        if boundary is None:
            return False
        axis = 0 if boundary.split.across else 1
        made = moved(self.arrangement, self.seen, boundary, boundary.at + to[axis] - start[axis])
        return self._rearrange(made)

    def drop(self) -> None:
        """End the drag of an edge."""
        self._dragging = None

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
