"""Small dialogs: change a list, choose one of several, read a text, wait."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from textual import events, on
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from planscope.tui.dialogs.base import LIST_KEYS, Dialog, SafeInput, TextBox
from planscope.tui.style.lines import BLANK, Line, Run, shown
from planscope.tui.style.painter import Painter

if TYPE_CHECKING:
    from planscope.debugger.offers import Offer

_NO_ANSWERS: Mapping[str, Any] = {}


class Item(NamedTuple):
    """One line of a list that can be changed. ``off``: it is switched off. ``note`` is shown dim after the text."""

    text: str
    note: str = ""
    off: bool = False


Put = Callable[[str, int | None], str | None]
"""Adds a text to a list, or replaces the line at an index by it. Returns an error message or None."""


class _Entry(SafeInput):
    """The input line of a list. While it is empty, the dialog's keys come before typing a blank."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return (key != "space" or bool(self.value)) and super().check_consume_key(key, character)


class SetDialog(Dialog[None]):
    """A list to change: type a line or choose one with Tab; edit, remove, or switch off the selected one.

    ``offers``: texts that can be chosen, for what was typed so far. ``switch`` None: lines cannot be switched off.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "select(1)", show=False, priority=True),
        Binding("up", "select(-1)", show=False, priority=True),
        Binding("delete", "remove", show=False, priority=True),
        Binding("space", "turn", show=False, priority=True),
        Binding("tab,ctrl+n", "offer", show=False, priority=True),
    ]

    def __init__(
        self,
        paint: Painter,
        title: str,
        hint: str,
        listed: Callable[[], Sequence[Item]],
        put: Put,
        remove: Callable[[int], None],
        offers: Callable[[str], Sequence[Offer]],
        switch: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__(paint, title)
        self.hint = hint
        self.listed = listed
        self.put = put
        self.remove_one = remove
        self.offers = offers
        self.switch = switch
        self.at = -1
        self.edited: int | None = None

    def body(self) -> Sequence[Widget]:
        self.list = TextBox(self.paint, self._lines(), most=12)
        self.error = TextBox(self.paint)
        self.input = _Entry()
        turn = ", Space: off or on" if self.switch is not None else ""
        hint = [
            *self.wrapped(self.hint, "dim"),
            *self.wrapped("Enter: add, Tab: choose from a list, ↑ ↓: select, Esc: close", "dim"),
            *self.wrapped(f"selected line: Enter: edit, Delete: remove{turn}", "dim"),
        ]
        return (self.list, self.input, self.error, TextBox(self.paint, hint))

    def _lines(self) -> list[Line]:
        listed = self.listed()
        if not listed:
            return [Line((Run(" none yet", "dim"),))]
        return [self._line(i, item) for i, item in enumerate(listed)]

    def _line(self, i: int, item: Item) -> Line:
        sign = ("○ " if item.off else "◆ ") if self.switch is not None else ""
        runs = [
            Run(" ▶ " if i == self.at else "   ", "mark"),
            Run(sign, "dim" if item.off else "mark"),
            Run(shown(item.text, 200), "dim" if item.off else ""),
            Run("  off" if item.off else "", "caution"),
            Run(f"  {shown(item.note, 200)}" if item.note else "", "dim"),
        ]
        return Line(tuple(run for run in runs if run.text), "cursor" if i == self.at else "")

    def _show(self) -> None:
        self.at = min(self.at, len(self.listed()) - 1)
        self.list.set_lines(self._lines(), self.at if self.at >= 0 else None)

    def _say(self, error: str) -> None:
        self.error.set_lines(self.wrapped(f"✗ {error}", "broken")[:3] if error else [])

    def action_select(self, by: int) -> None:
        self.at = min(max(self.at + by, -1), len(self.listed()) - 1)
        self._show()

    def action_remove(self) -> None:
        if self.at < 0 or self.input.value:
            self.input.action_delete_right()
        elif self.at < len(self.listed()):
            self.remove_one(self.at)
            self._show()

    def action_turn(self) -> None:
        if self.switch is None or self.at < 0 or self.input.value:
            self.input.insert_text_at_cursor(" ")
        else:
            self.switch(self.at)
            self._show()

    def action_offer(self) -> None:
        """List what can be entered; the chosen text is added."""
        offers = self.offers(self.input.value)
        if not offers:
            self._say("nothing to choose begins or contains this")
            return
        wide = min(max(len(offer.text) for offer in offers), 44)
        lines = [(Run(f"{shown(o.text, 44):<{wide}}  "), Run(shown(o.about, 100), "dim")) for o in offers]

        def chosen(number: int | None) -> None:
            if number is not None:
                self._take(offers[number].text)

        self.app.push_screen(ChooseDialog(self.paint, f"{self.heading}: choose", lines), chosen)

    def action_leave(self) -> None:
        """Stop editing a line, else close."""
        if self.edited is None:
            self.dismiss(None)
        else:
            self.edited = None
            self.input.value = ""

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        listed = self.listed()
        if event.value.strip():
            self._take(event.value)
        elif 0 <= self.at < len(listed):
            self.edited = self.at
            self.input.value = listed[self.at].text
            self.input.action_end()
        else:
            self.dismiss(None)

    def _take(self, text: str) -> None:
        """Add a line, or put it in the place of the edited one."""
        wrong = self.put(text, self.edited)
        if wrong is None:
            self.edited = None
            self.input.value = ""
            self._show()
        self._say(wrong or "")

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._say("")


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
        most = max(self.app.size.height - 8, 3)
        self.list = TextBox(self.paint, self._lines(), most=most, clicked=lambda at, _: self.dismiss(at))
        lines = self.told(self.before)
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

    def _show(self) -> None:
        self.list.set_lines(self._lines(), self.at)

    def action_go(self, by: int) -> None:
        self.at = min(max(self.at + by, 0), len(self.choices) - 1)
        self._show()
        if self.looked is not None:
            self.looked(self.at)

    def action_take(self) -> None:
        self.dismiss(self.at)


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

    def say(self, what: str) -> None:
        """Say how far the job is."""
        self.what = what
        if self.is_mounted:
            self.text.set_lines([self._line()])

    def _count(self) -> None:
        self.seconds += 1
        self.text.set_lines([self._line()])

    def _line(self) -> Line:
        return Line((Run(f" {shown(self.what, 100)}… {self.seconds} s"),))
