"""The keys of the screens that open over the debug screen, a table for each."""

from __future__ import annotations

from functools import partial

from planscope.tui.actions.kinds import Group, KeyAction, Where, shift_f


def _keys(group: Group, where: Where) -> tuple[partial[KeyAction], partial[KeyAction], partial[KeyAction]]:
    """Return how to make a row of a screen's table: any, one that the footer names, and one that shows something."""
    row = partial(KeyAction, group=group, where=where)
    return row, partial(row, footer=True), partial(row, verb="show")


_act, _shown, _show = _keys("Comparing", "compare")
COMPARE: tuple[KeyAction, ...] = (
    _shown(
        "next-difference",
        "n",
        "Next difference",
        help="Go to the next row that differs.",
        aliases=("f8",),
        do="difference(1)",
    ),
    _shown(
        "previous-difference",
        "N",
        "Back",
        help="Go to the previous row that differs.",
        aliases=shift_f(8),
        do="difference(-1)",
    ),
    _show("compare-calls", "1", "Calls", help="Show the calls side by side.", do="page('calls')"),
    _show("compare-words", "2", "Query", help="Show the words of both queries.", do="page('words')"),
    _show(
        "compare-constraints",
        "3",
        "Constraints",
        help="Show the constraints of both queries.",
        do="page('constraints')",
    ),
    _show(
        "compare-facts",
        "4",
        "Facts",
        help="Show agent, model, verdict and costs.",
        aliases=("5",),
        do="page('facts')",
    ),
    _act("compare-next-page", "tab", "Next page", help="Go to the next page."),
    _act("choose-left", "[", "Choose left", help="Choose the run or query on the left.", do="choose('left')"),
    _shown(
        "choose-right",
        "]",
        "Choose right",
        help="Choose the run or query on the right.",
        do="choose('right')",
    ),
    _act("swap-sides", "%", "Swap", help="Swap left and right."),
    _act(
        "open-left",
        "O",
        "Open left",
        help="Open the left run in the debugger, at this step.",
        verb="open other",
        do="open(0)",
    ),
    _shown(
        "open-right",
        "o",
        "Open right",
        help="Open the right run in the debugger, at this step.",
        do="open(1)",
    ),
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

_act, _shown, _show = _keys("Dissecting", "dissect")
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

_act, _shown, _show = _keys("Runs", "runs")
RUNS: tuple[KeyAction, ...] = (
    _shown(
        "search-runs",
        "/",
        "Search",
        help="Search in number, id, verdict, error, step, model, query.",
        do="search",
    ),
    _shown("open-run", "o", "Open", help="Open the run or query, as Enter does."),
    _shown("next-failure", "f", "Next failure", help="Go to the next wrong run.", verb="violation"),
    _shown("filter-runs", "v", "Filter", help="Show runs of one verdict, error, lost step, model or query."),
    _shown(
        "delete-run", "- delete", "Delete", help="Delete the run or query; u takes it back.", verb="remove"
    ),
    _shown("take-back-run", "u", "Take back", help="Undo the last deletion.", verb="undo"),
    _act("compare-run", "d", "Compare", help="Compare the run with the one in the debugger."),
    _act("share-run", "E", "Share", help="Write this run, or the listed ones, to a file for others."),
    _act("empty-runs", "Z", "Empty trash", help="Delete for good what was deleted in this session."),
    _act(
        "look-on-run",
        "space",
        "Scroll run",
        help="Scroll the calls of the chosen run.",
        verb="look",
        do="look_on",
    ),
    _act(
        "runs-next-pane",
        "tab",
        "Next pane",
        help="Go to the histogram of lost steps, and back.",
        do="next_list",
    ),
    _shown(
        "leave-runs",
        "escape",
        "Leave",
        help="Clear search and filters; then go to the debugger.",
        do="end_search",
    ),
)

_act, _shown, _show = _keys("Findings", "findings")
FINDINGS: tuple[KeyAction, ...] = (
    _shown("open-step", "o", "Open step", help="Open a step of a run that failed so, as Enter does."),
    _shown(
        "copy-reproducer",
        "y",
        "Copy test",
        help="Copy a test that fails as the tool does, or write it to a file.",
    ),
    _shown(
        "run-fuzzer",
        "r",
        "Run",
        help="Fuzz tools: asks for the target, and shows the discovery curve while it runs.",
    ),
    _act("stop-fuzzer", "X", "Stop", help="Stop the search; what it found is kept."),
    _shown(
        "label-finding",
        "v",
        "Label",
        help="Label the finding: true, false, none. The false discovery rate comes from the labels.",
    ),
    _shown(
        "specify-finding",
        "i",
        "Specified",
        help="Say how the documentation is at fault: under-, over- or ill-specified, nothing.",
    ),
    _act(
        "hide-verdicts",
        "_",
        "Hide verdicts",
        help="Hide what planscope and the model concluded, in random order, so that it does not sway labels; show it.",
    ),
    _shown(
        "look-on-finding", "space", "Scroll", help="Scroll the chosen finding.", verb="look", do="look_on"
    ),
    _shown("leave-findings", "escape", "Leave", help="Go back to the debugger."),
)

_act, _shown, _show = _keys("Library", "library")
LIBRARY: tuple[KeyAction, ...] = (
    _shown(
        "search-sessions",
        "/",
        "Search",
        help="Search in title, agent, model, verdict and error.",
        do="search",
    ),
    _shown("open-session", "o", "Open", help="Open the session in the debugger, as Enter does."),
    _shown(
        "new-session",
        "+",
        "New",
        help="Make a new session: write your own query, or have a random one made.",
        verb="add",
    ),
    _shown("rename-session", "D", "Rename", help="Change the session's name or title.", verb="describe"),
    _shown("copy-session", "y", "Copy", help="Copy the session into your library."),
    _shown("delete-session", "- delete", "Delete", help="Move the session to the trash.", verb="remove"),
    _shown(
        "restore-session",
        "u",
        "Restore",
        help="Restore the chosen session, or the last one you deleted.",
        verb="undo",
    ),
    _act(
        "filter-verdict",
        "v",
        "Verdict",
        verb="filter",
        help="Show only the sessions with one verdict.",
        do="filter('Verdict', 'verdict')",
    ),
    _act(
        "filter-error",
        "!",
        "Error type",
        help="Show only the sessions with one type of error.",
        do="filter('Type of error', 'error_type')",
    ),
    _act("sort-sessions", ",", "Sort", help="Sort by date, title, verdict, model or size."),
    _act("reverse-sessions", ";", "Reverse", help="Reverse the order."),
    _act("empty-trash", "Z", "Empty trash", help="Delete the sessions in the trash for good."),
    _show(
        "show-all-sessions", "1", "All", help="Show your sessions and the bundled ones.", do="place('all')"
    ),
    _show("show-my-sessions", "2", "Mine", help="Show only your own sessions.", do="place('library')"),
    _show(
        "show-bundled-sessions",
        "3",
        "Bundled",
        help="Show only the sessions that ship with planscope.",
        do="place('bundled')",
    ),
    _show("show-trash", "4", "Trash", help="Show deleted sessions.", do="place('trash')"),
    _act("copy-session-path", "Y", "Copy path", help="Send the path of the session's file to the clipboard."),
    _act("look-on", "space", "Scroll preview", help="Scroll the preview of the chosen session.", verb="look"),
    _shown(
        "leave-library",
        "escape",
        "Leave",
        help="Stop searching; then go back to the debugger.",
        do="end_search",
    ),
)

_act, _shown, _show = _keys("Campaign", "campaign")
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
    _show(
        "show-rates", "1", "Rates", help="Show the success rates by number of actions.", do="table('rates')"
    ),
    _show(
        "show-totals", "2", "Totals", help="Show errors, Z3's checks, times and tokens.", do="table('totals')"
    ),
    _show("show-error-types", "3", "Errors", help="Show the types of errors.", do="table('errors')"),
    _show("show-causes", "4", "Causes", help="Show the causes of dissected errors.", do="table('causes')"),
    _show("show-topics", "5", "Topics", help="Show the topics with most errors.", do="table('topics')"),
    _shown(
        "leave-campaign", "escape", "Leave", help="Go back to the debugger; the campaign runs on.", do="leave"
    ),
)
