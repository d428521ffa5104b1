"""The application driven without a terminal, and what is on its screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from planscope.tui.application import PlanscopeApp
from planscope.tui.rooms.debug import DebugRoom


def rows(app: App[Any]) -> list[str]:
    """The text of the screen, row by row. The one place that uses a private call of Textual's."""
    return [strip.text for strip in app.screen._compositor.render_strips(app.screen.size)]


def styles(app: App[Any]) -> list[list[tuple[str, Any]]]:
    """The segments of the screen, row by row: text and Rich style."""
    strips = app.screen._compositor.render_strips(app.screen.size)
    return [[(segment.text, segment.style) for segment in strip] for strip in strips]


class Driven:
    """An open application: its room, its pilot, what it shows."""

    def __init__(self, app: PlanscopeApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def room(self) -> DebugRoom:
        assert self.app.room is not None
        return self.app.room

    @property
    def state(self) -> Any:
        return self.room.state

    @property
    def text(self) -> str:
        return "\n".join(rows(self.app))

    async def rest(self) -> None:
        """Wait until everything is judged and shown."""
        for _ in range(1200):
            await self.pilot.pause(0.01)
            if self.app.room is not None and self.app.room.at_rest:
                break
        else:
            raise TimeoutError("the screen does not come to rest")
        await self.pilot.pause(0.02)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Into the input line of a dialog."""
        await self.pilot.press(*("space" if c == " " else c for c in text))
        await self.pilot.pause()


@asynccontextmanager
async def opened(
    path: Path | None, size: tuple[int, int] = (120, 40), **wanted: Any
) -> AsyncIterator[Driven]:
    """Open a session and wait until it is judged."""
    app = PlanscopeApp(path, **wanted)
    async with app.run_test(size=size) as pilot:
        driven = Driven(app, pilot)
        await driven.rest()
        yield driven
