"""Lines are cut, filled and wrapped by cells, and never exceed them."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from planscope.drawing.tree import guides
from planscope.safe import cell_width, visible
from planscope.tui.style.lines import (
    Line,
    Run,
    cut,
    fitted,
    joined,
    justify,
    labelled,
    paragraph,
    ranges,
    width_of,
)
from planscope.tui.style.painter import GROUNDS, ROLES, Painter

texts = st.text(max_size=60).map(visible)
runs = st.lists(st.builds(Run, texts, st.sampled_from(sorted(ROLES))), max_size=6)


@example([Run("ab"), Run("")], 2)
@given(runs, st.integers(0, 80))
def test_cut_never_exceeds(made: list[Run], width: int) -> None:
    kept = cut(made, width)
    assert width_of(kept) <= width
    if width_of(made) <= width:
        assert "".join(r.text for r in kept) == "".join(r.text for r in made)
    elif width > 0 and any(r.text.strip() for r in made):
        assert kept == () or kept[-1].text.endswith("…") or width_of(kept) <= width


@given(runs, runs, st.integers(0, 80))
def test_justify_never_exceeds(left: list[Run], right: list[Run], width: int) -> None:
    made = justify(left, right, width)
    assert width_of(made) <= width
    if width_of(right) and width_of(left) + width_of(right) + 1 < width:
        assert width_of(made) == width


@given(
    st.lists(st.tuples(st.integers(0, 5), runs.filter(width_of)), min_size=1, max_size=5), st.integers(0, 120)
)
def test_what_matters_least_is_left_out_first(parts: list[tuple[int, list[Run]]], cells: int) -> None:
    kept = fitted(parts, cells)
    assert kept and (width_of(joined(kept)) <= cells or len(kept) == 1)
    if width_of(joined(made for _, made in parts)) <= cells:
        assert kept == [made for _, made in parts]


@given(runs, st.sampled_from(sorted(GROUNDS)), st.integers(1, 80))
def test_a_strip_is_as_wide_as_it_says(made: list[Run], ground: str, width: int) -> None:
    paint = Painter()
    paint.use({"background": "#000000", "foreground": "#ffffff"}, bare=False)
    strip = paint.strip(Line(tuple(made), ground), width)
    assert strip.cell_length == width == sum(cell_width(segment.text) for segment in strip)


@given(st.text(alphabet="ab ,.→“”…xyz\n\t字é", max_size=300), st.integers(1, 40))
def test_a_paragraph_keeps_every_word(text: str, width: int) -> None:
    lines = ["".join(run.text for run in made) for made in paragraph(text, width)]
    assert all(cell_width(line) <= max(width, 4) for line in lines)
    assert "".join("".join(lines).split()) == "".join(visible(text, keep_newlines=True).split())


@given(st.text(alphabet="ab cd.→", max_size=300), st.integers(1, 40))
def test_ranges_lie_in_the_text_in_order(text: str, width: int) -> None:
    last = 0
    for start, end in ranges(text, width):
        assert last <= start <= end <= len(text)
        assert text[last:start].strip() == ""
        last = end
    assert text[last:].strip() == ""


def test_labels_stand_in_the_margin() -> None:
    made = labelled("why", paragraph("one two three", 9), indent=9)
    assert ["".join(run.text for run in line) for line in made] == ["why      one two", "         three"]


def test_guides_join_what_belongs_together() -> None:
    assert guides([0, 1, 2, 2, 1, 2]) == ["", "├ ", "│ ├ ", "│ └ ", "└ ", "  └ "]
    assert guides([]) == [] and guides([0]) == [""]


@given(st.lists(st.integers(0, 4), max_size=30))
def test_guides_have_two_cells_a_level(steps: list[int]) -> None:
    depths = [0]
    for step in steps:
        depths.append(min(depths[-1] + 1, step) or 1)
    made = guides(depths)
    assert [len(guide) for guide in made] == [2 * depth for depth in depths]
