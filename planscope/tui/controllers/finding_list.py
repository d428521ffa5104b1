"""The findings of a session's fuzzings and the sets of prompts that show none, and which one is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from planscope.session.model import FuzzFinding, Fuzzing, own_runs
from planscope.toolfuzz.correctness.checks import PromptSet
from planscope.toolfuzz.keeping import predicted
from planscope.tui.controllers.document import Document

MOST_RUNS = 500
"""Steps are looked for in so many runs, the last first."""


class Step(NamedTuple):
    """A step of a run that failed as a finding says. ``exactly``: on the very arguments that the fuzzer sent.

    ``prompt``: the run is the agent's own with this prompt of the set, from 1.
    """

    run: str
    step: int
    exactly: bool
    prompt: int | None = None


class Row(NamedTuple):
    """A finding, the fuzzing that it is from, and the steps that failed so.

    ``set``: the set of prompts that shows it. A set that is not faulty has a row without a finding.
    """

    fuzzing: Fuzzing
    finding: FuzzFinding | None
    steps: tuple[Step, ...] = ()
    set: PromptSet | None = None

    @property
    def tool(self) -> str:
        return (
            self.finding.tool if self.finding is not None else self.set.tool if self.set is not None else ""
        )


class FindingList:
    """The rows, in the order of the fuzzer. ``begin``: the finding that is chosen at first."""

    def __init__(self, document: Document, begin: FuzzFinding | None = None) -> None:
        session = document.open_session
        steps: dict[int, list[Step]] = {}
        for run in own_runs(session)[: -MOST_RUNS - 1 : -1]:
            for one in predicted(session, document.record(run.id)):
                steps.setdefault(id(one.finding), []).append(Step(run.id, one.step, one.exactly))
        runs = {run.id for run in session.runs}
        self.rows: Sequence[Row] = [
            row for fuzzing in session.fuzzings or () for row in _rows(fuzzing, steps, runs)
        ]
        self.fuzzings: Sequence[Fuzzing] = session.fuzzings or ()
        self.at = next(
            (k for k, row in enumerate(self.rows) if begin is not None and row.finding is begin), 0
        )

    @property
    def count(self) -> int:
        """How many of the rows are findings."""
        return sum(row.finding is not None for row in self.rows)

    @property
    def chosen(self) -> Row | None:
        return self.rows[self.at] if self.rows else None

    def choose(self, at: int) -> None:
        self.at = min(max(at, 0), max(len(self.rows) - 1, 0))


def _rows(fuzzing: Fuzzing, steps: Mapping[int, Sequence[Step]], runs: AbstractSet[str]) -> Iterator[Row]:
    """Yield the findings, then the sets of prompts that no finding is about."""
    sets = [PromptSet.of_data(one.model_dump()) for one in fuzzing.sets]
    told: set[int] = set()
    for one in fuzzing.findings:
        number = one.set if one.set is not None and 0 < one.set <= len(sets) else None
        found = sets[number - 1] if number is not None else None
        if number is not None:
            told.add(number)
        kept = steps.get(id(one), ()) if found is None else _runs_of(found, runs)
        yield Row(fuzzing, one, tuple(kept), found)
    for number, made in enumerate(sets, 1):
        if number not in told:
            yield Row(fuzzing, None, tuple(_runs_of(made, runs)), made)


def _runs_of(one: PromptSet, runs: AbstractSet[str]) -> Iterator[Step]:
    """Yield the recorded runs of a set's prompts, that with the lowest score first."""
    order = sorted(enumerate(one.runs, 1), key=lambda item: 11 if item[1].score is None else item[1].score)
    for number, run in order:
        if run.run in runs and run.run is not None:
            own = next((k for k, call in enumerate(run.calls, 1) if call.tool == one.tool), 0)
            yield Step(run.run, own, False, number)
