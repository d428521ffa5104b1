"""Where the code points of a text stand: each on exactly one line, and the caret finds its way there and back."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planscope.safe.glyphs import is_mark
from planscope.tui.panes.text_editor import TextLayout, places
from planscope.tui.screens.edit.lines import moved_spans
from tests.hostile import HOSTILE

PIECES = st.sampled_from(
    ["a", "bb ", "  ", "\n", "字", "\u0301", "é", "\t", "x" * 9, "\u202e", " ", "👍🏽", "\r"]
)
TEXTS = st.lists(PIECES, max_size=50).map("".join)


def check(text: str, width: int) -> None:
    layout = TextLayout(text, width)
    edges = [*layout.starts, len(text)]
    assert edges[0] == 0 and layout.starts == sorted(set(layout.starts))
    assert "".join(text[a:b] for a, b in pairwise(edges)) == text
    for line in range(len(layout)):
        start, end = layout.span(line)
        cells = places(text[start:end])
        body = text[start:end].rstrip(" \t")
        whole = len(set(cells[: len(body) + 1])) <= 2 or all(
            map(is_mark, body[1:])
        )  # one letter, with its marks
        assert cells[len(body)] <= width or whole
    for at in range(0, len(text) + 1, max(len(text) // 60, 1)):
        line = layout.line_of(at)
        start, end = layout.span(line)
        assert start <= at <= end
        column = layout.column(at)
        assert 0 <= column <= width
        back = layout.offset_at(line, column)
        cells = places(text[start:end])
        if cells[at - start] <= width and at <= layout.last_caret(line):
            assert cells[back - start] == cells[at - start]


@example("👍🏽a", 1)
@given(TEXTS, st.integers(1, 20))
def test_every_code_point_has_its_place(text: str, width: int) -> None:
    check(text, width)


@pytest.mark.parametrize("width", [1, 7, 60])
def test_hostile_texts_too(width: int) -> None:
    for text in HOSTILE:
        check(text[:3000], width)


def test_words_are_kept_whole_and_blanks_hang() -> None:
    layout = TextLayout("one two   three\n\nfour", 7)
    assert [layout.text[slice(*layout.span(i))] for i in range(len(layout))] == [
        "one two   ",
        "three",
        "",
        "four",
    ]
    assert [layout.line_of(at) for at in (9, 10, 15, 16, 17)] == [0, 1, 1, 2, 3]
    assert layout.last_caret(0) == 9 and layout.last_caret(1) == 15


@given(TEXTS, TEXTS, TEXTS, st.integers(0, 30), st.integers(0, 30))
def test_marks_move_along_with_what_is_typed_before_them(
    head: str, tail: str, new: str, at: int, size: int
) -> None:
    old = head + tail
    span = (min(at, len(old)), min(at + size, len(old)))
    for (a, b), role in [(span, "lit")]:
        for start, end, _ in moved_spans([((a, b), role)], old, head + new + tail):
            assert (head + new + tail)[start:end] == old[a:b]
