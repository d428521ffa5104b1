"""What a key does in the library."""

from __future__ import annotations

from functools import partial

from planscope.tui.actions.kinds import KeyAction, act

_act = partial(act, group="Library", where="library")
_shown = partial(_act, footer=True)

LIBRARY: tuple[KeyAction, ...] = (
    _shown("search-sessions", "/", "Search", help="Look for words in title, agent, model, verdict, error."),
    _shown("open-session", "o", "Open", help="Open the session in the debugger, as Enter does."),
    _shown("new-session", "n", "New", help="Make a request whose constraints are known, as a new session."),
    _shown("rename-session", "r", "Rename", help="Give the session another name or title."),
    _shown("copy-session", "c", "Copy", help="Copy the session into your library."),
    _shown("delete-session", "d", "Delete", help="Move the session to the trash."),
    _shown(
        "restore-session", "u", "Restore", help="Take the session out of the trash, or the last one deleted."
    ),
    _act("filter-verdict", "v", "Verdict", help="Show sessions of one verdict alone."),
    _act("filter-error", "t", "Error type", help="Show sessions of one type of error alone."),
    _act("sort-sessions", "s", "Sort", help="Sort by date, title, verdict, model or size."),
    _act("reverse-sessions", "S", "Reverse", help="Turn the order round."),
    _act("empty-trash", "X", "Empty trash", help="Remove what is in the trash for good."),
    _act("show-all-sessions", "1", "All", help="Show your sessions and the bundled ones."),
    _act("show-my-sessions", "2", "Mine", help="Show your own sessions alone."),
    _act("show-bundled-sessions", "3", "Bundled", help="Show the sessions that ship with planscope."),
    _act("show-trash", "4", "Trash", help="Show what was deleted."),
    _act("copy-session-path", "y", "Copy path", help="Send the path of the session's file to the clipboard."),
    _act("look-on", "space", "Look on", help="Scroll what the chosen session holds."),
    _shown("leave-library", "escape", "Leave", help="Stop searching; then go back to the debugger."),
)
