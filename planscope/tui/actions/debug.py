"""What a key does on the debug screen, and on every one."""

from __future__ import annotations

from planscope.tui.actions.kinds import Group, KeyAction, act, shift_f

_S: Group = "Stepping"
_B: Group = "Breakpoints and watches"
_L: Group = "Looking"
_R: Group = "Running"
_P: Group = "Panes"
_E: Group = "Session and screen"

PANES: tuple[str, ...] = ("query", "tree", "constraints", "timeline", "step")
"""The panes of the debug screen by their digit."""


def _pane(number: int, name: str) -> KeyAction:
    return KeyAction(
        f"show-pane-{name}",
        (str(number),),
        f"{name.capitalize()} pane",
        f"Go to the {name} pane.",
        _P,
        parameter=name,
    )


DEBUG: tuple[KeyAction, ...] = (
    act(
        "next-call",
        "n",
        "Next",
        "Go to the next call; do the call that waits.",
        _S,
        ("right", "f8"),
        footer=True,
    ),
    act("previous-call", "N", "Back", "Go back to the call before.", _S, ("left", *shift_f(8)), footer=True),
    act("next-check", "s", "Next check", "Go through what this step changed, then on.", _S, ("f7",)),
    act("previous-check", "S", "Previous check", "Go through the same checks backwards.", _S, shift_f(7)),
    act(
        "continue",
        "c",
        "Continue",
        "Go on to the next breakpoint or violation; let the run go on.",
        _S,
        ("f5",),
    ),
    act(
        "continue-back",
        "C",
        "Continue back",
        "Go back to the breakpoint or violation before.",
        _S,
        shift_f(5),
    ),
    act("first-violation", "f", "First violation", "Go to where the plan was lost.", _S, footer=True),
    act("go-start", "g", "Start", "Go to before the first call.", _S, ("home",)),
    act("go-end", "G", "End", "Go to the end of the run.", _S, ("end",)),
    act("go-to-step", "J", "Go to step", "Ask for a step and go there.", _S),
    act("toggle-breakpoint", "b", "Breakpoint", "Set or clear a breakpoint at this step.", _B, ("f9",)),
    act("list-breakpoints", "B", "Breakpoints", "List, add and remove breakpoints.", _B, shift_f(9)),
    act("watch", "w", "Watch", "Add or remove a watch expression.", _B),
    act("explain", "x", "Explain", "Say why the plan is lost: the core in plain words.", _L, footer=True),
    act("search", "/", "Search", "Search in query, calls, answers and constraints.", _L),
    act("next-hit", "h", "Next hit", "Go to the next place that the search found.", _L, ("f3",)),
    act("previous-hit", "H", "Previous hit", "Go to the one before.", _L, shift_f(3)),
    act("deselect", "escape", "Deselect", "Drop the selection; leave a zoomed pane.", _L),
    act("edit", "e", "Edit", "Change the request: its text, its actions, its limits.", _R),
    act("rerun", "r", "Rerun", "Run the request again, with the same agent and model or others.", _R),
    act("fork", "F", "Fork", "Run on from this step, with another answer, request or model.", _R),
    act("dissect", "m", "Dissect", "Find out what in the request makes the agent fail.", _L),
    act("compare", "d", "Compare", "Compare with another run or request, side by side.", _L),
    act("play", "p", "What if", "Play the next calls yourself, and see what becomes of the plan.", _R),
    act("take-back", "u", "Take back", "Take back the last call that was played.", _R, ("backspace",)),
    act("later-hour", "+", "Later", "Play the chosen call an hour later.", _R),
    act("earlier-hour", "-", "Earlier", "Play the chosen call an hour earlier.", _R),
    act("keep-play", "K", "Keep", "Keep what was played as a run of the session.", _R),
    act("pause-run", "P", "Pause", "Pause the run under way before its next call.", _R),
    act("stop-run", "X", "Stop run", "End the run under way at once; what happened is kept.", _R),
    act("edit-arguments", "a", "Edit arguments", "Change the arguments of the call that waits.", _R),
    act("edit-answer", "A", "Edit answer", "Change what the tool will answer to the call that waits.", _R),
    act("refuse-call", "R", "Refuse", "Keep the call that waits from its tool, and tell the agent why.", _R),
    *(_pane(number, name) for number, name in enumerate(PANES, 1)),
    act("next-pane", "tab", "Next pane", "Go to the next pane.", _P),
    act("previous-pane", "shift+tab", "Previous pane", "Go to the pane before.", _P),
    act("zoom", "z", "Zoom", "Fill the screen with this pane, or undo that.", _P),
    act("narrower", "<", "Narrower", "Make this pane narrower; its neighbour grows.", _P),
    act("wider", ">", "Wider", "Make this pane wider; borders can be dragged, too.", _P),
    act("lower", "{", "Lower", "Make this pane lower.", _P),
    act("higher", "}", "Higher", "Make this pane higher.", _P),
    act("hide-pane", "_", "Hide pane", "Hide this pane; its digit shows it again.", _P),
    act("toggle-inspector", "I", "Inspector", "Hide the inspector, or show it again.", _P),
    act("reset-layout", "=", "Reset panes", "Show all panes, in the sizes that they had at first.", _P),
    act("copy", "y", "Copy", "Copy what the pane shows, or write it to a file.", _E),
    act("choose-run", "o", "Runs", "Choose another run of this session.", _E),
    act("save", "ctrl+s", "Save", "Save now; all changes are saved a moment later anyway.", _E),
    act("share", "E", "Share", "Write this run for other people, with what is private replaced.", _E),
    act("library", "L", "Library", "Your sessions and the bundled ones: open, make, rename, delete.", _E),
    act("describe", "D", "Describe", "Read and change the session's title and notes.", _E),
)

EVERYWHERE: tuple[KeyAction, ...] = (
    act("choose-theme", "ctrl+t", "Theme", "Choose a theme.", _E, where="everywhere"),
    act("palette", "ctrl+p", "Palette", "Find an action by its name.", _E, where="everywhere"),
    act("help", "?", "Help", "Show all keys.", _E, ("f1",), where="everywhere", footer=True),
    act(
        "quit",
        "q",
        "Quit",
        "Leave planscope; asks once while a run is under way.",
        _E,
        ("ctrl+q",),
        where="everywhere",
    ),
)
"""What every room has."""
