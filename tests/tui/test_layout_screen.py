"""Panes made larger and smaller, hidden and shown, by keys, mouse and palette; and what is remembered of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planscope.oracle.trace import Said, ToolCall, Trace
from planscope.rules.in_session import add_rules
from planscope.session.locations import bundled
from planscope.session.traces import session_of
from planscope.tui.arrangement import ALL_PANES, FIRST
from planscope.tui.settings import config_file, state_file
from tests.tui import sessions
from tests.tui.screen import Driven, opened, rows

KEYS = '[keys]\npreset = "all"\n'
"""A config file that a test writes still gives every action its key."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return sessions.write(sessions.figure_10(), tmp_path)


def size_of(driven: Driven, pane: str) -> tuple[int, int]:
    size = driven.screen.query_one(f"#{pane}").size
    return size.width, size.height


def shown(driven: Driven) -> set[str]:
    """The panes whose titles are on the screen."""
    titles = {name: f"─ {i} {name.capitalize()} " for i, name in enumerate(ALL_PANES, 1)}
    titles["inspector"] = "─ Inspector "
    text = driven.text
    return {name for name, title in titles.items() if title in text}


def frames_match(driven: Driven) -> bool:
    """Every pane has one line above it, and one at its left if another pane is there; none has more."""
    text, places = rows(driven.app), driven.screen.places
    free = driven.screen.bars["notice"].region.y if "notice" in places else len(text)
    for name in shown(driven):
        x, y, _, height = places[name]
        if not text[y][x:].startswith("┬─" if x else "─"):
            return False
        if x and any(text[row][x] != "│" for row in range(y + 1, min(y + height, free))):
            return False
    return "││" not in driven.text


async def test_keys_make_panes_wider_and_higher(path: Path) -> None:
    async with opened(path) as driven:
        before = {pane: size_of(driven, pane) for pane in ALL_PANES}
        await driven.press("2", "greater_than_sign", "greater_than_sign")
        assert size_of(driven, "tree")[0] == before["tree"][0] + 4
        assert size_of(driven, "constraints")[0] == before["constraints"][0] - 4
        assert size_of(driven, "query") == before["query"]
        await driven.press("less_than_sign", "right_curly_bracket")
        assert size_of(driven, "tree") == (before["tree"][0] + 2, before["tree"][1] + 1)
        assert size_of(driven, "timeline")[1] == before["timeline"][1] - 1
        await driven.press("left_curly_bracket", "left_curly_bracket")
        assert size_of(driven, "tree")[1] == before["tree"][1] - 1
        await driven.press("equals_sign")
        assert {pane: size_of(driven, pane) for pane in ALL_PANES} == before


async def test_a_border_is_dragged(path: Path) -> None:
    async with opened(path) as driven:
        query = size_of(driven, "query")
        pilot = driven.pilot
        await pilot.mouse_down(offset=(query[0] - 1, 5))
        await pilot.hover(offset=(query[0] + 3, 6))
        await pilot.hover(offset=(query[0] + 9, 6))
        await pilot.mouse_up(offset=(query[0] + 9, 6))
        assert size_of(driven, "query")[0] == query[0] + 10
        assert driven.state.pane == "timeline"
        await pilot.hover(offset=(5, 6))
        assert size_of(driven, "query")[0] == query[0] + 10
        timeline = driven.screen.query_one("#timeline").region
        await pilot.mouse_down(offset=(3, timeline.y))
        await pilot.hover(offset=(3, timeline.y - 4))
        await pilot.mouse_up(offset=(3, timeline.y - 4))
        assert driven.screen.query_one("#timeline").region.y == timeline.y - 4
        assert frames_match(driven)
        await pilot.click(offset=(3, timeline.y - 4))
        assert driven.state.pane == "timeline"


async def test_panes_are_hidden_and_their_digits_show_them_again(path: Path) -> None:
    async with opened(path) as driven:
        await driven.press("2", "underscore")
        assert shown(driven) == {*ALL_PANES} - {"tree"} and frames_match(driven)
        assert driven.state.pane == "constraints"
        assert "tree hidden: 2 shows it again" in driven.text
        await driven.press("underscore", "1", "underscore")
        assert shown(driven) == {"timeline", "step"}
        await driven.press("tab", "tab", "tab")
        assert driven.state.pane == "step"
        await driven.press("underscore", "underscore")
        assert shown(driven) == {"timeline"} and "the last pane cannot be hidden" in driven.text
        await driven.press("3")
        assert shown(driven) == {"constraints", "timeline"}
        await driven.press("equals_sign")
        assert shown(driven) == {*ALL_PANES}


async def test_the_inspector_is_hidden_by_its_key(path: Path) -> None:
    async with opened(path, (200, 60)) as driven:
        assert "inspector" in shown(driven)
        await driven.press("I")
        assert shown(driven) == {*ALL_PANES} and frames_match(driven)
        await driven.press("I")
        assert "inspector" in shown(driven)
        await driven.pilot.resize_terminal(120, 40)
        await driven.press("I")
        assert "the inspector needs a window" in driven.text


async def test_the_palette_hides_and_shows_panes(path: Path) -> None:
    async with opened(path) as driven:
        await driven.press("ctrl+p")
        await driven.find("hide the tree")
        await driven.press("enter")
        await driven.until(lambda: shown(driven) == {*ALL_PANES} - {"tree"})
        await driven.until(lambda: driven.app.screen is driven.screen)
        await driven.press("ctrl+p")
        await driven.find("show the tree")
        await driven.press("enter")
        await driven.until(lambda: shown(driven) == {*ALL_PANES})


async def test_arrangements_are_remembered_for_each_kind_of_window(path: Path) -> None:
    config = config_file().read_text()
    async with opened(path) as driven:
        await driven.press("2", "underscore", "1", "greater_than_sign")
        width = size_of(driven, "query")[0]
        await driven.pilot.resize_terminal(80, 24)
        await driven.press("4", "right_curly_bracket")
        height = size_of(driven, "timeline")[1]
    assert config_file().read_text() == config
    kept = json.loads(state_file().read_text())
    assert kept["chosen"]["layout.wide.hide"] == {"value": ["tree"], "instead_of": []}
    async with opened(path) as driven:
        assert shown(driven) == {*ALL_PANES} - {"tree"} and size_of(driven, "query")[0] == width
        await driven.pilot.resize_terminal(80, 24)
        await driven.pilot.pause()
        assert size_of(driven, "timeline")[1] == height
        await driven.pilot.resize_terminal(120, 40)
        await driven.press("equals_sign")
    async with opened(path, (80, 24)) as driven:
        assert size_of(driven, "timeline")[1] == height
        await driven.press("equals_sign")
    assert json.loads(state_file().read_text())["chosen"] == {}


async def test_the_config_file_arranges_the_panes_until_something_else_is_chosen(path: Path) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(f'{KEYS}[layout.wide]\nupper = [2, 1, 1]\nhide = ["step"]\n', encoding="utf-8")
    async with opened(path) as driven:
        assert size_of(driven, "query")[0] == 60
        assert shown(driven) == {*ALL_PANES} - {"step"}
        await driven.press("5")
    async with opened(path) as driven:
        assert shown(driven) == {*ALL_PANES}
        await driven.press("equals_sign")
        assert shown(driven) == {*ALL_PANES} - {"step"}
        await driven.press("5")
    config_file().write_text(f'{KEYS}[layout.wide]\nhide = ["query"]\n', encoding="utf-8")
    async with opened(path) as driven:
        assert shown(driven) == {*ALL_PANES} - {"query"}, "a changed line counts again"


async def test_the_first_frame_has_the_same_panes(path: Path) -> None:
    from planscope.tui.app import PlanscopeApp
    from planscope.tui.opening.first_frame import FirstFrame

    async with opened(path) as driven:
        await driven.press("2", "underscore", "4", "greater_than_sign", "right_curly_bracket")

    class Held(PlanscopeApp):
        def _open(self) -> None:
            pass

    def corners(lines: list[str]) -> list[tuple[int, int]]:
        return [
            (y, x)
            for y, row in enumerate(lines)
            for x, c in enumerate(row)
            if c == "┬" or row.startswith("─ ")
        ]

    app = Held(path)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, FirstFrame)
        first = corners(rows(app))
    async with opened(path) as driven:
        assert corners(rows(driven.app)) == first


async def test_steps_lay_nothing_out_anew(path: Path) -> None:
    """A pane gets rows when a step first needs them. Once all steps were seen, nothing but changed rows is painted."""
    async with opened(path) as driven:
        await driven.press("g", "n", "n", "n", "n", "f")
        places = driven.screen.places
        await driven.press("n", "N", "s", "f", "g", "tab", "1", "2", "x", "escape")
        assert driven.screen.places is places
    assert FIRST["wide"].hidden == frozenset()


async def test_the_timeline_keeps_eight_rows_beside_rules_and_a_long_answer(tmp_path: Path) -> None:
    items: list[Said | ToolCall] = [Said("user", "Refund order 7. " * 80)]
    for n in range(12):
        call = ToolCall("look_up", {"order": n}, answer="word " * 400, answered=True)
        items += [Said("model", "I look it up, since I do not know it. " * 40), call]
    session = session_of([Trace(items, id="t")])
    add_rules(session, "look_up happens at most 20 times.")
    async with opened(sessions.write(session, tmp_path), (80, 24)) as driven:
        await driven.press("n")
        places = driven.screen.places
        assert places["timeline"].height >= 8 and places["step"].height >= 8


async def test_that_there_is_more_to_read_goes_before_what_a_step_cost() -> None:
    async with opened(bundled()["first-look"], (120, 40)) as driven:
        title = next(row for row in rows(driven.app) if "5 Step 2" in row)
        assert title.endswith("● lost · 1 to 20 of 21 ─") and "tokens" not in title
