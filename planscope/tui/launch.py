"""Starts the debugger. Textual is imported when ``run`` is called, not before."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.tui.controllers.live_run import RunRequest


def run(
    path: Path | None,
    *,
    run: str | None = None,
    step: str | None = None,
    theme: str | None = None,
    live: RunRequest | None = None,
    in_browser: bool = False,
    campaign: str | None = None,
    notice: str = "",
) -> int:
    """Open the debugger on a session, and return its exit status when it is left.

    ``live``: a run to begin as soon as the session is read. ``in_browser``:
    Textual's web driver is used, and there is no terminal. ``campaign``: the campaign whose screen is shown first.
    ``notice``: what to tell about the session.
    Raises ``UserError`` if there is no terminal, if the session cannot be opened, and if it has no such run or step.
    """
    if not in_browser and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError(
            "the debugger needs a terminal; planscope --help lists the commands that work without one"
        )
    streams = sys.stdout, sys.stderr
    gc.disable()  # imports make no garbage; collecting would take a tenth of the time to the first frame
    try:
        from planscope.tui.app import Asked, PlanscopeApp, check_step
        from planscope.tui.settings import ScreenSettings
        from planscope.tui.style.themes import FEW_COLOURS, few_colours

        if step is not None:
            check_step(path, run, step)
        settings = ScreenSettings()
        if not in_browser and few_colours():
            settings.config.defaults["theme"] = FEW_COLOURS
        app = PlanscopeApp(
            path,
            Asked(run, step, theme, live, campaign, notice),
            settings=settings,
            leaves_unopened=True,
            picture=_picture,
            remembers=not in_browser,
        )
        if path is not None and app.summary.raw is None:
            from planscope.session.store import load

            load(path)  # raises with one line
        sys.setswitchinterval(0.001)  # judging threads yield sooner, so keys are answered sooner
        gc.set_threshold(10_000, 20, 200)  # a full collection takes 0.25 s with a long run
        status = app.run() or 0
        if app.refusal is not None:
            raise UserError(app.refusal)
        if app.parting:
            raise UserError(f"not saved: {app.parting}")
        return status
    finally:
        gc.enable()
        # a picture being drawn in a thread has replaced them, and restores them too late
        sys.stdout, sys.stderr = streams


def _picture(*given: Any, **more: Any) -> str:
    from planscope.tui.picture import shared_svg

    return shared_svg(*given, **more)
