"""What is written to a terminal is shortened, and shows the same."""

from __future__ import annotations

import os
import pty

from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.drivers._writer_thread import WriterThread
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from planscope.tui.lean import Lean, LeanCompositor, LeanUpdate
from planscope.tui.panes.windowed import changed_cells
from planscope.tui.terminal import TerminalDriver, _Output

COLOURS = st.sampled_from(["", "red", "bright_blue", "color(99)", "#102030", "#102031"])
STYLES = st.builds(
    lambda ink, ground, **flags: Style(color=ink or None, bgcolor=ground or None, **flags),
    COLOURS,
    COLOURS,
    **{
        name: st.booleans()
        for name in ("bold", "dim", "italic", "underline", "reverse", "strike", "overline")
    },
)


def shown(written: str) -> list[tuple[object, ...]]:
    """Each sign with its style, as Rich reads it."""
    text = Text.from_ansi(written)
    made: list[tuple[object, ...]] = []
    for k, sign in enumerate(text.plain):
        found = [
            span.style for span in text.spans if span.start <= k < span.end and isinstance(span.style, Style)
        ]
        style = Style.combine([Style.null(), *found])
        flags = (
            style.bold,
            style.dim,
            style.italic,
            style.underline,
            style.reverse,
            style.strike,
            style.overline,
        )
        colours = (
            None if one is None or one.is_default else one.name for one in (style.color, style.bgcolor)
        )
        made.append((sign, *colours, *map(bool, flags)))
    return made


@given(st.lists(st.tuples(st.text("ab ", min_size=1, max_size=4), STYLES), max_size=8), st.integers(0, 200))
def test_the_same_is_shown_however_it_is_cut(pieces: list[tuple[str, Style]], cut: int) -> None:
    written = "".join(style.render(text, color_system=ColorSystem.TRUECOLOR) for text, style in pieces)
    at = written.rfind("\x1b", 0, cut) if "\x1b" in written[:cut] else 0
    lean = Lean()
    made = lean(written[:at]) + lean(written[at:])
    assert shown(made) == shown(written) and len(made) <= len(written)


def test_a_style_that_goes_on_is_sent_once_and_moves_need_none() -> None:
    style = Style(color="#010203", bgcolor="#040506", bold=True)
    pieces = [style.render(text, color_system=ColorSystem.TRUECOLOR) for text in ("one", "two")]
    once = style.render("one|two", color_system=ColorSystem.TRUECOLOR)
    assert Lean()("".join(pieces)) == once.replace("|", "")
    moved = Lean()("\x1b[3;4H".join(pieces))
    assert moved == once.replace("|", "\x1b[3;4H") and "\x1b[3;4H" in moved
    assert Lean()("\x1b[?2026h plain \x1b[?2026l") == "\x1b[?2026h plain \x1b[?2026l"


WIDE = 12
ROWS = st.lists(
    st.tuples(st.text("ab─│字 ", min_size=1, max_size=5), st.sampled_from(["red", "blue"])), max_size=5
)


def row_of(pieces: list[tuple[str, str]]) -> Strip:
    segments = [Segment(text, Style(color=colour)) for text, colour in pieces]
    return Strip(segments).adjust_cell_length(WIDE, Style(color="red"))


@given(ROWS, ROWS)
def test_the_changed_cells_alone_make_the_new_row_of_the_old_one(
    old: list[tuple[str, str]], new: list[tuple[str, str]]
) -> None:
    before, after = row_of(old), row_of(new)
    if (span := changed_cells(before, after)) is None:
        assert before.text == after.text
        return
    first, last = span
    assert 0 <= first < last <= WIDE
    joined = Strip.join([before.crop(0, first), after.crop(first, last), before.crop(last)])
    assert list(joined.simplify()) == list(after.simplify())


class Block(Widget):
    """A widget of some letters, in its place, behind those before it."""

    def __init__(self, letter: str, place: Region) -> None:
        super().__init__()
        self.letter, self.place = letter, place
        self.styles.position = "absolute"
        self.styles.offset = place.offset
        self.styles.width, self.styles.height = place.size

        self.told: list[Size] = []

    def render_line(self, y: int) -> Strip:
        return Strip([Segment(self.letter * self.place.width)])

    def on_resize(self, event: events.Resize) -> None:
        self.told.append(event.size)


class Blocks(Screen[None]):
    CSS = "Blocks { layers: a b c; }"

    def __init__(self) -> None:
        super().__init__()
        self._compositor = self.lean = LeanCompositor()
        self.blocks = [
            Block("a", Region(0, 0, 20, 6)),
            Block("b", Region(4, 1, 9, 3)),
            Block("c", Region(7, 2, 30, 2)),
        ]
        for block in self.blocks:
            block.styles.layer = block.letter

    def compose(self) -> ComposeResult:
        yield from self.blocks


async def test_an_update_writes_the_changed_cells_of_what_lies_in_front() -> None:
    app: App[None] = App()
    async with app.run_test(size=(24, 8)):
        screen = Blocks()
        await app.push_screen(screen)
        before = [strip.text for strip in screen.lean.render_strips()]
        for block in screen.blocks:
            block.letter = block.letter.upper()
            block.refresh()
        after = [strip.text for strip in screen.lean.render_strips()]
        assert before[2][:14] == "aaaabbbccccccc"
        dirty = [Region(2, 1, 9, 3), Region(0, 5, 1, 1), Region(22, 7, 2, 1)]
        screen.lean._dirty_regions.update(dirty)
        update = screen.lean.render_update(screen_stack=[])
        assert isinstance(update, LeanUpdate)
        for y, x, strip in update.pieces:
            before[y] = before[y][:x] + strip.text + before[y][x + strip.cell_length :]
        inside = {
            (x, y) for area in dirty for x in range(area.x, area.right) for y in range(area.y, area.bottom)
        }
        for y, (row, whole) in enumerate(zip(before, after, strict=True)):
            for x, (sign, new) in enumerate(zip(row, whole, strict=True)):
                assert sign == (new if (x, y) in inside else new.lower()), (x, y)
        written = update.render_segments(Console(color_system=None))
        assert written.count("H") == len(update.pieces) and "\x1b[2;3HAA" in written


async def test_a_widget_that_is_shown_is_told_its_size_though_it_was_asked_for_it_before() -> None:
    app: App[None] = App()
    async with app.run_test(size=(24, 8)) as pilot:
        screen = Blocks()
        await app.push_screen(screen)
        block = screen.blocks[0]
        block.display = False
        await pilot.pause()
        block.told.clear()
        block.display = True
        screen.lean.update_widgets({block})  # as Textual does if it is drawn before it is laid out
        assert block.size.height == 6
        await pilot.pause()
        assert [size.height for size in block.told] == [6]


def test_a_row_whose_end_changes_is_written_from_there_on() -> None:
    before, after = (
        row_of([("step 1", "blue"), (" done", "red")]),
        row_of([("step 2", "blue"), (" done", "red")]),
    )
    assert changed_cells(before, after) == (5, 6)


async def test_a_terminal_that_takes_little_gets_all_in_its_order_and_holds_nobody_up() -> None:
    ours, terminal = pty.openpty()
    driver = TerminalDriver(App())
    with os.fdopen(terminal, "w", encoding="utf-8") as file:
        driver._file = _Output(file)
        driver._writer_thread = WriterThread(driver._file)
        driver._writer_thread.start()
        driver.write("at once")
        assert driver._file.given == 0 and os.read(ours, 100) == b"at once"
        pieces = [f"{k} {'é' * 7000}" for k in range(20)]
        for piece in pieces:
            driver.write(piece)  # nobody reads yet
        wanted, got = "".join(pieces).encode(), b""
        while len(got) < len(wanted):
            got += os.read(ours, 1 << 16)
        assert got == wanted
        driver.close()
    os.close(ours)
