"""What the parts of the debug screen share: the state, how it is handed down, and the jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from textual.geometry import Size
from textual.layout import Layout

from planscope.debugger.cursor import DebugState
from planscope.debugger.search import Hit
from planscope.tui.arrangement import (
    ALL_PANES,
    FIRST,
    UPPER,
    Arrangement,
    Kind,
    Rect,
    is_too_small,
    kind_of,
    places,
    seen_panes,
)
from planscope.tui.desk import Desk
from planscope.tui.jobs import Jobs
from planscope.tui.paint import Paint
from planscope.tui.pane_layout import PlacedLayout
from planscope.tui.panes.base import LinePane
from planscope.tui.screens.base import AppScreen
from planscope.tui.state import Facts, RoomState, reflected

__all__ = ["ALL_PANES", "UPPER", "Room"]

_REFLECTED = ("debug", "progress", "links", "breakpoints", "watches", "facts")


class Room(AppScreen[Any]):
    """State down: ``change`` makes a new state and shows it to the panes that are seen.

    ``arrangements``: shares and hidden panes for each kind of window. ``cells``: columns and rows of this one,
    ``places`` of its panes by their id.
    """

    def __init__(self, state: RoomState, paint: Paint, desk: Desk) -> None:
        super().__init__(paint)
        self.desk = desk
        self.state = reflected(state)
        self.panes: tuple[LinePane, ...] = ()
        self.arrangements: dict[Kind, Arrangement] = dict(FIRST)
        self.cells = Size(0, 0)
        self.places: dict[str, Rect] = {}
        self._placed = PlacedLayout(lambda: self.places)
        self._rest: asyncio.TimerHandle | None = None

    @property
    def jobs(self) -> Jobs:
        raise NotImplementedError

    def change(self, **changes: Any) -> None:
        """Replace fields of the state and show what follows from it."""
        old = self.state
        state = replace(old, **changes)
        if any(getattr(state, name) is not getattr(old, name) for name in _REFLECTED):
            state = reflected(state)
        self.state = state
        if (state.pane, state.top, state.zoomed) != (old.pane, old.top, old.zoomed):
            self.lay_out()
        self.show_state()

    def show_state(self) -> None:
        for pane in self.panes:
            pane.show(self.state)

    @property
    def layout(self) -> Layout:
        """Where its panes stand is computed and not said in a style sheet."""
        return self._placed

    @property
    def kind(self) -> Kind:
        return kind_of(*self.cells)

    @property
    def too_small(self) -> bool:
        return is_too_small(*self.cells)

    @property
    def inside(self) -> Rect:
        """The place of all panes: what is between header and footer."""
        return Rect(0, 1, self.cells.width, self.cells.height - 2)

    @property
    def seen(self) -> frozenset[str]:
        """The panes that are seen unless one is zoomed. While one plays, there is what could be played."""
        state, arrangement = self.state, self.arrangements[self.kind]
        if state.play is not None:
            arrangement = replace(arrangement, hidden=arrangement.hidden - {"step"})
        return seen_panes(self.kind, arrangement, state.top, state.pane)

    def fit(self, size: Size) -> None:
        """Choose the layout for a window of so many columns and rows."""
        self.cells = size
        self.lay_out()

    def lay_out(self) -> None:
        """Put the panes where they belong; nothing is done where they stand there already."""
        found = self._where()
        if found == self.places:
            return
        self.places = found
        for pane in self.panes:
            pane.display = pane.id in found
            if pane.display:
                pane.refresh(layout=True)

    def _where(self) -> dict[str, Rect]:
        width, height = self.cells
        if self.too_small:
            return {"too-small": Rect(0, 0, width, height)}
        if self.state.zoomed:
            found = {self.state.pane: self.inside}
        else:
            found = places(self.kind, self.arrangements[self.kind], self.seen, self.inside)
        if self.state.play is not None and "step" in found:
            found["play"] = found.pop("step")
        return {"header": Rect(0, 0, width, 1), **found, "footer": Rect(0, height - 1, width, 1)}

    def move(self, debug: DebugState, hit: Hit | None = None) -> None:
        """Go to another place of the run; ``hit``: the one that a search found there."""
        facts = self.known_facts(debug.index)
        self.change(debug=debug, facts=facts, hit=hit, notice="")
        self.rest_soon()

    def known_facts(self, index: int) -> Facts | None:
        raise NotImplementedError

    def tell(self, notice: str) -> None:
        """Say something in the footer until the next key."""
        self.change(notice=notice)

    def rest_soon(self, seconds: float = 0.06, then: Callable[[], None] | None = None) -> None:
        """Call ``rested`` when no key has come for a moment; whatever costs something waits for that."""
        if self._rest is not None:
            self._rest.cancel()
        self._rest = asyncio.get_running_loop().call_later(seconds, then or self.rested)

    def rested(self) -> None:
        raise NotImplementedError

    def touched(self) -> None:
        """Something changed that a save would keep."""
        raise NotImplementedError

    def on_unmount(self) -> None:
        if self._rest is not None:
            self._rest.cancel()

    def pane(self, name: str) -> LinePane:
        """The pane of a name; of two that take turns, the one that is seen."""
        panes = [pane for pane in self.panes if pane.name_in_state == name]
        return next((pane for pane in panes if pane.seen), panes[0])
