"""Copying a text to the terminal's clipboard and, if wanted, to a new file."""

from __future__ import annotations

from pathlib import Path

from planscope.errors import UserError
from planscope.session.model import Run, Session, Variant
from planscope.tui.app_screen import Asker, flow
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.dialogs.form import ask_dialog
from planscope.tui.pane_text import write_text
from planscope.tui.style.lines import shown
from planscope.wording import phrases

_WIDE = 120
"""The width of a comparison as text, in cells."""


@flow
async def take_away(screen: Asker, what: str, text: str, file: str, private: str) -> None:
    """Send ``text`` to the clipboard, and ask for the name of a new file to write it to.

    ``private``: says how private values in the text were treated.
    """
    screen.app.copy_to_clipboard(text)
    lines = phrases.plural(text.count("\n"), "line")

    def check(name: str) -> str | None:
        try:
            write_text(text, Path(name.strip()).expanduser())
        except FileExistsError:
            return "a file of this name exists; choose another name"
        except (OSError, ValueError) as error:
            return f"it cannot be written: {getattr(error, 'strerror', None) or error}"
        return None

    before = (
        f"The {what} ({lines}) was sent to the terminal's clipboard. Terminals do not confirm that.",
        private,
    )
    hint = "the name of a new file\nEnter: write it there, too, Esc: close"
    dialog = ask_dialog("Copied", hint, check, value=file, before=before)
    name = await screen.answer(dialog)
    if name is not None:
        screen.tell(f"written to {phrases.place(Path(name.strip()))}")


@flow
async def take_comparison(
    screen: Asker, jobs: Jobs, job: str, session: Session, a: Run | Variant, b: Run | Variant
) -> None:
    """Copy a comparison as text, with private values replaced: it is meant for other people."""

    def made(token: object) -> tuple[str, int]:
        from planscope.sharing.redact import redacted_comparison
        from planscope.show.text import lines
        from planscope.views.comparison import comparison_blocks

        safe = redacted_comparison(session, a, session, b)
        blocks = comparison_blocks(safe.comparison, _WIDE, everything=True)
        text = "".join(f"{line}\n" for line in lines(blocks, _WIDE))
        safe.check(text)
        return text, safe.replaced_in(text)

    try:
        text, replaced = await jobs.run(job, made)
    except UserError as error:
        screen.tell(f"not copied: {shown(str(error), 200)}")
        return
    values = phrases.plural(replaced, "private value was", "private values were")
    private = f"{values} replaced in it." if replaced else "Nothing private was found in it."
    take_away(screen, "comparison", text, "planscope-comparison.txt", private)
