"""The application: its modes and its themes. Wiring only.

The first frame is painted from the file alone; the debug screen and all that it needs are imported after it.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from textual.actions import ActionParseResult
from textual.app import SystemCommand
from textual.dom import DOMNode
from textual.screen import Screen
from textual.theme import Theme

from planscope.errors import UserError
from planscope.signals import status_of, told
from planscope.tui.first_frame import FirstFrame
from planscope.tui.glance import NotReadable, SessionGlance, glance
from planscope.tui.lines import shown
from planscope.tui.looks import Looks
from planscope.tui.messages import NotOpened

if TYPE_CHECKING:
    from planscope.tui.desk import Desk
    from planscope.tui.rooms.debug import DebugRoom
    from planscope.tui.rooms.turning import Turn
    from planscope.tui.saving import Saver
    from planscope.tui.settings import ScreenSettings

EMPTY = SessionGlance("", "")
RUNS_END = 1.0
MOUNTED = 5.0
"""Seconds that runs under way have to end their records when a signal ends all, and a screen to be mounted."""


class PlanscopeApp(Looks):
    """Two modes: the first frame, and the debug screen that takes its place; another one for each session after it.

    ``keep``: what is done is saved. ``parting``: what has to be said when the screen is gone, in one line.
    """

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
        settings: ScreenSettings | None = None,
        keep: bool = True,
    ) -> None:
        super().__init__(theme, settings)
        self.room: DebugRoom | None = None
        self.desk: Desk | None = None
        self.saver: Saver | None = None
        self.parting = ""
        self._keep = keep
        self._turns = 0
        self._leaving: asyncio.Task[None] | None = None
        self._mounting = asyncio.Lock()
        self._painted = False
        self.path = path = as_listed(path)
        self.leaves_unopened = False
        self.refusal: str | None = None
        self.session = glance_at(path)
        self._step = step
        self._live = live
        self._run_number = run_number(self.session, run)
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
            self._leave_with(0)
        else:
            await room.run_action("quit")

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """As Textual does; but what is asked of a screen that is not drawn yet waits until it is."""
        run = partial(super().run_action, action, default_namespace, namespaces)
        if isinstance(default_namespace, Screen) and not default_namespace.is_mounted:
            return default_namespace.call_later(run)
        return await run()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """None of Textual's own: the palette is fed from the table of actions."""
        return ()

    def _make_first(self) -> FirstFrame:
        self.use_colours()
        return FirstFrame(self.paint, self.session, self._run_number, self.settings.arrangements())

    def on_ready(self) -> None:
        """Textual paints nothing before this; the frame after it is the first."""
        self._painted = True
        self.screen.call_after_refresh(self._open_room)

    async def _open_room(self) -> None:
        async with self._mounting:
            if self._leaving is None:
                await self._open_first_room()

    async def _open_first_room(self) -> None:
        """Import the debug screen and let it take the first frame's place."""
        from planscope.tui.desk import Desk
        from planscope.tui.jobs import Jobs
        from planscope.tui.saving import Saver

        first = self.screen
        self.job_list = Jobs(asyncio.get_running_loop())
        self.desk = Desk(self.path)
        if self._keep and self.path is not None:
            self.saver = Saver(self.desk)
        self._read_late()
        more = f" (and {len(self.notices) - 1} more: planscope config)" if len(self.notices) > 1 else ""
        room = self._make_room(self.notices[0] + more if self.notices else "")
        if self._live is not None:
            asked = dict(self._live)
            breaks = tuple(asked.pop("breakpoints", ()))
            room.change(strange_breakpoints=(*room.state.strange_breakpoints, *breaks))
            room.asked_to_run = asked
        await self._show_room(room)
        if isinstance(first, FirstFrame):
            first.hand_over(self.simulate_key)
        gc.enable()  # switched off by ``run`` while modules are imported

    def _make_room(self, notice: str = "") -> DebugRoom:
        """The debug screen of what is on the desk."""
        from planscope.tui.rooms.debug import DebugRoom
        from planscope.tui.rooms.start import first_state

        assert self.desk is not None and self.job_list is not None
        state = first_state(self.path, self.session, self._run_number, self._step, notice)
        asked = self._step is not None
        room = DebugRoom(state, self.paint, self.desk, asked_for_step=asked)
        room.job_list = self.job_list
        room.saver = self.saver
        room.turn_to = self.turn_to
        self._set_up(room)
        return room

    async def _show_room(self, room: DebugRoom) -> None:
        self._turns += 1
        mode = f"debug {self._turns}"
        self.add_mode(mode, lambda: room)
        await self.switch_mode(mode)
        self.room = room

    async def turn_to(self, turn: Turn) -> None:
        """Another session in the place of the open one, which was left: all begins anew, as on start-up."""
        async with self._mounting:
            if self._leaving is None:
                await self._turn_to(turn)

    async def _turn_to(self, turn: Turn) -> None:
        from planscope.tui.jobs import Jobs

        old, mode = self.room, self.current_mode
        assert old is not None and self.job_list is not None
        self.job_list.close(0)
        if self.saver is not None:
            self.saver.close()
        self.job_list = Jobs(asyncio.get_running_loop())
        self.path, self.session, self.desk, self.saver = turn.path, turn.opened.glance, turn.desk, turn.saver
        self._step, self._run_number = None, run_number(self.session, None)
        room = self._make_room(turn.notice)
        room.given = turn.opened
        room.take_over(old)
        await self._show_room(room)
        await self.remove_mode(mode)

    async def run_async(self, **options: Any) -> int | None:
        """As Textual does, but from before the terminal is changed until it is as it was, signals end the screen."""
        if options.get("headless"):
            return await super().run_async(**options)
        with told(asyncio.get_running_loop(), self._leave_for, self._leave_stuck):
            return await super().run_async(**options)

    def _leave_for(self, number: int) -> None:
        """Somebody ends the terminal or this process."""
        self._leave_with(status_of(number))

    def _leave_with(self, status: int) -> None:
        """End the screen, soon: what was done is saved first, and what is being mounted is mounted to the end."""
        if self._leaving is None:
            self._leaving = asyncio.get_running_loop().create_task(self._save_and_leave(status))

    async def _save_and_leave(self, status: int) -> None:
        await self._until(lambda: self._painted, MOUNTED)
        async with self._mounting:
            if self.room is not None and self.desk is not None:
                self.room.stop_all()
                await self._until(lambda: self.desk is None or not self.desk.under_way, RUNS_END)
            self.close_session()
            await self._until(lambda: all(screen.is_mounted for screen in self.screen_stack), MOUNTED)
            self.exit(status)

    def _leave_stuck(self) -> None:
        """The screen's thread waits for a terminal that takes no more output: its settings can be restored."""
        before = getattr(self._driver, "attrs_before", None)
        if before is not None:
            import termios

            termios.tcsetattr(0, termios.TCSANOW, before)
        self.close_session()

    async def _until(self, true: Callable[[], bool], seconds: float) -> None:
        ends = monotonic() + seconds
        while not true() and monotonic() < ends:
            await asyncio.sleep(0.01)

    def close_session(self) -> None:
        """Save what is not saved yet, and let others write."""
        saver, self.saver = self.saver, None
        if saver is not None:
            self.parting = saver.close()

    def _read_late(self) -> None:
        """What is not needed for the first frame: the other themes, keys, how to run."""
        from planscope.tui.keymap import read_keys, textual_keymap

        self.read_themes()
        config = self.settings.config
        known = len(config.problems)
        config.read_late()
        self.choice, problems = read_keys(config=config.file)
        self.set_keymap(textual_keymap(self.choice))
        self.notices += map(str, (*config.problems[known:], *problems))

    def _set_up(self, room: DebugRoom) -> None:
        """What the room has from the settings."""
        from planscope.tui.under_way import RunChoice

        settings = self.settings
        room.arrangements = settings.arrangements()
        room.configured = settings.configured_arrangement
        named = ("agent", "model", "seed", "guard", "stepping")
        room.preset = RunChoice(**{name: settings[f"defaults.{name}"] for name in named})
        room.budget, room.method = settings["defaults.budget"], settings["defaults.method"]
        room.fit(self.size)

    @property
    def shown_title(self) -> str:
        """The session's title, safe to show."""
        return shown(self.session.title or "session", 60)

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, self._repaint)

    def _repaint(self, theme: Theme) -> None:
        from planscope.tui.panes.windowed import Windowed

        self.use_colours()
        for screen in self.screen_stack:
            for widget in screen.query(Windowed):
                if widget.seen:
                    widget.sync()

    def on_unmount(self) -> None:
        self.write_now()
        if self.job_list is not None:
            self.job_list.close()
        self.close_session()


def as_listed(path: Path | None) -> Path | None:
    """The path as the library has it, for a session in there, however that was written."""
    from planscope.session.places import library

    try:
        return library() / path.name if path is not None and path.parent.samefile(library()) else path
    except OSError:  # there is no library yet
        return path


def glance_at(path: Path | None) -> SessionGlance:
    try:
        return glance(path) if path is not None else EMPTY
    except NotReadable:
        return EMPTY


def run_number(session: SessionGlance, wanted: str | None) -> int | None:
    """Which run to open, counted from 0: where one was, or the last one that no dissection made.

    Raises ``UserError`` for one that is not there.
    """
    ids = [run.id for run in session.runs]
    if wanted is None:
        left = session.cursor.get("run")
        own = [i for i, id in enumerate(ids) if id not in session.trials]
        return ids.index(left) if left in ids else own[-1] if own else len(ids) - 1 if ids else None
    if wanted in ids:
        return ids.index(wanted)
    known = ", ".join(shown(one, 40) for one in ids[:8]) or "none"
    raise UserError(f"no run {shown(wanted, 40)} in this session; its runs: {known}")
