"""The edit screen driven without a terminal."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual import events

from planscope.tui.rooms.edit import EditRoom
from tests.tui.screen import Driven, opened


class Editing(Driven):
    """A debug screen with the edit screen open over it."""

    @property
    def edit(self) -> EditRoom:
        found = [screen for screen in self.app.screen_stack if isinstance(screen, EditRoom)]
        return found[-1]

    @property
    def draft(self) -> str:
        return self.edit.state.draft.text

    async def settle(self) -> None:
        """Wait until the draft is read and solved, and shown."""
        for _ in range(800):
            await self.pilot.pause(0.005)
            if self.edit.at_rest:
                break
        else:
            raise TimeoutError("the draft is not read")
        await self.pilot.pause(0.01)

    async def keys(self, *keys: str) -> None:
        """Keys for the edit screen itself, as quickly as it takes them."""
        for key in keys:
            char = key if len(key) == 1 else " " if key == "space" else None
            self.edit.post_message(events.Key(key, char))
        await self.pilot.pause()

    async def write(self, text: str) -> None:
        """Paste a text where the caret stands."""
        self.edit.post_message(events.Paste(text))
        await self.settle()

    async def replace_all(self, text: str) -> None:
        await self.keys("ctrl+home", "ctrl+shift+end", "delete")
        await self.write(text)

    async def commands(self, *keys: str) -> None:
        """Press keys as commands."""
        if self.edit.state.typing:
            await self.keys("escape")
        if keys:
            await self.press(*keys)

    async def enter(self) -> EditRoom:
        await self.press("e")
        await self.settle()
        return self.edit


@asynccontextmanager
async def editing(path: Path, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Editing]:
    async with opened(path, size) as driven:
        made = Editing(driven.app, driven.pilot)
        await made.enter()
        yield made
