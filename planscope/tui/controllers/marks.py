"""Breakpoints and watches of the session: those that are valid in the displayed run, and the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from planscope.debugger.breakpoints import Breakpoint, StepBreak, load_breakpoints, parse_breakpoint, toggle
from planscope.debugger.errors import DebuggerError
from planscope.debugger.run_index import RunIndex
from planscope.debugger.watches import Watch, parse_watch

MOST_SET = 200
"""The limit for breakpoints, and for watches, that are read from a file."""

Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True)
class Marks:
    """Breakpoints and watches. ``strange_*``: texts that are invalid in this run, kept for saving and other runs."""

    breakpoints: tuple[Breakpoint, ...] = ()
    watches: tuple[Watch, ...] = ()
    strange_breakpoints: tuple[str, ...] = ()
    strange_watches: tuple[str, ...] = ()

    @property
    def texts(self) -> dict[str, list[str]]:
        """Return the texts of all breakpoints and watches, as fields of a session."""
        return {
            "breakpoints": [*map(str, self.breakpoints), *self.strange_breakpoints],
            "watches": [*map(str, self.watches), *self.strange_watches],
        }


def marks_of(breakpoints: Iterable[str], watches: Iterable[str]) -> Marks:
    """Return the marks of a file as texts, before there is a run to parse them for."""
    return Marks(strange_breakpoints=tuple(breakpoints)[:MOST_SET], strange_watches=tuple(watches)[:MOST_SET])


def read_for(marks: Marks, run: RunIndex) -> tuple[Marks, str]:
    """Parse all marks for another run. Return also one line about the first invalid one, or ""."""
    texts = marks.texts
    breakpoints, strange_breaks, wrong_breaks = _parsed(
        texts["breakpoints"], lambda text: parse_breakpoint(text, run)
    )
    watches, strange_watches, wrong_watches = _parsed(
        texts["watches"], lambda text: parse_watch(text, run.problem)
    )
    wrong = (*wrong_breaks, *wrong_watches)
    return Marks(breakpoints, watches, strange_breaks, strange_watches), wrong[0] if wrong else ""


def breakpoints_for(marks: Marks, run: RunIndex) -> tuple[Breakpoint, ...]:
    """Return the breakpoints that are valid in another run, such as one that begins."""
    return load_breakpoints(tuple(marks.texts["breakpoints"]), run)[0]


def toggled(marks: Marks, here: StepBreak) -> Marks:
    return replace(marks, breakpoints=toggle(marks.breakpoints, here))


def with_breakpoint(marks: Marks, text: str, run: RunIndex) -> Marks:
    """Add a breakpoint. Raises ``DebuggerError`` if it is invalid or already set."""
    made = parse_breakpoint(text, run)
    if made in marks.breakpoints:
        raise DebuggerError(f"{made} is set already")
    return replace(marks, breakpoints=(*marks.breakpoints, made))


def with_watch(marks: Marks, text: str, run: RunIndex) -> Marks:
    """Add a watch. Raises ``DebuggerError`` if it is invalid or already set."""
    made = parse_watch(text, run.problem)
    if made in marks.watches:
        raise DebuggerError(f"{made} is watched already")
    return replace(marks, watches=(*marks.watches, made))


def without_breakpoint(marks: Marks, at: int) -> Marks:
    return replace(marks, breakpoints=marks.breakpoints[:at] + marks.breakpoints[at + 1 :])


def without_watch(marks: Marks, at: int) -> Marks:
    return replace(marks, watches=marks.watches[:at] + marks.watches[at + 1 :])


def _parsed(
    texts: Iterable[str], parse: Callable[[str], Parsed]
) -> tuple[tuple[Parsed, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the parsed marks, the invalid texts, and one line about each invalid text."""
    made: dict[Parsed, None] = {}
    strange, wrong = [], []
    for text in list(texts)[:MOST_SET]:
        try:
            made[parse(text)] = None
        except DebuggerError as error:
            strange.append(text)
            wrong.append(f"does not apply to this run: {error}")
    return tuple(made), tuple(strange), tuple(wrong)
