"""Rules, and traces judged by them, as documents that ``check --rules``, ``rules check`` and ``rules mine`` print."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from planscope.documents.document import Document
from planscope.documents.query import ParseErrorDocument
from planscope.oracle.verdict_types import StepNo
from planscope.rules.rule import Kind

Names = Annotated[list[str], Field(description="sets of calls, as the rule names them")]


class ValuesDocument(Document):
    """The number of values for which a rule was tested, and broken; 1 or 0 if the rule has no values."""

    applicable: int
    broken: int


class RuleResultDocument(Document):
    """The result of one rule on one trace."""

    id: str
    text: str
    kind: Kind
    state: Literal["kept", "broken", "not_applicable", "unknown"]
    applicable: bool = Field(description="whether the trace put the rule to the test")
    broken_at: list[StepNo]
    value: str | None = Field(description="the first value that the rule was broken for")
    values: ValuesDocument


class RulesViolationDocument(Document):
    """The first step after which no continuation keeps every rule, and the core."""

    step: StepNo
    rules: list[str]
    steps: list[int]
    confirmed: bool | None = Field(description="whether Z3 confirms the core; null: not decided")


class MovedDocument(Document):
    step: int
    tool: str
    before: StepNo


class InsertedDocument(Document):
    tool: str
    before: StepNo
    with_: str | None = Field(alias="with", description="the conditions that the call must meet")


class RemovedDocument(Document):
    step: int
    tool: str


class RulesRepairDocument(Document):
    """The cheapest change; each moved, inserted or removed call costs one."""

    moved: list[MovedDocument]
    inserted: list[InsertedDocument]
    removed: list[RemovedDocument]
    exact: bool


class TraceDocument(Document):
    """One judged trace."""

    id: str
    verdict: Literal["right", "wrong", "unknown", "aborted"]
    calls: int
    rules: list[RuleResultDocument]
    first_violation: RulesViolationDocument | None
    repair: RulesRepairDocument | None
    explanation: str
    problem: str | None = Field(default=None, description="what of the trace could not be read")


class RuleSumDocument(Document):
    """The results of one rule over all traces."""

    id: str
    text: str
    applicable: int
    broken: int
    unknown: int


class SummaryDocument(Document):
    traces: int
    broken: int = Field(description="traces that are wrong")
    rules: list[RuleSumDocument]


class RulesCheckedDocument(Document):
    """What ``check TRACE --rules RULES --json`` prints."""

    traces: list[TraceDocument]
    summary: SummaryDocument
    warnings: list[str] = Field(default_factory=list)


class RulesCallDocument(Document):
    tool: str
    arguments: dict[str, Any]


class RulesStepDocument(Document):
    """One step, from 0 (no call yet) to "end"."""

    step: StepNo
    attempt: Literal[1]
    call: RulesCallDocument | None
    state: Literal["completable", "doomed", "broken", "unknown"]
    safe_next: list[str] = Field(description="tools of which some call keeps the trace completable")
    valid_completions: None
    constraints: dict[str, Literal["kept", "kept_so_far", "owed", "broken", "unknown"]]
    core: list[str]


class RulesReplayDocument(Document):
    """What ``replay TRACE --rules RULES --json`` prints."""

    steps: list[RulesStepDocument]
    trace: str


class RuleDocument(Document):
    """One rule of a file."""

    id: str
    line: int
    kind: Kind
    name: str | None
    text: str
    meaning: str
    first: Names
    then: Names
    per: str | None


class ImpliedDocument(Document):
    rule: str
    by: list[str]


class RulesDocument(Document):
    """What ``rules check --json`` prints of a file that can be read."""

    rules: list[RuleDocument]
    errors: list[ParseErrorDocument]
    contradiction: list[str] | None = Field(description="rules that no trace can keep together")
    implied: list[ImpliedDocument]
    uncallable: list[str] = Field(description="tools that no trace that keeps the rules can call")


class MinedRuleDocument(Document):
    """A rule that good traces keep. ``good`` and ``bad``: how many traces keep it, and how many test it."""

    text: str
    kind: Kind
    support: int
    confidence: float
    good: tuple[int, int]
    bad: tuple[int, int]
    p: float | None = Field(
        description="exact test, corrected for the number of candidates; null without bad traces"
    )


class MinedDocument(Document):
    """What ``rules mine --json`` prints."""

    rules: list[MinedRuleDocument]
