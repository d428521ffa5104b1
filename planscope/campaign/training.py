"""Data for fine-tuning from a campaign's failed runs (paper, section 7): right plans, and right calls over wrong ones.

A line is a JSON object in the form of OpenAI's chat fine-tuning. The oracle has judged every plan and every call again
before it is written. Nothing is redacted here: the caller passes sessions through redaction first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from planscope.agents.toolset import make_toolset
from planscope.campaign.cases import case_id, make_case
from planscope.campaign.store import Store
from planscope.campaign.worker import run_of
from planscope.language.problem import Problem
from planscope.oracle.arguments import START
from planscope.oracle.replay import Replay, replay
from planscope.oracle.trace import ToolCall, Trace
from planscope.oracle.verdict_types import PlannedCall
from planscope.session.mock_tools import answer_to
from planscope.session.model import PromptEvent, Run, Session, Variant
from planscope.session.oracle_input import problem_of
from planscope.session.record import RecordedCall, record_of
from planscope.session.traces import trace_of

Json = dict[str, Any]

TOGETHER = 100
"""Failed runs that are read, and redacted, at one time."""

DONE = "All tasks are done."
"""The last words of a right plan."""


@dataclass(slots=True)
class Left:
    """Counts failed runs that gave no line: no right plan was found, or no call lost the plan."""

    no_plan: int = 0
    not_lost: int = 0


def failed(store: Store, arms: Sequence[int] | None = None) -> Iterator[Session]:
    """Yield sessions that hold failed runs with their queries, ``TOGETHER`` at most in each."""
    knobs = store.knobs
    rows = [row for row in store.listed(verdict="wrong") if arms is None or row["arm"] in arms]
    for begin in range(0, len(rows), TOGETHER):
        session = Session(id="campaign", title="campaign")
        for number, row in enumerate(rows[begin : begin + TOGETHER], 1):
            data = store.events(row["arm"], row["n"], row["idx"])
            if data is None:
                continue
            variant = make_case(knobs, row["n"], row["idx"]).variant.model_copy(update={"id": f"v{number}"})
            where = f"{store.path}: the run of case {case_id(row['n'], row['idx'])}"
            session.variants.append(variant)
            session.runs.append(run_of(data, variant, where).model_copy(update={"id": f"r{number}"}))
        yield session


def finetune_lines(session: Session, left: Left) -> Iterator[str]:
    """Yield a chat with a right plan for each failed run: the plan that is nearest to what the agent did."""
    for variant, run in _pairs(session):
        judged = _judge(variant, run)
        calls = right_plan(judged)
        if calls is None:
            left.no_plan += 1
            continue
        messages = [*_opening(run), *_exchange(variant, calls), {"role": "assistant", "content": DONE}]
        yield _line({"messages": messages, "tools": _tools(variant), "parallel_tool_calls": False})


def preference_lines(session: Session, left: Left) -> Iterator[str]:
    """Yield for each failed run the call that lost the plan, and a safe call in its place, after the same messages."""
    for variant, run in _pairs(session):
        judged = _judge(variant, run)
        lost = judged.first_doomed
        if lost is None or lost == 0 or judged.steps[lost].attempt != judged.last_attempt.number:
            left.not_lost += 1
            continue
        record = record_of(run)
        right = _safe_call(judged, lost - 1)
        if right is None:
            left.not_lost += 1
            continue
        done = record.calls[: lost - 1]
        wrong: Json = (
            _calls_message(f"call_{lost}", record.calls[lost - 1].tool, _arguments(record.calls[lost - 1]))
            if lost <= len(record.calls)
            else {"role": "assistant", "content": record.last_words or DONE}
        )
        messages = [
            *_opening(run),
            *(message for number, call in enumerate(done, 1) for message in _recorded(number, call)),
        ]
        chosen = _calls_message(f"call_{lost}", right.tool, json.dumps(dict(right.arguments or {})))
        yield _line(
            {
                "input": {"messages": messages, "tools": _tools(variant), "parallel_tool_calls": False},
                "preferred_output": [chosen],
                "non_preferred_output": [wrong],
            }
        )


def right_plan(judged: Replay) -> tuple[ToolCall, ...] | None:
    """Return the calls of the nearest right plan, judged again, or None if none was found."""
    found = judged.repair()
    if found.order is None:
        return None
    starts = found.starts or {}
    calls = tuple(_call(judged.problem, PlannedCall(action, starts.get(action))) for action in found.order)
    again = replay(judged.problem, Trace(calls, "stopped"))
    return calls if again.verdict().verdict == "right" else None


def _safe_call(judged: Replay, index: int) -> ToolCall | None:
    """Return a safe call after a step, judged again, or None if there is none."""
    before = replay(judged.problem, judged.trace.upto(index))
    moves = before.safe_moves(index)
    if not moves:
        return None
    first = moves[0]
    call = _call(judged.problem, PlannedCall(first.action, first.hours[0] if first.hours else None))
    return call if before.then(call).steps[-1].state == "completable" else None


def _judge(variant: Variant, run: Run) -> Replay:
    return replay(problem_of(variant), trace_of(run))


def _pairs(session: Session) -> Iterator[tuple[Variant, Run]]:
    by_id = {variant.id: variant for variant in session.variants}
    return ((by_id[run.variant], run) for run in session.runs)


def _call(problem: Problem, planned: PlannedCall) -> ToolCall:
    tool = problem.action_by_id[planned.action].tool
    return ToolCall(tool, {} if planned.start is None else {START: planned.start})


def _opening(run: Run) -> Iterator[Json]:
    """Yield the messages before the first call: the role, if there was one, and the prompt."""
    for event in run.events:
        if isinstance(event, PromptEvent):
            if event.system:
                yield {"role": "system", "content": event.system}
            yield {"role": "user", "content": event.text}


def _exchange(variant: Variant, calls: Sequence[ToolCall]) -> Iterator[Json]:
    for number, call in enumerate(calls, 1):
        identity = f"call_{number}"
        yield _calls_message(identity, call.tool, json.dumps(dict(call.arguments or {})))
        text, _ = answer_to(call.tool, call.arguments, variant.actions, timed=variant.query.timed)
        yield {"role": "tool", "tool_call_id": identity, "content": text}


def _recorded(number: int, call: RecordedCall) -> Iterator[Json]:
    identity = f"call_{number}"
    yield _calls_message(identity, call.tool, _arguments(call))
    yield {"role": "tool", "tool_call_id": identity, "content": call.answer or ""}


def _arguments(call: RecordedCall) -> str:
    return call.raw if call.arguments is None else json.dumps(dict(call.arguments))


def _calls_message(identity: str, tool: str, arguments: str) -> Json:
    made = {"id": identity, "type": "function", "function": {"name": tool, "arguments": arguments}}
    return {"role": "assistant", "tool_calls": [made]}


def _tools(variant: Variant) -> list[Json]:
    return [
        {
            "type": "function",
            "function": {
                "name": tool.spec.name,
                "description": tool.spec.description,
                "parameters": dict(tool.spec.parameters),
            },
        }
        for tool in make_toolset(variant.actions, timed=variant.query.timed)
    ]


def _line(data: Json) -> str:
    return json.dumps(data, ensure_ascii=True)
