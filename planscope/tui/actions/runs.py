"""The keys of the list of runs."""

from __future__ import annotations

from functools import partial

from planscope.tui.actions.kinds import KeyAction, act

_act = partial(act, group="Runs", where="runs")
_shown = partial(_act, footer=True)

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
