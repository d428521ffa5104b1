"""Campaigns as documents: what ``campaign`` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field

from planscope.documents.document import Document

if TYPE_CHECKING:
    from planscope.campaign.engine import Progress

Rate = Annotated[float | None, Field(description="of the judged runs without help; null: there are none")]
Interval = Annotated[tuple[float, float] | None, Field(description="95 % interval")]
Causes = Annotated[
    dict[str, int],
    Field(
        description="of dissected errors with n below the limit; undecided and none beside the five causes"
    ),
]
ErrorTypes = Annotated[
    dict[str, int], Field(description="the number of wrong runs by primary type, with n below the limit")
]


class CampaignCellDocument(Document):
    """The runs of one agent and model with one number of actions."""

    arm: str
    agent: str
    model: str
    timed: bool
    actions: int
    runs: int
    right: int
    wrong: int
    rate: Rate
    ci: Interval
    aborted: int
    unknown: int
    helped: int = Field(description="judged runs that were helped; counted in no rate")


class CampaignArmDocument(Document):
    """An arm as a whole."""

    timed: bool
    generated: int = Field(description="all runs, and so all cases that it was given")
    errors: int = Field(description="wrong runs of all n")
    z3_checks: int
    z3_ms: float
    synthesis_ms: float = Field(description="as if the arm had made its cases alone; without Z3")
    agent_s: float
    input_tokens: int
    output_tokens: int
    money: float | None = Field(description="null: no price was given")
    dissected: int
    error_types: ErrorTypes
    causes: Causes


class CampaignTopicDocument(Document):
    """A topic. ``caused``: dissected errors whose cause is Topic; ``rate``: the share of wrong runs."""

    topic: str
    caused: int
    runs: int
    wrong: int
    rate: float | None
    ci: Interval


class CampaignReportDocument(Document):
    """What ``campaign report --json`` prints for one campaign."""

    name: str
    timed: bool
    seed: int
    cases: int
    runs: int
    cells: list[CampaignCellDocument]
    error_types: ErrorTypes
    causes: Causes
    dissected: int
    topics: list[CampaignTopicDocument]
    arms: dict[str, CampaignArmDocument]
    limit: dict[str, int | None] = Field(
        description="the first number of actions whose rate is under 20 %; null: none yet"
    )
    synthesis_ms: float
    z3_ms: float
    z3_checks: int
    agent_s: float


class CampaignReportsDocument(Document):
    """What ``campaign report --json`` prints for several campaigns."""

    campaigns: list[CampaignReportDocument]


class ComparedArmsDocument(Document):
    """What ``campaign compare --json`` prints."""

    a: str
    b: str
    pairs: int = Field(description="cases that both ran, and that are judged in both")
    left_out: int = Field(description="common cases with an aborted, undecided or helped run")
    both: int
    only_a: int
    only_b: int
    neither: int
    difference: float | None = Field(description="the rate of b less that of a")
    ci: Interval
    p: float | None
    method: str
    needed: int | None = Field(
        description="pairs that find this difference, or that of --detect, with 80 % power"
    )


class CampaignArmStateDocument(Document):
    """How far an arm is. ``stopped``: why it began no more runs, if not because all is done."""

    arm: str
    actions: int | None
    right: int
    counted: int
    stopped: str | None


class CampaignRunDocument(Document):
    """What ``campaign run --json`` and ``resume --json`` print at the end."""

    name: str
    path: str
    runs: int
    seconds: float
    money: float
    complete: bool
    arms: list[CampaignArmStateDocument]

    @classmethod
    def about(cls, name: str, path: str, found: Progress, complete: bool) -> Self:
        return cls.of(
            found,
            name=name,
            path=path,
            runs=found.done,
            complete=complete,
            arms=[
                CampaignArmStateDocument(
                    arm=arm, actions=n, right=right, counted=counted, stopped=why or None
                )
                for arm, n, right, counted, why in found.arms
            ],
        )


class ListedCampaignDocument(Document):
    """A campaign in the list."""

    name: str
    path: str
    made: str | None
    timed: bool
    arms: list[str]
    cases: int
    runs: int
    trouble: str | None = Field(default=None, description="why it cannot be read")


class CampaignListDocument(Document):
    """What ``campaign list --json`` prints."""

    campaigns: list[ListedCampaignDocument]


class CampaignCaseDocument(Document):
    """A run on a case, as ``campaign show --json`` lists it. ``lost``: the step that lost the plan."""

    case: str
    arm: str
    topic: str
    actions: int
    verdict: str
    error_type: str | None
    lost: int | Literal["end"] | None
    calls: int
    helped: bool
    seconds: float
    tries: int
    why: str | None

    @classmethod
    def about(cls, row: Mapping[str, Any]) -> Self:
        """Return the document of a row of the database's table of runs."""
        from planscope.campaign.cases import case_id

        told = {
            "case": case_id(row["n"], row["idx"]),
            "arm": row["arm_name"],
            "actions": row["n"],
            "lost": "end" if row["lost"] == 0 else row["lost"],
            "helped": bool(row["helped"]),
        }
        return cls.model_validate({name: told.get(name, row.get(name)) for name in cls.model_fields})


class CampaignCasesDocument(Document):
    """What ``campaign show --json`` prints."""

    name: str
    runs: list[CampaignCaseDocument]


class CampaignNeededDocument(Document):
    """What ``campaign run --detect --json`` prints: how many cases find such a difference."""

    detect: float
    needed: int


class CampaignChangedDocument(Document):
    """What ``campaign delete``, ``dissect`` and ``export`` print with --json."""

    name: str
    action: Literal["delete", "dissect", "export"]
    count: int = Field(description="deleted runs, dissected errors, or written lines")
    left_out: int = 0
    output: str | None = None
