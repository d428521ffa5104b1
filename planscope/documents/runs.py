"""Recorded runs as documents: what ``run`` prints, and the rates and files that ``dissect`` prints as well."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field

from planscope.documents.document import Document
from planscope.documents.judgement import CheckDocument, Helped
from planscope.oracle.verdict_types import ErrorType, VerdictKind

if TYPE_CHECKING:
    from planscope.agents.rates import Rate
    from planscope.oracle.replay import Replay
    from planscope.oracle.verdict_types import Verdict
    from planscope.session.model import Run
    from planscope.session.record import RunRecord


class CostDocument(Document):
    """What a run took."""

    model_calls: int
    input_tokens: int | None = Field(description="null: the provider did not count them")
    output_tokens: int | None
    seconds: float
    model_seconds: float = Field(description="spent waiting for the model")


class RunDocument(Document):
    """What ``run --json`` prints. ``session`` is the name of the file that holds the run."""

    run: str
    session: str
    agent: str
    model: str
    events: list[dict[str, Any]]
    check: CheckDocument
    cost: CostDocument | None = None

    @classmethod
    def about(cls, run: Run, replay: Replay, record: RunRecord, session: str) -> Self:
        events = [event.model_dump(mode="json", exclude_none=True) for event in run.events]
        check = CheckDocument.about(replay, replay.verdict(), helped=record.help)
        return cls.of(run, run=run.id, session=session, events=events, check=check, cost=record.cost)


class ManyRunDocument(Document):
    """One of several runs."""

    run: str
    seed: int | None
    verdict: VerdictKind
    error_type: ErrorType | None
    cost: CostDocument
    helped: Helped = None


Counted = Annotated[int, Field(description="right and wrong runs; aborted ones say nothing about planning")]
ErrorCounts = Annotated[dict[str, int], Field(description="the number of runs by primary type of error")]
HelpedRuns = Annotated[
    int, Field(default=0, description="right and wrong runs that were helped; counted in none of the above")
]


class RateDocument(Document):
    """How often an agent was right."""

    right: int
    counted: Counted
    rate: float | None
    low: float = Field(description="lower end of Wilson's 95 % interval")
    high: float
    aborted: int
    unknown: int
    errors: ErrorCounts
    helped: HelpedRuns
    helped_right: int = 0


class FileDocument(Document):
    """One of the files that hold the runs, with their ids."""

    session: str
    runs: list[str]


Files = Annotated[
    list[FileDocument] | None,
    Field(default=None, description="all files that hold the runs, if one file cannot"),
]


class ManyRunsDocument(Document):
    """What ``run --times N --json`` prints: at least one run of one agent and model."""

    session: str
    agent: str
    model: str
    runs: list[ManyRunDocument]
    success: RateDocument
    files: Files

    @classmethod
    def about(
        cls,
        runs: Sequence[Run],
        verdicts: Iterable[Verdict],
        records: Iterable[RunRecord],
        rate: Rate,
        session: str,
        files: Sequence[tuple[str, Sequence[str]]] | None = None,
    ) -> Self:
        each = [
            ManyRunDocument.of(verdict, run=run.id, seed=run.seed, cost=record.cost, helped=record.help)
            for run, verdict, record in zip(runs, verdicts, records, strict=True)
        ]
        return cls.of(runs[0], session=session, runs=each, success=rate, **files_field(files))


def files_field(files: Sequence[tuple[str, Sequence[str]]] | None) -> dict[str, list[FileDocument]]:
    """Return the field ``files`` as keyword arguments; none if one file holds all runs, to leave the field out."""
    if files is None:
        return {}
    return {"files": [FileDocument(session=file, runs=list(ids)) for file, ids in files]}
