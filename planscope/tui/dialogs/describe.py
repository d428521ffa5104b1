"""The dialog for a session's title and notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input, TextArea

from planscope.tui.dialogs.base import Dialog, SafeInput, TextBox
from planscope.tui.style.lines import BLANK, Line, Run
from planscope.tui.style.painter import Painter
from planscope.tui.style.safe_text import show

LONGEST = 20_000
"""Notes with more characters are only shown: Textual's text area is slow with them."""


@dataclass(frozen=True, slots=True)
class Described:
    """Title and notes when the dialog was closed. ``quit``: the user wants to quit planscope."""

    title: str
    notes: str
    quit: bool = False


class SafeTextArea(TextArea):
    """A text area that makes control characters visible, also pasted ones."""

    def watch(self, obj: Any, attribute_name: str, callback: Callable[..., Any], init: bool = True) -> None:
        """Watch as Textual does, but watch the theme by signal, so that the application releases closed text areas."""
        if obj is self.app and attribute_name == "theme":
            self.app.theme_changed_signal.subscribe(self, lambda theme: callback())
        else:
            super().watch(obj, attribute_name, callback, init)

    def on_unmount(self) -> None:
        self.app.theme_changed_signal.unsubscribe(self)

    def edit(self, edit: Any) -> Any:
        edit.text = clean(edit.text)
        return super().edit(edit)


def clean(text: str) -> str:
    """Make control characters visible; keep the lines."""
    return show(text, keep_newlines=True).text


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

    def __init__(self, paint: Painter, title: str, notes: str, typed: Callable[[Described], None]) -> None:
        super().__init__(paint, "Title and notes")
        self._typed = typed
        self._title = clean(title.replace("\n", " "))
        self._notes = clean(notes)
        self._old = Described(title, notes)

    def body(self) -> Sequence[Widget]:
        self.line = SafeInput(self._title, id="described-title")
        self.long = len(self._notes) > LONGEST
        self.area = SafeTextArea(
            self._notes[:LONGEST],
            id="described-notes",
            read_only=self.long,
            highlight_cursor_line=False,
            compact=True,
        )
        self.area.styles.height = max(min(self.app.size.height - 12, 14), 3)
        hint = "Tab: title or notes, Esc: close (your text is saved)"
        if self.long:
            hint = f"These notes have more than {LONGEST:,} characters and cannot be edited here. Esc: close"
        return (
            self.line,
            TextBox(self.paint, [Line((Run(" Notes", "label"),))]),
            self.area,
            TextBox(self.paint, [BLANK, *self.wrapped(hint, "dim")]),
        )

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
