"""The keys that take something away or keep it: copy, save, theme, quit."""

from __future__ import annotations

from pathlib import Path

from planscope.tui import words
from planscope.tui.copying import text_of, write_text
from planscope.tui.lines import shown
from planscope.tui.rooms.following import Following


class Keeping(Following):
    def action_copy(self) -> None:
        from planscope.tui.dialogs.ask import AskDialog

        state = self.state
        text = text_of(self.pane(state.pane), state)
        self.app.copy_to_clipboard(text)
        lines = words.plural(text.count("\n"), "line")

        def check(name: str) -> str | None:
            try:
                write_text(text, Path(name.strip()).expanduser())
            except FileExistsError:
                return "there is a file of this name already; say another"
            except (OSError, ValueError) as error:
                return f"it cannot be written: {getattr(error, 'strerror', None) or error}"
            return None

        def done(name: str | None) -> None:
            if name is not None:
                self.tell(f"written to {words.place(Path(name.strip()))}")

        before = (
            f"The {state.pane} pane ({lines}) was sent to the terminal's clipboard. "
            "A terminal does not say whether it took it.",
            "Enter writes it to a file instead; Esc leaves it at that.",
        )
        dialog = AskDialog(
            self.paint,
            "Copied",
            "the name of a new file",
            check,
            value=f"planscope-{state.pane}.txt",
            before=before,
        )
        self.app.push_screen(dialog, done)

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
