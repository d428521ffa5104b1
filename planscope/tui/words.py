"""How the screen says what it knows: glyphs and words for states, short texts for calls and constraints.

What comes from outside leaves here fit to be shown.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.language.problem import Action, Constraint, Problem
from planscope.oracle.verdict_types import Finding, Move, PlannedCall, Repair, StepNo
from planscope.tui.style.lines import shown

if TYPE_CHECKING:
    from planscope.session.model import ForkPoint
    from planscope.session.record import RunRecord

STATUS_GLYPHS = {"holds": "✓", "open": "○", "broken": "✗"}
CORE_GLYPH = "●"
STATE_GLYPHS = {"completable": "✓", "doomed": "●", "broken": "✗", "unknown": "?"}
NO_WAY_ON = "NO WAY ON"
WAITS_GLYPH, NOT_DONE = "‖", "not done"
"""Of a call that waits for a decision."""

HIT_GLYPH = "»"

CERTIFICATES = {
    "asked": ("Z3 is being asked…", "dim"),
    "confirmed": ("confirmed by Z3", "holds"),
    "gave up": ("Z3 gave up: not confirmed", "caution"),
    "denied": (
        "planscope and Z3 disagree about this run, so its verdict is unknown. Please report this session.",
        "broken",
    ),
}
"""What Z3 says of the verdict, and the role in which it is said."""

_RULES = {
    "once": "every action once only",
    "all_done": "every action is done",
    "one_by_one": "calls come one by one",
    "start_range": "starts from 0 to 23",
    "end_range": "ends from 1 to 24",
}

_ENDINGS = {
    "stopped": "the agent stopped",
    "timeout": "out of time",
    "call_limit": "too many model calls",
    "aborted": "aborted",
    "running": "still running",
}


def value(something: Any, limit: int = 60) -> str:
    """One argument as JSON, safe to show."""
    try:
        text = json.dumps(something, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = "(cannot be shown)"
    return shown(text, limit)


def arguments(given: Mapping[str, Any] | None, *, named: bool = False, limit: int = 60) -> str:
    """What a tool was called with: a single argument by its value alone, unless ``named``."""
    if given is None:
        return "?"
    if len(given) == 1 and not named:
        return value(next(iter(given.values())), limit)
    return ", ".join(
        f"{shown(str(name), 40)}={value(what, limit)}" for name, what in list(given.items())[:12]
    )


def call(tool: str, given: Mapping[str, Any] | None, *, named: bool = False, limit: int = 60) -> str:
    return f"{shown(tool, 80)}({arguments(given, named=named, limit=limit)})"


def clock(hour: int) -> str:
    return f"{hour}:00"


def hours(start: int | None, end: int | None) -> str:
    """From when to when; not to be taken for how long."""
    return "" if start is None or end is None else f"{clock(start)}-{clock(end)}"


def step_name(step: StepNo) -> str:
    return "the end" if step == "end" else f"step {step}"


def ending(run: RunRecord | None) -> str:
    """How a run came to its end, in a few words; safe to show."""
    if run is None:
        return "no run"
    if run.model == "played by hand" and run.ending == "stopped":
        return "what was played ends here"
    words = _ENDINGS.get(run.ending, "ended")
    if run.reason and run.ending != "stopped":
        return f"{words}: {shown(run.reason, 120)}"
    return words


def fork_point(fork: ForkPoint) -> str:
    """Where a run was forked; safe to show."""
    return f"{shown(fork.run, 40)} at step {fork.step}"


def cost(run: RunRecord) -> str:
    """Answers of the model, tokens and seconds of a run."""
    told = plural(run.cost.model_calls, "answer")
    if run.cost.input_tokens is not None and run.cost.output_tokens is not None:
        told += f", {run.cost.input_tokens:,} tokens read, {run.cost.output_tokens:,} written"
    return f"{told}, {run.cost.seconds:.1f} s" + (" (simulated)" if run.simulated else "")


def finding(found: Finding) -> str:
    """``parameter error``, with a mark where it is no more than a warning."""
    words = found.type.replace("_", " ")
    return f"{words} (warning)" if found.severity == "warning" else words


def findings(found: Iterable[Finding]) -> str:
    return ", ".join(dict.fromkeys(map(finding, found)))


def constraint(c: Constraint, *, timed: bool) -> str:
    """A constraint by the ids of its actions, at most some 25 cells long."""
    if c.kind == "order":
        return (
            f"{shown(c.before or '?', 12)} {'ends ' if timed else ''}before {shown(c.after or '?', 12)}"
            + (" starts" if timed else "")
        )
    if c.kind == "start_at_least":
        return f"{shown(c.action or '?', 12)} starts at {c.hour} or later"
    if c.kind == "end_at_most":
        return f"{shown(c.action or '?', 12)} ends by {c.hour}"
    return _RULES[c.kind]


def action_name(problem: Problem, action_id: str | None) -> str:
    action = problem.action_by_id.get(action_id or "")
    return shown(action.name if action else action_id or "?", 80)


def constraint_names(c: Constraint, problem: Problem) -> str:
    """The same by the names of the actions."""
    if c.kind == "order":
        before, after = action_name(problem, c.before), action_name(problem, c.after)
        return f"{before} ends before {after} starts" if problem.timed else f"{before} before {after}"
    if c.kind == "start_at_least":
        return f"{action_name(problem, c.action)} starts at {c.hour}:00 or later"
    if c.kind == "end_at_most":
        return f"{action_name(problem, c.action)} ends by {c.hour}:00"
    return _RULES[c.kind]


def move(problem: Problem, safe: Move) -> str:
    """A safe move as a call: ``applying_hair_color(8..10)``; safe to show."""
    tool = move_name(problem, safe.action)
    if safe.hours is None:
        return f"{tool}()"
    first, last = safe.hours
    return f"{tool}({first})" if first == last else f"{tool}({first}..{last})"


def planned(problem: Problem, step: PlannedCall) -> str:
    tool = move_name(problem, step.action)
    return f"{tool}()" if step.start is None else f"{tool}({step.start})"


def plan(repair: Repair) -> tuple[PlannedCall, ...]:
    """A repair's calls in order; none where it has none."""
    starts = repair.starts or {}
    return tuple(PlannedCall(action, starts.get(action)) for action in repair.order or ())


def move_name(problem: Problem, action_id: str) -> str:
    action: Action | None = problem.action_by_id.get(action_id)
    return shown(action.tool if action else action_id, 80)


def count(orders: int | None) -> str:
    return "many" if orders is None else f"{orders:,}"


def place(path: Path, limit: int = 70) -> str:
    """A file's path; of a long one the end, which tells more."""
    home = str(Path.home())
    text = str(path)
    if text.startswith(home + os.sep):
        text = "~" + text[len(home) :]
    return shown(text, 4000) if len(text) <= limit else "…" + shown(text[1 - limit :], 4000)


def plural(number: int, one: str, more: str = "") -> str:
    return f"{number} {one}" if number == 1 else f"{number:,} {more or one + 's'}"
