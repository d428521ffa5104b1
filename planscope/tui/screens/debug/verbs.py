"""Finds the function of a key, and makes the palette's entries for what this session has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from planscope.session.locations import name_of
from planscope.session.recent import recent
from planscope.tui.actions import KeyAction
from planscope.tui.panes.header import run_runs
from planscope.tui.screens.debug import arranging, opening
from planscope.tui.screens.debug.stage import Stage, show_run
from planscope.tui.style.lines import shown
from planscope.wording import phrases

if TYPE_CHECKING:
    from planscope.tui.palette import Command

MOST_RECENT = 8
"""Limit of recent sessions in the palette."""


def verb_of(action: KeyAction) -> Callable[..., None]:
    """Return the function of a stage that the table of actions names, such as ``navigate.go_start``."""
    module, _, name = action.do.partition(".")
    verb: Callable[..., None] = getattr(import_module(f"{__package__}.{module}"), name)
    return verb


def entries(stage: Stage) -> Iterator[Command]:
    """Yield the palette's entries for runs, recent sessions and panes."""
    from planscope.tui.palette import Command

    document = stage.work.document
    for number, run in enumerate(document.runs):
        line = run_runs(document.record(run.id), number, here=number == stage.view.run_number)
        title = "Run " + "".join(part.text for part in line).strip()
        yield Command(title, "Open this run.", partial(show_run, stage, run.id))
    for left in recent()[:MOST_RECENT]:
        if left.path != document.path:
            name = shown(name_of(left.path), 60)
            do = partial(opening.open_file, stage, left.path)
            yield Command(f"Recent session {name}", f"Open it: {phrases.place(left.path)}", do)
    for name, hidden in stage.work.layout.hidden_panes():
        do = partial(arranging.show_pane if hidden else arranging.hide_pane, stage, name)
        yield Command(f"{'Show' if hidden else 'Hide'} the {name} pane", "Arrange the panes.", do)
