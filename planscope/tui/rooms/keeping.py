"""What is done here is kept: saved a moment later, taken away by a copy, and given back after a crash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planscope.session.bundled import is_bundled
from planscope.tui import words
from planscope.tui.copying import text_of
from planscope.tui.desk import Desk, News
from planscope.tui.judging import Opened
from planscope.tui.lines import shown
from planscope.tui.paint import Paint
from planscope.tui.rooms.following import Following
from planscope.tui.saving import cursor_of, marks_of
from planscope.tui.state import RoomState

if TYPE_CHECKING:
    from planscope.session.model import Session
    from planscope.session.recovery import Recovery


class Keeping(Following):
    def __init__(self, state: RoomState, paint: Paint, desk: Desk, *, asked_for_step: bool = False) -> None:
        super().__init__(state, paint, desk, asked_for_step=asked_for_step)
        self._asked_to_save = False
        self._settled_once = False

    # Opening

    def _on_opened(self, opened: Opened) -> None:
        if self.saver is not None:
            self.saver.place = lambda: cursor_of(self.state)
            self.saver.said = self.tell
        super()._on_opened(opened)
        if opened.changed and self.saver is not None:
            self.desk.unsaved += 1
            self.saver.save()
        if opened.held:
            self.tell(f"{shown(opened.held.partition(';')[0], 200)}; what you change goes into a copy")
        if opened.recovery is not None:
            self._offer(opened.recovery)

    def settled(self) -> None:
        super().settled()
        if self.saver is not None and not self._settled_once:
            self._settled_once = True
            self.saver.begin()

    def _offer(self, found: Recovery) -> None:
        """Work that could not be saved the last time: take it up, or throw it away."""
        from planscope.tui.dialogs.recover import DISCARD, RESTORE, RecoverDialog, sure_dialog

        now = self.desk.snapshot()

        def offer(session: Session) -> None:
            self.app.push_screen(RecoverDialog(self.paint, found, now, session), lambda a: done(a, session))

        def done(answer: int | None, session: Session) -> None:
            if answer == RESTORE:
                self.restore(session, found)
            elif answer == DISCARD:
                text = "What could not be saved is gone for good then."
                dialog = sure_dialog(self.paint, "Throw it away?", text, "Keep it", "Throw it away")
                self.app.push_screen(dialog, thrown)
            else:
                self.tell("it stays, and is offered again the next time")

        def thrown(answer: int | None) -> None:
            if answer == 1:
                found.discard()
            self.tell("thrown away" if answer == 1 else "it stays, and is offered again the next time")

        def failed(error: Exception) -> None:
            self.tell(f"unsaved work was found, but cannot be read: {shown(str(error), 200)}")

        self.jobs.start("recovery", lambda ticket: found.load(), offer, failed)

    def restore(self, session: Session, found: Recovery) -> None:
        """Put a recovered session in the place of the one that is open."""
        raise NotImplementedError

    # Saving

    def touched(self) -> None:
        """Breakpoints or watches are others than those of the session.

        To set one is to look. No copy of a bundled session is made for it: it lasts for the sitting, and is in the
        copy that a change makes.
        """
        session = self.desk.session
        if session is None:
            return
        marks = marks_of(self.state)
        if (session.breakpoints, session.watches) != (marks["breakpoints"], marks["watches"]):
            path = self.desk.path
            looks = path is not None and is_bundled(path) and not self.desk.unsaved
            self.desk.set_fields(change=not looks, **marks)

    def on_news(self, news: News) -> None:
        if news.what == "saving":
            self.change(saving=self.desk.saving, path=self.desk.path)
            self._say_saved()
        else:
            super().on_news(news)

    def action_save(self) -> None:
        """Save now; what keeps that from being done is asked about."""
        if self.desk.session is None or self.saver is None:
            self.tell("nothing to save: the session is not loaded")
        elif self.desk.saving.state == "failed":
            self._ask_what_to_do()
        else:
            self.touched()
            self._save_and_say()

    def _save_and_say(self) -> None:
        assert self.saver is not None
        self._asked_to_save = True
        self.tell("saving…")
        self.saver.save()

    def _say_saved(self) -> None:
        saving = self.desk.saving
        if not self._asked_to_save or saving.state == "changed":
            return
        self._asked_to_save = False
        if saving.state == "saved" and self.desk.path is not None:
            self.tell(f"saved to {words.place(self.desk.path)}")
        else:
            self.tell("")  # what stands there for good says it

    def _ask_what_to_do(self) -> None:
        from planscope.tui.dialogs.recover import trouble_dialog

        def done(number: int | None) -> None:
            if number is None or self.saver is None:
                return
            if number == 0:
                self._save_and_say()
            else:
                self.saver.go_elsewhere()

        self.app.push_screen(trouble_dialog(self.paint, self.desk.saving.trouble), done)

    # Taking away

    def action_copy(self) -> None:
        from planscope.tui.rooms.take_away import take_away

        state = self.state
        text = text_of(self.pane(state.pane), state)
        private = "It is what the pane shows; E shares a run with what is private replaced."
        take_away(self, f"{state.pane} pane", text, f"planscope-{state.pane}.txt", private)

    # Title and notes

    def action_describe(self) -> None:
        """The session's title and notes, to be read and changed."""
        from planscope.tui.dialogs.describe import Described, DescribeDialog

        session = self.desk.session
        if session is None:
            self.tell("no session is open yet")
            return

        def typed(said: Described) -> None:
            now = self.desk.open_session
            if (said.title, said.notes) != (now.title, now.notes):
                self.desk.set_fields(title=said.title, notes=said.notes)

        def done(said: Described | None) -> None:
            if said is not None:
                typed(said)
                if said.quit:
                    self.action_quit()

        self.app.push_screen(DescribeDialog(self.paint, session.title, session.notes, typed), done)
