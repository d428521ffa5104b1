"""Cores and corrections in plain sentences that name actions and quote the request. No id appears in them."""

from __future__ import annotations

from planscope.language.describe import plain
from planscope.language.problem import Constraint, Problem
from planscope.oracle import words
from planscope.oracle.explain import describe_violation
from planscope.oracle.verdict import highlighted
from planscope.oracle.verdict_types import Core, Correction, StepNo, Violation
from planscope.oracle.walk import Walk

WITHOUT = 4
"""So many constraints of a correction are said one by one in a sentence; the rest is counted."""


def describe_core(run: Walk, core: Core) -> str:
    """One or two sentences: why what is in the core cannot be met together."""
    last: StepNo = core.steps[-1] if core.steps else 0
    return describe_violation(run, Violation(last, highlighted(core), core))


def describe_correction(run: Walk, index: int, correction: Correction) -> str:
    """One sentence: what would have to be given up at that step, and what could be had then."""
    given_up = [f"without {_dropped(run, correction.constraints)}"] if correction.constraints else []
    if correction.steps:
        given_up.append(f"had {words.listed(_not_called(run, step) for step in correction.steps)}")
    begun = ", and ".join(given_up)
    return f"{begun[:1].upper()}{begun[1:]}, {_then(run, index, correction)}."


def _dropped(run: Walk, ids: tuple[str, ...]) -> str:
    constraints = [run.problem.by_id[c] for c in ids]
    said = [_without(run.problem, c) for c in constraints[:WITHOUT]]
    if len(constraints) > WITHOUT:
        said.append(f"{len(constraints) - WITHOUT} more")
    return words.listed(said)


def _without(problem: Problem, c: Constraint) -> str:
    what = "the rule" if c.is_rule else "the requirement"
    return f"{what} that {plain(c, problem)} ({_where(c)})"


def _where(c: Constraint) -> str:
    if c.is_rule:
        return "the instructions" if c.source == "prompt" else "the day"
    return f"sentence {c.sentence + 1}" if c.sentence is not None else "the request"


def _not_called(run: Walk, step: StepNo) -> str:
    if step == "end":
        return "the agent not stopped there"
    fact = run.facts[step - 1]
    if fact.effect == "repeated":
        return f"step {step} not done {_name(run, step)} again"
    return f"step {step} not done {_done(run, step)}" + ("" if run.problem.timed else " then")


def _done(run: Walk, step: int) -> str:
    fact = run.facts[step - 1]
    hours = ""
    if fact.start is not None and fact.end is not None:
        hours = f" from {words.clock(fact.start)} to {words.clock(fact.end)}"
    return _name(run, step) + hours


def _name(run: Walk, step: int) -> str:
    action = run.facts[step - 1].action
    return "nothing" if action is None else run.problem.actions[action].name


def _then(run: Walk, index: int, correction: Correction) -> str:
    view = run.steps[index]
    if view.step == 0:
        return "the request could be met"
    if view.step != "end" or "end" in correction.steps:
        return "the plan could still be finished"
    return "the rest could have been met" if correction.steps else "the run would meet the rest"
