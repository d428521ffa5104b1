"""Dialogs that change a draft's actions and its limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from planscope.debugger.draft import Draft, DraftError, add_action, drop_action, set_hours, set_limits
from planscope.debugger.draft_reading import rename_action, where_named
from planscope.language.problem import Action
from planscope.tui.app_screen import Asker, flow
from planscope.tui.controllers.draft_editor import DraftEditor
from planscope.tui.dialogs.ask import ChooseDialog
from planscope.tui.dialogs.form import Field, FormDialog, ask_dialog
from planscope.tui.keys import key_for
from planscope.tui.style.lines import shown

Change = Callable[[str], Callable[[Draft], Draft]]
"""Returns the change of a draft that a typed text means. The change raises ``DraftError`` if the text is wrong."""


def take_in(screen: Asker, editor: DraftEditor, made: Callable[[Draft], Draft]) -> bool:
    """Change the draft, or say why that is impossible."""
    try:
        editor.redraft(made)
    except DraftError as error:
        screen.tell(str(error))
        return False
    return True


@flow
async def ask_for_action(screen: Asker, editor: DraftEditor) -> None:
    """Add an action."""
    known = [action.id for action in editor.state.before.actions]
    timed = editor.state.draft.timed
    named = editor.seen_now().new_action
    fields = [Field("name", "Name", named, "as in the text")]
    if timed:
        fields.append(Field("hours", "Hours", "1", "1 to 24"))

    def read(answers: Mapping[str, str]) -> Draft:
        hours = _whole(answers["hours"], "hours") if timed else None
        return add_action(editor.state.draft, answers["name"], hours, known)

    draft = await screen.answer(FormDialog("Add an action", fields, read))
    if draft is not None and take_in(screen, editor, lambda _: draft):
        editor.choose("actions", len(draft.actions) - 1)
        unnamed = "" if draft.actions[-1].name == named else "; the text does not name it yet"
        screen.tell(f"{draft.actions[-1].id} added{unnamed}")


async def _ask(screen: Asker, editor: DraftEditor, title: str, hint: str, value: str, change: Change) -> bool:
    """Ask for one text, which changes the draft. Return whether it did."""
    dialog = ask_dialog(title, hint, lambda text: editor.refused(change(text)), value=value)
    text = await screen.answer(dialog)
    return text is not None and take_in(screen, editor, change(text))


@flow
async def ask_for_name(screen: Asker, editor: DraftEditor, action: Action) -> None:
    """Rename an action, its tool, and its name in the text."""
    before, hint = editor.state.draft.text, "also renames the tool and the action in the text"
    title = f"Rename {shown(action.id, 8)}"
    if await _ask(
        screen,
        editor,
        title,
        hint,
        action.name,
        lambda name: lambda draft: rename_action(draft, action.id, name),
    ):
        where = ", in the text too" if editor.state.draft.text != before else ""
        screen.tell(f"renamed{where}; its tool is {editor.state.draft.action(action.id).tool}")


@flow
async def drop(screen: Asker, editor: DraftEditor, action: Action) -> None:
    """Drop an action; ask first if the text names it."""

    def dropped(draft: Draft) -> Draft:
        return drop_action(draft, action.id)

    if (wrong := editor.refused(dropped)) is not None:
        screen.tell(wrong)
        return
    seen = editor.seen_now()
    if spans := [known.span for known in seen.known if known.action == action.id]:
        choices = ("Keep it", "Drop it; sentences that name it become unreadable")
        title = f"{shown(action.name, 60)} is named in {where_named(spans, seen.sentences)}"
        if await screen.answer(ChooseDialog(title, choices)) != 1:
            return
    if take_in(screen, editor, dropped):
        screen.tell(f"{shown(action.id, 8)} dropped; {key_for('undo-edit')} undoes that")


@flow
async def ask_for_hours(screen: Asker, editor: DraftEditor, action: Action) -> None:
    """Change how long an action takes."""
    title, hours = f"Hours of {shown(action.name, 60)}", str(action.duration or 1)
    await _ask(
        screen,
        editor,
        title,
        "whole hours, 1 to 24",
        hours,
        lambda text: lambda draft: set_hours(draft, action.id, _whole(text, "hours")),
    )


@flow
async def ask_for_limits(screen: Asker, editor: DraftEditor) -> None:
    """Change the limits of a run of the query."""
    draft = editor.state.draft
    fields = [
        Field("seconds", "Seconds", f"{draft.seconds:g}", "time limit of a run"),
        Field("calls", "Model calls", str(draft.model_calls), "limit of calls to the model"),
    ]

    def read(answers: Mapping[str, str]) -> Draft:
        return set_limits(draft, _number(answers["seconds"]), _whole(answers["calls"], "model calls"))

    limited = await screen.answer(FormDialog("Limits of a run", fields, read))
    if limited is not None:
        take_in(screen, editor, lambda _: limited)


def _whole(text: str, what: str) -> int:
    """Read a whole number. Raises ``DraftError``."""
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise DraftError(f"{what}: a whole number, such as 2")
    return int(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise DraftError("seconds: a number, such as 180") from None
