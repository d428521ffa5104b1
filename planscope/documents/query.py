"""Queries as documents: what ``new``, ``parse`` and ``mutate`` print; and a synthesized query as a session."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field

from planscope.documents.document import Document
from planscope.language.problem import Constraint, ConstraintKind, Problem, Source
from planscope.language.prompts import prompt_for

if TYPE_CHECKING:
    from planscope.session.model import Session
    from planscope.synthesis.generate import Synthesized


def _absent(value: object) -> bool:
    return value is None


class ActionDocument(Document):
    id: str
    name: str
    tool: str
    duration: int | None = Field(description="whole hours; null in the base language")


class ConstraintDocument(Document):
    id: str = Field(description="c1, c2, ... by place in the text; b1, b2, ... for the rules")
    kind: ConstraintKind
    before: str | None = Field(
        default=None, exclude_if=_absent, description="order: the action that comes first"
    )
    after: str | None = Field(default=None, exclude_if=_absent)
    action: str | None = Field(default=None, exclude_if=_absent, description="start_at_least, end_at_most")
    hour: int | None = Field(default=None, exclude_if=_absent)
    sentence: int | None = Field(description="counted from 0; null for a rule")
    spans: list[tuple[int, int]] = Field(
        description="subject, relation phrase, object: half-open ranges of code points of the text"
    )
    text: str = Field(description="the constraint in symbols, as in a1 < a2 or a1.start >= 10")
    source: Source = Field(
        default="text", description="who says it: the request, the prompt's instructions, the day"
    )


class QueryDocument(Document):
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

    @classmethod
    def about(
        cls,
        problem: Problem,
        *,
        valid_orders: int | None,
        topic: str | None = None,
        seed: int | None = None,
        **more: Any,
    ) -> Self:
        """The problem as a document; ``more`` are the fields that only some commands print."""
        prompt = prompt_for(problem.text, timed=problem.timed)
        own = {"id": query_id(problem), "seed": seed, "topic": topic or None, "prompt": prompt}
        return cls.of(problem, **own, valid_orders=valid_orders, **more)


class ParseErrorDocument(Document):
    line: int = Field(ge=1)
    column: int = Field(ge=1, description="counted in code points from 1")
    found: str
    expected: list[str]
    message: str


class ErrorsDocument(Document):
    """What ``parse --json`` prints for a text that cannot be read (exit status 1)."""

    errors: list[ParseErrorDocument]


class MutantDocument(QueryDocument):
    """A request that means the same as another: ``proved`` by Z3, or it would not be here."""

    kind: Literal["Repeat", "TerminalSubstitute", "TopicChange", "QuerySynthesize"]
    number: int = Field(ge=1, description="counted within the kind")
    proved: Literal[True]
    variant: str | None = Field(description="its id in the session; null where none is written")


class MissingMutantsDocument(Document):
    kind: str
    reason: str


class MutateDocument(Document):
    """What ``mutate --json`` prints."""

    session: str | None = Field(description="the file that was written, if one was")
    variant: str = Field(description="the request that was mutated")
    seed: int
    mutants: list[MutantDocument]
    missing: list[MissingMutantsDocument] = Field(description="kinds with fewer mutants than were asked for")


def constraint_document(c: Constraint) -> dict[str, Any]:
    """A constraint as sessions keep it and documents print it; a rule has no sentence and no spans."""
    return ConstraintDocument.of(c).model_dump(mode="json", exclude_unset=True)


def query_id(problem: Problem) -> str:
    """The same for the same text and actions, everywhere."""
    names = "\n".join(f"{a.name} {a.duration}" for a in problem.actions)
    digest = hashlib.sha256(f"{problem.text}\n\n{names}".encode("utf-8", "surrogatepass"))
    return f"q{digest.hexdigest()[:12]}"


def title_of(made: Synthesized) -> str:
    """What it is called unless something else is said: ``school: 5 timed actions, seed 7``."""
    kind = "timed actions" if made.problem.timed else "actions"
    return f"{made.topic or 'query'}: {len(made.problem.actions)} {kind}, seed {made.seed}"


def session_of(made: Synthesized) -> Session:
    """A session with the request as its one variant, and no run."""
    from planscope.documents.query import constraint_document, query_id
    from planscope.language.tree_json import dump
    from planscope.session.model import Origin, Session, make_variant

    variant = make_variant(
        made.problem,
        Origin(kind="synthesized"),
        topic=made.topic or None,
        seed=made.seed,
        tree=dump(made.tree),
        constraints=[constraint_document(c) for c in made.problem.constraints],
    )
    return Session(id=query_id(made.problem), title=title_of(made), variants=[variant])
