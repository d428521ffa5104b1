"""The table of all keys: those of the debug screen, of the edit screen, and of the others.

Bindings, palette, help and docs/keys.md are made from it (``planscope.tui.keys``). It lists only actions that exist.
"""

from __future__ import annotations

from planscope.tui.actions.debug import DEBUG, EVERYWHERE, PANES
from planscope.tui.actions.edit import EDIT
from planscope.tui.actions.kinds import Group, KeyAction, Where
from planscope.tui.actions.lists import CAMPAIGN, COMPARE, DISSECT, FINDINGS, LIBRARY, RUNS

__all__ = ["ACTIONS", "BY_ID", "DIFFERENT", "PANES", "Group", "KeyAction", "Where"]

ACTIONS: tuple[KeyAction, ...] = (
    *DEBUG,
    *EDIT,
    *COMPARE,
    *DISSECT,
    *RUNS,
    *FINDINGS,
    *LIBRARY,
    *CAMPAIGN,
    *EVERYWHERE,
)

BY_ID: dict[str, KeyAction] = {action.id: action for action in ACTIONS}

DIFFERENT: tuple[tuple[str, Where, str], ...] = (
    (
        "+",
        "debug",
        "In what-if play + takes the chosen call's next hour or arguments; on other screens it adds something.",
    ),
    (
        "-",
        "debug",
        "In what-if play - takes the chosen call's hour or arguments before; on other screens it removes something.",
    ),
    (
        "t",
        "edit",
        "On the edit screen t switches clock times; on the debug screen it shows what fuzzing found.",
    ),
    (
        "v",
        "findings",
        "On the findings screen v goes round the labels; in lists of runs and sessions it filters by verdict.",
    ),
    (
        "i",
        "findings",
        "On the findings screen i says how the documentation is specified; on the edit screen it types.",
    ),
    ("ctrl+s", "edit", "Ctrl+s saves; on the edit screen it saves the draft as a new variant."),
)
"""Keys that mean something else on one screen than on the others: key, screen, reason."""
