"""Where panes stand, whatever their shares and whatever is hidden: nothing overlaps, nothing is left over."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from planscope.tui.arrangement import (
    ALL_PANES,
    BROAD,
    FIRST,
    HIDEABLE,
    HIGH,
    KINDS,
    LEAST,
    SMALLEST,
    UPPER,
    WIDE,
    Arrangement,
    Kind,
    Panes,
    Rect,
    by_content,
    fitted,
    is_too_small,
    kind_of,
    seen_panes,
    shares,
    top_pane,
)

share = st.integers(1, 100_000)


@st.composite
def windows(draw: st.DrawFn) -> tuple[Kind, Rect]:
    columns = draw(st.integers(SMALLEST[0], 400))
    rows = draw(st.integers(SMALLEST[1], 150))
    return kind_of(columns, rows), Rect(0, 1, columns, rows - 2)


@st.composite
def arrangements(draw: st.DrawFn, kind: Kind) -> Arrangement:
    rows = draw(st.tuples(*[share] * (3 if kind == "narrow" else 2)))
    hidden = draw(st.sets(st.sampled_from(HIDEABLE), max_size=5))
    assume(set(ALL_PANES) - hidden)
    return Arrangement(
        rows,
        draw(st.tuples(share, share, share)),
        draw(st.tuples(share, share)),
        draw(st.tuples(share, share)),
        frozenset(hidden),
    )


@st.composite
def laid_out(draw: st.DrawFn) -> tuple[Kind, Rect, Arrangement, frozenset[str], str]:
    kind, rect = draw(windows())
    arrangement = draw(arrangements(kind))
    current = draw(st.sampled_from(ALL_PANES))
    seen = seen_panes(kind, arrangement, draw(st.sampled_from(UPPER)), current)
    return kind, rect, arrangement, seen, current


def check_tiling(found: dict[str, Rect], inside: Rect) -> None:
    assert sum(r.width * r.height for r in found.values()) == inside.width * inside.height
    for rect in found.values():
        assert inside.x <= rect.x and rect.x + rect.width <= inside.x + inside.width
        assert inside.y <= rect.y and rect.y + rect.height <= inside.y + inside.height
    for one, other in combinations(found.values(), 2):
        beside = one.x + one.width <= other.x or other.x + other.width <= one.x
        below = one.y + one.height <= other.y or other.y + other.height <= one.y
        assert beside or below


@given(laid_out())
def test_what_is_seen_fills_the_window_and_can_be_read(
    made: tuple[Kind, Rect, Arrangement, frozenset[str], str],
) -> None:
    kind, rect, arrangement, seen, current = made
    found = Panes(kind, arrangement, seen, rect).places()
    assert set(found) == seen and current in seen
    check_tiling(found, rect)
    for place in found.values():
        assert place.width >= LEAST[0] and place.height >= LEAST[1]


@given(laid_out(), st.data())
def test_a_boundary_moves_where_it_is_dragged_to_as_far_as_there_is_room(
    made: tuple[Kind, Rect, Arrangement, frozenset[str], str], data: st.DataObject
) -> None:
    kind, rect, arrangement, seen, _ = made
    all_of_them = list(Panes(kind, arrangement, seen, rect).boundaries())
    assume(all_of_them)
    boundary = data.draw(st.sampled_from(all_of_them))
    to = boundary.at + data.draw(st.integers(-300, 300))
    after = Panes(kind, arrangement, seen, rect).moved(boundary, to)
    before, now = (Panes(kind, one, seen, rect).places() for one in (arrangement, after))
    check_tiling(now, rect)
    for place in now.values():
        assert place.width >= LEAST[0] and place.height >= LEAST[1]
    same = next(
        b
        for b in Panes(kind, after, seen, rect).boundaries()
        if (b.split.name, b.number) == (boundary.split.name, boundary.number)
    )
    assert min(boundary.at, to) <= same.at <= max(boundary.at, to)
    assert after.hidden == arrangement.hidden
    if same.at == boundary.at:
        assert now == before
    back = Panes(kind, after, seen, rect).moved(same, boundary.at)
    assert Panes(kind, back, seen, rect).places() == before


@given(laid_out(), st.booleans(), st.sampled_from([-3, -2, -1, 1, 2, 3]))
def test_a_pane_grows_by_what_its_neighbours_give(
    made: tuple[Kind, Rect, Arrangement, frozenset[str], str], across: bool, by: int
) -> None:
    kind, rect, arrangement, seen, pane = made
    after = Panes(kind, arrangement, seen, rect).grown(pane, across=across, by=by)
    before = Panes(kind, arrangement, seen, rect).places()[pane]
    whole = (before.width == rect.width) if across else (before.height == rect.height)
    assert (after is None) == whole
    if after is None:
        return
    found = Panes(kind, after, seen, rect).places()
    check_tiling(found, rect)
    for place in found.values():
        assert place.width >= LEAST[0] and place.height >= LEAST[1]
    now = found[pane]
    change = now.width - before.width if across else now.height - before.height
    assert 0 <= change * (1 if by > 0 else -1) <= abs(by)
    if after == arrangement:
        assert change == 0
    else:
        assert change != 0


@given(windows(), st.data())
def test_sizes_made_in_one_window_are_kept_in_proportion_in_another(
    made: tuple[Kind, Rect], data: st.DataObject
) -> None:
    kind, rect = made
    arrangement = FIRST[kind]
    seen = seen_panes(kind, arrangement, "query", "timeline")
    for _ in range(data.draw(st.integers(1, 5))):
        pane = data.draw(st.sampled_from(ALL_PANES))
        after = Panes(kind, arrangement, seen, rect).grown(
            pane if pane in seen else "step", across=data.draw(st.booleans()), by=2
        )
        arrangement = after or arrangement
    wider = Rect(0, 1, rect.width * 2, rect.height * 2)
    small, large = (Panes(kind, arrangement, seen, one).places() for one in (rect, wider))
    for pane in seen:
        for one, other in ((small[pane].width, large[pane].width), (small[pane].height, large[pane].height)):
            assert abs(other - 2 * one) <= 4


@given(st.integers(0, 500), st.lists(st.tuples(share, st.integers(1, 20)), min_size=1, max_size=6))
def test_a_length_is_divided_to_the_last_cell(total: int, parts: list[tuple[int, int]]) -> None:
    weights, least = [w for w, _ in parts], [n for _, n in parts]
    assert sum(shares(total, weights)) == total
    found = fitted(total, weights, least)
    assert sum(found) == total
    if total >= sum(least):
        assert all(size >= n for size, n in zip(found, least, strict=True))


def test_kinds_of_windows() -> None:
    assert kind_of(WIDE - 1, 200) == "narrow"
    assert kind_of(WIDE, 15) == kind_of(BROAD, HIGH - 1) == kind_of(BROAD - 1, HIGH) == "wide"
    assert kind_of(BROAD, HIGH) == "broad"
    assert is_too_small(59, 40) and is_too_small(80, 14) and not is_too_small(60, 15)


@pytest.mark.parametrize("kind", KINDS)
def test_a_hidden_pane_is_seen_as_long_as_it_is_the_current_one(kind: Kind) -> None:
    arrangement = Arrangement(FIRST[kind].rows, hidden=frozenset({"tree", "step"}))
    assert "step" not in seen_panes(kind, arrangement, "query", "timeline")
    assert "step" in seen_panes(kind, arrangement, "query", "step")
    assert "tree" in seen_panes(kind, arrangement, "query", "tree")


def test_a_narrow_window_shows_another_upper_pane_where_the_wanted_one_is_hidden() -> None:
    assert top_pane(Arrangement((6, 6, 10)), "tree") == "tree"
    assert top_pane(Arrangement((6, 6, 10), hidden=frozenset({"query"})), "query") == "tree"
    hidden = Arrangement((6, 6, 10), hidden=frozenset(UPPER))
    assert top_pane(hidden, "query") is None
    assert seen_panes("narrow", hidden, "query", "step") == {"timeline", "step"}


def test_a_boundary_is_the_two_cells_where_boxes_meet() -> None:
    seen = seen_panes("wide", FIRST["wide"], "query", "timeline")
    rect = Rect(0, 1, 120, 38)
    panes = Panes("wide", FIRST["wide"], seen, rect)
    query = panes.places()["query"]
    for x in (query.width - 1, query.width):
        at = panes.boundary_at(x, 5)
        assert at is not None and (at.split.name, at.number) == ("upper", 0)
    assert panes.boundary_at(query.width + 1, 5) is None
    rows = panes.boundary_at(3, query.height + 1)
    assert rows is not None and rows.split.name == "rows"
    assert panes.boundary_at(0, 5) is None


WANTS = st.dictionaries(st.sampled_from(ALL_PANES), st.integers(1, 200))


@given(windows(), WANTS)
def test_no_pane_has_rows_to_spare_while_another_one_lacks_some(
    made: tuple[Kind, Rect], wants: dict[str, int]
) -> None:
    kind, rect = made
    seen = seen_panes(kind, FIRST[kind], "query", "timeline")
    found = Panes(kind, FIRST[kind], seen, rect, wants).places()
    check_tiling(found, rect)
    assert all(place.height >= LEAST[1] for place in found.values())
    if kind == "narrow" and {"query", "timeline", "step"} <= set(wants):
        spare = [name for name in seen if found[name].height > max(wants[name], LEAST[1])]
        assert not (spare and [name for name in seen if found[name].height < wants[name]])


def test_rows_that_the_user_divided_stay_as_they_are() -> None:
    rect = Rect(0, 1, 80, 22)
    seen = seen_panes("narrow", FIRST["narrow"], "query", "timeline")
    wants = {"query": 4, "timeline": 30, "step": 8}
    by_wants = Panes("narrow", FIRST["narrow"], seen, rect, wants).places()
    assert [by_wants[name].height for name in ("query", "timeline", "step")] == [4, 10, 8]
    mine = Panes("narrow", FIRST["narrow"], seen, rect, wants).grown("query", across=False, by=2)
    assert mine is not None
    after = Panes("narrow", mine, seen, rect, wants).places()
    assert [after[name].height for name in ("query", "timeline", "step")] == [6, 8, 8]


def test_free_rows_go_to_the_smallest_need_first() -> None:
    assert by_content([6, 6, 10], [9, 30, 4]) == [9, 9, 4]
    assert by_content([6, 6, 10], [4, 5, 12]) == [4, 6, 12]
    assert by_content([6, 6, 10], [2, 3, 4]) == [6, 6, 10]
    assert by_content([6, 6, 10], [8, 30, 10]) == [6, 6, 10]
