"""The one table of what a key does, a file for each room.

Bindings, palette, help screen and docs/keys.md are all made from it (``planscope.tui.keys``). An action
that is not built is not in here.
"""

from __future__ import annotations

from planscope.tui.actions.compare import COMPARE
from planscope.tui.actions.debug import DEBUG, EVERYWHERE, PANES
from planscope.tui.actions.dissect import DISSECT
from planscope.tui.actions.edit import EDIT
from planscope.tui.actions.kinds import Group, KeyAction, Where
from planscope.tui.actions.library import LIBRARY

__all__ = ["ACTIONS", "BY_ID", "PANES", "Group", "KeyAction", "Where"]

ACTIONS: tuple[KeyAction, ...] = (*DEBUG, *EDIT, *COMPARE, *DISSECT, *LIBRARY, *EVERYWHERE)

BY_ID: dict[str, KeyAction] = {action.id: action for action in ACTIONS}
