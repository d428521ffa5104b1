"""The debug screen's state before anything is judged."""

from __future__ import annotations

from pathlib import Path

from planscope.debugger.cursor import go_to, open_run, parse_step
from planscope.debugger.errors import DebuggerError
from planscope.errors import UserError
from planscope.tui.glance import SessionGlance
from planscope.tui.state import RoomState
from planscope.tui.unjudged import unjudged

MOST_SET = 200
"""So many breakpoints and watches of a file are read."""


def first_state(
    path: Path | None, session: SessionGlance, run_number: int | None, step: str | None, notice: str = ""
) -> RoomState:
    """What the file tells of a run. Raises ``UserError`` for a step that is not there."""
    chosen = None if run_number is None else session.runs[run_number]
    debug = open_run(unjudged(chosen, session.variant_of(chosen)))
    if step is not None and chosen is not None:
        try:
            debug = go_to(debug, parse_step(debug.run, step))
        except DebuggerError as error:
            raise UserError(str(error)) from None
    return RoomState(
        path,
        session,
        debug,
        run_number,
        notice=notice,
        strange_breakpoints=session.breakpoints[:MOST_SET],
        strange_watches=session.watches[:MOST_SET],
    )
