"""The keys that take something away or keep it: copy, save, theme, quit."""

from __future__ import annotations

from pathlib import Path

from planscope.tui import words
from planscope.tui.copying import text_of
from planscope.tui.lines import shown
from planscope.tui.rooms.following import Following


class Keeping(Following):
    def action_copy(self) -> None:
        from planscope.tui.rooms.take_away import take_away

        state = self.state
        text = text_of(self.pane(state.pane), state)
        take_away(self, f"{state.pane} pane", text, f"planscope-{state.pane}.txt")

    def action_save(self) -> None:
        from planscope.tui.saving import kept, place_for, save_state

        state = self.state
        if self.desk.session is None or state.path is None:
            self.tell("nothing to save: the session is not loaded")
            return
        path, session, fields = state.path, self.desk.snapshot(), kept(state)

        def done(place: Path) -> None:
            note = "" if place == path else "the file is read-only: "
            self.change(path=place)
            self.tell(f"{note}saved to {words.place(place)}")

        self.tell(f"saving to {words.place(place_for(path))}…")
        self.jobs.start("save", lambda ticket: save_state(session, fields, path), done, self._not_saved)

    def _not_saved(self, error: Exception) -> None:
        self.tell(f"not saved: {shown(str(error), 300)}")

    def touched(self) -> None:
        """Breakpoints and watches are saved by ctrl+s; nothing is written behind one's back."""
