"""The keys of the edit screen. While you type, letters go into the text and the other keys keep their meaning."""

from __future__ import annotations

from functools import partial

from planscope.tui.actions.kinds import KeyAction

_act = partial(KeyAction, group="Editing a query", where="edit")
_shown = partial(_act, footer=True)
_move = partial(KeyAction, group="Panes", where="edit")


def _pane(number: int, name: str, title: str, about: str) -> KeyAction:
    return _move(f"edit-pane-{name}", str(number), title, about, parameter=name, verb="show")


EDIT: tuple[KeyAction, ...] = (
    _shown("type-text", "i", "Type", help="Type in the text; Esc stops typing."),
    _shown("run-draft", "r", "Run", help="Keep the draft as a new variant and run it.", aliases=("ctrl+r",)),
    _shown("keep-draft", "K", "Keep", help="Keep the draft as a new variant.", aliases=("ctrl+s",)),
    _shown("undo-edit", "u", "Undo", help="Undo the last change of text or actions."),
    _act("redo-edit", "U", "Redo", help="Redo the last change that was undone.", aliases=("ctrl+y",)),
    _act("complete", "ctrl+n", "Complete", help="List what can come next, as Tab does while you type."),
    _shown(
        "next-trouble", "f", "Next problem", help="Go to the next error or contradiction.", verb="violation"
    ),
    _act("own-editor", "ctrl+o", "Your editor", help="Edit the text in your own $EDITOR."),
    _act("add-action", "+", "Add action", help="Add an action to the query."),
    _act(
        "rename-action",
        "D",
        "Rename",
        help="Rename the action and its tool, also in the text.",
        verb="describe",
    ),
    _act("drop-action", "-", "Drop action", help="Remove the action from the query.", verb="remove"),
    _act("set-hours", "T", "Takes", help="Change how many hours the action takes."),
    _act("set-limits", "l", "Limits", help="Change a run's limits: seconds, model calls."),
    _act("set-timed", "t", "Timed", help="Switch clock times and hours on or off."),
    _act("start-over", "0", "Start over", help="Go back to the original query."),
    _shown("leave-edit", "escape", "Leave", help="Stop typing; then leave. The draft is kept."),
    _pane(1, "text", "Query pane", "Go to the text."),
    _pane(2, "reading", "Reading pane", "Go to the errors or the contradiction."),
    _pane(3, "constraints", "Diff pane", "Go to the constraints, compared with those before."),
    _pane(4, "actions", "Actions pane", "Go to the actions and limits."),
    _move("edit-next-pane", "tab", "Next edit pane", "Go to the next pane."),
    _move("edit-previous-pane", "shift+tab", "Previous edit pane", "Go to the previous pane."),
)
