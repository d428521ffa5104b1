"""What is done to a draft by command: its actions, its limits, the user's own editor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from planscope.debugger import draft_typing as typing
from planscope.debugger.draft import (
    Draft,
    DraftError,
    add_action,
    drop_action,
    restore_action,
    set_hours,
    set_limits,
    set_timed,
)
from planscope.debugger.draft_reading import rename_action, where_named
from planscope.debugger.draft_typing import Edited
from planscope.language.problem import Action
from planscope.tui import words
from planscope.tui.lines import Run, shown
from planscope.tui.panes.edit_state import ActionLine, action_lines
from planscope.tui.rooms.edit_typing import Typing


class Changing(Typing):
    def line_of_action(self) -> ActionLine | None:
        """The action that a command is about: the one chosen in its pane, else the one that the caret stands on."""
        state = self.state
        lines = action_lines(state)
        if state.pane == "actions" and not state.typing:
            chosen = state.line_chosen("actions", len(lines))
            return None if chosen is None else lines[chosen]
        at = state.edited.at
        for known in state.seen.known if state.current and state.seen is not None else ():
            if known.action and known.span[0] <= at <= known.span[1]:
                return next(
                    (line for line in lines if line.now is not None and line.now.id == known.action), None
                )
        return None

    def _asked_about(self, verb: str) -> Action | None:
        """The same where it is still there; else says what is to be done first."""
        line = self.line_of_action()
        if line is None:
            self.change(pane="actions", typing=False, offered=None)
            self.tell(f"choose the action to {verb} with ↑ ↓")
            return None
        if line.now is None:
            self.tell("this action was dropped: Enter brings it back")
        return line.now

    def _wrong(self, made: Callable[[Draft], Draft]) -> str | None:
        """What a change would be refused for; it is not made."""
        try:
            made(self.state.draft)
        except DraftError as error:
            return str(error)
        return None

    def _take_in(self, made: Callable[[Draft], Draft]) -> None:
        if (wrong := self.redraft(made)) is not None:
            self.tell(wrong)

    def action_add_action(self) -> None:
        from planscope.tui.dialogs.form import FormDialog, TextField

        known = [action.id for action in self.state.before.actions]
        timed = self.state.draft.timed
        fields = [TextField("name", "Name", "", "as the text calls it")]
        if timed:
            fields.append(TextField("hours", "Hours", "1", "from 1 to 24"))

        def read(answers: Mapping[str, str]) -> Draft:
            hours = _whole(answers["hours"], "hours") if timed else None
            return add_action(self.state.draft, answers["name"], hours, known)

        def go(draft: Draft | None) -> None:
            if draft is not None:
                self._take_in(lambda _: draft)
                self.change(chosen={**self.state.chosen, "actions": len(draft.actions) - 1})
                self.tell(f"{draft.actions[-1].id} added; the text does not name it yet")

        self.app.push_screen(FormDialog(self.paint, "Add an action", fields, read), go)

    def action_rename_action(self) -> None:
        from planscope.tui.dialogs.ask import AskDialog

        action = self._asked_about("rename")
        if action is None:
            return
        id = action.id

        def go(name: str | None) -> None:
            if name is not None:
                before = self.state.draft.text
                self._take_in(lambda draft: rename_action(draft, id, name))
                where = ", in the text too" if self.state.draft.text != before else ""
                self.tell(f"renamed{where}; its tool is {self.state.draft.action(id).tool}")

        dialog = AskDialog(
            self.paint,
            f"Rename {shown(id, 8)}",
            "The text is changed wherever it names the action, and the tool follows.",
            lambda name: self._wrong(lambda draft: rename_action(draft, id, name)),
            value=action.name,
        )
        self.app.push_screen(dialog, go)

    def action_drop_action(self) -> None:
        from planscope.tui.dialogs.choose import ChooseDialog

        action = self._asked_about("drop")
        if action is None:
            return
        if (wrong := self._wrong(lambda draft: drop_action(draft, action.id))) is not None:
            self.tell(wrong)
            return
        seen = self.seen_now()
        spans = [known.span for known in seen.known if known.action == action.id]

        def go(number: int | None) -> None:
            if number == 1:
                self._take_in(lambda draft: drop_action(draft, action.id))
                self.tell(f"{shown(action.id, 8)} dropped; u brings it back")

        if not spans:
            go(1)
            return
        where = where_named(spans, seen.sentences)
        choices = [
            (Run("Leave it"),),
            (Run("Drop it all the same; what names it cannot be read then"),),
        ]
        title = f"{shown(action.name, 60)} is named in {where}"
        self.app.push_screen(ChooseDialog(self.paint, title, choices), go)

    def action_set_hours(self) -> None:
        from planscope.tui.dialogs.ask import AskDialog

        if not self.state.draft.timed:
            self.tell("only the actions of a timed request take hours: t makes it timed")
            return
        action = self._asked_about("change")
        if action is None:
            return
        id = action.id

        def changed(draft: Draft, hours: str) -> Draft:
            return set_hours(draft, id, _whole(hours, "hours"))

        def go(hours: str | None) -> None:
            if hours is not None:
                self._take_in(lambda draft: changed(draft, hours))

        dialog = AskDialog(
            self.paint,
            f"Hours of {shown(action.name, 60)}",
            "whole hours, from 1 to 24",
            lambda hours: self._wrong(lambda draft: changed(draft, hours)),
            value=str(action.duration or 1),
        )
        self.app.push_screen(dialog, go)

    def action_set_limits(self) -> None:
        from planscope.tui.dialogs.form import FormDialog, TextField

        draft = self.state.draft
        fields = [
            TextField("seconds", "Seconds", f"{draft.seconds:g}", "how long a run may take"),
            TextField("calls", "Model calls", str(draft.model_calls), "how often it may ask the model"),
        ]

        def read(answers: Mapping[str, str]) -> Draft:
            return set_limits(draft, _number(answers["seconds"]), _whole(answers["calls"], "model calls"))

        def go(limited: Draft | None) -> None:
            if limited is not None:
                self._take_in(lambda _: limited)

        self.app.push_screen(FormDialog(self.paint, "What ends a run", fields, read), go)

    def action_set_timed(self) -> None:
        timed = not self.state.draft.timed
        self._take_in(lambda draft: set_timed(draft, timed))
        self.tell(
            "timed: every action takes an hour; h changes that" if timed else "not timed: order alone counts"
        )

    def action_start_over(self) -> None:
        state = self.state
        if not state.changed:
            self.tell("nothing was changed")
            return
        self.edit(Edited(state.before, len(state.before.text)), offered=None)
        self.tell("as it was before; u brings your draft back")

    def action_own_editor(self) -> None:
        from planscope.tui.own_editor import EditorTrouble, edit_elsewhere

        edited = self.state.edited
        try:
            text = edit_elsewhere(self.app, edited.text)
            whole = replace(edited, at=len(edited.text), anchor=0)
            made = typing.put(whole, text)
        except (EditorTrouble, DraftError) as error:
            self.tell(str(error))
            return
        self.edit(typing.go(made, min(edited.at, len(text))), offered=None)
        same = made.text == edited.text
        self.tell("back from your editor: nothing was changed" if same else "taken over from your editor")

    def restore(self, action: Action) -> None:
        """Bring a dropped action back."""
        self._take_in(lambda draft: restore_action(draft, action))
        self.tell(f"{words.plural(len(self.state.draft.actions), 'action')} again")


def _whole(text: str, what: str) -> int:
    """A whole number that somebody typed."""
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise DraftError(f"{what}: a whole number, such as 2")
    return int(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise DraftError("seconds: a number, such as 180") from None
