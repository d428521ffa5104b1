"""The keys of the debug screen, and those of every screen."""

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
    title, help = f"{name.capitalize()} pane", f"Go to the {name} pane."
    return act(f"show-pane-{name}", str(number), title, help, _P, parameter=name, verb="show")


DEBUG: tuple[KeyAction, ...] = (
    act(
        "next-call",
        "n",
        "Next",
        "Go to the next call; run the paused call.",
        _S,
        ("right", "f8", "f10"),
        footer=True,
    ),
    act(
        "previous-call",
        "N",
        "Back",
        "Go to the previous call.",
        _S,
        ("left", *shift_f(8)),
        footer=True,
    ),
    act(
        "next-check",
        "s",
        "Next check",
        "Go to the next constraint that this step changed; then to the next step.",
        _S,
        ("f7", "f11"),
    ),
    act(
        "previous-check",
        "S",
        "Previous check",
        "Go to the previous constraint that changed.",
        _S,
        shift_f(7),
    ),
    act(
        "continue",
        "c",
        "Continue",
        "Go to the next breakpoint or violation; let a paused run continue.",
        _S,
        ("f5",),
    ),
    act(
        "continue-back",
        "C",
        "Continue back",
        "Go to the previous breakpoint or violation.",
        _S,
        shift_f(5),
    ),
    act(
        "first-violation",
        "f",
        "First violation",
        "Go to the step that lost the plan.",
        _S,
        footer=True,
        verb="violation",
    ),
    act("go-start", "g", "Start", "Go to the state before the first call.", _S, ("home",)),
    act("go-end", "G", "End", "Go to the end of the run.", _S, ("end",)),
    act("go-to-step", "J", "Go to step", "Enter a step's number and go there.", _S),
    act("toggle-breakpoint", "b", "Breakpoint", "Set or clear a breakpoint at this step.", _B, ("f9",)),
    act("list-breakpoints", "B", "Breakpoints", "List, add and remove breakpoints.", _B, shift_f(9)),
    act("watch", "w", "Watch", "Add or remove a watch expression.", _B),
    act(
        "explain",
        "x",
        "Explain",
        "Explain why the plan is lost: the conflict in plain words.",
        _L,
        footer=True,
    ),
    act(
        "look",
        "space",
        "Look",
        "Show this step's values whole: what the model saw, said and got back. At step 0: what it was given.",
        _L,
    ),
    act("search", "/", "Search", "Search in query, calls, answers and constraints.", _L),
    act("next-hit", "h", "Next hit", "Go to the next search hit.", _L, ("f3",)),
    act("previous-hit", "H", "Previous hit", "Go to the previous search hit.", _L, shift_f(3)),
    act("deselect", "escape", "Deselect", "Clear the selection; leave a zoomed pane.", _L, verb="leave"),
    act("edit", "e", "Edit", "Change the query: its text, its actions, its limits.", _R),
    act(
        "write-rules", "W", "Rules", "Write rules about the calls, which judge every run of the session.", _R
    ),
    act("rerun", "r", "Rerun", "Run the query again; choose agent and model.", _R, verb="run"),
    act("fork", "F", "Fork", "Continue from this step with another answer, query or model.", _R),
    act("dissect", "m", "Dissect", "Find out what in the query makes the agent fail.", _L),
    act("compare", "d", "Compare", "Compare with another run or query, side by side.", _L),
    act("play", "p", "What if", "Play the next calls yourself and see what becomes of the plan.", _R),
    act(
        "take-back",
        "u",
        "Take back",
        "Take back the last played call, or the last change of the rules.",
        _R,
        ("backspace",),
        verb="undo",
    ),
    act("later-hour", "+", "Later", "Play the chosen call an hour later, or with the next arguments.", _R),
    act("earlier-hour", "-", "Earlier", "Play it an hour earlier, or with the arguments before.", _R),
    act("keep-play", "K", "Keep", "Keep the played calls as a run of the session.", _R),
    act("pause-run", "P", "Pause", "Pause the running agent before its next call.", _R),
    act("stop-run", "X", "Stop run", "Stop the running agent at once; its calls so far are kept.", _R),
    act(
        "edit-arguments", "a", "Edit arguments", "Change the arguments of the paused or the played call.", _R
    ),
    act("edit-answer", "A", "Edit answer", "Change the tool's answer to the paused or the played call.", _R),
    act("answer-call", "M", "Make answer", "Do not run the paused call; give the agent this answer.", _R),
    act("refuse-call", "R", "Refuse", "Do not run the paused call, and tell the agent why.", _R),
    *(_pane(number, name) for number, name in enumerate(PANES, 1)),
    act(
        "picture",
        "V",
        "Picture",
        "Draw in the tree's pane: the order of the actions, their hours, the calls of each agent; then the tree.",
        _P,
    ),
    act(
        "fold-calls",
        "(",
        "Fold calls",
        "Fold the calls that a sub-agent made inside this call, or unfold them; going into them unfolds them, too.",
        _P,
    ),
    act("next-pane", "tab", "Next pane", "Go to the next pane.", _P),
    act("previous-pane", "shift+tab", "Previous pane", "Go to the previous pane.", _P),
    act("zoom", "z", "Zoom", "Fill the screen with this pane, or restore it.", _P),
    act("narrower", "<", "Narrower", "Make this pane narrower.", _P),
    act("wider", ">", "Wider", "Make this pane wider; you can also drag borders.", _P),
    act("lower", "{", "Lower", "Make this pane lower.", _P),
    act("higher", "}", "Higher", "Make this pane higher.", _P),
    act("hide-pane", "_", "Hide pane", "Hide this pane; its digit shows it again.", _P),
    act("toggle-inspector", "I", "Inspector", "Show or hide the inspector.", _P),
    act("reset-layout", "=", "Reset panes", "Show all panes in their original sizes.", _P),
    act(
        "show-command",
        ":",
        "Command",
        "Show or hide, above the keys, the shell command that does what the last key did.",
        _E,
    ),
    act("copy-command", "Y", "Copy command", "Copy the shell command that does what the last key did.", _E),
    act("copy", "y", "Copy", "Copy the pane's text, or write it to a file.", _E),
    act(
        "choose-run",
        "o",
        "Runs",
        "List the runs: search, filter, delete, where they were lost.",
        _E,
        verb="open",
    ),
    act(
        "tools",
        "t",
        "Tools",
        "List what the fuzzer found in the agent's tools, and the steps that failed so.",
        _E,
    ),
    act("next-failed-run", "O", "Next failed run", "Open the next wrong run.", _E, verb="open other"),
    act("save", "ctrl+s", "Save", "Save now; planscope also saves every change by itself.", _E),
    act("share", "E", "Share", "Write this run to a file for others, with private values replaced.", _E),
    act("library", "L", "Library", "Open, make, rename and delete sessions.", _E),
    act("campaigns", "#", "Campaigns", "Show a campaign: how often agents are right, over many queries.", _E),
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
        "Quit planscope; asks first while a run is in progress.",
        _E,
        ("ctrl+q",),
        where="everywhere",
    ),
)
"""The actions that every screen has."""
