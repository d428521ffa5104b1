"""What a campaign found, and two of its arms compared: what is printed, too."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from planscope.document import Document
from planscope.stats import LEVEL

Rate = Annotated[float | None, Field(description="of the judged runs without help; null: there are none")]
Interval = Annotated[tuple[float, float] | None, Field(description="95 % interval (Wilson)")]
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
    """An arm as a whole (Table 2, and its column of Tables 3 and 4)."""

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
    """A topic: its judged runs with n below the limits. ``caused``: dissected errors whose cause is Topic; ``rate``:
    the share of wrong runs."""

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

    @property
    def worse(self) -> bool:
        """Whether B is worse than A, at the 5 % level."""
        return self.p is not None and self.p < LEVEL and (self.difference or 0.0) < 0

    def within(self, margin: float) -> bool:
        """Return whether B is worse by no more than ``margin``: the whole interval lies above it."""
        return self.ci is not None and self.ci[0] > -margin
