"""Breakpoints and watches of the session: those that are valid in the displayed run, and the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from planscope.debugger.breakpoints import (
    OFF,
    Breakpoint,
    StepBreak,
    is_off,
    load_breakpoints,
    parse_breakpoint,
    toggle,
)
from planscope.debugger.errors import DebuggerError
from planscope.debugger.run_index import RunIndex
from planscope.debugger.watches import Watch, parse_watch
from planscope.frozen import frozen

MOST_SET = 200
"""The limit for breakpoints, and for watches, that are read from a file."""

Parsed = TypeVar("Parsed")


@frozen
class Marks:
    """Breakpoints and watches. ``strange_*``: texts that are invalid in this run, kept for saving and other runs.

    ``every``: all breakpoints, in the order in which they were set; those in ``off`` are switched off.
    """

    every: tuple[Breakpoint, ...] = ()
    watches: tuple[Watch, ...] = ()
    strange_breakpoints: tuple[str, ...] = ()
    strange_watches: tuple[str, ...] = ()
    off: frozenset[Breakpoint] = frozenset()

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """The breakpoints that stop: all but those switched off."""
        return tuple(b for b in self.every if b not in self.off)

    @property
    def texts(self) -> dict[str, list[str]]:
        """Return the texts of all breakpoints and watches, as fields of a session."""
        breakpoints = (f"{OFF * (b in self.off)}{b}" for b in self.every)
        return {
            "breakpoints": [*breakpoints, *self.strange_breakpoints],
            "watches": [*map(str, self.watches), *self.strange_watches],
        }


def marks_of(breakpoints: Iterable[str], watches: Iterable[str]) -> Marks:
    """Return the marks of a file as texts, before there is a run to parse them for."""
    return Marks(strange_breakpoints=tuple(breakpoints)[:MOST_SET], strange_watches=tuple(watches)[:MOST_SET])


def read_for(marks: Marks, run: RunIndex) -> tuple[Marks, str]:
    """Parse all marks for another run. Return also one line about the first invalid one, or ""."""
    texts = marks.texts
    off: set[Breakpoint] = set()

    def read(text: str) -> Breakpoint:
        made = parse_breakpoint(text.removeprefix(OFF), run)
        if is_off(text):
            off.add(made)
        return made

    breakpoints, strange_breaks, wrong_breaks = _parsed(texts["breakpoints"], read)
    watches, strange_watches, wrong_watches = _parsed(
        texts["watches"], lambda text: parse_watch(text, run.problem)
    )
    wrong = (*wrong_breaks, *wrong_watches)
    made = Marks(breakpoints, watches, strange_breaks, strange_watches, frozenset(off))
    return made, wrong[0] if wrong else ""


def breakpoints_for(marks: Marks, run: RunIndex) -> tuple[Breakpoint, ...]:
    """Return the breakpoints that are valid in another run, such as one that begins, and not switched off."""
    return load_breakpoints(tuple(marks.texts["breakpoints"]), run)[0]


def toggled(marks: Marks, here: StepBreak) -> Marks:
    return replace(marks, every=toggle(marks.every, here), off=marks.off - {here})


def with_breakpoint(marks: Marks, text: str, run: RunIndex, at: int | None = None) -> Marks:
    """Add one, or replace the one at ``at``. Raises ``DebuggerError`` if it is invalid or already set."""
    made = parse_breakpoint(text, run)
    every = _with(marks.every, made, at, "set")
    return replace(marks, every=every, off=marks.off & set(every))


def with_watch(marks: Marks, text: str, run: RunIndex, at: int | None = None) -> Marks:
    """Add one, or replace the one at ``at``. Raises ``DebuggerError`` if it is invalid or already set."""
    return replace(marks, watches=_with(marks.watches, parse_watch(text, run.problem), at, "watched"))


def _with(there: tuple[Parsed, ...], made: Parsed, at: int | None, word: str) -> tuple[Parsed, ...]:
    others = there if at is None else (*there[:at], *there[at + 1 :])
    if made in others:
        raise DebuggerError(f"{made} is {word} already")
    return (*there, made) if at is None else (*there[:at], made, *there[at + 1 :])


def switched(marks: Marks, at: int) -> Marks:
    """Switch a breakpoint off, or on again."""
    return replace(marks, off=marks.off ^ {marks.every[at]})


def without_breakpoint(marks: Marks, at: int) -> Marks:
    every = marks.every[:at] + marks.every[at + 1 :]
    return replace(marks, every=every, off=marks.off & set(every))


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
