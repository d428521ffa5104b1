"""Writes a judged run as lines of plain text, for the command line and for sharing, without colour and markup.

Every line is one line: what a file or a model put into it is made visible first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from planscope.language.problem import Constraint, Problem
from planscope.oracle.findings import grouped
from planscope.oracle.judged import same_message
from planscope.oracle.verdict_types import Finding, Repair, StepView, Verdict
from planscope.safe import cell_width, clip, show, visible, wrap
from planscope.wording import phrases, terms
from planscope.wording.constraints import brief, label, name, plain
from planscope.wording.explain import asides, explain_verdict
from planscope.wording.phrases import clock, listed, plural

if TYPE_CHECKING:
    from planscope.oracle.judged import JudgedRun
    from planscope.session.record import Help

WIDTH = 80
"""The width of a shared text, in columns."""

WIDEST_CALL = 44
WIDEST_NAME = 60
MOVES = 8
FINDINGS = 20
CONSTRAINTS = 5
"""Widths of a call and of a name in a table, in cells. Limits for the lists of safe next moves, of a run's findings,
and of the constraints of one finding."""

INDENT = "         "


def paragraph(text: str, width: int = WIDTH, indent: str = "") -> Iterator[str]:
    """Wrap a text into lines. Its own line ends stay."""
    shown = show(text, keep_newlines=True)
    for begin, end in wrap(shown, width - len(indent)):
        yield indent + shown.part(begin, end)


def sentence(text: str, width: int = WIDTH, indent: str = "") -> Iterator[str]:
    """Wrap a text into lines. Its own line ends become visible glyphs."""
    return paragraph(visible(text), width, indent)


def hanging(label: str, text: str, column: int, width: int = WIDTH) -> Iterator[str]:
    """Write a label, and its text wrapped beside it from ``column`` on."""
    first, *rest = sentence(text, max(width - column, 20))
    yield f"{visible(label):<{column - 2}}  {first}"
    yield from (" " * column + line for line in rest)


def table(rows: Iterable[Sequence[str]], indent: str = "  ") -> Iterator[str]:
    """Write rows with their cells in columns, two blanks apart."""
    cells = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(cell_width, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (cell + " " * (w - cell_width(cell)) for cell, w in zip(row, widths, strict=True))
        yield (indent + "  ".join(padded)).rstrip(" ")


def query_lines(problem: Problem, valid_orders: int | None, core: Sequence[str] = ()) -> Iterator[str]:
    """Describe a query: its actions, constraints and rules, how many orders meet it, and the core of a
    contradiction."""
    yield "Actions"
    hours = [(f"{a.duration} h" if a.duration else "") for a in problem.actions]
    yield from table(
        (a.id, clip(a.name, WIDEST_NAME), a.tool, h) for a, h in zip(problem.actions, hours, strict=True)
    )
    yield "Constraints"
    yield from table(
        (c.id, c.text, f"sentence {(c.sentence or 0) + 1}", _words(c, problem)) for c in problem.said
    )
    yield "Rules"
    yield from table((c.id, plain(c, problem)) for c in problem.constraints if c.is_rule)
    yield f"Valid orders: {phrases.count(valid_orders)}"
    if core:
        yield f"{terms.CONFLICT}: {', '.join(core)}; {terms.CONFLICT_MEANS}"


def left_out_lines(parts: Sequence[str], width: int = WIDTH) -> Iterator[str]:
    """Say what parts of a text were not read."""
    for part in parts:
        yield from sentence(f'Left out, since it names no action and asks nothing: "{part}"', width)


def _words(c: Constraint, problem: Problem) -> str:
    return clip(brief(c, problem), 2 * WIDEST_NAME)


def call_text(view: StepView) -> str:
    """Return a step's call: ``tool(8)``, ``tool()``, ``tool(unreadable)``."""
    call = view.call
    if call is None:
        return "(before any call)" if view.step == 0 else "(the end)"
    return phrases.call(call.tool, call.arguments)


def step_lines(run: JudgedRun, width: int = WIDTH) -> Iterator[str]:
    """Write a table of the steps; below each its errors, the core if the plan is lost there, and the safe next
    calls."""
    hours = [phrases.hours(view.start, view.end) for view in run.steps]
    timed = [[h] if run.problem.timed else [] for h in hours]
    counted = ["valid orders"] if run.problem.counted and not run.problem.unjudged else []
    rows = [["  step", "call", *(["hours"] if run.problem.timed else []), "state", *counted]]
    for view, when in zip(run.steps, timed, strict=True):
        step = f"{terms.STATE_GLYPHS[view.state]} {view.step!s:>4}"
        state = phrases.step_word(run, view)
        left = [orders_left(run, view)] if counted else []
        rows.append([step, clip(call_text(view), WIDEST_CALL), *when, state, *left])
    heading, *lines = table(rows, "")
    yield heading
    attempt, lost = 1, 0
    for view, line in zip(run.steps, lines, strict=True):
        if view.attempt != attempt:
            attempt = view.attempt
            yield f"attempt {attempt}"
        yield line
        if view.call is not None and view.call.refused:
            yield INDENT + "refused: the call was blocked before it reached the tool"
        if phrases.failed(view):
            yield f"{INDENT}{terms.FAILED}: {terms.ANSWERED_ERROR}"
        if same_message(run, view):
            yield INDENT + terms.SAME_MESSAGE
        for finding in view.findings:
            yield from sentence(finding_text(run.problem, finding), width, INDENT)
        if view.core is not None and view.attempt != lost:
            lost = view.attempt
            why = f"{terms.LOST_HERE} ({terms.NO_RETURN}): {_core_text(run.problem, view)}"
            yield from sentence(why, width, INDENT)
        moves = run.safe_moves(view.index)
        if moves:
            yield from sentence(f"safe next: {phrases.moves(run.problem, moves, MOVES)}", width, INDENT)


def orders_left(run: JudgedRun, view: StepView) -> str:
    """Say how many orders of the remaining actions are valid."""
    count = run.valid_completions(view.index)
    return phrases.step_word(run, view) if count is None and view.state == "unknown" else phrases.count(count)


def _core_text(problem: Problem, view: StepView) -> str:
    assert view.core is not None
    said = listed(_named(problem, c) for c in view.core.constraints)
    steps = listed(map(phrases.step_name, view.core.steps))
    return f"{said} with {steps}" if steps else said


def finding_text(problem: Problem, finding: Finding) -> str:
    """Write a finding: ``error: parameter error, b3 (actions run one by one)``."""
    text = f"{finding.severity}: {terms.FINDINGS[finding.type]}"
    if finding.message:
        return f"{text}, {clip(finding.message, 4 * WIDEST_NAME)}"
    said = [_named(problem, c) for c in finding.constraints[:CONSTRAINTS]]
    more = len(finding.constraints) - CONSTRAINTS
    return ", ".join([text, *said]) + (f" and {more} more" if more > 0 else "")


def _named(problem: Problem, constraint: str) -> str:
    c = problem.by_id[constraint]
    return f"{label(c)} ({_words(c, problem)})"


def constraint_lines(run: JudgedRun, index: int) -> Iterator[str]:
    """Write one line for each constraint: status, id, words. Members of the core are marked."""
    view = run.steps[index]
    core = set(view.core.constraints) if view.core else set()
    yield from table(
        (
            status_text(run, index, c, core),
            label(c),
            _words(c, run.problem),
        )
        for c in run.problem.constraints
    )


def status_text(run: JudgedRun, index: int, c: Constraint, core: Collection[str]) -> str:
    """Return ``✓ holds`` or another status, or ``● conflict`` for a member of the core."""
    status = run.status(c.id, index)
    if c.id in core:
        return f"{terms.CORE_GLYPH} {terms.IN_CORE}"
    return f"{terms.STATUS_GLYPHS[status]} {terms.STATUSES[status]}"


def verdict_lines(
    run: JudgedRun, verdict: Verdict, width: int = WIDTH, helped: Help | None = None
) -> Iterator[str]:
    """Write the verdict, its explanation, and all findings by step."""
    problem = run.problem
    yield from sentence(phrases.verdict_line(verdict, helped.note if helped else ""), width)
    yield from sentence(explain_verdict(run, verdict), width)
    for said in asides(verdict):
        yield from sentence(said, width)
    if verdict.findings:
        yield ""
    groups = grouped(verdict.findings)
    for finding, *more in groups[:FINDINGS]:
        where = "at the end" if finding.step == "end" else phrases.step_name(finding.step)
        text = finding_text(problem, finding)
        if more:
            text += f" ({len(more) + 1} times, last at step {more[-1].step})"
        yield from hanging(f"  {where}", text, 14, width)
    if len(groups) > FINDINGS:
        yield f"  and {sum(map(len, groups[FINDINGS:]))} more"


def warning_lines(warnings: Iterable[str], width: int = WIDTH) -> Iterator[str]:
    """Write what may make a verdict worth less than it seems."""
    for warning in warnings:
        yield from sentence(terms.sentence(f"Warning: {warning}"), width)


def repair_lines(run: JudgedRun, fixed: Repair) -> Iterator[str]:
    """Write the nearest correct plan, call by call, compared with what the agent did."""
    if fixed.changes:
        yield from (f"  {one}" for one in phrases.changes(fixed))
        return
    if fixed.order is None:
        unjudged = run.problem.unjudged
        yield f"{unjudged}." if unjudged else f"There is no correct plan: {fixed.reason}."
        return
    attempt = run.last_attempt
    own = [f.action for f in attempt.facts if f.effect == "done" and f.action is not None]
    place = {run.problem.actions[i].id: n for n, i in enumerate(own, 1)}
    hours = {run.problem.actions[i].id: f.start for i, f in attempt.first.items()}
    rows = []
    for n, action in enumerate(fixed.order, 1):
        start = (fixed.starts or {}).get(action)
        own_hour = hours.get(action)
        was = place.get(action)
        later = start is not None and own_hour != start
        note = ""
        if action in fixed.inserted:
            note = "never done"
        elif was and (was != n or later):
            note = f"was {_ordinal(was)}" if was != n else "was"
            if later and own_hour is not None:
                note += f" at {clock(own_hour)}"
        rows.append(
            (f"{n:>2}", clip(name(run.problem, action), WIDEST_NAME), *_at(start, run.problem.timed), note)
        )
    yield from table(rows)
    for action in dict.fromkeys(fixed.removed):
        times = fixed.removed.count(action)
        often = f" {times} times" if times > 1 else ""
        yield f"   -  {clip(name(run.problem, action), WIDEST_NAME)}: its repetition is left out{often}"
    swaps = fixed.swaps or 0
    far = "the agent's order" if swaps == 0 else f"{plural(swaps, 'adjacent swap')} from the agent's order"
    yield far[0].upper() + far[1:] + ("." if fixed.exact else "; the best found, perhaps not the nearest.")


def _at(start: int | None, timed: bool) -> list[str]:
    return [f"at {clock(start)}" if start is not None else ""] if timed else []


def _ordinal(n: int) -> str:
    suffix = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{suffix}"


def text_report(
    run: JudgedRun, title: str, agent: str, model: str, helped: Help | None = None
) -> Iterator[str]:
    """Write the whole run as plain text: query, constraints at the end, steps, verdict, a correct plan."""
    yield from sentence(clip(title, 4 * WIDTH))
    yield from sentence(
        f"agent {clip(helped.agent(agent) if helped else agent, WIDTH)}, model {clip(model, WIDTH)}"
    )
    yield ""
    yield from paragraph(run.problem.text)
    yield ""
    yield "Constraints at the end" if run.trace.ending != "running" else "Constraints"
    yield from constraint_lines(run, len(run.steps) - 1)
    yield ""
    yield "Steps"
    yield from step_lines(run)
    if run.trace.ending == "running":
        return
    verdict = run.verdict()
    yield ""
    yield from verdict_lines(run, verdict, helped=helped)
    if verdict.verdict == "wrong":
        yield ""
        yield terms.PLAN_TITLE if run.problem.counted else terms.CHANGE_TITLE
        yield from repair_lines(run, run.way_back())
