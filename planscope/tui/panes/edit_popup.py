"""What can stand next, in a box beside the caret."""

from __future__ import annotations

from textual import events
from textual.geometry import Offset
from textual.message import Message

from planscope.debugger.completion import Completion
from planscope.safe import cell_width
from planscope.tui.lines import Line, Run, justify, shown
from planscope.tui.paint import Paint
from planscope.tui.panes.windowed import Windowed

MOST_SEEN = 9
_WIDEST = 56
_WHAT = {"action": "action", "phrase": "words", "time": "hour", "mark": "mark"}


class OfferClicked(Message):
    """One of the offers was clicked, by its number."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class CompletionPopup(Windowed):
    """Shows offers; keys are the room's."""

    def __init__(self, paint: Paint, *, id: str) -> None:
        super().__init__(paint, id=id)
        self._found = Completion()
        self._at = 0

    def offer(self, found: Completion | None, at: int, caret: Offset) -> None:
        """Show offers below the caret, or above it where there is more room; None: show nothing."""
        if found is None or not found.offers:
            self.display = False
            return
        self._found, self._at = found, at
        screen = self.app.size
        texts = max(cell_width(shown(offer.text, 60)) for offer in found.offers)
        width = min(max(texts + 14, 24), _WIDEST, screen.width - 2)
        below = screen.height - caret.y - 2
        above = caret.y - 1
        height = min(len(found.offers), MOST_SEEN, max(below, above) - 2) + 2
        y = caret.y + 1 if below >= height or below >= above else caret.y - height
        x = max(min(caret.x - 2, screen.width - width - 1), 0)
        self.styles.width, self.styles.height = width, height
        self.styles.offset = (x, y)
        self.display = True
        self._show()

    def _show(self) -> None:
        self.measure()
        if self.seen:
            self.move_to(self.top)
            self.reveal(self._at, self._at)
            self.sync()

    def size_of(self) -> int:
        return len(self._found.offers)

    def line_at(self, index: int) -> Line:
        offer = self._found.offers[index]
        here = index == self._at
        what = "spelt like it" if offer.nearest else _WHAT[offer.kind]
        left = (Run("▶ " if here else "  ", "mark"), Run(shown(offer.text, 60)))
        return Line(justify(left, (Run(what, "dim"),), self.inner_width), "cursor" if here else "")

    def title(self) -> tuple[Run, ...]:
        return (Run("next", "title"),)

    def foot(self) -> tuple[Run, ...]:
        size = self.size_of()
        return (Run(f"{self._at + 1} of {size}", "dim"),) if size > self.window else ()

    def is_current(self) -> bool:
        return True

    def on_click(self, event: events.Click) -> None:
        if (place := self.line_under(event)) is not None:
            self.post_message(OfferClicked(place[0]))

    def on_resize(self, event: events.Resize) -> None:
        self._show()

    def on_show(self, event: events.Show) -> None:
        self._show()
