"""The session's variants and runs as a tree with one line for each, and the verdicts of the runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planscope.tui.controllers.document import Document, Outcome, RunKey
from planscope.tui.style.lines import Run, shown
from planscope.tui.style.roles import outcome_runs
from planscope.wording import phrases
from planscope.wording.terms import FINDINGS

if TYPE_CHECKING:
    from planscope.language.problem import Problem
    from planscope.session.model import Run as RunOfSession
    from planscope.session.model import Session, Variant
    from planscope.session.record import RunRecord

_OUTCOME = max(map(len, FINDINGS.values()))


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of the tree: a query, or a run of it. ``number``: the run's index in the session."""

    depth: int
    variant: Variant
    number: int | None = None
    run_id: str = ""


def tree_of(variants: Sequence[Variant], runs: Sequence[RunOfSession]) -> list[Branch]:
    """Return all queries, each with its runs below it. Forks are below the run that they were forked from.

    Edited queries are below their parents. Runs of a missing query are left out. A fork of another query's run is below
    its own query.
    """
    children: defaultdict[str, list[Variant]] = defaultdict(list)
    known = {v.id for v in variants}
    for variant in variants:
        children[variant.parent if variant.parent in known else ""].append(variant)
    below: defaultdict[str, list[int]] = defaultdict(list)
    variant_of = {run.id: run.variant for run in runs}
    for number, run in enumerate(runs):
        origin = run.forked_from.run if run.forked_from is not None else ""
        own = variant_of.get(origin) == run.variant and origin != run.id
        below[f"run {origin}" if own else f"variant {run.variant}"].append(number)
    made: list[Branch] = []
    _grow(made, runs, children, below)
    return made


def _grow(
    made: list[Branch],
    runs: Sequence[RunOfSession],
    children: defaultdict[str, list[Variant]],
    below: defaultdict[str, list[int]],
) -> None:
    waiting = [(variant, 0) for variant in reversed(children[""])]
    while waiting:
        variant, depth = waiting.pop()
        made.append(Branch(depth, variant))
        mine = [(number, depth + 1) for number in reversed(below[f"variant {variant.id}"])]
        while mine:
            number, run_depth = mine.pop()
            made.append(Branch(run_depth, variant, number, runs[number].id))
            forks = below.pop(f"run {runs[number].id}", [])
            mine += [(fork, run_depth + 1) for fork in reversed(forks)]
        waiting += [(child, depth + 1) for child in reversed(children[variant.id])]


def branch_line(
    document: Document, branch: Branch, here: int | None, outcomes: Mapping[str, Outcome]
) -> tuple[Run, ...]:
    """Return one line of the tree, safe to show. ``here``: the index of the displayed run.

    ``outcomes``: verdicts by the ids of runs; a run without one is not judged yet.
    """
    indent = Run("  " * branch.depth)
    if branch.number is None:
        variant = branch.variant
        origin = variant.origin.mutation or variant.origin.kind
        told = " ".join(variant.query.text.split())
        return (
            indent,
            Run(shown(variant.id, 16), "label"),
            Run(f"  {shown(origin, 24)}  ", "dim"),
            Run(shown(told, 60), "quote"),
        )
    run = document.record(branch.run_id)
    made = [indent, Run(f"{branch.number + 1:>3}  "), _outcome(run, outcomes.get(run.id))]
    if run.forked_from is not None:
        made.append(Run(f"forked from {phrases.fork_point(run.forked_from)}  ", "dim"))
    if run.help:
        made.append(Run(f"helped: {run.help.text}  ", "caution"))
    if branch.number == here:
        made.append(Run("← here  ", "mark"))
    made += _model(run)
    details = f"  {shown(run.helped_agent or 'agent ?', 24)}, {phrases.plural(len(run.calls), 'call')}"
    return (*made, Run(details, "dim"))


def _outcome(run: RunRecord, outcome: Outcome | None) -> Run:
    """Return a run's verdict, in a column of constant width."""
    if run.under_way:
        return Run(f"▷ {'running':<{_OUTCOME}}  ", "caution")
    if outcome is None:
        return Run(f"… {'':<{_OUTCOME}}  ", "dim")
    sign, said = outcome_runs(*outcome, _OUTCOME)
    return Run(f"{sign.text}{said.text}  ", said.role)


def _model(run: RunRecord) -> list[Run]:
    made = [Run(shown(run.model or "model ?", 40))]
    if run.simulated:
        made.append(Run(" simulated", "caution"))
    return made


def run_runs(run: RunRecord, number: int, *, here: bool) -> list[Run]:
    """Describe a run in one line: number, agent, model, calls, ending."""
    agent = shown(run.helped_agent or "agent ?", 24)
    made = [Run(f"{number + 1:>3}  "), Run(f"{agent:<10} "), *_model(run)]
    told = f"  {phrases.plural(len(run.calls), 'call')}, {phrases.ending(run)}{run.help.note}"
    if run.forked_from is not None:
        told += f", forked from {phrases.fork_point(run.forked_from)}"
    made.append(Run(told, "dim"))
    if here:
        made.append(Run("  ← this run", "mark"))
    return made


# Verdicts


def outcomes_of(document: Document) -> dict[str, Outcome]:
    """Return the known verdicts of the session's runs, by the runs' ids."""
    session = document.session
    runs = session.runs if session is not None else ()
    found = ((run.id, document.outcomes.get(_key(session, run))) for run in runs)  # type: ignore[arg-type]  # it is there
    return {id: outcome for id, outcome in found if outcome is not None}


def not_judged(document: Document) -> list[RunOfSession]:
    """Return the runs that have ended and are not judged since their last event, the newest first."""
    session = document.session
    if session is None:
        return []
    going = document.under_way | document.passing
    runs = (run for run in reversed(session.runs) if run.id not in going)
    return [run for run in runs if _key(session, run) not in document.outcomes]


def judge_runs(session: Session, runs: Sequence[RunOfSession]) -> Iterator[tuple[RunKey, Outcome]]:
    """Judge runs of a session one by one, and yield each. For a thread."""
    from planscope.dissection.summary import judged, readable

    problems: dict[str, Problem | None] = {}
    variants = {variant.id: variant for variant in session.variants}
    for run in runs:
        if run.variant not in problems:
            problems[run.variant] = readable(variants.get(run.variant))
        verdict = judged(problems[run.variant], run)
        named = verdict.headline.type if verdict.headline is not None else ""
        yield _key(session, run), (verdict.verdict, named)


def _key(session: Session, run: RunOfSession) -> RunKey:
    return session.id, run.id, len(run.events)
