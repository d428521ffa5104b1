"""The library: names at once, then what the files say, then the verdicts; the chosen session; what others change."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.session.bundled import is_bundled
from planscope.tui.controllers.jobs import Ticket
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.lines import shown
from planscope.tui.paint import Paint
from planscope.tui.panes.library_lines import Looked
from planscope.tui.rooms.library_reading import both, folders, look_at, names
from planscope.tui.screens.side import SideScreen
from planscope.tui.shelf import Shelf, arranged, with_judged

if TYPE_CHECKING:
    from planscope.session.library_entry import Entry

LIST, JUDGE, LOOK, WATCH = "library list", "library judge", "library look", "library watch"
_SOON = 0.08
"""Seconds that a session has to be chosen for, before its file is looked at."""

_BATCH = 0.2
"""Seconds between two times that verdicts are shown as they come."""

_WATCH = 1.0
"""Seconds between two looks whether somebody else changed the library."""


class Filling(SideScreen):
    """``state`` is the shelf; ``looked`` what was found in the file of the chosen session."""

    def __init__(self, paint: Paint, work: Workspace) -> None:
        super().__init__(paint, work)
        self.state = Shelf()
        self.looked: Looked | None = None
        self._seen: object = None
        self._looks_at: Entry | None = None
        self._look_timer: asyncio.TimerHandle | None = None

    def change(self, shelf: Shelf) -> None:
        """Take and show another shelf."""
        raise NotImplementedError

    def show_look(self) -> None:
        raise NotImplementedError

    def on_mount(self) -> None:
        self.call_after_refresh(self.read)

    def on_unmount(self) -> None:
        for name in (LIST, JUDGE, WATCH):
            self.jobs.cancel(name)
        self._stop_looking()

    @property
    def at_rest(self) -> bool:
        """Whether all is shown that will be without a key."""
        waits = self._look_timer is not None or any(map(self.jobs.running, (LIST, JUDGE, LOOK)))
        return self.state.complete and not waits

    def read(self, chosen: Path | None = None) -> None:
        """Read the folders anew; ``chosen`` is the session to stand at then."""
        first = not self.state.complete

        def failed(error: Exception) -> None:
            self.tell(f"the library cannot be read: {shown(str(error), 200)}")

        def named(found: tuple[Entry, ...]) -> None:
            mine = any(entry.place == "library" for entry in found)
            self.change(arranged(replace(self.state, entries=found), chosen or self._here(mine)))

        def listed(found: tuple[tuple[Entry, ...], tuple[Entry, ...]]) -> None:
            entries, trashed = found
            mine = any(entry.place == "library" for entry in entries)
            at = chosen or (self._here(mine) if first else None)
            shelf = replace(self.state, entries=entries, trashed=trashed, trash=len(trashed), complete=True)
            self.change(arranged(shelf, at))
            self._judge()
            self._watch()

        hand_over = self._hand_over()

        def work(ticket: Ticket) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
            self._seen = folders()
            if first:
                seen = names()
                hand_over(ticket, lambda: named(seen))
            return both()

        self.jobs.start(LIST, work, listed, failed)

    def _watch(self) -> None:
        """Look now and then whether a session came, went or was saved by somebody else, and read anew then."""
        if self.jobs.running(WATCH) or not self.is_mounted:
            return
        hand_over = self._hand_over()

        def work(ticket: Ticket) -> None:
            while not ticket.wait(_WATCH):
                if folders() != self._seen:
                    hand_over(ticket, lambda: None if self.jobs.running(LIST) else self.read())

        self.jobs.start(WATCH, work, lambda _: None, lambda _: None)

    def _here(self, mine: bool) -> Path | None:
        """The session that is open, to stand at; not one at the end of a list of one's own."""
        path = self.document.path
        return path if path is not None and not (mine and is_bundled(path)) else None

    def _hand_over(self) -> Callable[[Ticket, Callable[[], None]], None]:
        """What a thread calls to have something done on the screen's, as long as anyone waits for it."""
        loop, context = asyncio.get_running_loop(), copy_context()

        def hand_over(ticket: Ticket, what: Callable[[], None]) -> None:
            try:
                loop.call_soon_threadsafe(lambda: None if ticket.stale else what(), context=context)
            except RuntimeError:
                ticket.drop()  # the screen is gone

        return hand_over

    def _judge(self) -> None:
        """Judge what nobody has judged yet, in the background; verdicts are shown as they come."""
        from planscope.session.library import judge_all

        waiting = [e for e in (*self.state.listed, *self.state.entries, *self.state.trashed) if e.pending]
        waiting = list({e.path: e for e in waiting}.values())
        if not waiting:
            return
        began, hand_over = time.monotonic(), self._hand_over()

        def take(found: dict[Path, Entry], done: int) -> None:
            left = (time.monotonic() - began) / max(done, 1) * (len(waiting) - done)
            judged = replace(self.state, judging=(done, len(waiting)), seconds_left=left)
            self.change(with_judged(judged, found))

        def work(ticket: Ticket) -> dict[Path, Entry]:
            found: dict[Path, Entry] = {}
            shown_at = time.monotonic()
            for done, entry in enumerate(judge_all(waiting, lambda: ticket.stale), 1):
                found[entry.path] = entry
                if time.monotonic() - shown_at > _BATCH:
                    hand_over(ticket, partial(take, found, done))
                    found, shown_at = {}, time.monotonic()
                ticket.wait(0.0005)  # a key finds the interpreter free
            return found

        def done(found: dict[Path, Entry]) -> None:
            ended = replace(self.state, judging=(len(waiting), len(waiting)), seconds_left=None)
            self.change(with_judged(ended, found))

        def failed(error: Exception) -> None:
            self.change(replace(self.state, judging=(0, 0)))
            self.tell(f"not judged: {shown(str(error), 200)}")

        self.jobs.start(JUDGE, work, done, failed)

    def _look_soon(self) -> None:
        """Look at the file of the chosen session, when it has been chosen for a moment."""
        chosen = self.state.chosen
        waits = self._look_timer is not None or self.jobs.running(LOOK)
        seen = self._looks_at if waits else self.looked.entry if self.looked is not None else None
        if chosen is None or (seen is not None and _same(seen, chosen)):
            return
        self._stop_looking()
        if self.looked is not None and _same(self.looked.entry, chosen):
            return  # back at it, before another one was looked at
        self._looks_at = chosen
        self._look_timer = asyncio.get_running_loop().call_later(_SOON, self._look_at, chosen)

    def _stop_looking(self) -> None:
        if self._look_timer is not None:
            self._look_timer.cancel()
            self._look_timer = None
        self.jobs.cancel(LOOK)

    def _look_at(self, entry: Entry) -> None:
        self._look_timer = None

        def found(looked: Looked) -> None:
            self.looked = looked
            self.show_look()

        def failed(error: Exception) -> None:
            found(Looked(entry, trouble=f"it cannot be looked at: {shown(str(error), 200)}"))

        own = self.document.path is not None and entry.path == self.document.path
        self.jobs.start(LOOK, lambda ticket: look_at(entry, own), found, failed)


def _same(one: Entry, other: Entry) -> bool:
    """Whether both stand for the same file as it is."""
    return (one.path, one.size, one.changed) == (other.path, other.size, other.changed)
