"""A random monkey: keys, clicks, drags and resizes over all rooms, and a model of what must stay true.

``python -m tests.tui.monkey 20000 [SEED]`` lets it go on for long. It looks whether the application is alive and
answers, whether one can always get back to the debug screen, and whether anything that was made is lost: what was put
on the desk is on it and in the file, and a draft that was left is there when one comes back.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
import time
import unicodedata
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from textual import events
from textual.widgets import Input

from planscope.session.model import Session
from planscope.session.store import load
from planscope.tui.actions import ACTIONS
from planscope.tui.application import PlanscopeApp
from planscope.tui.desk import Desk, News
from planscope.tui.dialogs.base import Dialog
from planscope.tui.keymap import normal
from planscope.tui.rooms.debug import DebugRoom
from planscope.tui.rooms.edit import EditRoom
from planscope.tui.rooms.everywhere import Everywhere
from tests.hostile import HOSTILE
from tests.tui import sessions
from tests.tui.screen import Driven, rows

SIZES = ((80, 24), (120, 40), (200, 60))
ODD_SIZES = ((50, 12), (60, 15), (109, 60), (169, 43), (4, 2), (300, 80))
MADE: tuple[Callable[[], Session], ...] = (
    sessions.figure_10,
    sessions.out_of_order,
    sessions.restarted,
    sessions.no_run,
    sessions.unreadable,
    sessions.contradictory,
    sessions.aborted,
)
PATIENCE = 30.0
"""Seconds after which a screen that has not answered is frozen, on a machine that does other things too."""

EPISODE = 250
"""Actions between two looks at whether all is kept."""

WORDS = (
    "step 2",
    "c1 == broken",
    "hair",
    "3",
    "0",
    "sim:literal",
    "sim:flaky?p=0.5",
    "[/",
    "[b]",
    "é日",
    "9999",
    "a, b",
)
ANYWHERE = (
    "escape",
    "enter",
    "up",
    "down",
    "left",
    "right",
    "tab",
    "shift+tab",
    "pageup",
    "pagedown",
    "home",
    "end",
)
ODD_KEYS = (
    "ctrl+a",
    "ctrl+c",
    "ctrl+z",
    "ctrl+w",
    "alt+x",
    "f2",
    "f12",
    "delete",
    "insert",
    "ctrl+shift+up",
    "space",
)
RARE = {"quit", "own-editor", "save"}


class Lost(AssertionError):
    """Something that must stay true did not."""


class Model:
    """What was put on desks, and texts that were left in the edit room."""

    def __init__(self) -> None:
        self.made: dict[str, set[str]] = {"variant": set(), "run": set(), "dissection": set()}
        self.draft: tuple[tuple[str, str], str] | None = None
        self._desk: Desk | None = None

    def watch(self, desk: Desk) -> None:
        if desk is not self._desk:
            self._desk = desk
            self.made = {what: set() for what in self.made}
            desk.listen(self.heard)

    def heard(self, news: News) -> None:
        assert self._desk is not None
        taken_off = news.what == "run" and self._desk.run(news.id) is None  # what was played, and not kept
        if news.what in self.made and news.id not in self._desk.passing and not taken_off:
            self.made[news.what].add(news.id)

    def check_made(self, session: Session, where: str) -> None:
        for what, things in (
            ("variant", session.variants),
            ("run", session.runs),
            ("dissection", session.dissections),
        ):
            passing = self._desk.passing if self._desk is not None else set()
            missing = self.made[what] - {thing.id for thing in things} - passing  # type: ignore[attr-defined]
            if missing:
                raise Lost(f"{what} {', '.join(sorted(missing))} is not {where} any more")


class Monkey:
    """One session in one application. ``log`` are its last actions."""

    def __init__(self, app: PlanscopeApp, pilot: Any, draw: random.Random) -> None:
        self.app = app
        self.pilot = pilot
        self.draw = draw
        self.driven = Driven(app, pilot)
        self.model = Model()
        self.log: deque[str] = deque(maxlen=80)
        self.screens: Counter[str] = Counter()
        self.done = 0

    # What it does

    @property
    def over(self) -> bool:
        """Whether the application was left."""
        return not self.app.is_running or self.app.return_code is not None

    async def press(self, *keys: str) -> None:
        """Keys as fast as they come, without waiting for what they do; now and then all of it is waited for."""
        for key in keys:
            if self.over:
                return
            self.app.post_message(events.Key(normal_or(key), char_of(key)))
            await asyncio.sleep(0.003)
        if self.draw.random() < 0.3:
            await self.pilot.pause()

    async def act(self) -> None:
        """One action; what it is depends on where one is."""
        self.done += 1
        screen = self.app.screen
        self.screens[type(screen).__name__] += 1
        if self.draw.random() < (0.1 if isinstance(screen, DebugRoom) else 0.2 * isinstance(screen, Dialog)):
            await self.within(self.go_on())
            return
        kinds = (self.key, self.type, self.click, self.drag, self.resize, self.paste, self.rest)
        kind = self.draw.choices(kinds, (70, 8 if screen.query(Input) else 2, 14, 3, 2, 1, 2))[0]
        before = self._editing()
        await self.within(kind())
        if not self.over:
            self._left(before)

    async def go_on(self) -> None:
        """Out of a dialog, or from the debug screen to where the monkey would seldom get."""
        ways = (
            ("e", "e", "d", "m", "L", "L", "r enter", "r enter", "F enter", "g p enter", "ctrl+p")
            if isinstance(self.app.screen, DebugRoom)
            else ("escape", "enter")
        )
        way = self.draw.choice(ways).split()
        self.log.append(f"goes on: {' '.join(way)}")
        for key in way:
            await self.press(key)
            await self.pilot.pause()

    async def within(self, doing: Any) -> None:
        """Do something, unless the screen is frozen."""
        began = time.monotonic()
        try:
            await asyncio.wait_for(doing, PATIENCE)
        except TimeoutError:
            raise Lost(f"the screen does not answer within {PATIENCE:g} s") from None
        except Exception:
            if not self.over:  # a screen that goes away in the middle of a click is no fault
                raise
        if (took := time.monotonic() - began) > PATIENCE / 2:
            self.log.append(f"   (took {took:.1f} s)")

    def _keys_here(self) -> list[str]:
        screen = self.app.screen
        where = screen.where if isinstance(screen, Everywhere) else None
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
        self.log.append(f"{'+'.join([key] * times) if times > 1 else key}")
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
        self.app.screen.post_message(events.Paste(text))
        await self.pilot.pause()

    def _place(self) -> tuple[int, int]:
        width, height = self.app.size
        y = (
            self.draw.choice((0, height - 1))
            if self.draw.random() < 0.1
            else self.draw.randrange(max(height, 1))
        )
        return self.draw.randrange(max(width, 1)), y

    async def click(self) -> None:
        place, times = self._place(), self.draw.choice((1, 1, 1, 2))
        self.log.append(f"clicks {place} {times} times in {type(self.app.screen).__name__}")
        with suppress(IndexError):  # the window became smaller
            await self.pilot.click(offset=place, times=times)

    async def drag(self) -> None:
        start, to = self._place(), self._place()
        self.log.append(f"drags {start} to {to}")
        for do, place in ((self.pilot.mouse_down, start), (self.pilot.hover, to), (self.pilot.mouse_up, to)):
            if not self.over:
                await do(offset=place)

    async def resize(self) -> None:
        size = self.draw.choice(ODD_SIZES if self.draw.random() < 0.3 else SIZES)
        self.log.append(f"resizes to {size}")
        await self.pilot.resize_terminal(*size)

    async def rest(self) -> None:
        self.log.append("rests")
        await self.pilot.pause(self.draw.choice((0.05, 0.3)))

    # What must stay true

    def _editing(self) -> tuple[EditRoom, tuple[str, str], str, str] | None:
        screen = next((s for s in self.app.screen_stack if isinstance(s, EditRoom)), None)
        if screen is None or not screen.is_mounted:
            return None
        return (
            screen,
            (screen.desk.open_session.id, screen.of.id),
            screen.state.draft.text,
            screen.of.query.text,
        )

    def _left(self, before: tuple[EditRoom, tuple[str, str], str, str] | None) -> None:
        """A text that was being written is in the room, in a draft, or in a variant. (Undone, it is not changed.)"""
        room = self.app.room
        if before is None or room is None or before[0] in self.app.screen_stack:
            return
        _, key, _, original = before
        text = before[0].state.draft.text  # what it was when it was left
        texts = {original, *(v.query.text for v in before[0].desk.open_session.variants)}
        if key in room.drafts:
            texts.add(room.drafts[key].now.text)
        if text not in texts:
            raise Lost(f"the draft of {key[1]} is gone: {text[-60:]!r}")

    async def home(self) -> DebugRoom:
        """Back to the debug screen; there is always a way."""
        for _ in range(40):
            if self.over or isinstance(self.app.screen, DebugRoom):
                break
            self.log.append("escape (home)")
            await self.within(self.pilot.press("escape"))
        room = self.app.screen
        if not isinstance(room, DebugRoom):
            raise Lost(f"no way out of {type(room).__name__}:\n" + "\n".join(rows(self.app)))
        return room

    async def check(self) -> None:
        """The screen answers, and nothing is lost: neither on the desk nor in the file."""
        room = await self.home()
        await self.within(self.pilot.resize_terminal(120, 40))
        await self.answers(room)
        await self.stop_all(room)
        room = await self.home()
        desk = room.desk
        self.model.watch(desk)
        if desk.session is None:
            return
        self.model.check_made(desk.session, "on the desk")
        saver = self.app.saver
        assert saver is not None
        room.touched()
        trouble = await asyncio.wait_for(saver.flush(), PATIENCE)
        if trouble:
            raise Lost(f"not saved: {trouble}")
        if desk.unsaved == 0 and desk.saving.state != "saved":
            return  # nothing was changed, so nothing was written
        assert desk.path is not None
        self.compare(desk.snapshot(), load(desk.path))

    def compare(self, here: Session, there: Session) -> None:
        self.model.check_made(there, "in the file")
        for name in ("title", "notes", "variants", "runs", "dissections", "breakpoints", "watches"):
            if getattr(here, name) != getattr(there, name):
                raise Lost(f"{name} in the file are not those on the desk")

    def check_left(self) -> None:
        """The application is closed: with what status, and what is in the file."""
        app = self.app
        if app.return_code not in (None, 0):
            raise Lost(f"left with status {app.return_code}")
        desk = app.desk
        if desk is None or desk.session is None or desk.path is None or not self.model.made["variant"]:
            return
        if app.parting:
            raise Lost(f"not saved: {app.parting}")
        self.model.made["run"] -= desk.under_way
        self.model.check_made(load(desk.path), "in the file that was left")

    async def answers(self, room: DebugRoom) -> None:
        """A key changes something."""
        before = rows(self.app)
        await self.within(self.pilot.press("question_mark"))
        await self.within(self.pilot.pause())
        if rows(self.app) == before:
            raise Lost("the screen does not change any more")
        await self.home()

    async def stop_all(self, room: DebugRoom) -> None:
        """What is under way is stopped by its keys."""
        ends = time.monotonic() + PATIENCE
        while room.jobs.running("run") or room.jobs.running("dissect"):
            if room.jobs.running("run"):
                await self.within(self.pilot.press("X"))
            if room.jobs.running("dissect"):
                await self.within(self.pilot.press("m", "X", "escape"))
                await self.home()
            await self.pilot.pause(0.05)
            if time.monotonic() > ends:
                raise Lost("what is under way does not stop")


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


async def episode(path: Path, seed: int, actions: int, counted: Counter[str]) -> int:
    """So many actions on one session, or fewer where it was left; how many. Raises :class:`Lost` with what was done."""
    draw = random.Random(seed)
    app = PlanscopeApp(path)
    monkey: Monkey | None = None
    try:
        async with app.run_test(size=draw.choice(SIZES)) as pilot:
            monkey = Monkey(app, pilot, draw)
            await monkey.driven.rest()
            while monkey.done < actions and not monkey.over:
                if app.desk is not None:
                    monkey.model.watch(app.desk)
                await monkey.act()
            if not monkey.over:
                await monkey.check()
        monkey.check_left()
    except Exception as error:
        said = "\n  ".join(monkey.log) if monkey is not None else ""
        raise Lost(f"{type(error).__name__}: {error}\nseed {seed}, after:\n  {said}") from error
    counted.update(monkey.screens)
    return monkey.done


async def let_go(
    actions: int, seed: int, tell: Callable[[str], None] = lambda line: None, most: int = EPISODE
) -> Counter[str]:
    """So many actions in all, at most so many on one session; on which screens they were."""
    counted: Counter[str] = Counter()
    done = number = 0
    while done < actions:
        with tempfile.TemporaryDirectory() as folder:
            made = MADE[(seed + number) % len(MADE)]
            path = sessions.write(made(), Path(folder))
            began = time.monotonic()
            did = await episode(path, seed * 100_000 + number, min(most, actions - done), counted)
        done += did
        number += 1
        tell(f"{done:>6} actions  {made.__name__:<14} {did:>4} in {time.monotonic() - began:5.1f} s")
    return counted


def quiet_home(folder: Path) -> None:
    """Nothing of the user's is read or written, and nothing is asked of any provider."""
    os.chdir(folder)
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        os.environ[f"XDG_{name}_HOME"] = str(folder / name.lower())
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "NO_COLOR"):
        os.environ.pop(name, None)
    os.environ["EDITOR"] = os.environ["VISUAL"] = "true"


def main() -> None:
    actions = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        quiet_home(Path(folder))
        counted = asyncio.run(let_go(actions, seed, lambda line: print(line, flush=True)))  # noqa: T201
    for name, times in counted.most_common():
        print(f"{times:>7}  {name}")  # noqa: T201


if __name__ == "__main__":
    main()
