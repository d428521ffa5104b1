"""The library: sessions renamed, copied, deleted and restored, each in a thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.errors import UserError
from planscope.session.naming import name_of
from planscope.tui import words
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.lines import shown
from planscope.tui.paint import Paint
from planscope.tui.rooms.library_view import LibraryView

if TYPE_CHECKING:
    from planscope.session.library_entry import Entry

WORK = "library work"


class Changing(LibraryView):
    def __init__(self, paint: Paint, work: Workspace) -> None:
        super().__init__(paint, work)
        self._last_deleted: Path | None = None

    def is_open(self, entry: Entry) -> bool:
        return self.document.path is not None and entry.path == self.document.path

    def action_rename_session(self) -> None:
        entry = self.mine()
        if entry is None:
            return
        from planscope.tui.dialogs.form import Answers, FormDialog, TextField

        fields = [TextField("name", "Name", entry.name), TextField("title", "Title", entry.title)]

        def read(answers: Answers) -> tuple[str, str]:
            from planscope.session.naming import checked_name

            name = answers["name"]
            return name if name == fields[0].value else checked_name(name.strip()), answers["title"]

        def done(answers: tuple[str, str] | None) -> None:
            if answers is not None:
                name, title = answers
                self._rename(
                    entry,
                    None if name == entry.name else name,
                    None if title in (entry.title, "") or entry.wrong else title,
                )

        before = ("The name is that of the file in your library; the title stands in the session.",)
        self.ask(FormDialog(self.paint, "Rename", fields, read, before=before), done)

    def _rename(self, entry: Entry, name: str | None, title: str | None) -> None:
        from planscope.session.library_changes import rename, retitle

        if name is None and title is None:
            self.tell("nothing was changed")
            return
        if self.is_open(entry):
            self.run_worker(self._rename_open(name, title), exit_on_error=False)
            return

        def work() -> Path:
            if title is not None:
                retitle(entry.path, title)
            return rename(entry.path, name) if name is not None else entry.path

        self._do(work, lambda path: f"it is called {name_of(path)} now" if name else "it has another title")

    async def _rename_open(self, name: str | None, title: str | None) -> None:
        """The session that is open: its title is changed here, its file while nobody holds it."""
        from planscope.session.library_changes import rename

        if title is not None:
            self.document.edit(title=title)
        try:
            if self.work.autosave is not None:
                await self.work.autosave.move(lambda path: rename(path, name) if name is not None else path)
        except UserError as error:
            self.not_done(error)
            return
        self.tell("renamed")
        self.read(self.document.path)

    def action_copy_session(self) -> None:
        entry = self.state.chosen
        if entry is None or entry.place == "trash":
            self.tell("there is nothing to copy" if entry is None else "it is in the trash: u restores it")
            return
        from planscope.session.bundled import bundled
        from planscope.session.library_changes import copy
        from planscope.session.naming import checked_name, free_name, in_library, wrong_name
        from planscope.tui.dialogs.ask import AskDialog

        def check(text: str) -> str | None:
            name = text.strip()
            taken = name in bundled() or in_library(name) is not None
            return wrong_name(name) or ("there is one of this name" if taken else None)

        def done(name: str | None) -> None:
            if name is not None:
                made = checked_name(name.strip())
                self._do(lambda: copy(entry.path, made), lambda path: f"copied to {name_of(path)}")

        hint = "the copy's name in your library"
        self.ask(AskDialog(self.paint, "Copy", hint, check, value=free_name(entry.name)), done)

    def action_delete_session(self) -> None:
        from planscope.session.library_changes import delete

        entry = self.mine()
        if entry is None:
            return
        if self.is_open(entry):
            self.tell("it is open: open another one first")
            return

        def work() -> Path | None:
            self._last_deleted = delete(entry.path)
            return None

        self._do(work, lambda path: f"{shown(entry.name, 60)} is in the trash: u takes it out again")

    def action_restore_session(self) -> None:
        from planscope.session.library_changes import restore

        entry = self.state.chosen
        in_trash = entry is not None and entry.place == "trash"
        path = entry.path if entry is not None and in_trash else self._last_deleted
        if path is None:
            self.tell("nothing was deleted here; 4 shows the trash")
            return
        self._last_deleted = None
        self._do(lambda: restore(path), lambda back: f"{name_of(back)} is in your library again")

    def action_empty_trash(self) -> None:
        from planscope.session.library_changes import empty_trash
        from planscope.tui.dialogs.recover import sure_dialog

        if not self.state.trash:
            self.tell("the trash is empty")
            return
        many = words.plural(self.state.trash, "session")

        def work() -> None:
            empty_trash()

        def done(answer: int | None) -> None:
            if answer == 1:
                self._last_deleted = None
                self._do(work, lambda path: f"{many} removed for good")

        text = f"{many} would be removed for good."
        self.ask(sure_dialog(self.paint, "Empty the trash?", text, "Keep them", "Remove them"), done)

    def mine(self) -> Entry | None:
        """The chosen session, where it may be changed."""
        entry = self.state.chosen
        if entry is None:
            self.tell("no session is chosen")
        elif entry.place == "bundled":
            self.tell("it ships with planscope and stays as it is: c copies it into your library")
        elif entry.place == "trash":
            self.tell("it is in the trash: u restores it")
        else:
            return entry
        return None

    def _do(self, work: Callable[[], Path | None], told: Callable[[Path], str]) -> None:
        """Change the library in a thread, say so, and read it anew."""

        def done(path: Path | None) -> None:
            self.tell(told(path or Path()))
            self.read(path)

        self.jobs.start(WORK, lambda ticket: work(), done, self.not_done)

    def not_done(self, error: Exception) -> None:
        chosen = self.state.chosen
        self.tell(f"not done: {without_folder(error, chosen.path if chosen is not None else None)}")
        self.read()  # what is listed may be gone


def without_folder(error: Exception, path: Path | None) -> str:
    """What went wrong with a session, in a line that has room beside the keys: it is called by its name."""
    told = str(error) if path is None else str(error).replace(str(path), name_of(path))
    return shown(told, 300)
