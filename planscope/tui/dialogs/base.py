"""The base of all dialogs: a centred box with lines of text and an input line that drops control characters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, TypeVar

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from planscope.tui.app_screen import AppScreen
from planscope.tui.panes.windowed import Windowed
from planscope.tui.style.lines import BLANK, Line, Run, paragraph
from planscope.tui.style.painter import Painter
from planscope.tui.style.safe_text import visible

Result = TypeVar("Result")

LIST_KEYS: tuple[BindingType, ...] = (
    ("down,j", "go(1)", "Down"),
    ("up,k", "go(-1)", "Up"),
    ("pagedown", "go(10)", "A page down"),
    ("pageup", "go(-10)", "A page up"),
    ("home", "go(-100000)", "Start"),
    ("end", "go(100000)", "End"),
)
"""The keys that move in a list or scroll a text."""


class TextBox(Windowed):
    """Lines of text in a dialog, at most ``most`` rows high. The last column shows if there are more.

    ``clicked`` is called with the line and the column of a click.
    """

    BOX = False

    def __init__(
        self,
        paint: Painter,
        lines: Sequence[Line] = (),
        *,
        most: int = 200,
        clicked: Callable[[int, int], object] | None = None,
    ) -> None:
        super().__init__(paint)
        self.lines = list(lines)
        self.most = most
        self._clicked = clicked

    def on_mount(self) -> None:
        self._fit()

    def set_lines(self, lines: Sequence[Line], at: int | None = None) -> None:
        """Show other lines, scrolled so that the line ``at`` is seen."""
        self.lines = list(lines)
        self._fit()
        self.move_to(self.top)
        if at is not None:
            self.reveal(at, at)
        self.sync()

    def _fit(self) -> None:
        height = max(min(len(self.lines), self.most), 0)
        self.styles.height = height
        self.display = height > 0

    def on_click(self, event: events.Click) -> None:
        if self._clicked is not None and (place := self.line_under(event)) is not None:
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
        text, role = ("┃", "thumb") if frame == "thumb" else ("│", "frame")
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


class _Box(Vertical):
    """The centred box of a dialog."""

    def note(self, notice: str) -> None:
        self.border_subtitle = Content(visible(notice))


class Dialog(AppScreen[Result], ModalScreen[Result]):
    """A box with a title. Esc closes it without an answer."""

    CSS_PATH = "dialogs.tcss"
    AUTO_FOCUS = "SafeInput"
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "leave", "Close")]

    def __init__(self, paint: Painter, title: str) -> None:
        super().__init__(paint)
        self.heading = title

    def compose(self) -> ComposeResult:
        with _Box(id="box"):
            if self.heading:
                yield TextBox(self.paint, [Line((Run(f" {self.heading}", "title"),)), BLANK])
            yield from self.body()

    def body(self) -> Sequence[Widget]:
        raise NotImplementedError

    @property
    def text_width(self) -> int:
        """The width of a dialog's text on a screen of this size, in cells."""
        wide = self.app.size.width
        return max(min(max(wide * 8 // 10, 50), 100, wide) - 4, 20)

    def wrapped(self, text: str, role: str = "") -> list[Line]:
        return [Line((Run(" "), *runs)) for runs in paragraph(text, self.text_width, role)]

    def told(self, texts: Iterable[str | tuple[str, str]]) -> list[Line]:
        """Wrap texts, each alone or with its role."""
        pairs = ((text, "") if isinstance(text, str) else text for text in texts)
        return [line for text, role in pairs for line in self.wrapped(text, role)]

    def tell(self, notice: str) -> None:
        """Show a notice in the lower edge of the box."""
        self.query_one(_Box).note(notice)

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_quit(self) -> None:
        """Let the screen below quit: it knows which question to ask first."""
        stack = self.app.screen_stack
        below: Any = stack[stack.index(self) - 1]
        below.action_quit()
