"""Decides what keys mean while typing, while a completion is open, and while letters are commands.

Keys of the edit screen that are not in the table of actions are handled here. A mode has no state: it is chosen at each
key, by the state of the draft.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from textual import events

from planscope.debugger import draft_typing as typing
from planscope.debugger.draft_typing import Edited, Kind
from planscope.tui.controllers.draft_editor import DraftEditor
from planscope.tui.panes.hints import Hint
from planscope.tui.panes.text_editor import TextLayout


class Stage(Protocol):
    """The part of the edit screen that modes use."""

    editor: DraftEditor
    hints: list[Hint]
    """The keys of commands, for the footer."""
    typing_hints: list[Hint]

    def layout_now(self) -> TextLayout: ...
    @property
    def page(self) -> int: ...
    def choose(self, by: int) -> None: ...
    def copy_selected(self) -> None: ...
    def paste(self, text: str) -> None: ...
    def pasted(self) -> str: ...
    def leave(self) -> None: ...
    def action_complete(self) -> None: ...
    def action_undo_edit(self) -> None: ...
    def action_open_line(self) -> None: ...
    def action_drop_action(self) -> None: ...


class Commands:
    """The mode in which letters are commands and arrows select a line of the current pane."""

    _STEPS: ClassVar[dict[str, int]] = {
        "down": 1,
        "j": 1,
        "up": -1,
        "k": -1,
        "pagedown": 10,
        "pageup": -10,
        "home": -(10**6),
        "end": 10**6,
    }

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    @property
    def hints(self) -> Sequence[Hint]:
        return self.stage.hints

    def before_table(self, event: events.Key) -> bool:
        """Handle a key before the table of actions does. Return False if it is not for this mode."""
        return False

    def after_table(self, key: str) -> bool:
        """Handle a key that is not in the table of actions. Return False if it has no meaning here."""
        stage = self.stage
        if key in self._STEPS:
            stage.choose(self._STEPS[key])
        elif key == "enter":
            stage.action_open_line()
        elif key == "ctrl+z":
            stage.action_undo_edit()
        elif key == "delete" and stage.editor.state.pane == "actions":
            stage.action_drop_action()
        else:
            return False
        return True

    def escape(self) -> None:
        self.stage.leave()


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


class Typing(Commands):
    """The mode in which letters go into the text."""

    @property
    def hints(self) -> Sequence[Hint]:
        return self.stage.typing_hints

    def before_table(self, event: events.Key) -> bool:
        key = _SAME.get(event.key, event.key)
        plain = key.replace("shift+", "")
        if self._moves(plain, plain != key) or self._takes_away(key):
            return True
        verbs: dict[str, Callable[[], None]] = {
            "tab": self.stage.action_complete,
            "ctrl+@": self.stage.action_complete,
            "ctrl+z": self.stage.action_undo_edit,
            "ctrl+c": self.stage.copy_selected,
            "ctrl+v": lambda: self.stage.paste(self.stage.pasted()),
        }
        if key in verbs:
            verbs[key]()
        elif key == "enter":
            self.stage.editor.insert("\n")
        elif event.is_printable and event.character:
            self.stage.editor.insert(event.character, "type")
        else:
            return False
        return True

    def _moves(self, key: str, select: bool) -> bool:
        """Move the caret, if the key does that."""
        editor, edited = self.stage.editor, self.stage.editor.state.edited
        if key in _MOVES:
            editor.edit(_MOVES[key](edited, select=select))
        elif key in _LINES or key in ("pageup", "pagedown"):
            self._go_by_lines(key, select)
        elif key in ("home", "end"):
            editor.edit(typing.go(edited, self._line_edge(key), select=select))
        elif key in ("ctrl+home", "ctrl+end"):
            editor.edit(typing.go(edited, 0 if key == "ctrl+home" else len(edited.text), select=select))
        else:
            return False
        return True

    def _takes_away(self, key: str) -> bool:
        """Take away a part of the text, if the key does that."""
        editor, edited = self.stage.editor, self.stage.editor.state.edited
        if key in _TAKES:
            take_away, kind = _TAKES[key]
            editor.type_over(take_away(edited), kind)
        elif key in ("ctrl+u", "ctrl+k"):
            edge = self._line_edge("home" if key == "ctrl+u" else "end")
            start, end = edited.selection if edited.anchor is not None else sorted((edited.at, edge))
            editor.type_over(typing.cut_out(edited, start, end))
        elif key == "ctrl+x":
            if edited.selected:
                self.stage.copy_selected()
            editor.type_over(typing.cut_out(edited, *edited.selection))
        else:
            return False
        return True

    def after_table(self, key: str) -> bool:
        return False

    def escape(self) -> None:
        self.stage.editor.command()

    def _line_edge(self, which: str) -> int:
        layout = self.stage.layout_now()
        line = layout.line_of(self.stage.editor.state.edited.at)
        return layout.span(line)[0] if which == "home" else layout.last_caret(line)

    def _go_by_lines(self, key: str, select: bool) -> None:
        layout, edited = self.stage.layout_now(), self.stage.editor.state.edited
        by = _LINES.get(key) or (self.stage.page if key == "pagedown" else -self.stage.page)
        line = layout.line_of(edited.at)
        goal = self.stage.editor.state.goal
        column = layout.column(edited.at) if goal is None else goal
        wanted = line + by
        edge = 0 if by < 0 else len(edited.text)
        at = layout.offset_at(wanted, column) if 0 <= wanted < len(layout) else edge
        self.stage.editor.edit(typing.go(edited, at, select=select), goal=column)


class Completing(Typing):
    """The mode with an open completion: arrows select, Enter inserts; other keys continue typing."""

    _STEPS: ClassVar = {"down": 1, "up": -1, "ctrl+n": 1, "pagedown": 8, "pageup": -8}

    def before_table(self, event: events.Key) -> bool:
        editor, key = self.stage.editor, event.key
        offered, at = editor.state.offered, editor.state.at_offer
        assert offered is not None
        if key in self._STEPS:
            editor.change(at_offer=min(max(at + self._STEPS[key], 0), len(offered.offers) - 1))
        elif key in ("enter", "tab"):
            editor.take(offered.offers[at])
        elif key == "escape":
            editor.change(offered=None)
        else:
            return super().before_table(event)
        return True


def mode_of(stage: Stage) -> Commands:
    """Return the mode that the screen is in."""
    state = stage.editor.state
    if state.offered is not None:
        return Completing(stage)
    return Typing(stage) if state.typing else Commands(stage)
