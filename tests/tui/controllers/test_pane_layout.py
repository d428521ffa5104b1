"""Panes are grown, hidden, zoomed and turned to: what is displayed, what is announced, what is refused and why."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.tui.arrangement import ALL_PANES, FIRST, HIDEABLE, SMALLEST, UPPER, Arrangement
from planscope.tui.controllers.pane_layout import PaneLayout
from planscope.tui.messages import Arranged
from tests.tui.controllers.at_once import Posted

NARROW, WIDE, BROAD = (80, 24), (120, 40), (200, 60)
LOWER_PANES = {"timeline", "step"}


def layout(size: tuple[int, int] = WIDE) -> tuple[PaneLayout, Posted]:
    posted = Posted()
    made = PaneLayout(post=posted)
    made.fit(*size)
    return made, posted


def panes(made: PaneLayout) -> set[str]:
    """The panes that have a place."""
    return set(made.places()) - {"header", "footer"}


def announced(posted: Posted) -> list[tuple[str, Arrangement | None]]:
    return [(message.kind, message.arrangement) for message in posted.of(Arranged)]


@pytest.mark.parametrize(
    ("size", "kind", "seen"),
    [
        (NARROW, "narrow", {"query", *LOWER_PANES}),
        (WIDE, "wide", {*ALL_PANES}),
        (BROAD, "broad", {*HIDEABLE}),
    ],
)
def test_each_kind_of_window_has_its_panes(size: tuple[int, int], kind: str, seen: set[str]) -> None:
    made, _ = layout(size)
    assert made.kind == kind and made.seen == seen == panes(made)
    assert made.places()["footer"] == (0, size[1] - 1, size[0], 1)


def test_a_window_too_small_shows_one_thing_and_changes_nothing() -> None:
    made, posted = layout((SMALLEST[0] - 1, SMALLEST[1]))
    assert made.too_small and set(made.places()) == {"too-small"}
    assert made.grow(across=True, by=2) == "" and not made.drag((5, 5), (9, 9))
    made.fit(*SMALLEST)
    assert not made.too_small and not posted


def test_a_pane_is_grown_and_its_neighbour_gives() -> None:
    made, posted = layout()
    made.turn_to("tree")
    before = made.places()
    assert made.grow(across=True, by=4) == "" and made.grow(across=False, by=1) == ""
    after = made.places()
    assert after["tree"].width == before["tree"].width + 4
    assert after["constraints"].width == before["constraints"].width - 4
    assert after["tree"].height == before["tree"].height + 1
    assert announced(posted)[-1] == ("wide", made.arrangement) and len(posted) == 2


def test_what_cannot_grow_says_why_and_announces_nothing() -> None:
    made, posted = layout()
    while not (why := made.grow(across=True, by=30)):
        posted.clear()
    assert why == "there is no more room"
    while not (why := made.grow(across=True, by=-30)):
        posted.clear()
    assert why == "this pane cannot be smaller"
    made.zoom(True)
    assert "fills the screen" in made.grow(across=True, by=1) and not made.drag((0, 9), (0, 12))
    assert not posted
    made, posted = layout(NARROW)
    assert made.grow(across=True, by=1) == "no pane beside this one"
    for pane in ("query", "step"):
        made.hide(pane)
    made.hide("tree"), made.hide("constraints")
    posted.clear()
    assert made.grow(across=False, by=1) == "no pane above or below this one" and not posted


def test_the_edge_that_was_taken_hold_of_is_moved_until_it_is_let_go() -> None:
    made, posted = layout()
    query = made.places()["query"]
    start = (query.x + query.width - 1, 5)
    assert made.drag(start, (start[0] + 4, 5)) and made.drag(start, (start[0] + 10, 9))
    assert made.places()["query"].width == query.width + 10
    assert not made.drag(start, (start[0] + 10, 9)), "it is there already"
    made.drop()
    assert not made.drag((5, 5), (9, 9)), "there is no edge"
    assert len(posted) == 2


def test_hidden_panes_give_their_place_and_come_back() -> None:
    made, posted = layout()
    made.turn_to("tree")
    assert made.hide("tree") == "tree hidden: 2 shows it again"
    assert panes(made) == {*ALL_PANES} - {"tree"} and made.pane == "constraints"
    assert ("tree", True) in made.hidden_panes() and ("inspector", False) not in made.hidden_panes()
    made.show("tree")
    assert panes(made) == {*ALL_PANES} and (made.pane, made.top) == ("tree", "tree")
    assert [arrangement.hidden for _, arrangement in announced(posted)] == [{"tree"}, set()]
    made.show("tree")
    assert len(posted) == 2


def test_one_pane_always_stays() -> None:
    made, _ = layout()
    for pane in ALL_PANES[:-1]:
        assert "hidden" in made.hide(pane)
    assert (
        made.hide("step") == "the last pane cannot be hidden"
        and panes(made) == {"step"}
        and made.pane == "step"
    )
    made.next(1)
    assert made.pane == "step"


def test_the_zoom_ends_with_the_pane_that_is_hidden() -> None:
    made, _ = layout()
    made.zoom(True)
    assert panes(made) == {"timeline"}
    made.next(1)
    assert panes(made) == {"step"}
    made.reveal("query")
    assert panes(made) == {"query"}
    made.hide("tree")
    assert made.zoomed
    made.hide("query")
    assert not made.zoomed and made.pane == "constraints"


def test_a_narrow_window_shows_the_upper_pane_that_was_looked_at_last() -> None:
    made, _ = layout(NARROW)
    made.turn_to("constraints")
    made.turn_to("timeline")
    assert panes(made) == {"constraints", *LOWER_PANES}
    made.reveal("tree")
    assert panes(made) == {"tree", *LOWER_PANES} and made.pane == "timeline"
    made.reveal("step")
    assert panes(made) == {"tree", *LOWER_PANES}
    made.hide("tree")
    assert panes(made) == {"query", *LOWER_PANES}


def test_tab_goes_through_what_is_not_hidden() -> None:
    made, _ = layout()
    made.hide("query")
    made.turn_to("tree")
    order = []
    for _ in range(4):
        order.append(made.pane)
        made.next(1)
    assert order == ["tree", "constraints", "timeline", "step"] and made.pane == "tree"
    made.next(-1)
    assert made.pane == "step"


def test_what_could_be_played_takes_the_place_of_the_step_although_it_is_hidden() -> None:
    made, posted = layout()
    made.hide("step")
    posted.clear()
    made.play(True)
    made.turn_to("step")
    assert panes(made) == {*ALL_PANES, "play"} - {"step"}
    assert "cannot be hidden" in made.hide("step") and not posted
    made.next(1)
    made.next(-1)
    assert made.pane == "step"
    made.zoom(True)
    assert panes(made) == {"play"}
    made.zoom(False)
    made.play(False)
    made.turn_to("timeline")
    assert "step" not in panes(made)


def test_the_inspector_comes_and_goes_in_a_broad_window_alone() -> None:
    made, posted = layout()
    assert "needs a window" in made.toggle_inspector() and not posted
    made.fit(*BROAD)
    assert made.toggle_inspector() == "inspector hidden: Ctrl+p Inspector shows it again"
    assert panes(made) == {*ALL_PANES} and ("inspector", True) in made.hidden_panes()
    assert made.toggle_inspector() == "" and panes(made) == {*HIDEABLE} and made.pane == "timeline"


def test_each_kind_of_window_is_arranged_by_itself_and_reset_to_what_is_configured() -> None:
    configured = {**FIRST, "wide": Arrangement((1, 1), hidden=frozenset({"tree"}))}
    posted = Posted()
    made = PaneLayout(FIRST, configured.__getitem__, posted)
    made.fit(*WIDE)
    made.hide("step")
    made.fit(*NARROW)
    assert "step" in panes(made)
    made.fit(*WIDE)
    assert made.reset() == "all panes in their original sizes" and made.arrangement == configured["wide"]
    assert announced(posted)[-1] == ("wide", None) and FIRST["wide"].hidden == frozenset()


ACTS = st.one_of(
    st.tuples(st.just("hide"), st.sampled_from(HIDEABLE)),
    st.tuples(st.just("show"), st.sampled_from(HIDEABLE)),
    st.tuples(st.just("reveal"), st.sampled_from(ALL_PANES)),
    st.tuples(st.just("next"), st.sampled_from([-1, 1])),
    st.tuples(st.just("zoom"), st.booleans()),
    st.tuples(st.just("play"), st.booleans()),
    st.tuples(st.just("fit"), st.integers(1, 220), st.integers(1, 70)),
    st.tuples(st.just("grow"), st.booleans(), st.integers(-40, 40)),
    st.tuples(st.just("drag"), *[st.integers(0, 220)] * 4),
    st.tuples(st.just("toggle_inspector")),
    st.tuples(st.just("reset")),
)


@given(st.lists(ACTS, max_size=30))
def test_whatever_is_done_the_current_pane_is_seen_and_panes_fill_the_window(acts: list[tuple]) -> None:
    made, _ = layout()
    for name, *given_ in acts:
        if name == "grow":
            made.grow(across=given_[0], by=given_[1])
        elif name == "drag":
            made.drag((given_[0], given_[1]), (given_[2], given_[3]))
        else:
            getattr(made, name)(*given_)
        if made.too_small:
            continue
        places = made.places()
        shown = {"step" if pane == "play" else pane: places[pane] for pane in panes(made)}
        assert made.pane in shown
        assert sum(rect.width * rect.height for rect in shown.values()) == made.columns * (made.rows - 2)
        for a, b in combinations(shown.values(), 2):
            apart = a.x + a.width <= b.x or b.x + b.width <= a.x
            assert apart or a.y + a.height <= b.y or b.y + b.height <= a.y
        assert made.kind != "narrow" or len(set(shown) & set(UPPER)) <= 1
