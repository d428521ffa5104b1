"""The keys that arrange the panes: their sizes, which are hidden, which is the current one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from textual import on

from planscope.tui.arrangement import (
    ALL_PANES,
    FIRST,
    HIDEABLE,
    UPPER,
    Arrangement,
    Boundary,
    Kind,
    boundaries,
    boundary_at,
    grown,
    moved,
    top_pane,
)
from planscope.tui.messages import Arranged, EdgeDragged, EdgeDropped
from planscope.tui.rooms.room import Room

COLUMNS_A_KEY, ROWS_A_KEY = 2, 1


class Arranging(Room):
    """``configured`` gives the arrangement of a kind of window before anything was changed on screen."""

    configured: Callable[[Kind], Arrangement] = staticmethod(FIRST.__getitem__)
    _dragging: tuple[object, Boundary | None] | None = None
    """Where the mouse took hold, in which arrangement of which panes, and of what."""

    @property
    def arrangement(self) -> Arrangement:
        """That of this kind of window."""
        return self.arrangements[self.kind]

    def rearrange(self, arrangement: Arrangement) -> None:
        """Change the arrangement of this kind of window, and remember it."""
        if arrangement == self.arrangement:
            return
        self.arrangements[self.kind] = arrangement
        self.lay_out()
        self.post_message(Arranged(self.kind, arrangement))

    # Which is the current one

    def action_show_pane(self, name: str) -> None:
        """Turn to a pane; one that was hidden is not hidden any more."""
        hidden = self.arrangement.hidden
        self.change(pane=name, top=name if name in UPPER else self.state.top, notice="")
        self.rearrange(replace(self.arrangement, hidden=hidden - {name}))

    def action_next_pane(self) -> None:
        self._turn_to(1)

    def action_previous_pane(self) -> None:
        self._turn_to(-1)

    def _turn_to(self, by: int) -> None:
        """The next that is not hidden; where one plays, what could be played never is."""
        hidden = self.arrangement.hidden - ({"step"} if self.state.play is not None else set())
        order = [name for name in ALL_PANES if name not in hidden or name == self.state.pane]
        name = order[(order.index(self.state.pane) + by) % len(order)]
        self.change(pane=name, top=name if name in UPPER else self.state.top, notice="")

    # What is hidden

    def action_hide_pane(self) -> None:
        self.hide_pane(self.state.pane)

    def hide_pane(self, name: str) -> None:
        """Hide a pane, or the inspector; the others take its place. One always stays."""
        if name == "step" and self.state.play is not None:
            self.tell("you are playing what if: this pane stays")
            return
        hidden = self.arrangement.hidden | {name}
        left = [pane for pane in ALL_PANES if pane not in hidden]
        if not left:
            self.tell("the last pane stays")
            return
        if self.state.pane in hidden:
            later = ALL_PANES.index(self.state.pane)
            pane = next((one for one in left if ALL_PANES.index(one) > later), left[0])
            self.change(pane=pane, zoomed=False)
        arrangement = replace(self.arrangement, hidden=hidden)
        self.rearrange(arrangement)
        self.change(top=top_pane(arrangement, self.state.top) or self.state.top)
        digit = f"{ALL_PANES.index(name) + 1} shows it again" if name in ALL_PANES else "I shows it again"
        self.tell(f"{name} hidden: {digit}")

    def show_hidden(self, name: str) -> None:
        if name in ALL_PANES:
            self.action_show_pane(name)
        else:
            self.rearrange(replace(self.arrangement, hidden=self.arrangement.hidden - {name}))

    def action_toggle_inspector(self) -> None:
        if self.kind != "broad":
            self.tell("the inspector needs a window of 170 columns and 44 rows")
        elif "inspector" in self.arrangement.hidden:
            self.show_hidden("inspector")
            self.tell("")
        else:
            self.hide_pane("inspector")

    def hidden_panes(self) -> list[tuple[str, bool]]:
        """Every pane that this kind of window can have, and whether it is hidden."""
        hidden = self.arrangement.hidden
        return [(name, name in hidden) for name in HIDEABLE if name != "inspector" or self.kind == "broad"]

    # Sizes

    def action_wider(self) -> None:
        self._grow(across=True, by=COLUMNS_A_KEY)

    def action_narrower(self) -> None:
        self._grow(across=True, by=-COLUMNS_A_KEY)

    def action_higher(self) -> None:
        self._grow(across=False, by=ROWS_A_KEY)

    def action_lower(self) -> None:
        self._grow(across=False, by=-ROWS_A_KEY)

    def _grow(self, *, across: bool, by: int) -> None:
        state = self.state
        if self.too_small:
            return
        if state.zoomed:
            self.tell("this pane fills the screen: z undoes that")
            return
        arrangement = grown(
            self.kind, self.arrangement, self.seen, self.inside, state.pane, across=across, by=by
        )
        if arrangement is None:
            where = "beside" if across else "above or below"
            self.tell(f"nothing is {where} this pane to share with")
        elif arrangement == self.arrangement:
            self.tell("there is no more room to give" if by > 0 else "this pane cannot be smaller")
        else:
            self.rearrange(arrangement)
            self.tell("")

    def action_reset_layout(self) -> None:
        """The panes as the config file has them, or as they were at first."""
        self.arrangements[self.kind] = self.configured(self.kind)
        self.lay_out()
        self.post_message(Arranged(self.kind, None))
        self.tell("all panes as they were at first")

    @on(EdgeDragged)
    def _edge_dragged(self, message: EdgeDragged) -> None:
        if self.state.zoomed or self.too_small:
            return
        here = (message.start, self.kind, self.seen, self.inside)
        if self._dragging is None or self._dragging[0] != here:
            found = boundaries(self.kind, self.arrangement, self.seen, self.inside)
            self._dragging = (here, boundary_at(found, *message.start))
        boundary = self._dragging[1]
        if boundary is None:
            return
        split = boundary.split
        start, to = (place[0 if split.across else 1] for place in (message.start, message.to))
        arrangement = moved(self.arrangement, self.seen, boundary, boundary.at + to - start)
        if arrangement != self.arrangement:
            self.rearrange(arrangement)

    @on(EdgeDropped)
    def _edge_dropped(self) -> None:
        self._dragging = None
