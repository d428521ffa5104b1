"""All reasons of a failure as plain data: every minimal core, and every minimal way to be rid of them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planscope.oracle.verdict_types import Core, StepNo

SearchEnd = Literal["all", "most", "stopped", "unknown"]
"""How a search for reasons ended: nothing is left to find, there are as many as were wanted, the caller stopped it,
or a question was too hard."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A minimal set to give up so that the rest can be met: constraints to drop, steps not to have been made.

    Ids of constraints (``c*`` by number, then ``b*``) and steps, as in a core. A step that is given up leaves its
    action open: it may come at another place or hour. ``"end"`` means that the agent does not stop there.
    """

    constraints: tuple[str, ...]
    steps: tuple[StepNo, ...]


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why a plan is lost at a step: minimal cores and minimal correction sets, each in order of size.

    ``index`` is an index into the run's ``steps``, ``step`` its name. Both are empty where nothing is lost there.
    The oracle's own core comes first. Every correction shares a member with every core.
    """

    index: int
    step: StepNo
    cores: tuple[Core, ...]
    corrections: tuple[Correction, ...]
    ended: SearchEnd = "all"

    @property
    def complete(self) -> bool:
        """Are these all that there are?"""
        return self.ended == "all"
