"""What a key does in the dissect room."""

from __future__ import annotations

from functools import partial

from planscope.tui.actions.kinds import KeyAction, act

_act = partial(act, group="Dissecting", where="dissect")
_shown = partial(_act, footer=True)

DISSECT: tuple[KeyAction, ...] = (
    _shown("dissect-all", "m", "Dissect", help="Run what the method wants, until the cause is clear."),
    _shown("dissect-kind", "k", "Kind", help="Make and run one more mutant of this kind, or several."),
    _shown("dissect-cell", "s", "Single", help="Run this mutant once more; where there is none, make one."),
    _shown("stop-dissection", "X", "Stop", help="Stop; what was run stays and counts."),
    _shown("open-mutant", "o", "Open", help="Open the mutant's last run in the debugger."),
    _shown("compare-mutant", "d", "Compare", help="Compare the mutant with the request that is dissected."),
    _act("new-dissection", "n", "New", help="Begin another dissection, with another agent, model or method."),
    _act("other-dissection", "g", "Earlier", help="Look at another dissection of this session."),
    _act("copy-dissection", "y", "Copy", help="Copy cause, rates and matrix, or write them to a file."),
    _shown("leave-dissect", "escape", "Leave", help="Go back to the debugger; a dissection goes on."),
)
