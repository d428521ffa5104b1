"""The keys of the compare screen."""

from __future__ import annotations

from functools import partial

from planscope.tui.actions.kinds import KeyAction, act, shift_f

_act = partial(act, group="Comparing", where="compare")
_shown = partial(_act, footer=True)
_page = partial(_act, verb="show")

COMPARE: tuple[KeyAction, ...] = (
    _shown(
        "next-difference", "n", "Next difference", help="Go to the next row that differs.", aliases=("f8",)
    ),
    _shown(
        "previous-difference", "N", "Back", help="Go to the previous row that differs.", aliases=shift_f(8)
    ),
    _page("compare-calls", "1", "Calls", help="Show the calls side by side."),
    _page("compare-words", "2", "Query", help="Show the words of both queries."),
    _page("compare-constraints", "3", "Constraints", help="Show the constraints of both queries."),
    _page("compare-facts", "4", "Facts", help="Show agent, model, verdict and costs.", aliases=("5",)),
    _act("compare-next-page", "tab", "Next page", help="Go to the next page."),
    _act("choose-left", "[", "Choose left", help="Choose the run or query on the left."),
    _shown("choose-right", "]", "Choose right", help="Choose the run or query on the right."),
    _act("swap-sides", "%", "Swap", help="Swap left and right."),
    _act(
        "open-left",
        "O",
        "Open left",
        help="Open the left run in the debugger, at this step.",
        verb="open other",
    ),
    _shown("open-right", "o", "Open right", help="Open the right run in the debugger, at this step."),
    _act(
        "look-on-row",
        "space",
        "Scroll detail",
        help="Scroll what happened at the row.",
        verb="look",
        do="look_on",
    ),
    _act(
        "copy-comparison",
        "y",
        "Copy",
        help="Copy the comparison as text, without private values.",
    ),
    _shown("leave-compare", "escape", "Leave", help="Go back to the debugger.", do="leave"),
)
