"""What the verbs of the debug screen know of it. A verb is a function of a stage; tests give it a fake one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from planscope.debugger import cursor
from planscope.tui import shell
from planscope.tui.app_screen import Asker
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.keys import key_for

if TYPE_CHECKING:
    from planscope.debugger.cursor import DebugState
    from planscope.tui.opening.load import Switch
    from planscope.tui.screens.debug.start import Start
    from planscope.tui.view import DebugView

NO_SESSION = "no session is open yet"
ANOTHER_RUN = "another run is shown now"


class Stage(Asker, Protocol):
    """The debug screen as its verbs see it: controllers, one frozen view, and dialogs."""

    work: Workspace
    start: Start

    @property
    def view(self) -> DebugView: ...
    def change(self, **changes: Any) -> None:
        """Change the view, and show it."""

    def move(self, debug: DebugState, **changes: Any) -> None:
        """Go to another place of the run."""

    def look_at(self, variant_id: str, run_id: str = "") -> None:
        """Display a run, or a query without one."""

    def laid_out(self, notice: str = "", **changes: Any) -> None:
        """Display the changed layout."""

    def text_of(self, pane: str) -> str:
        """Return the whole text of a pane."""

    async def leave_for(self, switch: Switch) -> None:
        """Save this session, then switch to another one."""

    def switch(self, switch: Switch) -> None:
        """Let the application switch to another session; the screen ends with that."""


def here(stage: Stage, step: str = "") -> shell.Here:
    """Return what the shell command of a key is about. ``step``: by default the current one."""
    view, document = stage.view, stage.work.document
    run = view.run.id if view.run is not None and view.play is None else ""
    variant = view.variant.id if view.variant is not None else ""
    return shell.Here(document.path, variant, run, step or str(view.debug.step))


def amounts_to(stage: Stage, command: str) -> None:
    """Note the shell command that does the same as a key; "" if there is none."""
    if command:
        stage.change(command=command)


def not_run(stage: Stage) -> str:
    """Say why there is no run."""
    if stage.view.only_recorded:
        return f"no run is shown; {key_for('choose-run')} lists the runs"
    return f"not run yet; press {key_for('rerun')}" if stage.view.has_queries else "no session is open"


def show_run(stage: Stage, run_id: str, index: int = -1) -> None:
    """Display a run at a step, by id and index. A negative index means the run's own first place."""

    run = stage.work.document.run(run_id)
    if run is None or stage.work.document.number_of(run_id) is None:
        stage.tell("that run is no longer in the session")
        return
    if stage.view.run is None or run.id != stage.view.run.id:
        stage.look_at(run.variant, run.id)
    if index >= 0:
        stage.move(cursor.go_to(stage.view.debug, index))
