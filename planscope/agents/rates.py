"""Success rates with their intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from planscope.oracle.verdict_types import Verdict
from planscope.session.record import Help
from planscope.stats import wilson


@dataclass(frozen=True, slots=True)
class Rate:
    """A success rate: ``right`` of ``counted`` runs. ``low`` and ``high`` are its 95 % interval.

    Not counted: aborted and undecided runs, which say nothing about planning, and ``helped`` runs, which say nothing
    about the agent alone. ``rate`` is None if no run was counted. ``clusters`` is the number of independent samples if
    it is less than the number of runs (several runs of one text); the interval is then as wide as for that many runs.
    """

    right: int
    counted: int
    aborted: int = 0
    unknown: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    helped: int = 0
    helped_right: int = 0
    clusters: int | None = None

    @property
    def rate(self) -> float | None:
        return self.right / self.counted if self.counted else None

    @property
    def low(self) -> float:
        return self._interval()[0]

    @property
    def high(self) -> float:
        return self._interval()[1]

    def _interval(self) -> tuple[float, float]:
        if self.clusters is None or not self.counted:
            return wilson(self.right, self.counted)
        return wilson(self.right / self.counted * self.clusters, self.clusters)


def success(verdicts: Iterable[Verdict], helps: Iterable[Help] | None = None) -> Rate:
    """Return the success rate of judged runs, with the error types of the wrong ones.

    ``helps`` has the help that each run got, or is None if no run got any.
    """
    everything = list(verdicts)
    each = list(helps) if helps is not None else [Help()] * len(everything)
    judged = [(v, h) for v, h in zip(everything, each, strict=True) if v.verdict in ("right", "wrong")]
    helped = [v for v, h in judged if h]
    found = [v for v, h in judged if not h] + [v for v in everything if v.verdict in ("aborted", "unknown")]
    kinds = Counter(v.verdict for v in found)
    errors = Counter(v.error_type for v in found if v.verdict == "wrong" and v.error_type)
    return Rate(
        kinds["right"],
        kinds["right"] + kinds["wrong"],
        kinds["aborted"],
        kinds["unknown"],
        dict(errors.most_common()),
        len(helped),
        sum(v.verdict == "right" for v in helped),
    )
