"""The verdict on a whole run (its last attempt): findings and first violation."""

from __future__ import annotations

from planscope.oracle.findings import find_at_end, ordered
from planscope.oracle.verdict_types import Core, ErrorType, Finding, Verdict, VerdictKind, Violation
from planscope.oracle.walk import Walk


def judge(run: Walk, strict: bool) -> Verdict:
    """The verdict: ``wrong`` with the type of its primary finding, else ``right``, ``aborted`` or ``unknown``."""
    problem, attempt = run.problem, run.last_attempt
    complete = len(attempt.first) == len(problem.actions)
    found = [*run.last_findings(), *find_at_end(problem, attempt, run.trace)]
    findings = () if problem.unjudged else ordered(found, complete)
    violation = first_violation(run)
    kind, error = _decide(run, findings, strict)
    return Verdict(kind, error, findings, violation)


def first_violation(run: Walk) -> Violation | None:
    """The first doomed step of the last attempt with its core; None if there is none or no core was found."""
    view = None if run.first_doomed is None else run.steps[run.first_doomed]
    if view is None or view.core is None:
        return None
    return Violation(view.step, highlighted(view.core), view.core)


def highlighted(core: Core) -> str:
    """The core's constraint that comes first in the text; a rule if there is none."""
    return core.constraints[0]


def _decide(run: Walk, findings: tuple[Finding, ...], strict: bool) -> tuple[VerdictKind, ErrorType | None]:
    if run.trace.ending == "aborted":
        return "aborted", None
    if run.trace.ending == "running" or run.problem.unjudged:
        return "unknown", None
    primary = next((f for f in findings if f.severity == "error"), None)
    if primary is not None:
        return "wrong", primary.type
    if strict and findings:
        return "wrong", findings[0].type
    return "right", None
