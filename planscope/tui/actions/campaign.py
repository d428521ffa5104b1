"""The keys of the campaign screen."""

from __future__ import annotations

from functools import partial

from planscope.tui.actions.kinds import KeyAction, act

_act = partial(act, group="Campaign", where="campaign")
_shown = partial(_act, footer=True)
_table = partial(_act, verb="show")

CAMPAIGN: tuple[KeyAction, ...] = (
    _shown("open-case", "o", "Open", help="Open the chosen run in the debugger, as Enter does."),
    _shown(
        "campaign-next-pane",
        "tab",
        "Next pane",
        help="Go from the table to its runs, and back.",
        do="next_list",
    ),
    _shown("run-campaign", "r", "Run", help="Go on with the campaign, in a process of its own."),
    _shown("stop-campaign", "X", "Stop", help="Stop the processes that run it; finished runs are kept."),
    _act("dissect-errors", "m", "Dissect", help="Find the causes of a sample of the errors."),
    _act("show-curves", "V", "Picture", help="Show or hide the curves of the success rates."),
    _act("next-wrong-case", "f", "Next failure", help="Go to the next wrong run.", verb="violation"),
    _act("copy-table", "y", "Copy", help="Copy the table as text, or write it to a file."),
    _act("other-campaign", "O", "Other", help="Show another campaign.", verb="open other"),
    _table("show-rates", "1", "Rates", help="Show the success rates by number of actions."),
    _table("show-totals", "2", "Totals", help="Show errors, Z3's checks, times and tokens."),
    _table("show-error-types", "3", "Errors", help="Show the types of errors."),
    _table("show-causes", "4", "Causes", help="Show the causes of dissected errors."),
    _table("show-topics", "5", "Topics", help="Show the topics with most errors."),
    _shown(
        "leave-campaign", "escape", "Leave", help="Go back to the debugger; the campaign runs on.", do="leave"
    ),
)
