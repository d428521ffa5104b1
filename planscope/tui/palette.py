"""What the command palette offers: the room's part of the table of actions, the runs of the session, the themes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from planscope.tui import keymap
from planscope.tui.palette_screen import ThemeCommand
from planscope.tui.rooms.asking import Asking, run_line
from planscope.tui.rooms.everywhere import Everywhere
from planscope.tui.safe_text import safe_content, visible


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
