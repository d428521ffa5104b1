"""The library screen: lists all sessions, previews the chosen one, and opens another session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from textual.containers import Container
from textual.widget import Widget

from planscope.session.locations import name_of
from planscope.tui.app_screen import keys_for
from planscope.tui.controllers.library_list import ORDERS, SHOWN, LibraryList, SessionList, Shown
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.dialogs.ask import ChooseDialog
from planscope.tui.keys import key_for
from planscope.tui.opening.load import load_beside
from planscope.tui.panes.box import BoxPane, Lazy
from planscope.tui.panes.columns import head_line
from planscope.tui.panes.hints import Hint
from planscope.tui.screens.flows.quitting import may_stop
from planscope.tui.screens.library.lines import (
    Item,
    Wishes,
    alike,
    columns_for,
    empty_lines,
    preview_lines,
    wishes_of,
)
from planscope.tui.screens.lists import LIST_STYLE, Cursor, ListScreen, list_keys
from planscope.tui.style.lines import Line, Run, shown
from planscope.wording import phrases
from planscope.wording.terms import said

if TYPE_CHECKING:
    from planscope.session.library_index import Entry

_TITLES = {"all": "All", "library": "Mine", "bundled": "Bundled", "trash": "Trash"}
_NOT_IN_TRASH = ("open-session", "rename-session", "copy-session", "delete-session")
_IN_TRASH = ("empty-trash",)


class LibraryScreen(ListScreen):
    """Lists sessions. The screen returns the session to switch to, or None."""

    CSS_PATH = [LIST_STYLE, "library.tcss"]  # noqa: RUF012  (Textual's own way to say it)
    where = "library"
    BINDINGS = keys_for("library", list_keys("open_session"))

    def __init__(self, work: Workspace) -> None:
        super().__init__(work)
        self.library = LibraryList(work.document, work.jobs, work.autosave, self.post_message)
        self.searched = self.library
        self.current = "list"
        self._lines: Lazy | None = None
        self._made_of: tuple[object, ...] = ()
        self._wished: tuple[tuple[Entry, ...], bool, Wishes] | None = None

    def body(self) -> Iterable[Widget]:
        self.list = BoxPane(id="list")
        self.preview = BoxPane(id="preview")
        rows = Cursor(
            self.list,
            lambda: len(self.state.listed),
            lambda: self.state.at,
            self.library.choose,
            self.action_open_session,
        )
        self.cursors, self.details = {"list": rows}, (self.preview,)
        return (Container(self.search, self.list, self.preview, id="panes"),)

    def on_mount(self) -> None:
        self.call_after_refresh(self.library.read)

    def on_unmount(self) -> None:
        self.library.close()

    @property
    def state(self) -> SessionList:
        return self.library.state

    @property
    def at_rest(self) -> bool:
        """Return whether the display stays unchanged until a key is pressed."""
        return self.library.at_rest

    # Display

    def show_state(self) -> None:
        if not self.is_mounted:
            return
        self.list.measure()
        state, width, now = self.state, self.list.inner_width, datetime.now().astimezone()
        listed, here = state.listed, self.document.path
        wishes = self._wishes()
        made_of = (listed, width, wishes, now.date(), here)
        if self._lines is None or self._made_of != made_of:
            self._made_of, self._columns = made_of, columns_for(width, wishes, now)
            self._alike = alike(listed)
            self._lines = Lazy(len(listed), lambda i: self._row(i, False))
        self.show_list(
            "list",
            self._row,
            partial(empty_lines, state),
            title=(Run(_TITLES[state.shown], "title"), Run(f" {len(listed):,}", "number")),
            note=[
                *self.filters(said(word) for word in (state.verdict, state.error_type) if word),
                Run(f"by {state.order}{' ↑' if state.reverse else ''}", "dim"),
            ],
            head=head_line(self._columns.whole),
            plain=self._lines,
        )
        self._show_preview()
        self.show_bars()

    def _row(self, index: int, chosen: bool) -> Line:
        entry = self.state.listed[index]
        item = Item(entry, entry.path == self.document.path, entry.title in self._alike, chosen)
        return self._columns.row(item)

    def _wishes(self) -> Wishes:
        """Return the columns' widths for all sessions, so that they stay the same during a search."""
        state = self.state
        place = state.shown == "all"
        if self._wished is None or self._wished[0] is not state.entries or self._wished[1] != place:
            self._wished = (state.entries, place, wishes_of((*state.entries, *state.trashed), place))
        return self._wished[2]

    def _show_preview(self) -> None:
        self.preview.measure()
        entry = self.state.chosen
        if entry is None:
            self.preview.set_content([])
            return
        self.preview.set_content(
            preview_lines(entry, self.library.preview, self.preview.inner_width),
            title=(Run(shown(entry.title, 60), "title"),),
            note=(Run(shown(entry.name, 40), "dim"),),
        )

    def named_keys(self) -> Sequence[Hint]:
        idle = _NOT_IN_TRASH if self.state.shown == "trash" else _IN_TRASH
        return [hint for hint in self.hints if hint.id not in idle]

    def heading(self) -> tuple[Sequence[Run], Sequence[Run]]:
        state = self.state
        left = [Run(" library ", "brand"), Run(" ")]
        for number, place in enumerate(SHOWN, 1):
            here = place == state.shown
            count = f" {len(state.trashed)}" if place == "trash" and state.trashed else ""
            left += [Run("▶" if here else " ", "mark")]
            left += [Run(f"{number} {_TITLES[place]}{count}", "strong" if here else "dim"), Run("  ")]
        done, many = state.judging
        if done == many:
            return left, [Run("" if state.complete else "reading…", "dim")]
        progress = f"judging {done:,} of {many:,}"
        if state.seconds_left is not None and state.seconds_left >= 1:
            progress += f", {phrases.plural(round(state.seconds_left), 'second')} left"
        return left, [Run(progress, "dim")]

    # Filters, order

    def action_place(self, place: Shown) -> None:
        """Show the sessions of a place, such as the trash."""
        self.notice = ""
        self.library.arrange(shown=place, at=0)

    def action_filter(self, title: str, field: Literal["verdict", "error_type"]) -> None:
        """Ask for a verdict or a type of error, and show only the sessions with it."""
        counts = self.state.verdicts() if field == "verdict" else self.state.error_types()
        self.start_flow(self._filter(title, field, counts))

    async def _filter(
        self, title: str, field: Literal["verdict", "error_type"], found: Mapping[str, int]
    ) -> None:
        names = ["", *found]
        lines: list[tuple[Run, ...]] = [(Run("any"),)]
        for name, count in found.items():
            lines.append((Run(f"{shown(said(name), 40):<20}"), Run(f"{count:>5,}", "dim")))
        now = getattr(self.state, field)
        at = names.index(now) if now in names else 0
        number = await self.answer(ChooseDialog(title, lines, at))
        if number is not None:
            self.notice = ""
            self.library.arrange(at=0, **{field: names[number]})

    def action_sort_sessions(self) -> None:
        order = ORDERS[(ORDERS.index(self.state.order) + 1) % len(ORDERS)]
        self.library.arrange(order=order, reverse=False)
        self.tell(f"by {order} (; reverses the order)")

    def action_reverse_sessions(self) -> None:
        self.library.arrange(reverse=not self.state.reverse)

    # Opening

    def action_open_session(self) -> None:
        entry = self.state.chosen
        if entry is None:
            self.tell(f"nothing to open; {key_for('new-session')} makes a session")
        elif entry.place == "trash":
            self.tell(f"it is in the trash: {key_for('restore-session')} restores it")
        elif entry.wrong is not None:
            self.tell(shown(entry.wrong, 300))
        elif self.library.is_open(entry):
            self.dismiss(None)
        else:
            self.start_flow(self._open(entry.path))

    async def _open(self, path: Path, *, asked: bool = False) -> None:
        """Load a session and switch to it. ``asked``: the user allowed that what runs here is stopped."""
        if not (asked or await may_stop(self, self.jobs)):
            return
        self.tell(f"opening {shown(name_of(path), 60)}…")
        try:
            switch = await load_beside(self.work, path)
        except Exception as error:
            self.library.failed("not opened", path, error)
            return
        if self.is_left and switch.autosave is not None:
            switch.autosave.close()
        self.dismiss(switch)

    def action_new_session(self) -> None:
        self.start_flow(self._new_session())

    async def _new_session(self) -> None:
        from planscope.tui.dialogs.forms import new_form
        from planscope.tui.dialogs.write import WriteDialog

        choices = [
            (Run("Write my own"), Run("  a text of yours; its actions are found", "dim")),
            (Run("Random query"), Run("  certified to have a correct plan", "dim")),
        ]
        chosen = await self.answer(ChooseDialog("New session", choices, name="new session"))
        if chosen == 0:
            reading = await self.answer(WriteDialog())
            if reading is None or not await may_stop(self, self.jobs):
                return
            path = await self.library.make_own(reading)
        elif chosen == 1:
            request = await self.answer(new_form())
            if request is None or not await may_stop(self, self.jobs):
                return
            path = await self.library.make(request)
        else:
            return
        if path is not None:
            await self._open(path, asked=True)

    # Files

    def _chosen_of_mine(self) -> Entry | None:
        """Return the chosen session if it may be changed."""
        entry = self.state.chosen
        if entry is None:
            self.tell("no session is chosen")
        elif entry.place == "bundled":
            self.tell(
                f"bundled sessions are read-only: {key_for('copy-session')} copies it into your library"
            )
        elif entry.place == "trash":
            self.tell(f"it is in the trash: {key_for('restore-session')} restores it")
        else:
            return entry
        return None

    def action_rename_session(self) -> None:
        if (entry := self._chosen_of_mine()) is not None:
            self.start_flow(self._rename(entry))

    async def _rename(self, entry: Entry) -> None:
        from planscope.session.locations import checked_name
        from planscope.tui.dialogs.form import Answers, Field, FormDialog

        fields = [Field("name", "Name", entry.name), Field("title", "Title", entry.title)]

        def read(answers: Answers) -> tuple[str, str]:
            name = answers["name"]
            return name if name == entry.name else checked_name(name.strip()), answers["title"]

        before = ("The name is the file's, the title is the session's.",)
        answers = await self.answer(FormDialog("Rename", fields, read, before=before))
        if answers is not None:
            name, title = answers
            same_title = title in (entry.title, "") or entry.wrong is not None
            await self.library.rename(
                entry, None if name == entry.name else name, None if same_title else title
            )

    def action_copy_session(self) -> None:
        entry = self.state.chosen
        if entry is None or entry.place == "trash":
            self.tell(
                "nothing to copy"
                if entry is None
                else f"it is in the trash: {key_for('restore-session')} restores it"
            )
        else:
            self.start_flow(self._copy(entry))

    async def _copy(self, entry: Entry) -> None:
        from planscope.session.locations import bundled, checked_name, free_name, in_library, wrong_name
        from planscope.tui.dialogs.form import ask_dialog

        def check(text: str) -> str | None:
            name = text.strip()
            taken = name in bundled() or in_library(name) is not None
            return wrong_name(name) or ("this name is taken" if taken else None)

        hint = "the copy's name in your library"
        name = await self.answer(ask_dialog("Copy", hint, check, value=free_name(entry.name)))
        if name is not None:
            self.library.copy(entry, checked_name(name.strip()))

    def action_delete_session(self) -> None:
        if (entry := self._chosen_of_mine()) is not None:
            self.library.delete(entry)

    def action_restore_session(self) -> None:
        self.library.restore()

    def action_empty_trash(self) -> None:
        if self.state.trashed:
            self.start_flow(self._empty_trash())
        else:
            self.tell("the trash is empty")

    async def _empty_trash(self) -> None:
        from planscope.tui.dialogs.ask import sure_dialog

        text = f"{phrases.plural(len(self.state.trashed), 'session')} would be deleted for good."
        dialog = sure_dialog("Empty the trash?", text, "Keep them", "Delete them")
        if await self.answer(dialog) == 1:
            self.library.empty_trash()

    def action_copy_session_path(self) -> None:
        entry = self.state.chosen
        if entry is not None:
            self.app.copy_to_clipboard(str(entry.path))
            self.tell(f"sent to the terminal's clipboard: {phrases.place(entry.path)}")
