"""A text taken away from the screen: to the terminal's clipboard, and if wanted into a new file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.tui import words
from planscope.tui.copying import write_text
from planscope.tui.dialogs.ask import AskDialog
from planscope.tui.lines import shown
from planscope.tui.rooms.side import SideRoom
from planscope.tui.screens.base import AppScreen

if TYPE_CHECKING:
    from planscope.session.model import Run, Session, Variant


def take_away(room: AppScreen[Any], what: str, text: str, file: str, private: str) -> None:
    """Send ``text`` to the clipboard, and ask for the name of a new file to write it to.

    ``private``: what became of private values in it.
    """
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
        private,
        "Enter writes it to a file instead; Esc leaves it at that.",
    )
    dialog = AskDialog(room.paint, "Copied", "the name of a new file", check, value=file, before=before)
    room.app.push_screen(dialog, done)


def take_comparison(room: SideRoom, job: str, session: Session, a: Run | Variant, b: Run | Variant) -> None:
    """The same for a comparison, as Markdown: it is made for others, so what is private is replaced in it first."""

    def made(ticket: object) -> tuple[str, int]:
        from planscope.sharing.comparison_markdown import comparison_markdown
        from planscope.sharing.redacted_comparison import redacted_comparison

        safe = redacted_comparison(session, a, session, b)
        text = comparison_markdown(safe.comparison)
        safe.check(text)
        return text, safe.replaced_in(text)

    def taken(made: tuple[str, int]) -> None:
        text, replaced = made
        values = words.plural(replaced, "private value was", "private values were")
        private = f"{values} replaced in it." if replaced else "Nothing private was found in it."
        take_away(room, "comparison", text, "planscope-comparison.md", private)

    room.jobs.start(job, made, taken, lambda error: room.tell(f"not copied: {shown(str(error), 200)}"))
