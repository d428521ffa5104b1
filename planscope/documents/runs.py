"""Recorded runs as documents: what ``run`` prints, and the rates and files that ``dissect`` prints as well."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field

from planscope.document import Document
from planscope.documents.judgement import CheckDocument, EarlyEnd, Headline, HeadlineDocument, Helped
from planscope.oracle.verdict_types import ErrorType, VerdictKind

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay
    from planscope.oracle.verdict_types import Verdict
    from planscope.session.model import Run, Session
    from planscope.session.record import RunRecord
    from planscope.session.run_list import ListedRun, Losses
    from planscope.session.tally import Outcome, Tally


class CostDocument(Document):
    """What a run took."""

    model_calls: int
    input_tokens: int | None = Field(description="null: the provider did not count them")
    output_tokens: int | None
    seconds: float | None = Field(validation_alias="known_seconds", description="null: not recorded")
    model_seconds: float | None = Field(
        validation_alias="known_model_seconds", description="spent waiting for the model; null: not recorded"
    )


class RunDocument(Document):
    """What ``run --json`` prints. ``session`` is the name of the file that holds the run."""

    run: str
    session: str
    agent: str
    model: str
    verdict: VerdictKind = Field(description="as in check")
    error_type: ErrorType | None
    events: list[dict[str, Any]]
    check: CheckDocument
    cost: CostDocument | None = None

    @classmethod
    def about(cls, run: Run, replay: Replay, record: RunRecord, session: str) -> Self:
        events = [event.model_dump(mode="json", exclude_none=True) for event in run.events]
        verdict = replay.verdict()
        check = CheckDocument.about(replay, verdict, helped=record.help)
        told = {"verdict": verdict.verdict, "error_type": check.error_type}
        return cls.of(run, run=run.id, session=session, events=events, check=check, cost=record.cost, **told)


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
        rate: Tally,
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


Lost = Annotated[int | Literal["end"], Field(description="a step, or end")]


class CameOutDocument(Document):
    """How a run in a list came out."""

    verdict: VerdictKind | None = Field(description="null: there is no run, or it is not judged yet")
    error_type: ErrorType | None = Field(description="the primary one")
    headline: Headline = None
    judged: bool = Field(default=True, description="as in check")
    reason: EarlyEnd = None


class ListedRunDocument(CameOutDocument):
    """A run in the list of its session. ``number`` counts from 1."""

    verdict: VerdictKind
    number: int
    id: str
    variant: str
    agent: str
    model: str
    calls: int
    lost: Lost | None = Field(description="the step that lost the plan; null: none did")
    tool: str | None = Field(description="the tool that was called at that step")
    dissection: bool = Field(description="a dissection made the run")
    helped: Helped = None
    reward: float | None = Field(default=None, description="how the trace was graded: 1 right, 0 wrong")


def outcome_fields(outcome: Outcome | None) -> dict[str, Any]:
    """Return the fields of a run in a list that say how it came out; None: it is not judged so far."""
    if outcome is None:
        return {"verdict": None, "error_type": None}
    named = HeadlineDocument(type=outcome.headline, step=_step(outcome.shows)) if outcome.headline else None
    return {
        "verdict": outcome.verdict,
        "error_type": outcome.error_type or None,
        "headline": named,
        "judged": outcome.judged,
        "reason": outcome.reason or None,
    }


class LossDocument(Document):
    """One step of the histogram; ``by`` counts the tools called there, or else the errors."""

    step: Lost
    runs: int
    by: dict[str, int]


class RunListDocument(Document):
    """What ``runs --json`` prints. ``right`` and ``counted`` leave out helped runs."""

    runs: list[ListedRunDocument]
    right: int
    counted: Counted
    losses: list[LossDocument] = Field(description="the steps at which the listed runs were lost")
    removed: int = Field(description="the number of deletions that can be undone")
    total: int | None = Field(default=None, description="all runs, where a server lists some of them")

    @classmethod
    def about(cls, listed: Sequence[ListedRun], losses: Losses, removed: int) -> Self:
        from planscope.session.run_list import tally

        counts = tally(listed)
        return cls(
            runs=[_listed_run(one) for one in listed],
            right=counts.right,
            counted=counts.counted,
            losses=[
                LossDocument(step=_step(row.step), runs=row.runs, by=dict(row.by)) for row in losses.rows
            ],
            removed=removed,
        )


def _listed_run(one: ListedRun) -> ListedRunDocument:
    run, outcome = one.run, one.outcome
    assert outcome is not None
    return ListedRunDocument.of(
        run,
        number=one.number,
        calls=len(run.calls),
        **outcome_fields(outcome),
        lost=_step(outcome.lost) if outcome.lost else None,
        tool=outcome.tool or None,
        dissection=one.trial,
        helped=run.help,
    )


def _step(step: str) -> Any:
    return int(step) if step.isdigit() else "end"


class RunsChangedDocument(Document):
    """What ``runs --delete``, ``--restore`` and ``--empty`` print: the ids that the session has now."""

    action: Literal["delete", "restore", "empty"]
    runs: list[str]
    variants: list[str]
    removed: int

    @classmethod
    def after(cls, action: str, session: Session) -> Self:
        return cls.model_validate(
            {
                "action": action,
                "runs": [run.id for run in session.runs],
                "variants": [variant.id for variant in session.variants],
                "removed": len(session.removed or ()),
            }
        )
