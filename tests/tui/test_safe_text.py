"""Nothing that comes from outside reaches the terminal as anything but visible text."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from textual.content import Content

from planscope.safe import MAX_MARKS, cell_width, char_width, clip, show, visible, wrap
from planscope.safe.cells import _wrap_pieces, _wrap_plain
from tests.each import each
from tests.hostile import HOSTILE
from tests.nightly import nightly

FORBIDDEN_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "BN", "B"}

nasty = st.text(
    st.one_of(
        st.characters(),
        st.characters(codec=None, categories=["Cs", "Cf", "Cc", "Mn", "Me", "Mc", "Zs", "So", "Sk"]),
        st.sampled_from("ab [/$\n\r\t\x1b\u0301\u200d\ufe0f\u20e3\U0001f3fd1❤👍◌⟩\u1161ᄒ字\u202e"),
    ),
    max_size=60,
)

short = st.sampled_from([s for s in HOSTILE if len(s) < 500])
any_text = st.one_of(nasty, short, st.lists(short, max_size=3).map("".join))


def offences(shown: str, newlines: bool = False) -> list[str]:
    return [
        f"U+{ord(c):04X}"
        for c in shown
        if not (newlines and c == "\n")
        and (unicodedata.category(c) in FORBIDDEN_CATEGORIES or unicodedata.bidirectional(c) in BIDI)
    ]


@each("text", HOSTILE)
def test_the_hostile_corpus_becomes_harmless(text: str) -> None:
    assert offences(visible(text)) == []
    assert offences(visible(text, keep_newlines=True), newlines=True) == []
    visible(text).encode()
    assert offences(clip(text, 20)) == []


@given(any_text, st.booleans())
def test_nothing_shown_is_a_control_or_bidi_character(text: str, newlines: bool) -> None:
    shown = visible(text, keep_newlines=newlines)
    assert offences(shown, newlines) == []
    shown.encode()


@given(any_text, st.booleans(), st.one_of(st.none(), st.integers(0, 50)))
def test_showing_twice_is_showing_once(text: str, newlines: bool, limit: int | None) -> None:
    once = visible(text, limit=limit, keep_newlines=newlines)
    assert visible(once, limit=limit, keep_newlines=newlines) == once
    assert visible(once, keep_newlines=newlines) == once


@given(any_text, st.one_of(st.none(), st.integers(0, 50)))
def test_the_mapping_is_monotone_and_covers_all(text: str, limit: int | None) -> None:
    shown = show(text, limit=limit)
    places = [shown.at(i) for i in range(len(text) + 1)]
    assert places == sorted(places)
    assert places[0] == 0
    assert places[-1] <= len(shown.text)
    if limit is None:
        assert places[-1] == len(shown.text)
        assert "".join(shown.part(i, i + 1) for i in range(len(text))) == shown.text


@given(any_text, st.integers(0, 130))
def test_a_limit_is_kept_and_what_is_left_out_is_counted(text: str, limit: int) -> None:
    shown = show(text, limit=limit)
    assert len(shown.text) <= limit
    whole = visible(text)
    if len(whole) <= limit:
        assert (shown.text, shown.left_out) == (whole, 0)
    elif shown.left_out < len(text):
        note = f"… ({shown.left_out} more)" if limit >= 100 else "…"
        assert shown.text.endswith(note) and whole.startswith(shown.text.removesuffix(note))


@given(any_text)
def test_marks_do_not_pile_up(text: str) -> None:
    run = 0
    for char in visible(text):
        run = run + 1 if unicodedata.category(char) in {"Mn", "Me", "Mc"} else 0
        assert run <= MAX_MARKS


@given(any_text, st.integers(0, 40))
def test_a_clipped_text_fits(text: str, cells: int) -> None:
    clipped = clip(text, cells)
    assert cell_width(clipped) <= cells
    assert cell_width(visible(text)) > cells or clipped == visible(text)
    assert offences(clipped) == []


def test_a_text_that_was_cut_is_not_cut_with_two_signs() -> None:
    cut_once = visible("flights and fares of the summer", limit=20)
    assert "…" in cut_once and clip(cut_once, cut_once.index("…") + 2).count("…") == 1


@given(any_text, st.integers(1, 40))
def test_wrapped_lines_fit_and_lose_nothing_but_blanks(text: str, cells: int) -> None:
    shown = show(text, keep_newlines=True)
    lines = wrap(text, cells)
    assert lines
    covered = ""
    before = 0
    for start, end in lines:
        assert before <= start <= end
        assert text[before:start].strip() == "" or visible(text[before:start]).replace("␊", "").strip() == ""
        part = shown.part(start, end)
        assert "\n" not in part
        widths = [cell_width(shown.part(i, i + 1)) for i in range(start, end)]
        assert sum(widths) <= cells or sum(1 for w in widths if w) == 1
        covered += text[start:end]
        before = end
    assert visible(text[before:]).replace("␊", "").strip() == ""
    assert "".join(covered.split()) == "".join(text.split())


@given(st.text("ab -/", max_size=40), st.integers(1, 12))
def test_plain_text_breaks_where_any_text_does(text: str, cells: int) -> None:
    pieces = [(1, char == " ", char in " -/") for char in text]
    assert list(_wrap_plain(text, cells)) == list(_wrap_pieces(pieces, cells))


def test_wrapping_breaks_between_words_and_keeps_offsets() -> None:
    text = "the quick\tbrown fox\njumps  over 先检查网络状态 x"
    lines = wrap(text, 10)
    assert [text[a:b] for a, b in lines] == [
        "the quick",
        "brown fox",
        "jumps",
        "over 先检",
        "查网络状态",
        "x",
    ]
    assert wrap("", 5) == [(0, 0)]
    assert wrap("a\n", 5) == [(0, 1), (2, 2)]
    assert wrap("  indented", 20) == [(0, 10)]
    assert wrap("abcdefgh", 3) == [(0, 3), (3, 6), (6, 8)]


def test_what_is_shown_for_what() -> None:
    assert visible("\x1b[31m") == "␛[31m"
    assert visible("a\u202eb") == "a⟨U+202E⟩b"
    assert visible("\x00\x7f\x9b") == "␀␡⟨U+009B⟩"
    assert visible("a\tb\nc") == "a    b␊c"
    assert visible("a\r\nb\rc", keep_newlines=True) == "a\nb␍c"
    assert visible("\ud800") == "⟨U+D800⟩"
    assert visible("e" + "\u0301" * 10 + "x") == "e" + "\u0301" * 4 + "⟨+6 marks⟩x"
    assert visible("\u0301") == "◌\u0301"
    assert visible("❤\ufe0f a\ufe0f") == "❤ a⟨U+FE0F⟩"
    assert visible("👍🏽 x🏽") == "👍🏽 x⟨U+1F3FD⟩"
    assert visible("x" * 30, limit=20) == "x" * 19 + "…"
    assert visible("x" * 120, limit=100) == "x" * 89 + "… (31 more)"
    assert visible("Grüße, 先检查 naïve “x”") == "Grüße, 先检查 naïve “x”"


def test_spans_of_the_original_find_their_words() -> None:
    text = "a\x1b\u202eword"
    shown = show(text)
    start, end = shown.span(text.index("word"), len(text))
    assert shown.text[start:end] == "word"


@pytest.mark.parametrize("every", [11, *nightly(1)])
def test_every_code_point_is_as_wide_as_the_screen_thinks(every: int) -> None:
    """Behind the first blocks one in many; of the planes that hold no letters of today, one in more."""
    wrong = []
    for code in (*range(0x20, 0x3100), *range(0x3100, 0x20000, every), *range(0x20000, 0x110000, every**2)):
        glyph = visible(chr(code))
        if len(glyph) < 3 and cell_width(glyph) != cell_len(glyph):  # the longer ones are ASCII in brackets
            wrong.append(f"U+{code:04X}")
    assert wrong == []
    assert char_width("字") == 2


@given(any_text)
def test_texts_are_as_wide_as_the_screen_thinks(text: str) -> None:
    assert cell_width(visible(text)) == cell_len(visible(text))


@each("text", HOSTILE)
def test_rich_and_textual_show_the_text_and_nothing_else(text: str) -> None:
    content = Content(visible(text))
    assert content.plain == visible(text) and not content.spans
    console = Console(width=200, color_system=None, legacy_windows=False)
    with console.capture() as capture:
        console.print(Text(visible(text, limit=100), end=""), soft_wrap=True)
    assert offences(capture.get().rstrip("\n")) == []


def test_the_pure_part_needs_neither_rich_nor_textual() -> None:
    code = "import sys, planscope.safe; print([m for m in ('rich', 'textual') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_invisible_though_its_category_is_not_is_named() -> None:
    """Both ends of each range, the fillers, and their visible neighbours."""
    hidden = (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180F, 0x2800, 0x3164, 0xFE00,
              0xFE0F, 0xFFA0, 0x1F3FB, 0x1F3FF,
              0xE0100, 0xE01EF, 0x1F, 0x7F, 0xAD, 0x200B, 0xE000)  # fmt: skip
    assert [
        f"{code:04X}" for code in hidden if code >= 0x80 and visible(chr(code)) != f"⟨U+{code:04X}⟩"
    ] == []
    assert (visible("\x1f"), visible("\x7f"), visible("\x20")) == ("␟", "␡", " ")
    for code in (0x115E, 0x17B3, 0x180A, 0x2801, 0x3163, 0x3165, 0xFE10, 0xFFA1, 0x1F3FA, 0x1F400, 0x3000):
        assert visible(chr(code)) == chr(code), f"{code:04X}"
    for code in (0x0350, 0x17B6, 0x1161, 0x11FF, 0xD7B0):  # marks, which have a carrier when they come first
        assert visible("a" + chr(code)) == "a" + chr(code), f"{code:04X}"


def test_marks_tones_and_looks_after_a_character() -> None:
    accent = "\u0301"
    assert visible("e" + accent * MAX_MARKS) == "e" + accent * MAX_MARKS
    assert visible("e" + accent * (MAX_MARKS + 2)) == "e" + accent * MAX_MARKS + "⟨+2 marks⟩"
    assert visible(accent + accent) == "◌" + accent + accent and visible(" " + accent) == " ◌" + accent
    assert (
        visible("\u261d\U0001f3fd") == "\u261d\U0001f3fd" and visible("\u261c\U0001f3fd") == "\u261c⟨U+1F3FD⟩"
    )
    assert (
        visible("\u270d\U0001f3fd") == "\u270d\U0001f3fd" and visible("\u270e\U0001f3fd") == "\u270e⟨U+1F3FD⟩"
    )
    assert (
        visible("\U0001f385\U0001f3fd") == "\U0001f385\U0001f3fd" and visible("a\U0001f3fd") == "a⟨U+1F3FD⟩"
    )
    assert visible("\u2764\ufe0f") == "\u2764" and visible("a\ufe0f") == "a⟨U+FE0F⟩"
    assert visible("1\ufe0f\u20e3") == "1\u20e3" and visible("1\ufe0fx") == "1⟨U+FE0F⟩x"


def test_a_cut_text_says_how_much_is_left_out() -> None:
    shown = show("x" * 120, limit=100)
    assert (shown.text, shown.left_out, shown.at(99)) == ("x" * 89 + "… (31 more)", 31, 89)
    shown = show("abcdefghijklmnopqrst", limit=15)
    assert (shown.text, shown.left_out, shown.at(99)) == ("abcdefghijklmn…", 6, 14)
    assert [visible("abc", limit=n) for n in (0, 1, 2, 3)] == ["", "…", "a…", "abc"]
    assert (show("a\tb").span(1, 2), show("a\tb").part(1, 2), show("a\tb").at(-5)) == ((1, 5), "    ", 0)


def test_widths_of_symbols_that_became_wide() -> None:
    wide = (0x2630, 0x2637, 0x268A, 0x268F, 0x4DC0, 0x4DFF, 0x1D300, 0x1D356, 0x3042)
    assert [char_width(chr(code)) for code in wide] == [2] * len(wide)
    assert [char_width(chr(code)) for code in (0x262F, 0x2638, 0x2689, 0x2690, 0x61)] == [1] * 5
    assert [char_width(chr(code)) for code in (0x0301, 0x1F3FB, 0x1F3FF)] == [0] * 3
    assert (clip("abcdef", 4), clip("ab cdef", 4), clip("あいう", 4), clip("abcd", 4), clip("a", 0)) == (
        "abc…",
        "ab…",
        "あ…",
        "abcd",
        "",
    )


def test_wide_blanks_at_the_end_of_a_line_count_double() -> None:
    assert wrap("ab\u3000\u3000", 4) == [(0, 3)] and wrap("ab\u3000\u3000", 6) == [(0, 4)]
    assert wrap("é  ", 2) == [(0, 2)] and wrap("é", 1) == [(0, 1)]


def test_lines_that_are_empty_or_end_in_a_newline() -> None:
    assert wrap("\nab", 5) == [(0, 0), (1, 3)] and wrap("\n", 5) == [(0, 0), (1, 1)]
    assert wrap("a\n\nb\n", 5) == [(0, 1), (2, 2), (3, 4), (5, 5)]
    assert wrap("a\r\nb", 5) == [(0, 1), (3, 4)] and wrap("\r\n", 5) == [(0, 0), (2, 2)]
    assert wrap("ab", 0) == wrap("ab", 1) == [(0, 1), (1, 2)]
