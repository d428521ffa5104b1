"""Two runs or queries, compared, as a document: what ``compare`` prints."""

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
from planscope.document import Document
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
    """A line of the syntax tree."""

    label: str
    depth: int
    span: Span
    constraints: list[str]


class ComparedStepDocument(Document):
    """A step of one of the runs."""

    step: StepNo
    attempt: int
    call: CallDocument | None = Field(description="null before any call, and at the end")
    action: str | None = Field(description="the action whose tool was called; null for another tool")
    answer: str | None
    answered: Literal["ok", "error"] | None
    refused_by: str | None = Field(description="guard or user, who blocked the call")
    state: State | None = Field(description="null: not judged")
    start: int | None = Field(description="timed: hours")
    end: int | None
    findings: list[FindingDocument] = Field(description="as in what check --json prints")


class SideDocument(Document):
    """One of the two sides; the rows hold indexes into its lists."""

    session: str
    title: str
    variant: str
    run: str | None = Field(description="null: a query without a run, which has no steps")
    text: str
    timed: bool
    actions: list[ActionDocument]
    constraints: list[ConstraintDocument] | None = Field(description="null: the text cannot be read")
    errors: list[ParseErrorDocument] = Field(description="why the text cannot be read")
    outline: list[OutlineDocument] = Field(description="the syntax tree by lines")
    contradiction: list[str] | None = Field(
        description="a minimal core of a query that cannot be met; null: not known"
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
            else CheckDocument.told(side.verdict, side.explanation, helped=side.help),
        )


class FieldDocument(Document):
    """A property of both sides, for example the model or the number of tokens."""

    name: str
    a: Value
    b: Value
    same: bool


class PartDocument(Document):
    """A part of both texts. All parts together cover both texts."""

    change: Change
    a: Span
    b: Span


class TextDiffDocument(Document):
    """The two texts, compared by words."""

    same: bool
    minimal: bool = Field(description="whether no smaller change of words exists")
    parts: list[PartDocument]


class ActionRowDocument(Document):
    """An action of the compared queries, from one side or from both."""

    change: Change
    a: Id
    b: Id
    differs: list[Differing]


class TreeRowDocument(Document):
    """A line of the compared syntax trees, from one side or from both."""

    change: Change
    a: int | None = Field(description="index into a's outline")
    b: int | None


class TreeDiffDocument(Document):
    """The two syntax trees, compared."""

    same: bool
    minimal: bool
    rows: list[TreeRowDocument]


class ConstraintRowDocument(Document):
    """A constraint of the compared queries, from one side or from both."""

    change: Literal["same", "added", "gone"]
    a: Id
    b: Id
    words_a: str | None
    words_b: str | None
    follows: bool | None = Field(description="whether the other query implies it; null: not known")


class ConstraintDiffDocument(Document):
    """The constraints of the two queries, compared by their meaning."""

    same: bool
    equivalent: bool | None = Field(description="whether both allow the same plans; null: not known")
    rows: list[ConstraintRowDocument]


class ArgumentDocument(Document):
    """An argument that differs between two calls."""

    name: str
    change: Literal["changed", "added", "gone"]
    a: Any
    b: Any


class CallRowDocument(Document):
    """A call of one run or of both."""

    change: CallChange
    a: int | None = Field(description="index into a's steps")
    b: int | None
    partner: int | None = Field(description="moved: the step of the other side that makes this call")
    arguments: list[ArgumentDocument] = Field(description="those that differ")


class CallDiffDocument(Document):
    """The calls of the two runs, aligned."""

    same: bool
    cost: int = Field(description="1 for each changed call, 2 for each call without a partner")
    minimal: bool
    attempts: list[tuple[int | None, int | None]] = Field(description="pairs of attempts that are compared")
    rows: list[CallRowDocument]


class KeptDocument(Document):
    """The steps that both runs share because of a fork."""

    run: str
    steps: int


class DivergenceDocument(Document):
    """The first step at which the runs differ, as indexes into the steps of each side."""

    a: int
    b: int
    reasons: list[Reason]


class UnknownDocument(Document):
    """Something that the comparison could not decide, and why."""

    side: SideName | None
    what: str
    why: str


class ComparisonDocument(Document):
    """Two runs or queries, compared. Rows hold indexes into the sides: of calls into ``steps``, spans into ``text``."""

    a: SideDocument
    b: SideDocument
    fields: list[FieldDocument]
    matched: Matched = Field(description="the rule that matched the actions")
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
