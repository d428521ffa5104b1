"""Unsaved work: offered when the session is opened again, and asked about while saving fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from planscope.errors import UserError
from planscope.tui.app_screen import Asker
from planscope.tui.dialogs.ask import ChooseDialog, TextDialog, sure_dialog
from planscope.tui.dialogs.base import Said
from planscope.tui.style.lines import shown, wrapped
from planscope.wording import phrases

if TYPE_CHECKING:
    from planscope.session.model import Session
    from planscope.session.recovery import Recovery
    from planscope.tui.controllers.autosave import Autosave
    from planscope.tui.controllers.document import Document
    from planscope.tui.controllers.jobs import Jobs

_KEPT = "the unsaved work is kept and offered again next time"


RESTORE, LOOK, LATER, DISCARD = range(4)
TRY_AGAIN, COPY, LEAVE = range(3)

_MOST_IDS = 12


def recover_dialog(found: Recovery, changes: Sequence[str], at: int = 0) -> ChooseDialog:
    """Ask what to do with unsaved work. ``changes``: its differences, one line each."""
    when = f"{found.saved.astimezone():%Y-%m-%d %H:%M:%S}"
    before: list[Said] = [
        f"On {when} this session could not be saved: {shown(found.why, 300)}",
        (f"The unsaved work: {'; '.join(changes[:4]) or 'no difference'}", "strong"),
    ]
    keep = "Restore it: replace what is in the file"
    if found.outdated:
        before.append(("The file has changed since then and stays as it is.", "caution"))
        keep = "Restore it as a copy in your library"
    choices = (keep, "Show the differences", "Decide later", "Delete it")
    return ChooseDialog("Unsaved work", choices, at, before=before)


def changes_dialog(changes: Sequence[str]) -> TextDialog:
    """All differences of unsaved work."""
    lines = [f"· {change}" for change in changes] or ["No difference."]
    return TextDialog("Unsaved work", lambda width: [one for text in lines for one in wrapped(text, width)])


async def offer_recovery(screen: Asker, document: Document, jobs: Jobs, found: Recovery) -> Session | None:
    """Ask what to do with unsaved work; return the session to restore, or None. For a flow."""
    now = document.snapshot()
    try:
        session = await jobs.run("recovery", lambda token: found.load())
    except UserError as error:
        screen.tell(f"unsaved work was found but cannot be read: {shown(str(error), 200)}")
        return None
    changes = list(differences(now, session))
    answer: int | None = RESTORE
    while True:
        answer = await screen.answer(recover_dialog(found, changes, answer or 0))
        if answer != LOOK:
            break
        await screen.answer(changes_dialog(changes))
    if answer == RESTORE:
        return session
    if answer != DISCARD:
        screen.tell(_KEPT)
        return None
    text = "The unsaved work would be deleted for good."
    sure = sure_dialog("Delete unsaved work?", text, "Keep it", "Delete it")
    thrown = await screen.answer(sure) == 1
    if thrown:
        found.discard()
    screen.tell("unsaved work deleted" if thrown else _KEPT)
    return None


async def ask_about_trouble(
    screen: Asker, document: Document, autosave: Autosave
) -> Literal["again", "elsewhere", ""]:
    """Ask what to do while saving fails. For a flow."""
    told = [
        (shown(document.saving.trouble, 1000), "broken"),
        ("planscope tries again from time to time and at every change.", "dim"),
    ]
    choices = ("Try again now", "Save to a copy in your library from now on", "Continue without saving")
    number = await screen.answer(ChooseDialog("Not saved", choices, before=told))
    if number == 1:
        autosave.go_elsewhere()
        return "elsewhere"
    return "again" if number == 0 else ""


def differences(now: Session, then: Session) -> Iterator[str]:
    """Yield the differences of ``then`` from ``now``, one line each; safe to show."""
    if now.title != then.title:
        yield f"the title: {shown(then.title, 80)}"
    parts = {"notes": "the notes", "rules": "the rules", "fuzzings": "what was found in tools"}
    yield from (words for name, words in parts.items() if getattr(now, name) != getattr(then, name))
    for name, one, more in (
        ("runs", "run", ""),
        ("variants", "query", "queries"),
        ("dissections", "dissection", ""),
    ):
        yield from _things(one, more, getattr(now, name), getattr(then, name))
    for name, one in (("breakpoints", "breakpoint"), ("watches", "watch")):
        if getattr(now, name) != getattr(then, name):
            more = "watches" if one == "watch" else ""
            yield phrases.plural(len(getattr(then, name)), one, more)
    if now.cursor != then.cursor:
        yield "the cursor"


def _things(one: str, plural: str, now: list[Any], then: list[Any]) -> Iterator[str]:
    before, after = {thing.id: thing for thing in now}, {thing.id: thing for thing in then}
    for verb, ids in (
        ("new", [id for id in after if id not in before]),
        ("changed", [id for id in after if id in before and after[id] != before[id]]),
        ("missing", [id for id in before if id not in after]),
    ):
        if ids:
            named = ", ".join(shown(id, 20) for id in ids[:_MOST_IDS])
            yield f"{phrases.plural(len(ids), one, plural)} {verb} ({named}{', …' if len(ids) > _MOST_IDS else ''})"
