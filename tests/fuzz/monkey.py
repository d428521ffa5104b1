"""A random monkey: keys, clicks, drags and resizes over all screens, and a ledger of what must not be lost.

``python -m tests.fuzz.monkey 20000 [SEED]`` lets it go on for long. It looks whether the application is alive and
answers, whether anything failed behind the screen, whether one can always get back to the debug screen, and whether
anything that was made is lost (:mod:`tests.fuzz.ledger`), also where planscope is left while things run.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import random
import sys
import time
import traceback
import unicodedata
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from textual import events
from textual.geometry import Offset
from textual.message import Message
from textual.widgets import Input
from textual.worker import Worker

from planscope.errors import UserError
from planscope.session.library import session_files
from planscope.session.locations import library_folder
from planscope.tui.actions import ACTIONS
from planscope.tui.app import PlanscopeApp
from planscope.tui.app_screen import AppScreen
from planscope.tui.controllers.autosave import Autosave
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.dialogs.base import Dialog
from planscope.tui.dialogs.describe import DescribeDialog
from planscope.tui.keys import normal
from planscope.tui.messages import DocumentChanged
from planscope.tui.opening.load import Switch
from planscope.tui.picture import shared_svg
from planscope.tui.screens.debug.screen import DebugScreen
from planscope.tui.screens.debug.start import Start
from planscope.tui.screens.edit.screen import EditScreen
from tests.fuzz.home import KINDS, Home, at_home
from tests.fuzz.ledger import Ledger
from tests.fuzz.ways import ANYWHERE, IN_DIALOGS, ODD_KEYS, RARE, TO_GO, WAITING, WORDS
from tests.hostile import HOSTILE
from tests.tui.screen import rows

SIZES = ((80, 24), (120, 40), (200, 60))
ODD_SIZES = ((50, 12), (60, 15), (109, 60), (169, 43), (4, 2), (300, 80))
PATIENCE = 30.0
"""Seconds after which a screen that has not answered is frozen, on a machine that does other things too."""

GOING_ON = {"run", "library watch"}
"""Jobs that go on for as long as nothing else is done."""

CHANGES = 30.0
"""Seconds in which a key has to change something on the screen."""

EPISODE = 250
"""Actions at one home."""


class Lost(AssertionError):
    """Something that must stay true did not."""


class Tally:
    """What was done where: actions by main screen, by screen and by size of the window, and the longest stand-still."""

    def __init__(self) -> None:
        self.main_screens: Counter[str] = Counter()
        self.screens: Counter[str] = Counter()
        self.opened: Counter[str] = Counter()
        self.sizes: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.stood_still = 0.0

    def lines(self) -> Iterator[str]:
        for title, counted in (
            ("actions by main screen, its dialogs included", self.main_screens),
            ("actions by screen", self.screens),
            ("screens opened", self.opened),
            ("actions by size", self.sizes),
            ("actions", self.kinds),
        ):
            yield f"{title}:"
            for name, times in counted.most_common():
                yield f"{times:>8} {times / counted.total():6.1%}  {name}"
        yield f"longest time in which nothing was answered: {self.stood_still:.2f} s"


class WatchedApp(PlanscopeApp):
    """Tells of what is opened and left."""

    def __init__(self, path: Path | None, ledger: Ledger, tally: Tally) -> None:
        super().__init__(path, picture=shared_svg)
        self.ledger = ledger
        self.tally = tally
        self.emptied = self.asked = False
        """Whether the trash was emptied; whether drafts that nobody keeps were asked about last."""

    def push_screen(self, screen: Any, callback: Any = None, *rest: Any, **more: Any) -> Any:
        self.tally.opened[named(screen)] += 1
        self.asked = isinstance(screen, Dialog) and "not kept: " in screen.heading

        def left(answer: Any) -> None:
            if callback is not None:
                callback(answer)
            self._left(screen, answer)

        return super().push_screen(screen, left, *rest, **more)

    def _left(self, screen: Any, answer: Any) -> None:
        self.emptied |= named(screen).endswith("Empty the") and answer == 1
        if isinstance(screen, EditScreen) and self.work is not None:
            self.ledger.edited(screen, self.work.drafts.histories)
        if isinstance(screen, DescribeDialog):
            self.ledger.described(*screen.said())
        asked = getattr(answer, "choice", answer)  # of a fork, how it is run
        if not getattr(asked, "model", "sim:").startswith("sim:"):
            self.ledger.broken.append(f"a real model would be asked: {asked}")

    def announce(self, message: Message) -> None:
        super().announce(message)
        if isinstance(message, DocumentChanged):
            self.ledger.heard(message)

    async def _show(self, document: Document, autosave: Autosave | None, start: Start) -> None:
        if self.work is not None and start.notice != "restored and saved":
            self.ledger.check_file(self.work.document.saving.trouble)
        await super()._show(document, autosave, start)
        self.ledger.watch(document, autosave)

    async def _switch_to(self, switch: Switch) -> None:
        self.ledger.leaving()
        await super()._switch_to(switch)

    def close_session(self) -> None:
        self.ledger.leaving()
        super().close_session()

    def exit(self, *given: Any, **more: Any) -> None:
        self.ledger.leaving()
        super().exit(*given, **more)


def named(screen: Any) -> str:
    """A screen's class, and of a dialog the first words of its title."""
    words = screen.heading.split()[:2] if isinstance(screen, Dialog) else []
    return " ".join([type(screen).__name__, *(word for word in words if word.isalpha())])


class Monkey:
    """Someone before one application. ``log`` are the last actions; ``calm``: waits until all is done after each."""

    def __init__(self, app: WatchedApp, pilot: Any, draw: random.Random, home: Home, calm: bool) -> None:
        self.app = app
        self.pilot = pilot
        self.draw = draw
        self.home_of = home
        self.calm = calm
        self.ledger, self.tally = app.ledger, app.tally
        self.log: deque[str] = deque(maxlen=160)
        self.done = 0

    # What it does

    @property
    def over(self) -> bool:
        """Whether the application was left."""
        return not self.app.is_running or self.app.return_code is not None

    @property
    def main_screen(self) -> AppScreen[Any] | None:
        """The screen in front; a dialog belongs to the screen below it."""
        return next(
            (
                s
                for s in reversed(self.app.screen_stack)
                if isinstance(s, AppScreen) and not isinstance(s, Dialog)
            ),
            None,
        )

    @property
    def where(self) -> str:
        return self.main_screen.where if self.main_screen is not None else "first"

    async def act(self) -> None:
        """One action; what it is depends on where one is."""
        self.done += 1
        screen = self.app.screen
        self.tally.main_screens[self.where] += 1
        self.tally.screens[named(screen)] += 1
        self.tally.sizes["{}x{}".format(*self.app.size)] += 1
        kinds = {
            self.go_on: 35 if self.where == "debug" else 25,
            self.key: 40 if isinstance(screen, Dialog) else 55,
            self.type: 12 if screen.query(Input) else 2,
            self.click: 12,
            self.wheel: 3,
            self.drag: 4,
            self.resize: 2 if tuple(self.app.size) in SIZES else 8,
            self.paste: 2,
            self.rest: 2,
            self.meddle: 0.05,
        }
        kind = self.draw.choices(list(kinds), list(kinds.values()))[0]
        self.tally.kinds[kind.__name__] += 1
        await self.within(kind())
        if self.calm:
            await self.within(self.calmed())
        self.look()

    def look(self) -> None:
        """Whether anything was found broken meanwhile."""
        screen = self.app.screen_of_session
        if not self.over and screen is not None and screen.is_mounted:
            edited = [s for s in self.app.screen_stack if isinstance(s, EditScreen)]
            written = [(s.document.open_session.id, s.of.id) for s in edited]
            self.ledger.check_drafts(screen.work.drafts.histories, written)
        if self.ledger.broken:
            raise Lost("\n".join(self.ledger.broken))

    async def within(self, doing: Any) -> None:
        """Do something, unless the screen is frozen."""
        try:
            await asyncio.wait_for(doing, PATIENCE * 2)
        except TimeoutError:
            raise Lost(f"the screen does not answer within {PATIENCE * 2:g} s") from None

    async def answered(self) -> None:
        """Wait until all that was sent to the screen in front was dealt with."""
        ends = time.monotonic() + PATIENCE
        while not self.over:
            screen, dealt_with = self.app.screen, asyncio.Event()
            if self.app.call_later(screen.call_later, dealt_with.set):
                while not dealt_with.is_set() and screen is self.app.screen and not self.over:
                    if time.monotonic() > ends:
                        raise Lost(f"{named(screen)} does not answer within {PATIENCE:g} s")
                    await asyncio.sleep(0.002)
                if dealt_with.is_set():
                    return
            await asyncio.sleep(0.002)

    async def calmed(self) -> None:
        """Wait until nothing goes on but what waits for a key."""
        quiet, ends = 0, time.monotonic() + PATIENCE
        while quiet < 3 and not self.over and time.monotonic() < ends:
            await self.answered()
            await asyncio.sleep(0.01)
            work = self.app.work
            waits = work is None or not work.live.at_work or work.live.paused is not None
            busy = set(getattr(self.app.job_list, "_current", ())) - GOING_ON
            quiet = quiet + 1 if waits and not busy else 0

    async def press(self, *keys: str) -> None:
        """Keys as fast as they come, without waiting for what they do; now and then all of it is waited for."""
        for key in keys:
            if self.over:
                return
            self.app.post_message(events.Key(normal_or(key), char_of(normal_or(key))))
            await (self.answered() if self.calm else asyncio.sleep(0.003))
        if self.draw.random() < 0.3:
            await self.answered()

    async def go_on(self) -> None:
        """A way that leads somewhere, where a random key would seldom go."""
        live = self.app.work.live if self.app.work is not None else None
        if isinstance(self.app.screen, Dialog):
            ways = IN_DIALOGS
        elif self.where == "debug" and live is not None and live.paused is not None:
            ways = WAITING
        else:
            ways = TO_GO.get(self.where, ("escape",))
        way = self.draw.choice(ways)
        self.log.append(f"goes on: {way}")
        patient = self.draw.random() < 0.7
        for key in way.split():
            await self.press(key)
            if patient:
                await self.answered()

    def _keys_here(self) -> list[str]:
        screen = self.app.screen
        where = screen.where if isinstance(screen, AppScreen) else None
        mine = [a for a in ACTIONS if a.where == where or a.where == "everywhere"] if where else []
        usual = [key for a in mine for key in a.all_keys if a.id not in RARE or self.draw.random() < 0.05]
        if not usual:
            return [*ANYWHERE, *ANYWHERE, "x", "7", "backspace"]
        return [*usual, *ANYWHERE]

    async def key(self) -> None:
        keys = ODD_KEYS if self.draw.random() < 0.04 else self._keys_here()
        key = normal_or(self.draw.choice(keys))
        if self.draw.random() < 0.1:
            key = normal_or(self.draw.choice([k for a in ACTIONS for k in a.keys if a.id not in RARE]))
        times = self.draw.choice((1, 1, 1, 1, 2, 5))
        self.log.append(f"{'+'.join([key] * times)}")
        await self.press(*[key] * times)

    async def type(self) -> None:
        text = self.draw.choice(WORDS)
        self.log.append(f"types {text!r}")
        await self.press(*text)
        if self.draw.random() < 0.5:
            self.log.append("enter")
            await self.press("enter")

    async def paste(self) -> None:
        text = self.draw.choice(HOSTILE)[: self.draw.choice((5, 80, 2000))]
        self.log.append(f"pastes {text[:20]!r}")
        self.app.post_message(events.Paste(text))
        await self.answered()

    # The mouse, as the terminal tells of it

    def _place(self) -> Offset:
        width, height = (max(part, 1) for part in self.app.size)
        bar = self.draw.random() < 0.1
        y = self.draw.choice((0, height - 1)) if bar else self.draw.randrange(height)
        return Offset(self.draw.randrange(width), y)

    def _mouse(self, kind: type[events.MouseEvent], place: Offset, button: int = 1) -> None:
        if not self.over:
            self.app.post_message(kind(None, place.x, place.y, 0, 0, button, False, False, False))

    async def click(self) -> None:
        place, times = self._place(), self.draw.choice((1, 1, 1, 2))
        self.log.append(f"clicks {tuple(place)} {times} times in {named(self.app.screen)}")
        for _ in range(times):
            self._mouse(events.MouseMove, place, 0)
            self._mouse(events.MouseDown, place)
            self._mouse(events.MouseUp, place)
        await self.answered()

    async def wheel(self) -> None:
        place, times = self._place(), self.draw.choice((1, 5, 30))
        kind = self.draw.choice((events.MouseScrollDown, events.MouseScrollUp))
        self.log.append(f"{kind.__name__} {times} times at {tuple(place)}")
        for _ in range(times):
            self._mouse(kind, place, 0)
        await self.answered()

    async def drag(self) -> None:
        """Often from a border of a pane: that makes it larger or smaller."""
        start, to, screen = self._place(), self._place(), self.app.screen
        if isinstance(screen, DebugScreen) and screen.places and self.draw.random() < 0.7:
            pane = self.draw.choice(list(screen.places.values()))
            right, low = pane.x + pane.width - 1, pane.y + pane.height - 1
            start = self.draw.choice((Offset(right, start.y), Offset(pane.x, start.y)))
            if self.draw.random() < 0.5:
                start = self.draw.choice((Offset(pane.x + 2, pane.y), Offset(pane.x + 2, low)))
        self.log.append(f"drags {tuple(start)} to {tuple(to)} in {named(screen)}")
        self._mouse(events.MouseDown, start)
        for part in range(1, 5):
            self._mouse(events.MouseMove, start + (to - start) * (part / 4))
            await asyncio.sleep(0)
        if self.draw.random() < 0.9:  # else it is let go outside of the window, which no terminal tells of
            self._mouse(events.MouseUp, to)
        await self.answered()

    async def resize(self) -> None:
        odd = tuple(self.app.size) in SIZES and self.draw.random() < 0.3  # and never for long
        await self.resize_to(self.draw.choice(ODD_SIZES if odd else SIZES))

    async def resize_to(self, size: tuple[int, int]) -> None:
        self.log.append(f"resizes to {size}")
        if not self.over:
            await self.pilot.resize_terminal(*size)
            await self.answered()

    async def rest(self) -> None:
        self.log.append("rests")
        await asyncio.sleep(self.draw.choice((0.05, 0.3, 0.7)))

    async def meddle(self) -> None:
        """Another program changes the file that is open."""
        path = self.app.work.document.path if self.app.work is not None else None
        own = path is not None and path.is_relative_to(self.home_of.folder) and path.suffix == ".json"
        if path is not None and own and path.exists():
            self.log.append("meddles with the file")
            path.write_text(path.read_text(encoding="utf-8") + " ", encoding="utf-8")
            self.ledger.meddled = True

    # What must stay true

    async def home(self) -> DebugScreen:
        """Back to the debug screen; there is always a way."""
        for _ in range(60):
            if self.over or (
                isinstance(self.app.screen, DebugScreen) and self.app.screen is self.app.screen_of_session
            ):
                break
            self.log.append("escape (home)")
            await self.press("escape")
            await self.answered()
            await asyncio.sleep(0.01)
        screen = self.app.screen
        if not isinstance(screen, DebugScreen):
            raise Lost(f"no way out of {named(screen)}:\n" + "\n".join(rows(self.app)))
        return screen

    async def check(self) -> None:
        """The screen answers, and nothing is lost: neither in the document nor in its file."""
        await self.within(self.home())
        await self.within(self.resize_to((120, 40)))
        await self.answers()
        await self.stop_all()
        screen = await self.home()
        self.look()
        if screen.work.document.session is None:
            return
        self.ledger.check_marks(screen)
        assert screen.work.autosave is not None
        trouble = await asyncio.wait_for(screen.work.autosave.flush(), PATIENCE)
        self.ledger.check_file(trouble, closed=False)
        self.look()

    async def answers(self) -> None:
        """The key for help shows it; anything else on the screen may change by itself."""
        below = await self.home()  # a dialog may have opened late
        before = rows(self.app)
        ends = time.monotonic() + CHANGES
        await self.press("question_mark")
        while self.app.screen is below or rows(self.app) == before:
            if time.monotonic() > ends:
                raise Lost("the screen does not change any more:\n" + "\n".join(rows(self.app)))
            await asyncio.sleep(0.01)
        await self.within(self.home())

    async def stop_all(self) -> None:
        """What is under way is stopped by its keys."""
        ends = time.monotonic() + PATIENCE
        screen = await self.home()
        while screen.work.jobs.running("run") or screen.work.jobs.running("dissect"):
            if screen.work.jobs.running("run"):
                await self.press("X")
            if screen.work.jobs.running("dissect"):
                await self.press("m", "X", "escape")
            await self.answered()
            await asyncio.sleep(0.05)
            screen = await self.home()
            if time.monotonic() > ends:
                raise Lost("what is under way does not stop")

    async def depart(self) -> None:
        """Leave in the midst of things."""
        way = self.draw.choice(("", "escape escape escape r up right enter", "escape escape escape m m"))
        self.log.append(f"departs: {way}")
        for key in [*way.split(), "ctrl+q"]:
            await self.press(key)
            await self.answered()
        if not self.over and self.draw.random() < 0.8:  # drafts are asked about
            await self.press("end", "enter")
            await self.answered()


def normal_or(key: str) -> str:
    if key == " ":
        return "space"
    try:
        return normal(key)
    except ValueError:
        return key


def char_of(key: str) -> str | None:
    """The character that a terminal sends with a key, if it is one."""
    if len(key) == 1:
        return key
    try:
        return unicodedata.lookup(key.replace("_", " "))
    except KeyError:
        return " " if key == "space" else None


@contextmanager
def nothing_fails(broken: list[str]) -> Iterator[None]:
    """What fails in a job, a worker or a callback is one line on the screen, or nothing at all: here it counts."""
    loop, start, run = asyncio.get_running_loop(), Jobs.start, Worker._run

    def told(error: BaseException) -> None:
        broken.append("".join(traceback.format_exception(error)))

    def start_job(self: Jobs, name: str, work: Any, done: Any, failed: Any, **more: Any) -> None:
        def heard(error: Exception) -> None:
            if not isinstance(error, UserError):
                told(error)
            failed(error)

        start(self, name, work, done, heard, **more)

    async def run_worker(self: Worker[Any], app: Any) -> None:
        await run(self, app)
        if self.error is not None and not isinstance(self.error, asyncio.CancelledError):
            told(self.error)

    def in_loop(loop: Any, context: dict[str, Any]) -> None:
        error = context.get("exception")
        told(error) if error is not None else broken.append(context["message"])

    handler = loop.get_exception_handler()
    loop.set_exception_handler(in_loop)
    try:
        with patch.object(Jobs, "start", start_job), patch.object(Worker, "_run", run_worker):
            yield
    finally:
        loop.set_exception_handler(handler)


@asynccontextmanager
async def heart_beat(tally: Tally) -> AsyncIterator[None]:
    """Looks how long the screen's thread is held up."""

    async def beat() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.02)
            tally.stood_still = max(tally.stood_still, time.monotonic() - began - 0.02)

    beats = asyncio.create_task(beat())
    try:
        yield
    finally:
        beats.cancel()


async def sitting(
    home: Home, path: Path, draw: random.Random, actions: int, calm: bool, ledger: Ledger, tally: Tally
) -> int:
    """Planscope opened once and left, by itself or in the midst of things; how many actions that took."""
    app = WatchedApp(path, ledger, tally)
    monkey: Monkey | None = None
    try:
        async with app.run_test(size=draw.choice(SIZES)) as pilot:
            monkey = Monkey(app, pilot, draw, home, calm)
            monkey.log.append(f"opens {path.name} ({home.kind}) at {tuple(app.size)}")
            if draw.random() < 0.8:
                await monkey.calmed()
            monkey.look()
            while monkey.done < actions and not monkey.over:
                await monkey.act()
            if not monkey.over:
                await (monkey.check() if draw.random() < 0.5 else monkey.depart())
            ledger.leaving()
        check_left(app, monkey)
    except Exception as error:
        said = "\n  ".join(monkey.log) if monkey is not None else ""
        raise Lost(f"{type(error).__name__}: {error}\nafter:\n  {said}") from error
    return monkey.done


def check_left(app: WatchedApp, monkey: Monkey) -> None:
    """The application is closed: with what status, and what is in the files."""
    ledger = monkey.ledger
    if app.return_code not in (None, 0):
        raise Lost(f"left with status {app.return_code}")
    if app.return_code == 0 and ledger.drafts and not app.asked:
        raise Lost(f"left without a word about drafts: {ledger.drafts}")
    ledger.check_file(app.parting)
    if app.screen_of_session is not None and app.screen_of_session.work.document.session is not None:
        ledger.check_marks(app.screen_of_session)
        if not app.parting:
            ledger.check_place(app.screen_of_session)
    ledger.drafts.clear()
    ledger.check_library(app.emptied)
    if ledger.broken:
        raise Lost("\n".join(ledger.broken))


async def episode(seed: int, actions: int, tally: Tally, *, kind: str = "file", calm: bool = False) -> int:
    """So many actions at one home, opened again where it was left; raises :class:`Lost` with what was done."""
    draw = random.Random(seed)
    ledger, done = Ledger(), 0
    with at_home(kind, draw) as home, nothing_fails(ledger.broken):
        ledger.check_library(False)
        path = home.path
        async with heart_beat(tally):
            while done < actions:
                try:
                    done += max(await sitting(home, path, draw, actions - done, calm, ledger, tally), 1)
                except Lost as lost:
                    raise Lost(f"seed {seed}, {kind}: {lost}") from lost.__cause__
                ledger.meddled = False
                gc.collect()  # what the last one leaves does not hold up the next one
                path = home.path if home.path.exists() else draw.choice(session_files(library_folder()))
    return done


async def let_go(
    actions: int,
    seed: int,
    tell: Callable[[str], None] = lambda line: None,
    most: int = EPISODE,
    calm: bool = False,
) -> Tally:
    """So many actions in all, at most so many at one home; what was done where."""
    tally = Tally()
    done = number = 0
    while done < actions:
        kind = KINDS[(seed + number) % len(KINDS)]
        began = time.monotonic()
        faulthandler.dump_traceback_later(
            PATIENCE * 20, exit=True, file=sys.__stderr__
        )  # a thread that never gives way again
        try:
            did = await episode(
                seed * 100_000 + number, min(most, actions - done), tally, kind=kind, calm=calm
            )
        finally:
            faulthandler.cancel_dump_traceback_later()
        done += did
        number += 1
        tell(f"{done:>6} actions  {kind:<8} {did:>4} in {time.monotonic() - began:5.1f} s")
    return tally


def main() -> None:
    actions = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    tally = asyncio.run(let_go(actions, seed, lambda line: print(line, flush=True)))
    for line in tally.lines():
        print(line)


if __name__ == "__main__":
    main()
