"""The application's themes, the palette, and the settings that the user changes on the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textual import events
from textual.command import CommandPalette
from textual.filter import LineFilter, NoColor

from planscope.errors import UserError
from planscope.safe import without_controls
from planscope.tui.arrangement import is_too_small
from planscope.tui.settings import BY_NAME, ScreenSettings
from planscope.tui.style.lines import shown
from planscope.tui.style.painter import Painter
from planscope.tui.style.themes import DEFAULT, first_theme, load_themes, need_theme, no_color
from planscope.tui.typed_ahead import TypedAhead

if TYPE_CHECKING:
    from planscope.tui.app_screen import AppScreen
    from planscope.tui.controllers.jobs import Jobs
    from planscope.tui.keys import KeyChoice
    from planscope.tui.messages import Arranged, ThemeChosen

_WRITE_AFTER = 0.6
"""Seconds after the last change until changed settings are written."""


class ThemedApp(TypedAhead):
    """The base of the application. ``notices``: problems in the user's files, one line each."""

    ENABLE_COMMAND_PALETTE = False
    """Disables Textual's own key: it would open an empty palette over dialogs, and users could not change it."""

    def __init__(self, theme: str | None, settings: ScreenSettings | None) -> None:
        self._colourless = no_color()
        super().__init__()
        self.paint = Painter()
        self.choice: KeyChoice = {}
        self.job_list: Jobs | None = None
        self.settings = ScreenSettings() if settings is None else settings
        self.notices = [str(problem) for problem in self.settings.config.problems]
        self._themes: list[str] | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._take_themes(theme)

    def _take_themes(self, wanted: str | None) -> None:
        """Use a theme. A bundled one is read alone; :meth:`read_themes` reads the others later.

        Raises ``UserError`` if there is no theme named ``wanted``.
        """
        theme = first_theme(self.settings["theme"] if wanted is None else wanted)
        if theme is not None:
            self.register_theme(theme)
            self.theme = theme.name
            return
        names = self.read_themes()
        if wanted is not None:
            self.theme = need_theme(wanted, names)
            return
        for name in (self.settings["theme"], self.settings.config["theme"], DEFAULT):
            if name in names:
                self.theme = name
                break

    def read_themes(self) -> list[str]:
        """Register all themes, once, and return their names. Problems are added to the notices."""
        if self._themes is None:
            themes, problems = load_themes()
            self.notices += map(str, problems)
            self._themes = [theme.name for theme in themes]
            for theme in themes:
                self.register_theme(theme)
            config = self.settings.config
            try:
                need_theme(config["theme"], self._themes)
            except UserError as error:
                config.leave_out(BY_NAME["theme"], str(error))
                self.notices.append(str(config.problems[-1]))
        return self._themes

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Define our roles for Textual's own themes too: Textual uses one of them until ours is registered."""
        theme = self.available_themes.get(DEFAULT)
        return dict(theme.variables) if theme is not None else {}

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Remove all colours with NO_COLOR; Textual's own filter leaves shades of grey."""
        return [NoColor()] if self._colourless else super().get_line_filters()

    def use_colours(self) -> None:
        colours = {} if self._colourless else self.get_css_variables()
        self.paint.use(colours, bare=self._colourless or self.native_ansi_color)

    def action_command_palette(self) -> None:
        """Open the palette if the window is large enough."""
        if not (is_too_small(*self.size) or isinstance(self.screen, CommandPalette)):
            from planscope.tui.palette import Palette

            self.push_screen(Palette())

    def copy_to_clipboard(self, text: str) -> None:
        """Copy without control characters, which could command the terminal when they are pasted."""
        super().copy_to_clipboard(without_controls(text))

    def on_resize(self, event: events.Resize) -> None:
        """Close the palette if the window is too small for it; Textual would raise on its layout."""
        if is_too_small(*event.size) and isinstance(self.screen, CommandPalette):
            self.screen.dismiss()

    def show_help(self, screen: AppScreen[Any]) -> None:
        """Open the help: the keys of a screen."""
        from planscope.tui.dialogs.help import HelpDialog

        self.push_screen(HelpDialog(self.choice, screen.where, screen.works))

    def choose_theme(self) -> None:
        """Ask for a theme, and display the highlighted one."""
        from planscope.tui.dialogs.ask import ChooseDialog

        before, names = self.theme, sorted(self.read_themes(), key=lambda name: (name != DEFAULT, name))
        lines = [shown(name, 60) for name in names]

        def look(number: int) -> None:
            self.theme = names[number]

        def done(number: int | None) -> None:
            if number is None:
                self.theme = before
            else:
                from planscope.tui.messages import ThemeChosen

                self.post_message(ThemeChosen(names[number]))

        at = names.index(before) if before in names else 0
        self.push_screen(ChooseDialog("Theme", lines, at, look), done)

    # Choices made on the screen

    def on_theme_chosen(self, message: ThemeChosen) -> None:
        if message.name in self.available_themes:
            self.theme = message.name
            self.settings.choose("theme", message.name)
            self._write_soon()

    def on_arranged(self, message: Arranged) -> None:
        self.settings.choose_arrangement(message.kind, message.arrangement)
        self._write_soon()

    def _write_soon(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
        self._write_timer = asyncio.get_running_loop().call_later(_WRITE_AFTER, self._write)

    def _write(self) -> None:
        self._write_timer = None
        remembered = self.settings.remembered
        if self.job_list is not None and remembered.changed:
            self.job_list.start(
                "remember", lambda token: remembered.write(), lambda done: None, self._not_remembered
            )

    def _not_remembered(self, error: Exception) -> None:
        tell = getattr(self.screen, "tell", None)
        if tell is not None:
            tell(f"this choice could not be saved: {shown(str(error), 200)}")

    def write_now(self) -> None:
        """Write changed settings now. Errors are dropped, as the application is closing."""
        if self._write_timer is not None:
            self._write_timer.cancel()
        if self.settings.remembered.changed:
            try:
                self.settings.remembered.write()
            except UserError:
                return
