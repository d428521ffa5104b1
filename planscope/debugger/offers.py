"""What can be entered as a breakpoint or a watch in a run: texts to choose from, with explanations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from planscope.debugger.breakpoints import ToolBreak, tools_of
from planscope.debugger.expressions import ASPECTS, quoted
from planscope.debugger.run_index import RunIndex
from planscope.language.problem import Constraint, Problem
from planscope.oracle.verdict_types import ERROR_TYPES
from planscope.wording.constraints import brief
from planscope.wording.phrases import plural
from planscope.wording.terms import FINDINGS, NO_RETURN, STATES, STATUS_MEANS


class Offer(NamedTuple):
    """A text that is read as typed, and what it means, both safe to show."""

    text: str
    about: str = ""


def breakpoint_offers(run: RunIndex) -> list[Offer]:
    """Return breakpoints that fit this run, the most usual first."""
    return list(_breakpoints(run))


def _breakpoints(run: RunIndex) -> Iterator[Offer]:
    problem = run.problem
    yield Offer("lost", NO_RETURN)
    yield Offer("breaks", "before a call that violates any constraint")
    yield Offer("error", "at an error of any type")
    for tool in tools_of(run):
        calls = len(run.called.get(tool, ()))
        yield Offer(str(ToolBreak(tool)), f"called {plural(calls, 'time')} here; stops before it")
    for constraint in problem.constraints:
        yield Offer(f"breaks {constraint.id}", f"before it is violated: {brief(constraint, problem)}")
    for kind in ERROR_TYPES:
        yield Offer(f"error {FINDINGS[kind]}", "at an error of this type")
    for constraint in _rules(problem):
        yield Offer(
            f"when {constraint.id} == owed", f"while {STATUS_MEANS['owed']}: {brief(constraint, problem)}"
        )
    if problem.counted:
        yield Offer("when valid_completions < 3", "when fewer than 3 valid orders are left")
        yield Offer("when valid_completions == 1", "when one valid order is left")
    yield Offer(f"when state == {STATES['doomed']}", "when nothing can save the plan")
    for step in run.steps[1:]:
        yield Offer(f"step {step.step}", "after this step")


def watch_offers(problem: Problem) -> list[Offer]:
    """Return watches that fit this query: facts of the step, values of actions, constraints."""
    found = [Offer("state", "possible, lost or violated")]
    if problem.counted:
        found = [
            Offer("valid_completions", "valid orders left"),
            *found,
            Offer("attempt", "which attempt this is"),
            Offer("valid_completions < 3", "yes or no"),
        ]
    aspects = ASPECTS if problem.timed else ASPECTS[:1]
    means = {"place": "its place among the calls", "start": "the hour it starts", "end": "the hour it ends"}
    for action in problem.actions:
        found += [Offer(f"{quoted(action.tool)}.{aspect}", means[aspect]) for aspect in aspects]
    found += [Offer(c.id, brief(c, problem)) for c in problem.constraints]
    found += [Offer(f"{c.id} == owed", brief(c, problem)) for c in _rules(problem)]
    found += [Offer(f"{c.id} == violated", brief(c, problem)) for c in problem.constraints if not c.is_rule]
    return found


def _rules(problem: Problem) -> list[Constraint]:
    return [c for c in problem.constraints if c.kind == "of_calls"]


def matching(offers: Iterable[Offer], typed: str) -> list[Offer]:
    """Return the offers that contain every typed word, in text or meaning; first those that begin with what was
    typed, then those whose text has the words."""
    words, begun = typed.casefold().split(), typed.strip().casefold()
    found = [one for one in offers if all(word in f"{one.text} {one.about}".casefold() for word in words)]

    def rank(one: Offer) -> int:
        text = one.text.casefold()
        return 0 if text.startswith(begun) else 1 if all(word in text for word in words) else 2

    return sorted(found, key=rank)
