"""Queries as documents: what ``new``, ``parse`` and ``mutate`` print; and a synthesized query as a session."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field

from planscope.document import Document
from planscope.language.problem import ConstraintKind, Problem, Source
from planscope.language.prompts import prompt_for
from planscope.safe import visible
from planscope.session.model import Mutation, Origin, Session, make_variant

if TYPE_CHECKING:
    from planscope.language.reading import Reading
    from planscope.synthesis.generate import Synthesized


def _absent(value: object) -> bool:
    return value is None


class ActionDocument(Document):
    """A task that the query names, with its tool."""

    id: str
    name: str
    tool: str
    duration: int | None = Field(description="whole hours; null in the base language")


class ConstraintDocument(Document):
    """One constraint, and where the text says it."""

    id: str = Field(description="c1, c2, ... by position in the text; b1, b2, ... for the rules")
    kind: ConstraintKind
    before: str | None = Field(default=None, exclude_if=_absent, description="order: the earlier action")
    after: str | None = Field(default=None, exclude_if=_absent)
    action: str | None = Field(default=None, exclude_if=_absent, description="start_at_least, end_at_most")
    hour: int | None = Field(default=None, exclude_if=_absent)
    sentence: int | None = Field(description="counted from 0; null for a rule")
    spans: list[tuple[int, int]] = Field(
        description="subject, relation phrase, object: half-open ranges of code points of the text"
    )
    text: str = Field(description="the constraint in symbols, for example a1 < a2 or a1.start >= 10")
    source: Source = Field(
        default="text",
        description="the source: the query's text, the prompt's instructions, or the hours of a day",
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
    valid_orders: int | None = Field(description="null: not counted, since there are more than 20 actions")
    certified: bool | None = Field(
        default=None, description="new: whether Z3 confirmed that the query can be met"
    )
    redundant: list[str] | None = Field(
        default=None, description="new: ids of the constraints that the others imply, each by itself"
    )
    contradiction: list[str] | None = Field(
        default=None, description="parse: ids of a minimal core; empty if the query can be met"
    )
    left_out: list[str] | None = Field(
        default=None,
        description="parse, new --text, edit: parts of the text that name no action and ask nothing; they are not read",
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
        """Return the problem as a document; ``more`` holds the fields that only some commands print."""
        prompt = prompt_for(problem.text, timed=problem.timed)
        own = {"id": query_id(problem), "seed": seed, "topic": topic or None, "prompt": prompt}
        return cls.of(problem, **own, valid_orders=valid_orders, **more)


class EditDocument(QueryDocument):
    """What ``edit --json`` prints: the new query, and its place in the session."""

    session: str = Field(description="the file that was written")
    variant: str = Field(description="the id of the new query")
    parent: str


class ParseErrorDocument(Document):
    """Where and why a text cannot be read."""

    line: int = Field(ge=1)
    column: int = Field(ge=1, description="counted in code points from 1")
    found: str
    expected: list[str]
    message: str
    readings: list[str] = Field(description="of an ambiguous sentence: its two meanings, each as text")
    suggestions: list[str] = Field(description="sentences about these actions that can be read")


class ErrorsDocument(Document):
    """What ``parse --json`` prints for a text that cannot be read (exit status 1)."""

    errors: list[ParseErrorDocument]


class MutantDocument(QueryDocument):
    """A query with the same meaning as another one, as Z3 proved."""

    kind: Mutation
    number: int = Field(ge=1, description="counted within the kind")
    proved: Literal[True]
    variant: str | None = Field(description="its id in the session; null if none is written")


class MissingMutantsDocument(Document):
    """A kind of mutation with fewer mutants than asked for."""

    kind: str
    reason: str


class MutateDocument(Document):
    """What ``mutate --json`` prints."""

    session: str | None = Field(description="the file that was written; null: none")
    variant: str = Field(description="the query that was mutated")
    seed: int
    mutants: list[MutantDocument]
    missing: list[MissingMutantsDocument] = Field(description="kinds with fewer mutants than asked for")


def constraint_documents(problem: Problem) -> list[dict[str, Any]]:
    """Return constraints as JSON, for sessions and documents. A rule has no sentence and no spans."""
    made = map(ConstraintDocument.of, problem.constraints)
    return [one.model_dump(mode="json", exclude_unset=True) for one in made]


def query_id(problem: Problem) -> str:
    """Return an id that depends only on the text and the actions."""
    names = "\n".join(f"{a.name} {a.duration}" for a in problem.actions)
    digest = hashlib.sha256(f"{problem.text}\n\n{names}".encode("utf-8", "surrogatepass"))
    return f"q{digest.hexdigest()[:12]}"


MAX_TITLE = 60


def title_of(text: str) -> str:
    """Return the first words of a query as a session's title."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= MAX_TITLE else line[: MAX_TITLE - 3].rstrip() + "..."


def session_of(made: Reading | Synthesized) -> Session:
    """Return a new session with a query as its only variant, and no run."""
    from planscope.language.tree_json import dump

    problem, title = made.problem, getattr(made, "title", None)
    variant = make_variant(
        problem,
        Origin(kind="synthesized" if title else "written"),
        topic=getattr(made, "topic", None) or None,
        seed=getattr(made, "seed", None),
        tree=dump(made.tree),
        constraints=constraint_documents(problem),
    )
    return Session(id=query_id(problem), title=title or title_of(problem.text), variants=[variant])
