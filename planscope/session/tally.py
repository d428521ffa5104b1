"""How runs ended: the outcome of one, and the counts, the success rate and its interval of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Literal, NamedTuple, Self

from planscope.frozen import frozen
from planscope.oracle.verdict_types import ErrorType, Told, VerdictKind, told
from planscope.stats import wilson
from planscope.wording import terms


class Outcome(NamedTuple):
    """The outcome of one run: its verdict, and the errors if it is ``wrong``.

    ``headline`` is the type of error that words name, ``shows`` its step; ``error_type`` is the primary one. ``lost``:
    the step that lost the plan, ``end``, or "" if none did. ``tool``: the tool that was called there. ``reason``: why
    the run was aborted. ``grade``: how the trace of the run was graded, in words. ``judged``: whether there is a query
    or a rule to judge by. ``cause``: what runs that went wrong alike have in common; None if it was not sought.
    """

    verdict: VerdictKind
    headline: ErrorType | Literal[""] = ""
    lost: str = ""
    tool: str = ""
    error_type: ErrorType | Literal[""] = ""
    shows: str = ""
    reason: str = ""
    grade: str = ""
    judged: bool = True
    cause: str | None = None

    @property
    def told(self) -> Told:
        """The verdict as words tell it."""
        return told(self.verdict, self.judged, self.reason)


@frozen
class Tally:
    """Counts of runs by verdict, and their success rate. Aborted and undecided runs say nothing about planning, and
    helped ones nothing about the agent alone, so neither counts in the rate.

    ``right`` and ``wrong`` count runs without help; ``helped`` counts right and wrong runs with help. ``cut_off`` and
    ``stopped`` count some of the ``aborted`` ones, ``not_judged`` some of the ``unknown`` ones. ``errors`` counts wrong
    runs, helped or not, by their primary type of error, ``headlines`` by the one that words name. ``doubtful``: those
    that were graded 0 and are right. ``clusters`` is the number of independent samples if it is less than the number of
    runs (several runs of one text), else 0; the interval is then as wide as for that many runs.
    """

    right: int = 0
    wrong: int = 0
    aborted: int = 0
    unknown: int = 0
    helped: int = 0
    helped_right: int = 0
    cut_off: int = 0
    stopped: int = 0
    not_judged: int = 0
    doubtful: int = 0
    clusters: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)
    headlines: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Iterable[tuple[Outcome, bool]], clusters: int = 0) -> Self:
        """Count outcomes, each with whether the run was helped."""
        counts, errors, headlines = Counter[str](), Counter[str](), Counter[str]()
        for one, helped in found:
            if one.verdict in ("right", "wrong") and helped:
                counts["helped"] += 1
                counts["helped_right"] += one.verdict == "right"
            else:
                counts.update({one.verdict, one.told})
            counts["doubtful"] += one.verdict == "right" and "," in one.grade
            errors.update([one.error_type] if one.error_type else [])
            headlines.update([one.headline] if one.headline else [])
        tally = cls(**counts, errors=dict(errors.most_common()), headlines=dict(headlines.most_common()))
        return replace(tally, clusters=clusters)

    @property
    def counted(self) -> int:
        """The runs that a rate is computed from: right and wrong ones without help."""
        return self.right + self.wrong

    @property
    def rate(self) -> float | None:
        """The share of right runs among the counted ones, or None if there are none."""
        return self.right / self.counted if self.counted else None

    @property
    def low(self) -> float:
        return self._interval()[0]

    @property
    def high(self) -> float:
        return self._interval()[1]

    def _interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the rate."""
        if not self.clusters or not self.counted:
            return wilson(self.right, self.counted)
        return wilson(self.right / self.counted * self.clusters, self.clusters)

    @property
    def any_wrong(self) -> bool:
        """Whether any run is wrong, helped or not."""
        return bool(self.wrong or self.helped > self.helped_right)

    @property
    def share(self) -> str:
        """The share of right runs among the counted ones, for example ``14/20``; empty for fewer than two runs."""
        runs = self.counted + self.aborted + self.unknown + self.helped
        return f"{self.right}/{self.counted}" if runs > 1 and self.counted else ""

    @property
    def text(self) -> str:
        """The counts in words."""
        parts = [f"{self.right} of {self.counted} right"] if self.counted else []
        parts += [f"{self.helped} helped, {self.helped_right} of them right"] if self.helped else []
        rest = {
            "aborted": self.aborted - self.cut_off - self.stopped,
            "cut_off": self.cut_off,
            "stopped": self.stopped,
            "unknown": self.unknown - self.not_judged,
            "not_judged": self.not_judged,
        }
        parts += [f"{n} {terms.VERDICTS[what]}" for what, n in rest.items() if n]
        if self.doubtful:
            parts.append(f"{self.doubtful} graded 0, but right")
        return "; ".join(parts)


def success(found: Iterable[tuple[Outcome, bool]], clusters: int = 0) -> Tally:
    """Tally the runs of an agent: what went wrong in helped runs is not among its errors."""
    outcomes = list(found)
    alone = Tally.of(one for one in outcomes if not one[1])
    return replace(Tally.of(outcomes, clusters), errors=alone.errors, headlines=alone.headlines)
