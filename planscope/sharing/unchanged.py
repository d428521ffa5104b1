"""Proof that a redacted session says what the session said: the same problems, steps and verdicts, names aside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planscope.errors import UserError
from planscope.language.errors import ParseFailure
from planscope.language.problem import Problem
from planscope.oracle.replay import Replay, replay
from planscope.session.derive import problem_of, trace_of
from planscope.sharing.findings import RedactionError

if TYPE_CHECKING:
    from planscope.session.model import Run, Session, Variant


def check_unchanged(before: Session, after: Session) -> None:
    """Raise RedactionError for a request that reads otherwise, or a run that is judged otherwise, than before."""
    if len(before.variants) != len(after.variants) or len(before.runs) != len(after.runs):
        raise RedactionError("redaction would lose a part of the session; keep what was found in ids")
    problems: dict[str, tuple[Problem, Problem] | None] = {}
    for old, new in zip(before.variants, after.variants, strict=True):
        problems[old.id] = _same_problem(old, new)
    for run, same in zip(before.runs, after.runs, strict=True):
        pair = problems[run.variant]
        if pair is not None and _judgement(pair[0], run) != _judgement(pair[1], same):
            raise RedactionError(
                f"run {run.id[:40]} would be judged otherwise after redaction; keep what was found in its calls "
                "or choose another replacement"
            )


def _same_problem(old: Variant, new: Variant) -> tuple[Problem, Problem] | None:
    """Both problems, None where neither can be read."""
    was, now = _read(old), _read(new)
    if was is None and now is None:
        return None
    if was is None or now is None or _shape(was) != _shape(now):
        raise RedactionError(
            f"the request of variant {old.id[:40]} would read otherwise after redaction; keep what was found in it "
            "or choose another replacement"
        )
    return was, now


def _read(variant: Variant) -> Problem | None:
    try:
        return problem_of(variant)
    except (ParseFailure, UserError):
        return None


def _shape(problem: Problem) -> tuple[Any, ...]:
    """A problem without its names and without the places of its words, which move."""
    actions = [(a.id, a.duration) for a in problem.actions]
    said = [
        (
            c.id,
            c.kind,
            c.text,
            c.before,
            c.after,
            c.action,
            c.hour,
            c.sentence,
            len(c.spans),
            c.node,
            c.source,
        )
        for c in problem.constraints
    ]
    return (problem.timed, actions, said)


def _judgement(problem: Problem, run: Run) -> tuple[Any, ...]:
    judged: Replay = replay(problem, trace_of(run))
    steps = [
        (s.step, s.attempt, s.action, s.start, s.end, s.state, s.changed, s.core, len(s.findings))
        for s in judged.steps
    ]
    verdict = judged.verdict()
    findings = [(f.type, f.step, f.constraints, f.severity, f.actions) for f in verdict.findings]
    return (steps, verdict.verdict, verdict.error_type, findings, verdict.first_violation)
