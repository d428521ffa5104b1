"""Breakpoints, at which moving through a run stops, forward or back.

Each is written as a short text and read back from it: ``tool network_diagnosis`` (before it is called), ``step 3``,
``breaks`` or ``breaks c2`` (before the call that violates it), ``lost`` (the point of no return), ``error`` or ``error
failed call``, ``when valid_completions < 3`` (at the step that makes it true). Files may contain older words for some
of them (``doomed``, ``error act_error``), which are read as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from planscope.debugger.cursor import parse_step
from planscope.debugger.errors import DebuggerError, shown, unknown
from planscope.debugger.expressions import Comparison, costly, parse_condition, quoted, unquoted
from planscope.debugger.run_index import RunIndex
from planscope.frozen import frozen
from planscope.oracle.trace import RESTART_TOOL
from planscope.oracle.verdict_types import ERROR_TYPES, ErrorType, StepNo
from planscope.wording.terms import error_type_of


@frozen
class ToolBreak:
    """Stops before a tool is called, even if the call will be refused."""

    tool: str

    def __str__(self) -> str:
        return f"tool {quoted(self.tool)}"


@frozen
class StepBreak:
    """Stops after a step."""

    step: StepNo

    def __str__(self) -> str:
        return f"step {self.step}"


@frozen
class AboutToBreak:
    """Stops before the call that violates a constraint (None: any constraint)."""

    constraint: str | None = None

    def __str__(self) -> str:
        return "breaks" if self.constraint is None else f"breaks {self.constraint}"


@frozen
class NoReturn:
    """Stops at the point of no return of an attempt."""

    written: str = field(default="doomed", compare=False)

    def __str__(self) -> str:
        return self.written


@frozen
class ErrorBreak:
    """Stops at a step with an error or a warning of a type (None: any type)."""

    type: ErrorType | None = None

    def __str__(self) -> str:
        return "error" if self.type is None else f"error {self.type}"


@frozen
class When:
    """Stops at a step at which a condition holds that did not hold at the step before."""

    condition: Comparison

    def __str__(self) -> str:
        return f"when {self.condition}"

    @property
    def costly(self) -> bool:
        return costly(self.condition)


Breakpoint = ToolBreak | StepBreak | AboutToBreak | NoReturn | ErrorBreak | When

_ALONE: dict[str, Breakpoint] = {
    "breaks": AboutToBreak(),
    "violates": AboutToBreak(),
    "doomed": NoReturn(),
    "lost": NoReturn("lost"),
    "error": ErrorBreak(),
}
KINDS = ("tool", "step", "breaks", "lost", "error", "when")


def parse_breakpoint(text: str, run: RunIndex) -> Breakpoint:
    """Read a breakpoint. A number alone means a step, a tool's name alone that tool.

    If the run has not ended, the step need not exist yet. Raises DebuggerError, which says in one line what is wrong.
    """
    word, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    kind = word.casefold()
    if not rest and kind in _ALONE:
        return _ALONE[kind]
    if kind in ("doomed", "lost"):
        raise DebuggerError(f"'{kind}' takes no argument; leave out {shown(rest)}")
    if kind == "tool":
        return ToolBreak(_tool(rest, run))
    if kind == "step":
        return StepBreak(_step(rest, run))
    if kind in ("breaks", "violates"):
        return AboutToBreak(_constraint(rest, run))
    if kind == "error":
        return ErrorBreak(_error_type(rest))
    if kind == "when":
        return When(parse_condition(rest, run.problem))
    if not rest and (kind in ("start", "end") or (kind.isascii() and kind.isdigit())):
        return StepBreak(_step(kind, run))
    if text.strip() in tools_of(run):
        return ToolBreak(text.strip())
    if not word:
        raise DebuggerError(f"a breakpoint begins with one of: {', '.join(KINDS)}")
    raise unknown("kind of breakpoint", word, KINDS)


def _step(text: str, run: RunIndex) -> StepNo:
    word = text.casefold().removeprefix("step").strip()
    if run.steps[-1].step != "end":
        if word == "end":
            return "end"
        if word.isascii() and word.isdigit() and len(word) <= 9:
            return int(word)
    return run.steps[parse_step(run, text)].step


def tools_of(run: RunIndex) -> dict[str, None]:
    """Return the tools that a breakpoint can name: those of the query, the agent's own, and those that were called."""
    known = [*(action.tool for action in run.problem.actions), *(run.problem.own or ()), *run.called]
    return dict.fromkeys([*known, RESTART_TOOL] if run.problem.timed else known)


def _tool(name: str, run: RunIndex) -> str:
    if not name:
        raise DebuggerError("a tool's name is missing after 'tool'")
    if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'":
        name = unquoted(name)
    tools = tools_of(run)
    if name in tools:
        return name
    for action in run.problem.actions:
        if name.casefold() in (action.id.casefold(), action.name.casefold(), action.tool.casefold()):
            return action.tool
    for tool in run.problem.own or ():
        if name.casefold() == tool.casefold():
            return tool
    raise unknown("tool", name, tools)


def _constraint(name: str, run: RunIndex) -> str:
    for word in (name, name.casefold()):
        if word in run.problem.by_id:
            return word
    raise unknown("constraint", name, run.problem.by_id)


def _error_type(name: str) -> ErrorType:
    known = error_type_of(name)
    if known is None:
        raise unknown("error type", name, ERROR_TYPES)
    return known


OFF = "off "
"""The prefix, in a session's file, of the text of a breakpoint that is switched off."""


def is_off(text: str) -> bool:
    """Return whether a text from a session's file is a breakpoint that is switched off."""
    return text.startswith(OFF)


def load_breakpoints(texts: Iterable[str], run: RunIndex) -> tuple[tuple[Breakpoint, ...], tuple[str, ...]]:
    """Return the breakpoints of a session file that are not switched off, and an error line for each that does not
    fit this run."""
    breakpoints: list[Breakpoint] = []
    problems: list[str] = []
    for text in texts:
        if is_off(text):
            continue
        try:
            breakpoints.append(parse_breakpoint(text, run))
        except DebuggerError as error:
            problems.append(f"breakpoint: {error}")
    return tuple(dict.fromkeys(breakpoints)), tuple(problems)


def toggle(breakpoints: tuple[Breakpoint, ...], point: Breakpoint) -> tuple[Breakpoint, ...]:
    """Remove a breakpoint that is set, or add it at the end."""
    if point in breakpoints:
        return tuple(b for b in breakpoints if b != point)
    return (*breakpoints, point)
