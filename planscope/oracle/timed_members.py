"""Which members of a timed problem can hold together: what cores are made of (spec, "What may stand in a core").

The same question that ``formula.encode`` puts to Z3, answered by scheduling, which stays quick where many actions
compete for few hours. Tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from planscope.language.problem import Problem
from planscope.oracle.facts import Fact, durations
from planscope.oracle.schedule import NEVER, Schedule

DAY = 24


class TimedMembers:
    """A problem with what was executed. ``free``: actions whose duration is left open, at least one hour.

    ``limit``: sets of actions that scheduling looks at for one question.
    """

    def __init__(
        self, problem: Problem, ran: Sequence[Fact], free: Collection[int] = (), limit: int = 400_000
    ) -> None:
        self.problem, self.limit = problem, limit
        self.index = {a.id: i for i, a in enumerate(problem.actions)}
        self.takes = [1 if i in free else d for i, d in enumerate(durations(problem))]
        self.ran = {f"step{f.step}": f for f in ran if f.effect == "done"}
        self.names = [c.id for c in problem.constraints] + list(self.ran)

    def possible(self, members: Collection[str]) -> bool:
        """Can these members hold together? May raise :class:`~planscope.oracle.schedule.TooHard`."""
        return self._starts(members, wanted=False) is not None

    def starts(self, members: Collection[str]) -> list[int] | None:
        """Start hours of every action that meet these members; None where there are none. Raises as above."""
        return self._starts(members, wanted=True)

    def _starts(self, members: Collection[str], wanted: bool) -> list[int] | None:
        """As ``starts``; where the hours are not wanted, any list stands for them."""
        chosen = set(members)
        kinds = {str(c.kind) for c in self.problem.constraints if c.is_rule and c.id in chosen}
        one_by_one = "one_by_one" in kinds
        release, deadline, edges = self._windows(chosen, kinds)
        for i, fact in enumerate(self.ran.values()):
            if f"step{fact.step}" in chosen:
                self._pin(fact, i, one_by_one, release, deadline)
        finite = [h for h in (*release, *deadline) if h is not None]
        room = sum(self.takes) + 1
        low, high = min(finite, default=0) - room, max(finite, default=0) + room
        starts = [low if h is None else h for h in release]
        ends = [high if h is None else h for h in deadline]
        if one_by_one:
            schedule = Schedule(self.takes, starts, ends, edges, self.limit)
            everything = (1 << schedule.n) - 1
            if not wanted:
                return starts if schedule.latest(everything) > NEVER else None
            plan = schedule.latest_way(everything)
            return None if plan is None else [start for _, start in sorted(plan)]
        return starts if self._apart(starts, ends, edges) else None

    def _windows(
        self, chosen: set[str], kinds: set[str]
    ) -> tuple[list[int | None], list[int | None], list[tuple[int, int]]]:
        """Earliest starts, latest ends and the order that constraints and rules ask for."""
        n = len(self.takes)
        release: list[int | None] = [None] * n
        deadline: list[int | None] = [None] * n
        for i, hours in enumerate(self.takes):
            if "start_range" in kinds:
                _bound(release, deadline, i, 0, 23 + hours)
            if "end_range" in kinds:
                _bound(release, deadline, i, 1 - hours, DAY)
        edges = []
        for c in self.problem.constraints:
            if c.id not in chosen or c.is_rule:
                continue
            if c.kind == "order":
                edges.append((self.index[c.before or ""], self.index[c.after or ""]))
            elif c.kind == "start_at_least":
                _bound(release, deadline, self.index[c.action or ""], c.hour, None)
            else:
                _bound(release, deadline, self.index[c.action or ""], None, c.hour)
        return release, deadline, edges

    def _pin(
        self,
        fact: Fact,
        position: int,
        one_by_one: bool,
        release: list[int | None],
        deadline: list[int | None],
    ) -> None:
        """A step fixes its own hours; with one call after the other, what had not run starts after its end."""
        assert fact.action is not None
        _bound(release, deadline, fact.action, fact.start, fact.end)
        if one_by_one:
            before = {f.action for f in list(self.ran.values())[: position + 1]}
            for i in range(len(self.takes)):
                if i not in before:
                    _bound(release, deadline, i, fact.end, None)

    def _apart(self, starts: list[int], ends: list[int], edges: list[tuple[int, int]]) -> bool:
        """Without "one by one" only the order couples the actions: push ``starts`` forward until they fit."""
        for _ in range(len(starts) + 1):
            moved = False
            for a, b in edges:
                end = starts[a] + self.takes[a]
                if end > starts[b]:
                    starts[b], moved = end, True
            if any(start + hours > end for start, hours, end in zip(starts, self.takes, ends, strict=True)):
                return False
            if not moved:
                return True
        return False

    def core(self) -> tuple[str, ...]:
        """The members that stay when they are dropped from the last to the first while the rest is impossible."""
        kept = list(self.names)
        for name in reversed(self.names):
            rest = [m for m in kept if m != name]
            if not self.possible(rest):
                kept = rest
        return tuple(kept)


def _bound(
    release: list[int | None], deadline: list[int | None], i: int, low: int | None, high: int | None
) -> None:
    old_low, old_high = release[i], deadline[i]
    if low is not None:
        release[i] = low if old_low is None else max(old_low, low)
    if high is not None:
        deadline[i] = high if old_high is None else min(old_high, high)
