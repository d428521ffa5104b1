"""What is selected in one pane lights up what belongs to it in the others, by mouse and by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from planscope.debugger.selection import SelectedConstraint, SelectedNode, SelectedStep, SelectedWords
from planscope.session.locations import bundled
from planscope.tui.screens.debug import modes, navigate
from tests.tui import sessions
from tests.tui.screen import Driven, opened, rows, styles


def row_of(driven: Driven, words: str) -> int:
    return next(y for y, row in enumerate(rows(driven.app)) if words in row)


def column_of(driven: Driven, words: str) -> int:
    return rows(driven.app)[row_of(driven, words)].index(words)


def marked(driven: Driven, words: str, mark: str = "┃") -> bool:
    """Whether the line with these words has the mark right before its pane's content."""
    row = rows(driven.app)[row_of(driven, words)]
    at = row.index(words)
    return mark in row[max(0, row.rfind("│", 0, at)) : at]


async def click(driven: Driven, words: str, times: int = 1) -> None:
    await driven.pilot.click(offset=(column_of(driven, words), row_of(driven, words)), times=times)
    await driven.pilot.pause()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return sessions.write(sessions.figure_10(), tmp_path)


async def test_a_constraint_lights_words_nodes_and_steps(path: Path) -> None:
    async with opened(path, (120, 50)) as driven:
        await click(driven, "c4  attending training")
        assert driven.state.focus == SelectedConstraint("c4")
        assert driven.state.pane == "constraints"
        assert marked(driven, "c4  attending training", "▶")
        assert marked(driven, "sanitizing_tools(18)")
        assert marked(driven, "a1  sanitizing tools") and marked(driven, "a3  attending")
        assert not marked(driven, "a2  applying")
        text = sessions.FIGURE_10
        words = {text[a:b] for a, b in driven.state.lit.spans}
        assert (
            words == {"attending training sessions", "executed in advance of", "sanitizing tools"}
            or {
                "attending training sessions",
                "sanitizing tools",
            }
            < words
        )
        underlined = "".join(
            part for row in styles(driven.app) for part, style in row if style.underline and part.strip()
        )
        assert "sanitizing" in underlined


async def test_what_is_said_of_a_constraint_below_the_list_selects_nothing() -> None:
    async with opened(bundled()["first-look"], (120, 50)) as driven:
        await driven.press("3", "down")
        chosen = driven.state.focus
        await click(driven, "label writing starts.")
        assert driven.state.focus == chosen


async def test_a_step_lights_its_constraints(path: Path) -> None:
    async with opened(path, (120, 50)) as driven:
        await click(driven, "sanitizing_tools(18)")
        assert driven.state.focus == SelectedStep(3) and driven.state.debug.index == 3
        for constraint in ("c2  applying hair color", "c4  attending training sessions", "c5  sanitizing"):
            assert marked(driven, constraint)
        assert not marked(driven, "c6  attending training")
        assert marked(driven, "a1  sanitizing tools")
        assert "Step 3" in driven.text


async def test_a_tree_node_lights_what_it_says(path: Path) -> None:
    async with opened(path, (200, 60)) as driven:
        await click(driven, "verb follow")
        assert isinstance(driven.state.focus, SelectedNode)
        assert driven.state.lit.constraints == {"c1"}
        assert marked(driven, "c1  attending training sessions starts")
        assert marked(driven, "1 ● attending_training_sessions(10)", "▶")
        assert "Node" in driven.text


async def test_a_word_lights_what_it_says(path: Path) -> None:
    async with opened(path, (200, 60)) as driven:
        await click(driven, "10:00.")
        assert isinstance(driven.state.focus, SelectedWords)
        assert sessions.FIGURE_10[driven.state.focus.span[0] :].startswith("10:00.")
        assert driven.state.lit.constraints == {"c1"}
        assert "Words" in driven.text


async def test_an_action_in_the_list_lights_its_mentions(path: Path) -> None:
    async with opened(path, (120, 50)) as driven:
        await click(driven, "a2  applying")
        assert isinstance(driven.state.focus, SelectedWords)
        assert driven.state.lit.constraints >= {"c2", "c3"}


async def test_nothing_is_lit_twice_in_a_row_of_keys(path: Path) -> None:
    """After any walk the screen looks as if one had gone there at once."""
    async with opened(path, (120, 40)) as driven:
        await driven.press("n", "N", "s", "s", "3", "down", "up", "n", "escape", "4", "g", "n", "n")
        await driven.rest()
        walked = rows(driven.app)
    async with opened(path, (120, 40), step="2") as driven:
        await driven.rest()
        assert rows(driven.app)[:-1] == walked[:-1]


async def test_the_wheel_scrolls_and_a_double_click_zooms(path: Path) -> None:
    async with opened(path, (120, 40)) as driven:
        tree = driven.screen.pane("tree")
        assert tree.top == 0
        await driven.pilot._post_mouse_events([events.MouseScrollDown], "#tree", button=0)
        await driven.pilot.pause()
        assert tree.top == 3
        await click(driven, "before any call   ", times=2)
        assert driven.state.zoomed and driven.state.pane == "timeline"


async def test_a_click_on_a_key_in_the_footer_presses_it(path: Path) -> None:
    async with opened(path, (120, 40)) as driven:
        y = 39
        await driven.pilot.click(offset=(rows(driven.app)[y].index("next"), y))
        await driven.pilot.pause()
        assert driven.state.debug.index == 2


async def test_only_lines_that_changed_are_painted_again(path: Path) -> None:
    async with opened(path, (200, 60)) as driven:
        panes = [pane for pane in driven.screen.panes if pane.seen]
        navigate.go(driven.screen, "previous_check")
        before = {pane.id: list(pane._rows) for pane in panes}
        for pane in panes:
            pane._repaint_regions.clear()
        modes.next_call(driven.screen)
        painted = {pane.id: sorted(region.y for region in pane._repaint_regions) for pane in panes}
        for pane in panes:
            rows_of = zip(before[pane.id], pane._rows, strict=True)
            assert painted[pane.id] == [y for y, (old, new) in enumerate(rows_of) if old != new], pane.id
        assert 10 < sum(map(len, painted.values())) < 80
        assert {pane for pane in panes if painted[pane.id]} <= driven.screen._dirty_widgets


async def test_a_constraint_of_two_lines_is_one_row(path: Path) -> None:
    async with opened(path, (120, 40)) as driven:
        y = row_of(driven, "○  c4  attending training sessions")
        for below, id in ((0, "c4"), (1, "c4"), (2, "c5")):
            await driven.pilot.click(offset=(90, y + below))
            await driven.pilot.pause()
            assert driven.state.focus == SelectedConstraint(id)
        await driven.press("up")
        assert driven.state.focus == SelectedConstraint("c4")
        assert "▶○  c4" in rows(driven.app)[y] and "┃       before" in rows(driven.app)[y + 1]
        await driven.press("down", "down", "down", "down", "down", "down", "down")
        assert driven.state.focus == SelectedConstraint("b5")
        assert "▶○  b5" in driven.text and "c1  attending" in driven.text


async def test_a_click_on_a_tab_or_a_row_of_a_dialog_goes_there() -> None:
    async with opened(bundled()["first-look"]) as driven:
        await driven.press("x")
        await click(driven, "3 What would save it")
        assert driven.app.screen.number == 2
        await driven.until(lambda: len(driven.app.screen.corrections) > 1)
        await driven.pilot.pause()
        await click(driven, f" 2  {driven.app.screen.corrections[1][0]}")
        assert driven.app.screen.at == 1
        await click(driven, "1 Why")
        assert driven.app.screen.number == 0
        await driven.press("escape", "space")
        await click(driven, "What the model was given")
        assert driven.app.screen.number == 1
        at = next(i for i, row in enumerate(driven.app.screen.rows) if row.folds)
        before = len(driven.app.screen.rows)
        line = driven.app.screen.rows[at].line.text.strip()
        await click(driven, line[:20])
        assert driven.app.screen.at == at and len(driven.app.screen.rows) != before


@pytest.mark.parametrize("key,tab", [("L", "3 Bundled"), ("d", "2 Query")])
async def test_a_click_on_a_tab_of_a_screen_shows_it(key: str, tab: str) -> None:
    async with opened(bundled()["first-look"]) as driven:
        await driven.press(key)
        await driven.until(lambda: tab in driven.text)
        await click(driven, tab)
        await driven.rest()
        assert f"▶{tab}" in driven.text
