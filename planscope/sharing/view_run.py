"""A judged run as the page shows it: every step with what was said, called, answered, and what it meant."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from planscope.debugger.run_index import RunIndex
from planscope.oracle.replay import Replay
from planscope.oracle.verdict_types import StepView
from planscope.oracle.words import clock
from planscope.report import call_text, finding_text, moves_text, repair_lines, verdict_line
from planscope.safe import visible
from planscope.session.model import AnswerEvent, CallEvent, ErrorEvent, MessageEvent, Run, Session, own_runs
from planscope.session.oracle_input import not_answered
from planscope.session.record import NO_HELP, help_of, words_of
from planscope.sharing.view_request import RequestView

Json = dict[str, Any]

_LONGEST = 20_000
"""Characters shown of a thought, an answer or the arguments of a call; the session that the page carries has all."""

_NAME = 200
_ENDINGS = {
    "stopped": "the agent stopped",
    "timeout": "out of time",
    "call_limit": "too many model calls",
    "aborted": "aborted",
    "running": "not over yet",
}


@dataclass
class _Told:
    """What the record tells of one call besides the call."""

    call: CallEvent
    thought: str
    answers: list[AnswerEvent] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def run_document(run: Run | None, replay: Replay, request: RequestView, number: int) -> Json:
    """``number``: of its request. A bare request has one step, before any call."""
    index = RunIndex(replay)
    told, last_words, trouble = _told(run)
    steps = [_step(index, i, told.get(i), request) for i in range(len(index.steps))]
    if run is not None and (unanswered := not_answered(run)) is not None:
        steps[unanswered]["unanswered"] = True
    verdict = replay.verdict() if run is not None else None
    help = help_of(run) if run is not None else NO_HELP
    document: Json = {
        "id": visible(run.id, limit=_NAME) if run else "",
        "request": number,
        "agent": visible(help.agent(run.agent), limit=_NAME) if run else "",
        "model": visible(run.model, limit=_NAME) if run else "",
        "forked": visible(f"{run.forked_from.run}, step {run.forked_from.step}", limit=_NAME)
        if run and run.forked_from
        else "",
        "kind": verdict.verdict if verdict else "none",
        "verdict": verdict_line(verdict, help) if verdict else "no run yet",
        "why": _long(verdict.explanation) if verdict else "",
        "first": index.first_violation,
        "ending": _ending(replay),
        "said": _long(last_words),
        "trouble": [_long(line) for line in trouble],
        "begins": [_LETTERS[replay.status(c.id, 0)] for c in replay.problem.constraints],
        "steps": steps,
        "lit": request.steps_lit(index),
        "repair": [],
    }
    if verdict is not None and verdict.verdict == "wrong":
        document["repair"] = [visible(line) for line in repair_lines(replay, replay.repair())]
    return document


_LETTERS = {"holds": "h", "open": "o", "broken": "b"}


def _step(index: RunIndex, i: int, told: _Told | None, request: RequestView) -> Json:
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
        "changes": [[request.number_of[c], _LETTERS[run.status(c, i)]] for c in view.changed],
        "checks": [request.number_of[c] for c in index.checks[i]],
        "found": [
            {
                "text": visible(finding_text(run.problem, f)),
                "type": f.type.replace("_", " "),
                "error": f.severity == "error",
            }
            for f in index.findings[i]
        ],
        "ways": _ways(run, i),
    }
    if i in index.doomed:
        document["lost"] = True
    if view.core is not None:
        document["core"] = [request.number_of[c] for c in view.core.constraints if c in request.number_of]
        document["core_steps"] = [str(step) for step in view.core.steps]
    if view.start is not None and view.end is not None:
        document["hours"] = f"{clock(view.start)} to {clock(view.end)}"
    if moves:
        document["safe"] = visible(moves_text(run.problem, moves))
    return document | _said(view, told)


def _ways(run: Replay, i: int) -> str:
    count = run.valid_completions(i)
    if count is None:
        return "not known" if run.steps[i].state == "unknown" else "many"
    return str(count)


def _said(view: StepView, told: _Told | None) -> Json:
    """What the record tells; left out what it does not."""
    if told is None:
        return {}
    call = told.call
    said: Json = {
        "thought": _long(told.thought),
        "arguments": _arguments(call),
        "raw": _long(call.raw or "") if call.arguments is None else "",
        "error": _long(call.error or ""),
        "asked": _json(call.asked) if call.asked is not None else "",
        "answer": _long("\n".join(a.text for a in told.answers)),
        "failed": any(a.status == "error" for a in told.answers),
        "refused": next((a.refused_by for a in told.answers if a.refused_by), "") or "",
        "replaced": _long("\n".join(a.said for a in told.answers if a.said is not None)),
        "trouble": [_long(line) for line in told.errors],
        "kept": bool(call.kept),
    }
    if view.call is not None and view.call.refused and not said["refused"]:
        said["refused"] = "guard"
    return {key: value for key, value in said.items() if value}


def _told(run: Run | None) -> tuple[dict[int, _Told], str, list[str]]:
    """By index of the step; then what the model said after all calls, and trouble before the first."""
    found: dict[int, _Told] = {}
    words: list[str] = []
    trouble: list[str] = []
    for event in run.events if run is not None else ():
        if isinstance(event, MessageEvent):
            words += (
                [said]
                if (said := words_of(event.text, event.refusal, event.finish, event.structured))
                else []
            )
        elif isinstance(event, CallEvent):
            found[event.step] = _Told(event, "\n".join(words))
            words = []
        elif isinstance(event, AnswerEvent) and event.step in found:
            found[event.step].answers.append(event)
        elif isinstance(event, ErrorEvent):
            last = found.get(max(found, default=0))
            (last.errors if last else trouble).append(f"{event.kind}: {event.text}")
    return found, "\n".join(words), trouble


def _arguments(call: CallEvent) -> str:
    return "" if call.arguments is None else _json(call.arguments)


def _json(value: Any) -> str:
    import json

    try:
        return _long(json.dumps(value, ensure_ascii=False, default=str))
    except (ValueError, RecursionError):
        return "(cannot be shown)"


def _ending(replay: Replay) -> str:
    words = _ENDINGS[replay.trace.ending]
    reason = replay.trace.reason
    return visible(
        f"{words}: {reason}" if reason and replay.trace.ending != "stopped" else words, limit=_NAME
    )


def _long(text: str) -> str:
    return visible(text, limit=_LONGEST, keep_newlines=True)


def title_of(run: Run | None) -> str:
    """How a run is called in a list."""
    if run is None:
        return "the request alone"
    help = help_of(run)
    return visible(f"{run.id}: {help.agent(run.agent)}, {run.model}{help.note}", limit=_NAME)


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
