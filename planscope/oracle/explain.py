"""A verdict in one or two plain sentences that name actions and quote the request."""

from __future__ import annotations

from collections.abc import Sequence

from planscope.language.problem import Constraint, Problem
from planscope.oracle import words
from planscope.oracle.facts import Fact
from planscope.oracle.findings import grouped
from planscope.oracle.verdict_types import Core, Finding, StepNo, VerdictKind, Violation
from planscope.oracle.walk import Walk

UNFORESEEABLE = (
    "The agent could not have known: it depends on how long a task takes that had not been called yet."
)


def explain(
    run: Walk,
    kind: VerdictKind,
    findings: Sequence[Finding],
    violation: Violation | None,
) -> str:
    """What went wrong first, then where the plan was lost, if that is something else."""
    sentences = []
    again = _again(findings) if findings and kind in ("right", "wrong") else []
    if kind == "aborted":
        reason = run.trace.reason or "no reason was recorded"
        sentences.append(f"The run was aborted, which is no planning error: {_stop(reason)}")
    elif run.problem.unjudged:
        pass
    elif kind == "unknown":
        sentences.append("The run is not over yet.")
    elif kind == "right":
        sentences.append("The run meets every requirement.")
    elif findings:
        said_by_core = violation is not None and _covers(findings[0], violation)
        if not said_by_core:
            sentences += [describe_finding(run, findings[0]), *again]
            again = []
    if run.problem.unjudged:
        sentences.append(_stop(run.problem.unjudged))
    if violation is not None:
        sentences.append(describe_violation(run, violation))
    if kind == "right" and findings:
        sentences.append(f"But {_lower(describe_finding(run, findings[0]))}")
    sentences += again
    if run.trace.ending == "stopped" and run.trace.reason and kind != "right":
        sentences.append(f"How it ended: {_stop(run.trace.reason)}")
    return " ".join(sentences)


def _again(findings: Sequence[Finding]) -> list[str]:
    """How often what is said of the first finding happened once more."""
    _, *more = grouped(findings)[0]
    if not more:
        return []
    times = "once more" if len(more) == 1 else f"{len(more)} more times, the last time"
    return [f"The same happened {times} at step {more[-1].step}."]


def _covers(finding: Finding, violation: Violation) -> bool:
    """Does the sentence about the core say already what the finding would?"""
    if finding.step != violation.step or not finding.constraints:
        return False
    return set(violation.core.constraints) & set(finding.constraints) != set()


def describe_finding(run: Walk, finding: Finding) -> str:
    """One sentence about one finding."""
    problem = run.problem
    if finding.type == "timeout":
        return f"The run hit its limit: {_stop(finding.message)}"
    if finding.type == "action_lost":
        names = words.listed(words.name(problem, a) for a in finding.actions)
        return f"The agent stopped without doing {names}."
    if finding.type == "action_repeated":
        return f"At step {finding.step} {finding.message}, and every task can only be executed once."
    if finding.type == "act_error":
        if finding.severity == "warning" and " does not take " not in finding.message:
            return f"At step {finding.step} a call was refused ({finding.message}), and the agent recovered."
        return f"At step {finding.step} a call went wrong: {_stop(finding.message)}"
    fact = _fact(run, finding.step)
    constraints = [problem.by_id[c] for c in finding.constraints]
    if fact is None or not constraints:
        return f"Step {finding.step} is wrong."
    if finding.type == "order_error":
        return _order_broken(run, fact, constraints[0])
    return _hours_wrong(problem, fact, constraints[0])


def describe_violation(run: Walk, violation: Violation) -> str:
    """One to three sentences about the minimal core at the point of no return."""
    core, problem = violation.core, run.problem
    constraints = [problem.by_id[c] for c in core.constraints]
    text = _core_sentence(run, core, constraints)
    return text if core.foreseeable else f"{text} {UNFORESEEABLE}"


def _core_sentence(run: Walk, core: Core, constraints: list[Constraint]) -> str:
    problem = run.problem
    facts = [f for s in core.steps if (f := _fact(run, s)) is not None]
    kinds = [c.kind for c in constraints]
    if kinds == ["all_done"]:
        missing = [a.name for i, a in enumerate(problem.actions) if i not in run.last_attempt.first]
        return f"The agent stopped without doing {words.listed(missing)}, and every task must be executed."
    if kinds == ["once"] and len(facts) == 2 and facts[1].action is not None:
        again = problem.actions[facts[1].action].name
        return (
            f"At step {facts[1].step} {again} was done again, after step {facts[0].step}, "
            "and every task can only be executed once."
        )
    if not facts:
        return _contradiction(problem, constraints)
    if len(facts) == 1 and len(constraints) == 1:
        if kinds == ["order"]:
            return _order_broken(run, facts[0], constraints[0])
        return _hours_wrong(problem, facts[0], constraints[0])
    if len(facts) == 2 and kinds == ["one_by_one"]:
        return _hours_wrong(problem, facts[1], constraints[0])
    if problem.timed and len(facts) == 1 and len(constraints) == 2 and kinds[1] == "one_by_one":
        told = _too_late(problem, facts[0], constraints[0])
        if told is not None:
            return told
    return _general(problem, facts, constraints)


def _contradiction(problem: Problem, constraints: list[Constraint]) -> str:
    if not constraints:
        return "The request cannot be met."
    if len(constraints) == 1:
        return f"The request cannot be met: {words.source(problem, constraints[0])}."
    said = words.listed(words.source(problem, c) for c in constraints)
    return f"The request contradicts itself: {said}; nothing meets all of it."


def _order_broken(run: Walk, fact: Fact, c: Constraint) -> str:
    problem = run.problem
    before, after = words.name(problem, c.before), words.name(problem, c.after)
    why = words.source(problem, c)
    if before == after:
        return f"Nothing comes before itself, but {why}."
    if not problem.timed:
        return f"At step {fact.step} {after} ran before {before}, but {why}."
    if fact.action is not None and problem.actions[fact.action].id == c.after:
        return (
            f"At step {fact.step} {after} started at {words.clock(fact.start or 0)}, "
            f"before {before} had ended, but {why}."
        )
    return (
        f"At step {fact.step} {before} ended at {words.clock(fact.end or 0)}, "
        f"after {after} had started, but {why}."
    )


def _hours_wrong(problem: Problem, fact: Fact, c: Constraint) -> str:
    assert fact.action is not None
    action = problem.actions[fact.action].name
    started = f"At step {fact.step} {action} started at {words.clock(fact.start or 0)}"
    ended = f"At step {fact.step} {action} ended at {words.clock(fact.end or 0)}"
    if c.kind == "one_by_one":
        return (
            f"{started}, but the calls before it lasted until {words.clock(fact.clock or 0)}, "
            "and tasks are executed one by one."
        )
    if c.kind == "start_range":
        return f"{started}, but every task starts between 0:00 and 23:00."
    if c.kind == "end_range":
        return f"{ended}, but the day ends at 24:00."
    return f"{started if c.kind == 'start_at_least' else ended}, but {words.source(problem, c)}."


def _too_late(problem: Problem, fact: Fact, c: Constraint) -> str | None:
    """One clock, one requirement: what had to be over by now, or can no longer be in time."""
    assert fact.action is not None and fact.start is not None and fact.end is not None
    ran = problem.actions[fact.action]
    now = f"nothing can start before {words.clock(fact.end)} any more"
    if c.kind == "order" and c.after == ran.id:
        return (
            f"{_lost(fact)} {ran.name} started at {words.clock(fact.start)} and "
            f"{words.name(problem, c.before)} had to end by then, but {now}; {words.source(problem, c)}."
        )
    if c.kind == "end_at_most":
        missing = words.name(problem, c.action)
        return f"{_lost(fact)} {missing} can no longer be in time, since {now}; {words.source(problem, c)}."
    return None


def _lost(fact: Fact) -> str:
    return f"From step {fact.step} on nothing could save the plan:"


def _general(problem: Problem, facts: list[Fact], constraints: list[Constraint]) -> str:
    done = words.listed(_done(problem, f) for f in facts)
    said = "; ".join(words.source(problem, c) for c in constraints)
    return f"{_lost(facts[-1])} once {done}, what was left could not meet all of this: {said}."


def _done(problem: Problem, fact: Fact) -> str:
    assert fact.action is not None
    action = problem.actions[fact.action].name
    if fact.start is None or fact.end is None:
        return f"step {fact.step} had done {action}"
    return f"step {fact.step} had done {action} from {words.clock(fact.start)} to {words.clock(fact.end)}"


def _fact(run: Walk, step: StepNo) -> Fact | None:
    return run.facts[step - 1] if isinstance(step, int) and 0 < step <= len(run.facts) else None


def _stop(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
