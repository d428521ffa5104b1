"""A dialog with several rows: lines to type and choices. Enter accepts it, or shows the error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from textual import events, on
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input

from planscope.debugger.offers import Offer, matching
from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.tui.dialogs.ask import offers_dialog
from planscope.tui.dialogs.base import Dialog, Result, SafeInput, Said, TextBox
from planscope.tui.keys import fixed_keys
from planscope.tui.panes.windowed import Windowed
from planscope.tui.style.lines import BLANK, Line, Run, shown

_LABEL = 14
"""The width of a row's label, in cells."""

Answers = Mapping[str, str]
Judged = Callable[[Answers], Sequence[Said]]
"""A function that returns lines about the rows as typed so far."""


@frozen
class Field:
    """A row: a line to type, or with ``options`` a choice, which are pairs of an answer and its label.

    ``hint`` stands in an empty line. ``offers``: texts to choose from with Tab. Without a label a line stands alone,
    with a frame.
    """

    name: str
    label: str
    value: str = ""
    hint: str = ""
    offers: Sequence[Offer] = ()
    options: tuple[tuple[str, str], ...] = ()


class _Choice(Windowed, can_focus=True):
    """The options of a choice, side by side; left and right choose. Textual's Select would hide them and use Enter."""

    BOX = False
    BINDINGS = fixed_keys({"right,space": "go(1)", "left": "go(-1)"})

    def __init__(self, field: Field, chosen: Callable[[], None]) -> None:
        super().__init__(id=f"field-{field.name}")
        self.options, self._chosen = field.options, chosen
        values = [value for value, _ in field.options]
        self.at = values.index(field.value) if field.value in values else 0

    @property
    def value(self) -> str:
        return self.options[self.at][0]

    def size_of(self) -> int:
        return 1

    def line_at(self, index: int) -> Line:
        runs = []
        for i, (_, label) in enumerate(self.options):
            here = i == self.at
            runs.append(Run(f"{'●' if here else '○'} {shown(label, 40)}  ", "strong" if here else "dim"))
        return Line(tuple(runs), "cursor" if self.has_focus else "")

    def choose(self, at: int) -> None:
        self.at = at % len(self.options)
        self.sync()
        self._chosen()

    def action_go(self, by: int) -> None:
        self.choose(self.at + by)

    def on_click(self, event: events.Click) -> None:
        self.focus()
        begin = 0
        for i, (_, label) in enumerate(self.options):
            begin += len(shown(label, 40)) + 4
            if event.x < begin:
                self.choose(i)
                break

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.sync()

    def on_resize(self, event: events.Resize) -> None:
        self.measure()
        self.sync()


class FormDialog(Dialog[Result]):
    """Answers with the result of ``read``, which converts the rows and raises ``UserError`` if one is wrong.

    ``judge`` says below the rows what they would do. ``before``: texts above the rows. ``first``: the row to begin
    with. ``keys``: those that answer at once.
    """

    AUTO_FOCUS = ""
    BINDINGS = fixed_keys(
        {"down": "app.focus_next", "up": "app.focus_previous", "enter": "take"}
    ) + fixed_keys({"tab,ctrl+n": "offer"}, first=True)

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        read: Callable[[Answers], Result],
        *,
        before: Sequence[Said] = (),
        hint: str = "↑ ↓: rows, ← →: choose, Enter: OK, Esc: cancel",
        first: str = "",
        judge: Judged = lambda answers: (),
        keys: Mapping[str, Result] = MappingProxyType({}),
    ) -> None:
        super().__init__(title)
        self.fields = fields
        self.read = read
        self.before = before
        offers = any(field.offers for field in fields)
        self.keys_named = hint.replace(", Enter:", ", Tab: list, Enter:", 1) if offers else hint
        self.first = first
        self.judge = judge
        self.keys = keys
        self.wrong = ""
        self.judged: Sequence[Said] = ()

    def body(self) -> Sequence[Widget]:
        self.inputs: dict[str, SafeInput | _Choice] = {
            field.name: self._entry(field) for field in self.fields
        }
        rows = (
            Horizontal(self._label(field), self.inputs[field.name], classes="form-row")
            if field.label
            else self.inputs[field.name]
            for field in self.fields
        )
        gap = [BLANK] * any(field.label for field in self.fields)
        return (
            TextBox(lambda: [*self.told(self.before), *gap] if self.before else ()),
            *rows,
            TextBox(lambda: self.wrapped(f"✗ {self.wrong}", "broken")[:3] if self.wrong else ()),
            TextBox(lambda: [*self.told(self.judged), *gap]),
        )

    def hint(self) -> Sequence[Said]:
        return self.keys_named.split("\n")

    def _entry(self, field: Field) -> SafeInput | _Choice:
        if field.options:
            return _Choice(field, self.read_now)
        return SafeInput(
            field.value,
            id=f"field-{field.name}",
            placeholder=field.hint,
            compact=bool(field.label),
            select_on_focus=True,
        )

    def _label(self, field: Field) -> TextBox:
        entry, text = self.inputs[field.name], Run(field.label.ljust(_LABEL - 1), "label")
        label = TextBox(
            lambda: [Line((Run("▶" if entry.has_focus else " ", "mark"), text))],
            clicked=lambda line, column: entry.focus(),
        )
        label.styles.width = _LABEL
        return label

    def on_key(self, event: events.Key) -> None:
        if event.key in self.keys:
            event.stop()
            event.prevent_default()
            self.dismiss(self.keys[event.key])

    def read_now(self) -> None:
        """Show what the answers as typed so far would do."""
        self.judged = self.judge(self.answers())
        self.show()

    def on_mount(self) -> None:
        self.read_now()
        (self.inputs.get(self.first) or next(iter(self.inputs.values()))).focus()

    def on_descendant_focus(self) -> None:
        """Mark the row that has the focus."""
        self.show()

    def answers(self) -> dict[str, str]:
        """Return the answers by row name; an unchanged text keeps its control characters."""
        found = {name: entry.value for name, entry in self.inputs.items()}
        for field in self.fields:
            entry = self.inputs[field.name]
            if isinstance(entry, SafeInput) and entry.value == entry.validate_value(field.value):
                found[field.name] = field.value
        return found

    def action_offer(self) -> None:
        """List the possible texts of the row, or go to the next row if it has no such list."""
        here = next((one for one in self.fields if self.inputs[one.name].has_focus), None)
        entry = self.inputs[here.name] if here is not None else None
        if here is None or not here.offers or not isinstance(entry, SafeInput):
            self.focus_next()
            return
        texts = [offer.text for offer in here.offers]
        found = [] if entry.value in texts else matching(here.offers, entry.value)
        found = found or list(here.offers)
        at = next((i for i, offer in enumerate(found) if offer.text == entry.value), 0)

        def chosen(number: int | None) -> None:
            if number is not None:
                entry.value = found[number].text
                entry.action_end()

        self.app.push_screen(offers_dialog(here.label, found, at), chosen)

    def action_take(self) -> None:
        try:
            result = self.read(self.answers())
        except UserError as error:
            self.wrong = str(error)
            self.show()
        else:
            self.dismiss(result)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.wrong = ""
        self.read_now()


def ask_dialog(
    title: str,
    hint: str,
    check: Callable[[str], str | None],
    *,
    value: str = "",
    before: Sequence[Said] = (),
    answers: Mapping[str, str] = MappingProxyType({}),
    judge: Callable[[str], Sequence[Said]] = lambda text: (),
) -> FormDialog[str]:
    """Return a form that asks for one line of text. ``check`` says what is wrong with a text, or None.

    ``answers``: keys that answer at once. ``judge``: what the text as typed so far would do.
    """

    def read(found: Answers) -> str:
        if (wrong := check(found["line"])) is not None:
            raise UserError(wrong)
        return found["line"]

    hint = hint if "Esc" in hint else f"{hint}\nEnter: OK, Esc: cancel"
    fields = [Field("line", "", value)]
    return FormDialog(
        title, fields, read, before=before, hint=hint, judge=lambda found: judge(found["line"]), keys=answers
    )
