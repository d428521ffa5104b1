"""A session: a tree of variants with runs. One idea for synthesis, edits, mutations and forks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from planscope.session.events import Event

FORMAT_VERSION = 1


class _Part(BaseModel):
    """Fields of later versions are kept. A number without end stays one, and is never written as null."""

    model_config = ConfigDict(extra="allow", ser_json_inf_nan="constants")


class ActionRecord(_Part):
    """An action and its tool; ``duration`` in hours (timed).

    ``description`` and ``parameters`` (a JSON schema) are what a real tool says of itself.
    """

    id: str
    name: str
    tool: str
    duration: int | None = Field(default=None, ge=1, le=24)
    description: str | None = None
    parameters: dict[str, Any] | None = None


class Query(_Part):
    """The request. The text rules: tree and constraints are kept for readers and derived anew on opening."""

    text: str
    timed: bool = False
    topic: str | None = None
    seed: int | None = None
    tree: dict[str, Any] | None = None


class Limits(_Part):
    """What ends a run: seconds and model calls (paper, section 5)."""

    seconds: float = Field(default=180.0, gt=0, allow_inf_nan=False)
    model_calls: int = Field(default=50, ge=1)


class Origin(_Part):
    """Where a variant came from. ``mutation`` and ``number`` for mutated ones."""

    kind: Literal["synthesized", "written", "edited", "mutated", "imported"]
    mutation: str | None = None
    number: int | None = None


class Variant(_Part):
    """One query with its tools. ``constraints`` are a copy of what the text says, never trusted.

    ``own``: the tools are an agent's own. Those that the text names are to be done once each; the others are free.
    """

    id: str
    parent: str | None = None
    origin: Origin
    query: Query
    actions: list[ActionRecord]
    constraints: list[dict[str, Any]] = Field(default_factory=list)
    limits: Limits = Field(default_factory=Limits)
    own: Literal[True] | None = None


class ForkPoint(_Part):
    run: str
    step: int


class Run(_Part):
    """One run of an agent. ``model`` names provider and model, or a simulated profile; never a secret.

    ``recording``: the name of the journal that it was recorded in, so that it is taken in once.
    """

    id: str
    variant: str
    forked_from: ForkPoint | None = None
    agent: str
    model: str
    seed: int | None = None
    started: datetime | None = None
    events: list[Event] = Field(default_factory=list)
    recording: str | None = None


CellKind = Literal["Original", "Repeat", "TerminalSubstitute", "TopicChange", "QuerySynthesize", "Control"]
"""The arms of a dissection: the request as it is, the paper's four mutations (4.5), and fresh requests."""


class Cell(_Part):
    """One mutant of a dissection with the runs that were spent on it, by their ids.

    ``Original`` and ``Repeat`` are the dissected variant itself. ``number`` counts from 1 within a kind.
    """

    kind: CellKind
    number: int = Field(ge=1)
    variant: str
    runs: list[str] = Field(default_factory=list)


class Dissection(_Part):
    """What was tried to find the cause of a failure. The cause itself is never kept: it follows from the runs.

    ``run`` is the failing run that it began with, if any; ``budget`` the most runs that it may spend; ``stopped``
    says why it ended before it was decided, if it did (``budget``, ``user``, or one line of trouble). ``closed``:
    kinds of which no more mutants can be made, and why.
    """

    id: str
    variant: str
    run: str | None = None
    method: Literal["rates", "paper"] = "rates"
    agent: str
    model: str
    seed: int | None = None
    budget: int = Field(default=60, ge=1)
    started: datetime | None = None
    stopped: str | None = None
    closed: dict[CellKind, str] = Field(default_factory=dict)
    cells: list[Cell] = Field(default_factory=list)


class Session(_Part):
    """What one file holds."""

    format: Literal["planscope-session"] = "planscope-session"
    version: int = FORMAT_VERSION
    id: str
    title: str
    notes: str = ""
    created: datetime = Field(default_factory=lambda: datetime.now(UTC))
    variants: list[Variant] = Field(default_factory=list)
    runs: list[Run] = Field(default_factory=list)
    dissections: list[Dissection] = Field(default_factory=list)
    breakpoints: list[str] = Field(default_factory=list)
    watches: list[str] = Field(default_factory=list)
    cursor: dict[str, Any] = Field(default_factory=dict)
