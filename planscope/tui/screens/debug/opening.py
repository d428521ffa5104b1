"""What is told when a session opens, saving it, and opening another one in its place."""

from __future__ import annotations

from pathlib import Path

from planscope.errors import UserError
from planscope.session.locations import name_of
from planscope.tui.app_screen import flow
from planscope.tui.controllers.autosave import Autosave
from planscope.tui.controllers.document import Document
from planscope.tui.opening.load import Opened, Switch, load_beside, path_in
from planscope.tui.screens.debug.stage import Stage
from planscope.tui.style.lines import shown
from planscope.wording import phrases


def tell_of_file(stage: Stage) -> None:
    """Tell the user about the session's file: it is in use elsewhere, or there is unsaved work or a draft."""
    work, opened = stage.work, stage.start.opened
    if opened is None:
        return
    if opened.changed and work.autosave is not None:
        work.document.touch()
        work.autosave.save()
    if opened.held:
        stage.tell(f"{shown(opened.held.partition(';')[0], 200)}; your changes go into a copy")
    if opened.recovery is not None:
        stage.start_flow(_offer_recovery(stage, opened))
    work.drafts.find(work.document, work.jobs, work.post)


async def _offer_recovery(stage: Stage, opened: Opened) -> None:
    from planscope.tui.screens.flows.recover import offer_recovery

    found, work = opened.recovery, stage.work
    assert found is not None and work.document.path is not None
    session = await offer_recovery(stage, work.document, work.jobs, found)
    if session is None:
        return
    writer = work.autosave.give_up_writer() if work.autosave is not None else None
    if writer is not None and found.outdated:
        writer.go_elsewhere()
    again = Document(work.document.path, work.post)
    autosave = Autosave(again, work.post, writer, found.discard)
    stage.switch(Switch(again, Opened(session, changed=True), autosave, "restored and saved"))


def open_pasted(stage: Stage, text: str) -> None:
    """Open the session or trace whose path was pasted, as terminals do with a file that is dropped into them."""
    path = path_in(text)
    if path is None:
        stage.tell(f"no file has this name: {shown(text.strip(), 80)} (a path that is pasted is opened)")
    else:
        open_file(stage, path)


@flow
async def open_file(stage: Stage, path: Path) -> None:
    """Open another session, or a trace, in place of this one."""
    from planscope.tui.screens.flows.quitting import may_stop

    if not await may_stop(stage, stage.work.jobs):
        return
    name = name_of(path)
    stage.tell(f"opening {shown(name, 60)}…")
    try:
        switch = await load_beside(stage.work, path)
    except UserError as error:
        stage.tell(f"not opened: {shown(str(error).replace(str(path), name), 300)}")
        return
    await stage.leave_for(switch)


# Saving


@flow
async def save(stage: Stage) -> None:
    """Save now. If saving failed before, ask what to do."""
    from planscope.tui.screens.flows.recover import ask_about_trouble

    document, autosave = stage.work.document, stage.work.autosave
    if document.session is None or autosave is None:
        stage.tell("nothing to save: no session is loaded")
    elif document.saving.state != "failed" or await ask_about_trouble(stage, document, autosave) == "again":
        stage.change(asked_to_save=True, notice="saving…")
        autosave.save()


def saving_changed(stage: Stage) -> None:
    """Display the save status; tell the outcome if a key asked for it."""
    saving, path = stage.work.document.saving, stage.work.document.path
    stage.change(saving=saving, path=path)
    if stage.view.asked_to_save and saving.state != "changed":
        saved = saving.state == "saved" and path is not None
        said = f"saved to {phrases.place(path)}" if saved and path is not None else ""
        stage.change(asked_to_save=False, notice=said)
