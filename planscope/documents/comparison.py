"""Two runs or queries, compared, as a document: what ``compare`` prints."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field

from planscope.compare.result import (
    CallRow,
    Change,
    Comparison,
    Differing,
    Divergence,
    Kept,
    Matched,
    Side,
    TextPart,
    TreeRow,
    Unknown,
    Value,
)
from planscope.document import Document
from planscope.documents.judgement import CallDocument, CheckDocument
from planscope.documents.query import (
    ActionDocument,
    ConstraintDocument,
    ParseErrorDocument,
    constraint_documents,
)
from planscope.language.problem import Span
from planscope.oracle.verdict_types import Finding, State, StepNo

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
    findings: list[Finding] = Field(description="as in what check --json prints")


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
            constraints=None if problem is None else constraint_documents(problem),
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


class TextDiffDocument(Document):
    """The two texts, compared by words."""

    same: bool
    minimal: bool = Field(description="whether no smaller change of words exists")
    parts: list[TextPart]


class ActionRowDocument(Document):
    """An action of the compared queries, from one side or from both."""

    change: Change
    a: Id
    b: Id
    differs: list[Differing]


class TreeDiffDocument(Document):
    """The two syntax trees, compared."""

    same: bool
    minimal: bool
    rows: list[TreeRow]


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


class CallDiffDocument(Document):
    """The calls of the two runs, aligned."""

    same: bool
    cost: int = Field(description="1 for each changed call, 2 for each call without a partner")
    minimal: bool
    attempts: list[tuple[int | None, int | None]] = Field(description="pairs of attempts that are compared")
    rows: list[CallRow]


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
    kept: Kept | None
    divergence: Divergence | None = Field(description="null: the runs do not differ, or there are none")
    unknown: list[Unknown]

    @classmethod
    def about(cls, found: Comparison) -> Self:
        return cls.of(found, a=SideDocument.about(found.a), b=SideDocument.about(found.b))
