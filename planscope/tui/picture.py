"""Draws the debug screen as SVG without a terminal, for ``planscope export --format svg`` and the README."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from planscope.errors import UserError
from planscope.session.files import write_atomic
from planscope.tui.app import Asked, PlanscopeApp, check_step
from planscope.tui.settings import ScreenSettings
from planscope.tui.style.lines import shown

if TYPE_CHECKING:
    from planscope.session.model import Run, Session
    from planscope.sharing.redact import Redaction

_FONT = re.compile(r"@font-face\s*\{[^}]*\}\s*")
LONGEST_WAIT = 60.0
"""Seconds to wait for the judge. After that the picture is drawn without a verdict."""


async def export_svg(
    session_path: Path,
    size: tuple[int, int] = (120, 40),
    theme: str | None = None,
    run: str | None = None,
    step: str | None = None,
) -> str:
    """Return the debug screen as SVG. ``size``: columns and rows. Raises ``UserError`` if there is no such run or
    step."""
    if step is not None:
        check_step(session_path, run, step)
    app = PlanscopeApp(session_path, Asked(run, step, theme), settings=ScreenSettings.plain(), keep=False)
    async with app.run_test(size=size) as pilot:
        waited = 0.0
        while (app.screen_of_session is None or not app.screen_of_session.at_rest) and waited < LONGEST_WAIT:
            await pilot.pause(0.05)
            waited += 0.05
        screen = app.screen_of_session
        assert screen is not None
        if screen.view.progress == "failed":
            raise UserError(screen.view.trouble)
        for pane in screen.panes:
            pane.settle()
        await pilot.pause()
        title = shown(app.summary.title or "session", 60)
        return without_fonts(app.export_screenshot(title=f"planscope: {title}", simplify=True))


def shared_svg(
    session: Session,
    run: Run | None,
    redaction: Redaction | None,
    *,
    size: tuple[int, int],
    theme: str,
    step: str | None = None,
) -> str:
    """Return the debug screen on a run, redacted, as SVG. Blocks; for a thread that runs no event loop.

    The picture is drawn from a redacted copy of the session. If ``redaction`` is None, nothing is redacted. Raises
    ``UserError`` and ``RedactionError``.
    """
    from planscope.session.store import dumps

    place = session.runs.index(run) if run is not None else None
    check = None
    if redaction is not None:
        from planscope.sharing.redact import redacted

        safe = redacted(session, redaction)
        session, check = safe.session, safe.check
    with TemporaryDirectory(prefix="planscope-") as folder:
        path = Path(folder) / "session.planscope.json"
        write_atomic(path, dumps(session))
        id = session.runs[place].id if place is not None else None
        picture = asyncio.run(export_svg(path, size=size, theme=theme, run=id, step=step))
    if check is not None:
        check(picture)
    return picture


def without_fonts(svg: str) -> str:
    """Remove the fonts that a viewer would load from the network."""
    return _FONT.sub("", svg)
