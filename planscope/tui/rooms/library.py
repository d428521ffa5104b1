"""The library: what it shows, and the way into another session."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on

from planscope.session.naming import name_of
from planscope.tui import words
from planscope.tui.controllers.autosave import Autosave
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.opening import Opened, Switch, open_session
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.lines import Run, shown
from planscope.tui.paint import Paint
from planscope.tui.panes.box import LineClicked
from planscope.tui.rooms.library_changing import WORK, Changing, without_folder
from planscope.tui.shelf import ORDERS, VERDICTS, Shown, arranged, error_types, verdicts

if TYPE_CHECKING:
    from planscope.synthesis.request import Request

OPEN, MAKE = "library open", "library make"


class LibraryRoom(Changing):
    """Dismissed with the session to switch to, or None."""

    def __init__(self, paint: Paint, work: Workspace) -> None:
        super().__init__(paint, work)
        self._opening: Autosave | None = None

    def on_unmount(self) -> None:
        for name in (OPEN, MAKE, WORK):
            self.jobs.cancel(name)
        self._close_opening()

    # Moving

    def action_go(self, by: int) -> None:
        shelf = self.state
        self.notice = ""
        self.change(replace(shelf, at=min(max(shelf.at + by, 0), max(len(shelf.listed) - 1, 0))))

    def action_go_page(self, by: int) -> None:
        self.action_go(by * max(self.list.window - 1, 1))

    def action_look_on(self) -> None:
        """A page further in what the chosen session holds, from its end to its start."""
        look = self.look
        at_end = look.top + look.window >= look.size_of()
        look.scroll_lines(-look.size_of() if at_end else max(look.window - 1, 1))

    @on(LineClicked)
    def _clicked(self, message: LineClicked) -> None:
        if message.box == "list" and message.index < len(self.state.listed):
            self.change(replace(self.state, at=message.index))
            if message.again:
                self.action_open_session()

    # What is shown

    def action_search_sessions(self) -> None:
        self.notice = ""
        self.search.display = True
        self.set_focus(self.search)
        self.call_after_refresh(self.show_state)

    def action_leave_library(self) -> None:
        """From typing to the list, from there to all sessions, and from there out of the room."""
        shelf = self.state
        if self.search.has_focus and not shelf.words:
            self.stop_typing()
        elif shelf.words or shelf.verdict or shelf.error_type:
            self.search.value = ""
            self.change(arranged(replace(shelf, words="", verdict="", error_type="")))
            self.stop_typing()
        else:
            self.dismiss(None)

    def action_show_all_sessions(self) -> None:
        self._show("all")

    def action_show_my_sessions(self) -> None:
        self._show("library")

    def action_show_bundled_sessions(self) -> None:
        self._show("bundled")

    def action_show_trash(self) -> None:
        self._show("trash")

    def _show(self, shown: Shown) -> None:
        self.notice = ""
        self.change(arranged(replace(self.state, shown=shown, at=0)))

    def action_filter_verdict(self) -> None:
        counts = verdicts(self.state)
        found = [(verdict, counts[verdict]) for verdict in VERDICTS if verdict in counts]
        self._filter("Verdict", found, self.state.verdict, lambda v: replace(self.state, verdict=v, at=0))

    def action_filter_error(self) -> None:
        found = list(error_types(self.state).items())
        now = self.state.error_type
        self._filter("Type of error", found, now, lambda e: replace(self.state, error_type=e, at=0))

    def _filter(
        self, title: str, found: Iterable[tuple[str, int]], now: str, change: Callable[[str], object]
    ) -> None:
        from planscope.tui.dialogs.choose import ChooseDialog

        names = ["", *(name for name, _ in found)]
        lines = [(Run("any"),)]
        for name, count in found:
            lines.append((Run(f"{shown(name.replace('_', ' '), 40):<20}"), Run(f"{count:>5,}", "dim")))  # type: ignore[arg-type]

        def done(number: int | None) -> None:
            if number is not None:
                self.notice = ""
                self.change(arranged(change(names[number])))  # type: ignore[arg-type]  # a shelf

        at = names.index(now) if now in names else 0
        self.ask(ChooseDialog(self.paint, title, lines, at), done)

    def action_sort_sessions(self) -> None:
        order = ORDERS[(ORDERS.index(self.state.order) + 1) % len(ORDERS)]
        self.change(arranged(replace(self.state, order=order, reverse=False)))
        self.tell(f"by {order}; S turns it round")

    def action_reverse_sessions(self) -> None:
        self.change(arranged(replace(self.state, reverse=not self.state.reverse)))

    # Opening

    def action_open_session(self) -> None:
        entry = self.state.chosen
        if entry is None:
            self.tell("there is nothing to open; n makes a session")
        elif entry.place == "trash":
            self.tell("it is in the trash: u restores it")
        elif entry.wrong is not None:
            self.tell(shown(entry.wrong, 300))
        elif self.is_open(entry):
            self.dismiss(None)
        else:
            path = entry.path
            self._ready_to_leave(lambda: self._open(path))

    def _ready_to_leave(self, go: Callable[[], None]) -> None:
        """Ask about what is under way, if anything is."""
        from planscope.tui.screens.flows.quitting import under_way

        what = under_way(self.jobs)
        if not what:
            go()
            return
        from planscope.tui.dialogs.recover import sure_dialog

        text = f"A {what} is under way in the session that is open. What came of it so far is kept."
        dialog = sure_dialog(self.paint, f"Stop the {what}?", text, "Stay", f"Stop the {what}, and go on")
        self.ask(dialog, lambda answer: go() if answer == 1 else None)

    def _open(self, path: Path) -> None:
        self._close_opening()
        document = Document(path, self.work.post)
        kept = self.work.autosave is not None
        autosave = self._opening = Autosave(document, self.work.post) if kept else None
        self.tell(f"opening {shown(name_of(path), 60)}…")

        def opened(found: Opened) -> None:
            if self.is_left:
                return  # its file is let go of with the room
            self._opening = None
            self.dismiss(Switch(document, found, autosave))

        def failed(error: Exception) -> None:
            self._close_opening()
            self.tell(f"not opened: {without_folder(error, path)}")
            self.read()  # it may be gone

        hold = autosave.hold if autosave is not None else None
        self.jobs.start(OPEN, lambda ticket: open_session(path, hold), opened, failed)

    def _close_opening(self) -> None:
        if self._opening is not None:
            self._opening.close()
            self._opening = None

    def action_new_session(self) -> None:
        from planscope.tui.dialogs.new_session import new_form

        def done(request: Request | None) -> None:
            if request is not None:
                self._ready_to_leave(lambda: self._make(request))

        self.ask(new_form(self.paint), done)

    def _make(self, request: Request) -> None:
        self.tell("making a request…")

        def work(ticket: object) -> Path:
            from planscope.documents.synthesized import session_of
            from planscope.session.library_changes import add
            from planscope.synthesis.generate import synthesize

            made = synthesize(request)
            return add(session_of(made), f"{made.topic or 'query'} {made.seed}".casefold().replace(" ", "-"))

        self.jobs.start(MAKE, work, self._open, self.not_done)

    def action_copy_session_path(self) -> None:
        entry = self.state.chosen
        if entry is not None:
            self.app.copy_to_clipboard(str(entry.path))
            self.tell(f"sent to the terminal's clipboard: {words.place(entry.path)}")
