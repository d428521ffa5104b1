"""The yardstick: a Textual application of one widget that changes one line at a key."""

from __future__ import annotations

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


class Counter(Widget):
    count = 0

    def render_line(self, y: int) -> Strip:
        text = f"line {y} READY {self.count if y == 5 else 0}"
        return Strip([Segment(text)]).adjust_cell_length(self.size.width)


class BareApp(App[None]):
    BINDINGS = [Binding("n", "next", "Next")]  # noqa: RUF012  (Textual's own way to say it)

    def compose(self) -> ComposeResult:
        yield Counter()

    def action_next(self) -> None:
        counter = self.query_one(Counter)
        counter.count += 1
        counter.refresh(Region(0, 5, counter.size.width, 1))


if __name__ == "__main__":
    BareApp().run()
