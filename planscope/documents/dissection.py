"""A dissection as a document: what ``dissect`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field

from planscope.dissection.arms import Cause, CellOutcome
from planscope.documents.document import Document
from planscope.documents.judgement import Helped
from planscope.documents.query import constraint_document
from planscope.documents.runs import FileDocument, file_documents
from planscope.language.reading import ParseFailure
from planscope.oracle.verdict_types import VerdictKind
from planscope.session.model import CellKind
from planscope.session.oracle_input import problem_of

if TYPE_CHECKING:
    from planscope.dissection.summary import Summary
    from planscope.session.model import Dissection, Session


class ArmRateDocument(Document):
    """How often one kind of request is right."""

    runs: int = Field(description="right and wrong ones; aborted runs say nothing about planning")
    right: int
    mutants: int = Field(
        description="of how many mutants those runs are; at most 1 for Original and Repeat, which are one query"
    )
    rate: float | None
    low: float = Field(
        description="lower end of Wilson's 95 % interval, in which runs of one mutant count as one sample"
    )
    high: float
    aborted: int
    errors: dict[str, int] = Field(description="how many runs have which primary type of error")
    helped: int = Field(
        default=0, description="right and wrong runs that were helped; counted in none of the above"
    )


class CellRunDocument(Document):
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


class DissectDocument(Document):
    """What in the request makes the agent fail."""

    session: str | None = Field(description="the file that it is recorded in")
    dissection: str
    variant: str
    run: str | None = Field(description="the failing run that it began with, which is counted in no rate")
    agent: str
    model: str
    seed: int | None
    method: Literal["rates", "paper"]
    budget: int
    runs: int = Field(description="spent so far, aborted ones too")
    cause: Cause | None = Field(description="null: undecided, or, if blameless, none is in the query")
    confidence: float | None = Field(
        description="probability of the cause, or, if blameless, that none is in the query; null where undecided, "
        "where it never failed, and for paper"
    )
    reason: str
    missing: str | None = Field(description="what would help to decide; null where it is decided")
    blameless: bool = Field(description="it never failed, or nothing in this request is to blame for it")
    likely: dict[str, float] = Field(description="probability of each cause, and of none; empty for paper")
    stopped: str | None = Field(description="why it ended undecided: budget, user, or what went wrong")
    rates: dict[CellKind, ArmRateDocument]
    cells: list[CellDocument]
    closed: dict[CellKind, str] = Field(description="kinds of which no more mutants could be made, and why")

    files: list[FileDocument] | None = Field(
        default=None, description="all files that the runs are in, where one cannot hold them"
    )

    @classmethod
    def about(
        cls,
        found: Summary,
        record: Dissection,
        session: str | None,
        files: Sequence[tuple[str, Sequence[str]]] | None = None,
    ) -> Self:
        decision = found.decision
        more = {} if files is None else {"files": file_documents(files)}
        return cls.of(
            record,
            session=session,
            dissection=record.id,
            runs=found.runs,
            cause=decision.cause,
            confidence=None if decision.confidence is None else round(decision.confidence, 4),
            reason=decision.reason,
            missing=decision.missing,
            blameless=decision.blameless,
            likely={name: round(share, 4) for name, share in decision.likely.items()},
            rates={
                row.kind: ArmRateDocument.of(row.rate, runs=row.rate.counted, mutants=row.mutants)
                for row in found.rows
            },
            cells=[cell for row in found.rows for cell in row.cells],
            **more,
        )


def say_constraints(session: Session, dissection: Dissection) -> None:
    """Write into the mutants what their texts ask for, as all other variants of a session have it."""
    wanted = {cell.variant for cell in dissection.cells}
    for variant in session.variants:
        if variant.id in wanted and not variant.constraints:
            try:
                problem = problem_of(variant)
            except ParseFailure:
                continue
            variant.constraints = [constraint_document(c) for c in problem.constraints]
