"""The keys of the dissect screen."""

from __future__ import annotations

from functools import partial

from planscope.tui.actions.kinds import KeyAction, act

_act = partial(act, group="Dissecting", where="dissect")
_shown = partial(_act, footer=True)

DISSECT: tuple[KeyAction, ...] = (
    _shown(
        "dissect-all", "m", "Dissect", help="Run mutants until the cause is clear or the budget is spent."
    ),
    _shown("dissect-cell", ".", "One more run", help="Run this mutant once more; make one if there is none."),
    _shown("dissect-kind", "*", "Several", help="Make and run several more mutants of this kind."),
    _shown("stop-dissection", "X", "Stop", help="Stop; finished runs are kept and counted."),
    _shown("open-mutant", "o", "Open", help="Open the mutant's last run in the debugger."),
    _shown("compare-mutant", "d", "Compare", help="Compare the mutant with the original query."),
    _act("compare-cured", "Q", "Cured query", help="Show a query that the agent gets right beside yours."),
    _act("new-dissection", "+", "New", help="Start another dissection: agent, model, method.", verb="add"),
    _act(
        "other-dissection", "O", "Earlier", help="Show another dissection of this session.", verb="open other"
    ),
    _act("copy-dissection", "y", "Copy", help="Copy cause, rates and matrix, or write them to a file."),
    _shown(
        "leave-dissect",
        "escape",
        "Leave",
        help="Go back to the debugger; the dissection continues.",
        do="leave",
    ),
)
