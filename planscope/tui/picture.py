"""A picture of the screen without a terminal, for ``planscope export --format svg`` and the README."""

from __future__ import annotations

import re
from pathlib import Path

from planscope.errors import UserError
from planscope.tui.app import check_step
from planscope.tui.application import PlanscopeApp
from planscope.tui.settings import ScreenSettings

_FONT = re.compile(r"@font-face\s*\{[^}]*\}\s*")
PATIENCE = 60.0
"""Seconds after which a picture is taken although the run is not judged yet."""


async def export_svg(
    session_path: Path,
    size: tuple[int, int] = (120, 40),
    theme: str | None = None,
    run: str | None = None,
    step: str | None = None,
) -> str:
    """The debug screen as SVG, ``size`` in columns and rows. Raises ``UserError`` for what is not there."""
    if step is not None:
        check_step(session_path, run, step)
    app = PlanscopeApp(
        session_path, run=run, step=step, theme=theme, settings=ScreenSettings.plain(), keep=False
    )
    async with app.run_test(size=size) as pilot:
        waited = 0.0
        while (app.room is None or not app.room.at_rest) and waited < PATIENCE:
            await pilot.pause(0.05)
            waited += 0.05
        room = app.room
        assert room is not None
        if room.state.progress == "failed":
            raise UserError(room.state.trouble)
        for pane in room.panes:
            pane.settle()
        await pilot.pause()
        return without_fonts(app.export_screenshot(title=f"planscope: {app.shown_title}", simplify=True))


def without_fonts(svg: str) -> str:
    """The picture without the fonts that it would have a viewer fetch from the network."""
    return _FONT.sub("", svg)
