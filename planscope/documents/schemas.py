"""JSON Schemas of everything that planscope prints as JSON, and of the session file."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, TypeAdapter

from planscope.documents.comparison_schema import ComparisonDocument
from planscope.documents.dissection_schema import DissectDocument
from planscope.documents.library_schema import ChangedDocument, SessionDocument, SessionsDocument
from planscope.documents.listing_schemas import (
    ConfigDocument,
    GrammarDocument,
    ModelsDocument,
    PreviewDocument,
    ThemesDocument,
    TopicsDocument,
)
from planscope.documents.parts import Document as _Document
from planscope.documents.query_schema import ErrorsDocument, MutateDocument, QueryDocument
from planscope.documents.reason_schema import ReasonsDocument
from planscope.oracle.trace import Ending
from planscope.oracle.verdict_types import ErrorType, State, Status, StepNo, VerdictKind
from planscope.session.model import Session


class FindingDocument(_Document):
    type: ErrorType
    step: StepNo
    constraints: list[str]
    severity: Literal["error", "warning"]
    actions: list[str] = Field(default_factory=list, description="ids of the actions concerned")
    message: str = Field(default="", description="more about it, if there is more to say")


class ViolationDocument(_Document):
    """The point of no return: the first doomed step, and the minimal core that says why."""

    step: StepNo
    constraint: str = Field(description="the member of the core that stands first in the text")
    core: list[str]
    steps: list[StepNo] = Field(description="the steps in the core")
    foreseeable: bool = Field(
        description="false: other durations of actions not called yet would still save the plan"
    )


class CheckDocument(_Document):
    """The verdict of a run."""

    verdict: VerdictKind
    error_type: ErrorType | None
    findings: list[FindingDocument]
    first_violation: ViolationDocument | None
    explanation: str
    certified: bool | None = Field(default=None, description="did Z3 confirm it? null: it gave up")
    run: str | None = None


class CallDocument(_Document):
    tool: str
    arguments: dict[str, Any] | None = Field(description="null: they could not be read")
    refused: bool = Field(default=False, description="a guard or the user kept it from its tool")


class StepDocument(_Document):
    step: StepNo
    attempt: int
    call: CallDocument | None
    state: State
    safe_next: list[str]
    valid_completions: int | None = Field(description="orders of what remains; null: too many to count")
    constraints: dict[str, Status]
    core: list[str]
    action: str | None = Field(default=None, description="the action that the call executed")
    start: int | None = Field(default=None, description="timed: hours")
    end: int | None = None
    core_steps: list[StepNo] = Field(default_factory=list, description="the steps in the core")
    findings: list[FindingDocument] = Field(default_factory=list)
    safe_hours: dict[str, tuple[int, int]] | None = Field(
        default=None, description="timed: first and last safe start of each action in safe_next"
    )


class ReplayDocument(_Document):
    """Every step of a run, from 0 to ``"end"``."""

    run: str | None
    steps: list[StepDocument]
    ending: Ending
    timed: bool
    check: CheckDocument | None = None


class RepairDocument(_Document):
    """The nearest valid plan; ``order`` is null where there is none, and ``reason`` says why."""

    order: list[str] | None
    starts: dict[str, int] | None
    swaps: int | None
    inserted: list[str]
    removed: list[str]
    exact: bool = Field(description="proved to be the nearest")
    reason: str | None = None
    run: str | None = None
    from_step: int = 0


class RunDocument(_Document):
    """What ``run --json`` prints."""

    run: str
    session: str
    agent: str
    model: str
    events: list[dict[str, Any]]
    check: CheckDocument
    cost: CostDocument | None = None


class CostDocument(_Document):
    model_calls: int
    input_tokens: int | None = Field(description="null where the provider tells none")
    output_tokens: int | None
    seconds: float
    model_seconds: float = Field(description="spent waiting for the model")


class RateDocument(_Document):
    right: int
    counted: int = Field(description="right and wrong runs; aborted ones say nothing about planning")
    rate: float | None
    low: float = Field(description="lower end of Wilson's 95 % interval")
    high: float
    aborted: int
    unknown: int
    errors: dict[str, int] = Field(description="how many runs have which primary type of error")


class ManyRunDocument(_Document):
    run: str
    seed: int | None
    verdict: VerdictKind
    error_type: ErrorType | None
    cost: CostDocument


class ManyRunsDocument(_Document):
    """What ``run --times N --json`` prints."""

    session: str
    agent: str
    model: str
    runs: list[ManyRunDocument]
    success: RateDocument


class ExportDocument(_Document):
    """What ``export --format json`` writes."""

    title: str
    query: QueryDocument
    run: dict[str, Any] | None
    check: CheckDocument
    replay: ReplayDocument
    repair: RepairDocument


DOCUMENTS: dict[str, Any] = {
    "session": Session,
    "new": QueryDocument,
    "parse": QueryDocument | ErrorsDocument,
    "check": CheckDocument,
    "replay": ReplayDocument,
    "repair": RepairDocument,
    "compare": ComparisonDocument,
    "reasons": ReasonsDocument,
    "run": RunDocument | ManyRunsDocument,
    "mutate": MutateDocument,
    "dissect": DissectDocument,
    "models": ModelsDocument,
    "export": ExportDocument | PreviewDocument,
    "topics": TopicsDocument,
    "themes": ThemesDocument,
    "config": ConfigDocument,
    "grammar": GrammarDocument,
    "sessions": SessionsDocument | SessionDocument | ChangedDocument,
}


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of one document. Raises KeyError for a name that is none."""
    found = TypeAdapter(DOCUMENTS[name]).json_schema(mode="validation")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"planscope:{name}", **found}
