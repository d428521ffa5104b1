"""The findings of a session's fuzzings, each with the steps of runs that failed so, and which one is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from planscope.session.model import FuzzFinding, Fuzzing, own_runs
from planscope.toolfuzz.keeping import predicted
from planscope.tui.controllers.document import Document

MOST_RUNS = 500
"""Steps are looked for in so many runs, the last first."""


class Step(NamedTuple):
    """A step of a run that failed as a finding says. ``exactly``: on the very arguments that the fuzzer sent."""

    run: str
    step: int
    exactly: bool


class Row(NamedTuple):
    """A finding, the fuzzing that it is from, and the steps that failed so."""

    fuzzing: Fuzzing
    finding: FuzzFinding
    steps: tuple[Step, ...]


class FindingList:
    """The rows, in the order of the fuzzer. ``begin``: the finding that is chosen at first."""

    def __init__(self, document: Document, begin: FuzzFinding | None = None) -> None:
        session = document.open_session
        steps: dict[int, list[Step]] = {}
        for run in own_runs(session)[: -MOST_RUNS - 1 : -1]:
            for one in predicted(session, document.record(run.id)):
                steps.setdefault(id(one.finding), []).append(Step(run.id, one.step, one.exactly))
        self.rows: Sequence[Row] = [
            Row(fuzzing, one, tuple(steps.get(id(one), ())))
            for fuzzing in session.fuzzings or ()
            for one in fuzzing.findings
        ]
        self.fuzzings: Sequence[Fuzzing] = session.fuzzings or ()
        self.at = next((k for k, row in enumerate(self.rows) if row.finding is begin), 0)

    @property
    def chosen(self) -> Row | None:
        return self.rows[self.at] if self.rows else None

    def choose(self, at: int) -> None:
        self.at = min(max(at, 0), max(len(self.rows) - 1, 0))
