"""The walker's commands, with the letters of the screen's keys."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A command: its letter, as on the screen, its name, what it does; ``takes`` names what may follow."""

    key: str
    name: str
    help: str
    takes: str = ""


WORDS: tuple[Word, ...] = (
    Word("n", "next", "go to the next call"),
    Word("N", "back", "go back to the call before"),
    Word("s", "check", "go through what this step changed, then on"),
    Word("S", "check-back", "go through the same backwards"),
    Word("c", "continue", "go on to the next breakpoint or violation"),
    Word("C", "continue-back", "go back to the breakpoint or violation before"),
    Word("f", "first", "go to where the plan was lost"),
    Word("g", "start", "go to before the first call"),
    Word("G", "end", "go to the end of the run"),
    Word("J", "goto", "go to a step", "STEP"),
    Word("b", "break", "set or clear a breakpoint, here or as said", "[BREAKPOINT]"),
    Word("B", "breakpoints", "list the breakpoints"),
    Word("w", "watch", "watch an expression, or list what is watched", "[EXPRESSION]"),
    Word("x", "explain", "say why the plan is lost"),
    Word("xx", "reasons", "say every reason, and everything that would save the plan"),
    Word("i", "instead", "say the nearest plan that works"),
    Word("/", "search", "search in request, constraints, calls and answers", "TEXT"),
    Word("h", "next-hit", "go to the next place that the search found"),
    Word("H", "previous-hit", "go to the one before"),
    Word("1", "query", "say the request and its actions"),
    Word("2", "tree", "say the syntax tree"),
    Word("3", "constraints", "say every constraint and its state"),
    Word("4", "timeline", "say every step in a line"),
    Word("5", "step", "say this step again"),
    Word("o", "runs", "list the runs, or turn to one", "[RUN]"),
    Word("v", "verdict", "say the verdict"),
    Word("?", "help", "say these commands"),
    Word("q", "quit", "leave"),
)
"""The same letters as on the screen, where there is a screen's key for it."""

ELSEWHERE = {
    "e": "planscope open edits requests; planscope parse reads them",
    "r": "planscope run SESSION runs the request again",
    "m": "planscope dissect SESSION finds what makes the agent fail",
    "d": "planscope compare SESSION compares two runs",
    "p": "planscope open plays what if",
    "F": "planscope open forks runs",
    "E": "planscope export SESSION shares a run",
}
"""Keys of the screen that the walker has no command for, and what does it instead."""
