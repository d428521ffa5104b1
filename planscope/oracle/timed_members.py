"""Which members of a timed problem can hold together: what cores are made of (spec, "What may stand in a core").

The same question that ``formula.encode`` puts to Z3, answered by scheduling, which stays quick where many actions
compete for few hours. Tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from planscope.language.problem import DAY, Problem
from planscope.oracle.facts import Fact, durations
from planscope.oracle.schedule import NEVER, Schedule

Windows = tuple[list["int | None"], list["int | None"]]
"""Earliest start and latest end of each action; None for any."""


class TimedMembers:
    """A problem with what was executed. ``free``: actions whose duration is left open, at least one hour.

    ``limit``: sets of actions that scheduling looks at for one question.
    """

    def __init__(
        self, problem: Problem, ran: Sequence[Fact], free: Collection[int] = (), limit: int = 400_000
    ) -> None:
        self.limit = limit
        self.takes = [1 if i in free else d for i, d in enumerate(durations(problem))]
        self.rules = {str(c.kind): c.id for c in problem.constraints if c.is_rule}
        self.one_by_one = self.rules.get("one_by_one")
        place = problem.place
        self.orders = [
            (c.id, (place[c.before or ""], place[c.after or ""])) for c in problem.said if c.kind == "order"
        ]
        self.clocks = [(c, place[c.action or ""]) for c in problem.said if c.kind != "order"]
        self.ran = {f"step{f.step}": f for f in ran if f.effect == "done"}
        done = [f.action for f in self.ran.values()]
        self.after = {
            name: [i for i in range(len(self.takes)) if i not in done[: k + 1]]
            for k, name in enumerate(self.ran)
        }
        """By step, the actions that had not run then."""
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
        one_by_one = self.one_by_one in chosen
        release, deadline = self._windows(chosen)
        edges = self._edges(chosen)
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

    def windows(self, members: Collection[str]) -> Windows:
        """Earliest starts and latest ends of every action that these members leave; None for any hour."""
        chosen = set(members)
        release, deadline = self._windows(chosen)
        edges = self._edges(chosen)
        for _ in self.takes:
            for a, b in edges:
                low, high = release[a], deadline[b]
                _bound(release, deadline, b, None if low is None else low + self.takes[a], None)
                _bound(release, deadline, a, None, None if high is None else high - self.takes[b])
        return release, deadline

    def _edges(self, chosen: set[str]) -> list[tuple[int, int]]:
        return list(dict.fromkeys(edge for c, edge in self.orders if c in chosen))

    def _windows(self, chosen: set[str]) -> Windows:
        """Earliest starts and latest ends that clock times, rules and steps ask for one by one."""
        n = len(self.takes)
        rules = {kind for kind, c in self.rules.items() if c in chosen}
        release: list[int | None] = [None] * n
        deadline: list[int | None] = [None] * n
        for i, hours in enumerate(self.takes):
            if "start_range" in rules:
                _bound(release, deadline, i, 0, DAY - 1 + hours)
            if "end_range" in rules:
                _bound(release, deadline, i, 1 - hours, DAY)
        for c, i in self.clocks:
            if c.id in chosen:
                starts = c.kind == "start_at_least"
                _bound(release, deadline, i, c.hour if starts else None, None if starts else c.hour)
        for name, fact in self.ran.items():
            if name in chosen:
                assert fact.action is not None
                _bound(release, deadline, fact.action, fact.start, fact.end)
                for i in self.after[name] if "one_by_one" in rules else ():
                    _bound(release, deadline, i, fact.end, None)
        return release, deadline

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


def _bound(
    release: list[int | None], deadline: list[int | None], i: int, low: int | None, high: int | None
) -> None:
    old_low, old_high = release[i], deadline[i]
    if low is not None:
        release[i] = low if old_low is None else max(old_low, low)
    if high is not None:
        deadline[i] = high if old_high is None else min(old_high, high)
