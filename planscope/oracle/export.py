"""A judged run as SMT-LIB 2 (spec, "Export")."""

from __future__ import annotations

from planscope.language.describe import plain
from planscope.oracle.certificate import encoding_of, member_names
from planscope.oracle.replay import Replay
from planscope.oracle.smtlib import document


def smt_document(run: Replay, title: str = "") -> str:
    """The problem and the run's last attempt with named assertions; the last check judges the whole.

    Where the plan was lost, the minimal core is checked first, alone.
    """
    violation = run.verdict().first_violation
    problem = run.problem
    notes = {c.id: f"{c.text} ({plain(c, problem)})" for c in problem.constraints}
    for fact in run.facts:
        if fact.action is not None:
            notes[f"step{fact.step}"] = f"step {fact.step}: {problem.actions[fact.action].name}"
    notes["end"] = "the agent stopped"
    heading = [f"planscope: {title}" if title else "planscope"]
    heading += [f"{a.id} = {a.name}" for a in problem.actions]
    expected = "unsat" if violation else "sat"
    heading.append(f"expected answer of the last check: {expected}")
    if run.trace.ending in ("timeout", "call_limit"):
        heading.append("the run hit a limit, which is an error of its own and no part of these formulas")
    core = member_names(violation.core) if violation else []
    return document(encoding_of(run), core, notes, heading)
