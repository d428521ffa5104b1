"""A run for other people: in which form, what is private in it, where it goes; made in the background."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.tui import words
from planscope.tui.jobs import Ticket
from planscope.tui.lines import shown
from planscope.tui.rooms.turning import Turning

if TYPE_CHECKING:
    from planscope.session.model import Session
    from planscope.sharing.findings import Redaction
    from planscope.tui.dialogs.share import Form, Target
    from planscope.tui.dialogs.share_preview import Approved, PreviewDialog

LOOK, MAKE = "share look", "share make"


class Sharing(Turning):
    """From each question Esc goes back to the one before."""

    _last_form = 0

    def action_share(self) -> None:
        from planscope.tui.dialogs.share import FORMS, choose_form

        if self.desk.session is None:
            self.tell("no session is open yet")
            return
        if self.state.play is not None:
            self.tell("you are playing what if: K keeps it as a run, Esc leaves it")
            return
        session = self.desk.snapshot()
        run = self.state.run
        run_id, going_on = (run.id, run.under_way) if run is not None else (None, False)

        def chosen(number: int | None) -> None:
            if number is not None:
                self._last_form = number
                self._preview(_Sharing(session, run_id, FORMS[number], going_on), None)

        what = "run" if run is not None else "request"
        self.app.push_screen(choose_form(self.paint, self._last_form, what), chosen)

    def _preview(self, sharing: _Sharing, before: Approved | None) -> None:
        """What is private, and what will stand there instead."""
        from planscope.tui.dialogs.share_preview import PreviewDialog

        dialog = PreviewDialog(self.paint, sharing.title, sharing.about)

        def approved(answer: Approved | None) -> None:
            self.jobs.cancel(LOOK)
            if answer is None:
                self.action_share()
            else:
                self._ask_where(sharing, answer)

        if before is not None:
            dialog.redaction, dialog.as_it_is = before.redaction, before.redaction is None
        if dialog.redaction is None:
            self._look_through(sharing.session, dialog)
        self.app.push_screen(dialog, approved)

    def _look_through(self, session: Session, dialog: PreviewDialog) -> None:
        def look(ticket: object) -> Redaction:
            from planscope.sharing.redact import look_through

            return look_through(session)

        self.jobs.start(LOOK, look, dialog.found, lambda error: dialog.failed(str(error)))

    def _ask_where(self, sharing: _Sharing, approved: Approved, name: str = "", trouble: str = "") -> None:
        from planscope.tui.dialogs.share import WhereDialog, file_for

        name = name or file_for(self.desk.path, sharing.form)
        dialog = WhereDialog(self.paint, sharing.title, name, approved.summary, trouble)

        def chosen(answer: str | None) -> None:
            if answer is None or dialog.target is None:
                self._preview(sharing, approved)
            else:
                self._make(sharing, approved, dialog.target)

        self.app.push_screen(dialog, chosen)

    def _make(self, sharing: _Sharing, approved: Approved, target: Target) -> None:
        from planscope.tui.dialogs.share import WaitDialog

        wait = WaitDialog(self.paint, f"making the {sharing.form.title.lower()}")
        writing = threading.Event()
        size, theme, step = tuple(self.app.size), self.app.theme, self._named_step()

        def work(ticket: Ticket) -> str:
            text = sharing.made(approved.redaction, size, theme, step)
            if target.file is not None:
                writing.set()  # before it is looked whether it was stopped: who stops it then looks here
                if not ticket.stale:
                    _write(target.file, text, target.over)
            return text

        def done(text: str) -> None:
            wait.dismiss(None)
            self._told(text, target, sharing, approved)

        def failed(error: Exception) -> None:
            wait.dismiss(None)
            name = str(target.file) if target.file is not None else ""
            self._ask_where(sharing, approved, name, shown(str(error) or type(error).__name__, 300))

        def ended(_: None) -> None:
            if self.jobs.running(MAKE):
                self.jobs.cancel(MAKE)
                if target.file is not None and writing.is_set():
                    self.tell(f"too late to stop it: look at {words.place(target.file)}")
                else:
                    self.tell("stopped; nothing was shared")

        self.app.push_screen(wait, ended)
        self.jobs.start(MAKE, work, done, failed)

    def _named_step(self) -> str | None:
        """The step that one stands at, as the command line names it."""
        return str(self.state.debug.step) if self.state.progress == "judged" else None

    def _told(self, text: str, target: Target, sharing: _Sharing, approved: Approved) -> None:
        from planscope.tui.dialogs.share import LONGEST_COPY

        if target.file is not None:
            said, _ = approved.summary
            self.tell(f"written to {words.place(target.file)}: {said.lstrip('✓! ')}")
        elif len(text) > LONGEST_COPY:
            trouble = f"{len(text):,} characters are too many for a clipboard; write a file"
            self._ask_where(sharing, approved, trouble=trouble)
        else:
            self.app.copy_to_clipboard(text)
            said, _ = approved.summary
            self.tell(f"sent to the terminal's clipboard: {said.lstrip('✓! ')}")


class _Sharing:
    """What is shared: a session as it was when that was asked for, and in which form."""

    def __init__(self, session: Session, run_id: str | None, form: Form, going_on: bool) -> None:
        self.session = session
        self.run_id = run_id
        self.form = form
        self.going_on = going_on

    @property
    def title(self) -> str:
        """What is shared, and as what."""
        if self.form.carries:
            which = "the session"
        else:
            which = f"run {shown(self.run_id, 20)}" if self.run_id is not None else "the request"
        form = self.form.title if self.form.title.isupper() else self.form.title.lower()
        return f"Share {which}" if form == "session" else f"Share {which}: {form}"

    @property
    def about(self) -> str:
        """What the file will hold that one may not think of."""
        told = ""
        if self.form.carries:
            parts = [
                words.plural(len(self.session.variants), "request"),
                words.plural(len(self.session.runs), "run"),
            ]
            if self.session.notes.strip():
                parts.append("its notes")
            told = f"The whole session goes along: {', '.join(parts)}. "
        if self.going_on:
            told += "The run is under way: it is shared as far as it came."
        return told.strip()

    def made(self, redaction: Redaction | None, size: tuple[int, ...], theme: str, step: str | None) -> str:
        """The text of the file. For a thread; raises ``UserError``."""
        if self.form.name != "svg":
            from planscope.sharing.formats import share

            return share(self.session, self.run_id, self.form.name, redaction=redaction)
        from planscope.tui.picture import shared_svg

        run = next((run for run in self.session.runs if run.id == self.run_id), None)
        columns, rows = (
            min(max(part, low), high) for part, low, high in zip(size, (60, 15), (500, 300), strict=True)
        )
        return shared_svg(
            self.session, run, redaction, size=(columns, rows), theme=theme, step=step if run else None
        )


def _write(file: Path, text: str, over: bool) -> None:
    """Write a new file; over an old one only if that was said. Raises ``UserError``."""
    from planscope.errors import UserError
    from planscope.session.files import write_atomic

    if not over and file.exists():
        raise UserError(f"there is {file} by now; nothing was written")
    write_atomic(file, text.encode("utf-8", "backslashreplace"))
