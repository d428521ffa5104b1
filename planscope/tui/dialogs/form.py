"""A dialog with several rows: lines to type and choices. Enter accepts it, or shows the error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input

from planscope.debugger.offers import Offer
from planscope.errors import UserError
from planscope.tui.dialogs.ask import ChooseDialog
from planscope.tui.dialogs.base import Dialog, Result, SafeInput, TextBox
from planscope.tui.panes.windowed import Windowed
from planscope.tui.style.lines import Line, Run, shown
from planscope.tui.style.painter import Painter

_LABEL = 14
"""The width of a row's label, in cells."""

Answers = Mapping[str, str]

Judged = Callable[[Answers], Sequence[tuple[str, str]]]
"""A function that returns lines about the rows as typed so far, each with its role."""


@dataclass(frozen=True, slots=True)
class TextField:
    """A line to type. ``offers``: texts to choose from with Tab. Without a label it stands alone, with a frame."""

    name: str
    label: str
    value: str = ""
    hint: str = ""
    offers: Sequence[Offer] = ()


@dataclass(frozen=True, slots=True)
class ChoiceField:
    """A choice: pairs of an answer and its label."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    value: str = ""


Field = TextField | ChoiceField


class _Choice(Windowed, can_focus=True):
    """The options of a choice, side by side; left and right choose. Textual's Select would hide them and use Enter."""

    BOX = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space", "go(1)", show=False),
        Binding("left", "go(-1)", show=False),
    ]

    def __init__(self, paint: Painter, field: ChoiceField) -> None:
        super().__init__(paint, id=f"field-{field.name}")
        self.options = field.options
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

    def action_go(self, by: int) -> None:
        self.at = (self.at + by) % len(self.options)
        self._chosen()

    def on_click(self, event: events.Click) -> None:
        begin = 0
        for i, (_, label) in enumerate(self.options):
            begin += len(shown(label, 40)) + 4
            if event.x < begin:
                self.at = i
                break
        self.focus()
        self._chosen()

    def _chosen(self) -> None:
        self.sync()
        if isinstance(self.screen, FormDialog):
            self.screen.read_now()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.sync()

    def on_resize(self, event: events.Resize) -> None:
        self.measure()
        self.sync()


class FormDialog(Dialog[Result]):
    """Answers with the result of ``read``, which converts the rows and raises ``UserError`` if one is wrong.

    ``judge`` says below the rows what they would do. ``before``: texts above the rows, each alone or with its role.
    ``keys``: those that answer at once.
    """

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
        Binding("enter", "take", show=False),
        Binding("tab,ctrl+n", "offer", show=False, priority=True),
    ]

    def __init__(
        self,
        paint: Painter,
        title: str,
        fields: Sequence[Field],
        read: Callable[[Answers], Result],
        *,
        before: Sequence[str | tuple[str, str]] = (),
        hint: str = "↑ ↓: rows, ← →: choose, Enter: OK, Esc: cancel",
        first: str = "",
        judge: Judged | None = None,
        keys: Mapping[str, Result] = MappingProxyType({}),
    ) -> None:
        super().__init__(paint, title)
        self.judge = judge
        self.fields = fields
        self.read = read
        self.before = before
        offers = any(isinstance(field, TextField) and field.offers for field in fields)
        self.hint = hint.replace(", Enter:", ", Tab: list, Enter:", 1) if offers else hint
        self.first = first
        self.keys = keys

    def body(self) -> Sequence[Widget]:
        self.error = TextBox(self.paint)
        self.judged = TextBox(self.paint)
        self.inputs: dict[str, SafeInput | _Choice] = {}
        self.labels: dict[str, TextBox] = {}
        rows: list[Widget] = []
        for field in self.fields:
            entry: SafeInput | _Choice
            if isinstance(field, ChoiceField):
                entry = _Choice(self.paint, field)
            else:
                entry = SafeInput(
                    field.value,
                    id=f"field-{field.name}",
                    placeholder=field.hint,
                    compact=bool(field.label),
                    select_on_focus=True,
                )
            self.inputs[field.name] = entry
            if field.label:
                label = self.labels[field.name] = TextBox(self.paint, [_label(field, False)])
                label.styles.width = _LABEL
            rows.append(Horizontal(label, entry, classes="form-row") if field.label else entry)
        before, gap = self.told(self.before), [Line()] if self.labels else []
        return (
            TextBox(self.paint, [*before, *gap] if before else []),
            *rows,
            self.error,
            self.judged,
            TextBox(
                self.paint,
                [*gap, *self.told((text, "dim") for text in self.hint.split("\n"))],
            ),
        )

    def on_key(self, event: events.Key) -> None:
        if event.key in self.keys:
            event.stop()
            event.prevent_default()
            self.dismiss(self.keys[event.key])

    def read_now(self) -> None:
        """Show what the answers as typed so far would do."""
        if self.judge is not None and self.inputs:
            self.judged.set_lines(self.told(self.judge(self.answers())))

    def on_mount(self) -> None:
        self.read_now()
        first = self.inputs.get(self.first) or next(iter(self.inputs.values()))
        first.focus()

    def on_descendant_focus(self) -> None:
        """Mark the row that has the focus."""
        for field in self.fields:
            if field.label:
                here = self.inputs[field.name].has_focus
                self.labels[field.name].set_lines([_label(field, here)])

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
        from planscope.debugger.offers import matching

        here = next((one for one in self.fields if self.inputs[one.name].has_focus), None)
        if not isinstance(here, TextField) or not here.offers:
            self.focus_next()
            return
        entry = self.inputs[here.name]
        known = any(offer.text == entry.value for offer in here.offers)
        found = list(here.offers) if known else matching(here.offers, entry.value) or list(here.offers)
        at = next((i for i, offer in enumerate(found) if offer.text == entry.value), 0)
        wide = min(max(len(offer.text) for offer in found), 40)
        lines = [(Run(f"{shown(o.text, 40):<{wide}}  "), Run(shown(o.about, 100), "dim")) for o in found]

        def chosen(number: int | None) -> None:
            if number is not None and isinstance(entry, SafeInput):
                entry.value = found[number].text
                entry.action_end()

        self.app.push_screen(ChooseDialog(self.paint, here.label, lines, at), chosen)

    def action_take(self) -> None:
        try:
            result = self.read(self.answers())
        except UserError as error:
            self.error.set_lines(self.wrapped(f"✗ {error}", "broken")[:3])
        else:
            self.dismiss(result)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_take()

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.error.set_lines([])
        self.read_now()


def ask_dialog(
    paint: Painter,
    title: str,
    hint: str,
    check: Callable[[str], str | None],
    *,
    value: str = "",
    before: Sequence[str | tuple[str, str]] = (),
    answers: Mapping[str, str] = MappingProxyType({}),
    judge: Callable[[str], Sequence[tuple[str, str]]] | None = None,
) -> FormDialog[str]:
    """Return a form that asks for one line of text. ``check`` says what is wrong with a text, or None.

    ``answers``: keys that answer at once. ``judge``: what the text as typed so far would do.
    """

    def read(found: Answers) -> str:
        if (wrong := check(found["line"])) is not None:
            raise UserError(wrong)
        return found["line"]

    judged = None if judge is None else (lambda found: judge(found["line"]))
    hint = hint if "Esc" in hint else f"{hint}\nEnter: OK, Esc: cancel"
    fields = [TextField("line", "", value)]
    return FormDialog(paint, title, fields, read, before=before, hint=hint, judge=judged, keys=answers)


def _label(field: Field, here: bool) -> Line:
    return Line((Run("▶" if here else " ", "mark"), Run(field.label.ljust(_LABEL - 1), "label")))
