"""The application: its modes, its themes, and how it begins. Wiring only."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from textual.app import App, SystemCommand
from textual.filter import LineFilter, NoColor
from textual.screen import Screen
from textual.theme import Theme

from planscope.debugger.cursor import go_to, open_run, parse_step
from planscope.debugger.errors import DebuggerError
from planscope.errors import UserError
from planscope.tui.glance import NotReadable, SessionGlance, glance
from planscope.tui.jobs import Jobs
from planscope.tui.keymap import read_keys
from planscope.tui.lines import shown
from planscope.tui.paint import Paint
from planscope.tui.panes.windowed import Windowed
from planscope.tui.rooms.debug import DebugRoom, room_class
from planscope.tui.state import RoomState
from planscope.tui.themes import DEFAULT, load_themes, no_color
from planscope.tui.unjudged import unjudged

_EMPTY = SessionGlance("", "")
_NO_COLOR = NoColor()


class PlanscopeApp(App[int]):
    """One mode so far: the debug screen."""

    TITLE = "planscope"
    DEFAULT_MODE = "debug"
    AUTO_FOCUS = None

    def __init__(
        self, path: Path | None, *, run: str | None = None, step: str | None = None, theme: str | None = None
    ) -> None:
        self._colourless = no_color()
        self._defaults: dict[str, str] = {}
        super().__init__()
        self.paint = Paint()
        self.job_list: Jobs | None = None
        self._state = first_state(path, run, step)
        self._asked_for_step = step is not None
        choice, wrong_keys = read_keys()
        themes, wrong_themes = load_themes()
        self._notices = [*map(str, wrong_keys), *map(str, wrong_themes)]
        self._take_themes(themes, theme)
        self._room_class = room_class(choice)
        self.add_mode("debug", self._make_room)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our roles, for themes that are not ours."""
        return self._defaults

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """None of Textual's own: the palette is fed from the table of actions."""
        return ()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """NO_COLOR means no colours, not shades of grey."""
        return [_NO_COLOR] if self._colourless else super().get_line_filters()

    def _take_themes(self, themes: Sequence[Theme], wanted: str | None) -> None:
        for theme in themes:
            self.register_theme(theme)
        names = [theme.name for theme in themes]
        if DEFAULT in names:
            self._defaults = dict(themes[names.index(DEFAULT)].variables)
        if wanted is not None and wanted not in names:
            self._notices.append(f"no theme {shown(wanted, 40)}; there are: {', '.join(names)}")
        if wanted in names:
            self.theme = str(wanted)
        elif DEFAULT in names:
            self.theme = DEFAULT

    def _make_room(self) -> DebugRoom:
        self.job_list = Jobs(asyncio.get_running_loop())
        self._use_colours()
        room = self._room_class(self._state, self.paint, asked_for_step=self._asked_for_step)
        room.job_list = self.job_list
        if self._notices:
            room.state = replace(room.state, notice=self._notices[0])
        return room

    def _use_colours(self) -> None:
        self.paint.filters = (_NO_COLOR,) if self._colourless else ()
        self.paint.use(self.get_css_variables(), bare=self._colourless or self.native_ansi_color)

    @property
    def shown_title(self) -> str:
        """The session's title, safe to show."""
        return shown(self._state.session.title or "session", 60)

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, self._repaint)

    def _repaint(self, theme: Theme) -> None:
        self._use_colours()
        for screen in self.screen_stack:
            for widget in screen.query(Windowed):
                widget.sync()

    def on_unmount(self) -> None:
        if self.job_list is not None:
            self.job_list.close()


def first_state(path: Path | None, run: str | None, step: str | None) -> RoomState:
    """What can be shown before anything is judged. Raises ``UserError`` for a run or step that is not there."""
    try:
        session = glance(path) if path is not None else _EMPTY
    except NotReadable:
        session = _EMPTY
    number = _run_number(session, run)
    chosen = None if number is None else session.runs[number]
    debug = open_run(unjudged(chosen, session.variant_of(chosen)))
    if step is not None and session is not _EMPTY:
        try:
            debug = go_to(debug, parse_step(debug.run, step))
        except DebuggerError as error:
            raise UserError(str(error)) from None
    return RoomState(path, session, debug, number)


def _run_number(session: SessionGlance, wanted: str | None) -> int | None:
    ids = [run.id for run in session.runs]
    if wanted is None:
        left = session.cursor.get("run")
        return ids.index(left) if left in ids else len(ids) - 1 if ids else None
    if wanted in ids:
        return ids.index(wanted)
    known = ", ".join(shown(one, 40) for one in ids[:8]) or "none"
    raise UserError(f"no run {shown(wanted, 40)} in this session; its runs: {known}")


def run(
    path: Path | None, *, run: str | None = None, step: str | None = None, theme: str | None = None
) -> int:
    """Open the debugger on a session and stay until it is left; the exit status."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError("the debugger needs a terminal; see planscope --help for what can be had without one")
    sys.setswitchinterval(0.001)  # a judging thread hands over sooner, and a key is answered sooner
    gc.set_threshold(
        10_000, 20, 200
    )  # a full collection over a long run's objects takes a quarter of a second
    app = PlanscopeApp(path, run=run, step=step, theme=theme)
    return app.run() or 0
