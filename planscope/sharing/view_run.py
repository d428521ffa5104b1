"""A judged run as the page shows it: every step with what was said, called, answered, and what it meant."""

from __future__ import annotations

from typing import Any

from planscope.debugger.run_index import RunIndex
from planscope.oracle.replay import Replay
from planscope.oracle.verdict_types import StepView
from planscope.report import MOVES, call_text, finding_text, orders_left, repair_lines, state_text
from planscope.safe import visible
from planscope.session.model import Run, Session, own_runs
from planscope.session.record import RecordedCall, record_of
from planscope.sharing.view_request import RequestView
from planscope.wording.explain import explain_verdict
from planscope.wording.phrases import ending, fork_point, hours, verdict_line
from planscope.wording.phrases import moves as moves_text
from planscope.wording.terms import FINDINGS, STATES

Json = dict[str, Any]

_LONGEST = 20_000
"""Characters shown of a thought, an answer or the arguments of a call; the session that the page carries has all."""

_NAME = 200


def run_document(run: Run | None, replay: Replay, query: RequestView, number: int) -> Json:
    """``number``: of its query. A bare query has one step, before any call."""
    index = RunIndex(replay)
    record = record_of(run) if run is not None else None
    calls = (None, *(record.calls if record is not None else ()))
    steps = [_step(index, i, calls[i] if i < len(calls) else None, query) for i in range(len(index.steps))]
    if record is not None and record.unanswered is not None:
        steps[record.unanswered]["unanswered"] = True
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
        "first": index.first_violation,
        "ending": ending(record),
        "said": _long(record.last_words) if record else "",
        "trouble": [_long(line) for line in record.troubles] if record else [],
        "begins": [_LETTERS[replay.status(c.id, 0)] for c in replay.problem.constraints],
        "steps": steps,
        "lit": query.steps_lit(index),
        "repair": [],
    }
    if verdict is not None and verdict.verdict == "wrong":
        document["repair"] = [visible(line) for line in repair_lines(replay, replay.repair())]
    return document


_LETTERS = {"holds": "h", "open": "o", "broken": "b"}


def _step(index: RunIndex, i: int, call: RecordedCall | None, query: RequestView) -> Json:
    view = index.steps[i]
    run = index.replay
    assert isinstance(run, Replay)
    moves = run.safe_moves(i)
    document: Json = {
        "step": str(view.step),
        "attempt": view.attempt,
        "call": call_text(view),
        "state": view.state,
        "action": view.action or "",
        "changes": [[query.number_of[c], _LETTERS[run.status(c, i)]] for c in view.changed],
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
    word = state_text(run, view)
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
    """What the record says of a call, without what it does not say."""
    if call is None:
        return {}
    refused_unsaid = view.call is not None and view.call.refused and not call.refused_by
    said: Json = {
        "thought": _long(call.thought),
        "arguments": "" if call.arguments is None else _json(call.arguments),
        "raw": _long(call.raw) if call.arguments is None else "",
        "error": _long(call.error),
        "asked": _json(call.asked) if call.asked is not None else "",
        "answer": _long(call.answer or ""),
        "failed": call.failed,
        "refused": "guard" if refused_unsaid else call.refused_by,
        "replaced": _long(call.said or ""),
        "trouble": [_long(line) for line in call.troubles],
        "kept": call.kept,
    }
    return {key: value for key, value in said.items() if value}


def _json(value: Any) -> str:
    import json

    try:
        return _long(json.dumps(value, ensure_ascii=False, default=str))
    except (ValueError, RecursionError):
        return "(cannot be shown)"


def _long(text: str) -> str:
    return visible(text, limit=_LONGEST, keep_newlines=True)


def title_of(run: Run | None) -> str:
    """How a run is called in a list."""
    if run is None:
        return "the query alone"
    record = record_of(run)
    return visible(f"{run.id}: {record.helped_agent}, {run.model}{record.help.note}", limit=_NAME)


def worth_showing(session: Session, chosen: Run | None, most: int) -> list[Run]:
    """At most so many runs, in their order, the chosen one among them; none that a dissection made on its way."""
    own = {run.id for run in own_runs(session)}
    listed = [run for run in session.runs if run.id in own or run is chosen]
    if len(listed) <= most:
        return listed
    kept = listed[:most]
    if chosen is not None and not any(run is chosen for run in kept):
        kept[-1] = chosen
    return kept
