"""The keys of the debug screen, and those of every screen."""

from __future__ import annotations

from planscope.tui.actions.kinds import Group, KeyAction, shift_f

_S: Group = "Stepping"
_B: Group = "Breakpoints and watches"
_L: Group = "Looking"
_R: Group = "Running"
_P: Group = "Panes"
_E: Group = "Session and screen"

PANES: tuple[str, ...] = ("query", "tree", "constraints", "timeline", "step")
"""The panes of the debug screen by their digit."""


def _pane(number: int, name: str) -> KeyAction:
    title, about = f"{name.capitalize()} pane", f"Go to the {name} pane."
    return KeyAction(
        f"show-pane-{name}",
        str(number),
        title,
        about,
        _P,
        parameter=name,
        verb="show",
        do="arranging.show_pane",
    )


DEBUG: tuple[KeyAction, ...] = (
    KeyAction(
        "next-call",
        "n",
        "Next",
        "Go to the next call; run the paused call.",
        _S,
        ("right", "f8", "f10"),
        footer=True,
        do="modes.next_call",
    ),
    KeyAction(
        "previous-call",
        "N",
        "Back",
        "Go to the previous call.",
        _S,
        ("left", *shift_f(8)),
        footer=True,
        do="navigate.previous_call",
    ),
    KeyAction(
        "next-check",
        "s",
        "Next check",
        "Go to the next constraint that this step changed; then to the next step.",
        _S,
        ("f7", "f11"),
        do="navigate.next_check",
    ),
    KeyAction(
        "previous-check",
        "S",
        "Previous check",
        "Go to the previous constraint that changed.",
        _S,
        shift_f(7),
        do="navigate.previous_check",
    ),
    KeyAction(
        "continue",
        "c",
        "Continue",
        "Go to the next breakpoint or violation; let a paused run continue.",
        _S,
        ("f5",),
        do="modes.go_on",
    ),
    KeyAction(
        "continue-back",
        "C",
        "Continue back",
        "Go to the previous breakpoint or violation.",
        _S,
        shift_f(5),
        do="navigate.go_back",
    ),
    KeyAction(
        "first-violation",
        "f",
        "First violation",
        "Go to the step that lost the plan.",
        _S,
        footer=True,
        verb="violation",
        do="navigate.first_violation",
    ),
    KeyAction(
        "go-start",
        "g",
        "Start",
        "Go to the state before the first call.",
        _S,
        ("home",),
        do="navigate.go_start",
    ),
    KeyAction("go-end", "G", "End", "Go to the end of the run.", _S, ("end",), do="navigate.go_end"),
    KeyAction(
        "go-to-step", "J", "Go to step", "Enter a step's number and go there.", _S, do="navigate.go_to_step"
    ),
    KeyAction(
        "toggle-breakpoint",
        "b",
        "Breakpoint",
        "Set or clear a breakpoint at this step.",
        _B,
        ("f9",),
        do="marking.toggle_breakpoint",
    ),
    KeyAction(
        "list-breakpoints",
        "B",
        "Breakpoints",
        "List, add and remove breakpoints.",
        _B,
        shift_f(9),
        do="marking.list_breakpoints",
    ),
    KeyAction("watch", "w", "Watch", "Add or remove a watch expression.", _B, do="marking.watch"),
    KeyAction(
        "explain",
        "x",
        "Explain",
        "Explain why the plan is lost: the conflict in plain words.",
        _L,
        footer=True,
        do="doors.explain",
    ),
    KeyAction(
        "look",
        "space",
        "Look",
        "Show this step's values whole: what the model saw, said and got back. At step 0: what it was given.",
        _L,
        do="doors.look",
    ),
    KeyAction(
        "search", "/", "Search", "Search in query, calls, answers and constraints.", _L, do="navigate.search"
    ),
    KeyAction("next-hit", "h", "Next hit", "Go to the next search hit.", _L, ("f3",), do="navigate.next_hit"),
    KeyAction(
        "previous-hit",
        "H",
        "Previous hit",
        "Go to the previous search hit.",
        _L,
        shift_f(3),
        do="navigate.previous_hit",
    ),
    KeyAction(
        "deselect",
        "escape",
        "Deselect",
        "Clear the selection; leave a zoomed pane.",
        _L,
        verb="leave",
        do="modes.escape",
    ),
    KeyAction(
        "edit", "e", "Edit", "Change the query: its text, its actions, its limits.", _R, do="doors.edit"
    ),
    KeyAction(
        "write-rules",
        "W",
        "Rules",
        "Write rules about the calls, which judge every run of the session.",
        _R,
        do="rules.write_rules",
    ),
    KeyAction(
        "rerun",
        "r",
        "Rerun",
        "Run the query again; choose agent and model.",
        _R,
        verb="run",
        do="running.rerun",
    ),
    KeyAction(
        "fork",
        "F",
        "Fork",
        "Continue from this step with another answer, query or model.",
        _R,
        do="running.fork",
    ),
    KeyAction(
        "dissect", "m", "Dissect", "Find out what in the query makes the agent fail.", _L, do="doors.dissect"
    ),
    KeyAction(
        "compare", "d", "Compare", "Compare with another run or query, side by side.", _L, do="doors.compare"
    ),
    KeyAction(
        "play",
        "p",
        "What if",
        "Play the next calls yourself and see what becomes of the plan.",
        _R,
        do="playing.play",
    ),
    KeyAction(
        "take-back",
        "u",
        "Take back",
        "Take back the last played call, or the last change of the rules.",
        _R,
        ("backspace",),
        verb="undo",
        do="playing.take_back",
    ),
    KeyAction(
        "later-hour",
        "+",
        "Later",
        "Play the chosen call an hour later, or with the next arguments.",
        _R,
        do="playing.later_hour",
    ),
    KeyAction(
        "earlier-hour",
        "-",
        "Earlier",
        "Play it an hour earlier, or with the arguments before.",
        _R,
        do="playing.earlier_hour",
    ),
    KeyAction(
        "keep-play", "K", "Keep", "Keep the played calls as a run of the session.", _R, do="playing.keep_play"
    ),
    KeyAction(
        "pause-run", "P", "Pause", "Pause the running agent before its next call.", _R, do="running.pause_run"
    ),
    KeyAction(
        "stop-run",
        "X",
        "Stop run",
        "Stop the running agent at once; its calls so far are kept.",
        _R,
        do="running.stop_run",
    ),
    KeyAction(
        "edit-arguments",
        "a",
        "Edit arguments",
        "Change the arguments of the paused or the played call.",
        _R,
        do="deciding.edit_arguments",
    ),
    KeyAction(
        "edit-answer",
        "A",
        "Edit answer",
        "Change the tool's answer to the paused or the played call.",
        _R,
        do="deciding.edit_answer",
    ),
    KeyAction(
        "answer-call",
        "M",
        "Make answer",
        "Do not run the paused call; give the agent this answer.",
        _R,
        do="deciding.answer_call",
    ),
    KeyAction(
        "refuse-call",
        "R",
        "Refuse",
        "Do not run the paused call, and tell the agent why.",
        _R,
        do="deciding.refuse_call",
    ),
    *(_pane(number, name) for number, name in enumerate(PANES, 1)),
    KeyAction(
        "picture",
        "V",
        "Picture",
        "Draw in the tree's pane: the order of the actions, their hours, the calls of each agent; then the tree.",
        _P,
        do="arranging.picture",
    ),
    KeyAction(
        "fold-calls",
        "(",
        "Fold calls",
        "Fold the calls that a sub-agent made inside this call, or unfold them; going into them unfolds them, too.",
        _P,
        do="arranging.fold_calls",
    ),
    KeyAction("next-pane", "tab", "Next pane", "Go to the next pane.", _P, do="arranging.next_pane"),
    KeyAction(
        "previous-pane",
        "shift+tab",
        "Previous pane",
        "Go to the previous pane.",
        _P,
        do="arranging.previous_pane",
    ),
    KeyAction("zoom", "z", "Zoom", "Fill the screen with this pane, or restore it.", _P, do="arranging.zoom"),
    KeyAction("narrower", "<", "Narrower", "Make this pane narrower.", _P, do="arranging.narrower"),
    KeyAction(
        "wider", ">", "Wider", "Make this pane wider; you can also drag borders.", _P, do="arranging.wider"
    ),
    KeyAction("lower", "{", "Lower", "Make this pane lower.", _P, do="arranging.lower"),
    KeyAction("higher", "}", "Higher", "Make this pane higher.", _P, do="arranging.higher"),
    KeyAction(
        "hide-pane",
        "_",
        "Hide pane",
        "Hide this pane; its digit shows it again.",
        _P,
        do="arranging.hide_pane",
    ),
    KeyAction(
        "toggle-inspector",
        "I",
        "Inspector",
        "Show or hide the inspector.",
        _P,
        do="arranging.toggle_inspector",
    ),
    KeyAction(
        "reset-layout",
        "=",
        "Reset panes",
        "Show all panes in their original sizes.",
        _P,
        do="arranging.reset_layout",
    ),
    KeyAction(
        "show-command",
        ":",
        "Command",
        "Show or hide, above the keys, the shell command that does what the last key did.",
        _E,
        do="arranging.show_command",
    ),
    KeyAction(
        "copy-command",
        "Y",
        "Copy command",
        "Copy the shell command that does what the last key did.",
        _E,
        do="arranging.copy_command",
    ),
    KeyAction("copy", "y", "Copy", "Copy the pane's text, or write it to a file.", _E, do="doors.copy"),
    KeyAction(
        "choose-run",
        "o",
        "Runs",
        "List the runs: search, filter, delete, where they were lost.",
        _E,
        verb="open",
        do="doors.choose_run",
    ),
    KeyAction(
        "tools",
        "t",
        "Tools",
        "List what the fuzzer found in the agent's tools, and the steps that failed so.",
        _E,
        do="doors.tools",
    ),
    KeyAction(
        "next-failed-run",
        "O",
        "Next failed run",
        "Open the next wrong run.",
        _E,
        verb="open other",
        do="doors.next_failed_run",
    ),
    KeyAction(
        "save",
        "ctrl+s",
        "Save",
        "Save now; planscope also saves every change by itself.",
        _E,
        do="opening.save",
    ),
    KeyAction(
        "share",
        "E",
        "Share",
        "Write this run to a file for others, with private values replaced.",
        _E,
        do="doors.share",
    ),
    KeyAction("library", "L", "Library", "Open, make, rename and delete sessions.", _E, do="doors.library"),
    KeyAction(
        "campaigns",
        "#",
        "Campaigns",
        "Show a campaign: how often agents are right, over many queries.",
        _E,
        do="doors.campaigns",
    ),
    KeyAction(
        "describe", "D", "Describe", "Read and change the session's title and notes.", _E, do="doors.describe"
    ),
)

EVERYWHERE: tuple[KeyAction, ...] = (
    KeyAction("choose-theme", "ctrl+t", "Theme", "Choose a theme.", _E, where="everywhere"),
    KeyAction("palette", "ctrl+p", "Palette", "Find an action by its name.", _E, where="everywhere"),
    KeyAction("help", "?", "Help", "Show all keys.", _E, ("f1",), where="everywhere", footer=True),
    KeyAction(
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
