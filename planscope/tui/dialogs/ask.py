"""A dialog that asks for one line, and one that keeps a list of lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from planscope.tui.dialogs.base import Dialog, SafeInput, TextBox
from planscope.tui.style.lines import Line, Run, shown
from planscope.tui.style.painter import Painter

_NO_ANSWERS: Mapping[str, str] = {}

Check = Callable[[str], str | None]
"""What is wrong with a text, in one line; None where nothing is."""


class AskDialog(Dialog[str]):
    """Asks for a line; a wrong one stays where it is, with what is wrong below it.

    ``before``: texts above the line, each alone or with its role. ``answers``: what other keys answer at once.
    """

    def __init__(
        self,
        paint: Painter,
        title: str,
        hint: str,
        check: Check,
        *,
        value: str = "",
        before: Sequence[str | tuple[str, str]] = (),
        answers: Mapping[str, str] = _NO_ANSWERS,
    ) -> None:
        super().__init__(paint, title)
        self.hint = hint
        self.check = check
        self.value = value
        self.before = before
        self.answers = answers

    def body(self) -> Sequence[Widget]:
        told = [(text, "") if isinstance(text, str) else text for text in self.before]
        lines = [line for text, role in told for line in self.wrapped(text, role)]
        self.error = TextBox(self.paint)
        return (
            TextBox(self.paint, lines),
            SafeInput(self.value, select_on_focus=True),
            self.error,
            TextBox(self.paint, self.wrapped(self.hint, "dim")),
        )

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        wrong = self.check(event.value)
        if wrong is None:
            self.dismiss(event.value)
        else:
            self.error.set_lines(self.wrapped(f"✗ {wrong}", "broken")[:3])

    def on_key(self, event: events.Key) -> None:
        if event.key in self.answers:
            event.stop()
            event.prevent_default()
            self.dismiss(self.answers[event.key])

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.error.set_lines([])


class SetDialog(Dialog[None]):
    """A list that lines are added to and taken from. Enter adds, Delete removes the selected one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "select(1)", show=False, priority=True),
        Binding("up", "select(-1)", show=False, priority=True),
        Binding("delete", "remove", show=False, priority=True),
    ]

    def __init__(
        self,
        paint: Painter,
        title: str,
        hint: str,
        listed: Callable[[], Sequence[str]],
        add: Check,
        remove: Callable[[int], None],
    ) -> None:
        super().__init__(paint, title)
        self.hint = hint
        self.listed = listed
        self.add = add
        self.remove_one = remove
        self.at = -1

    def body(self) -> Sequence[Widget]:
        self.list = TextBox(self.paint, self._lines(), most=12)
        self.error = TextBox(self.paint)
        self.input = SafeInput()
        hint = [
            *self.wrapped(self.hint, "dim"),
            *self.wrapped("Enter adds · ↑ ↓ select · Delete removes · Esc closes", "dim"),
        ]
        return (self.list, self.input, self.error, TextBox(self.paint, hint))

    def _lines(self) -> list[Line]:
        listed = self.listed()
        if not listed:
            return [Line((Run(" none yet", "dim"),))]
        return [
            Line(
                (Run(" ▶ " if i == self.at else "   ", "mark"), Run(shown(text, 200))),
                "cursor" if i == self.at else "",
            )
            for i, text in enumerate(listed)
        ]

    def _show(self) -> None:
        self.at = min(self.at, len(self.listed()) - 1)
        self.list.set_lines(self._lines())
        if self.at >= 0:
            self.list.reveal(self.at, self.at)
            self.list.sync()

    def action_select(self, by: int) -> None:
        self.at = min(max(self.at + by, -1), len(self.listed()) - 1)
        self._show()

    def action_remove(self) -> None:
        if self.at < 0:
            self.input.action_delete_right()
        elif self.at < len(self.listed()):
            self.remove_one(self.at)
            self._show()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if not event.value.strip():
            self.dismiss(None)
            return
        wrong = self.add(event.value)
        if wrong is None:
            self.input.value = ""
            self._show()
        else:
            self.error.set_lines(self.wrapped(f"✗ {wrong}", "broken")[:3])

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.error.set_lines([])
