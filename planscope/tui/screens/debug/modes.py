"""Decides what the keys n, c, Enter and Esc mean in a recorded run, in a live run, and in what-if play.

Keys whose meaning depends on the mode are handled only here. A mode has no state: it is chosen at each key, by the
state of the controllers.
"""

from __future__ import annotations

from planscope.tui.screens.debug import deciding, navigate, playing
from planscope.tui.screens.debug.stage import Stage


def active(stage: Stage) -> set[str]:
    """Return the modes of the debug screen, in which alone some actions work (``actions.DURING``)."""
    view, work = stage.view, stage.work
    session = work.document.session
    play = view.play is not None
    live = not play and (work.live.at_work or (view.run is not None and view.run.under_way))
    undo = play or (session is not None and (work.document.removed_last or bool(session.rules_before)))
    found = {
        "play": play,
        "live": live,
        "decide": play or live,
        "search": view.search is not None,
        "undo": undo,
    }
    return {name for name, on in found.items() if on}


def next_call(stage: Stage) -> None:
    """Go to the next call; run the paused call."""
    if _live(stage):
        deciding.run_call(stage)
    else:
        navigate.go(stage, "next_call")


def go_on(stage: Stage) -> None:
    """Go to the next breakpoint or violation; let the paused run go on."""
    (deciding.go_on if _live(stage) else navigate.go_on)(stage)


def enter(stage: Stage) -> None:
    """Go to a step that is linked with the selection; play the chosen call."""
    plays = stage.view.play is not None and stage.view.pane == "step"
    (playing.take if plays else navigate.open_selected)(stage)


def escape(stage: Stage) -> None:
    """Drop the selection; leave what-if play."""
    leaves = stage.view.play is not None and not stage.view.zoomed
    (playing.leave if leaves else navigate.deselect)(stage)


def _live(stage: Stage) -> bool:
    """Whether the cursor is at the end of a live run: at the paused call, or waiting for the agent."""
    view, live = stage.view, stage.work.live
    run = view.run
    mine = view.play is None and live.at_work and run is not None and run.id == live.run_id
    return mine and (view.at_pending or (live.paused is None and view.debug.index == view.debug.run.last))
