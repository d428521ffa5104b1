"""The application: the first frame, the debug screen that takes its place, switching sessions, signals, themes.

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
from textual.driver import Driver
from textual.message import Message
from textual.screen import Screen
from textual.theme import Theme

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.session.run_names import run_named
from planscope.signals import passed_on, status_of
from planscope.tui.opening.first_frame import FirstFrame
from planscope.tui.opening.summary import run_to_open, summary_of
from planscope.tui.panes.windowed import Windowed
from planscope.tui.style.lines import shown
from planscope.tui.themed_app import ThemedApp

if TYPE_CHECKING:
    from planscope.session.model import Session
    from planscope.tui.controllers.autosave import Autosave
    from planscope.tui.controllers.document import Document
    from planscope.tui.controllers.drafts import Drafts
    from planscope.tui.controllers.live_run import RunRequest
    from planscope.tui.controllers.workspace import Workspace
    from planscope.tui.opening.load import Opened, Switch
    from planscope.tui.screens.debug.screen import DebugScreen
    from planscope.tui.screens.debug.start import Start
    from planscope.tui.settings import ScreenSettings

RUNS_END = 1.0
MOUNTED = 5.0
"""Seconds to wait on leaving: for live runs to end their records, and for a screen to be mounted."""

Picture = Callable[..., str]
"""Draws the debug screen as SVG (``planscope.tui.picture.shared_svg``)."""


@frozen
class Asked:
    """Where to begin, as the command line says: a run and a step of it, a theme, a run to begin, a campaign.
    ``notice``: what to tell about the session."""

    run: str | None = None
    step: str | None = None
    theme: str | None = None
    live: RunRequest | None = None
    campaign: str | None = None
    notice: str = ""


class PlanscopeApp(ThemedApp):
    """The application. It has a Textual mode for the first frame, and one for each session that is opened.

    ``keep``: changes are saved. ``parting``: one line to print after the screen is gone. ``picture`` draws pictures to
    share; it starts an application of its own. ``leaves_unopened``: exit if the session cannot be opened.
    ``remembers``: note where a session is left, for the next start without a file.
    """

    TITLE = "planscope"
    DEFAULT_MODE = "first"
    AUTO_FOCUS = None

    def __init__(
        self,
        path: Path | None,
        asked: Asked = Asked(),
        *,
        settings: ScreenSettings | None = None,
        keep: bool = True,
        leaves_unopened: bool = False,
        picture: Picture | None = None,
        remembers: bool = False,
    ) -> None:
        super().__init__(asked.theme, settings)
        self.path = as_listed(path)
        self.summary = summary_of(self.path, asked.run)
        check_run(self.summary.run_ids, asked.run)
        self.screen_of_session: DebugScreen | None = None
        self.work: Workspace | None = None
        self.picture = picture
        self.parting = ""
        self.refusal: str | None = None
        self._autosave: Autosave | None = None
        self._drafts: Drafts | None = None
        self._keep = keep
        self._remembers = remembers
        self._leaves_unopened = leaves_unopened
        self._switches = 0
        self._leaving: asyncio.Task[None] | None = None
        self._mounting = asyncio.Lock()
        self._painted = False
        self.keys_wait = True
        self._asked = asked
        self.last_campaign = ""
        self.add_mode("first", self._make_first)

    # Overridden methods of Textual:

    def get_driver_class(self) -> type[Driver]:
        """Return Textual's choice of a driver, or for a terminal the driver that notices when it is gone."""
        usual = super().get_driver_class()
        if usual.__name__ != "LinuxDriver":
            return usual
        from planscope.tui.terminal import TerminalDriver

        return TerminalDriver

    async def action_quit(self) -> None:
        """Handle Ctrl+q, Textual's own key, as q on the screen in front."""
        screens = (screen for screen in reversed(self.screen_stack) if hasattr(screen, "action_quit"))
        if (screen := next(screens, None)) is None:
            self._leave_with(0)
        else:
            await screen.run_action("quit")

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action as Textual does, but wait for a screen that is not mounted yet."""
        run = partial(super().run_action, action, default_namespace, namespaces)
        if isinstance(default_namespace, Screen) and not default_namespace.is_mounted:
            return default_namespace.call_later(run)
        return await run()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer no commands of Textual's own: the palette's entries come from our screens."""
        return ()

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, self._repaint)

    def _repaint(self, theme: Theme) -> None:
        self.use_colours()
        self.stylesheet.update(self.screen)  # Textual leaves out the palette
        for screen in self.screen_stack:
            for widget in screen.query(Windowed):
                if widget.seen:
                    widget.sync()

    def on_unmount(self) -> None:
        self.write_now()
        if self.job_list is not None:
            self.job_list.close()
        self.close_session()
        if self._drafts is not None:
            self._drafts.close(
                keep=self.return_value != 0 or self._drafts.keeps
            )  # on quitting, the user was asked about drafts

    # Opening a session:

    def _make_first(self) -> FirstFrame:
        self.use_colours()
        return FirstFrame(self.summary, self.settings.arrangements())

    def on_ready(self) -> None:
        """Begin to open the session. Textual paints its first frame after this."""
        self._painted = True
        self.screen.call_after_refresh(self._open)

    def _open(self) -> None:
        """Load the session and import the debug screen while the first frame is displayed."""
        from planscope.tui.controllers.autosave import Autosave
        from planscope.tui.controllers.document import Document
        from planscope.tui.controllers.drafts import Drafts
        from planscope.tui.controllers.jobs import Jobs
        from planscope.tui.opening.load import open_session

        self.job_list = Jobs(asyncio.get_running_loop())
        self._drafts = Drafts(written=self._keep)
        document = Document(self.path, self.announce)
        self._read_late()
        path = self.path
        if path is None:
            self.run_worker(self._show_first(document, None, ""))
            return
        if self._keep:
            self._autosave = Autosave(document, self.announce)
        hold = self._autosave.hold if self._autosave is not None else None
        parsed = (self.summary.raw, self.summary.stamp) if self.summary.stamp is not None else None
        self.summary = self.summary._replace(raw=None)

        def work(token: object) -> Opened:
            import planscope.tui.screens.debug.screen  # noqa: F401  (in this thread the import blocks nothing)

            return open_session(path, hold, parsed)

        def failed(error: Exception) -> None:
            if self._leaves_unopened and isinstance(error, UserError):
                self.refusal = str(error)
                self.exit(2)
                return
            known = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
            line = shown(known.splitlines()[0] if known else "unknown error", 400)
            self.run_worker(self._show_first(document, None, line))

        def done(opened: Opened) -> None:
            self.run_worker(self._show_first(document, opened, ""))

        self.job_list.start("open", work, done, failed)

    def _read_late(self) -> None:
        """Read what the first frame does not need: the other themes, the user's keys, settings for runs."""
        from planscope.tui.keys import read_keys, textual_keymap

        self.read_themes()
        config = self.settings.config
        known = len(config.problems)
        config.read_late()
        self.choice, problems = read_keys(config=config.file)
        self.set_keymap(textual_keymap(self.choice))
        self.notices += map(str, (*config.problems[known:], *problems))

    async def _show_first(self, document: Document, opened: Opened | None, trouble: str) -> None:
        """Replace the first frame by the debug screen."""
        async with self._mounting:
            if self._leaving is None:
                await self._show_now(document, opened, trouble)

    async def _show_now(self, document: Document, opened: Opened | None, trouble: str) -> None:
        more = f" (and {len(self.notices) - 1} more: planscope config)" if len(self.notices) > 1 else ""
        notice = self.notices[0] + more if self.notices else shown(self._asked.notice, 600)
        run_id = self.summary.run_id
        if self.summary.stamp is None and opened is not None:  # the file was too large for the first frame
            run_id = run_of(opened.session)
        campaign = self._asked.campaign
        await self._show(document, self._autosave, self._start(run_id, opened, notice, trouble))
        if campaign is not None and self.screen_of_session is not None:
            from planscope.tui.screens.debug.doors import open_campaign

            open_campaign(self.screen_of_session, campaign)
        self.keys_wait = False
        gc.enable()  # ``run`` has disabled it while modules are imported

    def _start(self, run_id: str, opened: Opened | None, notice: str, trouble: str = "") -> Start:
        from planscope.tui.screens.debug.start import Start

        asked, self._asked = self._asked, Asked()
        method, budget = (self.settings[f"defaults.{name}"] for name in ("method", "budget"))
        return Start(run_id, asked.step or "", notice, asked.live, opened, trouble, method, budget)

    async def _show(self, document: Document, autosave: Autosave | None, start: Start) -> None:
        from planscope.tui.controllers.live_run import RunChoice
        from planscope.tui.controllers.workspace import workspace
        from planscope.tui.screens.debug.screen import DebugScreen

        assert self.job_list is not None and self._drafts is not None
        if start.opened is not None:
            document.open(start.opened.session)
        named = ("agent", "model", "seed", "guard", "stepping")
        preset = RunChoice(**{name: self.settings[f"defaults.{name}"] for name in named})
        before = self.work
        self._autosave = autosave
        self.work = workspace(
            document,
            autosave,
            self.job_list,
            self._drafts,
            self.announce,
            preset,
            self.settings.arrangements(),
            self.settings.configured_arrangement,
        )
        self.work.layout.show_commands(self.settings["commands"])
        if before is not None:
            self.work.live.follow_on(before.live)
        screen = self.screen_of_session = DebugScreen(self.work, start)
        self._switches += 1
        mode = f"debug {self._switches}"
        self.add_mode(mode, lambda: screen)
        await self.switch_mode(mode)
        self._remember()

    async def switch_to(self, switch: Switch) -> None:
        """Show another session in place of the open one, which was left and saved. Ignored while planscope is left."""
        async with self._mounting:
            if self._leaving is None:
                await self._switch_to(switch)
            elif switch.autosave is not None:
                switch.autosave.close()

    async def _switch_to(self, switch: Switch) -> None:
        from planscope.tui.controllers.jobs import Jobs

        assert self.job_list is not None
        mode = self.current_mode
        self._remember()
        self.job_list.close(0)
        if self._autosave is not None:
            self._autosave.close()
        self.job_list = Jobs(asyncio.get_running_loop())
        self.path = switch.document.path
        run_id = run_of(switch.opened.session)
        await self._show(switch.document, switch.autosave, self._start(run_id, switch.opened, switch.notice))
        await self.remove_mode(mode)

    def note_campaign(self, name: str) -> None:
        """Remember which campaign was shown last; it is chosen first the next time."""
        self.last_campaign = name

    def announce(self, message: Message) -> None:
        """Hand a controller's message to autosave, to drafts and to all open screens."""
        from planscope.tui.messages import DocumentChanged

        if isinstance(message, DocumentChanged) and self.work is not None:
            if self.work.autosave is not None:
                self.work.autosave.heard(message)
            self.work.drafts.heard(message, self.work.document)
        for screen in self.screen_stack if self.is_running else ():
            screen.post_message(message)

    # Leaving planscope:

    async def run_async(self, **options: Any) -> int | None:
        """Run as Textual does, but let signals leave the screen in an orderly way while the terminal is in use."""
        if options.get("headless"):
            return await super().run_async(**options)
        with passed_on(asyncio.get_running_loop(), self._leave_for, self._leave_stuck):
            return await super().run_async(**options)

    def _leave_for(self, number: int) -> None:
        """Leave because a signal asks to end."""
        self._leave_with(status_of(number))

    def _leave_with(self, status: int) -> None:
        """Leave soon: after changes are saved, and once no screen is being mounted."""
        if self._leaving is None:
            self._leaving = asyncio.get_running_loop().create_task(self._save_and_leave(status))

    async def _save_and_leave(self, status: int) -> None:
        await self._until(lambda: self._painted, MOUNTED)
        async with self._mounting:
            if (work := self.work) is not None:
                work.live.leave()
                work.dissecting.stop()
                await self._until(lambda: not work.document.under_way, RUNS_END)
            self.close_session()
            await self._until(lambda: all(screen.is_mounted for screen in self.screen_stack), MOUNTED)
            self.exit(status)

    def _leave_stuck(self) -> None:
        """Restore the terminal's settings from this thread: it takes no more output, so the screen's thread hangs."""
        before = getattr(self._driver, "attrs_before", None)
        if before is not None:
            import termios

            termios.tcsetattr(0, termios.TCSANOW, before)
        self.close_session()

    async def _until(self, true: Callable[[], bool], seconds: float) -> None:
        ends = monotonic() + seconds
        while not true() and monotonic() < ends:
            await asyncio.sleep(0.01)

    def _remember(self) -> None:
        """Note which session is open, and where in it the user is."""
        work, screen = self.work, self.screen_of_session
        if not self._remembers or work is None or work.document.session is None or screen is None:
            return
        from planscope.session.recent import remember

        path, run = work.document.path, screen.view.run
        if path is not None and (run is None or run.id not in work.document.passing):
            remember(path, run.id if run is not None else "", str(screen.view.debug.step))

    def close_session(self) -> None:
        """Save unsaved changes, and release the session's file."""
        self._remember()
        autosave, self._autosave = self._autosave, None
        if autosave is not None:
            self.parting = autosave.close()


def run_of(session: Session) -> str:
    """Return the id of the run that a session opens at, or ""."""

    trials = {run for one in session.dissections for cell in one.cells for run in cell.runs}
    return run_to_open([run.id for run in session.runs], session.cursor.get("run"), trials)


def as_listed(path: Path | None) -> Path | None:
    """Return the path as the library lists it if it is a session of the library, or else as given."""
    from planscope.session.locations import library_folder

    try:
        return (
            library_folder() / path.name
            if path is not None and path.parent.samefile(library_folder())
            else path
        )
    except OSError:  # there is no library yet
        return path


def check_run(ids: Iterable[str], wanted: str | None) -> None:
    """Raise ``UserError`` if a session has no such run."""
    known = list(ids)
    if wanted is not None and run_named(known, wanted) is None:
        names = ", ".join(shown(one, 40) for one in known[:8]) or "none"
        raise UserError(f"no run {shown(wanted, 40)} in this session; its runs: {names}")


def check_step(path: Path | None, run: str | None, step: str) -> None:
    """Raise ``UserError`` if there is no such run or step."""
    from planscope.debugger.cursor import open_run, parse_step
    from planscope.debugger.errors import DebuggerError
    from planscope.session.store import load
    from planscope.tui.controllers.judge import unjudged

    if path is None:
        return
    session = load(path)
    check_run([one.id for one in session.runs], run)
    run_id = summary_of(path, run).run_id
    chosen = next((one for one in session.runs if one.id == run_id), None)
    if chosen is None:
        return
    from planscope.session.record import record_of

    variant = next((one for one in session.variants if one.id == chosen.variant), None)
    try:
        parse_step(open_run(unjudged(variant, record_of(chosen))).run, step)
    except DebuggerError as error:
        raise UserError(str(error)) from None
