"""Work that could not be saved: offered when the session is opened again, and asked about while it is so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from planscope.tui.app_screen import AppScreen
from planscope.tui.dialogs.ask import ChooseDialog, TextDialog, asking, sure_dialog
from planscope.tui.style.lines import Line, paragraph, shown
from planscope.tui.style.painter import Painter
from planscope.wording import phrases

if TYPE_CHECKING:
    from planscope.session.model import Session
    from planscope.session.recovery import Recovery
    from planscope.tui.controllers.autosave import Autosave
    from planscope.tui.controllers.document import Document
    from planscope.tui.controllers.jobs import Jobs

_STAYS = "it stays, and is offered again the next time"


RESTORE, LOOK, LATER, DISCARD = range(4)
TRY_AGAIN, COPY, LEAVE = range(3)

_MOST_IDS = 12


def recover_dialog(paint: Painter, found: Recovery, changes: Sequence[str], at: int = 0) -> ChooseDialog:
    """Offers unsaved work: answers with what to do with it. ``changes``: what differs in it, a line each."""
    when = f"{found.saved.astimezone():%Y-%m-%d %H:%M:%S}"
    before = [
        (f"On {when} this session could not be saved: {shown(found.why, 300)}", ""),
        (f"What was done is here still: {'; '.join(changes[:4]) or 'nothing differs'}", "strong"),
    ]
    keep = "Restore it: it takes the place of what is in the file"
    if found.outdated:
        before.append(("The file was changed since then, so that it stays as it is.", "caution"))
        keep = "Restore it, as a copy in your library"
    choices = (keep, "Look at it first", "Leave it for later", "Throw it away")
    return asking(paint, "Unsaved work", before, choices, at)


def changes_dialog(paint: Painter, changes: Sequence[str]) -> TextDialog:
    """What differs in unsaved work, the whole of it."""
    lines = [(f"· {change}", "") for change in changes] or [("Nothing differs.", "")]

    def build(width: int) -> list[Line]:
        return [Line(runs) for text, role in lines for runs in paragraph(text, width, role)]

    return TextDialog(paint, "In the unsaved work", build)


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


def trouble_dialog(paint: Painter, trouble: str) -> ChooseDialog:
    """Why the session is not saved, the whole of it, and what can be done."""
    return asking(
        paint,
        "Not saved",
        [(shown(trouble, 1000), "broken"), ("It is tried again now and then, and with every change.", "dim")],
        ("Try again now", "Save to a copy in your library from now on", "Leave it at that"),
    )


def differences(now: Session, then: Session) -> Iterator[str]:
    """What one session has that the other has not, in a line each; safe to show."""
    if now.title != then.title:
        yield f"the title: {shown(then.title, 80)}"
    if now.notes != then.notes:
        yield "the notes"
    for name, one in (("runs", "run"), ("variants", "request"), ("dissections", "dissection")):
        yield from _things(one, getattr(now, name), getattr(then, name))
    for name, one in (("breakpoints", "breakpoint"), ("watches", "watch")):
        if getattr(now, name) != getattr(then, name):
            more = "watches" if one == "watch" else ""
            yield phrases.plural(len(getattr(then, name)), one, more)
    if now.cursor != then.cursor:
        yield "where you were"


def _things(one: str, now: list[Any], then: list[Any]) -> Iterator[str]:
    before, after = {thing.id: thing for thing in now}, {thing.id: thing for thing in then}
    for verb, ids in (
        ("more", [id for id in after if id not in before]),
        ("changed", [id for id in after if id in before and after[id] != before[id]]),
        ("less", [id for id in before if id not in after]),
    ):
        if ids:
            named = ", ".join(shown(id, 20) for id in ids[:_MOST_IDS])
            yield f"{phrases.plural(len(ids), one)} {verb} ({named}{', …' if len(ids) > _MOST_IDS else ''})"
