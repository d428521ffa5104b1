"""Campaigns as documents: what ``campaign`` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field

from planscope.campaign.result import CampaignReportDocument
from planscope.document import Document

if TYPE_CHECKING:
    from planscope.campaign.engine import Progress


class CampaignReportsDocument(Document):
    """What ``campaign report --json`` prints for several campaigns."""

    campaigns: list[CampaignReportDocument]


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
