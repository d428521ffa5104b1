"""The timed language: states, cores and counts by exact scheduling, with Z3 where that takes too long (4.4)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy

from planscope.language.problem import DAY, Problem
from planscope.oracle.deletion import deletion_core
from planscope.oracle.facts import Fact, durations
from planscope.oracle.plan import COUNTED, Cursor, rule_core
from planscope.oracle.schedule import Schedule, TooHard
from planscope.oracle.smt import Judge
from planscope.oracle.statuses import Attempt
from planscope.oracle.timed_judge import judge_of
from planscope.oracle.timed_members import TimedMembers
from planscope.oracle.verdict_types import Core, Move, PlannedCall, State, StepNo

CORE_EFFORT = 40_000
"""Sets of actions that scheduling looks at for one of the many questions that a core takes."""


class _Unknown(Exception):
    """Nobody knows."""


def schedule_of(problem: Problem, limit: int = 400_000) -> Schedule:
    """The scheduling problem that a timed problem is, before any call."""
    place = problem.place
    release, deadline = [0] * len(place), [DAY] * len(place)
    edges = []
    for c in problem.constraints:
        if c.kind == "order":
            edges.append((place[c.before or ""], place[c.after or ""]))
        elif c.kind == "start_at_least":
            i = place[c.action or ""]
            release[i] = max(release[i], c.hour or 0)
        elif c.kind == "end_at_most":
            i = place[c.action or ""]
            deadline[i] = min(deadline[i], c.hour or 0)
    return Schedule(durations(problem), release, deadline, edges, limit)


def foreseeable(problem: Problem, ran: Sequence[Fact], called: Collection[int], timeout: int) -> bool:
    """Could a plan that is lost be seen to be lost, whatever the durations of the actions not called yet are?

    False only where some durations of at least 1 hour each would still let it be finished; none is better than 1, as
    a shorter call meets all that a longer one meets. ``called``: actions whose durations their answers told.
    ``timeout``: milliseconds for Z3 where scheduling gives up; True where it does, too.
    """
    free = [i for i in range(len(problem.actions)) if i not in called]
    if not free:
        return True
    relaxed = TimedMembers(problem, ran, free)
    try:
        return not relaxed.possible(relaxed.names)
    except TooHard:
        return judge_of(problem, ran, False, timeout, free, plans=False).check() != "sat"


class TimedPlan:
    """``limit``: sets of actions that scheduling looks at before it leaves the question to Z3."""

    def __init__(self, problem: Problem, limit: int = 400_000, timeout: int = 10_000) -> None:
        self.problem = problem
        self.timeout = timeout
        self.schedule = schedule_of(problem, limit)
        self.everything = (1 << len(problem.actions)) - 1
        self.rules = {str(c.kind): c.id for c in problem.constraints if c.is_rule}

    def begin(self) -> Cursor:
        return _TimedCursor(self)

    def state(self, rest: int, clock: int, done: Sequence[Fact]) -> State:
        """Is there a way on? ``done`` is what was executed, none of it wrong in itself."""
        try:
            return "completable" if clock <= self.schedule.latest(rest) else "doomed"
        except TooHard:
            answer = judge_of(self.problem, done, False, self.timeout, plans=False).check()
        if answer == "unknown":
            return "unknown"
        return "completable" if answer == "sat" else "doomed"

    def core(self, attempt: Attempt, index: int, step: StepNo, called: Collection[int]) -> Core | None:
        """The core at the first doomed step of an attempt; None where it could not be found in time."""
        found = rule_core(attempt, step, self.rules)
        if found is not None:
            return found
        ran = [f for f in attempt.facts if f.step <= index]
        members = self._core(ran)
        if members is None:
            return None
        chosen = set(members)
        return Core(
            tuple(c.id for c in self.problem.constraints if c.id in chosen),
            tuple(f.step for f in ran if f"step{f.step}" in chosen),
            foreseeable(self.problem, ran, called, self.timeout),
        )

    def _core(self, ran: Sequence[Fact]) -> tuple[str, ...] | None:
        """Its members by name. Each question goes to Z3 where scheduling gives up; None where Z3 does, too."""
        timed = TimedMembers(self.problem, ran, limit=CORE_EFFORT)
        judge: Judge | None = None

        def impossible(kept: Sequence[int]) -> bool:
            nonlocal judge
            members = [timed.names[k] for k in kept]
            try:
                return not timed.possible(members)
            except TooHard:
                judge = judge or judge_of(self.problem, ran, False, self.timeout, plans=False)
                answer = judge.check(members)
            if answer == "unknown":
                raise _Unknown
            return answer == "unsat"

        try:
            return tuple(timed.names[k] for k in deletion_core(len(timed.names), impossible))
        except _Unknown:
            return None

    def _rest(self, done: Sequence[Fact]) -> tuple[int, int]:
        """What remains, as a bit mask, and the hour of the clock."""
        rest, clock = self.everything, 0
        for fact in done:
            if fact.action is not None and fact.end is not None:
                rest &= ~(1 << fact.action)
                clock = max(clock, fact.end)
        return rest, clock

    def safe_moves(self, done: Sequence[Fact]) -> tuple[Move, ...]:
        """Empty, too, where the question is too hard to answer for every action."""
        rest, clock = self._rest(done)
        moves = []
        try:
            for i in self.schedule.ready(rest):
                hours = self.schedule.hours(rest, i, clock)
                if hours is not None:
                    moves.append(Move(self.problem.actions[i].id, hours))
        except TooHard:
            return ()
        return tuple(moves)

    def completions(self, done: Sequence[Fact]) -> int | None:
        rest, clock = self._rest(done)
        try:
            return self.schedule.completions(rest, clock) if rest.bit_count() <= COUNTED else None
        except TooHard:
            return None

    def one_way(self, done: Sequence[Fact]) -> tuple[PlannedCall, ...] | None:
        try:
            plan = self.schedule.one_way(*self._rest(done))
        except TooHard:
            return None
        if plan is None:
            return None
        return tuple(PlannedCall(self.problem.actions[i].id, start) for i, start in plan)


class _TimedCursor:
    def __init__(self, plan: TimedPlan) -> None:
        self.plan = plan
        self.rest, self.clock = plan.everything, 0
        self.done: list[Fact] = []
        self.lost = False

    def copy(self) -> Cursor:
        made = copy(self)
        made.done = list(self.done)
        return made

    def execute(self, fact: Fact) -> None:
        assert fact.action is not None and fact.end is not None
        self.done.append(fact)
        self.rest &= ~(1 << fact.action)
        self.clock = max(self.clock, fact.end)
        self.lost = self.lost or bool(self.plan.schedule.preds[fact.action] & self.rest)

    def state(self, attempt: Attempt, index: int) -> State:
        if attempt.first_broken is not None and attempt.first_broken <= index:
            return "broken"
        return "doomed" if self.lost else self.plan.state(self.rest, self.clock, self.done)
