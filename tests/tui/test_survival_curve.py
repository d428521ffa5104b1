"""The survival curve in the timeline's frame: it is clicked and dragged like a slider."""

from __future__ import annotations

from planscope.session.locations import bundled
from planscope.tui.panes.timeline import TimelinePane
from tests.tui.screen import opened


async def test_a_click_or_a_drag_on_the_curve_goes_to_the_step() -> None:
    async with opened(bundled()["first-look"], (120, 40)) as driven:
        pane = driven.screen.query_one(TimelinePane)
        row = pane.cells[1] - 1
        assert "orders left ████▅▅▅▅✗" in driven.text
        places = {
            pane.step_under(x, row): x for x in range(pane.cells[0]) if pane.step_under(x, row) is not None
        }
        assert sorted(places, key=str) == [0, 1, 2, 3, 4, 5, 6]
        size = driven.screen.places["timeline"]
        await driven.pilot.mouse_down(pane, offset=(places[4], row))
        await driven.answered()
        assert driven.state.debug.index == 4
        await driven.pilot.hover(pane, offset=(places[1], row - 3))
        await driven.answered()
        assert driven.state.debug.index == 1
        await driven.pilot.hover(pane, offset=(pane.cells[0] - 2, row))
        await driven.answered()
        assert driven.state.debug.index == 6
        await driven.pilot.mouse_up(pane, offset=(pane.cells[0] - 2, row))
        await driven.pilot.hover(pane, offset=(places[0], row))
        await driven.answered()
        assert driven.state.debug.index == 6 and driven.screen.places["timeline"] == size
