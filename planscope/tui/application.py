"""The application: its modes and its themes. Wiring only.

The first frame is painted from the file alone; the debug screen and all that it needs are imported after it.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App, SystemCommand
from textual.filter import LineFilter, NoColor
from textual.screen import Screen
from textual.theme import Theme

from planscope.errors import UserError
from planscope.tui.first_frame import FirstFrame
from planscope.tui.glance import NotReadable, SessionGlance, glance
from planscope.tui.lines import shown
from planscope.tui.messages import NotOpened
from planscope.tui.paint import Paint
from planscope.tui.themes import DEFAULT, load_themes, no_color

if TYPE_CHECKING:
    from planscope.tui.desk import Desk
    from planscope.tui.jobs import Jobs
    from planscope.tui.keymap import KeyChoice
    from planscope.tui.rooms.debug import DebugRoom

EMPTY = SessionGlance("", "")
_NO_COLOR = NoColor()


class PlanscopeApp(App[int]):
    """Two modes: the first frame, and the debug screen that takes its place."""

    TITLE = "planscope"
    DEFAULT_MODE = "first"
    AUTO_FOCUS = None

    def __init__(
        self,
        path: Path | None,
        *,
        run: str | None = None,
        step: str | None = None,
        theme: str | None = None,
        live: Mapping[str, Any] | None = None,
    ) -> None:
        self._colourless = no_color()
        self._defaults: dict[str, str] = {}
        super().__init__()
        self.paint = Paint()
        self.job_list: Jobs | None = None
        self.room: DebugRoom | None = None
        self.desk: Desk | None = None
        self.choice: KeyChoice = {}
        self.path = path
        self.leaves_unopened = False
        self.refusal: str | None = None
        self.session = glance_at(path)
        self._step = step
        self._live = live
        self._run_number = run_number(self.session, run)
        self._notices: list[str] = []
        self._take_themes(theme)
        self.add_mode("first", self._make_first)

    def on_not_opened(self, message: NotOpened) -> None:
        """Leave, so that the one line can be said where it stays, and with the exit status of bad input."""
        if self.leaves_unopened:
            self.refusal = message.why
            self.exit(2)

    async def action_quit(self) -> None:
        """Textual's own key for it, Ctrl+q: the room in front is asked, as it is by q."""
        rooms = (screen for screen in reversed(self.screen_stack) if hasattr(screen, "action_quit"))
        if (room := next(rooms, None)) is None:
            self.exit(0)
        else:
            await room.run_action("quit")

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our roles, for themes that are not ours."""
        return self._defaults

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """None of Textual's own: the palette is fed from the table of actions."""
        return ()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """NO_COLOR means no colours, not shades of grey."""
        return [_NO_COLOR] if self._colourless else super().get_line_filters()

    def _take_themes(self, wanted: str | None) -> None:
        themes, problems = load_themes()
        self._notices += map(str, problems)
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

    def _make_first(self) -> FirstFrame:
        self._use_colours()
        return FirstFrame(self.paint, self.session, self._run_number)

    def on_ready(self) -> None:
        """Textual paints nothing before this; the frame after it is the first."""
        self.screen.call_after_refresh(self._open_room)

    async def _open_room(self) -> None:
        """Import the debug screen and let it take the first frame's place."""
        from planscope.tui.desk import Desk
        from planscope.tui.jobs import Jobs
        from planscope.tui.keymap import read_keys
        from planscope.tui.rooms.debug import room_class
        from planscope.tui.rooms.start import first_state

        first = self.screen
        self.job_list = Jobs(asyncio.get_running_loop())
        self.desk = Desk(self.path)
        self.choice, problems = read_keys()
        self._notices += map(str, problems)
        notice = self._notices[0] if self._notices else ""
        state = first_state(self.path, self.session, self._run_number, self._step, notice)
        room = room_class(self.choice)(state, self.paint, self.desk, asked_for_step=self._step is not None)
        room.job_list = self.job_list
        if self._live is not None:
            asked = dict(self._live)
            breaks = tuple(asked.pop("breakpoints", ()))
            room.change(strange_breakpoints=(*room.state.strange_breakpoints, *breaks))
            room.asked_to_run = asked
        room.fit(self.size)
        self.add_mode("debug", lambda: room)
        await self.switch_mode("debug")
        self.room = room
        if isinstance(first, FirstFrame):
            for key in first.early:
                self.simulate_key(key.key)
        gc.enable()  # switched off by ``run`` while modules are imported

    def _use_colours(self) -> None:
        self.paint.filters = (_NO_COLOR,) if self._colourless else ()
        self.paint.use(self.get_css_variables(), bare=self._colourless or self.native_ansi_color)

    @property
    def shown_title(self) -> str:
        """The session's title, safe to show."""
        return shown(self.session.title or "session", 60)

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, self._repaint)

    def _repaint(self, theme: Theme) -> None:
        from planscope.tui.panes.windowed import Windowed

        self._use_colours()
        for screen in self.screen_stack:
            for widget in screen.query(Windowed):
                if widget.seen:
                    widget.sync()

    def on_unmount(self) -> None:
        if self.job_list is not None:
            self.job_list.close()


def glance_at(path: Path | None) -> SessionGlance:
    try:
        return glance(path) if path is not None else EMPTY
    except NotReadable:
        return EMPTY


def run_number(session: SessionGlance, wanted: str | None) -> int | None:
    """Which run to open, counted from 0. Raises ``UserError`` for one that is not there."""
    ids = [run.id for run in session.runs]
    if wanted is None:
        left = session.cursor.get("run")
        return ids.index(left) if left in ids else len(ids) - 1 if ids else None
    if wanted in ids:
        return ids.index(wanted)
    known = ", ".join(shown(one, 40) for one in ids[:8]) or "none"
    raise UserError(f"no run {shown(wanted, 40)} in this session; its runs: {known}")
