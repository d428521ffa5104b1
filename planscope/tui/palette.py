"""The command palette: its entries, which each screen yields, and Textual's palette with its bugs worked around."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, Protocol

from textual import events
from textual.app import App, ComposeResult
from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from planscope.safe import visible
from planscope.tui import keys
from planscope.tui.actions import BY_ID, KeyAction, Where
from planscope.tui.closing import forget_lines, to_front
from planscope.tui.lean import LeanCompositor
from planscope.tui.panes.hints import ALWAYS, Hint
from planscope.wording.terms import capital


class Command(NamedTuple):
    """One entry. The title may contain untrusted text. ``key``: the key that does the same, if any."""

    title: str
    help: str
    run: Callable[[], object]
    key: str = ""


class OnScreen(Protocol):
    """The part of a screen that the palette uses."""

    @property
    def where(self) -> Where: ...
    @property
    def app(self) -> App[object]: ...
    @property
    def run_action(self) -> Callable[[str], object]: ...
    @property
    def works(self) -> Callable[[KeyAction], bool]: ...
    @property
    def named_keys(self) -> Callable[[], Sequence[Hint]]: ...
    @property
    def choice(self) -> keys.KeyChoice: ...


def actions_of(screen: OnScreen) -> Iterator[Command]:
    """Yield entries for the actions of a screen: first those that its footer names now, in the words of the footer."""
    named = {hint.id: hint.title for hint in screen.named_keys() if hint.id not in ALWAYS}
    others = [action.id for action in keys.here(screen.where) if action.id not in (*named, "palette")]
    for action in (BY_ID[id] for id in (*named, *others) if id in BY_ID):
        if screen.works(action):
            title, words = action.title, named.get(action.id, "")
            if words.startswith(title.lower()):
                title = capital(words)
            elif words:
                title = f"{title}: {words}"
            key = keys.first_key(action, screen.choice)
            yield Command(title, action.help, partial(screen.run_action, action.method), key)


_OF_A_KEY = 1000.0
"""The score of an entry whose key is typed."""
_IN_HELP = 0.05
"""The score of an entry that has the typed words only in its help."""


class ScreenCommands(Provider):
    """Offers the entries of the screen; untrusted text is made safe here."""

    def _commands(self) -> Iterator[Command]:
        entries: Callable[[], Iterator[Command]] | None = getattr(self.screen, "palette_entries", None)
        return entries() if entries is not None else iter(())

    async def discover(self) -> Hits:
        for command in self._commands():
            yield DiscoveryHit(_display(command, Content(visible(command.title))), command.run, command.title)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._commands():
            score = matcher.match(command.title) or _IN_HELP * (query.casefold() in command.help.casefold())
            if query.strip() and query.strip() == command.key:
                score = _OF_A_KEY
            if score > 0:
                yield Hit(
                    score, _display(command, matcher.highlight(command.title)), command.run, command.title
                )


def _display(command: Command, title: Content) -> Content:
    key = (f"  {visible(command.key)}", "not bold $planscope-key")
    return Content.assemble(title, key, "\n", (visible(command.help), "not bold $planscope-dim"))


class _Found(CommandList):
    """Textual's list, which raises on a click on an entry that has just gone."""

    def on_click(self, event: events.Click) -> None:
        at = event.style.meta.get("option")
        if at is not None and at >= self.option_count:
            event.prevent_default()


class Palette(CommandPalette):
    """Textual's palette, which raises on a page key before its list is laid out and on a second click beside it."""

    DEFAULT_CSS = """
    Palette > Vertical {
        width: 100%; max-width: 100; height: 90%; margin: 1;
        border: round $planscope-frame-active; background: $background; visibility: visible;
        &:dark { background: $background; }
    }
    Palette #--input { border: none; }
    Palette #--results { overlay: none; height: 1fr; visibility: visible; }
    Palette SearchIcon { display: none; }
    Palette .input--placeholder { color: $planscope-dim; }
    Palette CommandList {
        background: $background; border: none; max-height: 100%;
    }
    Palette CommandList > .option-list--option-highlighted {
        color: $foreground; background: $planscope-selected-ground; text-style: bold;
    }
    """
    BINDINGS = keys.fixed_keys({"pagedown": "page(1)", "pageup": "page(-1)"})

    def __init__(self) -> None:
        super().__init__(id="--command-palette")
        self._compositor = LeanCompositor()

    def on_unmount(self) -> None:
        forget_lines()

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            if type(widget) is CommandList:
                widget.__class__ = _Found  # Textual offers no way to choose the class of its list
            yield widget

    def on_mount(self, event: events.Mount) -> None:
        if self not in self.app.screen_stack[1:]:
            # if it was dismissed before it was mounted, Textual would look for the screen below
            event.prevent_default()

    def dismiss(self, result: Any = None) -> AwaitComplete:
        return super().dismiss(result) if to_front(self) else AwaitComplete()

    def action_page(self, by: int) -> None:
        found = self.query_one(CommandList)
        with suppress(LookupError):  # the list is not laid out yet
            # Textual's methods have no types
            (found.action_page_down if by > 0 else found.action_page_up)()  # type: ignore[no-untyped-call]
