"""The library screen: lists all sessions, previews the chosen one, and opens another session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from textual import events
from textual.containers import Container
from textual.widget import Widget

from planscope.errors import UserError
from planscope.session.library_index import Entry
from planscope.session.locations import bundled, checked_name, free_name, in_library, name_of, wrong_name
from planscope.tui.app_screen import flow, keys_for
from planscope.tui.controllers.library_list import ORDERS, SHOWN, LibraryList, SessionList, Shown
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.dialogs.ask import ChooseDialog, sure_dialog
from planscope.tui.keys import key_for
from planscope.tui.opening.load import load_beside, path_in
from planscope.tui.panes.box import BoxPane
from planscope.tui.panes.columns import head_line
from planscope.tui.screens.flows.quitting import may_stop
from planscope.tui.screens.library.lines import columns_for, empty_lines, preview_lines
from planscope.tui.screens.lists import Cursor, ListScreen, list_keys
from planscope.tui.style.lines import Run, shown, tabs
from planscope.wording import phrases

_TITLES = {"all": "All", "library": "Mine", "bundled": "Bundled", "trash": "Trash"}
_CHANGES = {"rename-session", "delete-session"}
_OF_LISTS = {
    "search-sessions",
    "filter-verdict",
    "filter-error",
    "sort-sessions",
    "reverse-sessions",
    "copy-session-path",
    "look-on",
}
_IN_TRASH = ("empty-trash",)


class LibraryScreen(ListScreen):
    """Lists sessions. The screen returns the session to switch to, or None."""

    LEAVES_ROWS = True
    where = "library"
    BINDINGS = keys_for("library", list_keys("open_session"))

    def __init__(self, work: Workspace) -> None:
        super().__init__(work)
        self.searched = self.library = LibraryList(work.document, work.jobs, work.autosave, self.post_message)
        self.current = "list"
        self._made_of: tuple[object, ...] = ()

    def body(self) -> Iterable[Widget]:
        self.list, self.preview = BoxPane(id="list"), BoxPane(id="preview")
        self.cursors = {
            "list": Cursor(self.list, lambda: self.state, self.library.choose, self.action_open_session)
        }
        self.details = (self.preview,)
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

    def show_all(self) -> None:
        state, width, now = self.state, self.list.inner_width, datetime.now().astimezone()
        place, here = state.shown == "all", self.document.path
        made_of = (state.entries, state.trashed, width, now.date(), place, here)
        if self._made_of != made_of:  # all sessions count, so that widths stay the same during a search
            self._made_of, every = made_of, (*state.entries, *state.trashed)
            self._columns = columns_for(width, every, now, here, place=place)
        self.show_list(
            "list",
            lambda i, chosen: self._columns.row(state.listed[i], chosen),
            partial(empty_lines, state),
            title=(Run(_TITLES[state.shown], "title"), Run(f" {len(state.listed):,}", "number")),
            note=[
                *self.filters(),
                Run(f"by {state.order}{' ↑' if state.reverse else ''}", "dim"),
            ],
            head=head_line(self._columns.whole),
        )
        entry = state.chosen
        self.preview.set_content(
            preview_lines(entry, self.library.preview, self.preview.inner_width) if entry is not None else [],
            title=(Run(shown(entry.title, 60), "title"),) if entry is not None else (),
            note=(Run(shown(entry.name, 40), "dim"),) if entry is not None else (),
        )

    def idle_keys(self) -> set[str]:
        state = self.state
        idle = {*(() if state.shown == "trash" else _IN_TRASH)}
        if state.chosen is None or state.shown == "trash":
            idle |= {*_CHANGES, "open-session", "copy-session"}
        elif state.chosen.place == "bundled":
            idle |= _CHANGES
        if not (state.listed or state.filtered):
            idle |= _OF_LISTS
        return idle if state.trashed else idle | {"restore-session", *_IN_TRASH}

    def heading(self, width: int) -> tuple[Sequence[Run], Sequence[Run]]:
        state = self.state
        trashed = f" {len(state.trashed)}" if state.trashed else ""
        titles = [
            (f"{number} {_TITLES[place]}{trashed * (place == 'trash')}", f"place('{place}')")
            for number, place in enumerate(SHOWN, 1)
        ]
        left = tabs(titles, SHOWN.index(state.shown))
        done, many = state.judging
        if done == many:
            return left, [Run("" if state.complete else "reading…", "dim")]
        return left, [Run(f"judging {done:,} of {many:,}", "dim")]

    # Filters, order

    def action_place(self, place: Shown) -> None:
        """Show the sessions of a place, such as the trash."""
        self.notice = ""
        self.library.arrange(shown=place, at=0)

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
            self.tell(_in_trash())
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
        except UserError as error:
            self.library.failed("not opened", path, error)
            return
        if self.is_left and switch.autosave is not None:
            switch.autosave.close()
        self.dismiss(switch)

    @flow
    async def action_new_session(self) -> None:
        from planscope.tui.dialogs.forms import new_form
        from planscope.tui.dialogs.write import WriteDialog

        choices = [
            (Run("Write my own"), Run("  a text of yours; its actions are found", "dim")),
            (Run("Random query"), Run("  certified to have a correct plan", "dim")),
            (Run("Import a trace …"), Run("  of your own agent; the format is recognised", "dim")),
        ]
        chosen = await self.answer(ChooseDialog("New session", choices, name="new session"))
        path = None
        if chosen == 0:
            reading = await self.answer(WriteDialog(self.work.drafts.new))
            if reading is not None and await may_stop(self, self.jobs):
                path = await self.library.make_own(reading)
        elif chosen == 1:
            request = await self.answer(new_form())
            if request is not None and await may_stop(self, self.jobs):
                path = await self.library.make(request)
        elif chosen == 2:
            await self._import()
        if path is not None:
            await self._open(path, asked=True)

    async def _import(self) -> None:
        from planscope.tui.dialogs.form import ask_dialog

        def check(text: str) -> str | None:
            return None if path_in(text) is not None else "there is no file or folder of that name"

        name = await self.answer(
            ask_dialog("Import a trace", "a file or a folder of traces; or drop it here", check)
        )
        if name is not None and (path := path_in(name)) is not None:
            await self._open(path)

    def on_paste(self, event: events.Paste) -> None:
        if (path := path_in(event.text)) is not None:
            self.start_flow(self._open(path))

    # Files

    def _chosen_of_mine(self) -> Entry | None:
        """Return the chosen session if it may be changed."""
        entry = self.state.chosen
        if entry is not None and entry.place not in ("bundled", "trash"):
            return entry
        copies = f"bundled sessions are read-only: {key_for('copy-session')} copies it into your library"
        place = entry.place if entry is not None else ""
        self.tell({"": "no session is chosen", "bundled": copies}.get(place, _in_trash()))
        return None

    @flow
    async def action_rename_session(self) -> None:
        from planscope.tui.dialogs.form import Answers, Field, FormDialog

        if (entry := self._chosen_of_mine()) is None:
            return
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

    @flow
    async def action_copy_session(self) -> None:
        from planscope.tui.dialogs.form import ask_dialog

        entry = self.state.chosen
        if entry is None or entry.place == "trash":
            self.tell("nothing to copy" if entry is None else _in_trash())
            return

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

    @flow
    async def action_empty_trash(self) -> None:
        text = f"{phrases.plural(len(self.state.trashed), 'session')} would be deleted for good."
        dialog = sure_dialog("Empty the trash?", text, "Keep them", "Delete them")
        if not self.state.trashed:
            self.tell("the trash is empty")
        elif await self.answer(dialog) == 1:
            self.library.empty_trash()

    def action_copy_session_path(self) -> None:
        entry = self.state.chosen
        if entry is not None:
            self.app.copy_to_clipboard(str(entry.path))
            self.tell(f"sent to the terminal's clipboard: {phrases.place(entry.path)}")


def _in_trash() -> str:
    return f"it is in the trash: {key_for('restore-session')} restores it"
