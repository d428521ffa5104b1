"""Continue and reverse-continue: to the next breakpoint or violation on either side."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

from planscope.debugger.breakpoints import (
    AboutToBreak,
    Breakpoint,
    ErrorBreak,
    NoReturn,
    StepBreak,
    ToolBreak,
    When,
)
from planscope.debugger.cursor import DebugState, go_to
from planscope.debugger.run_index import RunIndex
from planscope.debugger.watches import evaluate

Cancelled = Callable[[], bool]


def never() -> bool:
    return False


def hits(breakpoint: Breakpoint, run: RunIndex) -> tuple[int, ...]:
    """The indices at which it stops, sorted. A costly condition asks the oracle for every step's count."""
    if breakpoint not in run.memo:
        run.memo[breakpoint] = tuple(sorted(_hits(breakpoint, run)))
    return run.memo[breakpoint]


def _hits(breakpoint: Breakpoint, run: RunIndex) -> Iterable[int]:
    match breakpoint:
        case ToolBreak(tool):
            return {i - 1 for i in run.called.get(tool, ())}
        case StepBreak(step):
            return [run.index_of[step]] if step in run.index_of else []
        case AboutToBreak(constraint):
            broken = run.breaks if constraint is None else [constraint]
            return {max(i - 1, 0) for c in broken for i in run.breaks.get(c, ())}
        case NoReturn():
            return run.doomed
        case ErrorBreak(kind):
            types = run.found if kind is None else [kind]
            return {i for t in types for i in run.found.get(t, ())}
        case When():
            return [i for i in range(run.last + 1) if becomes_true(breakpoint, run, i)]


def becomes_true(when: When, run: RunIndex, index: int) -> bool:
    """Whether the condition holds at an index and did not at the one before."""
    if evaluate(when.condition, run, index) is not True:
        return False
    return index == 0 or evaluate(when.condition, run, index - 1) is not True


def _slow(breakpoint: Breakpoint, run: RunIndex) -> bool:
    return isinstance(breakpoint, When) and breakpoint.costly and breakpoint not in run.memo


def continue_forward(
    state: DebugState, breakpoints: Sequence[Breakpoint], cancelled: Cancelled = never
) -> DebugState:
    """On to the next breakpoint or violation, else to the end.

    Quick, but for conditions on ``valid_completions`` whose counts are not known yet: those are asked step by
    step, and ``cancelled`` is looked at between; then the state stays as it is.
    """
    run, here = state.run, state.index
    if here == run.last:
        return state
    quick = [b for b in breakpoints if not _slow(b, run)]
    target = run.last
    for stops in (run.violations, *(hits(b, run) for b in quick)):
        at = bisect_right(stops, here)
        if at < len(stops):
            target = min(target, stops[at])
    slow = [b for b in breakpoints if isinstance(b, When) and b not in quick]
    return _scan(state, slow, range(here + 1, target), target, cancelled)


def continue_back(
    state: DebugState, breakpoints: Sequence[Breakpoint], cancelled: Cancelled = never
) -> DebugState:
    """Back to the breakpoint or violation before, else to the start; see ``continue_forward``."""
    run, here = state.run, state.index
    if here == 0:
        return state
    quick = [b for b in breakpoints if not _slow(b, run)]
    target = 0
    for stops in (run.violations, *(hits(b, run) for b in quick)):
        at = bisect_left(stops, here)
        if at > 0:
            target = max(target, stops[at - 1])
    slow = [b for b in breakpoints if isinstance(b, When) and b not in quick]
    return _scan(state, slow, range(here - 1, target, -1), target, cancelled)


def _scan(
    state: DebugState, slow: Sequence[When], way: range, target: int, cancelled: Cancelled
) -> DebugState:
    if slow:
        for index in way:
            if cancelled():
                return state
            if any(becomes_true(when, state.run, index) for when in slow):
                return go_to(state, index)
    return go_to(state, target)


def reasons(run: RunIndex, index: int, breakpoints: Sequence[Breakpoint]) -> tuple[str, ...]:
    """Why one stops at an index, in a few words each: violations first, then the breakpoints by their text."""
    said = [f"{c} breaks" for c in run.checks[index] if index in run.breaks.get(c, ())]
    if index in run.doomed:
        said.append("point of no return")
    said += [finding.type for finding in run.findings[index]]
    for breakpoint in breakpoints:
        if _slow(breakpoint, run):
            known = run.has_count(index) and (index == 0 or run.has_count(index - 1))
            stopped = known and isinstance(breakpoint, When) and becomes_true(breakpoint, run, index)
        else:
            stopped = _contains(hits(breakpoint, run), index)
        if stopped:
            said.append(str(breakpoint))
    return tuple(dict.fromkeys(said))


_SAID_BY_FACTS = ("breaks", "doomed", "error")
"""Breakpoints that stop at something which is a reason by itself."""


def in_words(reasons: Sequence[str]) -> str:
    """Reasons as a person is told them, without breakpoints that only say again what the others do."""
    facts = [r for r in reasons if r.partition(" ")[0] not in _SAID_BY_FACTS]
    return ", ".join(map(_in_words, facts or reasons))


def _in_words(reason: str) -> str:
    """Names of tools and expressions stay as they are."""
    return reason if reason.startswith(("tool ", "when ")) else reason.replace("_", " ")


def marks(run: RunIndex, breakpoints: Sequence[Breakpoint]) -> frozenset[int]:
    """The indices to mark in the timeline: all stops of the breakpoints whose stops are quick to find."""
    return frozenset(i for b in breakpoints if not _slow(b, run) for i in hits(b, run))


def _contains(stops: tuple[int, ...], index: int) -> bool:
    at = bisect_left(stops, index)
    return at < len(stops) and stops[at] == index
