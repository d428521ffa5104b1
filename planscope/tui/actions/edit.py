"""What a key does on the edit screen. Where one types, letters go into the text and the other keys stay."""

from __future__ import annotations

from planscope.tui.actions.kinds import Group, KeyAction, act

_T: Group = "Editing a request"
_P: Group = "Panes"


def _pane(number: int, name: str, title: str, help: str) -> KeyAction:
    return KeyAction(f"edit-pane-{name}", (str(number),), title, help, _P, where="edit", parameter=name)


EDIT: tuple[KeyAction, ...] = (
    act(
        "type-text",
        "i",
        "Type",
        "Type in the text; Esc ends that.",
        _T,
        where="edit",
        footer=True,
    ),
    act(
        "run-draft",
        "r",
        "Run",
        "Keep the draft as a new variant, and run it.",
        _T,
        ("ctrl+r",),
        where="edit",
        footer=True,
    ),
    act(
        "keep-draft",
        "k",
        "Keep",
        "Keep the draft as a new variant.",
        _T,
        ("ctrl+s",),
        where="edit",
        footer=True,
    ),
    act("undo-edit", "u", "Undo", "Undo the last change, of text or actions.", _T, where="edit", footer=True),
    act("redo-edit", "U", "Redo", "Redo what was undone.", _T, ("ctrl+y",), where="edit"),
    act(
        "complete",
        "ctrl+n",
        "Complete",
        "Offer what can come next, as Tab does in the text.",
        _T,
        where="edit",
    ),
    act(
        "next-trouble",
        "f",
        "Next problem",
        "Go to the next error or contradiction.",
        _T,
        where="edit",
        footer=True,
    ),
    act(
        "own-editor",
        "ctrl+o",
        "Your editor",
        "Edit the text in your own $EDITOR.",
        _T,
        where="edit",
    ),
    act("add-action", "a", "Add action", "Add an action to the request.", _T, where="edit"),
    act(
        "rename-action",
        "n",
        "Rename",
        "Rename the action and its tool, in the text too.",
        _T,
        where="edit",
    ),
    act("drop-action", "d", "Drop action", "Take the action out of the request.", _T, where="edit"),
    act("set-hours", "h", "Hours", "Change how long the action takes.", _T, where="edit"),
    act("set-limits", "l", "Limits", "Change a run's limits: seconds, model calls.", _T, where="edit"),
    act("set-timed", "t", "Timed", "With clock times and hours, or without.", _T, where="edit"),
    act(
        "start-over",
        "0",
        "Start over",
        "Go back to the request as it was.",
        _T,
        where="edit",
    ),
    act(
        "leave-edit",
        "escape",
        "Leave",
        "Stop typing; then leave. The draft is kept.",
        _T,
        where="edit",
        footer=True,
    ),
    _pane(1, "text", "Request pane", "Go to the text."),
    _pane(2, "reading", "Reading pane", "Go to the errors, or to what contradicts itself."),
    _pane(3, "constraints", "Diff pane", "Go to the constraints beside those before."),
    _pane(4, "actions", "Actions pane", "Go to the actions and limits."),
    act("edit-next-pane", "tab", "Next edit pane", "Go to the next pane.", _P, where="edit"),
    act("edit-previous-pane", "shift+tab", "Previous edit pane", "Go to the pane before.", _P, where="edit"),
)
