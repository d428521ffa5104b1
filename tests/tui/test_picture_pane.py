"""The plan as a picture: it moves with the steps, and selecting in it selects everywhere."""

from __future__ import annotations

from pathlib import Path

from planscope.debugger.selection import SelectedAction, SelectedConstraint
from planscope.session.locations import bundled
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
        pane = driven.screen.query_one(PicturePane)
        at = next(i for i, row in enumerate(rows(driven.app)) if "✗ docent training" in row) - 1
        await driven.pilot.click(pane, offset=(8, at))
        await driven.answered()
        assert driven.state.focus == SelectedConstraint("c2")
        assert "implied, not drawn" in driven.text


async def test_hours_fit_a_narrow_pane_and_a_wide_one() -> None:
    for size, wanted in (((120, 40), "12:00-13:00 │"), ((200, 60), "██")):
        async with opened(bundled()["first-look"], size) as driven:
            await driven.press("V", "V")
            assert "2 Hours" in driven.text and wanted in driven.text and "no hours left" in driven.text


async def test_a_query_that_cannot_be_read_has_no_picture(tmp_path: Path) -> None:
    async with opened(sessions.write(sessions.unreadable(), tmp_path)) as driven:
        await driven.press("V")
        assert "there is no plan to draw" in driven.text and "2 Tree" in driven.text
