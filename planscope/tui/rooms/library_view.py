"""What the library shows: a list of sessions, and the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from textual import events, on
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Input

from planscope.tui import words
from planscope.tui.app_screen import FixedKey, keys_for
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.dialogs.base import SafeInput
from planscope.tui.lines import Line, Run, shown
from planscope.tui.paint import Paint
from planscope.tui.panes.box import BoxPane
from planscope.tui.panes.hints import Hint
from planscope.tui.panes.library_lines import (
    Columns,
    Lazy,
    Wishes,
    alike,
    columns_for,
    empty_lines,
    head_line,
    look_lines,
    row_line,
    wishes_of,
)
from planscope.tui.rooms.library_filling import Filling
from planscope.tui.screens.side import SIDE_STYLE
from planscope.tui.shelf import SHOWN, Shelf, arranged

if TYPE_CHECKING:
    from planscope.session.library_entry import Entry

_TITLES = {"all": "All", "library": "Mine", "bundled": "Bundled", "trash": "Trash"}
_NOT_IN_TRASH = ("open-session", "rename-session", "copy-session", "delete-session")
_IN_TRASH = ("empty-trash",)


_FIXED: tuple[FixedKey, ...] = (
    ("down", "go(1)", "The session below"),
    ("up", "go(-1)", "The session above"),
    ("pagedown", "go_page(1)", "A page down"),
    ("pageup", "go_page(-1)", "A page up"),
    ("home", "go(-1000000)", "The first session"),
    ("end", "go(1000000)", "The last session"),
    ("enter", "open_session", "Open the session in the debugger"),
)


class LibraryView(Filling):
    """The list above, what the chosen session holds below."""

    CSS_PATH = [SIDE_STYLE, "library.tcss"]  # noqa: RUF012  (Textual's own way to say it)
    where = "library"
    BINDINGS = keys_for("library", _FIXED)

    def __init__(self, paint: Paint, work: Workspace) -> None:
        super().__init__(paint, work)
        self._rows: tuple[object, ...] = ()
        self._alike: frozenset[str] = frozenset()
        self._lines: Lazy | None = None
        self._wished: tuple[tuple[Entry, ...], bool, Wishes] | None = None

    def body(self) -> Iterable[Widget]:
        self.search = SafeInput(id="search", placeholder="words to look for", compact=True)
        self.search.display = False
        self.list = BoxPane(self.paint, id="list")
        self.look = BoxPane(self.paint, id="look")
        return (Container(self.search, self.list, self.look, id="shelf"),)

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
        here, at = self.document.path, shelf.at
        if self._lines is None or self._rows != (listed, columns, now.date()):
            self._rows = (listed, columns, now.date())
            self._alike = alike(listed)
            self._lines = None
        named = self._alike

        def row(i: int, chosen: bool) -> Line:
            entry = listed[i]
            return row_line(entry, columns, chosen, entry.path == here, now, entry.title in named)

        plain = self._lines = self._lines or Lazy(len(listed), lambda i: row(i, False))

        def line(index: int) -> Line:
            return row(at, True) if index == at else plain[index]

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

    def named_keys(self) -> Sequence[Hint]:
        idle = _NOT_IN_TRASH if self.state.shown == "trash" else _IN_TRASH
        return [hint for hint in self.hints if hint.id not in idle]

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
        self.call_after_refresh(self.show_state)

    # Searching

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self.state.words:  # else it was emptied, and what was chosen stays chosen
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
