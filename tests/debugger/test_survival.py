"""The survival curve: every step has its cell, it falls to nothing where the plan is lost, and unknown is said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planscope.debugger.run_index import RunIndex
from planscope.debugger.survival import BLOCKS, LOST, NOTHING, UNKNOWN, WIDEST, counts_left, curve
from tests.debugger.runs import figure_10


def glyphs(counts: list[int | None], doomed: list[int], width: int) -> str:
    return "".join(cell.glyph for cell in curve(counts, doomed, width))


def test_it_falls_to_nothing_at_the_point_of_no_return() -> None:
    assert glyphs([120, 24, 6, 2, 0, 0], [4], 6) == "█▆▄▃✗ "
    assert glyphs([1, 1, 1], [], 3) == "███"
    assert glyphs([2, 0, 0, 2, 1], [1], 5) == "█✗ █▅"


def test_an_unknown_count_is_said() -> None:
    assert glyphs([None, None, 0], [2], 3) == "", "nothing is known that the calls do not say"
    assert glyphs([None, 4], [], 2) == f"{UNKNOWN}█"


def test_counts_are_those_of_the_oracle_once_it_was_asked() -> None:
    run = RunIndex(figure_10())
    assert counts_left(run) == tuple(0 if view.lost else None for view in run.steps)
    asked = [run.valid_completions(index) for index in range(len(run.steps))]
    assert list(counts_left(run)) == asked and asked[0] == 1


def test_a_run_with_a_single_step_has_none() -> None:
    assert curve([4], [], 40) == ()


@given(st.lists(st.none() | st.integers(0, 10**9), min_size=2, max_size=300), st.integers(2, 120), st.data())
def test_every_step_has_a_cell_in_order(counts: list[int | None], width: int, data: st.DataObject) -> None:
    doomed = data.draw(st.lists(st.integers(0, len(counts) - 1), max_size=3))
    cells = curve(counts, doomed, width)
    assert bool(cells) == any(counts)
    if not cells:
        return
    assert len(cells) <= width and len(cells) <= WIDEST * len(counts)
    distinct = list(dict.fromkeys((cell.first, cell.last) for cell in cells))
    assert [i for first, last in distinct for i in range(first, last + 1)] == list(range(len(counts)))
    assert {cell.glyph for cell in cells} <= {*BLOCKS, LOST, NOTHING, UNKNOWN}
    for i in doomed:
        assert any(cell.glyph == LOST and cell.first <= i <= cell.last for cell in cells)
    if width >= len(counts):
        levels = {cell.first: BLOCKS.find(cell.glyph) for cell in cells if cell.glyph in BLOCKS}
        known = sorted((count, levels[i]) for i, count in enumerate(counts) if count and i in levels)
        assert [level for _, level in known] == sorted(level for _, level in known)
