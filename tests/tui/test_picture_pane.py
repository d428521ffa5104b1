"""The plan as a picture: it moves with the steps, and selecting in it selects everywhere."""

from __future__ import annotations

from pathlib import Path

from planscope.debugger.selection import SelectedAction, SelectedConstraint
from planscope.session.locations import bundled
from planscope.session.model import CallEvent
from planscope.tui.panes.agents import AgentsPane
from planscope.tui.panes.picture import PicturePane
from tests.tui import sessions
from tests.tui.screen import opened, rows


async def test_the_order_moves_with_the_steps_and_is_linked() -> None:
    async with opened(bundled()["first-look"], (120, 40)) as driven:
        await driven.press("V", "g")
        assert "→ replica procurement" in driven.text and "→ docent training" in driven.text
        assert "━" not in driven.text
        await driven.press("n")
        assert "✓ replica procurement" in driven.text and "○ school tour guidance" in driven.text
        await driven.press("n")
        assert "┏━━✗ docent training" in driven.text and "┻━━✗ school tour guidance" in driven.text
        await driven.press("down")
        assert driven.state.focus == SelectedAction("a2")
        assert driven.state.lit.constraints == {"c3", "c7"} and driven.state.lit.steps == {4}
        marked = [row.split("│")[1] for row in rows(driven.app) if "│ ▶" in row]
        assert ["school tour" in row for row in marked] == [True, False]  # the current step keeps its mark
        pane = driven.screen.query_one(PicturePane)
        at = next(i for i, row in enumerate(rows(driven.app)) if "✗ docent training" in row) - 1
        await driven.pilot.click(pane, offset=(8, at))
        await driven.answered()
        assert driven.state.focus == SelectedConstraint("c2")
        assert "implied, not drawn" in driven.text


async def test_hours_fit_a_narrow_pane_and_a_wide_one() -> None:
    for size, wanted in (((120, 40), "12:00-13:00"), ((200, 60), "██")):
        async with opened(bundled()["first-look"], size) as driven:
            await driven.press("V", "V")
            assert "2 Hours" in driven.text and wanted in driven.text and "no hours left" in driven.text


async def test_a_query_that_cannot_be_read_has_no_picture(tmp_path: Path) -> None:
    async with opened(sessions.write(sessions.unreadable(), tmp_path)) as driven:
        await driven.press("V")
        await driven.sees("there is no plan to draw", "2 Tree")


async def test_lanes_of_agents_move_with_the_steps_and_go_to_calls(tmp_path: Path) -> None:
    made = sessions.variant("Alpha check precedes beta test.", ["alpha check", "beta test", "gamma review"])
    agents = {2: "scout", 3: "writer"}
    events = [
        one.model_copy(update={"agent": agents.get(one.step)}) if isinstance(one, CallEvent) else one
        for one in sessions.events(
            [("alpha_check", {}, "ok"), ("beta_test", {}, "ok"), ("gamma_review", {}, "ok")]
        )
    ]
    path = sessions.write(sessions.session("agents", made, events), tmp_path)
    for size in ((80, 24), (120, 40)):
        async with opened(path, size) as driven:
            await driven.press("V", "V", "g")
            assert "2 Agents" in driven.text and "writer" in driven.text
            await driven.press("down", "down")
            assert driven.state.debug.index == 2 and "▶ scout" in driven.text
            pane = driven.screen.query_one(AgentsPane)
            at = next(i for i, row in enumerate(rows(driven.app)) if "writer" in row) - 1
            await driven.pilot.click(pane, offset=(4, at))
            await driven.answered()
            assert driven.state.debug.index == 3
            await driven.press("V")
            assert "2 Tree" in driven.text


async def test_bars_of_hours_are_beside_the_calls_where_they_fit() -> None:
    for size, keys, fits in (
        ((120, 40), ("f",), False),
        ((120, 40), ("f", "z"), True),
        ((200, 60), ("f",), True),
    ):
        async with opened(bundled()["first-look"], size) as driven:
            await driven.press(*keys)
            here = next(row for row in rows(driven.app) if " ▶   2 ● school_tour" in row)
            assert ("█░" in here) == fits and ("0     6     12    18" in driven.text) == fits


async def test_the_call_that_lost_the_plan_keeps_its_hours_beside_bars(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    for width, words in (
        (94, "10:00-12:00 LOST HERE "),
        (98, "10:00-12:00 LOST HERE "),
        (102, "10:00-12:00 LOST HERE "),
    ):
        async with opened(path, (width, 34)) as driven:
            await driven.press("g", "n", "4")
            await driven.rest()
            row = next(row for row in rows(driven.app) if "training_sessions(10)" in row)
            assert words in row and "█" in row, f"{width}: {row}"
