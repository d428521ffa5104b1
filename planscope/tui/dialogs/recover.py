"""Work that could not be saved: offered at the next opening, and asked about while it is so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from planscope.tui import words
from planscope.tui.dialogs.choose import ChooseDialog, TextDialog
from planscope.tui.style.lines import Line, Run, paragraph, shown
from planscope.tui.style.painter import Painter

if TYPE_CHECKING:
    from planscope.session.model import Session
    from planscope.session.recovery import Recovery

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


def asking(
    paint: Painter, title: str, before: Sequence[tuple[str, str]], choices: Sequence[str], at: int = 0
) -> ChooseDialog:
    """Something to read, and below it what can be done."""
    return ChooseDialog(paint, title, [(Run(choice),) for choice in choices], at, before=before)


def sure_dialog(paint: Painter, title: str, text: str, no: str, yes: str) -> ChooseDialog:
    """Asks before what cannot be undone; 1 is yes."""
    return asking(paint, title, [(text, "")], (no, yes))


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
            yield words.plural(len(getattr(then, name)), one, more)
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
            yield f"{words.plural(len(ids), one)} {verb} ({named}{', …' if len(ids) > _MOST_IDS else ''})"
