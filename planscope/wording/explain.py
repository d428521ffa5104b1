"""Writes sentences about a judged run: its verdict, a finding, a core, a correction. They name actions and quote the
query.

They contain no ids. Names and quotations are hostile text: make them safe before showing them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planscope.language.problem import Constraint, Problem
from planscope.oracle.findings import grouped
from planscope.wording.constraints import name, place, plain, plain_rule, source
from planscope.wording.phrases import clock, listed, rules_alone
from planscope.wording.terms import CERTIFICATES, NO_REASON, REASONS, STOPPED, capital, sentence, stop

if TYPE_CHECKING:
    from planscope.oracle.facts import Fact
    from planscope.oracle.replay import Replay
    from planscope.oracle.trace import Cause, Trace
    from planscope.oracle.verdict_types import Core, Correction, Finding, StepNo, Told, Verdict, Violation

UNFORESEEABLE = (
    "The agent could not have known: it depends on the duration of a task that had not been called yet."
)

GIVEN_UP = 4
_MOST_STEPS = 6
"""How many constraints of a correction its sentence lists; it counts the rest."""


def explain_verdict(run: Replay, verdict: Verdict) -> str:
    """Explain what went wrong, and then where the plan was lost, if that is something else."""
    kind, findings, violation = verdict.verdict, verdict.findings, verdict.first_violation
    if verdict.proof == "denied":
        return CERTIFICATES["denied"]
    said = []
    if kind != "wrong" and (verdict.judged or kind == "aborted"):
        said.append(_outcome(run, verdict))
    again = _again(findings) if findings and kind in ("right", "wrong") else []
    if kind == "wrong" and findings and not _covers(findings[0], violation):
        told = violation is not None and set(findings[0].constraints) <= set(violation.core.constraints)
        said += [explain_finding(run, findings[0], means=not told), *again]
        again = []
    if run.problem.unjudged:
        said.append(stop(run.problem.unjudged))
    if violation is not None:
        said.append(explain_core(run, violation.core))
    if kind == "right":
        said += [f"But {_lower(explain_finding(run, one))}" for one in findings[:1]]
        again += ended_early(run.trace)
    elif run.trace.ending == "stopped" and run.trace.reason:
        again.append(f"How it ended: {stop(run.trace.reason)}")
    return " ".join([*said, *again])


def _outcome(run: Replay, verdict: Verdict) -> str:
    """Say why a run is aborted, undecided or right."""
    if verdict.verdict == "aborted":
        return _why_aborted(run, verdict)
    return why_unknown(run) if verdict.verdict == "unknown" else _all_kept(run.problem)


def ended_early(trace: Trace) -> list[str]:
    """Say why a run that keeps everything ended early, if it did."""
    return [f"It ended early: {stop(trace.reason or NO_REASON)}"] if trace.ending == "aborted" else []


def asides(verdict: Verdict) -> list[str]:
    """Return what is said besides a verdict, a sentence for each thing: notes, then warnings."""
    return [*map(sentence, verdict.notes), *(sentence(f"Warning: {one}") for one in verdict.warnings)]


def why_unknown(run: Replay) -> str:
    """Say why there is no verdict: the run goes on, or the trace does not tell about some rules."""
    if run.trace.ending == "running":
        return "The run is not over yet."
    return run.undecided()


def _why_aborted(run: Replay, verdict: Verdict) -> str:
    """Say who or what ended the run before the agent did, and which rules still owe a call."""
    last = len(run.steps) - 1
    owed = [_titled(c) for c in run.problem.constraints if run.status(c.id, last) == "owed"]
    return why_aborted(verdict.told, verdict.reason, run.trace.reason, owed)


def why_aborted(kind: Told, cause: Cause | None, reason: str | None, owed: Sequence[str]) -> str:
    """Say what ended a run early. ``reason``: what was recorded of it. ``owed``: what a later call must still do."""
    why = "The run was aborted" + (f" because {REASONS[cause]}" if cause else "")
    why = {"cut_off": "The run is cut off", "stopped": capital(REASONS["stopped"])}.get(kind, why)
    said = reason or NO_REASON
    more = "" if said == f"{STOPPED} by the user" else f": {said}"
    still = f" Still owed: {listed(owed)}." if owed else ""
    return stop(f"{why}, which is not a planning error{more}") + still


def _all_kept(problem: Problem) -> str:
    if rules_alone(problem):
        return "The run keeps every rule."
    rules = any(c.kind == "of_calls" for c in problem.constraints)
    return "The run meets every requirement" + (" and keeps every rule." if rules else ".")


def _titled(c: Constraint) -> str:
    return f"“{c.title or plain_rule(c)}”"


def _again(findings: Sequence[Finding]) -> list[str]:
    """Say how often the first finding happened again."""
    _, *more = grouped(findings)[0]
    if not more:
        return []
    times = "once more" if len(more) == 1 else f"{len(more)} more times, the last time"
    return [f"The same happened {times} at step {more[-1].step}."]


def _covers(finding: Finding, violation: Violation | None) -> bool:
    """Return whether the sentence about the core already says what the finding would say."""
    if violation is None or finding.step != violation.step or not finding.constraints:
        return False
    return set(violation.core.constraints) & set(finding.constraints) != set()


def explain_finding(run: Replay, finding: Finding, *, means: bool = True) -> str:
    """Write one sentence about one finding. ``means``: say what a violated rule asks for."""
    problem = run.problem
    if finding.type == "timeout":
        return f"The run hit its limit: {stop(finding.message)}"
    if finding.type == "action_lost":
        names = listed(name(problem, a) for a in finding.actions)
        return f"The agent ended the run without doing {names}."
    if finding.type == "action_repeated":
        return f"At step {finding.step} {finding.message}, and every task can only be executed once."
    if finding.type == "act_error":
        if finding.severity == "warning" and " does not take " not in finding.message:
            return f"At step {finding.step} a call was refused ({finding.message}), and the agent recovered."
        return f"At step {finding.step} a call went wrong: {stop(finding.message)}"
    constraints = [problem.by_id[c] for c in finding.constraints]
    if finding.type == "rule_broken":
        return _rule_broken(run, finding, constraints[0], means)
    fact = _fact(run, finding.step)
    if fact is None or not constraints:
        return f"Step {finding.step} is wrong."
    if finding.type == "order_error":
        return _order_broken(run, fact, constraints[0])
    return _hours_wrong(problem, fact, constraints[0])


def _rule_broken(run: Replay, finding: Finding, c: Constraint, means: bool) -> str:
    """Say which rule a step violates, and what the rule asks for (``means``)."""
    index = len(run.steps) - 1 if finding.step == "end" else finding.step
    value = run.value_at(c.id, index)
    given = f" for {value}" if value else ""
    where = "The run ends and" if finding.step == "end" else f"{_called(run, finding.step)}"
    does = "does not keep" if finding.step == "end" else "violates"
    asks = f": {_lower(stop(c.means))}" if means else "."
    return f"{where} {does} the rule {_titled(c)}{given}{asks}"


def _called(run: Replay, step: StepNo) -> str:
    """Name a step with its call: ``Step 7 (cancel_order)``."""
    view = next((view for view in run.steps if view.step == step), None)
    tool = f" ({view.call.tool})" if view is not None and view.call is not None else ""
    return f"Step {step}{tool}"


def _rules_core(run: Replay, core: Core, rules: list[Constraint]) -> str:
    """Explain a core of rules: what the calls in it leave no way to keep."""
    index = run.first_doomed
    step = run.steps[index].step if index is not None else "end"
    others = [s for s in core.steps if s != step]
    said = listed(f"{_titled(c)} ({_lower(c.means.removesuffix('.'))})" for c in rules[:GIVEN_UP])
    more = f" and {len(rules) - GIVEN_UP} more" if len(rules) > GIVEN_UP else ""
    since = f", after {listed(_lower(_called(run, s)) for s in others[:_MOST_STEPS])}" if others else ""
    value = run.value_at(rules[0].id, index or 0) if len(rules) == 1 else ""
    given = f", for {value}" if value else ""
    the = "the rule" if len(rules) == 1 else "these rules together:"
    if step == 0:
        return f"Before the first call, no sequence of calls can keep {the} {said}{more}."
    if step == "end":
        return f"The run ends{since} and does not keep {the} {said}{more}{given}."
    broken = any(run.status(c.id, index or 0) == "broken" for c in rules)
    if broken:
        return f"{_called(run, step)}{since} violates {the} {said}{more}{given}."
    return f"From {_lower(_called(run, step))} on{since} nothing that follows can keep {the} {said}{more}{given}."


def _both_core(run: Replay, core: Core, constraints: list[Constraint]) -> str:
    """Explain a core of a query and rules: neither is lost alone."""
    rules = [c for c in constraints if c.kind == "of_calls"]
    query = [c for c in constraints if c.kind != "of_calls"]
    said = listed(source(run.problem, c) for c in query)
    ruled = listed(f"{_titled(c)} ({_lower(c.means.removesuffix('.'))})" for c in rules[:GIVEN_UP])
    more = f" and {len(rules) - GIVEN_UP} more" if len(rules) > GIVEN_UP else ""
    the = "the rule" if len(rules) == 1 else "the rules"
    clash = f"the query and {the} {ruled}{more}"
    if not core.steps:
        return f"No sequence of calls can keep both {clash}: {said}."
    after = listed(_lower(_called(run, s)) for s in core.steps[:_MOST_STEPS])
    return f"From {after} on nothing that follows can keep both {clash}: {said}."


def explain_core(run: Replay, core: Core) -> str:
    """Explain in one to three sentences why the constraints and steps of a minimal core cannot all hold."""
    problem = run.problem
    constraints = [problem.by_id[c] for c in core.constraints]
    text = _core_sentence(run, core, constraints)
    return text if core.foreseeable else f"{text} {UNFORESEEABLE}"


def _core_sentence(run: Replay, core: Core, constraints: list[Constraint]) -> str:
    problem = run.problem
    if constraints and all(c.kind == "of_calls" for c in constraints):
        return _rules_core(run, core, constraints)
    if any(c.kind == "of_calls" for c in constraints):
        return _both_core(run, core, constraints)
    facts = [f for s in core.steps if (f := _fact(run, s)) is not None]
    kinds = [c.kind for c in constraints]
    if kinds == ["all_done"]:
        missing = [a.name for i, a in enumerate(problem.actions) if i not in run.last_attempt.first]
        return f"The agent ended the run without doing {listed(missing)}, and every task must be executed."
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
        return "The query cannot be met."
    if len(constraints) == 1:
        return f"The query cannot be met: {source(problem, constraints[0])}."
    said = listed(source(problem, c) for c in constraints)
    return f"The query contradicts itself: {said}; no plan meets all of it."


def _order_broken(run: Replay, fact: Fact, c: Constraint) -> str:
    problem = run.problem
    before, after = name(problem, c.before), name(problem, c.after)
    why = source(problem, c)
    if before == after:
        return f"Nothing comes before itself, but {why}."
    if not problem.timed:
        return f"At step {fact.step} {after} ran before {before}, but {why}."
    if fact.action is not None and problem.actions[fact.action].id == c.after:
        return (
            f"At step {fact.step} {after} started at {clock(fact.start or 0)}, "
            f"before {before} had ended, but {why}."
        )
    return (
        f"At step {fact.step} {before} ended at {clock(fact.end or 0)}, after {after} had started, but {why}."
    )


def _hours_wrong(problem: Problem, fact: Fact, c: Constraint) -> str:
    assert fact.action is not None
    action = problem.actions[fact.action].name
    started = f"At step {fact.step} {action} started at {clock(fact.start or 0)}"
    ended = f"At step {fact.step} {action} ended at {clock(fact.end or 0)}"
    if c.kind == "one_by_one":
        return (
            f"{started}, but the calls before it lasted until {clock(fact.clock or 0)}, "
            "and tasks are executed one by one."
        )
    if c.kind == "start_range":
        return f"{started}, but every task starts between 0:00 and 23:00."
    if c.kind == "end_range":
        return f"{ended}, but the day ends at 24:00."
    return f"{started if c.kind == 'start_at_least' else ended}, but {source(problem, c)}."


def _too_late(problem: Problem, fact: Fact, c: Constraint) -> str | None:
    """Explain the core of one clock time and "one by one": what should have ended by now, or can no longer be in
    time."""
    assert fact.action is not None and fact.start is not None and fact.end is not None
    ran = problem.actions[fact.action]
    now = f"nothing can start before {clock(fact.end)} any more"
    if c.kind == "order" and c.after == ran.id:
        return (
            f"{_lost(fact)} {ran.name} started at {clock(fact.start)} and "
            f"{name(problem, c.before)} had to end by then, but {now}; {source(problem, c)}."
        )
    if c.kind == "end_at_most":
        missing = name(problem, c.action)
        return f"{_lost(fact)} {missing} can no longer be in time, since {now}; {source(problem, c)}."
    return None


def _lost(fact: Fact) -> str:
    return f"From step {fact.step} on nothing could save the plan:"


def _general(problem: Problem, facts: list[Fact], constraints: list[Constraint]) -> str:
    done = listed(_done(problem, f) for f in facts)
    said = "; ".join(source(problem, c) for c in constraints)
    return f"{_lost(facts[-1])} once {done}, the remaining tasks could not meet all of this: {said}."


def _done(problem: Problem, fact: Fact) -> str:
    assert fact.action is not None
    action = problem.actions[fact.action].name
    if fact.start is None or fact.end is None:
        return f"step {fact.step} had done {action}"
    return f"step {fact.step} had done {action} from {clock(fact.start)} to {clock(fact.end)}"


def _fact(run: Replay, step: StepNo) -> Fact | None:
    return run.facts[step - 1] if isinstance(step, int) and 0 < step <= len(run.facts) else None


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def explain_correction(run: Replay, index: int, correction: Correction) -> str:
    """Write one sentence: what would have to be given up at that step, and what would then be possible."""
    given_up = [f"without {_dropped(run, correction.constraints)}"] if correction.constraints else []
    if correction.steps:
        given_up.append(f"had {listed(_not_called(run, step) for step in correction.steps)}")
    begun = ", and ".join(given_up)
    return f"{capital(begun)}, {_then(run, index, correction)}."


def _dropped(run: Replay, ids: tuple[str, ...]) -> str:
    constraints = [run.problem.by_id[c] for c in ids]
    said = [_without(run.problem, c) for c in constraints[:GIVEN_UP]]
    if len(constraints) > GIVEN_UP:
        said.append(f"{len(constraints) - GIVEN_UP} more")
    return listed(said)


def _without(problem: Problem, c: Constraint) -> str:
    if c.kind == "of_calls":
        return f"the rule {_titled(c)}"
    what = "the rule" if c.is_rule else "the requirement"
    return f"{what} that {plain(c, problem)} ({place(c)})"


def _not_called(run: Replay, step: StepNo) -> str:
    if step == "end":
        return "the run not ended there"
    fact = run.facts[step - 1]
    if fact.action is None or fact.effect not in ("done", "repeated"):
        return f"step {step} ({fact.call.tool}) not been called" + ("" if run.problem.timed else " then")
    if fact.effect == "repeated":
        return f"step {step} not done {_action_at(run, step)} again"
    return f"step {step} not done {_done_at(run, step)}" + ("" if run.problem.timed else " then")


def _done_at(run: Replay, step: int) -> str:
    fact = run.facts[step - 1]
    hours = ""
    if fact.start is not None and fact.end is not None:
        hours = f" from {clock(fact.start)} to {clock(fact.end)}"
    return _action_at(run, step) + hours


def _action_at(run: Replay, step: int) -> str:
    action = run.facts[step - 1].action
    return "nothing" if action is None else run.problem.actions[action].name


def _then(run: Replay, index: int, correction: Correction) -> str:
    view = run.steps[index]
    if any(c.kind == "of_calls" for c in run.problem.constraints):
        return "every rule could still be kept"
    if view.step == 0:
        return "the query could be met"
    if view.step != "end" or "end" in correction.steps:
        return "the plan could still be finished"
    return "the rest could have been met" if correction.steps else "the run would meet the rest"
