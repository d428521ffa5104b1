"""Two runs or requests, compared, as a document: what ``compare`` prints."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field

from planscope.compare.result import (
    CallChange,
    Change,
    Comparison,
    Differing,
    Matched,
    Reason,
    Side,
    SideName,
    Value,
)
from planscope.documents.document import Document
from planscope.documents.judgement import CallDocument, CheckDocument, FindingDocument
from planscope.documents.query import (
    ActionDocument,
    ConstraintDocument,
    ParseErrorDocument,
    constraint_document,
)
from planscope.language.problem import Span
from planscope.oracle.verdict_types import State, StepNo

Id = Annotated[str | None, BeforeValidator(lambda found: getattr(found, "id", found))]


class OutlineDocument(Document):
    label: str
    depth: int
    span: Span
    constraints: list[str]


class ComparedStepDocument(Document):
    step: StepNo
    attempt: int
    call: CallDocument | None = Field(description="null before any call, and at the end")
    action: str | None = Field(description="the action whose tool was called; null for any other tool")
    answer: str | None
    answered: Literal["ok", "error"] | None
    refused_by: str | None = Field(description="who kept the call from its tool")
    state: State | None = Field(description="null: not judged")
    start: int | None = Field(description="timed: hours")
    end: int | None
    findings: list[FindingDocument] = Field(description="as in what check --json prints")


class SideDocument(Document):
    """One of the two, with what the rows point into."""

    session: str
    title: str
    variant: str
    run: str | None = Field(description="null where a request is compared without a run; steps are then none")
    text: str
    timed: bool
    actions: list[ActionDocument]
    constraints: list[ConstraintDocument] | None = Field(description="null: the text cannot be read")
    errors: list[ParseErrorDocument] = Field(description="why the text cannot be read")
    outline: list[OutlineDocument] = Field(description="the syntax tree by lines")
    contradiction: list[str] | None = Field(
        description="the core of a request that cannot be met; null: not known"
    )
    steps: list[ComparedStepDocument]
    ending: str | None
    check: CheckDocument | None = Field(
        description="the verdict, as check --json prints it; null: not judged"
    )

    @classmethod
    def about(cls, side: Side) -> Self:
        problem = side.problem
        return cls.of(
            side,
            constraints=None if problem is None else [constraint_document(c) for c in problem.constraints],
            check=None
            if side.verdict is None
            else CheckDocument.of(side.verdict, explanation=side.explanation, helped=side.help),
        )


class FieldDocument(Document):
    name: str
    a: Value
    b: Value
    same: bool


class PartDocument(Document):
    """A stretch of both texts; together the parts cover both."""

    change: Change
    a: Span
    b: Span


class TextDiffDocument(Document):
    same: bool
    minimal: bool = Field(description="no fewer words could have been changed")
    parts: list[PartDocument]


class ActionRowDocument(Document):
    change: Change
    a: Id
    b: Id
    differs: list[Differing]


class TreeRowDocument(Document):
    change: Change
    a: int | None = Field(description="index into a's outline")
    b: int | None


class TreeDiffDocument(Document):
    same: bool
    minimal: bool
    rows: list[TreeRowDocument]


class ConstraintRowDocument(Document):
    change: Literal["same", "added", "gone"]
    a: Id
    b: Id
    words_a: str | None
    words_b: str | None
    follows: bool | None = Field(description="it follows from what the other request says; null: not known")


class ConstraintDiffDocument(Document):
    same: bool
    equivalent: bool | None = Field(description="the same plans are right under both; null: not known")
    rows: list[ConstraintRowDocument]


class ArgumentDocument(Document):
    name: str
    change: Literal["changed", "added", "gone"]
    a: Any
    b: Any


class CallRowDocument(Document):
    change: CallChange
    a: int | None = Field(description="index into a's steps")
    b: int | None
    partner: int | None = Field(description="moved: the step of the other side where it is done instead")
    arguments: list[ArgumentDocument] = Field(description="those that differ")


class CallDiffDocument(Document):
    same: bool
    cost: int = Field(description="1 a changed call, 2 one without a partner")
    minimal: bool
    attempts: list[tuple[int | None, int | None]] = Field(description="which attempts are beside each other")
    rows: list[CallRowDocument]


class KeptDocument(Document):
    """What both have from one run, because they were forked."""

    run: str
    steps: int


class DivergenceDocument(Document):
    """The first step at which the runs differ; indexes into the sides' steps."""

    a: int
    b: int
    reasons: list[Reason]


class UnknownDocument(Document):
    side: SideName | None
    what: str
    why: str


class ComparisonDocument(Document):
    """Two runs or requests, compared. Rows point into the two sides: calls into ``steps``, spans into ``text``."""

    a: SideDocument
    b: SideDocument
    fields: list[FieldDocument]
    matched: Matched = Field(description="how actions were matched")
    text: TextDiffDocument
    actions: list[ActionRowDocument]
    tree: TreeDiffDocument | None = Field(description="null: a text cannot be read")
    constraints: ConstraintDiffDocument | None
    calls: CallDiffDocument | None = Field(description="null: there are no two runs")
    kept: KeptDocument | None
    divergence: DivergenceDocument | None = Field(
        description="null: the runs do not differ, or there are none"
    )
    unknown: list[UnknownDocument]

    @classmethod
    def about(cls, found: Comparison) -> Self:
        return cls.of(found, a=SideDocument.about(found.a), b=SideDocument.about(found.b))
