"""The command palette: the room's part of the table of actions, the runs of the session, the themes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import ClassVar, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from planscope.tui import keymap
from planscope.tui.left_once import LeftOnce
from planscope.tui.looks import ThemeCommand
from planscope.tui.rooms.asking import Asking, run_line
from planscope.tui.rooms.everywhere import Everywhere
from planscope.tui.safe_text import safe_content, visible


class _Found(CommandList):
    """Textual's, which fails of a click on what was found no more when the click came."""

    def on_click(self, event: events.Click) -> None:
        at = event.style.meta.get("option")
        if at is not None and at >= self.option_count:
            event.prevent_default()


class Palette(CommandPalette, LeftOnce[None]):
    """Textual's, which fails of a page key that comes before its list is laid out, and of a second click beside it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "page(1)", "Next page", show=False),
        Binding("pageup", "page(-1)", "Previous page", show=False),
    ]

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            if type(widget) is CommandList:
                widget.__class__ = _Found  # Textual has no way to say which list it is to be
            yield widget

    def on_mount(self, event: events.Mount) -> None:
        if self not in self.app.screen_stack[1:]:
            event.prevent_default()  # left before it was there: Textual looks for the screen below it

    def action_page(self, by: int) -> None:
        found = self.query_one(CommandList)
        with suppress(LookupError):  # nothing to turn to yet
            # Textual gave these methods no types
            (found.action_page_down if by > 0 else found.action_page_up)()  # type: ignore[no-untyped-call]


class Command(NamedTuple):
    title: str
    help: str
    run: Callable[[], object]


class RoomCommands(Provider):
    """What can be done in a room. Titles with names from a file come through the door of safe text."""

    def _commands(self) -> Iterator[Command]:
        room = self.screen
        if not isinstance(room, Everywhere):
            return
        for entry in keymap.palette(room.where):
            yield Command(entry.title, entry.help, partial(room.run_action, entry.action))
        if isinstance(room, Asking):
            for number in range(len(room.state.session.runs)):
                title = "Run " + "".join(run.text for run in run_line(room.state, number)).strip()
                yield Command(title, "Open this run.", partial(room.open_run_number, number))
            for name, hidden in room.hidden_panes():
                do = partial(room.show_hidden if hidden else room.hide_pane, name)
                yield Command(f"{'Show' if hidden else 'Hide'} the {name} pane", "Arrange the panes.", do)
        for name in room.theme_names():
            yield Command(
                f"Theme {visible(name, limit=60)}",
                "Use this theme; it is shown as long as it is highlighted.",
                ThemeCommand(room.app, name),
            )

    async def discover(self) -> Hits:
        for command in self._commands():
            yield DiscoveryHit(_display(command, safe_content(command.title)), command.run, command.title)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._commands():
            score = matcher.match(command.title)
            if score > 0:
                yield Hit(
                    score, _display(command, matcher.highlight(command.title)), command.run, command.title
                )


def _display(command: Command, title: Content) -> Content:
    return Content.assemble(title, "\n", (f"  {visible(command.help)}", "dim not bold"))
