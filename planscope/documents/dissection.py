"""A dissection as a document: what ``dissect`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from pydantic import Field

from planscope.dissection.evidence import Cause, CellOutcome, CulpritKind
from planscope.dissection.paper import rounds
from planscope.document import Document
from planscope.documents.judgement import Helped
from planscope.documents.query import constraint_documents
from planscope.documents.runs import Counted, ErrorCounts, Files, HelpedRuns, files_field
from planscope.language.reading import ParseFailure
from planscope.oracle.verdict_types import VerdictKind
from planscope.session.model import CellKind, Method
from planscope.session.oracle_input import problem_of
from planscope.stats import wilson

if TYPE_CHECKING:
    from planscope.dissection.culprit import Culprit
    from planscope.dissection.evidence import Counts, Decision
    from planscope.dissection.summary import Summary
    from planscope.session.model import Dissection, Session


class ArmRateDocument(Document):
    """How often the agent is right on one kind of query."""

    runs: Counted
    right: int
    mutants: int = Field(
        description="the number of mutants with such runs; at most 1 for Original and Repeat, which are one query"
    )
    rate: float | None
    low: float = Field(
        description="lower end of Wilson's 95 % interval, in which all runs of a mutant count as one sample"
    )
    high: float
    aborted: int
    errors: ErrorCounts
    helped: HelpedRuns


class CellRunDocument(Document):
    """One run of a mutant."""

    run: str
    verdict: VerdictKind
    error_type: str | None
    helped: Helped = Field(default=None, validation_alias="help")


class CellDocument(Document):
    """One mutant, which is a variant of the session, and its runs."""

    kind: CellKind
    number: int = Field(description="from 1, within its kind")
    variant: str
    outcome: CellOutcome
    error_type: str | None = Field(description="of its last wrong run")
    runs: list[CellRunDocument]


class CauseDocument(Document):
    """A stated cause and its probability."""

    cause: Cause
    confidence: float | None = Field(description="null for paper")


class PlaceDocument(Document):
    """Words of the query that are to blame."""

    sentence: int = Field(description="from 0")
    span: tuple[int, int] = Field(description="characters of the query's text, half-open")
    text: str


class CulpritRateDocument(Document):
    """How often the agent is right on one query."""

    runs: int
    right: int
    low: float = Field(description="lower end of Wilson's 95 % interval")
    high: float


class CulpritRatesDocument(Document):
    """The query as it is, and with the culprit's changes alone."""

    as_is: CulpritRateDocument
    cured: CulpritRateDocument


class CulpritDocument(Document):
    """The words to blame: the smallest set of changes after which the agent is right."""

    kind: CulpritKind
    sentence: int = Field(description="of the first place, from 0")
    span: tuple[int, int] = Field(description="the first place, in characters of the query's text, half-open")
    places: list[PlaceDocument]
    constraints: list[str] = Field(description="the ids of the constraints that these words say")
    text: str
    instead: str = Field(description="the words of the cured query; empty if they were left out or moved")
    cured: str = Field(description="the whole cured query")
    variant: str = Field(description="the cured query in the session")
    rates: CulpritRatesDocument
    p_value: float = Field(
        description="of Fisher's exact test, one-sided, that the cured query is right more often; looked at after each "
        "run, so it is no error rate"
    )
    either: bool = Field(description="the places are two culprits: changing one of them is enough")

    @classmethod
    def about(cls, found: Culprit) -> Self:
        return cls.of(
            found,
            places=[PlaceDocument(sentence=s, span=span, text=text) for s, span, text in found.places],
            constraints=list(found.constraints),
            p_value=round(found.p_value, 6),
            rates=CulpritRatesDocument(as_is=_rate(found.as_is), cured=_rate(found.cured_counts)),
        )


def _rate(counts: Counts) -> CulpritRateDocument:
    low, high = wilson(counts.right, counts.runs)
    return CulpritRateDocument(runs=counts.runs, right=counts.right, low=low, high=high)


class DissectDocument(Document):
    """What in the query makes the agent fail."""

    session: str | None = Field(description="the file that holds it")
    dissection: str
    variant: str
    run: str | None = Field(description="the failing run that it began with; no rate counts it")
    agent: str
    model: str
    seed: int | None
    method: Method
    budget: int
    rounds: int | None = Field(
        description="K of paper: the mutants of each kind, (budget - 3) / 3; null for rates"
    )
    culprit_budget: int = Field(
        description="runs that may look for the culprit, besides those that budget leaves"
    )
    runs: int = Field(description="spent so far, including aborted ones")
    cause: Cause | None = Field(description="null: undecided, or, if blameless, none is in the query")
    confidence: float | None = Field(
        description="probability of the cause, or, if blameless, that none is in the query; null if undecided, "
        "if it never failed, and for paper"
    )
    causes: list[CauseDocument] = Field(
        description="the stated causes, the strongest first; two if the query has more than one; empty if undecided "
        "or blameless"
    )
    culprit: CulpritDocument | None = Field(
        description="null if the cause is not in the query, if it is not stated at 0.9, or if no words are named"
    )
    shared: str
    reason: str
    missing: str | None = Field(description="what would help to decide; null if it is decided")
    blameless: bool = Field(description="it never failed, or nothing in this query is to blame")
    likely: dict[str, float] = Field(description="probability of each cause, and of none; empty for paper")
    stopped: str | None = Field(description="why it ended undecided: budget, user, or the error")
    rates: dict[CellKind, ArmRateDocument]
    cells: list[CellDocument]
    closed: dict[CellKind, str] = Field(description="kinds that no more mutants can be made of, and why")
    files: Files

    @classmethod
    def about(
        cls,
        found: Summary,
        record: Dissection,
        session: str | None,
        files: Sequence[tuple[str, Sequence[str]]] | None = None,
    ) -> Self:
        decision = found.decision
        return cls.of(
            record,
            session=session,
            dissection=record.id,
            budget=record.budget,
            rounds=rounds(record.budget) if record.method == "paper" else None,
            runs=found.runs,
            cause=decision.cause,
            confidence=None if decision.confidence is None else round(decision.confidence, 4),
            causes=_causes(decision),
            culprit=found.culprit and CulpritDocument.about(found.culprit),
            shared=found.shared,
            reason=decision.reason,
            missing=decision.missing,
            blameless=decision.blameless,
            likely={name: round(share, 4) for name, share in decision.likely.items()},
            rates={
                row.kind: ArmRateDocument.of(row.rate, runs=row.rate.counted, mutants=row.mutants)
                for row in found.rows
            },
            cells=[cell for row in found.rows for cell in row.cells],
            **files_field(files),
        )


def _causes(decision: Decision) -> list[CauseDocument]:
    if decision.cause is not None and not decision.causes:
        return [CauseDocument(cause=decision.cause, confidence=None)]
    return [CauseDocument(cause=cause, confidence=round(share, 4)) for cause, share in decision.causes]


def say_constraints(session: Session, dissection: Dissection) -> None:
    """Write the constraints of the mutants into their variants, as all other variants of a session have them."""
    wanted = {cell.variant for cell in dissection.cells}
    for variant in session.variants:
        if variant.id in wanted and not variant.constraints:
            try:
                problem = problem_of(variant)
            except ParseFailure:
                continue
            variant.constraints = constraint_documents(problem)
