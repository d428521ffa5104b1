"""The timed language (paper 4.4): states, cores and counts by exact scheduling, or by Z3 if scheduling takes too
long.

:class:`TimedMembers` asks scheduling the question that ``formula.encode`` asks Z3; tests check that both agree.

Calls that fill their day are pigeonhole problems over integers, which a branching solver hardly ever finishes. So Z3
gets hints: what "one by one" implies (the calls within a range of hours take no more hours than the range has), and
start hours, if scheduling knows some. Hints cannot change an answer: Z3 searches on if the proposed hours do not work.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from copy import copy
from itertools import pairwise

from planscope.language.problem import DAY, Constraint, Problem
from planscope.oracle.facts import Fact, durations
from planscope.oracle.formula import Formula, encode, room
from planscope.oracle.plan import COUNTED, Answered, Cursor, Members, Prefix, rule_core
from planscope.oracle.precedence import deletion_core
from planscope.oracle.schedule import NEVER, Schedule, TooHard
from planscope.oracle.smt import Judge
from planscope.oracle.statuses import Attempt
from planscope.oracle.verdict_types import Core, Move, PlannedCall, State, StepNo

CORE_EFFORT = 40_000
"""Limit of sets of actions that scheduling examines for one of the many questions about a core."""


EFFORT = 20_000
"""Limit of sets of actions that scheduling examines for one question before Z3 is asked, or for one proposed plan."""

TOO_HARD = 3
"""After this many questions that were too hard for scheduling, Z3 is asked at once."""


class _Unknown(Exception):
    """Neither scheduling nor Z3 found an answer."""


def schedule_of(problem: Problem, limit: int = 400_000) -> Schedule:
    """Convert a timed problem into a scheduling problem, before any call."""
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
    """Return whether the plan is lost whatever the durations of the actions not called yet are.

    False means that with some durations of at least 1 hour each the plan could still be finished. It is enough to try 1
    hour each, because a shorter call meets everything that a longer one meets. ``called``: actions whose durations are
    known, because the tools answered. ``timeout``: milliseconds for Z3 if scheduling gives up. If Z3 gives up, too, the
    result is True.
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
    """A problem of the timed language. ``limit``: sets of actions that scheduling examines before it leaves a
    question to Z3."""

    def __init__(self, problem: Problem, limit: int = 400_000, timeout: int = 10_000) -> None:
        self.problem = problem
        self.timeout = timeout
        self.schedule = schedule_of(problem, limit)
        self.everything = (1 << len(problem.actions)) - 1
        self.rules = {str(c.kind): c.id for c in problem.constraints if c.is_rule}

    def begin(self) -> Cursor:
        return _TimedCursor(self)

    def state(self, rest: int, clock: int, done: Sequence[Fact]) -> State:
        """Return whether the plan can still be finished. ``done``: the executions so far, which break no constraint."""
        try:
            return "completable" if clock <= self.schedule.latest(rest) else "doomed"
        except TooHard:
            answer = judge_of(self.problem, done, False, self.timeout, plans=False).check()
        if answer == "unknown":
            return "unknown"
        return "completable" if answer == "sat" else "doomed"

    def core(self, attempt: Attempt, index: int, step: StepNo, called: Collection[int]) -> Core | None:
        """Return the core at the step where an attempt was lost, or None if it was not found in time."""
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
        """Return the core's members by name. Z3 is asked if scheduling gives up; None if Z3 gives up, too."""
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
        """Return the remaining actions as a bit mask, and the clock's hour."""
        rest, clock = self.everything, 0
        for fact in done:
            if fact.action is not None and fact.end is not None:
                rest &= ~(1 << fact.action)
                clock = max(clock, fact.end)
        return rest, clock

    def safe_moves(self, done: Sequence[Fact]) -> tuple[Move, ...]:
        """Return the safe next moves; none if there are none or if scheduling gives up on an action."""
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


Windows = tuple[list["int | None"], list["int | None"]]
"""Earliest start and latest end of each action; None means any hour."""


class TimedMembers:
    """Decides which members of a problem with executions can hold together.

    ``free``: actions of unknown duration, at least 1 hour. ``limit``: sets of actions that scheduling examines for one
    question.
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
        """Return whether these members can hold together. May raise :class:`~planscope.oracle.schedule.TooHard`."""
        return self._starts(members, wanted=False) is not None

    def starts(self, members: Collection[str]) -> list[int] | None:
        """Return start hours of every action that meet these members, or None if there are none. May raise TooHard."""
        return self._starts(members, wanted=True)

    def _starts(self, members: Collection[str], wanted: bool) -> list[int] | None:
        """Do the work of ``starts``. If ``hours`` are not wanted, any list means that some exist."""
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
        """Return the earliest start and latest end that these members leave each action; None means any hour."""
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
        """Read earliest starts and latest ends from clock times, rules and steps, not propagated along the order."""
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
        """Push ``starts`` forward until they fit. Without "one by one", only the order couples the actions."""
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


def judge_of(
    problem: Problem,
    ran: Sequence[Fact],
    ended: bool,
    timeout: int = 10_000,
    free: Collection[int] = (),
    *,
    plans: bool = True,
) -> Judge:
    """Make a judge of a problem with what one attempt did; see ``formula.encode``. ``plans``: let scheduling
    propose."""
    encoding = encode(problem, ran, ended, free)
    return Judge(encoding, timeout, _Hints(problem, ran, free, plans) if problem.timed else None)


class _Hints:
    def __init__(self, problem: Problem, ran: Sequence[Fact], free: Collection[int], plans: bool) -> None:
        self.ids = [a.id for a in problem.actions]
        self.timed = TimedMembers(problem, ran, free, EFFORT)
        self.plans = plans
        self.said: set[tuple[int, int]] = set()

    def follows(self, members: Collection[str]) -> Iterator[tuple[str, Formula]]:
        """For each range of hours, say that the calls within it take no more hours than it has. Each range comes
        only once."""
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
        """Return start and end hours that scheduling found for these members, by their names in the encoding."""
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


class TimedQuestion:
    """Answers by scheduling, or else by Z3. ``free``: actions of unknown duration. ``begun`` receives each new
    solver."""

    def __init__(
        self,
        problem: Problem,
        prefix: Prefix,
        timeout: int,
        begun: Callable[[Judge], None],
        free: Collection[int] = (),
    ) -> None:
        self.problem, self.prefix, self.free = problem, prefix, free
        self.timeout, self.begun = timeout, begun
        self.members = Members(problem, prefix)
        self.names = self.members.names
        self.timed = TimedMembers(problem, prefix.ran, free, EFFORT)
        counting = {c.id for c in problem.constraints if c.kind in ("once", "all_done")}
        self.clocked = self.members.mask(name for name in self.timed.names if name not in counting)
        self.one_by_one = self.members.mask(c.id for c in problem.constraints if c.kind == "one_by_one")
        self.too_hard = 0
        self.judge: Judge | None = None

    def ask(self, chosen: int) -> Answered:
        wrong = self.members.conflict(chosen)
        if wrong:
            return "unsat", wrong
        if self.too_hard < TOO_HARD:
            try:
                starts = self.timed.starts(self.members.named(chosen & self.clocked))
            except TooHard:
                self.too_hard += 1
            else:
                if starts is None:
                    return "unsat", chosen & self.clocked
                return "sat", _Hours(self, starts).widened(chosen)
        return self._by_z3(chosen)

    def _by_z3(self, chosen: int) -> Answered:
        if self.judge is None:
            ran, ended = self.prefix.ran, self.prefix.ended
            self.judge = judge_of(self.problem, ran, ended, self.timeout, self.free, plans=False)
            self.begun(self.judge)
        answer = self.judge.check(self.members.named(chosen))
        if answer == "unsat":
            return "unsat", self.members.mask(self.judge.hint()) & chosen
        return answer, chosen if answer == "sat" else 0


class _Hours:
    """Start hours of every action, which tell what members they meet."""

    def __init__(self, question: TimedQuestion, starts: Sequence[int]) -> None:
        self.question = question
        self.starts = starts
        self.ends = [s + hours for s, hours in zip(starts, question.timed.takes, strict=True)]
        self.facts = {f"step{f.step}": f for f in question.members.firsts}

    def widened(self, chosen: int) -> int:
        """Return ``chosen`` with all other members that these hours meet."""
        members = self.question.members
        for k, name in enumerate(members.names):
            bit = 1 << k
            if not chosen & bit and self._meet(name, chosen):
                chosen = members.widened(chosen, [bit])
        return chosen

    def _meet(self, name: str, chosen: int) -> bool:
        fact = self.facts.get(name)
        if fact is not None:
            assert fact.action is not None
            free = not chosen & self.question.one_by_one
            return self.starts[fact.action] == fact.start and (free or self._later(name, fact))
        c = self.question.problem.by_id.get(name)
        return c is None or self._meets(c, chosen)

    def _meets(self, c: Constraint, chosen: int) -> bool:
        place, starts, ends = self.question.problem.place, self.starts, self.ends
        if c.kind == "order":
            return ends[place[c.before or ""]] <= starts[place[c.after or ""]]
        if c.kind == "start_at_least":
            return starts[place[c.action or ""]] >= (c.hour or 0)
        if c.kind == "end_at_most":
            return ends[place[c.action or ""]] <= (c.hour or 0)
        if c.kind == "start_range":
            return all(0 <= s <= DAY - 1 for s in starts)
        if c.kind == "end_range":
            return all(1 <= e <= DAY for e in ends)
        if c.kind == "one_by_one":
            if any(x[1] > y[0] for x, y in pairwise(sorted(zip(starts, ends, strict=True)))):
                return False
            bit = self.question.members.bit
            return all(self._later(name, f) for name, f in self.facts.items() if chosen & bit[name])
        return True

    def _later(self, step: str, fact: Fact) -> bool:
        """Return whether every action that had not run at this step starts after the step's end."""
        assert fact.end is not None
        return all(self.starts[i] >= fact.end for i in self.question.timed.after[step])
