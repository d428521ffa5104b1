"""A judged run as documents: what ``check``, ``replay`` and ``repair`` print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planscope.oracle.trace import Call
from planscope.oracle.verdict_types import Finding, Repair, StepView, Verdict

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay


def finding_document(finding: Finding) -> dict[str, Any]:
    return {
        "type": finding.type,
        "step": finding.step,
        "constraints": list(finding.constraints),
        "severity": finding.severity,
        "actions": list(finding.actions),
        "message": finding.message,
    }


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    first = verdict.first_violation
    return {
        "verdict": verdict.verdict,
        "error_type": verdict.error_type,
        "findings": [finding_document(f) for f in verdict.findings],
        "first_violation": None
        if first is None
        else {
            "step": first.step,
            "constraint": first.constraint,
            "core": list(first.core.constraints),
            "steps": list(first.core.steps),
            "foreseeable": first.core.foreseeable,
        },
        "explanation": verdict.explanation,
    }


def nothing_to_judge(explanation: str) -> dict[str, Any]:
    """The verdict document of a session without a run."""
    return {
        "verdict": "unknown",
        "error_type": None,
        "findings": [],
        "first_violation": None,
        "explanation": explanation,
    }


def call_document(call: Call | None) -> dict[str, Any] | None:
    """A call of an agent's; None before any call, and at the end."""
    if call is None:
        return None
    arguments = None if call.arguments is None else dict(call.arguments)
    return {"tool": call.tool, "arguments": arguments, "refused": call.refused}


def step_document(run: Replay, view: StepView) -> dict[str, Any]:
    moves = run.safe_moves(view.index)
    document: dict[str, Any] = {
        "step": view.step,
        "attempt": view.attempt,
        "call": call_document(view.call),
        "action": view.action,
        "start": view.start,
        "end": view.end,
        "state": view.state,
        "safe_next": [m.action for m in moves],
        "valid_completions": run.valid_completions(view.index),
        "constraints": run.statuses(view.index),
        "core": list(view.core.constraints) if view.core else [],
        "core_steps": list(view.core.steps) if view.core else [],
        "findings": [finding_document(f) for f in view.findings],
    }
    if run.problem.timed:
        document["safe_hours"] = {m.action: list(m.hours) for m in moves if m.hours}
    return document


def replay_document(run: Replay, run_id: str | None, *, lazily: bool = False) -> dict[str, Any]:
    """``lazily``: the steps are an iterator, to be printed one after another."""
    steps = (step_document(run, view) for view in run.steps)
    return {
        "run": run_id,
        "ending": run.trace.ending,
        "timed": run.problem.timed,
        "steps": steps if lazily else list(steps),
    }


def repair_document(repair: Repair, run_id: str | None, from_step: int) -> dict[str, Any]:
    """``order`` is null where no plan is left; ``reason`` then says why."""
    return {
        "order": None if repair.order is None else list(repair.order),
        "starts": None if repair.starts is None else dict(repair.starts),
        "swaps": repair.swaps,
        "inserted": list(repair.inserted),
        "removed": list(repair.removed),
        "exact": repair.exact,
        "reason": repair.reason,
        "run": run_id,
        "from_step": from_step,
    }
