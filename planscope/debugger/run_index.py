"""A judged run with all that the debugger looks up by key press, computed once.

Everything that says *index* is an index into ``replay.steps``: 0 is before any call, k after call k.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from planscope.language.problem import Problem
from planscope.oracle.trace import Trace
from planscope.oracle.verdict_types import ErrorType, Finding, Status, StepNo, StepView, Verdict


class Judged(Protocol):
    """What the debugger needs of ``planscope.oracle.replay.Replay``."""

    @property
    def problem(self) -> Problem: ...
    @property
    def trace(self) -> Trace: ...
    @property
    def steps(self) -> tuple[StepView, ...]: ...
    def status(self, constraint_id: str, index: int) -> Status: ...
    def valid_completions(self, index: int) -> int | None: ...
    def verdict(self) -> Verdict: ...


@dataclass(frozen=True, slots=True)
class Execution:
    """Where an action was first executed in an attempt: index, place (from 1), start and end hour (timed)."""

    index: int
    place: int
    start: int | None
    end: int | None


class RunIndex:
    """Lookups over one replay, each sorted by index. Built once for a replay, never changed."""

    def __init__(self, replay: Judged) -> None:
        self.replay = replay
        self.problem: Problem = replay.problem
        self.steps: tuple[StepView, ...] = replay.steps
        self.last: int = len(self.steps) - 1
        self.index_of: Mapping[StepNo, int] = {view.step: i for i, view in enumerate(self.steps)}
        self.order: Mapping[str, int] = {c.id: i for i, c in enumerate(self.problem.constraints)}
        self._index_calls()
        self._index_checks()
        self._index_findings()
        self._index_violations()
        self._counts: dict[int, int | None] = {}
        self.memo: dict[Hashable, tuple[int, ...]] = {}

    def _index_calls(self) -> None:
        called: defaultdict[str, list[int]] = defaultdict(list)
        executed: defaultdict[str, list[int]] = defaultdict(list)
        self.executions: dict[int, dict[str, Execution]] = defaultdict(dict)
        for i, view in enumerate(self.steps):
            if view.call is not None:
                called[view.call.tool].append(i)
            if view.action is None:
                continue
            executed[view.action].append(i)
            attempt = self.executions[view.attempt]
            if view.action not in attempt:
                attempt[view.action] = Execution(i, len(attempt) + 1, view.start, view.end)
        self.called: Mapping[str, tuple[int, ...]] = {tool: tuple(at) for tool, at in called.items()}
        self.executed: Mapping[str, tuple[int, ...]] = {action: tuple(at) for action, at in executed.items()}

    def _index_checks(self) -> None:
        checks: list[tuple[str, ...]] = []
        breaks: defaultdict[str, list[int]] = defaultdict(list)
        before: tuple[str, ...] = ()
        for i, view in enumerate(self.steps):
            core = view.core.constraints if view.core else ()
            entered = () if core == before else set(core).difference(before)
            before = core
            seen = {*view.changed, *entered}
            checks.append(tuple(sorted(seen, key=lambda c: self.order.get(c, len(self.order)))))
            for constraint in view.changed or self._broken_from_the_start(i):
                if self.replay.status(constraint, i) == "broken":
                    breaks[constraint].append(i)
        self.checks: tuple[tuple[str, ...], ...] = tuple(checks)
        self.breaks: Mapping[str, tuple[int, ...]] = {c: tuple(at) for c, at in breaks.items()}

    def _broken_from_the_start(self, index: int) -> Iterable[str]:
        """Step 0 has nothing before it to differ from, but a text may contradict itself."""
        return self.order if index == 0 and self.steps[0].state == "broken" else ()

    def _index_findings(self) -> None:
        """The last attempt's findings as the verdict has them (it knows the end), earlier ones as they came."""
        found: list[list[Finding]] = [[] for _ in self.steps]
        attempt = self.steps[-1].attempt
        for i, view in enumerate(self.steps):
            if view.attempt != attempt:
                found[i].extend(view.findings)
        for finding in self.replay.verdict().findings:
            if finding.step in self.index_of:
                found[self.index_of[finding.step]].append(finding)
        self.findings: tuple[tuple[Finding, ...], ...] = tuple(map(tuple, found))
        by_type: defaultdict[ErrorType, list[int]] = defaultdict(list)
        for i, findings in enumerate(self.findings):
            for error_type in dict.fromkeys(finding.type for finding in findings):
                by_type[error_type].append(i)
        self.found: Mapping[ErrorType, tuple[int, ...]] = {t: tuple(at) for t, at in by_type.items()}

    def _index_violations(self) -> None:
        lost: dict[int, int] = {}  # attempt -> its first doomed index
        stops = {i for at in self.breaks.values() for i in at}
        before: tuple[int, str] | None = None
        for i, view in enumerate(self.steps):
            if view.lost:
                lost.setdefault(view.attempt, i)
                if before != (view.attempt, view.state):
                    stops.add(i)
            before = (view.attempt, view.state)
            if any(finding.severity == "error" for finding in self.findings[i]):
                stops.add(i)
        self.doomed: tuple[int, ...] = tuple(sorted(lost.values()))
        self.violations: tuple[int, ...] = tuple(sorted(stops))
        attempt = self.steps[-1].attempt
        errors = (i for i in self.violations if self.steps[i].attempt == attempt)
        self.first_violation: int | None = lost.get(attempt, next(errors, None))

    def execution(self, action: str, index: int) -> Execution | None:
        """How an action was executed, as known at an index of the run; None where it was not (yet)."""
        known = self.executions.get(self.steps[index].attempt, {}).get(action)
        return known if known is not None and known.index <= index else None

    def valid_completions(self, index: int) -> int | None:
        """The oracle's count, asked once for each index (None: too many to count)."""
        if index not in self._counts:
            self._counts[index] = self.replay.valid_completions(index)
        return self._counts[index]

    def has_count(self, index: int) -> bool:
        """Whether the count of an index is known without asking the oracle."""
        return index in self._counts
