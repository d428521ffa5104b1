"""A dialog to choose one of several things, and one to read a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.widget import Widget

from planscope.tui.dialogs.base import Dialog, TextBox
from planscope.tui.style.lines import BLANK, Line, Run
from planscope.tui.style.painter import Painter

_NO_ANSWERS: Mapping[str, int] = {}


class _Choices(TextBox):
    """The lines to choose from; a click chooses."""

    def on_click(self, event: events.Click) -> None:
        place = self.line_under(event)
        if place is not None and isinstance(self.screen, ChooseDialog):
            self.screen.take(place[0])


class ChooseDialog(Dialog[int]):
    """Answers with the number of what was chosen. ``looked`` hears of each that is passed on the way.

    ``before``: texts above the choices, each with its role. ``answers``: keys that choose at once. ``name`` tells one
    dialog from another.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("down,j", "go(1)", "Next"),
        ("up,k", "go(-1)", "Previous"),
        ("home", "go(-10000)", "First"),
        ("end", "go(10000)", "Last"),
        ("pagedown", "go(10)", "A page down"),
        ("pageup", "go(-10)", "A page up"),
        ("enter", "take", "Choose"),
    ]

    def __init__(
        self,
        paint: Painter,
        title: str,
        choices: Sequence[tuple[Run, ...]],
        at: int = 0,
        looked: Callable[[int], None] | None = None,
        *,
        before: Sequence[tuple[str, str]] = (),
        answers: Mapping[str, int] = _NO_ANSWERS,
        name: str = "",
    ) -> None:
        super().__init__(paint, title)
        self.choices = choices
        self.at = at
        self.looked = looked
        self.before = before
        self.answers = answers
        self.dialog_name = name

    def body(self) -> Sequence[Widget]:
        self.list = _Choices(self.paint, self._lines(), most=max(self.app.size.height - 8, 3))
        lines = [line for text, role in self.before for line in self.wrapped(text, role)]
        most = max(self.app.size.height * 9 // 10 - 8 - len(self.choices), 2)
        return (
            *([TextBox(self.paint, [*lines[:most], BLANK])] if lines else []),
            self.list,
            TextBox(self.paint, [Line(), *self.wrapped("↑ ↓ select · Enter chooses · Esc closes", "dim")]),
        )

    def on_mount(self) -> None:
        self.call_after_refresh(self._show)

    def _lines(self) -> list[Line]:
        return [
            Line((Run(" ▶ " if i == self.at else "   ", "mark"), *runs), "cursor" if i == self.at else "")
            for i, runs in enumerate(self.choices)
        ]

    def on_key(self, event: events.Key) -> None:
        if event.key in self.answers:
            event.stop()
            self.dismiss(self.answers[event.key])

    def set_choices(self, choices: Sequence[tuple[Run, ...]]) -> None:
        """The same things to choose from, displayed otherwise."""
        self.choices = choices
        if self.is_mounted:
            self._show()

    def _show(self) -> None:
        self.list.set_lines(self._lines())
        self.list.reveal(self.at, self.at)
        self.list.sync()

    def action_go(self, by: int) -> None:
        self.at = min(max(self.at + by, 0), len(self.choices) - 1)
        self._show()
        if self.looked is not None:
            self.looked(self.at)

    def action_take(self) -> None:
        self.take(self.at)

    def take(self, at: int) -> None:
        """Choose one."""
        self.dismiss(at)


class TextDialog(Dialog[None]):
    """A text to read; any of the keys that one would try closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter,q,x,question_mark,f1", "leave", "Close"),
        ("down,j", "scroll_text(1)", "Down"),
        ("up,k", "scroll_text(-1)", "Up"),
        ("pagedown,space", "scroll_text(10)", "A page down"),
        ("pageup", "scroll_text(-10)", "A page up"),
        ("home", "scroll_text(-100000)", "Start"),
        ("end", "scroll_text(100000)", "End"),
    ]

    def __init__(self, paint: Painter, title: str, build: Callable[[int], Sequence[Line]]) -> None:
        super().__init__(paint, title)
        self.build = build

    def body(self) -> Sequence[Widget]:
        lines = [Line((Run(" "), *line.runs), line.ground) for line in self.build(self.text_width)]
        most = max(self.app.size.height * 9 // 10 - 6, 3)
        self.text = TextBox(self.paint, lines, most=most)
        hint = "↑ ↓ scroll · Esc closes" if len(lines) > most else "Esc closes"
        return (self.text, TextBox(self.paint, [Line(), *self.wrapped(hint, "dim")]))

    def action_scroll_text(self, by: int) -> None:
        self.text.scroll_lines(by)
