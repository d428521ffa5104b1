"""What the command palette offers. Each screen yields its own entries; nothing here knows a screen by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, NamedTuple, Protocol

from textual import events
from textual.app import App, ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from planscope.tui import keys
from planscope.tui.actions import Where
from planscope.tui.closing import forget_lines, to_front
from planscope.tui.messages import ThemeChosen
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


class ThemeCommand:
    """What the palette runs to choose a theme; while it is only highlighted, the theme is shown."""

    def __init__(self, app: App[Any], name: str) -> None:
        self.app = app
        self.name = name

    def __call__(self) -> None:
        self.app.post_message(ThemeChosen(self.name))


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
        self.app.post_message(
            CommandPalette.Closed(option_selected=False)
        )  # Textual does not say so on dismiss

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
