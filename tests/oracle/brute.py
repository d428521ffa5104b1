"""The same questions answered by trying everything. Shares no code with the oracle but its data types."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, permutations, product

from planscope.language.problem import Constraint, Problem
from planscope.oracle.trace import Trace
from tests.oracle.build import problem, trace

NAMES = "ABCDEFG"


def random_base(rng: random.Random, most: int = 5) -> tuple[Problem, Trace]:
    """A few actions, some constraints (now and then a contradiction), and calls with every kind of mistake."""
    n = rng.randint(1, most)
    names = NAMES[:n]
    plan = rng.sample(names, n)
    said = []
    for _ in range(rng.randint(0, 2 * n)):
        a, b = rng.choice(names), rng.choice(names)
        if rng.random() < 0.9 and plan.index(a) > plan.index(b):
            a, b = b, a
        if a != b or rng.random() < 0.03:
            said.append(f"{a}<{b}")
    calls = rng.sample(plan, n) if rng.random() < 0.6 else list(plan)
    if rng.random() < 0.2:
        calls = calls[: rng.randint(0, n)]
    if rng.random() < 0.15:
        calls.insert(rng.randint(0, len(calls)), rng.choice(names))
    if rng.random() < 0.15:
        calls.insert(rng.randint(0, len(calls)), "ghost")
    ending = rng.choice(["stopped", "stopped", "stopped", "timeout", "aborted", "running"])
    return problem(" ".join(names), *said), trace(" ".join(calls), ending)


def random_timed(rng: random.Random, most: int = 4, slack: bool = True) -> tuple[Problem, Trace]:
    """Windows and durations that often leave some way, calls near a plan with every kind of mistake."""
    n = rng.randint(1, most)
    names = NAMES[:n]
    takes = [rng.choice([1, 1, 2, 3, 5, 8]) for _ in names]
    plan = rng.sample(range(n), n)
    clock, starts = rng.randint(0, 6), {}
    for i in plan:
        starts[i] = clock
        clock += takes[i] + rng.choice([0, 0, 1, 4])
    said = []
    for _ in range(rng.randint(0, n + 1)):
        kind, i = rng.random(), rng.randrange(n)
        if kind < 0.35 and n > 1:
            a, b = rng.sample(range(n), 2)
            if rng.random() < 0.9 and plan.index(a) > plan.index(b):
                a, b = b, a
            said.append(f"{names[a]}<{names[b]}")
        elif kind < 0.65:
            said.append(f"{names[i]}>={min(24, max(0, starts[i] - rng.choice([0, 0, 1, 3, -1])))}")
        else:
            room = rng.choice([0, 0, 1, 2, 5, -1])
            said.append(f"{names[i]}<={min(24, max(0, starts[i] + takes[i] + room))}")
    order = list(plan) if rng.random() < 0.5 else rng.sample(plan, n)
    words = []
    for i in order:
        hour = starts[i] if rng.random() < 0.7 else rng.randint(-2, 25)
        words.append(f"{names[i]}@{hour}")
    if rng.random() < 0.2:
        words = words[: rng.randint(0, n)]
    if rng.random() < 0.1:
        words.insert(rng.randint(0, len(words)), f"{rng.choice(names)}@{rng.randint(0, 23)}")
    if rng.random() < 0.15:
        words.insert(rng.randint(0, len(words)), "restart")
    if rng.random() < 0.1:
        words.insert(rng.randint(0, len(words)), "ghost")
    ending = rng.choice(["stopped", "stopped", "stopped", "aborted", "running"])
    made = problem(" ".join(names), *said, timed=True, durations=takes)
    return made, trace(" ".join(words), ending)


def ids(problem: Problem) -> list[str]:
    return [a.id for a in problem.actions]


def true_in(c: Constraint, order: Sequence[str]) -> bool:
    return order.index(c.before or "") < order.index(c.after or "") and c.before != c.after


def base_orders(problem: Problem, prefix: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every order that begins with ``prefix``, legal or not."""
    rest = [a for a in ids(problem) if a not in prefix]
    for tail in permutations(rest):
        yield (*prefix, *tail)


def base_legal(problem: Problem, prefix: Sequence[str]) -> list[tuple[str, ...]]:
    said = problem.said
    return [o for o in base_orders(problem, prefix) if all(true_in(c, o) for c in said)]


def base_status(problem: Problem, c: Constraint, prefix: Sequence[str]) -> str:
    """What a constraint is, whatever is called next."""
    seen = {true_in(c, o) for o in base_orders(problem, prefix)}
    return "open" if len(seen) == 2 else "holds" if seen == {True} else "broken"


def timed_plans(
    problem: Problem, prefix: Sequence[tuple[str, int]], clock: int
) -> Iterator[tuple[tuple[str, int], ...]]:
    """Every way to finish hour by hour, one call after the other, within the day; ``prefix`` as it was."""
    takes = {a.id: a.duration or 1 for a in problem.actions}
    rest = [a for a in ids(problem) if a not in {p[0] for p in prefix}]

    def go(
        done: tuple[tuple[str, int], ...], left: tuple[str, ...], now: int
    ) -> Iterator[tuple[tuple[str, int], ...]]:
        if not left:
            yield done
        for a in left:
            for hour in range(max(0, now), 24):
                if hour + takes[a] <= 24:
                    yield from go((*done, (a, hour)), tuple(b for b in left if b != a), hour + takes[a])

    for plan in go(tuple(prefix), tuple(rest), clock):
        if timed_true(problem, dict(plan)):
            yield plan


def timed_true(problem: Problem, starts: dict[str, int]) -> bool:
    """Do these hours meet every constraint that the text says?"""
    return all(timed_one(problem, c, starts) for c in problem.said)


def timed_one(problem: Problem, c: Constraint, starts: dict[str, int]) -> bool:
    takes = {a.id: a.duration or 1 for a in problem.actions}
    if c.kind == "order":
        return starts[c.before or ""] + takes[c.before or ""] <= starts[c.after or ""]
    assert c.action is not None and c.hour is not None
    if c.kind == "start_at_least":
        return starts[c.action] >= c.hour
    return starts[c.action] + takes[c.action] <= c.hour


def timed_starts(problem: Problem) -> set[tuple[int, ...]]:
    """All start hours, one call after the other and within the day, that meet everything."""
    takes = {a.id: a.duration or 1 for a in problem.actions}
    found = set()
    for hours in product(*(range(25 - took) for took in takes.values())):
        starts = dict(zip(takes, hours, strict=True))
        if all(timed_one(problem, c, starts) for c in problem.said):
            apart = (
                starts[a] + takes[a] <= starts[b] or starts[b] + takes[b] <= starts[a]
                for a, b in permutations(takes, 2)
                if a < b
            )
            if all(apart):
                found.add(hours)
    return found


def delete_down(members: Sequence[str], possible: Callable[[set[str]], bool]) -> tuple[str, ...]:
    """The rule of the core: drop from the last to the first while the rest stays impossible."""
    kept = list(members)
    for m in reversed(members):
        rest = [k for k in kept if k != m]
        if not possible(set(rest)):
            kept = rest
    return tuple(kept)


def base_possible(
    problem: Problem, steps: dict[int, str], again: set[tuple[int, int]], ended: bool
) -> Callable[[set[str]], bool]:
    """Can a set of members hold together? A step says that its action came before all that had not run."""
    orders = list(permutations(ids(problem)))
    missing = set(ids(problem)) - set(steps.values())
    first: dict[int, str] = {}
    for k, a in steps.items():
        if a not in first.values():
            first[k] = a

    def possible(chosen: set[str]) -> bool:
        if "b1" in chosen and any(f"step{i}" in chosen and f"step{j}" in chosen for i, j in again):
            return False
        if ended and missing and {"b2", "end"} <= chosen:
            return False
        for order in orders:
            if not all(true_in(c, order) for c in problem.said if c.id in chosen):
                continue
            ran: set[str] = set()
            fine = True
            for k, a in first.items():
                ran.add(a)
                if f"step{k}" in chosen:
                    fine = fine and all(order.index(a) < order.index(b) for b in order if b not in ran)
            if fine:
                return True
        return False

    return possible


def timed_possible(
    problem: Problem, steps: dict[int, tuple[str, int]], low: int = -10, high: int = 36
) -> Callable[[set[str]], bool]:
    """As above with hours, by trying every hour of a wide range for every action."""
    names = ids(problem)
    takes = {a.id: a.duration or 1 for a in problem.actions}

    def possible(chosen: set[str]) -> bool:
        ran: set[str] = set()
        after: dict[str, list[int]] = {a: [] for a in names}
        fixed: dict[str, int] = {}
        for k, (a, hour) in steps.items():
            ran.add(a)
            if f"step{k}" in chosen:
                fixed[a] = hour
                if "b3" in chosen:
                    for b in names:
                        if b not in ran:
                            after[b].append(hour + takes[a])
        ranges = [
            [h for h in ([fixed[a]] if a in fixed else range(low, high)) if all(h >= e for e in after[a])]
            for a in names
        ]
        for a, hours in zip(names, ranges, strict=True):
            if "b4" in chosen:
                hours[:] = [h for h in hours if 0 <= h <= 23]
            if "b5" in chosen:
                hours[:] = [h for h in hours if 1 <= h + takes[a] <= 24]
        for hours in product(*ranges):
            starts = dict(zip(names, hours, strict=True))
            if not all(timed_one(problem, c, starts) for c in problem.said if c.id in chosen):
                continue
            if "b3" in chosen:
                spans = sorted((starts[a], starts[a] + takes[a]) for a in names)
                if any(x[1] > y[0] for x, y in pairwise(spans)):
                    continue
            return True
        return False

    return possible
