"""Small dialogs: change a list, choose one of several, read a text, wait."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from textual import events, on
from textual.widget import Widget
from textual.widgets import Input

from planscope.tui.dialogs.base import LIST_KEYS, Dialog, SafeInput, Said, TextBox, choice
from planscope.tui.keys import fixed_keys
from planscope.tui.style.lines import BLANK, Line, Run, indented, shown
from planscope.wording.phrases import measured

if TYPE_CHECKING:
    from planscope.debugger.offers import Offer

_NO_ANSWERS: Mapping[str, Any] = {}


class ChooseDialog(Dialog[int]):
    """Asks for one of several choices and answers with its number, from 0.

    The lines are painted by hand: with 2,000 runs OptionList takes ten times as long to show new verdicts.
    ``looked`` is called with each choice that the cursor reaches. ``before``: texts above the choices. ``answers``:
    keys that choose at once. ``name`` tells one dialog from another.
    """

    BINDINGS = fixed_keys({**LIST_KEYS, "enter": "take"})

    def __init__(
        self,
        title: str,
        choices: Sequence[tuple[Run, ...] | str],
        at: int = 0,
        looked: Callable[[int], None] = lambda number: None,
        *,
        before: Sequence[Said] = (),
        answers: Mapping[str, int] = _NO_ANSWERS,
        name: str = "",
    ) -> None:
        super().__init__(title)
        self.choices = [(Run(one),) if isinstance(one, str) else one for one in choices]
        self.at = at
        self.looked = looked
        self.before = before
        self.answers = answers
        self.dialog_name = name

    def count(self) -> int:
        return len(self.choices)

    def body(self) -> Sequence[Widget]:
        said = self.told(self.before)
        most = max(self.room(8) - len(self.choices), 2)
        self.gives_way = TextBox(
            lambda: [choice(runs, i == self.at) for i, runs in enumerate(self.choices)],
            at=self.chosen_row,
            clicked=lambda at, _: self.dismiss(at),
        )
        return TextBox(lambda: [*said[:most], BLANK] if said else ()), self.gives_way

    def hint(self) -> Sequence[Said]:
        return "", "↑ ↓: select, Enter: OK, Esc: cancel"

    def on_key(self, event: events.Key) -> None:
        if event.key in self.answers:
            event.stop()
            self.dismiss(self.answers[event.key])

    def action_go(self, by: int) -> None:
        super().action_go(by)
        self.looked(self.at)

    def action_take(self) -> None:
        self.dismiss(self.at)


def counted_choice(name: str, count: int, width: int) -> tuple[Run, ...]:
    """Return a choice with a number behind it; the name, which is untrusted, has ``width`` cells."""
    return Run(f"{shown(name, width):<{width}}"), Run(f"{count:>5,}", "dim")


def sure_dialog(title: str, text: str, no: str, yes: str) -> ChooseDialog:
    """Return a dialog that asks before an action that cannot be undone. The answer 1 is yes."""
    return ChooseDialog(title, (no, yes), before=[text])


def offers_dialog(title: str, offers: Sequence[Offer], at: int = 0, most: int = 40) -> ChooseDialog:
    """Ask for one of several texts. ``most``: the cells that the texts have beside what is said about them."""
    wide = min(max(len(offer.text) for offer in offers), most)
    lines = [(Run(f"{shown(o.text, most):<{wide}}  "), Run(shown(o.about, 100), "dim")) for o in offers]
    return ChooseDialog(title, lines, at)


class Item(NamedTuple):
    """One line of a list that can be changed. ``off``: it is switched off. ``note`` is shown dim after the text."""

    text: str
    note: str = ""
    off: bool = False


Put = Callable[[str, int | None], str | None]
"""Adds a text to a list, or replaces the line at an index by it. Returns an error message or None."""


class _Entry(SafeInput):
    """The input line of a list. While it is empty, the dialog's keys come before typing."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return (key not in ("space", "u") or bool(self.value)) and super().check_consume_key(key, character)


class SetDialog(Dialog[None]):
    """A list to change: type a line or choose one with Tab; edit, remove, or switch off the selected one.

    ``offers``: texts that can be chosen, for what was typed so far. ``switch`` None: lines cannot be switched off.
    """

    BINDINGS = fixed_keys(
        {
            "down": "go(1)",
            "up": "go(-1)",
            "delete": "remove",
            "space": "turn",
            "u": "unremove",
            "tab,ctrl+n": "offer",
        },
        first=True,
    )

    def __init__(
        self,
        title: str,
        about: str,
        listed: Callable[[], Sequence[Item]],
        put: Put,
        remove: Callable[[int], None],
        offers: Callable[[str], Sequence[Offer]],
        switch: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__(title)
        self.about = about
        self.listed = listed
        self.put = put
        self.remove_one = remove
        self.offers = offers
        self.switch = switch
        self.at = -1
        self.edited: int | None = None
        self.removed: list[Item] = []
        self.wrong = ""

    def body(self) -> Sequence[Widget]:
        self.input = _Entry()
        rows = TextBox(
            self._lines,
            most=12,
            at=lambda: self.chosen_row() if self.at >= 0 else None,
            clicked=lambda row, _: self.action_go(row - self.at),
        )
        return (
            rows,
            self.input,
            TextBox(lambda: self.wrapped(f"✗ {self.wrong}", "broken")[:3] * bool(self.wrong)),
        )

    def hint(self) -> Sequence[Said]:
        turn = ", Space: off or on" * (self.switch is not None) + ", u: take back" * bool(self.removed)
        add = "Enter: add, Tab: choose from a list, ↑ ↓: select, Esc: close"
        return (
            self.about,
            add,
            f"selected line: Enter: edit, Delete: remove{turn}",
        )

    def _lines(self) -> list[Line]:
        made = [self._line(item, i == self.at) for i, item in enumerate(self.listed())]
        return made or [Line((Run(" none yet", "dim"),))]

    def _line(self, item: Item, here: bool) -> Line:
        sign = ("○ " if item.off else "◆ ") if self.switch is not None else ""
        runs = (
            Run(sign, "dim" if item.off else "mark"),
            Run(shown(item.text, 200), "dim" if item.off else ""),
            Run("  off" if item.off else "", "caution"),
            Run(f"  {shown(item.note, 200)}" if item.note else "", "dim"),
        )
        return choice(runs, here)

    def _say(self, wrong: str) -> None:
        self.wrong = wrong
        self.show()

    def show(self) -> None:
        self.at = min(self.at, len(self.listed()) - 1)
        super().show()

    def action_go(self, by: int) -> None:
        self.at = max(self.at + by, -1)
        self.show()

    def action_remove(self) -> None:
        if self.at < 0 or self.input.value:
            self.input.action_delete_right()
        elif self.at < len(self.listed()):
            self.removed.append(self.listed()[self.at])
            self.remove_one(self.at)
            self.show()

    def action_unremove(self) -> None:
        """Put the last removed line behind the others."""
        if self.input.value or not self.removed:
            self.input.insert_text_at_cursor("u")
            return
        one = self.removed.pop()
        self._say(self.put(one.text, None) or "")
        if one.off and self.switch is not None and not self.wrong:
            self.switch(len(self.listed()) - 1)
            self.show()

    def action_turn(self) -> None:
        if self.switch is None or self.at < 0 or self.input.value:
            self.input.insert_text_at_cursor(" ")
        else:
            self.switch(self.at)
            self.show()

    def action_offer(self) -> None:
        """List what can be entered; the chosen text is added."""
        offers = self.offers(self.input.value)

        def chosen(number: int | None) -> None:
            if number is not None:
                self._take(offers[number].text)

        if offers:
            dialog = offers_dialog(f"{self.heading}: choose", offers, most=44)
            self.app.push_screen(dialog, chosen)
        else:
            self._say("nothing to choose begins or contains this")

    def action_leave(self) -> None:
        """Stop editing a line, else close."""
        if self.edited is None:
            self.dismiss(None)
        else:
            self.edited = None
            self.input.value = ""

    def action_take(self) -> None:
        listed = self.listed()
        if self.input.value.strip():
            self._take(self.input.value)
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
        self._say(wrong or "")

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.wrong:
            self._say("")


class TextDialog(Dialog[None]):
    """A text to read. Esc, Enter, q, x and ? close it."""

    BINDINGS = fixed_keys({"enter,q,x,question_mark,f1": "leave", "space": "go(10)", **LIST_KEYS})

    def __init__(self, title: str, build: Callable[[int], Sequence[Line]]) -> None:
        super().__init__(title)
        self.build = build

    def body(self) -> Sequence[Widget]:
        self.text = self.gives_way = TextBox(lambda: indented(self.build(self.text_width)))
        return (self.text,)

    def hint(self) -> Sequence[Said]:
        scrolls = len(self.text.lines) > self.room(6)
        return "", "↑ ↓: scroll, Esc: close" if scrolls else "Esc: close"

    def action_go(self, by: int) -> None:
        self.text.scroll_lines(by)


class WaitDialog(Dialog[None]):
    """Shows how long a job has been running; Esc stops it."""

    def __init__(self, what: str) -> None:
        super().__init__("")
        self.what = what
        self.seconds = 0

    def body(self) -> Sequence[Widget]:
        return (TextBox(lambda: [Line((Run(f" {shown(self.what, 100)}… {measured(self.seconds)}"),))]),)

    def hint(self) -> Sequence[Said]:
        return "", "Esc: stop"

    def on_mount(self) -> None:
        self.set_interval(1.0, self._count)

    def say(self, what: str) -> None:
        """Say how far the job is."""
        self.what = what
        self.show()

    def _count(self) -> None:
        self.seconds += 1
        self.show()
