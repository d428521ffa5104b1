"""Writes a judged run as Markdown, for an issue or a pull request.

Text from the session is always in code spans or fenced blocks, so it never becomes a link, a mention or HTML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from planscope import __version__
from planscope.case import Case
from planscope.debugger.run_index import RunIndex
from planscope.dissection.told import found_in
from planscope.oracle.verdict_types import StepView, Verdict
from planscope.report import call_text, finding_text, paragraph, repair_lines, status_text
from planscope.safe import clip, visible
from planscope.session.record import RunRecord, record_of
from planscope.session.seen import given_at_first, model_parts
from planscope.sharing.plan_picture import as_image, lanes_svg, svgs, why_not_drawn
from planscope.wording import phrases, terms
from planscope.wording.constraints import brief, label
from planscope.wording.explain import asides, explain_verdict

WIDTH = 100
MOST_STEPS = 300
"""Limit of steps in the table. A longer run is cut around its first error."""

MOST_MESSAGES = 50
"""Limit of steps whose raw messages are shown."""

_LONGEST_CELL = 160
_LONGEST_VALUE = 4000


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a table. Cells with text from a session must come from ``cell``."""
    names = list(head)
    lines = [names, ["---"] * len(names), *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def markdown(case: Case) -> str:
    """Write the query, the verdict, the steps, the constraints at the end, and a correct plan."""
    return "\n\n".join(_parts(case)) + "\n"


def _parts(case: Case) -> Iterator[str]:
    run, replay = case.run, case.replay
    verdict = replay.verdict() if run is not None else None
    helped = case.help
    yield f"## {_headline(verdict)}{helped.note}"
    who = (
        f"run {code(run.id)}: agent {code(helped.agent(run.agent))}, model {code(run.model)}"
        if run
        else "no run yet"
    )
    yield f"Session {code(clip(case.session.title, _LONGEST_CELL))}, {who}"
    if replay.problem.text.strip() or case.session.rules is None:
        yield "### Query"
        yield block(paragraph(replay.problem.text, WIDTH))
    if case.session.rules is not None:
        yield "### Rules"
        yield block(paragraph(case.session.rules, WIDTH))
    if verdict is not None:
        yield "### Why"
        said = [explain_verdict(replay, verdict), *asides(verdict)]
        yield block(line for text in said for line in paragraph(text, WIDTH))
    if (found := found_in(case.session, case.variant.id)) is not None:
        yield "### What in the query makes the agent fail"
        yield block(line for told in found.sentences for line in paragraph(told, WIDTH))
        if found.cured:
            yield "With these words changed the agent is right:"
            yield block(paragraph(found.cured, WIDTH))
    if verdict is not None:
        yield "### Steps"
        yield from _steps(case)
    if run is not None:
        yield from _seen(record_of(run))
    here = (
        (replay.first_doomed or 0)
        if run is None or replay.first_doomed is not None
        else len(replay.steps) - 1
    )
    index = RunIndex(replay)
    for title, svg in svgs(index, here):
        yield f"### {title} {'before any call' if here == 0 else 'at ' + phrases.step_name(replay.steps[here].step)}"
        yield as_image(title, svg)
    if why := why_not_drawn(index):
        yield why
    if lanes := lanes_svg(record_of(run) if run is not None else None, replay):
        yield "### Calls of each agent"
        yield as_image("Calls of each agent", lanes)
    yield "### Constraints" if verdict is None else "### Constraints at the end"
    yield _constraints(case)
    if verdict is not None and verdict.verdict == "wrong":
        yield f"### {terms.PLAN_TITLE if replay.problem.counted else terms.CHANGE_TITLE}"
        yield block(repair_lines(replay, replay.way_back()))
    yield f"Judged by planscope {__version__}."


def _headline(verdict: Verdict | None) -> str:
    if verdict is None:
        return "A planning query"
    glyph = terms.OUTCOME_GLYPHS[verdict.told]
    said = phrases.where(verdict)
    where = f"{' ' if said.startswith('at ') else ', '}{said}" if said else ""
    return f"{glyph} {phrases.verdict_line(verdict).capitalize()}{where}"


def _steps(case: Case) -> Iterator[str]:
    views = case.replay.steps
    middle = case.replay.first_doomed or 0
    start = max(0, min(middle - MOST_STEPS // 2, len(views) - MOST_STEPS))
    shown = views[start : start + MOST_STEPS]
    timed = case.replay.problem.timed
    head = ["", "step", "call", *(["hours"] if timed else []), "state", ""]
    yield table(head, (_row(case, view, timed) for view in shown))
    if len(shown) < len(views):
        yield f"{len(views) - len(shown)} more steps are left out here."


def _row(case: Case, view: StepView, timed: bool) -> Iterator[str]:
    yield terms.STATE_GLYPHS[view.state]
    yield str(view.step)
    yield cell(clip(call_text(view), _LONGEST_CELL)) if view.call is not None else ""
    if timed:
        yield phrases.hours(view.start, view.end)
    yield phrases.step_word(case.replay, view)
    notes = [cell(clip(finding_text(case.replay.problem, f), _LONGEST_CELL)) for f in view.findings]
    if view.call is not None and view.call.refused:
        notes.insert(0, "refused: blocked before it reached the tool")
    if phrases.failed(view):
        notes.insert(0, f"**{terms.FAILED}**: {terms.ANSWERED_ERROR}")
    if view.index == case.replay.lost_at(view.attempt):
        notes.insert(0, f"**{terms.LOST_HERE}** ({terms.NO_RETURN})")
    yield ", ".join(notes)


def _seen(record: RunRecord) -> Iterator[str]:
    """Write what the model was given, and its message, tokens and time at each step."""
    yield "### What the model was given"
    for part in given_at_first(record):
        if not part.known:
            yield f"{part.name.capitalize()}: {code(str(part.value))}"
        elif part.name == "tools":
            yield "Tools:"
            rows = (
                [tool.get("name"), tool.get("description"), _compact(tool.get("parameters"))]
                for tool in part.value
            )
            yield table(
                ("name", "description", "arguments (JSON schema)"),
                ([cell(clip(str(one or ""), _LONGEST_VALUE)) for one in row] for row in rows),
            )
        elif part.name == "messages":
            for message in part.value:
                yield f"Message of {code(message['role'], _LONGEST_CELL)}:"
                yield block(paragraph(_cut(message["text"]), WIDTH))
        else:
            yield f"{part.name.capitalize()}:"
            yield block(paragraph(_cut(str(part.value)), WIDTH))
    steps = range(1, min(len(record.calls), MOST_MESSAGES) + 1)
    yield "### What the model said"
    for index in [*steps, *([len(record.calls) + 1] if record.last_messages else [])]:
        yield f"**{'Step ' + str(index) if index <= len(record.calls) else 'The end'}**"
        for part in model_parts(record, index):
            if isinstance(part.value, str):
                yield f"{part.name.capitalize()}: {code(_cut(part.value))}"
            else:
                yield block(_cut(_compact(part.value, 1)).splitlines(), "json")
    if len(record.calls) > MOST_MESSAGES:
        yield f"The messages of {len(record.calls) - MOST_MESSAGES} more steps are left out here."


def _compact(value: Any, indent: int | None = None) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=indent)


def _cut(text: str) -> str:
    left = len(text) - _LONGEST_VALUE
    return text if left <= 0 else f"{text[:_LONGEST_VALUE]} ... and {left:,} more characters"


def _constraints(case: Case) -> str:
    replay = case.replay
    last = len(replay.steps) - 1
    core = replay.steps[last].core
    members = set(core.constraints) if core else set()
    return table(
        ("", "id", "says"),
        (
            (
                f"**{status}**" if c.id in members else status,
                cell(label(c)) if c.title else c.id,
                cell(clip(brief(c, replay.problem), _LONGEST_CELL)),
            )
            for c in replay.problem.constraints
            for status in [status_text(replay, last, c, members)]
        ),
    )


# Text from a session, in code spans and fenced blocks

_BACKQUOTES = re.compile("`+")


def code(text: str, limit: int | None = None) -> str:
    """Write a text as one code span on one line, cut visibly after ``limit`` code points."""
    return _span(visible(text) if limit is None else visible(text, limit=limit))


def cell(text: str) -> str:
    """Write a code span for a table: pipes are escaped, and no backslash precedes one."""
    shown = re.sub(r"(\\+)\|", r"\1 |", visible(text)).replace("|", r"\|")
    return _span(f"{shown} " if shown.endswith("\\") else shown)


def block(
    lines: Iterable[str], language: str = "text", *, most: int | None = None, widest: int | None = None
) -> str:
    """Write a fenced block that no line in it can close. Each line stays one line.

    It shows at most ``most`` lines of ``widest`` cells, and says how many are left out.
    """
    every = list(lines)
    shown = [visible(line) if widest is None else clip(line, widest) for line in every[:most]]
    if most is not None and len(every) > most:
        shown.append(f"... and {len(every) - most} more")
    fence = "`" * max(3, 1 + max(map(_ticks, shown), default=0))
    return "\n".join([f"{fence}{language}", *shown, fence])


def _span(shown: str) -> str:
    if not shown.strip(" "):
        return "(blank)" if shown else "(nothing)"
    ticks = "`" * (1 + _ticks(shown))
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def _ticks(text: str) -> int:
    """Return the length of the longest run of backquotes."""
    return max(map(len, _BACKQUOTES.findall(text)), default=0)
