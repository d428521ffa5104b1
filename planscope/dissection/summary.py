"""What the runs of a dissection say: the matrix, the rates, the decision. Nothing that was kept is trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planscope.agents.rates import Rate
from planscope.dissection.arms import Counts
from planscope.dissection.decision import Decision
from planscope.oracle.verdict_types import ErrorType, VerdictKind
from planscope.session.model import CellKind, Dissection, Session

CellOutcome = Literal["right", "wrong", "mixed", "aborted", "pending"]


@dataclass(frozen=True, slots=True)
class CellRun:
    """One run of a cell as the oracle judges it now."""

    run: str
    verdict: VerdictKind
    error_type: ErrorType | None


@dataclass(frozen=True, slots=True)
class CellView:
    """One mutant. ``variant`` and the runs' ids lead into the session."""

    kind: CellKind
    number: int
    variant: str
    runs: tuple[CellRun, ...]

    @property
    def counts(self) -> Counts:
        found = [r.verdict for r in self.runs]
        return Counts(found.count("right"), found.count("wrong"))

    @property
    def outcome(self) -> CellOutcome:
        """``pending``: no run yet; ``aborted``: none that can be judged; ``mixed``: right and wrong ones."""
        counts = self.counts
        if not self.runs:
            return "pending"
        if counts.right and counts.wrong:
            return "mixed"
        return "right" if counts.right else "wrong" if counts.wrong else "aborted"

    @property
    def error_type(self) -> ErrorType | None:
        """Of the last wrong run."""
        return next((r.error_type for r in reversed(self.runs) if r.verdict == "wrong"), None)


@dataclass(frozen=True, slots=True)
class Row:
    """One arm: its mutants by number, and how often it is right, over all of them."""

    kind: CellKind
    cells: tuple[CellView, ...]
    rate: Rate


@dataclass(frozen=True, slots=True)
class Summary:
    """``rows``: every kind, in the order of ``KINDS``, empty ones too. ``runs``: all that the dissection spent."""

    rows: tuple[Row, ...]
    decision: Decision
    runs: int
    budget: int

    def row(self, kind: CellKind) -> Row:
        return next(row for row in self.rows if row.kind == kind)


def summary(session: Session, dissection: Dissection) -> Summary:
    """Judge every run of the dissection anew, and decide by its method. Reads the session and changes nothing."""
    raise NotImplementedError
