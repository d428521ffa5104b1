"""What is written to a terminal is shortened, and shows the same."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from planscope.tui.lean import Lean, LeanUpdate
from planscope.tui.panes.windowed import changed_cells

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


@given(ROWS, ROWS, st.integers(0, WIDE))
def test_the_changed_cells_alone_make_the_new_row_of_the_old_one(
    old: list[tuple[str, str]], new: list[tuple[str, str]], edge: int
) -> None:
    """``edge``: where one widget ends and the next begins."""
    before, after = row_of(old), row_of(new)
    if (span := changed_cells(before, after)) is None:
        assert before.text == after.text
        return
    first, last = span
    assert 0 <= first < last <= WIDE
    joined = Strip.join([before.crop(0, first), after.crop(first, last), before.crop(last)])
    assert list(joined.simplify()) == list(after.simplify())
    assume(after.crop(0, edge).text + after.crop(edge).text == after.text)  # no sign of two cells is parted
    cuts = sorted({0, edge, WIDE})
    chops = dict(zip(cuts, after.divide(cuts[1:]), strict=False))
    written = LeanUpdate([chops], [(0, first, last)], [cuts[1:]]).render_segments(Console(color_system=None))
    places = written.split("\x1b[1;")[1:]
    assert int(places[0].partition("H")[0]) == first + 1
    pieces = [Text.from_ansi(place.partition("H")[2]).plain for place in places]
    assert "".join(pieces) == after.crop(first, last).text


def test_a_row_whose_end_changes_is_written_from_there_on() -> None:
    before, after = (
        row_of([("step 1", "blue"), (" done", "red")]),
        row_of([("step 2", "blue"), (" done", "red")]),
    )
    assert changed_cells(before, after) == (5, 6)
