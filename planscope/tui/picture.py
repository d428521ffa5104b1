"""A picture of the screen without a terminal, for ``planscope export --format svg`` and the README."""

from __future__ import annotations

from pathlib import Path

from planscope.errors import UserError
from planscope.tui.app import PlanscopeApp
from planscope.tui.rooms.opening import Opening

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
    app = PlanscopeApp(session_path, run=run, step=step, theme=theme)
    if theme is not None and app.theme != theme:
        raise UserError(f"no theme '{theme}'; see planscope themes")
    async with app.run_test(size=size) as pilot:
        room = app.screen
        assert isinstance(room, Opening)
        waited = 0.0
        while not room.at_rest and waited < PATIENCE:
            await pilot.pause(0.05)
            waited += 0.05
        if room.state.progress == "failed":
            raise UserError(room.state.trouble)
        for pane in room.panes:
            pane.settle()
        await pilot.pause()
        return app.export_screenshot(title=f"planscope: {app.shown_title}", simplify=True)
