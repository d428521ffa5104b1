"""Repairs are the nearest: against all changes, tried one by one in the order that decides between equal ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from random import Random

import pytest

from planscope.rules.judge import Rulebook
from planscope.rules.reading import read_rules
from planscope.rules.repair import RulesRepair, repair
from planscope.rules.rule import Rule
from tests.rules.brute import all_kept
from tests.rules.many_cases import trace_of
from tests.rules.table import Event
from tests.rules.worlds import make_world

Spot = tuple[int, str, int, int]
"""Place, tool, step (0: inserted), rank among those at one place."""


def changes(trace: list[Event], tools: list[str], most: int) -> Iterator[tuple[tuple, list[Event]]]:  # type: ignore[type-arg]
    """Every change of at most ``most`` calls with its rank, and the trace after it."""
    n = len(trace)
    for cost in range(most + 1):
        for kinds in product("mir", repeat=cost):
            if list(kinds) != sorted(kinds):
                continue
            options = [
                list(product(range(n), range(n + 1)))
                if kind == "m"
                else list(product(tools, range(n + 1)))
                if kind == "i"
                else [(k, k) for k in range(n)]
                for kind in kinds
            ]
            for chosen in product(*options):
                sources = [what for kind, (what, _) in zip(kinds, chosen, strict=True) if kind != "i"]
                if len(set(sources)) < len(sources):
                    continue
                placed: list[tuple[int, str, int, Event | None]] = []
                for kind, (what, place) in zip(kinds, chosen, strict=True):
                    if kind == "i":
                        placed.append((place, str(what), 0, Event(str(what))))
                    else:
                        event = trace[int(what)]
                        placed.append((place, event.tool, int(what) + 1, event if kind == "m" else None))
                for order in permutations(placed):
                    order = sorted(order, key=lambda spot: spot[0])
                    after = []
                    for k in range(n + 1):
                        after += [event for place, _, _, event in order if place == k and event is not None]
                        if k < n and k not in sources:
                            after.append(trace[k])
                    rank = (
                        cost,
                        cost - kinds.count("m"),
                        kinds.count("r"),
                        tuple(spot[0] for spot in order),
                        tuple((spot[1], spot[2]) for spot in order),
                    )
                    yield rank, after


def nearest(rules: list[Rule], trace: list[Event], tools: list[str], most: int = 2) -> tuple | None:  # type: ignore[type-arg]
    found = [rank for rank, after in changes(trace, tools, most) if all_kept(rules, after)]
    return min(found, default=None)


def rank_of(fixed: RulesRepair, n: int) -> tuple:  # type: ignore[type-arg]
    def place(before: object) -> int:
        return n if before == "end" else int(str(before)) - 1

    spots = [(place(m.before), m.tool, m.step) for m in fixed.moved]
    spots += [(place(i.before), i.tool, 0) for i in fixed.inserted]
    spots += [(r.step - 1, r.tool, r.step) for r in fixed.removed]
    return (
        fixed.cost,
        fixed.cost - len(fixed.moved),
        len(fixed.removed),
        tuple(sorted(s[0] for s in spots)),
        tuple(s[1:] for s in sorted(spots, key=lambda spot: spot[0])),
    )


@pytest.mark.parametrize("seed", range(30))
def test_repairs_are_the_nearest(seed: int) -> None:
    random = Random(seed)
    world = make_world(random, 2)
    while (
        world.late
        or any(not c.plain or c.is_user for r in world.rules for c in r.sets)
        or any(r.per for r in world.rules)
    ):
        world = make_world(random, 2)
    trace = [e._replace(message=k) for k, e in enumerate(world.trace(random, 4))]
    tools = sorted({e.tool for e in world.letters})
    book = Rulebook(world.rules)
    fixed = repair(book, tools, trace_of(trace))
    best = nearest(world.rules, trace, tools)
    if best is None:
        assert fixed is None or fixed.cost > 2
        return
    assert fixed is not None and fixed.exact
    rank = rank_of(fixed, len(trace))
    assert rank[:4] == best[:4] and sorted(rank[4]) == sorted(best[4]), (world.rules, trace, fixed, best)


def test_ties() -> None:
    book = Rulebook(read_rules("a comes before b.").rules)
    fixed = repair(book, ["a", "b"], trace_of([Event("b", message=1), Event("a", message=2)]))
    assert fixed is not None and [(m.step, m.tool, m.before) for m in fixed.moved] == [(2, "a", 1)]
    fixed = repair(book, ["a", "b"], trace_of([Event("b", message=1)]))
    assert fixed is not None and [(i.tool, i.before) for i in fixed.inserted] == [("a", 1)]
