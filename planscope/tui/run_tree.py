"""The session's variants and runs as the tree that they are: what came from what, in the order to read it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from planscope.oracle.verdict_types import ErrorType
from planscope.tui import words
from planscope.tui.desk import Outcome
from planscope.tui.glance import RunGlance, SessionGlance, VariantGlance
from planscope.tui.lines import Run, shown

OUTCOMES: Mapping[str, tuple[str, str]] = {
    "right": ("✓", "holds"),
    "wrong": ("✗", "broken"),
    "aborted": ("!", "unknown"),
}
"""Sign and role of a verdict; any other is unknown."""

_OUTCOME = max(len(name) for name in get_args(ErrorType))
_STARTS = {"synthesized": "synthesized", "written": "written", "imported": "imported", "edited": "edited"}


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of the tree: a request, or a run of it. ``depth`` counts from 0; ``number`` is the run's."""

    depth: int
    variant: VariantGlance
    number: int | None = None


def tree_of(session: SessionGlance) -> list[Branch]:
    """Every request with its runs below it, forks below what they were forked from, edits below their parents.

    Runs of a request that is not there are left out; a fork of another request's run stands with its own request.
    """
    children: defaultdict[str, list[VariantGlance]] = defaultdict(list)
    known = {v.id for v in session.variants}
    for variant in session.variants:
        children[variant.parent if variant.parent in known else ""].append(variant)
    runs: defaultdict[str, list[int]] = defaultdict(list)
    variant_of = {run.id: run.variant for run in session.runs}
    for number, run in enumerate(session.runs):
        origin = run.forked_from.partition(" at ")[0]
        own = variant_of.get(origin) == run.variant and origin != run.id
        runs[f"run {origin}" if own else f"variant {run.variant}"].append(number)
    made: list[Branch] = []
    _grow(made, session, children, runs)
    return made


def _grow(
    made: list[Branch],
    session: SessionGlance,
    children: defaultdict[str, list[VariantGlance]],
    runs: defaultdict[str, list[int]],
) -> None:
    waiting = [(variant, 0) for variant in reversed(children[""])]
    while waiting:
        variant, depth = waiting.pop()
        made.append(Branch(depth, variant))
        below = [(number, depth + 1) for number in reversed(runs[f"variant {variant.id}"])]
        while below:
            number, run_depth = below.pop()
            made.append(Branch(run_depth, variant, number))
            forks = runs.pop(f"run {session.runs[number].id}", [])
            below += [(fork, run_depth + 1) for fork in reversed(forks)]
        waiting += [(child, depth + 1) for child in reversed(children[variant.id])]


def branch_line(
    session: SessionGlance, branch: Branch, here: int | None, outcomes: Mapping[str, Outcome]
) -> tuple[Run, ...]:
    """One line of the tree, safe to show. ``here``: the number of the run that is looked at.

    ``outcomes``: how runs came out, by their ids; one that is not in there is not judged yet.
    """
    indent = Run("  " * branch.depth)
    if branch.number is None:
        variant = branch.variant
        origin = variant.mutation or _STARTS.get(variant.origin, variant.origin)
        told = " ".join(variant.text.split())
        return (
            indent,
            Run(shown(variant.id, 16), "label"),
            Run(f"  {shown(origin, 24)}  ", "dim"),
            Run(shown(told, 60), "quote"),
        )
    run = session.runs[branch.number]
    made = [indent, Run(f"{branch.number + 1:>3}  "), _outcome(run, outcomes.get(run.id))]
    if run.help:
        made.append(Run(f"helped: {run.help.text}  ", "caution"))
    if branch.number == here:
        made.append(Run("← here  ", "mark"))
    made += _model(run)
    details = f"  {shown(run.helped_agent or 'agent ?', 24)}, {words.plural(len(run.calls), 'call')}"
    if run.forked_from:
        details += f", forked from {shown(run.forked_from, 40)}"
    return (*made, Run(details, "dim"))


def _outcome(run: RunGlance, outcome: Outcome | None) -> Run:
    """How a run came out, always as wide."""
    if run.under_way:
        sign, said, role = "▷", "running", "caution"
    elif outcome is None:
        sign, said, role = "…", "", "dim"
    else:
        verdict, error_type = outcome
        sign, role = OUTCOMES.get(verdict, ("?", "unknown"))
        said = (error_type or verdict).replace("_", " ")
    return Run(f"{sign} {said:<{_OUTCOME}}  ", role)


def _model(run: RunGlance) -> list[Run]:
    made = [Run(shown(run.model or "model ?", 40))]
    if run.simulated:
        made.append(Run(" simulated", "caution"))
    return made


def run_runs(run: RunGlance, number: int, *, here: bool) -> list[Run]:
    """A run in a line: number, agent, model, calls, how it ended."""
    agent = shown(run.helped_agent or "agent ?", 24)
    made = [Run(f"{number + 1:>3}  "), Run(f"{agent:<10} "), *_model(run)]
    told = f"  {words.plural(len(run.calls), 'call')}, {words.ending(run)}{run.help.note}"
    if run.forked_from:
        told += f", forked from {shown(run.forked_from, 40)}"
    made.append(Run(told, "dim"))
    if here:
        made.append(Run("  ← this one", "mark"))
    return made
