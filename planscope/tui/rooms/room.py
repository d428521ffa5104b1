"""What the parts of the debug screen share: the state, how it is handed down, and the jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from textual.geometry import Size

from planscope.debugger.cursor import DebugState
from planscope.debugger.search import Hit
from planscope.tui.desk import Desk
from planscope.tui.first_frame import BROAD, HIGH, SMALLEST, WIDE
from planscope.tui.jobs import Jobs
from planscope.tui.paint import Paint
from planscope.tui.panes.base import LinePane
from planscope.tui.rooms.everywhere import Everywhere
from planscope.tui.state import Facts, RoomState, reflected

UPPER = ("query", "tree", "constraints")
ALL_PANES = (*UPPER, "timeline", "step")
_REFLECTED = ("debug", "progress", "links", "breakpoints", "watches", "facts")


class Room(Everywhere):
    """State down: ``change`` makes a new state and shows it to the panes that are seen."""

    def __init__(self, state: RoomState, paint: Paint, desk: Desk) -> None:
        super().__init__(paint)
        self.desk = desk
        self.state = reflected(state)
        self.panes: tuple[LinePane, ...] = ()
        self.too_small = False
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

    def fit(self, size: Size) -> None:
        """Choose the layout for a window of so many columns and rows."""
        columns, rows = size
        self.too_small = columns < SMALLEST[0] or rows < SMALLEST[1]
        self.set_class(columns < WIDE, "-narrow")
        self.set_class(columns >= BROAD and rows >= HIGH, "-broad")
        self.lay_out()

    def lay_out(self) -> None:
        """The classes that the stylesheet's layouts go by."""
        state = self.state
        for name in UPPER:
            self.set_class(state.top == name, f"-top-{name}")
        for name in ALL_PANES:
            self.set_class(state.pane == name, f"-on-{name}")
        self.set_class(self.too_small, "-too-small")
        self.set_class(state.zoomed and not self.too_small, "-zoomed")
        self.set_class(not state.zoomed and not self.too_small, "-split")

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

    def pane_order(self) -> Sequence[str]:
        return ALL_PANES
