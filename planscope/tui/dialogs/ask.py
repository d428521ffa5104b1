"""Small dialogs: type a line, change a list, choose one of several, read a text, wait."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from planscope.tui.dialogs.base import LIST_KEYS, Dialog, SafeInput, TextBox
from planscope.tui.style.lines import BLANK, Line, Run, shown
from planscope.tui.style.painter import Painter

_NO_ANSWERS: Mapping[str, Any] = {}

Check = Callable[[str], str | None]
"""A function that returns an error message for a text, or None if the text is valid."""


class AskDialog(Dialog[str]):
    """Asks for one line of text; an error is shown below it.

    ``before``: texts above the line, each alone or with its role. ``answers``: keys that answer at once, by key.
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
    """A list to change: Enter adds a line, Delete removes the selected one."""

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
            *self.wrapped("Enter: add, ↑ ↓: select, Delete: remove, Esc: close", "dim"),
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


class _Choices(TextBox):
    """The list of choices; a click chooses one."""

    def on_click(self, event: events.Click) -> None:
        place = self.line_under(event)
        if place is not None and isinstance(self.screen, ChooseDialog):
            self.screen.take(place[0])


class ChooseDialog(Dialog[int]):
    """Asks for one of several choices and answers with its number, from 0.

    The lines are painted by hand: with 2,000 runs OptionList takes ten times as long to show new verdicts.
    ``looked`` is called with each choice that the cursor reaches. ``before``: texts above the choices, each with its
    role. ``answers``: keys that choose at once. ``name`` tells one dialog from another.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*LIST_KEYS, ("enter", "take", "Choose")]

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
            TextBox(self.paint, [Line(), *self.wrapped("↑ ↓: select, Enter: OK, Esc: cancel", "dim")]),
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
        """Show the same choices with other texts."""
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
        """Answer with this choice."""
        self.dismiss(at)


class TextDialog(Dialog[None]):
    """A text to read. Esc, Enter, q, x and ? close it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter,q,x,question_mark,f1", "leave", "Close"),
        ("space", "go(10)", "A page down"),
        *LIST_KEYS,
    ]

    def __init__(self, paint: Painter, title: str, build: Callable[[int], Sequence[Line]]) -> None:
        super().__init__(paint, title)
        self.build = build

    def body(self) -> Sequence[Widget]:
        lines = [Line((Run(" "), *line.runs), line.ground) for line in self.build(self.text_width)]
        most = max(self.app.size.height * 9 // 10 - 6, 3)
        self.text = TextBox(self.paint, lines, most=most)
        hint = "↑ ↓: scroll, Esc: close" if len(lines) > most else "Esc: close"
        return (self.text, TextBox(self.paint, [Line(), *self.wrapped(hint, "dim")]))

    def action_go(self, by: int) -> None:
        self.text.scroll_lines(by)


def asking(
    paint: Painter, title: str, before: Sequence[tuple[str, str]], choices: Sequence[str], at: int = 0
) -> ChooseDialog:
    """Return a dialog that asks what to do about ``before``, a text to read."""
    return ChooseDialog(paint, title, [(Run(choice),) for choice in choices], at, before=before)


def sure_dialog(paint: Painter, title: str, text: str, no: str, yes: str) -> ChooseDialog:
    """Return a dialog that asks before an action that cannot be undone. The answer 1 is yes."""
    return asking(paint, title, [(text, "")], (no, yes))


class WaitDialog(Dialog[None]):
    """Shows how long a job has been running; Esc stops it."""

    def __init__(self, paint: Painter, what: str) -> None:
        super().__init__(paint, "")
        self.what = what
        self.seconds = 0

    def body(self) -> Sequence[Widget]:
        self.text = TextBox(self.paint, [self._line()])
        return (self.text, TextBox(self.paint, [Line(), *self.wrapped("Esc: stop", "dim")]))

    def on_mount(self) -> None:
        self.set_interval(1.0, self._count)

    def _count(self) -> None:
        self.seconds += 1
        self.text.set_lines([self._line()])

    def _line(self) -> Line:
        return Line((Run(f" {shown(self.what, 100)}… {self.seconds} s"),))
