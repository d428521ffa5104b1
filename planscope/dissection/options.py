"""The options of a dissection and of its runs."""

from __future__ import annotations

from typing import Literal

from planscope.agents.options import RunOptions
from planscope.frozen import frozen


@frozen
class DissectOptions(RunOptions):
    """``budget``: runs in all. ``culprit_budget``: runs that look for the words to blame, besides what ``budget`` has
    left; 0 for none. ``at_once``: how many runs of a model that is not simulated are made at the same time."""

    method: Literal["rates", "paper"] = "rates"
    budget: int = 60
    culprit_budget: int = 0
    at_once: int = 8
