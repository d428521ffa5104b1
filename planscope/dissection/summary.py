"""Evaluates the runs of a dissection: the matrix, the rates, the decision. Stored verdicts are never used."""

from __future__ import annotations

from collections.abc import MutableMapping
from contextlib import suppress

from planscope.dissection.blame import culprit_of, refined, splits_of
from planscope.dissection.culprit import Culprit
from planscope.dissection.evidence import (
    KINDS,
    RARE,
    SAME,
    CellOutcome,
    Counts,
    Decision,
    Evidence,
    judged_mutants,
)
from planscope.dissection.measures import shared_by
from planscope.dissection.paper import decide_paper
from planscope.dissection.rates import decide
from planscope.frozen import frozen
from planscope.language.problem import Problem
from planscope.language.reading import ParseFailure
from planscope.oracle.replay import replay
from planscope.oracle.verdict_types import ErrorType, Told, Verdict, VerdictKind
from planscope.session.model import CellKind, Dissection, Run, Session, Variant
from planscope.session.oracle_input import problem_of
from planscope.session.record import NO_HELP, Help, help_of
from planscope.session.run_list import outcome_of
from planscope.session.tally import Tally, success
from planscope.session.traces import trace_of

RunKey = tuple[str, int]
"""The id of a run and its number of events."""


@frozen
class CellRun:
    """One run of a cell as the oracle judges it now. ``told`` and ``headline``: as words name verdict and error."""

    run: str
    verdict: VerdictKind
    error_type: ErrorType | None
    help: Help = NO_HELP
    told: Told | None = None
    headline: ErrorType | None = None


def cell_run(run: Run, judged: Verdict) -> CellRun:
    """Return a judged run of a cell."""
    named = judged.headline.type if judged.headline is not None else None
    return CellRun(run.id, judged.verdict, judged.error_type, help_of(run), judged.told, named)


@frozen
class CellView:
    """One mutant. ``variant`` and the ids of ``runs`` refer to the session."""

    kind: CellKind
    number: int
    variant: str
    runs: tuple[CellRun, ...]

    @property
    def counts(self) -> Counts:
        found = [r.verdict for r in self.runs if not r.help]
        return Counts(found.count("right"), found.count("wrong"))

    @property
    def outcome(self) -> CellOutcome:
        """``pending``: no run yet; ``aborted``: none that can be judged; ``mixed``: right and wrong ones."""
        counts = self.counts
        if not self.runs:
            return "pending"
        if counts.right and counts.wrong:
            return "mixed"
        return "right" if counts.right else "wrong" if counts.wrong else "aborted"

    @property
    def error_type(self) -> ErrorType | None:
        """The error type of the last wrong run."""
        return next((r.error_type for r in reversed(self.runs) if r.verdict == "wrong"), None)


@frozen
class Row:
    """One arm: its mutants by number, and how often it is right, over all of them.

    For the rate's interval, the runs of a mutant are one cluster; runs of the unchanged query are independent.
    ``closed``: why no more mutants of it can be made, or None.
    """

    kind: CellKind
    cells: tuple[CellView, ...]
    rate: Tally
    closed: str | None = None

    @property
    def mutants(self) -> int:
        """Count the mutants with a run that can be judged; 0 or 1 if all cells hold the unchanged query."""
        tried = judged_mutants([cell.counts for cell in self.cells])
        return min(tried, 1) if self.kind in SAME else tried


@frozen
class Summary:
    """The evaluated dissection. ``rows``: every kind, in the order of ``KINDS``, empty ones too, except those of
    ``RARE``. ``runs``: all that it spent.

    ``culprit``: the words to blame, if the runs name them; ``shared``: what the right queries have in
    common, in words.
    ``began``: how the failing run that it began with is judged,
    which no row counts.
    """

    rows: tuple[Row, ...]
    decision: Decision
    runs: int
    budget: int
    began: CellRun | None = None
    culprit: Culprit | None = None
    shared: str = ""

    def row(self, kind: CellKind) -> Row:
        return next(row for row in self.rows if row.kind == kind)


def judged(problem: Problem | None, run: Run) -> Verdict:
    """Return the oracle's verdict on a run; ``unknown`` if the query cannot be read."""
    if problem is None:
        return Verdict("unknown", None, (), None)
    return replay(problem, trace_of(run)).verdict()


def readable(variant: Variant | None) -> Problem | None:
    """Return a variant's problem, or None if its text cannot be read."""
    if variant is None:
        return None
    try:
        return problem_of(variant)
    except ParseFailure:
        return None


def failed_before(dissection: Dissection, run: Run | None, verdict: Verdict | None) -> bool:
    """Return whether the run that the dissection began with shows that this model and agent fail on the query."""
    if run is None or verdict is None or verdict.verdict != "wrong":
        return False
    return run.variant == dissection.variant and (run.model, run.agent) == (
        dissection.model,
        dissection.agent,
    )


def summary(
    session: Session, dissection: Dissection, known_verdicts: MutableMapping[RunKey, Verdict] | None = None
) -> Summary:
    """Judge every run of the dissection, and decide by its method. The session is not changed.

    ``known_verdicts``: a cache of verdicts by run id and number of events, which is used and extended; for a caller
    that asks again after every run.
    """
    verdicts_by_run = {} if known_verdicts is None else known_verdicts
    variants = {v.id: v for v in session.variants}
    runs = {r.id: r for r in session.runs}
    problems: dict[str, Problem | None] = {}

    def verdict_of(run: Run) -> Verdict:
        key = (run.id, len(run.events))
        if key not in verdicts_by_run:
            if run.variant not in problems:
                problems[run.variant] = readable(variants.get(run.variant))
            verdicts_by_run[key] = judged(problems[run.variant], run)
        return verdicts_by_run[key]

    rows, evidence, by_kind, spent = [], {}, {}, 0
    shown_kinds = {cell.kind for cell in dissection.cells}
    for kind in KINDS:
        if kind in RARE and kind not in shown_kinds:
            continue
        cells, outcomes = [], []
        ordered = sorted((c for c in dissection.cells if c.kind == kind), key=lambda c: c.number)
        for cell in ordered:
            known = [runs[r] for r in cell.runs if r in runs and runs[r].variant == cell.variant]
            found = [verdict_of(run) for run in known]
            outcomes += [
                (outcome_of(v, run), bool(help_of(run))) for run, v in zip(known, found, strict=True)
            ]
            shown = map(cell_run, known, found)
            cells.append(CellView(kind, cell.number, cell.variant, tuple(shown)))
        spent += len(outcomes)
        evidence[kind] = [cell.counts for cell in cells]
        by_kind[kind] = [
            (cell, view.counts, variants[cell.variant])
            for cell, view in zip(ordered, cells, strict=True)
            if cell.variant in variants
        ]
        clusters = 0 if kind in SAME else judged_mutants(evidence[kind])
        rows.append(Row(kind, tuple(cells), success(outcomes, clusters), dissection.closed.get(kind)))
    first = runs.get(dissection.run or "")
    began = verdict_of(first) if first is not None else None
    decision = decided(dissection, evidence, failed_before(dissection, first, began))
    start = cell_run(first, began) if first is not None and began else None
    culprit, shared = None, ""
    asked = variants.get(dissection.variant)
    if asked is not None:
        if dissection.culprit_budget:
            culprit = culprit_of(asked, decision, by_kind)
            with suppress(ParseFailure):
                shared = shared_by(splits_of(asked, by_kind))
        decision = refined(decision, asked, by_kind)
    budget = dissection.budget + (dissection.culprit_budget if "Culprit" in shown_kinds else 0)
    return Summary(tuple(rows), decision, spent, budget, start, culprit, shared)


def decided(dissection: Dissection, evidence: Evidence, failed: bool) -> Decision:
    """Return the decision by the dissection's method."""
    if dissection.method == "paper":
        return decide_paper(evidence, dissection.budget, failed=failed, closed=dissection.closed)
    return decide(evidence, failed=failed)
