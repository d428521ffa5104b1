"""Leaving planscope while something is under way, or while there is work that is not kept: asked about first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textual import events

from planscope.tui import words
from planscope.tui.actions import BY_ID
from planscope.tui.desk import Desk
from planscope.tui.dialogs.choose import ChooseDialog
from planscope.tui.keymap import keys_of, shown_key
from planscope.tui.lines import Run
from planscope.tui.paint import Paint

if TYPE_CHECKING:
    from planscope.tui.jobs import Jobs
    from planscope.tui.screens.base import AppScreen

UNDER_WAY = {"run": "run", "dissect": "dissection"}
"""Jobs that are not ended without asking, and what each is called."""

_STAY, _QUIT = range(2)


class _Asked(ChooseDialog):
    """Whether to quit. Asked for a second time it takes quitting for the answer.

    ``keys``: those that say yes as well.
    """

    def __init__(self, paint: Paint, title: str, quits: str, keys: Sequence[str] = ()) -> None:
        super().__init__(paint, title, [(Run("Stay"),), (Run(quits),)])
        self.keys = keys

    def on_key(self, event: events.Key) -> None:
        if event.key in self.keys:
            event.stop()
            self.dismiss(_QUIT)


def quit_or_ask(room: AppScreen[Any], drafts: int, desk: Desk, jobs: Jobs) -> None:
    """Leave, unless something is under way, so many drafts would be lost, or the desk cannot be saved: ask first."""
    asked = room.app.screen
    if isinstance(asked, _Asked):
        asked.dismiss(_QUIT)
        return
    what = next((word for job, word in UNDER_WAY.items() if jobs.running(job)), "")
    if not what:
        _quit_or_ask_kept(room, drafts, desk)
        return
    keys = (*keys_of(BY_ID["quit"], room.choice), "y")
    quits = f"Quit ({shown_key(keys[0])} or y): it ends here, and what happened until now is kept"

    def go(number: int | None) -> None:
        if number == _QUIT:
            below: Any = room.app.screen_stack[0]
            below.run_worker(stopped(below), exit_on_error=False)

    async def stopped(below: Any) -> None:
        """Its end is on the desk before that is saved."""
        room.tell("stopping…")
        await below.leave()
        _quit_or_ask_kept(room, drafts, desk)

    room.app.push_screen(_Asked(room.paint, f"A {what} is under way", quits, keys), go)


def _quit_or_ask_kept(room: AppScreen[Any], drafts: int, desk: Desk) -> None:
    if not (drafts or desk.saving.trouble):
        room.app.exit(0)
        return
    them = "it" if drafts == 1 else "them"
    lost = f"Quit, and lose {them}" if drafts else "Quit: they are offered when you open the session again"
    title = f"{words.plural(drafts, 'draft')} not kept: e goes on, k keeps" if drafts else "Changes not saved"

    def go(number: int | None) -> None:
        if number == _QUIT:
            room.app.exit(0)

    room.app.push_screen(_Asked(room.paint, title, lost), go)
