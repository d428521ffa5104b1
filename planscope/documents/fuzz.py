"""What ``fuzz --json`` prints."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from planscope.documents.document import Document

Kind = Literal[
    "raised", "returned", "hung", "killed", "outside", "sequence", "lying", "protocol", "inconsistent", "infrastructure"
]  # fmt: skip


class FindingDocument(Document):
    """One error. Calls that show the same error are one finding."""

    tool: str
    kind: Kind
    exception: str | None = Field(description="the full class name; null where nothing was raised")
    message: str
    location: str | None = Field(description="file:line of the deepest frame in the tool's own package")
    input: Any = Field(description="the whole argument object as it was sent; for sequences a list of calls")
    shrunk: Any = Field(description="a smaller one, confirmed in a fresh child, or null")
    at_call: int = Field(description="the first call that showed it, from 1")
    occurrences: int
    shrink_calls: int
    needs: list[Any] | None = Field(description="calls that must come before, or null")
    documented: bool = Field(description="schema or documentation state the limit")
    traceback: str
    source: str = Field(description="the line that raised")
    printed: str = Field(description="what the tool printed")
    knows: Any = Field(
        default=None, description="what sequences showed of the tools, by which answers were judged, or null"
    )


class StatisticsDocument(Document):
    """Figures. Findings of the kinds returned and infrastructure do not count."""

    unique_errors: int
    calls_per_unique_error: float | None
    chao1: float = Field(description="bias-corrected estimate of all errors; an estimate under guidance")
    chao1_ci: list[float]


class FuzzedToolDocument(Document):
    """One tool of the target."""

    tool: str
    calls: int
    refused: int = Field(description="calls that the schema refused")
    skipped: str | None = Field(description="why the tool was not fuzzed")
    statistics: StatisticsDocument
    curve: list[list[int]] = Field(description="call and number of unique errors, at each new one")


class SequencesDocument(Document):
    """The sequences of calls to all tools together. A finding of theirs has a list of calls as its input."""

    sequences: int
    calls: int


class FuzzDocument(Document):
    """What ``fuzz --json`` prints."""

    target: str
    seed: int
    calls: int
    seconds: float
    findings: list[FindingDocument]
    statistics: StatisticsDocument
    tools: list[FuzzedToolDocument]
    sequences: SequencesDocument | None = Field(
        default=None, description="null: only one tool, or none asked for"
    )
    sandbox: dict[str, str] = Field(description="what enforces each limit on this platform")
    interrupted: bool
