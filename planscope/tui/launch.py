"""How the debugger is entered. Textual is imported when ``run`` is called, and not before."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from planscope.errors import UserError


def run(
    path: Path | None,
    *,
    run: str | None = None,
    step: str | None = None,
    theme: str | None = None,
    live: Mapping[str, Any] | None = None,
    in_browser: bool = False,
) -> int:
    """Open the debugger on a session and stay until it is left; the exit status.

    Raises ``UserError`` where there is no terminal, for a session that cannot be opened, and for a run or a step
    that it has not. ``live``: fields of a ``RunChoice`` and ``variant``, to be run as soon as all is read.
    ``in_browser``: Textual's web driver is at the other end, and there is no terminal.
    """
    if not in_browser and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError("the debugger needs a terminal; see planscope --help for what can be had without one")
    streams = sys.stdout, sys.stderr
    gc.disable()  # imports leave no garbage, and looking for it would cost the first frame a tenth of its time
    try:
        from planscope.tui.app import PlanscopeApp, check_step

        if step is not None:
            check_step(path, run, step)
        app = PlanscopeApp(
            path, run=run, step=step, theme=theme, live=live, leaves_unopened=True, picture=_picture
        )
        if path is not None and app.summary.raw is None:
            from planscope.session.store import load

            load(path)  # says in one line what is wrong
        sys.setswitchinterval(0.001)  # a judging thread hands over sooner, and a key is answered sooner
        gc.set_threshold(10_000, 20, 200)  # a full look over a long run's objects takes a quarter of a second
        status = app.run() or 0
        if app.refusal is not None:
            raise UserError(app.refusal)
        if app.parting:
            raise UserError(f"not saved: {app.parting}")
        return status
    finally:
        gc.enable()
        # a picture that is being made has Textual's, and gives those back too late
        sys.stdout, sys.stderr = streams


def _picture(*given: Any, **more: Any) -> str:
    from planscope.tui.picture import shared_svg

    return shared_svg(*given, **more)
