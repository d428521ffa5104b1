"""The schemas of what ``planscope sessions --json`` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from planscope.documents.parts import Document
from planscope.oracle.verdict_types import VerdictKind
from planscope.session.library_entry import Place


class EntryDocument(Document):
    """A session of a list. Agent, model, verdict and error type are those of the last run."""

    name: str
    open: str = Field(
        description="what to give planscope open: the name, or the path where the name is taken"
    )
    place: Place
    path: str
    title: str
    topic: str | None
    agent: str | None
    model: str | None
    runs: int
    variants: int
    verdict: VerdictKind | None = Field(description="null: there is no run, or nobody has judged it yet")
    error_type: str | None
    created: str | None = Field(description="times are ISO 8601, UTC")
    changed: str
    deleted: str | None
    size: int = Field(description="bytes of the file")
    wrong: str | None = Field(description="why it cannot be opened")


class RecoveryDocument(Document):
    """Work that could not be written to its file."""

    path: str = Field(description="the session that it belongs to")
    saved: str
    why: str
    file: str


class WriterDocument(Document):
    """Who writes to a session just now."""

    pid: int
    host: str
    since: str


class RunLine(Document):
    id: str
    variant: str
    agent: str
    model: str
    seed: int | None
    started: str | None
    calls: int
    verdict: VerdictKind | None
    error_type: str | None


class VariantLine(Document):
    id: str
    parent: str | None
    origin: str
    text: str
    actions: int


class SessionDocument(EntryDocument):
    """What ``sessions show`` prints."""

    id: str
    notes: str
    variant_list: list[VariantLine]
    run_list: list[RunLine]
    dissections: int
    breakpoints: list[str]
    watches: list[str]
    writer: WriterDocument | None
    recovery: RecoveryDocument | None


class SessionsDocument(Document):
    """What ``sessions list`` and ``sessions trash`` print."""

    folder: str
    sessions: list[EntryDocument]
    recoveries: list[RecoveryDocument] = Field(default_factory=list)


class ChangedDocument(Document):
    """What the others print: which sessions were changed, and where they are now."""

    action: Literal["rename", "copy", "delete", "restore", "empty", "recover"]
    sessions: list[dict[str, str]] = Field(description="name and path of each, as they are now")
    removed: int = 0
