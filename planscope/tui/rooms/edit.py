"""The edit screen: a request's text while it is written, and beside it what becomes of it.

Two layers of keys: where one types, letters go into the text; Esc leads to the commands, and Esc again out of the
room. What was typed is never lost: it is handed to whoever opened the room.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from textual import events, on
from textual.containers import Vertical
from textual.widget import Widget

from planscope.tui.actions import ACTIONS, KeyAction
from planscope.tui.keymap import keys_of, normal, shown_key
from planscope.tui.lines import Line, Run, fitted, joined, shown, width_of
from planscope.tui.panes.box import BoxPane, LineClicked
from planscope.tui.panes.edit_actions import actions_said
from planscope.tui.panes.edit_lines import (
    Said,
    before_lines,
    constraint_lines,
    constraint_note,
    reading_lines,
    verdict,
)
from planscope.tui.panes.edit_popup import CompletionPopup
from planscope.tui.panes.edit_state import PANES, PaneName, action_lines, being_written, core_ids, moved_spans
from planscope.tui.panes.edit_text import EditorPane
from planscope.tui.panes.hints import Hint
from planscope.tui.panes.query import Painted
from planscope.tui.rooms.edit_leaving import Leaving
from planscope.tui.screens.side import SIDE_STYLE

_WHILE_TYPING: tuple[tuple[str, str, str], ...] = (
    ("leave-edit", "escape", "commands"),
    ("complete", "tab", "complete"),
    ("run-draft", "ctrl+r", "run"),
    ("keep-draft", "ctrl+s", "keep"),
    ("undo-edit", "ctrl+z", "undo"),
    ("own-editor", "ctrl+o", "your editor"),
    ("help", "f1", "help"),
)
"""What the lowest line says while one types: action, key, word."""

_LISTS: tuple[PaneName, ...] = ("reading", "constraints", "actions")


class EditRoom(Leaving):
    """Gives an ``EditResult``."""

    CSS_PATH = [SIDE_STYLE, "edit.tcss"]  # noqa: RUF012  (Textual's own way to say it)

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.by_key: dict[str, KeyAction] = {}
        self._said: dict[PaneName, Said] = {}

    def body(self) -> Iterable[Widget]:
        self.by_key = {
            normal(key): action
            for action in ACTIONS
            if action.where == "edit"
            for key in keys_of(action, self.choice)
        }
        self.typing_hints = [Hint(id, shown_key(key), word) for id, key, word in _WHILE_TYPING]
        self.editor = EditorPane(self.paint, id="text")
        self.boxes: dict[PaneName, BoxPane] = {name: BoxPane(self.paint, id=name) for name in _LISTS}
        self.before = BoxPane(self.paint, id="before")
        self.popup = CompletionPopup(self.paint, id="popup")
        yield Vertical(self.editor, self.boxes["reading"], id="left")
        yield Vertical(self.boxes["constraints"], self.boxes["actions"], id="right")
        yield self.before
        yield self.popup

    def on_mount(self) -> None:
        self.add_class("-low-actions")
        self.read()
        self.show_state()
        if self.state.changed:
            self.tell("going on with your draft; Esc 0 starts over")

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self.show_state)

    # Showing

    def named_keys(self) -> Sequence[Hint]:
        return self.typing_hints if self.state.typing else self.hints

    def show_state(self) -> None:
        if not self.is_mounted:
            return
        state = self.state
        low = state.pane == "constraints"
        if low is not self.has_class("-low-constraints"):
            self.set_class(low, "-low-constraints")
            self.set_class(not low, "-low-actions")
            self.call_after_refresh(self.show_state)  # what was hidden has no width yet
        self.editor.show(
            state.edited,
            self._painted(),
            typing=state.typing,
            current=state.pane == "text",
        )
        self._show_list("reading", "2", "Reading", ())
        self._show_list("constraints", "3", "Constraints", constraint_note(state))
        self._show_list("actions", "4", "Actions", ())
        if self.has_class("-broad"):
            self._show_before()
        self.popup.offer(state.offered, state.at_offer, self.editor.caret_on_screen())
        self.show_bars()

    def _show_list(self, name: PaneName, number: str, title: str, note: Sequence[Run]) -> None:
        box = self.boxes[name]
        box.measure()
        width = max(box.inner_width - 1, 10)
        make = {"reading": reading_lines, "constraints": constraint_lines, "actions": actions_said}[name]
        said = self._said[name] = make(self.state, width)
        chosen = self.state.line_chosen(name, len(said.places))
        at = None if chosen is None else said.places[chosen].line
        box.set_content(
            [
                Line((Run("▶" if i == at else " ", "mark"), *runs), ground)
                for i, (runs, ground) in enumerate(said.lines)
            ],
            title=(Run(number, "number"), Run(f" {title}", "title")),
            note=note,
            current=self.state.pane == name,
            reveal=at,
        )

    def _show_before(self) -> None:
        """The parent's text, with the words of what is gone."""
        self.before.measure()
        gone = (
            [row.constraint for row in self.state.seen.rows if row.became == "gone"]
            if self.state.seen
            else []
        )
        spans = sorted({span for c in gone for span in c.spans if span[0] < span[1]})
        lines = before_lines(self.state.before.text, tuple(spans), max(self.before.inner_width, 10))
        note = () if self.state.changed else (Run("as it is", "dim"),)
        self.before.set_content(lines, title=(Run("Before", "title"),), note=note)

    def _painted(self) -> list[Painted]:
        """What the last reading marks in the text, moved along with what was typed since."""
        state, seen = self.state, self.state.seen
        if seen is None:
            return []
        spans = [(known.span, "action" if known.action else "relation") for known in seen.known]
        if seen.problem is not None:
            core = [c for id in core_ids(state) if (c := seen.problem.by_id.get(id)) is not None]
            spans += [(span, "core-words") for c in core for span in c.spans if span[0] < span[1]]
        spans += [(span, "lit") for span in self._lit()]
        for error in seen.errors:
            if not being_written(state, error):
                start, end = error.span
                spans.append(((start, end) if start < end else (max(start - 1, 0), start), "wrong-words"))
        return moved_spans(spans, seen.draft.text, state.draft.text)

    def _lit(self) -> list[tuple[int, int]]:
        """What belongs to the line that is chosen in a pane."""
        state, seen = self.state, self.state.seen
        said = self._said.get(state.pane)
        if seen is None or said is None or state.typing:
            return []
        number = state.line_chosen(state.pane, len(said.places))
        if number is None:
            return []
        if state.pane == "actions":
            lines = action_lines(state)
            line = lines[number] if number < len(lines) else None
            id = line.now.id if line is not None and line.now is not None else ""
            return [known.span for known in seen.known if id and known.action == id]
        if state.pane == "constraints" and number < len(seen.rows):
            row = seen.rows[number]
            spans = row.constraint.spans if row.became in ("added", "same") else ()
            return [span for span in spans if span[0] < span[1]]
        return []

    def heading(self) -> tuple[Sequence[Run], Sequence[Run]]:
        title = shown(self.document.title or "untitled", 40)
        of = shown(self.of.id, 20)
        made = f"{of} → a new variant" if self.state.changed else of
        right = list(verdict(self.state))
        if self.state.changed:
            right += [Run(" │ ", "faint"), Run("not kept yet", "caution")]
        brand = [Run(" edit ", "brand"), Run(" ")]
        room = self.app.size.width - 4 - width_of([*brand, *right])
        parts = [(1, [Run(title, "strong")]), (0, [Run(made, "dim")])]
        return [*brand, *joined(fitted(parts, room))], right

    # Keys

    async def on_key(self, event: events.Key) -> None:
        """Every key of this room, one after the other; those of every room go on to where they are bound."""
        key, typing = event.key, self.state.typing
        offered = self.state.offered is not None
        if (offered and self.offer_key(key)) or (typing and self.type_key(event)):
            pass
        elif (action := self.by_key.get(key)) is not None:
            await self.run_action(action.method)
        elif typing or not self._pane_key(key):
            return
        event.stop()
        event.prevent_default()

    def _pane_key(self, key: str) -> bool:
        steps = {"down": 1, "up": -1, "pagedown": 10, "pageup": -10, "home": -(10**6), "end": 10**6}
        if key in steps:
            self._choose(steps[key])
        elif key == "enter":
            self.action_open_line()
        elif key == "ctrl+z":
            self.action_undo_edit()
        elif key == "delete" and self.state.pane == "actions":
            self.action_drop_action()
        else:
            return False
        return True

    def _choose(self, by: int) -> None:
        state = self.state
        said = self._said.get(state.pane)
        if said is None or not said.places:
            if state.pane == "text":
                self.editor.scroll_lines(by)
            return
        at = min(max(state.chosen.get(state.pane, 0) + by, 0), len(said.places) - 1)
        self.notice = ""
        self.change(chosen={**state.chosen, state.pane: at})

    def action_open_line(self) -> None:
        """Enter: type where the chosen line points to; rename the chosen action."""
        state = self.state
        said = self._said.get(state.pane)
        number = state.line_chosen(state.pane, len(said.places)) if said is not None else None
        if state.pane == "text":
            self.action_type_text()
        elif state.pane == "actions":
            line = self.line_of_action()
            if line is not None and line.now is None and line.was is not None:
                self.restore(line.was)
            elif line is not None:
                self.action_rename_action()
        elif said is not None and number is not None:
            if said.places[number].span is None:
                self.tell("no words of the request as it is say this")
            else:
                self.go_to_words(said.places[number].span)

    def action_type_text(self) -> None:
        self.notice = ""
        self.change(pane="text", typing=True)

    def action_edit_pane(self, name: PaneName) -> None:
        self.notice = ""
        self.change(pane=name, typing=False, offered=None)

    def action_edit_next_pane(self) -> None:
        self.action_edit_pane(PANES[(PANES.index(self.state.pane) + 1) % len(PANES)])

    def action_edit_previous_pane(self) -> None:
        self.action_edit_pane(PANES[(PANES.index(self.state.pane) - 1) % len(PANES)])

    @on(LineClicked)
    def _line_clicked(self, message: LineClicked) -> None:
        name = next((name for name in _LISTS if name == message.box), None)
        said = self._said.get(name) if name is not None else None
        if name is None or said is None:
            return
        numbers = [number for number, place in enumerate(said.places) if place.line <= message.index]
        chosen = dict(self.state.chosen)
        if numbers:
            chosen[name] = numbers[-1]
        self.change(pane=name, typing=False, offered=None, chosen=chosen)
        if message.again and numbers:
            self.action_open_line()
