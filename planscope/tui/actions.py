"""The one table of what a key does on the debug screen.

Bindings, palette, help screen and the README's list of keys are all made from it (``keymap``). An action that
is not built is not in here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Group = Literal["Stepping", "Breakpoints and watches", "Looking", "Panes", "Session and screen"]
Where = Literal["debug", "everywhere"]


_OLD_SHIFT_F = frozenset(f"f{n}" for n in range(13, 25))


def _shift_f(number: int) -> tuple[str, str]:
    """Shift and an F-key: newer terminals say so, older ones send the F-key twelve further on."""
    return f"shift+f{number}", f"f{number + 12}"


@dataclass(frozen=True, slots=True)
class KeyAction:
    """One thing that a key does.

    ``id`` names it in a user's key file; the method is ``action_`` plus the id with underscores. ``keys`` are
    letters and come first, ``aliases`` are arrows and F-keys. ``parameter`` goes to the method (panes).
    ``footer``: shown in the footer, where there is room. ``where``: the debug screen alone or every screen.
    """

    id: str
    keys: tuple[str, ...]
    title: str
    help: str
    group: Group
    aliases: tuple[str, ...] = ()
    where: Where = "debug"
    footer: bool = False
    parameter: str | None = None

    @property
    def all_keys(self) -> tuple[str, ...]:
        return self.keys + self.aliases

    @property
    def shown_keys(self) -> tuple[str, ...]:
        """The keys as a reader is told of them: without what older terminals send for Shift+F-keys."""
        return tuple(key for key in self.all_keys if key not in _OLD_SHIFT_F)

    @property
    def method(self) -> str:
        """The action as Textual calls it: ``next_call``, ``show_pane('query')``."""
        name = self.id.replace("-", "_")
        if self.parameter is None:
            return name
        return f"{name.removesuffix('_' + self.parameter)}('{self.parameter}')"


_S: Group = "Stepping"
_B: Group = "Breakpoints and watches"
_L: Group = "Looking"
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


def _act(
    id: str,
    keys: str,
    title: str,
    help: str,
    group: Group,
    aliases: tuple[str, ...] = (),
    *,
    where: Where = "debug",
    footer: bool = False,
) -> KeyAction:
    return KeyAction(id, tuple(keys.split()), title, help, group, aliases, where, footer)


ACTIONS: tuple[KeyAction, ...] = (
    _act("next-call", "n", "Next", "Go to the next call.", _S, ("right", "f8"), footer=True),
    _act(
        "previous-call", "N", "Back", "Go back to the call before.", _S, ("left", *_shift_f(8)), footer=True
    ),
    _act("next-check", "s", "Next check", "Go through what this step changed, then on.", _S, ("f7",)),
    _act("previous-check", "S", "Previous check", "Go through the same checks backwards.", _S, _shift_f(7)),
    _act("continue", "c", "Continue", "Go on to the next breakpoint or violation.", _S, ("f5",)),
    _act(
        "continue-back",
        "C",
        "Continue back",
        "Go back to the breakpoint or violation before.",
        _S,
        _shift_f(5),
    ),
    _act("first-violation", "f", "First violation", "Go to where the plan was lost.", _S, footer=True),
    _act("go-start", "g", "Start", "Go to before the first call.", _S, ("home",)),
    _act("go-end", "G", "End", "Go to the end of the run.", _S, ("end",)),
    _act("go-to-step", "J", "Go to step", "Ask for a step and go there.", _S),
    _act("toggle-breakpoint", "b", "Breakpoint", "Set or clear a breakpoint at this step.", _B, ("f9",)),
    _act("list-breakpoints", "B", "Breakpoints", "List, add and remove breakpoints.", _B, _shift_f(9)),
    _act("watch", "w", "Watch", "Add or remove a watch expression.", _B),
    _act("explain", "x", "Explain", "Say why the plan is lost: the core in plain words.", _L, footer=True),
    _act("search", "/", "Search", "Search in query, calls, answers and constraints.", _L),
    _act("next-hit", "h", "Next hit", "Go to the next place that the search found.", _L, ("f3",)),
    _act("previous-hit", "H", "Previous hit", "Go to the one before.", _L, _shift_f(3)),
    _act("deselect", "escape", "Deselect", "Drop the selection; leave a zoomed pane.", _L),
    *(_pane(number, name) for number, name in enumerate(PANES, 1)),
    _act("next-pane", "tab", "Next pane", "Go to the next pane.", _P),
    _act("previous-pane", "shift+tab", "Previous pane", "Go to the pane before.", _P),
    _act("zoom", "z", "Zoom", "Fill the screen with this pane, or undo that.", _P),
    _act("copy", "y", "Copy", "Copy what the pane shows, or write it to a file.", _E),
    _act("choose-run", "o", "Runs", "Choose another run of this session.", _E),
    _act("save", "ctrl+s", "Save", "Save the session.", _E),
    _act("choose-theme", "ctrl+t", "Theme", "Choose a theme.", _E, where="everywhere"),
    _act("palette", "ctrl+p", "Palette", "Find an action by its name.", _E, where="everywhere"),
    _act("help", "?", "Help", "Show all keys.", _E, ("f1",), where="everywhere", footer=True),
    _act("quit", "q", "Quit", "Leave planscope.", _E, ("ctrl+q",), where="everywhere"),
)

BY_ID: dict[str, KeyAction] = {action.id: action for action in ACTIONS}
