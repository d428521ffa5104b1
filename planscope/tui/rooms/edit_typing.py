"""The keys of one who types: into the text, through it, and through what is offered there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from textual import events, on
from textual.geometry import Offset

from planscope.debugger import draft_typing as typing
from planscope.debugger.completion import Offer, complete, take
from planscope.debugger.draft import DraftError
from planscope.debugger.draft_typing import Edited, Kind
from planscope.tui.panes.edit_popup import OfferClicked
from planscope.tui.panes.edit_text import EditorPane, TextPointed
from planscope.tui.rooms.edit_live import Live

_MOVES: dict[str, Callable[..., Edited]] = {
    "left": typing.left,
    "right": typing.right,
    "ctrl+left": typing.word_left,
    "ctrl+right": typing.word_right,
}
_TAKES: dict[str, tuple[Callable[[Edited], Edited], Kind]] = {
    "backspace": (typing.backspace, "back"),
    "delete": (typing.delete, "other"),
    "ctrl+d": (typing.delete, "other"),
    "ctrl+w": (typing.backspace_word, "other"),
    "ctrl+backspace": (typing.backspace_word, "other"),
    "alt+backspace": (typing.backspace_word, "other"),
    "alt+delete": (typing.delete_word, "other"),
}
_LINES = {"up": -1, "down": 1}
_SAME = {"ctrl+a": "home", "ctrl+e": "end"}


class Typing(Live):
    """``editor`` knows where the lines of the text end."""

    editor: EditorPane
    _goal: int | None = None
    """The column that up and down keep to."""

    def type_key(self, event: events.Key) -> bool:
        """A key of one who types; False where it is none."""
        key, edited = _SAME.get(event.key, event.key), self.state.edited
        plain = key.replace("shift+", "")
        select = plain != key
        goal, self._goal = self._goal, None
        if plain in _MOVES:
            self._moved(_MOVES[plain](edited, select=select))
        elif plain in _LINES or plain in ("pageup", "pagedown"):
            self._goal = goal
            self._go_by_lines(plain, select)
        elif plain in ("home", "end"):
            self._moved(typing.go(edited, self._line_edge(plain), select=select))
        elif plain in ("ctrl+home", "ctrl+end"):
            self._moved(typing.go(edited, 0 if plain == "ctrl+home" else len(edited.text), select=select))
        elif key in _TAKES:
            take_away, kind = _TAKES[key]
            self._edited(take_away(edited), kind)
        elif key in ("ctrl+u", "ctrl+k"):
            edge = self._line_edge("home" if key == "ctrl+u" else "end")
            start, end = edited.selection if edited.anchor is not None else sorted((edited.at, edge))
            self._edited(typing.cut_out(edited, start, end))
        elif not self._other_key(key):
            if not (event.is_printable and event.character):
                self._goal = goal
                return False
            self.insert(event.character, "type")
        return True

    def _other_key(self, key: str) -> bool:
        if key == "enter":
            self.insert("\n")
        elif key == "tab" or key == "ctrl+@":
            self.action_complete()
        elif key == "ctrl+z":
            self.action_undo_edit()
        elif key == "ctrl+c":
            self._copy()
        elif key == "ctrl+x":
            self._copy()
            edited = self.state.edited
            self._edited(typing.cut_out(edited, *edited.selection))
        elif key == "ctrl+v":
            self.insert(_lines(self.app.clipboard))
        else:
            return False
        return True

    def insert(self, text: str, kind: Kind = "other") -> None:
        """Put a text in at the caret; one that is too long stays out, and that is said."""
        try:
            made = typing.put(self.state.edited, text)
        except DraftError as error:
            self.tell(str(error))
            return
        self._edited(made, kind)

    def _edited(self, edited: Edited, kind: Kind = "other") -> None:
        """What is offered follows what is typed, as long as something begins so."""
        offered = None
        if self.state.offered is not None:
            found = complete(edited.draft, edited.at)
            begun = found.offers and not found.offers[0].nearest and found.offers[0].span[0] < edited.at
            offered = found if begun else None
        self.edit(edited, kind, offered=offered, at_offer=0)

    def _moved(self, edited: Edited) -> None:
        self.edit(edited, offered=None)

    def _line_edge(self, which: str) -> int:
        layout = self.editor.layout_of_text
        line = layout.line_of(self.state.edited.at)
        return layout.span(line)[0] if which == "home" else layout.last_caret(line)

    def _go_by_lines(self, key: str, select: bool) -> None:
        layout, edited = self.editor.layout_of_text, self.state.edited
        page = max(self.editor.window - 1, 1)
        by = _LINES.get(key) or (page if key == "pagedown" else -page)
        line = layout.line_of(edited.at)
        if self._goal is None:
            self._goal = layout.column(edited.at)
        wanted = line + by
        edge = 0 if by < 0 else len(edited.text)
        at = layout.offset_at(wanted, self._goal) if 0 <= wanted < len(layout) else edge
        self._moved(typing.go(edited, at, select=select))

    def _copy(self) -> None:
        if selected := self.state.edited.selected:
            self.app.copy_to_clipboard(selected)
            self.tell("sent to the terminal's clipboard")

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        if not self.state.typing:
            self.change(typing=True, pane="text")
        self.insert(_lines(event.text))

    # Completion

    def action_complete(self) -> None:
        """Take what is the only thing to come, or what all begin with; offer the rest."""
        if not self.state.typing:
            self.change(typing=True, pane="text")
        found = complete(self.state.draft, self.state.edited.at)
        if not found.offers:
            expected = f": {', '.join(found.expected)} is expected" if found.expected else ""
            self.tell(f"nothing that is known begins so{expected}")
            return
        only = found.offers[0]
        if len(found.offers) == 1 and not only.nearest:
            self._take(only)
            return
        start, end = only.span
        if len(found.common) > end - start > 0:
            text = self.state.draft.text
            begun = text[start:end]
            made = typing.cut_out(self.state.edited, start, end, begun + found.common[len(begun) :])
            self.edit(made)
            found = complete(self.state.draft, self.state.edited.at)
        self.change(offered=found if found.offers else None, at_offer=0)

    def _take(self, offer: Offer) -> None:
        draft = self.state.draft
        text, at = take(draft.text, offer)
        self.edit(Edited(replace(draft, text=text), at), offered=None)

    def offer_key(self, key: str) -> bool:
        """A key while something is offered; False where it is none of its own."""
        offered = self.state.offered
        if offered is None:
            return False
        steps = {"down": 1, "up": -1, "ctrl+n": 1, "pagedown": 8, "pageup": -8}
        if key in steps:
            last = len(offered.offers) - 1
            self.change(at_offer=min(max(self.state.at_offer + steps[key], 0), last))
        elif key in ("enter", "tab"):
            self._take(offered.offers[self.state.at_offer])
        elif key == "escape":
            self.change(offered=None)
        else:
            return False
        return True

    @on(OfferClicked)
    def _offer_clicked(self, message: OfferClicked) -> None:
        offered = self.state.offered
        if offered is not None and message.number < len(offered.offers):
            self._take(offered.offers[message.number])

    # Mouse

    @on(TextPointed)
    def _pointed(self, message: TextPointed) -> None:
        self._goal = None
        edited = self.state.edited
        if message.word:
            edited = typing.select_word(edited, message.at)
        else:
            edited = typing.go(edited, message.at, select=message.select)
        self.edit(edited, typing=True, pane="text", offered=None)

    # History

    def action_undo_edit(self) -> None:
        self._travel(typing.undo, "nothing to undo")

    def action_redo_edit(self) -> None:
        self._travel(typing.redo, "nothing to redo")

    def _travel(self, step: Callable[[typing.History], typing.History], nothing: str) -> None:
        history = step(self.state.history)
        if history is self.state.history:
            self.tell(nothing)
            return
        self.notice = ""
        self.change(history=history, offered=None)

    def caret(self) -> Offset:
        return self.editor.caret_on_screen()


def _lines(text: str) -> str:
    """A pasted text with line ends as ours; terminals send others."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
