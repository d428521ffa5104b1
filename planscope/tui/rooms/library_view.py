"""What the library shows: names at once, then what the files say, then the verdicts; and the chosen session."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from contextvars import copy_context
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Input

from planscope.session.bundled import is_bundled
from planscope.tui import words
from planscope.tui.desk import Desk
from planscope.tui.dialogs.base import SafeInput
from planscope.tui.jobs import Jobs, Ticket
from planscope.tui.lines import Run, shown
from planscope.tui.paint import Paint
from planscope.tui.panes.box import BoxPane
from planscope.tui.panes.library_lines import (
    Columns,
    Lazy,
    Looked,
    Wishes,
    columns_for,
    empty_lines,
    head_line,
    look_lines,
    row_line,
    wishes_of,
)
from planscope.tui.rooms.library_reading import both, look_at, names
from planscope.tui.rooms.side import SideRoom
from planscope.tui.shelf import SHOWN, Shelf, arranged, with_judged

if TYPE_CHECKING:
    from planscope.session.entry import Entry

LIST, JUDGE, LOOK = "library list", "library judge", "library look"
_TITLES = {"all": "All", "library": "Mine", "bundled": "Bundled", "trash": "Trash"}
_SOON = 0.08
"""Seconds that a session has to be chosen for, before its file is looked at."""

_BATCH = 0.2
"""Seconds between two times that verdicts are shown as they come."""


class LibraryView(SideRoom):
    """``state`` is the shelf; ``looked`` what was found in the file of the chosen session."""

    CSS_PATH = ["side.tcss", "library.tcss"]  # noqa: RUF012  (Textual's own way to say it)
    where = "library"
    fixed: ClassVar[tuple[tuple[str, str, str], ...]] = (
        ("down", "go(1)", "The session below"),
        ("up", "go(-1)", "The session above"),
        ("pagedown", "go_page(1)", "A page down"),
        ("pageup", "go_page(-1)", "A page up"),
        ("home", "go(-1000000)", "The first session"),
        ("end", "go(1000000)", "The last session"),
        ("enter", "open_session", "Open the session in the debugger"),
    )

    def __init__(self, paint: Paint, desk: Desk, jobs: Jobs) -> None:
        super().__init__(paint, desk, jobs)
        self.state = Shelf()
        self.looked: Looked | None = None
        self._rows: tuple[object, ...] = ()
        self._lines: Lazy | None = None
        self._wished: tuple[tuple[Entry, ...], bool, Wishes] | None = None
        self._look_timer: asyncio.TimerHandle | None = None

    def body(self) -> Iterable[Widget]:
        self.search = SafeInput(id="search", placeholder="words to look for", compact=True)
        self.search.display = False
        self.list = BoxPane(self.paint, id="list")
        self.look = BoxPane(self.paint, id="look")
        return (Container(self.search, self.list, self.look, id="shelf"),)

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self.read)

    def on_unmount(self) -> None:
        for name in (LIST, JUDGE, LOOK):
            self.jobs.cancel(name)
        if self._look_timer is not None:
            self._look_timer.cancel()

    @property
    def at_rest(self) -> bool:
        """Whether all is shown that will be without a key."""
        waits = self._look_timer is not None or any(map(self.jobs.running, (LIST, JUDGE, LOOK)))
        return self.state.complete and not waits

    # Reading

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

        hand_over = self._hand_over()

        def work(ticket: Ticket) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
            if first:
                seen = names()
                hand_over(ticket, lambda: named(seen))
            return both()

        self.jobs.start(LIST, work, listed, failed)

    def _here(self, mine: bool) -> Path | None:
        """The session that is open, to stand at; not one at the end of a list of one's own."""
        path = self.desk.path
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
        if chosen is None or (self.looked is not None and self.looked.entry.path == chosen.path):
            return
        if self._look_timer is not None:
            self._look_timer.cancel()
        self._look_timer = asyncio.get_running_loop().call_later(_SOON, self._look_at, chosen)

    def _look_at(self, entry: Entry) -> None:
        self._look_timer = None

        def found(looked: Looked) -> None:
            self.looked = looked
            self.show_look()

        def failed(error: Exception) -> None:
            found(Looked(entry, trouble=f"it cannot be looked at: {shown(str(error), 200)}"))

        own = self.desk.path is not None and entry.path == self.desk.path
        self.jobs.start(LOOK, lambda ticket: look_at(entry, own), found, failed)

    # What is shown

    def change(self, shelf: Shelf) -> None:
        self.state = shelf
        self.show_state()
        self._look_soon()

    def show_state(self) -> None:
        if not self.is_mounted:
            return
        self.list.measure()
        shelf, width = self.state, self.list.inner_width
        columns, now, listed = self._columns(width), datetime.now().astimezone(), shelf.listed
        here, at = self.desk.path, shelf.at
        if self._lines is None or self._rows != (listed, columns, now.date()):
            self._rows = (listed, columns, now.date())
            self._lines = Lazy(
                len(listed), lambda i: row_line(listed[i], columns, False, listed[i].path == here, now)
            )
        plain = self._lines

        def line(index: int):  # type: ignore[no-untyped-def]  # a line
            if index == at:
                return row_line(listed[at], columns, True, listed[at].path == here, now)
            return plain[index]

        lines = Lazy(len(listed), line) if listed else empty_lines(shelf, width)
        self.list.set_content(
            lines,
            title=(Run(_TITLES[shelf.shown], "title"), Run(f" {len(listed):,}", "number")),
            note=self._filters(),
            current=not self.search.has_focus,
            reveal=at,
            head=head_line(columns) if listed else None,
        )
        self.show_look()
        self.show_bars()

    def _columns(self, width: int) -> Columns:
        """As wide as what is in any session of the list, so that they stay while one searches."""
        shelf = self.state
        place = shelf.shown == "all"
        if self._wished is None or self._wished[0] is not shelf.entries or self._wished[1] != place:
            self._wished = (shelf.entries, place, wishes_of((*shelf.entries, *shelf.trashed), place))
        return columns_for(width, self._wished[2])

    def _filters(self) -> list[Run]:
        shelf = self.state
        made = [Run(f'"{shown(shelf.words.strip(), 30)}"  ', "hit-mark")] if shelf.words.strip() else []
        if shelf.verdict:
            made.append(Run(f"{shelf.verdict} alone  ", "mark"))
        if shelf.error_type:
            made.append(Run(f"{shown(shelf.error_type.replace('_', ' '), 30)} alone  ", "mark"))
        return [*made, Run(f"by {shelf.order}{' ↑' if shelf.reverse else ''}", "dim")]

    def show_look(self) -> None:
        """What there is to say of the chosen session."""
        self.look.measure()
        entry = self.state.chosen
        if entry is None:
            self.look.set_content([])
            return
        self.look.set_content(
            look_lines(entry, self.looked, self.look.inner_width),
            title=(Run(shown(entry.title, 60), "title"),),
            note=(Run(shown(entry.name, 40), "dim"),),
        )

    def heading(self) -> tuple[Sequence[Run], Sequence[Run]]:
        shelf = self.state
        left = [Run(" library ", "brand"), Run(" ")]
        for number, place in enumerate(SHOWN, 1):
            here = place == shelf.shown
            count = f" {shelf.trash}" if place == "trash" and shelf.trash else ""
            left += [Run("▶" if here else " ", "mark")]
            left += [Run(f"{number} {_TITLES[place]}{count}", "strong" if here else "dim"), Run("  ")]
        done, many = shelf.judging
        if done == many:
            return left, [Run("" if shelf.complete else "reading…", "dim")]
        told = f"judging {done:,} of {many:,}"
        if shelf.seconds_left is not None and shelf.seconds_left >= 1:
            told += f", {words.plural(round(shelf.seconds_left), 'second')} left"
        return left, [Run(told, "dim")]

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self.call_after_refresh(self.show_state)

    # Searching

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.change(arranged(replace(self.state, words=event.value, at=0)))

    @on(Input.Submitted)
    def _typed_all(self, event: Input.Submitted) -> None:
        event.stop()
        self.stop_typing()

    def stop_typing(self) -> None:
        """Back to the list; what was typed counts still."""
        self.set_focus(None)
        self.search.display = bool(self.state.words.strip())
        self.call_after_refresh(self.show_state)

    def ask(self, dialog: object, then: Callable[..., None]) -> None:
        self.app.push_screen(dialog, then)  # type: ignore[call-overload]  # a dialog, whatever it answers
