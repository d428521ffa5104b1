"""The dialog for a session's title and notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input, TextArea

from planscope.tui.dialogs.base import Dialog, SafeInput, SafeTextArea, Said, clean

LONGEST = 20_000
"""Notes with more characters are only shown: Textual's text area is slow with them."""


@dataclass(frozen=True, slots=True)
class Described:
    """Title and notes when the dialog was closed. ``quit``: the user wants to quit planscope."""

    title: str
    notes: str
    quit: bool = False


class DescribeDialog(Dialog[Described]):
    """Edits title and notes. The text is kept whichever way the dialog closes.

    ``typed`` is called after every change, so that nothing is lost if planscope ends.
    """

    AUTO_FOCUS = "SafeTextArea"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "leave", show=False, priority=True),
        Binding("tab", "app.focus_next", show=False, priority=True),
        Binding("shift+tab", "app.focus_previous", show=False, priority=True),
    ]

    def __init__(self, title: str, notes: str, typed: Callable[[Described], None]) -> None:
        super().__init__("Title and notes")
        self._typed = typed
        self._old = Described(title, notes)
        self._title, self._notes = clean(title.replace("\n", " ")), clean(notes)
        self.long = len(self._notes) > LONGEST

    def body(self) -> Sequence[Widget]:
        self.line = SafeInput(self._title, id="described-title")
        self.area = self.gives_way = SafeTextArea(
            self._notes[:LONGEST],
            id="described-notes",
            read_only=self.long,
            highlight_cursor_line=False,
        )
        self.area.styles.height = 14
        return self.line, self.block(lambda: self.wrapped("Notes", "label")), self.area

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
    def _changed(self) -> None:
        self._typed(self._said())

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_leave()

    def action_leave(self) -> None:
        self.dismiss(self._said())

    def action_quit(self) -> None:
        """Keep the text, then quit."""
        self.dismiss(replace(self._said(), quit=True))

    def _said(self) -> Described:
        """Return the typed text; an unchanged text is returned exactly as it was given."""
        title = self._old.title if self.line.value == self._title else self.line.value.strip()
        same = self.long or self.area.text == self._notes
        return Described(title or self._old.title, self._old.notes if same else self.area.text)
