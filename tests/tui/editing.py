"""The edit screen driven without a terminal."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from textual import events

from planscope.tui.screens.edit.screen import EditScreen
from tests.tui.screen import Driven, opened

TWO = "Network audit precedes disk check. Disk check precedes cable survey."
"""The request of ``sessions.out_of_order``."""


class Lent:
    """An application whose terminal can be lent."""

    @contextmanager
    def suspend(self) -> Iterator[None]:
        yield


def character(key: str) -> str | None:
    """What a key types, by its name."""
    return key if len(key) == 1 else {"space": " ", "question_mark": "?"}.get(key)


class Editing(Driven):
    """A debug screen with the edit screen open over it."""

    @property
    def edit(self) -> EditScreen:
        found = [screen for screen in self.app.screen_stack if isinstance(screen, EditScreen)]
        return found[-1]

    @property
    def draft(self) -> str:
        return self.edit.state.draft.text

    async def settle(self) -> None:
        """Wait until the draft is read and solved, and shown."""
        await self.pilot.pause(0.005)
        await self.until(lambda: self.edit.editor.at_rest)
        await self.answered()

    async def keys(self, *keys: str) -> None:
        """Keys for the edit screen itself, as quickly as it takes them."""
        for key in keys:
            self.edit.post_message(events.Key(key, character(key)))
        await self.answered()

    async def press(self, *keys: str) -> None:
        """Keys for whatever is on the screen; each is answered before the next."""
        for key in keys:
            self.app.post_message(events.Key(key, character(key)))
            await self.quiet()
        self.paint()

    async def type(self, text: str) -> None:
        await self.press(*("space" if c == " " else c for c in text))

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

    async def enter(self) -> EditScreen:
        await self.press("e")
        await self.settle()
        return self.edit


@asynccontextmanager
async def editing(path: Path, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Editing]:
    async with opened(path, size) as driven:
        made = Editing(driven.app, driven.pilot)
        await made.enter()
        yield made
