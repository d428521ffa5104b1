"""Which panes are visible, how large they are, and what the tree's pane draws."""

from __future__ import annotations

from planscope.debugger import cursor
from planscope.debugger.nesting import Nesting
from planscope.drawing.agents import has_lanes
from planscope.tui import shell
from planscope.tui.controllers.pane_layout import COLUMNS_A_KEY, ROWS_A_KEY
from planscope.tui.panes.timeline import turns_of
from planscope.tui.screens.debug.stage import Stage, amounts_to, here, not_run
from planscope.tui.style.lines import shown
from planscope.tui.view import TURNS, DebugView, Picture
from planscope.wording import phrases


def show_pane(stage: Stage, name: str) -> None:
    stage.work.layout.show(name)
    stage.laid_out()


def next_pane(stage: Stage, by: str) -> None:
    stage.work.layout.next(int(by))
    stage.laid_out()


def zoom(stage: Stage) -> None:
    stage.work.layout.zoom(not stage.view.zoomed)
    stage.laid_out()


def hide_pane(stage: Stage, name: str = "") -> None:
    """Hide a pane; "" means the current one."""
    stage.laid_out(stage.work.layout.hide(name or stage.view.pane))


def toggle_inspector(stage: Stage) -> None:
    stage.laid_out(stage.work.layout.toggle_inspector())


def grow(stage: Stage, key: str) -> None:
    """Make the pane wider (``>``), narrower (``<``), higher (``}``) or lower (``{``)."""
    across, less = key in "<>", key in "<{"
    by = COLUMNS_A_KEY if across else ROWS_A_KEY
    stage.laid_out(stage.work.layout.grow(across=across, by=-by if less else by))


def reset_layout(stage: Stage) -> None:
    stage.laid_out(stage.work.layout.reset())


def fold_calls(stage: Stage) -> None:
    """Fold the calls inside this call, or those around this one, or else all turns between calls; unfold them if they
    are folded."""
    view, index = stage.view, stage.view.debug.index
    if view.run is None:
        stage.tell(not_run(stage))
        return
    nesting = Nesting(view.run.calls)
    around = index if nesting.inner(index) else nesting.caller(index)
    if not around:
        if not turns_of(view.run, len(view.debug.run.steps)):
            stage.tell("nobody spoke between two calls, and no sub-agent made calls inside this call")
        else:
            stage.change(folded=view.folded ^ {(view.run.id, TURNS)})
        return
    key = (view.run.id, around)
    folding = key not in view.folded or around != index
    calls = phrases.plural(len(nesting.inner(around)), "call")
    stage.move(
        cursor.go_to(view.debug, around),
        folded=view.folded | {key} if folding else view.folded - {key},
        notice=f"{calls} {'folded' if folding else 'unfolded'}",
    )


def picture(stage: Stage) -> None:
    """Show the next picture in the tree's pane: the tree, the order of the actions, their hours, the agents."""
    view = stage.view
    turn = _pictures(view)
    if len(turn) == 1:
        known = view.debug.run.problem.unjudged
        why = ", and one agent made all calls" if known else ": the query is not read"
        stage.tell(f"there is no plan to draw{why}")
        return
    at = turn.index(view.picture) if view.picture in turn else 0
    chosen = turn[(at + 1) % len(turn)]
    stage.work.layout.picture({"tree": "", "agents": "agents"}.get(chosen, "picture"))
    stage.work.layout.show("tree")
    stage.laid_out(picture=chosen)


def _pictures(view: DebugView) -> list[Picture]:
    """Return what the tree's pane can show, in the order of the key."""
    problem = view.debug.run.problem
    made: list[Picture] = ["tree"]
    if problem.actions and view.progress not in ("reading", "unreadable", "failed"):
        made += ["order", "hours"] if problem.timed else ["order"]
    if view.run is not None and has_lanes(view.run.calls):
        made.append("agents")
    return made


# The line of commands


def show_command(stage: Stage) -> None:
    layout = stage.work.layout
    layout.show_commands(not layout.commands)
    if not stage.view.command:
        amounts_to(stage, shell.place_command(here(stage)))
    stage.laid_out("" if layout.commands else "the line of commands is hidden")


def copy_command(stage: Stage) -> None:
    text = stage.view.command or shell.place_command(here(stage))
    stage.app.copy_to_clipboard(text)
    stage.tell(f"sent to the terminal's clipboard: {shown(text, 200)}")
