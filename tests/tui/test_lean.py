"""What is written to a terminal is shortened, and shows the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.style import Style
from rich.text import Text

from planscope.tui.lean import Lean

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
