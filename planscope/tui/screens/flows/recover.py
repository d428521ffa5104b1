"""Work that could not be saved: offered when the session is opened again, and asked about while it is so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from planscope.tui.app_screen import AppScreen
from planscope.tui.dialogs.recover import (
    DISCARD,
    LOOK,
    RESTORE,
    changes_dialog,
    differences,
    recover_dialog,
    sure_dialog,
    trouble_dialog,
)
from planscope.tui.style.lines import shown

if TYPE_CHECKING:
    from planscope.session.model import Session
    from planscope.session.recovery import Recovery
    from planscope.tui.controllers.autosave import Autosave
    from planscope.tui.controllers.document import Document
    from planscope.tui.controllers.jobs import Jobs

_STAYS = "it stays, and is offered again the next time"


async def offer_recovery(
    screen: AppScreen[Any], document: Document, jobs: Jobs, found: Recovery
) -> Session | None:
    """Ask what becomes of unsaved work; the session to restore, or None. For a flow."""
    now = document.snapshot()
    try:
        session = await jobs.run("recovery", lambda token: found.load())
    except Exception as error:
        screen.tell(f"unsaved work was found, but cannot be read: {shown(str(error), 200)}")
        return None
    changes = list(differences(now, session))
    answer: int | None = RESTORE
    while True:
        answer = await screen.answer(recover_dialog(screen.paint, found, changes, answer or 0))
        if answer != LOOK:
            break
        await screen.answer(changes_dialog(screen.paint, changes))
    if answer == RESTORE:
        return session
    if answer != DISCARD:
        screen.tell(_STAYS)
        return None
    text = "What could not be saved is gone for good then."
    sure = sure_dialog(screen.paint, "Throw it away?", text, "Keep it", "Throw it away")
    thrown = await screen.answer(sure) == 1
    if thrown:
        found.discard()
    screen.tell("thrown away" if thrown else _STAYS)
    return None


async def ask_about_trouble(
    screen: AppScreen[Any], document: Document, autosave: Autosave
) -> Literal["again", "elsewhere", ""]:
    """Saving fails: ask what to do. For a flow."""
    number = await screen.answer(trouble_dialog(screen.paint, document.saving.trouble))
    if number == 1:
        autosave.go_elsewhere()
        return "elsewhere"
    return "again" if number == 0 else ""
