"""A run judged by trying every order or every hour, from its calls alone. Shares no code with the oracle.

What the specification says of a run is written down here once more, as directly as can be: what a call does, what is
false whatever comes next, which plans are left, which core the deletion rule gives, what could not be foreseen, and
what the nearest plan is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from itertools import pairwise, permutations, product
from typing import TypeVar

from planscope.language.problem import Constraint, Problem
from planscope.oracle.trace import ToolCall, Trace
from tests.oracle import worlds
from tests.oracle.brute import delete_down

T = TypeVar("T")

FEW_HOURS = (1, 2, 3, 5, 8)
"""Durations that are tried for what has not been called yet."""

Told = tuple[str, int | str, tuple[str, ...], str, tuple[str, ...]]
"""A finding: type, step, constraints, severity, actions."""

PRIMARY = ("timeout", "act_error", "action_lost", "action_repeated")
KINDS = (*PRIMARY, "parameter_error", "order_error")


@dataclass
class Step:
    """What a call did: ``effect`` is done, repeated, refused, kept (from its tool), restart."""

    step: int
    attempt: int
    effect: str
    action: int = -1
    start: int = 0
    first: int = 0
    clock: int | None = None
    extra: bool = False


def read(problem: Problem, trace: Trace) -> list[Step]:
    tools = [a.tool for a in problem.actions]
    takes = [a.duration or 1 for a in problem.actions]
    made: list[Step] = []
    attempt, done, clock = 1, dict[int, int](), None
    for k, call in enumerate(trace.calls, 1):
        hour = _hour(call) if problem.timed else 0
        names = set(call.arguments or ()) - ({"start_time"} if problem.timed else set())
        if call.arguments is None or call.error is not None:
            made.append(Step(k, attempt, "refused"))
        elif call.refused:
            made.append(Step(k, attempt, "kept"))
        elif problem.timed and call.tool == "ask_for_restart":
            attempt, done, clock = attempt + 1, {}, None
            made.append(Step(k, attempt, "restart", extra=bool(call.arguments)))
        elif call.tool not in tools or hour is None:
            made.append(Step(k, attempt, "refused"))
        else:
            i = tools.index(call.tool)
            effect = "repeated" if i in done else "done"
            made.append(Step(k, attempt, effect, i, hour, done.get(i, 0), clock, bool(names)))
            done.setdefault(i, k)
            if problem.timed:
                clock = max(hour + takes[i], hour + takes[i] if clock is None else clock)
    return made


def _hour(call: ToolCall) -> int | None:
    value = (call.arguments or {}).get("start_time")
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        return None
    return int(value)


def remembered(method: Callable[[Judged, int], T]) -> Callable[[Judged, int], T]:
    """Each answer of one that is judged is worked out once."""

    @wraps(method)
    def answer(self: Judged, at: int) -> T:
        key = (method.__name__, at)
        if key not in self.known:
            self.known[key] = method(self, at)
        return self.known[key]

    return answer


@dataclass
class Judged:
    """The answers, index by index: 0 is before any call, k after call k, and one more for the end."""

    problem: Problem
    trace: Trace
    steps: list[Step] = field(init=False)
    known: dict[tuple[str, int], object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.steps = read(self.problem, self.trace)
        self.n = len(self.problem.actions)
        self.takes = [a.duration or 1 for a in self.problem.actions]
        self.place = {a.id: i for i, a in enumerate(self.problem.actions)}
        self.rule = {str(c.kind): c.id for c in self.problem.constraints if c.is_rule}
        self.ids = [a.id for a in self.problem.actions]

    @property
    def last(self) -> int:
        return len(self.steps) + (self.trace.ending != "running")

    def attempt(self, index: int) -> int:
        seen = self.steps[:index]
        return seen[-1].attempt if seen else 1

    @remembered
    def ran(self, index: int) -> list[Step]:
        """First and repeated executions of the attempt at an index."""
        here = self.attempt(index)
        return [s for s in self.steps[:index] if s.attempt == here and s.effect in ("done", "repeated")]

    @remembered
    def firsts(self, index: int) -> list[Step]:
        return [s for s in self.ran(index) if s.effect == "done"]

    def stopped(self, index: int) -> bool:
        return index > len(self.steps) and self.trace.ending != "aborted"

    # What a set of members leaves

    def _meets(self, c: Constraint, takes: Sequence[int]) -> int:
        """The worlds in which what the text says holds."""
        if not self.problem.timed:
            return worlds.orders(self.n).before(self.place[c.before or ""], self.place[c.after or ""])
        world = worlds.hours(self.n)
        if c.kind == "order":
            before, after = self.place[c.before or ""], self.place[c.after or ""]
            return 0 if before == after else world.gap(before, after, takes[before])
        i, hour = self.place[c.action or ""], c.hour or 0
        return world.at_least(i, hour) if c.kind == "start_at_least" else world.at_most(i, hour - takes[i])

    def worlds(self, chosen: set[str], index: int, takes: Sequence[int] | None = None) -> int:
        """The worlds in which all of ``chosen`` holds, with the calls up to an index."""
        takes = takes or self.takes
        world = worlds.hours(self.n) if self.problem.timed else worlds.orders(self.n)
        ran = self.ran(index)
        for s in ran:
            pair = {self.rule["once"], f"step{s.step}", f"step{s.first}"}
            if s.effect == "repeated" and pair <= chosen:
                return 0
        if {self.rule["all_done"], "end"} <= chosen and len(self.firsts(index)) < self.n:
            return 0
        found = world.all
        for c in self.problem.said:
            if c.id in chosen:
                found &= self._meets(c, takes)
        later = set(range(self.n))
        for s in self.firsts(index):
            later.discard(s.action)
            if f"step{s.step}" in chosen:
                found &= self._ran(s, later, takes, self.rule.get("one_by_one") in chosen)
        if isinstance(world, worlds.Hours):
            for i in range(self.n):
                if self.rule["start_range"] in chosen:
                    found &= world.at_least(i, 0) & world.at_most(i, 23)
                if self.rule["end_range"] in chosen:
                    found &= world.at_least(i, 1 - takes[i]) & world.at_most(i, 24 - takes[i])
            if self.rule["one_by_one"] in chosen:
                found &= world.apart(takes)
        return found

    def _ran(self, s: Step, later: set[int], takes: Sequence[int], one_by_one: bool) -> int:
        """The worlds in which a step happened as it did."""
        if not self.problem.timed:
            world = worlds.orders(self.n)
            found = world.all
            for j in later:
                found &= world.before(s.action, j)
            return found
        found = worlds.hours(self.n).at(s.action, s.start)
        for j in later if one_by_one else ():
            found &= worlds.hours(self.n).at_least(j, s.start + takes[s.action])
        return found

    def members(self, index: int) -> list[str]:
        said = [c.id for c in self.problem.constraints]
        return said + [f"step{s.step}" for s in self.ran(index)] + ["end"] * self.stopped(index)

    @remembered
    def left(self, index: int) -> int:
        """The worlds in which everything holds."""
        return self.worlds(set(self.members(index)), index)

    # States

    @remembered
    def broken(self, index: int) -> set[str]:
        """Constraints that are false whatever is called next."""
        ran, firsts = self.ran(index), self.firsts(index)
        starts = {s.action: s.start for s in firsts}
        found = {self.rule["once"] for s in ran if s.effect == "repeated"}
        for c in self.problem.said:
            if c.before is not None and c.before == c.after:
                found.add(c.id)
            elif self.problem.timed:
                if all(self.place[a] in starts for a in c.actions) and not self._true(c, starts):
                    found.add(c.id)
            elif not self._prefix(index) & self._meets(c, self.takes):
                found.add(c.id)
        for s in ran if self.problem.timed else ():
            found.update(self._hours_broken(s))
        return found

    @remembered
    def _prefix(self, index: int) -> int:
        """The orders that begin with what ran (base)."""
        return self.worlds({f"step{s.step}" for s in self.firsts(index)}, index)

    def _true(self, c: Constraint, starts: dict[int, int]) -> bool:
        if c.kind == "order":
            before, after = self.place[c.before or ""], self.place[c.after or ""]
            return starts[before] + self.takes[before] <= starts[after]
        i = self.place[c.action or ""]
        if c.kind == "start_at_least":
            return starts[i] >= (c.hour or 0)
        return starts[i] + self.takes[i] <= (c.hour or 0)

    def _hours_broken(self, s: Step) -> list[str]:
        end = s.start + self.takes[s.action]
        wrong = {
            "one_by_one": s.clock is not None and s.start < s.clock,
            "start_range": s.start < 0 or s.start > 23,
            "end_range": end < 1 or end > 24,
        }
        return [c.id for c in self.problem.constraints if wrong.get(str(c.kind))]

    def status(self, c: Constraint, index: int) -> str:
        """Of what the text says."""
        if c.id in self.broken(index):
            return "broken"
        if self.problem.timed:
            done = {s.action for s in self.firsts(index)}
            return "holds" if all(self.place[a] in done for a in c.actions) else "open"
        prefix = self._prefix(index)
        return "open" if prefix & ~self._meets(c, self.takes) else "holds"

    @remembered
    def state(self, index: int) -> str:
        if self.broken(index):
            return "broken"
        return "completable" if self.left(index) else "doomed"

    @remembered
    def first_lost(self, attempt: int) -> int | None:
        for index in range(self.last + 1):
            if self.attempt(index) == attempt and self.state(index) in ("doomed", "broken"):
                return index
        return None

    @remembered
    def core(self, index: int) -> tuple[str, ...]:
        return delete_down(self.members(index), lambda chosen: bool(self.worlds(chosen, index)))

    @remembered
    def foreseeable(self, index: int) -> bool:
        """Would no durations of what was never called, of at least 1 hour each, let the plan be finished?"""
        called = {s.action for s in self.steps[:index] if s.effect in ("done", "repeated")}
        if not self.problem.timed:
            return True
        open_ = [[self.takes[i]] if i in called else FEW_HOURS for i in range(self.n)]
        everything = set(self.members(index))
        return not any(self.worlds(everything, index, takes) for takes in product(*open_))

    # Ways on

    @remembered
    def orders_left(self, index: int) -> dict[tuple[int, ...], int]:
        """Each order of what remains that can be finished, with its worlds."""
        rest = sorted(set(range(self.n)) - {s.action for s in self.firsts(index)})
        left, found = self.left(index), {}
        for order in permutations(rest):
            mask = left
            for a, b in pairwise(order):
                world = worlds.hours(self.n) if self.problem.timed else None
                mask &= world.gap(a, b, self.takes[a]) if world else worlds.orders(self.n).before(a, b)
            if mask:
                found[order] = mask
        return found

    @remembered
    def safe(self, index: int) -> dict[str, set[int] | None]:
        """The safe next moves; timed: with every hour that is."""
        found: dict[str, set[int] | None] = {}
        for order, mask in self.orders_left(index).items():
            if not order:
                continue
            name = self.ids[order[0]]
            if not self.problem.timed:
                found[name] = None
                continue
            at = worlds.hours(self.n).at
            good = {h for h in range(25) if mask & at(order[0], h)}
            found[name] = good | (found.get(name) or set())
        return found

    # Findings

    def findings(self) -> tuple[Told, ...]:
        """Those of the last attempt, primary first, then by step."""
        attempt = self.attempt(len(self.steps))
        found = [told for s in self.steps if s.attempt == attempt for told in self._told(s)]
        missing = [i for i in range(self.n) if i not in {s.action for s in self.firsts(len(self.steps))}]
        if self.trace.ending in ("timeout", "call_limit"):
            found.append(("timeout", "end", (), "error", ()))
        if missing and self.trace.ending not in ("aborted", "running"):
            lost = tuple(self.ids[i] for i in missing)
            found.append(("action_lost", "end", (self.rule["all_done"],), "error", lost))
        if not missing:
            found = [(t, s, c, "warning" if t == "act_error" else w, a) for t, s, c, w, a in found]
        found.sort(key=lambda f: (99 if f[1] == "end" else int(f[1]), KINDS.index(f[0])))
        errors = [f for f in found if f[3] == "error"]
        for kind in PRIMARY:
            first = next((f for f in errors if f[0] == kind), None)
            if first is not None:
                break
        else:
            first = errors[0] if errors else None
        return tuple(found) if first is None else (first, *[f for f in found if f is not first])

    def _told(self, s: Step) -> Iterator[Told]:
        if s.effect == "refused":
            yield "act_error", s.step, (), "error", ()
        if s.extra:
            yield "act_error", s.step, (), "warning", ()
        if s.effect not in ("done", "repeated"):
            return
        mine = (self.ids[s.action],)
        if s.effect == "repeated":
            yield "action_repeated", s.step, (self.rule["once"],), "error", mine
        orders = [c for c in self.problem.said if c.kind == "order" and self._breaks(c, s)]
        if orders:
            about = dict.fromkeys(a for c in orders for a in c.actions)
            yield "order_error", s.step, tuple(c.id for c in orders), "error", tuple(about)
        if self.problem.timed:
            clocks = [
                c for c in self.problem.said if c.kind != "order" and self.place[c.action or ""] == s.action
            ]
            wrong = [c.id for c in clocks if not self._true(c, {s.action: s.start})]
            wrong += self._hours_broken(s)
            if wrong:
                yield "parameter_error", s.step, tuple(wrong), "error", mine

    def _breaks(self, c: Constraint, s: Step) -> bool:
        """Does this call break the order?"""
        if s.effect == "repeated" or self.ids[s.action] not in c.actions:
            return False
        if c.before == c.after:
            return True
        return c.id in self.broken(s.step) and c.id not in self.broken(s.step - 1)

    def verdict(self, strict: bool = False) -> tuple[str, str | None]:
        if self.trace.ending == "aborted":
            return "aborted", None
        if self.trace.ending == "running":
            return "unknown", None
        found = self.findings()
        if found and (strict or found[0][3] == "error"):
            return "wrong", found[0][0]
        return "right", None

    # The nearest plan

    @cached_property
    def own(self) -> list[int]:
        """The agent's own order: first executions of the last attempt."""
        return [s.action for s in self.firsts(len(self.steps))]

    def nearest(self, from_step: int) -> tuple[tuple[str, ...], dict[str, int] | None, int] | None:
        """The plan that keeps the calls up to ``from_step``: order, hours, swaps; None where there is none."""
        own, n = self.own, self.n
        rank = {i: own.index(i) if i in own else n + i for i in range(n)}
        kept = [s for s in self.firsts(len(self.steps)) if s.step <= from_step]
        here = self.attempt(from_step) == self.attempt(len(self.steps))
        if here and self.broken(from_step):
            return None
        blank = Judged(self.problem, Trace((), "running"))
        left = self.orders_left(from_step) if here else blank.orders_left(0)
        if not left:
            return None
        begun = [s.action for s in kept]

        def swaps(order: Sequence[int]) -> int:
            mine = [rank[i] for i in (*begun, *order) if i in own]
            return sum(x > y for k, x in enumerate(mine) for y in mine[k + 1 :])

        least = min(map(swaps, left))
        near = [order for order in left if swaps(order) == least]
        if not self.problem.timed:
            best = min(near, key=lambda order: [rank[i] for i in order])
            return tuple(self.ids[i] for i in (*begun, *best)), None, least
        hour = {s.action: s.start for s in self.firsts(len(self.steps))}
        plans = (
            (
                sum(abs(at[i] - hour[i]) for i in order if i in hour),
                sum(at),
                [rank[i] for i in order],
                order,
                at,
            )
            for order in near
            for at in worlds.hours(n).among(left[order])
        )
        *_, order, at = min(plans)
        whole = (*begun, *order)
        return tuple(self.ids[i] for i in whole), {self.ids[i]: at[i] for i in whole}, least
