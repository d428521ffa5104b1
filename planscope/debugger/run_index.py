"""A judged run with the tables that the debugger's keys look up, computed once.

Every *index* is an index into ``replay.steps``: 0 is before any call, k after call k.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from copy import copy
from typing import TYPE_CHECKING, cast

from planscope.frozen import frozen
from planscope.language.problem import Problem
from planscope.oracle.judged import Judged
from planscope.oracle.trace import Ending, Item
from planscope.oracle.verdict_types import ErrorType, Finding, StepNo, StepView

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay


def _with_more(
    table: Mapping[str, tuple[int, ...]], more: Mapping[str, list[int]]
) -> Mapping[str, tuple[int, ...]]:
    return {**table, **{name: (*table.get(name, ()), *at) for name, at in more.items()}} if more else table


@frozen
class Execution:
    """An action's first execution in an attempt: its index, place (from 1), start and end hour (timed)."""

    index: int
    place: int
    start: int | None
    end: int | None


class RunIndex:
    """Lookup tables over one replay, each sorted by index. Built once for a replay, never changed."""

    def __init__(self, replay: Judged) -> None:
        self.replay = replay
        self.problem: Problem = replay.problem
        self.steps: tuple[StepView, ...] = ()
        self.index_of: Mapping[StepNo, int] = {}
        self.order: Mapping[str, int] = {c.id: i for i, c in enumerate(self.problem.constraints)}
        self.called: Mapping[str, tuple[int, ...]] = {}
        self.executed: Mapping[str, tuple[int, ...]] = {}
        self.executions: Mapping[int, Mapping[str, Execution]] = {}
        self.checks: tuple[tuple[str, ...], ...] = ()
        self.breaks: Mapping[str, tuple[int, ...]] = {}
        self.findings: tuple[tuple[Finding, ...], ...] = ()
        self._counts: dict[int, int | None] = {}
        self._lost: Mapping[int, int] = {}
        """By attempt the index at which it was lost."""
        self._turns: tuple[int, ...] = ()
        """The indices at which a plan that is lost became so, or became broken."""
        self.take_in(replay)

    @property
    def judged(self) -> Replay:
        """The judged run. A stand-in for it (``Unjudged``) is asked nothing more."""
        return cast("Replay", self.replay)

    def then(self, *items: Item, ending: Ending = "running", reason: str | None = None) -> RunIndex:
        """Return the same run with more calls, at the cost of those alone. The run must not have ended."""
        return self.grown(self.judged.then(*items, ending=ending, reason=reason))

    def grown(self, replay: Judged) -> RunIndex:
        """Return the tables of a replay that begins with this one's steps."""
        made = copy(self)
        made.take_in(replay)
        return made

    def take_in(self, replay: Judged) -> None:
        """Index the new steps. Tables are replaced and not changed, because a copy may share them."""
        first = len(self.steps)
        self.replay = replay
        self.steps = replay.steps
        self.last: int = len(self.steps) - 1
        new = self.steps[first:]
        self.index_of = {**self.index_of, **{view.step: first + i for i, view in enumerate(new)}}
        self._index_calls(first)
        self._index_checks(first)
        self._index_findings(first)
        self._index_violations(first)
        self._counts = {i: c for i, c in self._counts.items() if i < first - 1}
        self.memo: dict[Hashable, tuple[int, ...]] = {}

    def _index_calls(self, first: int) -> None:
        called: defaultdict[str, list[int]] = defaultdict(list)
        executed: defaultdict[str, list[int]] = defaultdict(list)
        executions = {attempt: dict(done) for attempt, done in self.executions.items()}
        for i, view in enumerate(self.steps[first:], first):
            if view.call is not None:
                called[view.call.tool].append(i)
            if view.action is None:
                continue
            executed[view.action].append(i)
            attempt = executions.setdefault(view.attempt, {})
            if view.action not in attempt:
                attempt[view.action] = Execution(i, len(attempt) + 1, view.start, view.end)
        self.executions = executions
        self.called = _with_more(self.called, called)
        self.executed = _with_more(self.executed, executed)

    def _index_checks(self, first: int) -> None:
        checks: list[tuple[str, ...]] = []
        breaks: defaultdict[str, list[int]] = defaultdict(list)
        core_before = self.steps[first - 1].core if first else None
        before = core_before.constraints if core_before else ()
        for i, view in enumerate(self.steps[first:], first):
            core = view.core.constraints if view.core else ()
            entered = () if core == before else set(core).difference(before)
            before = core
            seen = {*view.changed, *entered}
            checks.append(tuple(sorted(seen, key=lambda c: self.order.get(c, len(self.order)))))
            for constraint in view.changed or self._broken_from_the_start(i):
                if self.replay.status(constraint, i) == "broken":
                    breaks[constraint].append(i)
        self.checks = (*self.checks, *checks)
        self.breaks = _with_more(self.breaks, breaks)

    def _broken_from_the_start(self, index: int) -> Iterable[str]:
        """Return the constraints to check at step 0: all if the text contradicts itself, as no earlier step can
        differ."""
        return self.order if index == 0 and self.steps[0].state == "broken" else ()

    def _index_findings(self, first: int) -> None:
        """Take the last attempt's findings from the verdict, which knows the end, and those of earlier attempts from
        their steps."""
        attempt = self.steps[-1].attempt
        found = [*self.findings]
        if (
            first and self.steps[first - 1].attempt != attempt
        ):  # the attempt that was the last one has become an earlier one
            found = [view.findings for view in self.steps[:first]]
        for view in self.steps[first:]:
            found.append(() if view.attempt == attempt else view.findings)
        last: defaultdict[int, list[Finding]] = defaultdict(list)
        for finding in self.replay.verdict().findings:
            if finding.step in self.index_of:
                last[self.index_of[finding.step]].append(finding)
        for i, findings in last.items():
            found[i] = tuple(findings)
        self.findings = tuple(found)
        by_type: defaultdict[ErrorType, list[int]] = defaultdict(list)
        for i, some in enumerate(self.findings):
            for error_type in dict.fromkeys(finding.type for finding in some) if some else ():
                by_type[error_type].append(i)
        self.found: Mapping[ErrorType, tuple[int, ...]] = {t: tuple(at) for t, at in by_type.items()}

    def _index_violations(self, first: int) -> None:
        lost, turns = dict(self._lost), list(self._turns)
        before = (self.steps[first - 1].attempt, self.steps[first - 1].state) if first else None
        for i, view in enumerate(self.steps[first:], first):
            if view.lost:
                lost.setdefault(view.attempt, i)
                if before != (view.attempt, view.state):
                    turns.append(i)
            before = (view.attempt, view.state)
        self._lost, self._turns = lost, tuple(turns)
        wrong = (
            i for i, some in enumerate(self.findings) if some and any(f.severity == "error" for f in some)
        )
        stops = {*turns, *wrong, *(i for at in self.breaks.values() for i in at)}
        self.doomed: tuple[int, ...] = tuple(sorted(lost.values()))
        self.violations: tuple[int, ...] = tuple(sorted(stops))
        attempt = self.steps[-1].attempt
        errors = (i for i in self.violations if self.steps[i].attempt == attempt)
        self.first_violation: int | None = lost.get(attempt, next(errors, None))

    def execution(self, action: str, index: int) -> Execution | None:
        """Return how an action was executed, as known at an index of the run, or None if it was not executed by
        then."""
        known = self.executions.get(self.steps[index].attempt, {}).get(action)
        return known if known is not None and known.index <= index else None

    def valid_completions(self, index: int) -> int | None:
        """Return the oracle's count, asked once for each index; None if there are too many to count."""
        if index not in self._counts:
            self._counts[index] = self.replay.valid_completions(index)
        return self._counts[index]

    @property
    def counted(self) -> int:
        """The number of indexes whose count is known."""
        return len(self._counts)

    def has_count(self, index: int) -> bool:
        """Return whether the count of an index is known without asking the oracle."""
        return index in self._counts
