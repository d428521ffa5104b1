"""What a key does in the compare room."""

from __future__ import annotations

from functools import partial

from planscope.tui.actions.kinds import KeyAction, act, shift_f

_act = partial(act, group="Comparing", where="compare")
_shown = partial(_act, footer=True)

COMPARE: tuple[KeyAction, ...] = (
    _shown(
        "next-difference", "n", "Next difference", help="Go to the next row that differs.", aliases=("f8",)
    ),
    _shown("previous-difference", "N", "Back", help="Go to the difference before.", aliases=shift_f(8)),
    _act("compare-calls", "1", "Calls", help="Show the calls beside each other."),
    _act("compare-words", "2", "Request", help="Show the words of both requests."),
    _act("compare-constraints", "3", "Constraints", help="Show what each request asks for."),
    _act("compare-tree", "4", "Tree", help="Show both syntax trees."),
    _act("compare-facts", "5", "Facts", help="Show agent, model, verdict and costs."),
    _act("compare-next-page", "tab", "Next page", help="Go to the next page."),
    _act("choose-left", "a", "Choose left", help="Compare another run or request, at the left."),
    _shown("choose-right", "b", "Choose right", help="Compare another run or request, at the right."),
    _act("swap-sides", "s", "Swap", help="Let left and right change places."),
    _act("open-left", "l", "Open left", help="Open the left run in the debugger, at this step."),
    _shown("open-right", "r", "Open right", help="Open the right run in the debugger, at this step."),
    _act("copy-comparison", "y", "Copy", help="Copy it as Markdown, or write it to a file."),
    _shown("leave-compare", "escape", "Leave", help="Go back to the debugger."),
)
