"""The dialog for a session's title and notes."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.widget import Widget
from textual.widgets import Input, TextArea

from planscope.tui.controllers.document import Document
from planscope.tui.dialogs.base import FIELD_KEYS, Dialog, SafeInput, SafeTextArea, Said, TextBox, clean
from planscope.tui.keys import fixed_keys

LONGEST = 20_000
"""Notes with more characters are only shown: Textual's text area is slow with them."""


class DescribeDialog(Dialog[None]):
    """Edits title and notes in the document, at every change, so that nothing is lost however planscope ends."""

    AUTO_FOCUS = "SafeTextArea"
    BINDINGS = fixed_keys({"ctrl+s": "leave", **FIELD_KEYS}, first=True)

    def __init__(self, document: Document) -> None:
        super().__init__("Title and notes")
        self.document = document
        session = document.open_session
        self._before = session.title, session.notes
        self._cleaned = clean(session.title.replace("\n", " ")), clean(session.notes)
        self.long = len(self._cleaned[1]) > LONGEST

    def body(self) -> Sequence[Widget]:
        title, notes = self._cleaned
        self.line = SafeInput(title, id="described-title")
        self.area = self.gives_way = SafeTextArea(
            notes[:LONGEST], id="described-notes", read_only=self.long, highlight_cursor_line=False
        )
        self.area.styles.height = 14
        return self.line, TextBox(lambda: self.wrapped("Notes", "label")), self.area

    def hint(self) -> Sequence[Said]:
        if self.long:
            return (
                "",
                f"These notes have more than {LONGEST:,} characters and cannot be edited here. Esc: close",
            )
        return "", "Tab: title or notes, Esc: close (your text is saved)"

    def on_mount(self) -> None:
        """Put the cursor at the end: typing adds to the notes."""
        if not self.long:
            self.area.move_cursor(self.area.document.end)

    @on(Input.Changed)
    @on(TextArea.Changed)
    def typed(self) -> None:
        now = self.document.open_session
        if (said := self.said()) != (now.title, now.notes):
            self.document.edit(title=said[0], notes=said[1])

    def keep_typed(self) -> None:
        self.typed()

    def said(self) -> tuple[str, str]:
        """Return title and notes; what was not changed is returned exactly as it was given."""
        (title, notes), cleaned = self._before, self._cleaned
        written = title if self.line.value == cleaned[0] else self.line.value.strip()
        return written or title, notes if self.long or self.area.text == cleaned[1] else self.area.text
