"""Recorded runs as documents: what ``run`` prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

from pydantic import Field

from planscope.documents.document import Document
from planscope.documents.judgement import CheckDocument, Helped
from planscope.oracle.verdict_types import ErrorType, VerdictKind
from planscope.session.record import help_of

if TYPE_CHECKING:
    from planscope.agents.rates import Rate
    from planscope.oracle.replay import Replay
    from planscope.oracle.verdict_types import Verdict
    from planscope.session.model import Run
    from planscope.session.record import Cost


class CostDocument(Document):
    model_calls: int
    input_tokens: int | None = Field(description="null where the provider tells none")
    output_tokens: int | None
    seconds: float
    model_seconds: float = Field(description="spent waiting for the model")


class RunDocument(Document):
    """What ``run --json`` prints. ``session`` is the name of the file that it is in."""

    run: str
    session: str
    agent: str
    model: str
    events: list[dict[str, Any]]
    check: CheckDocument
    cost: CostDocument | None = None

    @classmethod
    def about(cls, run: Run, replay: Replay, cost: Cost, session: str) -> Self:
        events = [event.model_dump(mode="json", exclude_none=True) for event in run.events]
        check = CheckDocument.about(replay, replay.verdict(), helped=help_of(run))
        return cls.of(run, run=run.id, session=session, events=events, check=check, cost=cost)


class ManyRunDocument(Document):
    run: str
    seed: int | None
    verdict: VerdictKind
    error_type: ErrorType | None
    cost: CostDocument
    helped: Helped = None


class RateDocument(Document):
    right: int
    counted: int = Field(description="right and wrong runs; aborted ones say nothing about planning")
    rate: float | None
    low: float = Field(description="lower end of Wilson's 95 % interval")
    high: float
    aborted: int
    unknown: int
    errors: dict[str, int] = Field(description="how many runs have which primary type of error")
    helped: int = Field(
        default=0, description="right and wrong runs that were helped; counted in none of the above"
    )
    helped_right: int = 0


class FileDocument(Document):
    """One of the files that runs were recorded in, with the ids of those in it."""

    session: str
    runs: list[str]


class ManyRunsDocument(Document):
    """What ``run --times N --json`` prints: at least one run of one agent and model."""

    session: str
    agent: str
    model: str
    runs: list[ManyRunDocument]
    success: RateDocument
    files: list[FileDocument] | None = Field(
        default=None, description="all files that the runs are in, where one cannot hold them"
    )

    @classmethod
    def about(
        cls,
        runs: Sequence[Run],
        verdicts: Iterable[Verdict],
        costs: Iterable[Cost],
        rate: Rate,
        session: str,
        files: Sequence[tuple[str, Sequence[str]]] | None = None,
    ) -> Self:
        each = [
            ManyRunDocument.of(verdict, run=run.id, seed=run.seed, cost=cost, helped=help_of(run))
            for run, verdict, cost in zip(runs, verdicts, costs, strict=True)
        ]
        more = {} if files is None else {"files": file_documents(files)}
        return cls.of(runs[0], session=session, runs=each, success=rate, **more)


def file_documents(files: Sequence[tuple[str, Sequence[str]]]) -> list[FileDocument]:
    return [FileDocument(session=file, runs=list(ids)) for file, ids in files]
