"""The screen of the command palette: Textual's, with its failures mended; and what it runs to choose a theme."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.command import CommandList, CommandPalette

from planscope.tui.closing import forget_lines, to_front
from planscope.tui.messages import ThemeChosen


class ThemeCommand:
    """What the palette runs to choose a theme; while it is only highlighted, the theme is shown."""

    def __init__(self, app: App[Any], name: str) -> None:
        self.app = app
        self.name = name

    def __call__(self) -> None:
        self.app.post_message(ThemeChosen(self.name))


class _Found(CommandList):
    """Textual's, which fails of a click on what was found no more when the click came."""

    def on_click(self, event: events.Click) -> None:
        at = event.style.meta.get("option")
        if at is not None and at >= self.option_count:
            event.prevent_default()


class Palette(CommandPalette):
    """Textual's, which fails of a page key that comes before its list is laid out, and of a second click beside it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "page(1)", "Next page", show=False),
        Binding("pageup", "page(-1)", "Previous page", show=False),
    ]

    def on_unmount(self) -> None:
        forget_lines()

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            if type(widget) is CommandList:
                widget.__class__ = _Found  # Textual has no way to say which list it is to be
            yield widget

    def on_mount(self, event: events.Mount) -> None:
        if self not in self.app.screen_stack[1:]:
            event.prevent_default()  # left before it was there: Textual looks for the screen below it

    def dismiss(self, result: Any = None) -> AwaitComplete:
        return super().dismiss(result) if to_front(self) else AwaitComplete()

    def action_page(self, by: int) -> None:
        found = self.query_one(CommandList)
        with suppress(LookupError):  # nothing to turn to yet
            # Textual gave these methods no types
            (found.action_page_down if by > 0 else found.action_page_up)()  # type: ignore[no-untyped-call]
