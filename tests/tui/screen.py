"""The application driven without a terminal, and what is on its screen."""

from __future__ import annotations

import asyncio
import os
import time
import unicodedata
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from textual import events
from textual.app import App, ScreenStackError
from textual.command import CommandList, CommandPalette
from textual.constants import MAX_FPS
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot
from textual.screen import Screen

from planscope.tui.app import Asked, PlanscopeApp
from planscope.tui.picture import shared_svg
from planscope.tui.screens.debug.screen import DebugScreen
from planscope.tui.screens.debug.stage import show_run
from tests.nightly import WANTED

PATIENCE = 60.0
"""Seconds to wait for what comes at once where the machine is free."""


def rows(app: App[Any]) -> list[str]:
    """The text of the screen, row by row. The one file that uses private calls of Textual's."""
    return [strip.text for strip in app.screen._compositor.render_strips(app.screen.size)]


def styles(app: App[Any]) -> list[list[tuple[str, Any]]]:
    """The segments of the screen, row by row: text and Rich style."""
    strips = app.screen._compositor.render_strips(app.screen.size)
    return [[(segment.text, segment.style) for segment in strip] for strip in strips]


def key_event(key: str) -> events.Key:
    """A key by its name or by what it types, as ``Pilot.press`` makes it."""
    name = _character_to_key(key) if len(key) == 1 and not key.isalnum() else key
    try:
        typed: str | None = unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(name, name)))
    except KeyError:
        typed = name if len(name) == 1 else None
    return events.Key(name, typed)


FRAME = 1 / MAX_FPS
"""Seconds from one frame to the next: a layout that a message asked for is made at the next one."""

_refresh = Screen._compositor_refresh


def _paint_when_answered(screen: Screen[Any]) -> None:
    """Paint nothing yet: the pictures between a key and its answer took half of the time of these tests."""
    app = screen.app
    if screen is not app.screen or not getattr(app, "is_painted_when_answered", False):
        _refresh(screen)
        return
    screen._dirty_widgets.clear()  # the compositor knows their places
    app._update_mouse_over(screen)


if "PYTEST_VERSION" in os.environ and not WANTED:  # the nightly run and tests/fuzz paint all of them
    Screen._compositor_refresh = _paint_when_answered


class Driven:
    """An open application: its screen, its pilot, what it shows."""

    def __init__(self, app: PlanscopeApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> DebugScreen:
        assert self.app.screen_of_session is not None
        return self.app.screen_of_session

    def open_run_number(self, number: int) -> None:
        """Display a run of the session by its index."""
        show_run(self.screen, self.screen.work.document.runs[number].id)

    @property
    def state(self) -> Any:
        return self.screen.view

    @property
    def text(self) -> str:
        return "\n".join(rows(self.app))

    async def rest(self) -> None:
        """Wait until everything is judged and shown."""
        await self.until(
            lambda: self.app.screen_of_session is not None and self.app.screen_of_session.at_rest
        )
        await self.answered()
        for _ in range(
            20
        ):  # on a busy machine a row for a notice, or another height of a pane, may come after it
            shown = self.text
            await asyncio.sleep(2 * FRAME)
            await self.answered()
            if self.text == shown:
                return

    async def press(self, *keys: str) -> None:
        """Keys, each of which is answered before the next. What threads work at may still come.

        ``Pilot.press`` waits until the process seems idle: too soon on a busy machine, late beside a busy thread.
        """
        assert self.app._driver is not None
        for key in keys:
            event = key_event(key)
            event.set_sender(self.app)
            self.app._driver.send_message(event)
            await self.quiet()
        self.paint()

    async def answered(self) -> None:
        """Wait until no widget has a message left, nor those that it makes others send, and all of it is drawn."""
        await self.quiet()
        self.paint()

    def paint(self) -> None:
        """Draw what the keys changed: a widget that cannot be drawn fails the test."""
        with suppress(ScreenStackError):  # it was left, and is gone
            _refresh(self.app.screen)

    async def quiet(self) -> None:
        """Wait until no widget has a message left, nor those that it makes others send."""
        quiet = 0
        with suppress(ScreenStackError):  # it was left, and is gone
            for _ in range(500):
                await self.pilot.pause(0)
                screen = self.app.screen
                widgets = (self.app, *screen.walk_children(with_self=True))
                busy = self.app.held or any(widget.message_queue_size for widget in widgets)
                quiet = 0 if busy else quiet + 1
                if quiet == 2:
                    break
                if quiet:
                    await asyncio.sleep(FRAME)

    async def until(self, what: Callable[[], object], seconds: float = PATIENCE) -> None:
        """Wait until it is true, and what comes with it is on the screen: it may have been posted and not painted."""
        begun = time.monotonic()
        while not what():
            waited = time.monotonic() - begun
            if waited > seconds:
                raise TimeoutError(self.text)
            await asyncio.sleep(
                min(0.05, FRAME + waited / 10)
            )  # looking takes time, too, from what is awaited
        await self.answered()

    async def sees(self, *words: str) -> None:
        """Wait until all of it is on the screen."""
        await self.until(lambda: all(word in self.text for word in words))

    async def type(self, text: str) -> None:
        """Into the input line of a dialog."""
        await self.press(*("space" if c == " " else c for c in text))

    async def find(self, text: str) -> None:
        """Type into the palette until what begins so is its first line."""
        await self.until(lambda: isinstance(self.app.screen, CommandPalette))
        await self.type(text)
        found = self.app.screen.query_one(CommandList)

        def first() -> str:
            return str(found.get_option_at_index(0).prompt) if found.option_count else ""

        await self.until(lambda: first().lower().startswith(text) and found.highlighted == 0)
        await self.answered()


@asynccontextmanager
async def opened(
    path: Path | None, size: tuple[int, int] = (120, 40), **wanted: Any
) -> AsyncIterator[Driven]:
    """Open a session and wait until it is judged."""
    asked = Asked(**{name: wanted.pop(name) for name in tuple(wanted) if name in Asked.__slots__})
    app = PlanscopeApp(path, asked, picture=shared_svg, **wanted)
    app.is_painted_when_answered = True
    async with app.run_test(size=size) as pilot:
        driven = Driven(app, pilot)
        await driven.rest()
        yield driven
