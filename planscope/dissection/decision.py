"""What a dissection comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from planscope.dissection.arms import Cause


@dataclass(frozen=True, slots=True)
class Decision:
    """``cause`` None: undecided or ``blameless``, and ``missing`` says what would help.

    ``confidence``: the probability of the cause, or that none is in the query (``blameless``), given the runs and the
    assumptions that ``belief`` states; None where undecided, where the agent never failed, and for the method
    ``paper``, which has none. ``reason`` is one sentence. ``likely``: the probability of each cause,
    and under "none" that nothing in this request is to blame; empty for ``paper``. ``settled``: more runs would
    not change it, or there is nothing to dissect. ``blameless``: there is no failure to explain, or nothing in this
    request is to blame for it.
    """

    cause: Cause | None
    confidence: float | None
    reason: str
    missing: str | None = None
    likely: Mapping[str, float] = field(default_factory=dict)
    settled: bool = False
    blameless: bool = False
