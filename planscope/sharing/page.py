"""Makes a self-contained HTML page that steps through runs in a browser and contains the session itself.

Text from the session is never markup: it is in two elements of JSON with ``<``, ``>`` and ``&`` escaped, and the script
puts it on the page as text. The page loads nothing: its content security policy allows only its own script and style
sheet, by their checksums. The file is ASCII.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from planscope import __version__
from planscope.case import Case, check_size, judge
from planscope.debugger.run_index import RunIndex
from planscope.dissection.told import found_in
from planscope.drawing.plan import (
    can_be_drawn,
    lanes_document,
    order_document,
    plan_document,
    why_not_drawn,
)
from planscope.errors import UserError
from planscope.oracle.judged import JudgedRun
from planscope.oracle.verdict_types import StepView
from planscope.report import (
    MOVES,
    call_text,
    finding_text,
    orders_left,
    repair_blocks,
    run_blocks,
)
from planscope.safe import visible
from planscope.safe.page_policy import policy_tag
from planscope.session.containers import CLOSING, OPENING, for_page
from planscope.session.files import LARGEST
from planscope.session.model import Run, Session, own_runs
from planscope.session.record import RecordedCall, RunRecord, by_speaker, record_of
from planscope.session.seen import given_at_first, model_parts
from planscope.sharing.query import QueryView
from planscope.show.page import markup
from planscope.show.text import lines
from planscope.wording import terms
from planscope.wording.explain import explain_verdict
from planscope.wording.phrases import (
    ending,
    failed,
    file_size,
    fork_point,
    hours,
    step_word,
    verdict_line,
    where,
)
from planscope.wording.phrases import moves as moves_text
from planscope.wording.terms import FAILED, FINDINGS, STATES

Json = dict[str, Any]

MOST_RUNS = 100
MOST_STEPS = 20_000
"""Limits for the runs that a page shows, and for the calls in all of them. The embedded session has the other runs,
and those of dissections."""

_TITLE = 200
_LONGEST = 20_000
"""Limit for a thought, an answer or arguments on the page, in characters. The session inside has all of them."""

_NAME = 200

_WORDS = {
    "statuses": {
        letter: f"{terms.STATUS_GLYPHS[s]} {terms.STATUSES[s]}" for s, letter in terms.STATUS_LETTERS.items()
    }
    | {"k": f"{terms.CORE_GLYPH} {terms.IN_CORE}"},
    "glyphs": terms.STATE_GLYPHS,
    "states": terms.STATES,
    "outcomes": {**terms.OUTCOME_GLYPHS, "none": terms.OUTCOME_GLYPHS["pending"]},
    "lost": terms.LOST_HERE,
    "no_return": terms.NO_RETURN,
    "conflict": terms.IN_CORE,
    "conflict_means": terms.CONFLICT_MEANS,
}
"""Words and glyphs that the script shows."""


def page(session: Session, chosen: Run | None, check: Callable[[str], None] = lambda data: None) -> str:
    """Return the page as text. It opens with the run ``chosen``. ``check`` receives every part that comes from the
    session.

    Raises UserError if the query of the chosen run cannot be read, or the page would be too large.
    """
    from planscope.session.store import dumps

    first = judge(session, chosen)
    check_size(first.replay)
    view = for_page(json.dumps(_view(session, first), ensure_ascii=False, separators=(",", ":")))
    inside = for_page(dumps(session).decode())
    agent, model = (chosen.agent, chosen.model) if chosen is not None else ("none", "none")
    told = list(run_blocks(first.replay, session.title, agent, model, first.help))
    report = "\n".join(lines(told))
    title = visible(session.title, limit=_TITLE)
    for data in (view, inside, report, title):
        check(data)
    style = re.sub("[^\x00-\x7f]", lambda c: f"\\{ord(c[0]):x} ", _data("page.css"))
    script = re.sub("[^\x00-\x7f]", lambda c: f"\\u{ord(c[0]):04x}", _data("page.js"))
    parts = {
        "policy": policy_tag(style, script),
        "version": html.escape(__version__),
        "title": html.escape(title),
        "style": style,
        "script": script,
        "report": markup(told),
        "view": view,
        "session": f"{OPENING.decode()}\n{inside}{CLOSING.decode()}",
    }
    made = re.sub(r"\{\{([a-z]+)\}\}", lambda found: parts[found[1]], _data("page.html"))
    made = made.encode("ascii", "xmlcharrefreplace").decode()
    if len(made) > LARGEST:
        raise UserError(
            f"the page would be larger than {file_size(LARGEST)}, and planscope could not open it again; share the "
            "session file, or one run with --only"
        )
    return made


def _view(session: Session, first: Case) -> dict[str, Any]:
    """Return the data of the script: queries, and runs that refer to them by number."""
    requests: dict[str, tuple[int, QueryView]] = {}
    runs: list[dict[str, Any]] = []
    titles: list[str] = []
    show = left_out = steps = 0
    listed: list[Run | None] = [*worth_showing(session, first.run, MOST_RUNS)]
    for run in listed or [None]:
        steps += sum(event.type == "call" for event in run.events) if run is not None else 0
        chosen = run is first.run
        case = first if chosen else (_judged(session, run) if steps <= MOST_STEPS else None)
        if case is None:
            left_out += 1
            continue
        if case.variant.id not in requests:
            blamed = found_in(session, case.variant.id)
            requests[case.variant.id] = (len(requests), QueryView(case.variant, case.reading, blamed))
        number, request = requests[case.variant.id]
        show = len(runs) if chosen else show
        titles.append(title_of(run))
        runs.append(run_document(run, case.replay, request, number))
    return {
        "title": visible(session.title, limit=_TITLE),
        "notes": visible(session.notes, limit=4000, keep_newlines=True),
        "words": _WORDS,
        "requests": [request.document() for _, request in requests.values()],
        "runs": runs,
        "titles": titles,
        "show": show,
        "left_out": max(0, len(session.runs) - len(runs)) if session.runs else left_out,
    }


def worth_showing(session: Session, chosen: Run | None, most: int) -> list[Run]:
    """Return the first ``most`` runs that no dissection made, in order. The chosen one is always among them."""
    own = {run.id for run in own_runs(session)}
    listed = [run for run in session.runs if run.id in own or run is chosen]
    if len(listed) <= most:
        return listed
    kept = listed[:most]
    if chosen is not None and not any(run is chosen for run in kept):
        kept[-1] = chosen
    return kept


def _judged(session: Session, run: Run | None) -> Case | None:
    try:
        return judge(session, run)
    except UserError:
        return None


def _data(name: str) -> str:
    return (files("planscope.sharing") / "data" / name).read_text(encoding="utf-8")


# The data of one run:


def run_document(run: Run | None, replay: JudgedRun, query: QueryView, number: int) -> Json:
    """Return the data of one run. ``number`` is that of its query. A query without a run has one step, before any
    call."""
    index = RunIndex(replay)
    record = record_of(run) if run is not None else None
    calls = (None, *(record.calls if record is not None else ()))
    steps = [_step(index, i, calls[i] if i < len(calls) else None, query) for i in range(len(index.steps))]
    drawn = can_be_drawn(index)
    for i, step in enumerate(steps if drawn else ()):
        step["plan"] = plan_document(index, i)
    if record is not None and record.unanswered is not None:
        steps[record.unanswered]["unanswered"] = True
    for i, step in enumerate(steps if record is not None and run is not None else ()):
        seen = _seen(record, i)
        if seen:
            step["seen"] = seen
    verdict = replay.verdict() if record is not None else None
    document: Json = {
        "id": visible(record.id, limit=_NAME) if record else "",
        "request": number,
        "agent": visible(record.helped_agent, limit=_NAME) if record else "",
        "model": visible(record.model, limit=_NAME) if record else "",
        "forked": fork_point(record.forked_from) if record and record.forked_from else "",
        "kind": verdict.verdict if verdict else "none",
        "verdict": verdict_line(verdict, record.help.note) if verdict and record else "not run yet",
        "why": _long(explain_verdict(replay, verdict)) if verdict else "",
        "where": where(verdict) if verdict else "",
        "notes": [_long(terms.sentence(one)) for one in verdict.notes] if verdict else [],
        "warnings": [_long(one) for one in verdict.warnings] if verdict else [],
        "first": index.first_violation,
        "ending": ending(record),
        "said": _long(record.last_words) if record else "",
        "trouble": [_long(line) for line in record.troubles] if record else [],
        "begins": [terms.STATUS_LETTERS[replay.status(c.id, 0)] for c in replay.problem.constraints],
        "steps": steps,
        "lit": query.steps_lit(index),
        "repair": [],
        "order": order_document(index, query.number_of) if drawn else None,
        "undrawn": why_not_drawn(index),
        "lanes": lanes_document(record),
    }
    if verdict is not None and verdict.verdict == "wrong":
        document["repair"] = list(lines(repair_blocks(replay, replay.way_back())))
    return document


def _step(index: RunIndex, i: int, call: RecordedCall | None, query: QueryView) -> Json:
    view = index.steps[i]
    run = index.judged
    moves = run.safe_moves(i)
    document: Json = {
        "step": str(view.step),
        "attempt": view.attempt,
        "call": call_text(view),
        "state": view.state,
        "action": view.action or "",
        "changes": [[query.number_of[c], terms.STATUS_LETTERS[run.status(c, i)]] for c in view.changed],
        "checks": [query.number_of[c] for c in index.checks[i]],
        "found": [
            {
                "text": visible(finding_text(run.problem, f)),
                "type": FINDINGS[f.type],
                "error": f.severity == "error",
            }
            for f in index.findings[i]
        ],
        "ways": orders_left(run, view),
    }
    word = step_word(run, view)
    if word != STATES[view.state]:
        document["word"] = word
    if i in index.doomed:
        document["lost"] = True
    if view.core is not None:
        document["core"] = [query.number_of[c] for c in view.core.constraints if c in query.number_of]
        document["core_steps"] = [str(step) for step in view.core.steps]
    if view.start is not None and view.end is not None:
        document["hours"] = hours(view.start, view.end)
    if moves:
        document["safe"] = moves_text(run.problem, moves, MOVES)
    return document | _said(view, call)


def _said(view: StepView, call: RecordedCall | None) -> Json:
    """Return the fields that the record has for a call."""
    if call is None:
        return {}
    refused_unsaid = view.call is not None and view.call.refused and not call.refused_by
    turns, thought = by_speaker(call.messages, call.thought)
    said: Json = {
        "user": [_long(turn) for speaker, turn in turns if speaker == "user"],
        "thought": _long("\n".join(filter(None, [*(turn for who, turn in turns if who != "user"), thought]))),
        "arguments": "" if call.arguments is None else _json(call.arguments),
        "raw": _long(call.raw) if call.arguments is None else "",
        "error": _long(call.error),
        "asked": _json(call.asked) if call.asked is not None else "",
        "answer": _long(call.answer or ""),
        "failed": call.failed,
        "mark": FAILED if failed(view) else "",
        "refused": "guard" if refused_unsaid else call.refused_by,
        "replaced": _long(call.said or ""),
        "trouble": [_long(line) for line in call.troubles],
        "kept": call.kept,
    }
    return {key: value for key, value in said.items() if value}


def _seen(record: RunRecord | None, index: int) -> list[list[str]]:
    """Return what the model saw or said at a step: name, value, and ``json``, ``text`` or ``missing``.

    Arguments and answers are left out: the step has them.
    """
    assert record is not None
    made = []
    for part in given_at_first(record) if index == 0 else model_parts(record, index):
        is_text = isinstance(part.value, str)
        kind = ("text" if is_text else "json") if part.known else "missing"
        made.append([part.name, _long(part.value) if is_text else _json(part.value), kind])
    return made


def _json(value: Any) -> str:
    try:
        return _long(json.dumps(value, ensure_ascii=False, default=str))
    except (ValueError, RecursionError):
        return "(cannot be shown)"


def _long(text: str) -> str:
    return visible(text, limit=_LONGEST, keep_newlines=True)


def title_of(run: Run | None) -> str:
    """Return the title of a run in the list of runs."""
    if run is None:
        return "the query alone"
    record = record_of(run)
    return visible(f"{run.id}: {record.helped_agent}, {run.model}{record.help.note}", limit=_NAME)
