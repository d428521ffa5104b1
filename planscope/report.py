"""What is told of a judged run: its query, verdict, steps, constraints and a correct plan, as blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from planscope import __version__
from planscope.language.problem import Constraint, Problem
from planscope.oracle.findings import grouped
from planscope.oracle.judged import same_message
from planscope.oracle.verdict_types import Finding, Repair, StepView, Verdict
from planscope.safe import clip
from planscope.show.blocks import (
    GAP,
    Block,
    Code,
    Fold,
    Heading,
    Own,
    Para,
    Picture,
    Strong,
    Table,
    Toned,
    Words,
)
from planscope.wording import phrases, terms
from planscope.wording.constraints import brief, label, name, plain
from planscope.wording.explain import asides, explain_verdict
from planscope.wording.phrases import clock, listed, plural

if TYPE_CHECKING:
    from planscope.case import Case
    from planscope.oracle.replay import Replay
    from planscope.session.record import Help, RunRecord

WIDEST_CALL = 44
WIDEST_NAME = 60
MOVES = 8
FINDINGS = 20
CONSTRAINTS = 5
"""Widths of a call and of a name in a table, in cells. Limits for the lists of safe next moves, of a run's findings,
and of the constraints of one finding."""

MOST_STEPS = 300
"""Limit of steps in an issue. A longer run is cut around its first error."""
MOST_MESSAGES = 50
"""Limit of steps whose raw messages an issue shows."""
LONGEST_VALUE = 4000
LONGEST_TITLE = 160


def query_blocks(problem: Problem, valid_orders: int | None, core: Sequence[str] = ()) -> Iterator[Block]:
    """Describe a query: its actions, constraints and rules, how many orders meet it, and the core of a
    contradiction."""
    yield Heading("Actions", 4)
    actions = [
        (Own(a.id), a.name, a.tool, Own(f"{a.duration} h" if a.duration else "")) for a in problem.actions
    ]
    yield Table(actions, widest=(0, WIDEST_NAME))
    yield Heading("Constraints", 4)
    yield Table(
        [(c.id, c.text, f"sentence {(c.sentence or 0) + 1}", _words(c, problem)) for c in problem.said]
    )
    yield Heading("Rules", 4)
    yield Table([(c.id, plain(c, problem)) for c in problem.constraints if c.is_rule])
    yield Para(Own(f"Valid orders: {phrases.count(valid_orders)}"))
    if core:
        yield Para(f"{terms.CONFLICT}: {', '.join(core)}; {terms.CONFLICT_MEANS}")


def left_out_blocks(parts: Sequence[str]) -> Iterator[Block]:
    """Say what parts of a text were not read."""
    for part in parts:
        yield Para(f'Left out, since it asks for no order: "{part}"')


def _words(c: Constraint, problem: Problem) -> str:
    return clip(brief(c, problem), 2 * WIDEST_NAME)


def call_text(view: StepView) -> str:
    """Return a step's call: ``tool(8)``, ``tool()``, ``tool(unreadable)``."""
    call = view.call
    if call is None:
        return Own("(before any call)" if view.step == 0 else "(the end)")
    return phrases.call(call.tool, call.arguments)


def step_blocks(run: Replay, record: RunRecord | None = None, *, issue: bool = False) -> Iterator[Block]:
    """Return a table of the steps; below each its errors, the core if the plan is lost there, and the safe next calls.

    ``record``: what the user said before a step is told, too. ``issue``: without safe calls, and not more than an issue
    holds.
    """
    views = run.steps
    if issue and len(views) > MOST_STEPS:
        start = max(0, min((run.first_doomed or 0) - MOST_STEPS // 2, len(views) - MOST_STEPS))
        views = views[start : start + MOST_STEPS]
    counted = run.problem.counted and not run.problem.unjudged
    attempts = len({view.attempt for view in views}) > 1
    rows = [
        (
            Own(terms.STATE_GLYPHS[view.state]),
            Own(f"{view.step!s:>4}"),
            Own(view.attempt if attempts else ""),
            call_text(view),
            Own(phrases.hours(view.start, view.end)),
            Own(phrases.step_word(run, view)),
            Own(orders_left(run, view) if counted else ""),
        )
        for view in views
    ]
    head = ("", "step", "attempt", "call", "hours", "state", "valid orders")
    notes = [[*_turns(record, view.index), *step_notes(run, view, safe=not issue)] for view in views]
    yield Table(rows, head, "", notes, (0, 0, 0, LONGEST_TITLE if issue else WIDEST_CALL))
    if len(views) < len(run.steps):
        yield Para(Own(f"{len(run.steps) - len(views)} more steps are left out here."))


def _turns(record: RunRecord | None, index: int) -> Iterator[Words]:
    """Return what user and model said to each other before a call, or after the last one."""
    for speaker, turn in record.turns(index) if record is not None else ():
        yield (Own(f"before it the {speaker} said: "), clip(turn, LONGEST_TITLE))


def step_notes(run: Replay, view: StepView, *, safe: bool) -> Iterator[Words]:
    """Say what happened at a step, besides its call."""
    if view.call is not None and view.call.refused:
        yield Own("refused: the call was blocked before it reached the tool")
    if phrases.failed(view):
        yield (Strong(terms.FAILED), Own(f": {terms.ANSWERED_ERROR}"))
    if same_message(run, view):
        yield Own(terms.SAME_MESSAGE)
    yield from (finding_text(run.problem, finding) for finding in view.findings)
    if view.core is not None and view.index == run.lost_at(view.attempt):
        yield (Strong(terms.LOST_HERE), Own(f" ({terms.NO_RETURN}): "), _core_text(run.problem, view))
    moves = run.safe_moves(view.index) if safe else ()
    if moves:
        yield f"safe next: {phrases.moves(run.problem, moves, MOVES)}"


def step_said(record: RunRecord, view: StepView) -> Iterator[tuple[str, str, str]]:
    """Yield label, text and tone of what model, tools and people said and did at a step, and who said it before."""
    return (one for one in _step_said(record, view) if one[1])


def _step_said(record: RunRecord, view: StepView) -> Iterator[tuple[str, str, str]]:
    from planscope.session.record import by_speaker

    i = view.index
    yield from ((who, turn, "") for who, turn in record.turns(i))
    if view.call is None:
        if i:
            yield "said", by_speaker(record.last_messages, record.last_words)[1], ""
            yield "", phrases.ending(record), "dim"
        yield from (("trouble", one, "caution") for one in record.troubles if i == 0)
        return
    call = record.calls[i - 1]
    yield "thought", by_speaker(call.messages, call.thought)[1], ""
    yield "call", call_text(view), "call"
    if call.arguments is None:
        yield "raw", call.raw, "dim"
    elif call.arguments.keys() - {"start_time"}:
        yield "arguments", phrases.json_text(call.arguments), ""
    yield "hours", phrases.hours(view.start, view.end), ""
    yield "error", call.error, "broken"
    if call.asked is not None:
        yield "asked for", f"{phrases.json_text(call.asked)} (edited by hand)", "dim"
    if call.refused_by:
        yield "refused", "by the user" if call.refused_by == "user" else "by the guard", "caution"
    cut_short = "none: the run was cut short, so the call may or may not have been done"
    yield "answer", call.answer or "", "caution" if call.failed else ""
    yield "answer", cut_short if record.unanswered == i else "", "caution"
    yield "instead", f"{call.said} (the tool's own answer, edited by hand)" if call.said else "", "dim"
    yield from (("trouble", one, "caution") for one in call.troubles)
    yield "kept", "from the run that this one was forked from" if call.kept else "", "dim"


def orders_left(run: Replay, view: StepView) -> str:
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


def constraint_table(run: Replay, index: int) -> Block:
    """Return a row for each constraint: status, id, words. Members of the core are marked."""
    view = run.steps[index]
    core = set(view.core.constraints) if view.core else set()
    rows = [
        (
            (Strong if c.id in core else Own)(status_text(run, index, c, core)),
            label(c) if c.title else Own(c.id),
            _words(c, run.problem),
        )
        for c in run.problem.constraints
    ]
    return Table(rows, ("", "id", "says"))


def status_text(run: Replay, index: int, c: Constraint, core: Collection[str]) -> str:
    """Return ``✓ holds`` or another status, or ``● conflict`` for a member of the core."""
    status = run.status(c.id, index)
    if c.id in core:
        return f"{terms.CORE_GLYPH} {terms.IN_CORE}"
    return f"{terms.STATUS_GLYPHS[status]} {terms.STATUSES[status]}"


def verdict_blocks(run: Replay, verdict: Verdict, helped: Help | None = None) -> Iterator[Block]:
    """Return the verdict, its explanation, and all findings by step."""
    yield Para(Own(phrases.verdict_line(verdict, helped.note if helped else "")))
    yield from why_blocks(run, verdict)


def why_blocks(run: Replay, verdict: Verdict) -> Iterator[Block]:
    """Return the explanation of a verdict, and all findings by step."""
    yield from map(Para, (explain_verdict(run, verdict), *asides(verdict)))
    if verdict.findings:
        yield GAP
    groups = grouped(verdict.findings)
    for finding, *more in groups[:FINDINGS]:
        where = "at the end" if finding.step == "end" else phrases.step_name(finding.step)
        text = finding_text(run.problem, finding)
        if more:
            text += f" ({len(more) + 1} times, last at step {more[-1].step})"
        yield Para(text, label=f"  {where}")
    if len(groups) > FINDINGS:
        yield Para(Own(f"  and {sum(map(len, groups[FINDINGS:]))} more"))
    yield from _cause_blocks(run, verdict)


def _cause_blocks(run: Replay, verdict: Verdict) -> Iterator[Block]:
    """Say which step is most likely to blame, and the way from there to where it shows."""
    from planscope.cause.told import cause_of, chain, told

    if (cause := cause_of(run, verdict)) is not None:
        yield GAP
        yield Para(told(cause))
        yield from map(Para, chain(cause))


def warning_blocks(warnings: Iterable[str]) -> Iterator[Block]:
    """Say what may make a verdict worth less than it seems."""
    return (Para(terms.sentence(f"Warning: {warning}")) for warning in warnings)


def repair_blocks(run: Replay, fixed: Repair) -> Iterator[Block]:
    """Return the nearest correct plan, call by call, compared with what the agent did."""
    if fixed.changes:
        yield Code(phrases.changes(fixed), indent="  ")
        return
    if fixed.order is None:
        unjudged = run.problem.unjudged
        yield Para(f"{unjudged}." if unjudged else f"There is no correct plan: {fixed.reason}.")
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
        at = f"at {clock(start)}" if start is not None else ""
        rows.append((Own(f"{n:>2}"), name(run.problem, action), Own(at), Own(note)))
    yield Table(rows, widest=(0, WIDEST_NAME))
    for action in dict.fromkeys(fixed.removed):
        times = fixed.removed.count(action)
        often = f" {times} times" if times > 1 else ""
        yield Para(
            f"-  {clip(name(run.problem, action), WIDEST_NAME)}: its repetition is left out{often}", "   "
        )
    swaps = fixed.swaps or 0
    far = "the agent's order" if swaps == 0 else f"{plural(swaps, 'adjacent swap')} from the agent's order"
    end = "." if fixed.exact else "; the best found, perhaps not the nearest."
    yield Para(Own(terms.capital(far) + end))


def _ordinal(n: int) -> str:
    suffix = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{suffix}"


def task_of(case: Case) -> str:
    """Return what an agent without a query was asked, or ""."""
    prompt = next((event for event in case.run.events if event.type == "prompt"), None) if case.run else None
    return prompt.text if prompt is not None and not case.replay.problem.text.strip() else ""


def action_rows(problem: Problem) -> list[Sequence[Words]]:
    """Return a row for each action or tool: its id, name and hours, and what it does, if rules say so."""
    rows: list[Sequence[Words]] = []
    for a in problem.actions:
        writes, reads = a.tool in problem.writes, a.tool in problem.reads
        does = Toned("writes", "caution") if writes else Toned("reads" if reads else "", "dim")
        hours = Toned(f"{a.duration} h" if a.duration else "", "dim")
        rows.append((Toned(a.id, "dim"), clip(a.name, LONGEST_TITLE), hours, does))
    return rows


def _asked(case: Case) -> Iterator[Block]:
    """Return the query and the rules of a session; without a query the task of the agent and its tools."""
    text, task = case.replay.problem.text, task_of(case)
    if text.strip():
        yield Heading("Query", 3)
        yield Para(text, keep=True)
    elif task.strip():
        yield Heading("Task", 3)
        yield Para(_cut(task), keep=True)
        yield Heading("Tools", 3)
        yield Table([row[1:] for row in action_rows(case.replay.problem)])
    if case.session.rules is not None:
        yield Heading("Rules", 3)
        yield Para(case.session.rules, keep=True)


def case_blocks(case: Case, *, issue: bool = True) -> Iterator[Block]:
    """Return a judged run, or a query without one.

    ``issue``: also what a dissection found, what the model was given and said, and pictures, in place of safe calls."""
    from planscope.session.record import record_of

    run, record = case.replay, record_of(case.run) if case.run is not None else None
    verdict = run.verdict() if record is not None else None
    who: tuple[str, ...] = (Own("no run yet"),)
    if record is not None:
        who = (Own("run "), record.id, Own(": agent "), record.helped_agent, Own(", model "), record.model)
    yield Heading((Own(_headline(verdict)), Own(case.help.note)))
    yield Para((Own("Session "), clip(case.session.title, LONGEST_TITLE), Own(", "), *who))
    yield from _asked(case)
    if verdict is not None:
        yield Heading("Why", 3)
        yield from why_blocks(run, verdict)
    for title, blocks in told_blocks(case, verdict):
        yield Heading(title, 3)
        yield from blocks
    if record is not None or not issue:
        yield Heading("Steps", 3)
        yield from step_blocks(run, record, issue=issue)
    if issue and record is not None:
        yield Heading("What the model was given", 3)
        yield from given_blocks(record, LONGEST_VALUE)
        yield from _messages(record)
    if issue:
        yield from _pictures(run, record)
    yield Heading("Constraints" if verdict is None else "Constraints at the end", 3)
    yield constraint_table(run, len(run.steps) - 1)
    if issue:
        yield Para(Own(f"Judged by planscope {__version__}."))


def _headline(verdict: Verdict | None) -> str:
    if verdict is None:
        return "A planning query"
    said = phrases.where(verdict)
    where = f"{' ' if said.startswith('at ') else ', '}{said}" if said else ""
    return f"{terms.OUTCOME_GLYPHS[verdict.told]} {phrases.verdict_line(verdict).capitalize()}{where}"


def told_blocks(case: Case, verdict: Verdict | None) -> Iterator[tuple[str, list[Block]]]:
    """Return what a dissection blames, and what would have been right, each with its title."""
    from planscope.dissection.told import found_in

    run, found = case.replay, found_in(case.session, case.variant.id)
    if found is not None:
        blocks: list[Block] = [*map(Para, found.sentences)]
        if found.cured:
            blocks += [
                Para(Own("With these words changed the agent is right:")),
                Para(found.cured, keep=True),
            ]
        yield "What in the query makes the agent fail", blocks
    if verdict is not None and verdict.verdict == "wrong":
        title = terms.PLAN_TITLE if run.problem.counted else terms.CHANGE_TITLE
        yield title, [*repair_blocks(run, run.way_back())]


def _pictures(run: Replay, record: RunRecord | None) -> Iterator[Block]:
    from planscope.debugger.run_index import RunIndex
    from planscope.drawing.plan import lanes_svg, svgs, why_not_drawn

    here = (run.first_doomed or 0) if record is None or run.first_doomed is not None else len(run.steps) - 1
    index = RunIndex(run)
    at = "before any call" if here == 0 else f"at {phrases.step_name(run.steps[here].step)}"
    for title, svg in svgs(index, here):
        yield Heading(f"{title} {at}", 3)
        yield Picture(title, svg)
    if why := why_not_drawn(index):
        yield Para(Own(why))
    if lanes := lanes_svg(record, run):
        yield Heading("Calls of each agent", 3)
        yield Picture("Calls of each agent", lanes)


def given_blocks(record: RunRecord, most: int) -> Iterator[Block]:
    """Return what the model was given at first. ``most``: the limit for a text, in characters."""
    from planscope.session.seen import given_at_first

    for part in given_at_first(record):
        named = terms.capital(part.name)
        if not part.known:
            yield Para((Own(f"{named}: "), str(part.value)))
        elif part.name == "tools":
            told = (
                Para(text)
                for tool in part.value
                for text in (
                    f"{tool.get('name')}: {tool.get('description') or ''}",
                    _json(tool.get("parameters")),
                )
            )
            yield Fold(named, [*told])
        elif part.name == "messages":
            for message in part.value:
                yield Para((Own("Message of "), clip(message["role"], LONGEST_TITLE), Own(":")))
                yield Para(_cut(message["text"], most), keep=True)
        else:
            yield Para(Own(f"{named}:"))
            yield Para(_cut(str(part.value), most), keep=True)


def message_blocks(record: RunRecord, index: int, most: int) -> Iterator[Block]:
    """Return what the model said at a step, counted from 1, with tokens and time, as :func:`given_blocks` does."""
    from planscope.session.seen import model_parts

    for part in model_parts(record, index):
        named = terms.capital(part.name)
        if isinstance(part.value, str):
            yield Para((Own(f"{named}: "), _cut(part.value, most)))
        else:
            yield Fold(named, [Code(_cut(_json(part.value, 1), most).splitlines(), "json")])


def _messages(record: RunRecord) -> Iterator[Block]:
    yield Heading("What the model said", 3)
    shown = range(1, min(len(record.calls), MOST_MESSAGES) + 1)
    for index in [*shown, *([len(record.calls) + 1] if record.last_messages else [])]:
        yield Para(Strong(f"Step {index}" if index <= len(record.calls) else "The end"))
        yield from message_blocks(record, index, LONGEST_VALUE)
    if len(record.calls) > MOST_MESSAGES:
        yield Para(Own(f"The messages of {len(record.calls) - MOST_MESSAGES} more steps are left out here."))


def _json(value: object, indent: int | None = None) -> str:
    return "" if value is None else phrases.json_text(value, indent)


def _cut(text: str, most: int = LONGEST_VALUE) -> str:
    left = len(text) - most
    return text if left <= 0 else f"{text[:most]} ... and {left:,} more characters"
