"""The schema of what ``planscope reasons --json`` prints."""

from __future__ import annotations

from pydantic import Field

from planscope.documents.parts import Document
from planscope.oracle.reason_types import SearchEnd
from planscope.oracle.verdict_types import State, StepNo


class CoreDocument(Document):
    constraints: list[str]
    steps: list[StepNo]
    foreseeable: bool = Field(
        description="false: other durations of actions not called yet would still save the plan"
    )
    explanation: str


class CorrectionDocument(Document):
    constraints: list[str]
    steps: list[StepNo] = Field(description="steps that would not have to be made as they were")
    explanation: str


class ReasonsDocument(Document):
    """Every minimal core at a step, and every minimal set to give up so that the rest can be met."""

    run: str | None
    step: StepNo
    state: State
    cores: list[CoreDocument] = Field(description="the one that check shows first, then by size")
    corrections: list[CorrectionDocument] = Field(description="by size")
    complete: bool = Field(description="these are all that there are")
    ended: SearchEnd = Field(
        description="all: nothing is left; most: as many as were wanted; unknown: a question was too hard"
    )
    certified: bool | None = Field(description="did Z3 confirm each of them? null: not asked, or it gave up")
