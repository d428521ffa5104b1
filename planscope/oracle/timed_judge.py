"""Z3 for timed problems, told what it is slow to find: that hours run out, and a plan where there is one.

Calls that fill their day are pigeonholes over integers, which a solver that branches takes for ever on. So it is given
what "one by one" implies (all that lies within some hours takes no more hours than there are), for the hours between
which something has to lie. That forbids nothing by itself. And where scheduling knows start hours, it is asked about
these first; what it finds wrong with them decides nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from planscope.language.problem import Problem
from planscope.oracle.facts import Fact
from planscope.oracle.formula import Formula, encode, room
from planscope.oracle.schedule import TooHard
from planscope.oracle.smt import Judge
from planscope.oracle.timed_members import TimedMembers

EFFORT = 20_000
"""Sets of actions that scheduling looks at for one plan to propose."""


def judge_of(
    problem: Problem,
    ran: Sequence[Fact],
    ended: bool,
    timeout: int = 10_000,
    free: Collection[int] = (),
    *,
    plans: bool = True,
) -> Judge:
    """A judge of a problem with the facts of one attempt; see ``formula.encode``. ``plans``: let scheduling propose."""
    encoding = encode(problem, ran, ended, free)
    return Judge(encoding, timeout, _Hints(problem, ran, free, plans) if problem.timed else None)


class _Hints:
    def __init__(self, problem: Problem, ran: Sequence[Fact], free: Collection[int], plans: bool) -> None:
        self.ids = [a.id for a in problem.actions]
        self.timed = TimedMembers(problem, ran, free, EFFORT)
        self.plans = plans
        self.said: set[tuple[int, int]] = set()

    def follows(self, members: Collection[str]) -> Iterator[tuple[str, Formula]]:
        """For each stretch of hours that something has to lie in, that it is no longer than it is. Each only once."""
        one_by_one = self.timed.one_by_one
        if one_by_one is None or one_by_one not in members:
            return
        takes = self.timed.takes
        release, deadline = self.timed.windows(members)
        for begin in sorted({h for h in release if h is not None}):
            for end in sorted({h for h in deadline if h is not None and h > begin}):
                if (begin, end) not in self.said and sum(t for t in takes if t <= end - begin) > end - begin:
                    self.said.add((begin, end))
                    yield one_by_one, room(self.ids, takes, begin, end)

    def plan(self, members: Collection[str]) -> dict[str, int] | None:
        """Start and end hours that scheduling found for these members, by their names in the encoding."""
        if not self.plans:
            return None
        try:
            starts = self.timed.starts(members)
        except TooHard:
            return None
        if starts is None:
            return None
        found = {f"start_{a}": hour for a, hour in zip(self.ids, starts, strict=True)}
        ends = zip(self.ids, starts, self.timed.takes, strict=True)
        return found | {f"end_{a}": hour + takes for a, hour, takes in ends}
