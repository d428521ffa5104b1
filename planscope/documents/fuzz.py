"""What ``fuzz --json`` prints."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field

from planscope.documents.document import Document
from planscope.session.model import FuzzCall, FuzzFinding, FuzzFix
from planscope.toolfuzz.report import Report


class FalseDiscoveryDocument(Document):
    """How many findings the user has labelled as no error. If some were drawn to be labelled, these alone count."""

    labelled: int
    false: int
    rate: float
    ci: list[float] = Field(description="Wilson's 95 % interval of the rate")


class StatisticsDocument(Document):
    """Figures. Findings of the kinds returned and infrastructure do not count."""

    unique_errors: int
    calls_per_unique_error: float | None
    chao1: float = Field(description="bias-corrected estimate of all errors; an estimate under guidance")
    chao1_ci: list[float] | None = Field(
        description="95 % interval of it; null if at most one error was seen only once, which tells of no interval"
    )
    upper: float | None = Field(
        description="upper end of the interval; without one a 95 % upper bound of the errors that at least one call in "
        "as many as were made shows; null without calls"
    )
    false_discovery: FalseDiscoveryDocument | None = Field(
        default=None,
        description="of all tools together, from labels that the session has; null without labels",
    )


class FuzzedToolDocument(Document):
    """One tool of the target."""

    tool: str
    calls: int
    agent_calls: int = Field(default=0, description="calls of the agent with prompts of a model")
    refused: int = Field(description="calls that the schema refused")
    skipped: str | None = Field(description="why the tool was not fuzzed")
    stopped: str = Field(default="", description="why the search ended: budget, hung or complete")
    statistics: StatisticsDocument
    curve: list[list[int]] = Field(description="call and number of unique errors, at each new one")


class SequencesDocument(Document):
    """The sequences of calls to all tools together. A finding of theirs has a list of calls as its input."""

    sequences: int
    calls: int


class SetBucketDocument(Document):
    """Prompts of a set, by their numbers from 1, that led to the same."""

    prompts: list[int]
    calls: list[Any] = Field(
        default=[], description="of inputs: the arguments of the calls, in order; [] is no call"
    )
    outputs: list[str | None] = Field(default=[], description="of outputs: what the tool gave back, in order")


class SetValueDocument(Document):
    """A value, and the numbers of its prompts."""

    value: Any
    prompts: list[int]


class SetDifferenceDocument(Document):
    """An argument that differs within a set; null is the number of calls."""

    argument: str | None
    words: list[str] = Field(
        description="the placeholders whose fillings decide it, as far as the prompts show"
    )
    values: list[SetValueDocument]


class SetRunDocument(Document):
    """What the agent did with one prompt of a set."""

    filled: str = Field(description="the prompt as the template gives it, before it was made natural")
    words: dict[str, str] = Field(description="the filling of each placeholder")
    calls: list[FuzzCall] = Field(description="also of other tools")
    answer: str | None
    reason: str = Field(description="the judge's")
    error: str | None = Field(description="why the agent did not get to an end: such a prompt is no data")
    run: str | None = Field(description="the recorded run in the session, or null")


class SetDocument(Document):
    """Prompts that mean the same. Faulty only if inputs differ, outputs differ and the oracle fails."""

    tool: str
    template: str
    prompts: list[str] = Field(description="as they were sent")
    inputs_agree: bool | None = Field(description="null: no data")
    outputs_agree: bool | None = Field(description="null: no data, such as no output at all")
    oracle: Literal["passes", "fails", "unjudged", "no data"]
    scores: list[int | None] = Field(description="one for each prompt, 0 to 10; null: unjudged, or no data")
    faulty: bool
    agrees_wrongly: bool = Field(
        default=False, description="all prompts led to the same, and to wrong answers"
    )
    fillings: dict[str, list[str]]
    expectation: str | None
    inputs: list[SetBucketDocument]
    outputs: list[SetBucketDocument]
    output_words: list[str] = Field(description="the placeholders whose fillings decide the outputs")
    differences: list[SetDifferenceDocument]
    runs: list[SetRunDocument]


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
    statistics: StatisticsDocument
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
                statistics=report.figures(tool),
            )
            for tool in report.tools
        ]
        return cls.of(
            report,
            findings=[FuzzFinding(**dict(one)) for one in report.sorted()],  # all fields are printed
            statistics=report.figures(),
            tools=tools,
            baseline=[
                BaselineDocument.of(one.run, tool=one.tool, aim=one.aim, correct=one.correct)
                for one in report.tried
            ],
            fixes=[one.as_fix() for one in report.mended],
        )
