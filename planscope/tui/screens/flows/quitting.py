"""Quitting: ask first while a run is in progress or work is not saved."""

from __future__ import annotations

from planscope.tui.actions import BY_ID
from planscope.tui.app_screen import Asker, flow
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.controllers.workspace import Workspace, leave
from planscope.tui.dialogs.ask import ChooseDialog, sure_dialog
from planscope.tui.keys import key_for, keys_of, shown_key
from planscope.wording import phrases

UNDER_WAY = {"run": "run", "dissect": "dissection"}
"""Jobs that quitting would stop, by name, and the word for each."""

QUIT = "quit"
_STAY, _QUIT = range(2)


def under_way(jobs: Jobs) -> str:
    """Return the word for the job in progress, or ""."""
    return next((word for job, word in UNDER_WAY.items() if jobs.running(job)), "")


async def may_stop(screen: Asker, jobs: Jobs) -> bool:
    """Ask whether to stop a run or a dissection that is in progress, before another session is opened. For a flow."""
    what = under_way(jobs)
    if not what:
        return True
    text = f"A {what} is in progress in the open session. Its results so far are kept."
    dialog = sure_dialog(f"Stop the {what}?", text, "Stay", f"Stop the {what} and continue")
    return await screen.answer(dialog) == 1


@flow
async def quit_planscope(screen: Asker, work: Workspace, drafts: int) -> None:
    """Quit; ask first if a run is in progress, ``drafts`` would be lost, or changes cannot be saved.

    Quit at once if that question is open, since pressing q twice answers it.
    """
    front = screen.app.screen
    if isinstance(front, ChooseDialog) and front.dialog_name == QUIT:
        front.dismiss(_QUIT)
        return
    if what := under_way(work.jobs):
        keys = (*keys_of(BY_ID["quit"], screen.choice), "y")
        quits = f"Quit ({shown_key(keys[0])} or y): stop it here; its calls so far are kept"
        answers, title = dict.fromkeys(keys, _QUIT), f"A {what} is in progress"
        if await screen.answer(ChooseDialog(title, ("Stay", quits), answers=answers, name=QUIT)) != _QUIT:
            return
        screen.tell("stopping…")
        await leave(work)
    if drafts or work.document.saving.trouble:
        them = "it" if drafts == 1 else "them"
        lost = (
            f"Quit and lose {them}"
            if drafts
            else "Quit: the changes are offered when you open the session again"
        )
        title = (
            f"{phrases.plural(drafts, 'draft')} not kept: {key_for('edit')} continues a query, "
            f"{key_for('write-rules')} rules, {key_for('library')} {key_for('new-session')} a new query"
            if drafts
            else "Changes not saved"
        )
        keep = (f"Keep {them} and quit",) if drafts and work.drafts.written else ()
        dialog = ChooseDialog(title, ("Stay", *keep, lost), name=QUIT)
        answer = await screen.answer(dialog) or _STAY
        if answer == _STAY:
            return
        if keep and answer == _QUIT:
            work.drafts.keep_all()
    screen.app.exit(0)
