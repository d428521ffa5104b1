"""JSON Schemas of everything that planscope prints as JSON, and of the session file."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from planscope.session.model import Session

Step = int | Literal["end"]
ErrorType = Literal[
    "timeout", "act_error", "action_lost", "action_repeated", "parameter_error", "order_error"
]
Status = Literal["holds", "open", "broken"]


class _Document(BaseModel):
    """Fields may be added to a document; none is renamed or dropped."""

    model_config = ConfigDict(extra="allow")


class ActionDocument(_Document):
    id: str
    name: str
    tool: str
    duration: int | None = Field(description="whole hours; null in the base language")


class ConstraintDocument(_Document):
    id: str = Field(description="c1, c2, ... by place in the text; b1, b2, ... for the rules")
    kind: Literal[
        "order",
        "start_at_least",
        "end_at_most",
        "once",
        "all_done",
        "one_by_one",
        "start_range",
        "end_range",
    ]
    before: str | None = Field(default=None, description="order: the action that comes first")
    after: str | None = None
    action: str | None = Field(default=None, description="start_at_least, end_at_most")
    hour: int | None = None
    sentence: int | None = Field(description="counted from 0; null for a rule")
    spans: list[tuple[int, int]] = Field(
        description="subject, relation phrase, object: half-open ranges of code points of the text"
    )
    text: str = Field(description="the constraint in symbols, as in a1 < a2 or a1.start >= 10")
    source: Literal["text", "prompt", "environment"] = Field(
        default="text", description="who says it: the request, the prompt's instructions, the day"
    )


class QueryDocument(_Document):
    """One query: what ``new --json`` and ``parse --json`` print."""

    id: str
    seed: int | None
    topic: str | None
    timed: bool
    text: str
    prompt: str
    actions: list[ActionDocument]
    constraints: list[ConstraintDocument]
    valid_orders: int | None = Field(description="null: more than 20 actions, not counted")
    certified: bool | None = Field(default=None, description="new: Z3 says that it can be met")
    contradiction: list[str] | None = Field(
        default=None, description="parse: ids of the minimal core, none where it can be met"
    )


class ParseErrorDocument(_Document):
    line: int = Field(ge=1)
    column: int = Field(ge=1, description="counted in code points from 1")
    found: str
    expected: list[str]
    message: str


class ErrorsDocument(_Document):
    """What ``parse --json`` prints for a text that cannot be read (exit status 1)."""

    errors: list[ParseErrorDocument]


class FindingDocument(_Document):
    type: ErrorType
    step: Step
    constraints: list[str]
    severity: Literal["error", "warning"]
    actions: list[str] = Field(default_factory=list, description="ids of the actions concerned")
    message: str = Field(default="", description="more about it, if there is more to say")


class ViolationDocument(_Document):
    """The point of no return: the first doomed step, and the minimal core that says why."""

    step: Step
    constraint: str = Field(description="the member of the core that stands first in the text")
    core: list[str]
    steps: list[Step] = Field(description="the steps in the core")
    foreseeable: bool = Field(description="false: it needs the duration of an action not yet called")


class CheckDocument(_Document):
    """The verdict of a run."""

    verdict: Literal["right", "wrong", "aborted", "unknown"]
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
    step: Step
    attempt: int
    call: CallDocument | None
    state: Literal["completable", "doomed", "broken", "unknown"]
    safe_next: list[str]
    valid_completions: int | None = Field(description="orders of what remains; null: too many to count")
    constraints: dict[str, Status]
    core: list[str]
    action: str | None = Field(default=None, description="the action that the call executed")
    start: int | None = Field(default=None, description="timed: hours")
    end: int | None = None
    core_steps: list[Step] = Field(default_factory=list, description="the steps in the core")
    findings: list[FindingDocument] = Field(default_factory=list)
    safe_hours: dict[str, tuple[int, int]] | None = Field(
        default=None, description="timed: first and last safe start of each action in safe_next"
    )


class ReplayDocument(_Document):
    """Every step of a run, from 0 to ``"end"``."""

    run: str | None
    steps: list[StepDocument]
    ending: Literal["stopped", "timeout", "call_limit", "aborted", "running"]
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
    verdict: Literal["right", "wrong", "aborted", "unknown"]
    error_type: ErrorType | None
    cost: CostDocument


class ManyRunsDocument(_Document):
    """What ``run --times N --json`` prints."""

    session: str
    agent: str
    model: str
    runs: list[ManyRunDocument]
    success: RateDocument


class ParameterDocument(_Document):
    name: str
    default: float
    low: float
    high: float
    about: str


class ProfileDocument(_Document):
    name: str
    about: str
    plants: str | None = Field(description="the error or the cause of failing that it is made to have")
    parameters: list[ParameterDocument]


class ProviderDocument(_Document):
    name: str
    package: str
    installed: bool
    keys: list[str] = Field(description="environment variables, one of which is needed")
    needs: list[str] = Field(description="environment variables that must all be set")
    set: list[str] = Field(description="which of them are; never their values")
    base_url: bool
    ready: bool
    missing: str | None


class ModelsDocument(_Document):
    """What ``models --json`` prints."""

    simulated: list[ProfileDocument]
    providers: list[ProviderDocument]


class TopicDocument(_Document):
    job: str
    activities: list[str]


class TopicsDocument(_Document):
    topics: list[TopicDocument]
    problems: list[str] = Field(default_factory=list, description="--model: what was left out, and why")
    remarks: list[str] = Field(default_factory=list, description="--model: what is there, and odd")


class ThemeDocument(_Document):
    name: str
    dark: bool


class ThemesDocument(_Document):
    themes: list[ThemeDocument]
    problems: list[str]
    folder: str


class GrammarDocument(_Document):
    """Counts of the grammar and its lexicon; lists of actions aside."""

    clause_skeletons: dict[str, int]
    wordings: dict[str, int]


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
    "run": RunDocument | ManyRunsDocument,
    "models": ModelsDocument,
    "export": ExportDocument,
    "topics": TopicsDocument,
    "themes": ThemesDocument,
    "grammar": GrammarDocument,
}


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of one document. Raises KeyError for a name that is none."""
    found = TypeAdapter(DOCUMENTS[name]).json_schema(mode="validation")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"planscope:{name}", **found}
