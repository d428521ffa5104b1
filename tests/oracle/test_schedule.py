"""Scheduling alone, against every order, and the shortcuts that keep it quick."""

from __future__ import annotations

import random
from itertools import permutations

from planscope.oracle.schedule import NEVER, Schedule


def small(seed: int) -> Schedule:
    """Up to five actions in windows that are often just too narrow, some of them interchangeable."""
    rng = random.Random(seed)
    n = rng.randint(1, 5)
    takes = [rng.randint(1, 3) for _ in range(n)]
    release = [rng.randint(0, 5) for _ in range(n)]
    deadline = [r + t + rng.randint(0, 6) for r, t in zip(release, takes, strict=True)]
    pairs = [(a, b) for a in range(n) for b in range(n) if a < b and rng.random() < 0.2]
    return Schedule(takes, release, deadline, pairs)


def latest(schedule: Schedule, rest: list[int]) -> float:
    """The latest hour of the clock from which some order finishes ``rest``."""
    best = NEVER
    for order in permutations(rest):
        if any(schedule.preds[i] >> j & 1 for k, i in enumerate(order) for j in order[k + 1 :]):
            continue
        end = float("inf")
        for i in reversed(order):
            end = min(end, schedule.deadline[i]) - schedule.takes[i]
            if end < schedule.release[i]:
                break
        else:
            best = max(best, end)
    return best


def test_the_latest_hour_is_that_of_the_best_order() -> None:
    found = set()
    for seed in range(1500):
        schedule = small(seed)
        for mask in range(1, 1 << schedule.n):
            rest = [i for i in range(schedule.n) if mask >> i & 1]
            if not any(schedule.succs[i] & ~mask for i in rest):
                hour = schedule.latest(mask)
                assert hour == latest(schedule, rest), (seed, mask)
                found.add(hour)
    assert NEVER in found and len(found) > 10


def test_interchangeable_actions_are_tried_once() -> None:
    """Eight calls of two hours fill the day but for hour 5, which is taken: no order fits, and few sets show it."""
    schedule = Schedule([2] * 8 + [1], [0] * 8 + [5], [17] * 8 + [6], [], limit=40)
    assert schedule.latest((1 << 9) - 1) == NEVER
    assert schedule.completions((1 << 9) - 1, 0) == 0


def test_a_day_that_is_too_full_is_seen_without_trying_orders() -> None:
    """Interrupting calls would not help either, which costs no search: without it, 9,488 sets are examined."""
    rng = random.Random(78)
    takes = [rng.randint(1, 3) for _ in range(14)]
    day = sum(takes)
    release = [rng.randint(0, day - 6) for _ in takes]
    deadline = [min(day + 1, r + t + rng.randint(3, 9)) for r, t in zip(release, takes, strict=True)]
    assert Schedule(takes, release, deadline, [], limit=10).latest((1 << 14) - 1) == NEVER
