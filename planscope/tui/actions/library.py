"""The keys of the library screen."""

from __future__ import annotations

from functools import partial

from planscope.tui.actions.kinds import KeyAction, act

_act = partial(act, group="Library", where="library")
_shown = partial(_act, footer=True)
_place = partial(_act, verb="show")

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
    _act("filter-verdict", "v", "Verdict", verb="filter", help="Show only the sessions with one verdict."),
    _act("filter-error", "!", "Error type", help="Show only the sessions with one type of error."),
    _act("sort-sessions", ",", "Sort", help="Sort by date, title, verdict, model or size."),
    _act("reverse-sessions", ";", "Reverse", help="Reverse the order."),
    _act("empty-trash", "Z", "Empty trash", help="Delete the sessions in the trash for good."),
    _place("show-all-sessions", "1", "All", help="Show your sessions and the bundled ones."),
    _place("show-my-sessions", "2", "Mine", help="Show only your own sessions."),
    _place("show-bundled-sessions", "3", "Bundled", help="Show only the sessions that ship with planscope."),
    _place("show-trash", "4", "Trash", help="Show deleted sessions."),
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
