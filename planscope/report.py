"""A judged run as lines of plain text, for the command line and for sharing. No colour, no markup."""

from __future__ import annotations

from collections.abc import Iterator

from planscope.oracle.replay import Replay
from planscope.oracle.verdict_types import Repair, StepView
from planscope.oracle.words import clock, name, requirement

GLYPHS = {"completable": "✓", "doomed": "✗", "broken": "✗", "unknown": "?"}
STATUS = {"holds": "✓ holds ", "open": "○ open  ", "broken": "✗ broken"}


def call_text(view: StepView) -> str:
    """``tool(8)``, ``tool()``, or what could be seen of a call that was refused."""
    call = view.call
    if call is None:
        return "(before any call)" if view.step == 0 else "(the end)"
    if call.arguments is None:
        return f"{call.tool}(unreadable)"
    if set(call.arguments) == {"start_time"}:
        return f"{call.tool}({call.arguments['start_time']})"
    inside = ", ".join(f"{k}={v!r}" for k, v in call.arguments.items())
    return f"{call.tool}({inside})"


def step_lines(run: Replay) -> Iterator[str]:
    """One line a step, with what is wrong and what could come next below it."""
    attempt = 1
    for view in run.steps:
        if view.attempt != attempt:
            attempt = view.attempt
            yield f"   attempt {attempt}"
        count = run.valid_completions(view.index)
        ways = "many ways on" if count is None else f"{count} ways on" if count != 1 else "1 way on"
        if view.state == "unknown":
            ways = "not known whether there is a way on"
        takes = ""
        if view.start is not None and view.end is not None:
            takes = f", {clock(view.start)} to {clock(view.end)}"
        yield f"{GLYPHS[view.state]} {view.step!s:>3}  {call_text(view)}{takes}: {view.state}, {ways}"
        for finding in view.findings:
            yield f"       {finding.severity}: {finding.type.replace('_', ' ')}"
        if view.step == "end":
            continue
        moves = []
        for move in run.safe_moves(view.index):
            hours = ""
            if move.hours:
                first, last = move.hours
                hours = f" at {clock(first)}" if first == last else f" from {clock(first)} to {clock(last)}"
            moves.append(name(run.problem, move.action) + hours)
        if moves:
            yield f"       safe next: {'; '.join(moves[:8])}{' ...' if len(moves) > 8 else ''}"


def constraint_lines(run: Replay, index: int) -> Iterator[str]:
    """One line a constraint: status, id, symbols, words; members of the core are marked."""
    view = run.steps[index]
    core = set(view.core.constraints) if view.core else set()
    for c in run.problem.constraints:
        mark = "● CORE  " if c.id in core else STATUS[run.status(c.id, index)]
        yield f"{mark} {c.id:<4} {c.text}  ({requirement(run.problem, c)})"


def repair_lines(run: Replay, fixed: Repair) -> Iterator[str]:
    """The plan, call by call, beside what the agent did."""
    if fixed.order is None:
        yield f"There is no such plan: {fixed.reason}."
        return
    own = [f.action for f in run.last_attempt.facts if f.effect == "done" and f.action is not None]
    ids = [run.problem.actions[i].id for i in own]
    hours = {
        run.problem.actions[f.action].id: f.start
        for f in run.last_attempt.first.values()
        if f.action is not None
    }
    for place, action in enumerate(fixed.order, 1):
        start = (fixed.starts or {}).get(action)
        at = "" if start is None else f" at {clock(start)}"
        note = ""
        if action in fixed.inserted:
            note = "  (never done)"
        elif ids.index(action) + 1 != place or (start is not None and hours.get(action) != start):
            was = "" if hours.get(action) is None else f" at {clock(hours[action] or 0)}"
            note = f"  (was done {_ordinal(ids.index(action) + 1)}{was})"
        yield f"{place:>3}  {name(run.problem, action)}{at}{note}"
    swaps = fixed.swaps or 0
    far = f"{swaps} adjacent swap{'' if swaps == 1 else 's'} from the agent's order"
    yield far + ("" if fixed.exact else "; the best found, perhaps not the nearest")


def _ordinal(n: int) -> str:
    suffix = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{suffix}"


def text_report(run: Replay, title: str, agent: str, model: str) -> Iterator[str]:
    """The whole run as plain text: request, constraints at the end, steps, verdict, repair."""
    verdict = run.verdict()
    yield title
    yield f"agent {agent}, model {model}"
    yield ""
    yield run.problem.text
    yield ""
    yield "Constraints at the end"
    yield from constraint_lines(run, len(run.steps) - 1)
    yield ""
    yield "Steps"
    yield from step_lines(run)
    yield ""
    kind = verdict.verdict.upper()
    yield f"{kind}: {verdict.error_type.replace('_', ' ')}" if verdict.error_type else kind
    yield verdict.explanation
    if verdict.verdict == "wrong":
        yield ""
        yield "What the agent should have done"
        yield from repair_lines(run, run.repair())
