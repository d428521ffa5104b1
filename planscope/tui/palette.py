"""What the command palette offers. Each screen yields its own entries; nothing here knows a screen by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple, Protocol

from textual.app import App
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from planscope.tui import keys
from planscope.tui.actions import Where
from planscope.tui.palette_screen import ThemeCommand
from planscope.tui.style.safe_text import safe_content, visible


class Command(NamedTuple):
    """One entry; the title may hold names from a file."""

    title: str
    help: str
    run: Callable[[], object]


class OnScreen(Protocol):
    """What the palette needs of a screen."""

    @property
    def where(self) -> Where: ...
    @property
    def app(self) -> App[object]: ...
    @property
    def run_action(self) -> Callable[[str], object]: ...


def actions_of(screen: OnScreen) -> Iterator[Command]:
    """The screen's part of the table of actions."""
    for entry in keys.palette(screen.where):
        yield Command(entry.title, entry.help, partial(screen.run_action, entry.action))


def themes_of(screen: OnScreen, names: Iterable[str]) -> Iterator[Command]:
    for name in names:
        help = "Use this theme; it is shown as long as it is highlighted."
        yield Command(f"Theme {visible(name, limit=60)}", help, ThemeCommand(screen.app, name))


class ScreenCommands(Provider):
    """Asks the screen; titles pass the door of safe text."""

    def _commands(self) -> Iterator[Command]:
        entries: Callable[[], Iterator[Command]] | None = getattr(self.screen, "palette_entries", None)
        return entries() if entries is not None else iter(())

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
