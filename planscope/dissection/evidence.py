"""The arms of a dissection, the causes that they indicate, the counts of their runs, and the decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal, get_args

from planscope.frozen import frozen
from planscope.session.model import CellKind

Cause = Literal["Probability", "Terminal", "Topic", "Structure", "Constraint"]
CAUSES: tuple[Cause, ...] = get_args(Cause)
"""The causes in the paper's order, from the least change of the query to the largest."""

CulpritKind = Literal["word", "clause", "sentence", "constraint", "action", "number", "length", "position"]
"""What is to blame: words, or a number, a length or a place from a limit on."""

KINDS: tuple[CellKind, ...] = get_args(CellKind)
SAME: tuple[CellKind, ...] = ("Original", "Repeat")
"""Arms with the unchanged query."""

CHANGED: tuple[CellKind, ...] = (
    "TerminalSubstitute",
    "TopicChange",
    "QuerySynthesize",
    "Combined",
    "Control",
)
"""The arms that change the query and tell of the cause. ``Culprit`` tells of words only."""

RARE: tuple[CellKind, ...] = ("Combined", "Culprit")
"""Kinds that are shown only if they were run."""

CAUSE_OF: Mapping[CellKind, Cause] = {
    "Repeat": "Probability",
    "TerminalSubstitute": "Terminal",
    "TopicChange": "Topic",
    "QuerySynthesize": "Structure",
    "Combined": "Topic",
    "Control": "Constraint",
}
"""The cause that an arm indicates if it is right and the arms before it are not."""


@frozen
class Counts:
    """The runs of one mutant that can be judged. Aborted ones say nothing about planning."""

    right: int = 0
    wrong: int = 0

    @property
    def runs(self) -> int:
        return self.right + self.wrong

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.right + other.right, self.wrong + other.wrong)


NO_RUNS = Counts()


CellOutcome = Literal["right", "wrong", "mixed", "aborted", "pending"]
"""The outcome of a mutant's runs. ``pending``: it has none yet; ``mixed``: some were right and some wrong."""

Evidence = Mapping[CellKind, Sequence[Counts]]
"""For each arm, its mutants in the order of their numbers."""


def total(mutants: Sequence[Counts]) -> Counts:
    """Return the counts of all runs of an arm."""
    return sum(mutants, Counts())


def judged_mutants(counts: Sequence[Counts]) -> int:
    """Return how many of an arm's mutants have a run that can be judged."""
    return sum(1 for one in counts if one.runs)


def of_kinds(evidence: Evidence, kinds: Sequence[CellKind]) -> Counts:
    """Return the counts of all runs of several arms."""
    return sum((total(evidence.get(kind, ())) for kind in kinds), Counts())


@frozen
class Decision:
    """The answer of a dissection. ``cause`` is None if undecided (``missing`` says what would help) or
    ``blameless``.

    ``confidence``: the probability of the cause, or that none is in the query (``blameless``), given the runs and the
    assumptions that ``belief`` states. It is None if undecided, if the agent never failed, and for the method
    ``paper``, which has none. ``causes``: the cause and others that are also to blame, each with its confidence, the
    strongest first. ``reason`` is one sentence. ``likely``: the probability of each cause, and under "none"
    that nothing in this query is to blame; empty for ``paper``. ``settled``: more runs would not change it, or there is
    nothing to dissect. ``blameless``: there is no failure to explain, or nothing in this query is to blame for it.
    """

    cause: Cause | None
    confidence: float | None
    reason: str
    missing: str | None = None
    likely: Mapping[str, float] = field(default_factory=dict)
    settled: bool = False
    blameless: bool = False
    causes: tuple[tuple[Cause, float], ...] = ()

    @property
    def several(self) -> bool:
        """Whether more than one cause is stated."""
        return len(self.causes) > 1
