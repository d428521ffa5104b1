"""The edit screen: the text of a query, and beside it how the text is read.

While typing, letters go into the text. Esc switches to commands, and Esc again leaves the screen. A changed draft is
never lost: it is the screen's result.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any

from textual import events, on
from textual.await_complete import AwaitComplete
from textual.containers import Vertical
from textual.widget import Widget

from planscope.debugger import draft_typing
from planscope.debugger.draft import DraftError, restore_action, set_timed
from planscope.debugger.draft_typing import History
from planscope.frozen import frozen
from planscope.language.problem import Action
from planscope.session.model import Variant
from planscope.tui.actions import ACTIONS
from planscope.tui.app_screen import Asker, flow, keys_for
from planscope.tui.controllers.draft_editor import PANES, DraftEditor, EditState, PaneName
from planscope.tui.controllers.live_run import RunChoice
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.keys import key_for, keys_of, normal, shown_key
from planscope.tui.panes.box import BoxPane, LineClicked
from planscope.tui.panes.hints import Hint
from planscope.tui.panes.text_editor import CompletionPopup, OfferClicked, TextEditor, TextLayout, TextPointed
from planscope.tui.screens.edit.lines import (
    Said,
    action_lines,
    before_lines,
    constraint_lines,
    constraint_note,
    marks,
    reading_lines,
    verdict,
)
from planscope.tui.screens.edit.modes import mode_of
from planscope.tui.screens.flows import change_draft
from planscope.tui.screens.lists import ListScreen
from planscope.tui.style.lines import Line, Run, fitted, joined, shown, width_of
from planscope.wording import phrases

Ask = Callable[[Asker, "Variant"], Coroutine[Any, Any, "RunChoice | None"]]

_WHILE_TYPING: tuple[tuple[str, str, str], ...] = (
    ("leave-edit", "escape", "commands"),
    ("complete", "tab", "complete"),
    ("run-draft", "ctrl+r", "run"),
    ("keep-draft", "ctrl+s", "keep"),
    ("undo-edit", "ctrl+z", "undo"),
    ("own-editor", "ctrl+o", "your editor"),
    ("help", "f1", "help"),
    ("palette", "ctrl+p", "palette"),
)
"""The footer's keys while the user types, each as action, key, word."""

_LISTS: dict[PaneName, tuple[str, Callable[[EditState, int], Said]]] = {
    "reading": ("Reading", reading_lines),
    "constraints": ("Constraints", constraint_lines),
    "actions": ("Actions", action_lines),
}
"""The list panes: their titles and the functions that make their lines."""


@frozen
class EditResult:
    """The result of the edit screen.

    ``variant``: a new variant, not yet in the session. ``run``: how to run it, or the parent if there is
    none. ``draft``: a changed draft that is not to become a variant yet.
    """

    variant: Variant | None = None
    run: RunChoice | None = None
    draft: History | None = None


class EditScreen(ListScreen):
    """Edits a query. The screen returns an ``EditResult``."""

    BINDINGS = keys_for("edit", {})
    KEYS_DROP_NOTICES = False
    where = "edit"

    def __init__(
        self,
        work: Workspace,
        parent: Variant,
        ask: Ask,
        history: History | None = None,
        at: int | None = None,
    ) -> None:
        """``ask``: asks on this screen how to run a query.

        ``history``: the draft to continue. ``at``: the first place of the caret in a new draft.
        """
        super().__init__(work)
        self.ask = ask
        self.editor = DraftEditor(
            parent, work.document, work.jobs, work.drafts, self.post_message, history, at
        )
        self._said: dict[PaneName, Said] = {}

    @property
    def state(self) -> EditState:
        return self.editor.state

    @property
    def of(self) -> Variant:
        """The query that the draft began from."""
        return self.editor.of

    def body(self) -> Iterable[Widget]:
        mine = [action for action in ACTIONS if action.where == "edit"]
        self.by_key = {normal(key): action for action in mine for key in keys_of(action, self.choice)}
        self.typing_hints = [Hint(id, shown_key(key), word) for id, key, word in _WHILE_TYPING]
        self.text = TextEditor(id="text")
        self.boxes: dict[PaneName, BoxPane] = {name: BoxPane(id=name) for name in _LISTS}
        self.before = BoxPane(id="before")
        self.popup = CompletionPopup(id="popup")
        yield Vertical(self.text, self.boxes["reading"], id="left")
        yield Vertical(self.boxes["constraints"], self.boxes["actions"], id="right")
        yield self.before
        yield self.popup

    def on_mount(self) -> None:
        self.add_class("-low-actions")
        self.editor.read()
        self.show_state()
        if self.state.changed:
            self.tell(f"this is your draft; {key_for('leave-edit')} {key_for('start-over')} starts over")

    # Display

    def named_keys(self) -> Sequence[Hint]:
        return mode_of(self).hints

    def show_all(self) -> None:
        state = self.state
        low = state.pane == "constraints"
        if low is not self.has_class("-low-constraints"):
            self.set_class(low, "-low-constraints")
            self.set_class(not low, "-low-actions")
            self.call_after_refresh(self.show_state)  # a pane that was hidden has no width yet
        self.text.show(state.edited, marks(state), typing=state.typing, current=state.pane == "text")
        for number, name in enumerate(_LISTS, 2):
            self._show_list(name, number)
        if self.has_class("-broad"):
            self._show_before()
        self.popup.offer(state.offered, state.at_offer, self.text.caret_on_screen())

    def _show_list(self, name: PaneName, number: int) -> None:
        box = self.boxes[name]
        title, lines_of = _LISTS[name]
        said = self._said[name] = lines_of(self.state, max(box.inner_width - 1, 10))
        chosen = self.state.line_chosen(name, len(said.places))
        at = None if chosen is None else said.places[chosen].line
        box.set_content(
            [
                Line((Run("▶" if i == at else " ", "mark"), *runs), ground)
                for i, (runs, ground) in enumerate(said.lines)
            ],
            title=(Run(str(number), "number"), Run(f" {title}", "title")),
            note=constraint_note(self.state) if name == "constraints" else (),
            current=self.state.pane == name,
            reveal=at,
        )

    def _show_before(self) -> None:
        """Display the parent's text, with the words of dropped constraints."""
        rows = self.state.seen.rows if self.state.seen else ()
        spans = {
            span for row in rows if row.became == "gone" for span in row.constraint.spans if span[0] < span[1]
        }
        width = max(self.before.inner_width, 10)
        lines = before_lines(self.state.before.text, tuple(sorted(spans)), width)
        note = () if self.state.changed else (Run("unchanged", "dim"),)
        self.before.set_content(lines, title=(Run("Before", "title"),), note=note)

    def heading(self, width: int) -> tuple[Sequence[Run], Sequence[Run]]:
        title = shown(self.document.title or "untitled", 40)
        of = shown(self.of.id, 20)
        made = f"{of} → a new variant" if self.state.changed else of
        right = list(verdict(self.state))
        if self.state.changed:
            right += [Run(" │ ", "faint"), Run("not kept yet", "caution")]
        parts = [(1, [Run(title, "strong")]), (0, [Run(made, "dim")])]
        return joined(fitted(parts, width - width_of(right))), right

    # Keys and mouse

    async def on_key(self, event: events.Key) -> None:
        """Handle all keys of this screen in order; keys of all screens go on to their bindings."""
        mode = mode_of(self)
        notice, self.notice = self.notice, ""
        try:
            if mode.before_table(event):
                pass
            elif (action := self.by_key.get(event.key)) is not None:
                await self.run_action(action.method)
            elif not mode.after_table(event.key):
                self.notice = notice
                return
        except DraftError as error:
            self.tell(str(error))
        event.stop()
        event.prevent_default()
        if notice and not self.notice:
            self.show_bars()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.editor.type_text()
        self.paste(event.text)

    def paste(self, text: str) -> None:
        """Insert a text with normal line ends. A text that is too long is refused."""
        try:
            self.editor.insert(text.replace("\r\n", "\n").replace("\r", "\n"))
        except DraftError as error:
            self.tell(str(error))

    @on(TextPointed)
    def _pointed(self, message: TextPointed) -> None:
        edited = self.state.edited
        if message.word:
            edited = draft_typing.select_word(edited, message.at)
        else:
            edited = draft_typing.go(edited, message.at, select=message.select)
        self.notice = ""
        self.editor.edit(edited, typing=True, pane="text")

    @on(OfferClicked)
    def _offer_clicked(self, message: OfferClicked) -> None:
        offered = self.state.offered
        if offered is not None and message.number < len(offered.offers):
            self.editor.take(offered.offers[message.number])

    @on(LineClicked)
    def _line_clicked(self, message: LineClicked) -> None:
        name = next((name for name in _LISTS if name == message.box), None)
        said = self._said.get(name) if name is not None else None
        if name is None or said is None:
            return
        self.editor.command(name)
        numbers = [number for number, place in enumerate(said.places) if place.line <= message.index]
        if numbers:
            self.editor.choose(name, numbers[-1])
            if message.again:
                self.action_open_line()

    # Methods that modes call

    def layout_now(self) -> TextLayout:
        """Return the layout of the current text."""
        return self.text.laid_out(self.state.edited.text)

    @property
    def page(self) -> int:
        """Return the number of lines that Page Down moves by."""
        return max(self.text.window - 1, 1)

    def pasted(self) -> str:
        return self.app.clipboard

    def copy_selected(self) -> None:
        if selected := self.state.edited.selected:
            self.app.copy_to_clipboard(selected)
            self.tell("sent to the terminal's clipboard")
        else:
            self.tell_how_to_quit()

    def choose(self, by: int) -> None:
        """Select another line of the current pane."""
        state = self.state
        said = self._said.get(state.pane)
        if said is not None and said.places:
            at = min(max(state.chosen.get(state.pane, 0) + by, 0), len(said.places) - 1)
            self.editor.choose(state.pane, at)
        elif state.pane == "text":
            self.text.scroll_lines(by)

    # Panes

    def action_edit_pane(self, name: PaneName) -> None:
        self.editor.command(name)

    def action_edit_turn(self, by: int) -> None:
        self.editor.command(PANES[(PANES.index(self.state.pane) + by) % len(PANES)])

    def action_open_line(self) -> None:
        """Type at the place of the selected line, or rename the selected action."""
        state = self.state
        if state.pane == "text":
            self.editor.type_text()
        elif state.pane == "actions":
            line = self.editor.action_meant()
            if line is not None and line.now is None and line.was is not None:
                self._restore(line.was)
            elif line is not None:
                self.action_rename_action()
        elif (said := self._said.get(state.pane)) is not None:
            number = state.line_chosen(state.pane, len(said.places))
            if number is None:
                return
            if (span := said.places[number].span) is None:
                self.tell("no words of the query say this")
            else:
                self.editor.select(span, typing=True)

    # Text

    def action_type_text(self) -> None:
        self.editor.type_text()

    def action_complete(self) -> None:
        """Insert the only match, or the common beginning of all matches, and offer these."""
        found = self.editor.complete()
        if not found.offers:
            expected = f": {', '.join(found.expected)} is expected" if found.expected else ""
            self.tell(f"no completion matches{expected}")

    def action_undo_edit(self) -> None:
        if not self.editor.travel(draft_typing.undo):
            self.tell("nothing to undo")

    def action_redo_edit(self) -> None:
        if not self.editor.travel(draft_typing.redo):
            self.tell("nothing to redo")

    def action_start_over(self) -> None:
        if not self.state.changed:
            self.tell("nothing changed")
            return
        self.editor.start_over()
        self.tell(f"back to the original query; {key_for('undo-edit')} restores your draft")

    def action_next_trouble(self) -> None:
        places = self.editor.troubles()
        if not places:
            self.tell("not read yet" if places is None else "no problem found")
            return
        first = self.state.edited.selection[0]
        number = next((i for i, span in enumerate(places) if span[0] > first), 0)
        self.editor.select(places[number], typing=False)
        self.tell(f"{number + 1} of {len(places)}: {key_for('type-text')} types here")

    def action_own_editor(self) -> None:
        from planscope.tui.screens.edit.external_editor import EditorTrouble, edit_elsewhere

        try:
            other = self.editor.replace_text(edit_elsewhere(self.app, self.state.draft.text))
        except (EditorTrouble, DraftError) as error:
            self.tell(str(error))
            return
        self.tell("changed in your editor" if other else "back from your editor: nothing changed")

    # Actions and limits

    def _asked_about(self, verb: str) -> Action | None:
        """Return the action that a command is for. If it was dropped, a notice says what to do first."""
        line = self.editor.action_meant()
        if line is None:
            self.editor.command("actions")
            self.tell(f"choose the action to {verb} with ↑ ↓")
            return None
        if line.now is None:
            self.tell("this action was dropped: Enter restores it")
        return line.now

    def action_add_action(self) -> None:
        change_draft.ask_for_action(self, self.editor)

    def action_rename_action(self) -> None:
        if (action := self._asked_about("rename")) is not None:
            change_draft.ask_for_name(self, self.editor, action)

    def action_drop_action(self) -> None:
        if (action := self._asked_about("drop")) is not None:
            change_draft.drop(self, self.editor, action)

    def action_set_hours(self) -> None:
        if not self.state.draft.timed:
            self.tell(f"only actions of a timed query have durations: {key_for('set-timed')} makes it timed")
        elif (action := self._asked_about("change")) is not None:
            change_draft.ask_for_hours(self, self.editor, action)

    def action_set_limits(self) -> None:
        change_draft.ask_for_limits(self, self.editor)

    def action_set_timed(self) -> None:
        timed = not self.state.draft.timed
        if change_draft.take_in(self, self.editor, lambda draft: set_timed(draft, timed)):
            self.tell(
                f"timed: every action takes one hour; {key_for('set-hours')} changes that"
                if timed
                else "not timed: only the order counts"
            )

    def _restore(self, action: Action) -> None:
        """Restore a dropped action."""
        if change_draft.take_in(self, self.editor, lambda draft: restore_action(draft, action)):
            self.tell(f"{phrases.plural(len(self.state.draft.actions), 'action')} again")

    # Leaving

    def action_leave_edit(self) -> None:
        """Go from typing to commands, and from commands out of the screen."""
        mode_of(self).escape()

    def leave(self, result: EditResult | None = None) -> None:
        """Leave with a result, or without one with the draft."""
        self.dismiss(result)

    def dismiss(self, result: EditResult | None = None) -> AwaitComplete:
        """Close the screen. Without a result, a changed draft becomes the result."""
        self.editor.close()
        return super().dismiss(result or EditResult(draft=self.state.history if self.state.changed else None))

    def action_keep_draft(self) -> None:
        if not self.state.changed:
            self.tell("nothing changed")
            return
        self.leave(EditResult(self.editor.variant()))

    @flow
    async def action_run_draft(self) -> None:
        """Ask how to run the draft, and leave with it; without an answer nothing is kept or left."""
        seen = self.editor.seen_now()
        if self.state.changed and not seen.readable:
            if seen.errors and not self.state.typing:
                self.action_next_trouble()
            self.tell(f"not run: {seen.why_not}")
            return
        made = self.editor.variant if self.state.changed else lambda: None
        if (choice := await self.ask(self, made() or self.of)) is not None:
            self.leave(EditResult(made(), choice))

    def drafts_left(self) -> int:
        drafts, own = self.work.drafts, (self.document.open_session.id, self.of.id)
        return drafts.left - (own in drafts.histories) + self.state.changed
