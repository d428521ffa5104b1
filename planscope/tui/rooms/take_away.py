"""A text taken away from the screen: to the terminal's clipboard, and if wanted into a new file."""

from __future__ import annotations

from pathlib import Path

from planscope.tui import words
from planscope.tui.copying import write_text
from planscope.tui.dialogs.ask import AskDialog
from planscope.tui.rooms.everywhere import Everywhere


def take_away(room: Everywhere, what: str, text: str, file: str) -> None:
    """Send ``text`` to the clipboard, and ask for the name of a new file to write it to."""
    room.app.copy_to_clipboard(text)
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
            room.tell(f"written to {words.place(Path(name.strip()))}")

    before = (
        f"The {what} ({lines}) was sent to the terminal's clipboard. "
        "A terminal does not say whether it took it.",
        "Enter writes it to a file instead; Esc leaves it at that.",
    )
    dialog = AskDialog(room.paint, "Copied", "the name of a new file", check, value=file, before=before)
    room.app.push_screen(dialog, done)
