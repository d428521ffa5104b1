"""The base of all dialogs: a centred box of texts that are made from the dialog's state, input lines, and lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from rich.segment import Segment
from textual import events, on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, TextArea

from planscope.safe import show, visible
from planscope.tui.app_screen import AppScreen
from planscope.tui.keys import fixed_keys
from planscope.tui.panes.windowed import Windowed
from planscope.tui.style.lines import BLANK, Line, Run, does_at, paragraph, tabs

Result = TypeVar("Result")
Said = str | tuple[str, str]
"""An untrusted text, alone or with its role."""

LIST_KEYS = {
    "down,j": "go(1)",
    "up,k": "go(-1)",
    "pagedown": "go(10)",
    "pageup": "go(-10)",
    "home": "go(-100000)",
    "end": "go(100000)",
}
"""The keys that move in a list or scroll a text."""

FIELD_KEYS = {"tab": "app.focus_next", "shift+tab": "app.focus_previous"}
"""The keys that go to the next and the previous field, also out of a text area."""

PAUSE = 0.2
"""Seconds without a change of a text area after which its text is read."""


NARROW = 78
"""A dialog is at least so wide where the window is, in cells."""


class TextBox(Windowed):
    """Lines of a dialog, at most ``most`` rows high. The last column shows if there are more.

    ``make`` makes the lines at each :meth:`show`. ``at``: the lines, first and last, that must be seen. ``clicked`` is
    called with the line and the column of a click.
    """

    BOX = False

    def __init__(
        self,
        make: Callable[[], Iterable[Line]],
        *,
        most: int = 200,
        at: Callable[[], tuple[int, int] | None] = lambda: None,
        clicked: Callable[[int, int], object] | None = None,
    ) -> None:
        super().__init__()
        self.make, self.most, self._at, self._clicked = make, most, at, clicked

    def on_mount(self) -> None:
        self._make()

    def show(self) -> None:
        """Make the lines again, and scroll to those that must be seen."""
        self._make()
        self.move_to(self.top)
        if (at := self._at()) is not None:
            self.reveal(*at)
        self.sync()

    def _make(self) -> None:
        self.lines = list(self.make())
        height = min(len(self.lines), self.most)
        self.styles.height = height
        self.display = height > 0

    async def on_click(self, event: events.Click) -> None:
        if (place := self.line_under(event)) is None:
            return
        if action := does_at(self.lines[place[0]].runs, place[1]):
            await self.screen.run_action(action)
        elif self._clicked is not None:
            self._clicked(*place)

    def _wanted_rows(self) -> list[tuple[Line, str]]:
        rows = super()._wanted_rows()
        first, last = self._thumb(self.size_of(), self.window)
        if last == 0:
            return rows
        return [(line, "thumb" if first <= y < last else "side") for y, (line, _) in enumerate(rows)]

    def _build(self, line: Line, frame: str) -> Strip:
        if not frame:
            return super()._build(line, frame)
        width = max(self.cells[0] - 1, 0)
        text, role = ("┃", "thumb") if frame == "thumb" else (" ", "")
        return Strip([*self.paint.strip(line, width), Segment(text, self.paint.style(role, ""))], width + 1)

    def on_resize(self, event: events.Resize) -> None:
        self.measure()
        self.move_to(self.top)
        self.sync()


class SafeInput(Input):
    """An input line that drops control characters, also pasted ones."""

    DEFAULT_CSS = "SafeInput { & > .input--placeholder, & > .input--suggestion { color: $planscope-dim; } }"

    def validate_value(self, value: str) -> str:
        return "".join(char for char in value if char == "\t" or visible(char) == char).replace("\t", " ")


class SafeTextArea(TextArea):
    """A text area that makes control characters visible, also pasted ones.

    Posts :class:`Rested` a moment after the last change.
    """

    class Rested(Message):
        """The text has not changed for a moment."""

    _waiting: Timer | None = None

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

    def on_text_area_changed(self) -> None:
        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self.set_timer(PAUSE, lambda: self.post_message(self.Rested()))


def clean(text: str) -> str:
    """Make control characters visible; keep the lines."""
    return show(text, keep_newlines=True).text


class _Box(Vertical):
    """The centred box of a dialog."""

    def note(self, notice: str) -> None:
        self.border_subtitle = Content(visible(notice))


def choice(runs: Iterable[Run], here: bool) -> Line:
    """Lay out a row of a list, with the mark of the chosen one."""
    made = (Run(" ▶ " if here else "   ", "mark"), *runs)
    return Line(tuple(run for run in made if run.text), "cursor" if here else "")


class Dialog(AppScreen[Result], ModalScreen[Result]):
    """A box with a title; Esc closes it without an answer. Its texts are made again by :meth:`show`.

    Subclasses define ``body``, ``hint`` and, for a list, ``count``; ``at`` is the chosen row, which ``go`` moves.
    """

    CSS_PATH = "dialogs.tcss"
    AUTO_FOCUS = "SafeInput"
    BINDINGS = fixed_keys({"escape": "leave"})
    gives_way: Widget | None = None
    """The part that has the rows that the others leave."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.heading = title
        self.at = self.number = 0
        self._left_at: dict[int, int] = {}

    def compose(self) -> ComposeResult:
        title = [Line((Run(f" {self.heading}", "title"),)), BLANK]
        with _Box(id="box"):
            if self.heading:
                yield TextBox(lambda: title)
            yield from self.body()
            yield TextBox(lambda: self.told(self.hint(), "dim"))

    def body(self) -> Sequence[Widget]:
        """Return the widgets between title and hint."""
        raise NotImplementedError

    def hint(self) -> Sequence[Said]:
        """Return the last lines, which name the keys; they are dim unless they have a role."""
        return ()

    def on_mount(self) -> None:
        self.call_after_refresh(self.show)

    def keep_typed(self) -> None:
        """Keep what was typed: the dialog closes without an answer, or planscope is left."""

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close, also because a screen below does."""
        if result is None:
            self.keep_typed()
        return super().dismiss(result)

    def show(self) -> None:
        """Make all texts again."""
        part, taken = self.gives_way, 2
        for frame in self.query(_Box):  # none yet, if what it waits for comes at once
            frame.styles.width = self.text_width + 4
        for box in self.query(TextBox):
            if box is not part:
                box.show()
        for one in self.query("#box > *"):
            taken += (
                int(one.styles.height.value) if one is not part and one.display and one.styles.height else 0
            )
        if part is not None:
            part.styles.max_height = self.room(taken)
            if isinstance(part, TextBox):
                part.show()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show)

    def count(self) -> int:
        """Return the number of rows of the list."""
        return 0

    def chosen_row(self) -> tuple[int, int]:
        """Return the chosen row, for ``TextBox.at``."""
        return self.at, self.at

    def action_go(self, by: int) -> None:
        """Choose another row."""
        self.at = min(max(self.at + by, 0), max(self.count() - 1, 0))
        self.show()

    def room(self, taken: int) -> int:
        """Return how many rows the largest box of this screen has beside ``taken`` rows."""
        return max(self.app.size.height * 9 // 10 - taken, 3)

    @property
    def text_width(self) -> int:
        """The width of a dialog's text on a screen of this size, in cells."""
        wide = self.app.size.width
        return max(min(max(wide * 8 // 10, NARROW), 100, wide - 2) - 4, 20)

    def wrapped(self, text: str, role: str = "") -> list[Line]:
        return [Line((Run(" "), *runs)) for runs in paragraph(text, self.text_width, role)]

    def told(self, texts: Iterable[Said], role: str = "") -> list[Line]:
        """Wrap texts, each in its own role or in ``role``."""
        pairs = ((text, role) if isinstance(text, str) else text for text in texts)
        return [line for pair in pairs for line in self.wrapped(*pair)]

    def tabs(self, titles: Sequence[str], at: int, here: str) -> list[Line]:
        """Name the pages of a dialog. ``here``: the role of the displayed one."""
        named = [(f" {title}", f"page({number})") for number, title in enumerate(titles)]
        return [
            Line((Run(" "), *(tabs(named, at, here, 3) if len(named) > 1 else [Run(titles[0], here)]))),
            BLANK,
        ]

    def page_count(self) -> int:
        """Return the number of pages; ``number`` is the displayed one."""
        return 1

    def action_turn_page(self, by: int) -> None:
        self.action_page((self.number + by) % self.page_count())

    def action_page(self, number: int) -> None:
        """Show another page, with the row that was chosen there."""
        if number < self.page_count():
            self._left_at[self.number] = self.at
            self.number, self.at = number, self._left_at.get(number, 0)
            self.show()

    def tell(self, notice: str) -> None:
        """Show a notice in the lower edge of the box."""
        self.query_one(_Box).note(notice)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_take()

    def action_take(self) -> None:
        """Handle Enter in an input line."""
        self.action_leave()

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_quit(self) -> None:
        """Let the screen below quit: it knows which question to ask first."""
        self.keep_typed()
        stack = self.app.screen_stack
        below: Any = stack[stack.index(self) - 1]
        below.action_quit()
