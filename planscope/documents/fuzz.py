"""What ``fuzz --json`` prints."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field

from planscope.document import Document
from planscope.session.model import FuzzCall, FuzzFinding, FuzzFix, FuzzPrompt
from planscope.toolfuzz.correctness.checks import Bucket, Difference, Oracle
from planscope.toolfuzz.report import Figures, Report


class FuzzedToolDocument(Document):
    """One tool of the target."""

    tool: str
    calls: int
    agent_calls: int = Field(default=0, description="calls of the agent with prompts of a model")
    refused: int = Field(description="calls that the schema refused")
    succeeded: int = Field(default=0, description="calls that answered, and not with an error")
    branches: int | None = Field(
        default=None,
        description="steps from line to line of the tool's code that calls reached; null for a server",
    )
    entered: bool = Field(default=False, description="whether a call succeeded, alone or in a sequence")
    refusal: str | None = Field(
        default=None,
        description="the commonest error of its calls, or that the schema refused more of them; null if there was none",
    )
    skipped: str | None = Field(description="why the tool was not fuzzed")
    stopped: str = Field(default="", description="why the search ended: budget, hung, complete, unusable")
    statistics: Figures
    curve: list[list[int]] = Field(description="call and number of unique errors, at each new one")


class SequencesDocument(Document):
    """The sequences of calls to all tools together. A finding of theirs has a list of calls as its input."""

    sequences: int
    calls: int


class SetDocument(Document):
    """Prompts that mean the same. Faulty only if inputs differ, outputs differ and the oracle fails."""

    tool: str
    template: str
    prompts: list[str] = Field(description="as they were sent")
    inputs_agree: bool | None = Field(description="null: no data")
    outputs_agree: bool | None = Field(description="null: no data, such as no output at all")
    oracle: Oracle
    scores: list[int | None] = Field(description="one for each prompt, 0 to 10; null: unjudged, or no data")
    faulty: bool
    agrees_wrongly: bool = Field(
        default=False, description="all prompts led to the same, and to wrong answers"
    )
    fillings: dict[str, list[str]]
    expectation: str | None
    inputs: list[Bucket]
    outputs: list[Bucket]
    output_words: list[str] = Field(description="the placeholders whose fillings decide the outputs")
    differences: list[Difference]
    runs: list[FuzzPrompt]


class MatrixRowDocument(Document):
    """Which tools the prompts made for one tool led to, in prompts."""

    tool: str
    prompts: int
    none: int = Field(description="prompts that led to no call")
    called: dict[str, int]


class BaselineDocument(Document):
    """A prompt of one of the paper's baselines, and what the agent did with it."""

    tool: str
    aim: Literal["runtime", "correctness"]
    prompt: str
    calls: list[FuzzCall]
    answer: str | None
    correct: bool | None = Field(description="what the judge says; null: unjudged, or the aim is runtime")
    reason: str
    error: str | None


class ModelsUsedDocument(Document):
    """The models, and what they cost."""

    model: str
    agent: str
    prompt_model: str
    temperature: float | None
    model_calls: int
    tokens_in: int
    tokens_out: int
    tokens_estimated: int = Field(
        description="tokens that no server counted, four characters each; also in the others"
    )
    money: float | None = Field(description="null without --price")


class FuzzDocument(Document):
    """What ``fuzz --json`` prints."""

    target: str
    seed: int
    calls: int
    seconds: float
    findings: list[FuzzFinding]
    statistics: Figures
    tools: list[FuzzedToolDocument]
    sequences: SequencesDocument | None = Field(
        default=None, description="null: only one tool, or none asked for"
    )
    sandbox: dict[str, str] = Field(description="what enforces each limit on this platform")
    sets: list[SetDocument] = Field(default=[], description="prompts that mean the same, of all tools")
    matrix: list[MatrixRowDocument] = Field(default=[])
    method: Literal["toolfuzz", "graybox", "whitebox"] = "toolfuzz"
    baseline: list[BaselineDocument] = Field(default=[], description="prompts of graybox and whitebox")
    interrupted: bool
    remarks: list[str] = Field(default=[], description="what did not work, and what was left out")
    model: ModelsUsedDocument | None = Field(default=None, description="null without a model")
    fixes: list[FuzzFix] = Field(default=[], description="what --fix came to, for each tool with findings")

    @classmethod
    def of_report(cls, report: Report) -> Self:
        """Return what a run of the fuzzer found."""
        tools = [
            FuzzedToolDocument.of(
                tool,
                tool=tool.name,
                agent_calls=report.agent_calls(tool.name),
                refusal=report.refusal(tool),
                statistics=report.figures(tool),
            )
            for tool in report.tools
        ]
        return cls.of(
            report,
            findings=[FuzzFinding(**dict(one)) for one in report.sorted()],  # all fields are printed
            statistics=report.figures(),
            remarks=[*report.remarks, *report.helps()],
            tools=tools,
            baseline=[
                BaselineDocument.of(one.run, tool=one.tool, aim=one.aim, correct=one.correct)
                for one in report.tried
            ],
        )
