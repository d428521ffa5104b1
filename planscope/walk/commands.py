"""The walker's commands, with the letters of the screen's keys."""

from __future__ import annotations

from planscope.frozen import frozen


@frozen
class Command:
    """A command of the walker. ``key`` is that of the screen, ``takes`` names the command's argument."""

    key: str
    name: str
    help: str
    takes: str = ""


COMMANDS: tuple[Command, ...] = (
    Command("n", "next", "go to the next call"),
    Command("N", "back", "go to the previous call"),
    Command("s", "check", "go to the next constraint that this step changed, then to the next step"),
    Command("S", "check-back", "go to the previous constraint that changed"),
    Command("c", "continue", "go to the next breakpoint or violation"),
    Command("C", "continue-back", "go to the previous breakpoint or violation"),
    Command("f", "first", "go to the first violation"),
    Command("g", "start", "go to the start, before any call"),
    Command("G", "end", "go to the end of the run"),
    Command("J", "goto", "go to a step", "STEP"),
    Command("b", "break", "set or clear a breakpoint, by default at this step", "[BREAKPOINT]"),
    Command("B", "breakpoints", "list the breakpoints"),
    Command("w", "watch", "watch an expression, or list the watches", "[EXPRESSION]"),
    Command("x", "explain", "say why the plan is lost"),
    Command("xx", "reasons", "say every reason, and every way to save the plan"),
    Command("i", "instead", "say the nearest correct plan"),
    Command("/", "search", "search query, constraints, calls and answers", "TEXT"),
    Command("h", "next-hit", "go to the next match"),
    Command("H", "previous-hit", "go to the previous match"),
    Command("1", "query", "say the query and its actions"),
    Command("2", "tree", "say the syntax tree"),
    Command("3", "constraints", "say every constraint and its status"),
    Command("4", "timeline", "say every step in a line"),
    Command("5", "step", "say this step again"),
    Command(
        "look", "saw", "say what the model was given, at the start; at a step its message, tokens and time"
    ),
    Command("o", "runs", "list the runs, or open one", "[RUN]"),
    Command("m", "dissection", "say what the last dissection found, and the words to blame"),
    Command("v", "verdict", "say the verdict"),
    Command("?", "help", "say these commands"),
    Command("q", "quit", "leave"),
)

ELSEWHERE = {
    "e": "planscope open edits queries; planscope parse reads them",
    "r": "planscope run SESSION runs the query again",
    "d": "planscope compare SESSION compares two runs",
    "p": "planscope open has what-if play",
    "F": "planscope open forks runs",
    "E": "planscope export SESSION shares a run",
}
"""Keys of the screen for which the walker has no command, with the command line that does the same."""
