"""Repairs where they are no longer exact, what they keep and leave out, and ties; brute force does the rest."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise, permutations

import pytest

from planscope.oracle import repair
from planscope.oracle.replay import Replay, replay
from planscope.oracle.schedule import Schedule, TooHard
from planscope.oracle.trace import Trace
from planscope.oracle.verdict_types import Repair
from tests.oracle import brute
from tests.oracle.build import problem, trace


def many(n: int, said: list[str], order: list[int], **more: object) -> Replay:
    names = [f"T{i}" for i in range(n)]
    return replay(problem(" ".join(names), *said, **more), trace(" ".join(names[i] for i in order)))


def test_twelve_actions_are_exact_whatever_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "BUDGET", 1)
    fixed = many(12, ["T0<T11"], [11, *range(1, 11), 0]).repair()
    assert fixed.exact and fixed.swaps == 11
    fixed = many(13, ["T0<T12", "T12<T5"], [12, *range(1, 12), 0]).repair()
    assert not fixed.exact and fixed.order is not None


def test_what_is_kept_does_not_count_for_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "BUDGET", 1)
    run = many(13, ["T11<T12", "T10<T12", "T9<T12"], [*range(9), 12, 9, 10, 11])
    assert run.repair(8).exact and run.repair(8).swaps == 3
    run = many(13, ["T2<T1", "T3<T1"], [0, 1, 2, *range(3, 13)])
    assert run.repair(1).exact and run.repair(1).swaps == 2


def test_within_the_budget_more_are_exact_too() -> None:
    fixed = many(14, ["T13<T12"], list(range(14))).repair()
    assert fixed.exact and fixed.swaps == 1
    assert fixed.order == (*[f"a{i}" for i in range(1, 13)], "a14", "a13")


def test_the_best_found_is_a_plan_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a budget of one placement: the cheapest move each time."""
    monkeypatch.setattr(repair, "BUDGET", 1)
    monkeypatch.setattr(repair, "EXACT", -1)
    proved = 0
    for seed in range(150):
        made, calls = brute.random_base(random.Random(seed), most=5)
        run = replay(made, calls)
        fixed = run.repair()
        legal = brute.base_legal(made, [])
        if not legal:
            assert fixed.order is None and fixed.exact
            continue
        assert fixed.order in legal and fixed.swaps is not None
        best = _fewest(run, legal)
        assert fixed.swaps >= best
        if fixed.exact:
            proved += 1
            assert fixed.swaps == best, seed
    assert proved > 50


def _fewest(run: Replay, orders: list[tuple[str, ...]]) -> int:
    own = [v.action for v in run.steps if v.action]
    rank = {a: own.index(a) for a in own}

    def swaps(order: tuple[str, ...]) -> int:
        mine = [rank[a] for a in order if a in rank]
        return sum(x > y for i, x in enumerate(mine) for y in mine[i + 1 :])

    return min(map(swaps, orders))


def test_the_best_found_of_a_timed_run_is_never_called_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "BUDGET", 1)
    monkeypatch.setattr(repair, "EXACT", -1)
    seen = 0
    for seed in range(120):
        made, calls = brute.random_timed(random.Random(seed), most=3)
        fixed = replay(made, calls).repair()
        if fixed.order is None or len(made.actions) < 2:
            continue
        assert fixed.starts is not None
        plan = [(a, fixed.starts[a]) for a in fixed.order]
        assert tuple(plan) in set(brute.timed_plans(made, [], 0)), seed
        seen += not fixed.exact
    assert seen > 40


def test_the_cheapest_move_is_the_one_with_fewest_swaps_then_changes_then_the_agents_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(repair, "BUDGET", 1)
    monkeypatch.setattr(repair, "EXACT", -1)
    base = replay(problem("A B C D", "C<A"), trace("B A D C")).repair()
    assert base.order == ("a2", "a4", "a3", "a1") and base.swaps == 2, (
        "both next moves cost one swap: D was earlier"
    )
    few = replay(problem("A B C D", "D<A", "D<B"), trace("A B C D")).repair()
    assert few.order == ("a4", "a1", "a2", "a3") and few.swaps == 3, (
        "C next would cost two swaps, D costs one"
    )
    timed = replay(problem("A B", timed=True, durations=[2, 1]), trace("B@7 A@3")).repair()
    assert timed.order == ("a2", "a1") and timed.starts == {"a2": 7, "a1": 8}


def test_hours_change_as_little_as_can_be_and_then_are_early() -> None:
    made = problem("A B C", timed=True, durations=[2, 3, 1])
    fixed = replay(made, trace("A@5 B@6")).repair()
    assert fixed.starts == {"a1": 4, "a2": 6, "a3": 0}
    assert fixed.order == ("a3", "a1", "a2") and fixed.inserted == ("a3",) and fixed.swaps == 0


def test_a_plan_is_searched_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page shows it twice. A run that went on has a plan of its own."""
    run = many(4, ["T0<T1"], [1, 0])
    run.own.trace = Trace(run.trace.calls, "running")
    searched: list[int] = []
    nearest = repair.nearest
    monkeypatch.setattr(repair, "nearest", lambda *given: (searched.append(given[-1]), nearest(*given))[1])
    assert run.repair() == run.repair() and run.repair(1) == run.repair(1)
    assert searched == [0, 1]
    longer = run.then(*trace("T3").calls)
    assert (run.repair().inserted, longer.repair().inserted) == (("a3", "a4"), ("a3",))
    assert searched == [0, 1, 0]


def test_only_repeats_behind_what_is_kept_are_left_out() -> None:
    run = replay(problem("A B C"), trace("A B B C C C"))
    assert run.repair().removed == ("a2", "a3", "a3")
    assert run.repair(2).removed == ("a2", "a3", "a3")
    lost = run.repair(3)
    assert lost.order is None and lost.exact and lost.reason == "after step 3 nothing can save the plan"
    assert lost == Repair(None, exact=True, reason="after step 3 nothing can save the plan")


def test_what_no_plan_meets_says_so() -> None:
    assert replay(problem("A B", "A<B", "B<A"), trace("A B")).repair().reason == "no plan meets the query"
    full = problem("A B", timed=True, durations=[20, 20])
    assert replay(full, trace("A@0 B@1")).repair().reason == "no plan meets the query"
    late = replay(problem("A B", "A<B", "A<=9", timed=True, durations=[2, 1]), trace("B@8 A@9"))
    assert late.repair(1).reason == "after step 1 nothing can save the plan"
    assert late.repair().order == ("a1", "a2")


def test_a_kept_call_that_came_too_early_cannot_be_saved() -> None:
    run = replay(problem("A B C", "A<B", timed=True), trace("B@3 A@1 C@5"))
    assert run.repair(1).order is None
    broken = replay(problem("A B", "A<B"), trace("B A"))
    assert broken.repair(0).order == ("a1", "a2") and broken.repair(1).order is None


def test_where_scheduling_gives_up_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    run = replay(problem("A B", timed=True), trace("A@0 B@1"))

    def too_hard(self: Schedule, rest: int) -> float:
        raise TooHard

    monkeypatch.setattr(Schedule, "latest", too_hard)
    assert run.repair() == Repair(None, exact=False, reason="no plan was found in time")


def test_the_clock_of_what_is_kept_goes_on() -> None:
    run = replay(problem("A B C", timed=True, durations=[3, 2, 1]), trace("A@4 B@5 C@6"))
    fixed = run.repair(1)
    assert fixed.order == ("a1", "a2", "a3") and fixed.starts == {"a1": 4, "a2": 7, "a3": 9}
    assert fixed.swaps == 0 and not fixed.inserted and not fixed.removed


def test_a_way_back_goes_on_from_the_calls_before_the_loss_if_it_can() -> None:
    made = problem("A B C", "B<C", timed=True, durations=[3, 2, 1])
    run = replay(made, trace("A@4 C@8 B@10"))
    assert run.repair().starts == {"a1": 4, "a2": 7, "a3": 9} and run.repair().kept == 0
    back = run.way_back()
    assert (back.order, back.kept) == (("a1", "a2", "a3"), 1)
    first = replay(made, trace("C@8 A@9 B@12"))
    assert first.way_back() == first.repair() and first.way_back().kept == 0


def test_from_a_step_the_swaps_are_those_from_the_whole_of_the_agents_order() -> None:
    run = replay(problem("A B C D", "D<B"), trace("A C B D"))
    fixed = run.repair(2)
    assert fixed.order == ("a1", "a3", "a4", "a2") and fixed.swaps == 1


def test_every_tie_goes_to_the_order_nearest_to_the_agents_own() -> None:
    """Three have to come behind the last one: which way round the others go is the agent's."""
    for own in permutations("ABCD"):
        made = problem("A B C D", f"{own[3]}<{own[0]}")
        fixed = replay(made, trace(" ".join(own))).repair()
        rank = {f"a{'ABCD'.index(x) + 1}": i for i, x in enumerate(own)}
        legal = brute.base_legal(made, [])
        swaps = {o: sum(rank[x] > rank[y] for i, x in enumerate(o) for y in o[i + 1 :]) for o in legal}
        least = min(swaps.values())
        assert fixed.order == min((o for o in legal if swaps[o] == least), key=lambda o: [rank[a] for a in o])


def test_swaps_that_the_request_forces_are_no_sign_of_a_worse_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole order is forced, partly through what lies between: the plan found first is the nearest."""
    monkeypatch.setattr(repair, "BUDGET", 1)
    monkeypatch.setattr(repair, "EXACT", -1)
    fixed = replay(problem("A B C", "A<B", "B<C"), trace("C B A")).repair()
    assert fixed.order == ("a1", "a2", "a3") and fixed.swaps == 3 and fixed.exact


def test_no_set_of_actions_is_gone_through_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many ways lead to what remains at an hour: it is left in one."""
    real, seen = repair._Search._moves, list[tuple[int, int]]()

    def moves(self: repair._Search, rest: int, clock: int) -> object:
        seen.append((rest, clock))
        return real(self, rest, clock)

    monkeypatch.setattr(repair._Search, "_moves", moves)
    assert many(9, ["T0<T8"], [8, *range(1, 8), 0]).repair().swaps == 8
    assert len(seen) == len(set(seen)) > 20
    seen.clear()
    late = replay(problem("A B C D", "D<A", timed=True, durations=[3, 2, 1, 2]), trace("A@1 B@6 C@9 D@12"))
    assert late.repair().swaps == 3
    assert len(seen) == len(set(seen)) > 20


def test_the_budget_is_a_number_of_placements(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that needs exactly the budget is exact; with one placement less it gives up."""
    real, tried = repair._Search._moves, 0

    def moves(self: repair._Search, rest: int, clock: int) -> Iterator[object]:
        nonlocal tried
        for move in real(self, rest, clock):
            tried += 1
            yield move

    monkeypatch.setattr(repair._Search, "_moves", moves)
    assert many(6, ["T0<T5"], [5, 1, 2, 3, 4, 0]).repair().exact
    monkeypatch.setattr(repair, "EXACT", -1)
    for budget, exact in ((tried, True), (tried - 1, False)):
        monkeypatch.setattr(repair, "BUDGET", budget)
        assert many(6, ["T0<T5"], [5, 1, 2, 3, 4, 0]).repair().exact is exact


@pytest.mark.parametrize("chain", list(permutations(range(4))))
def test_all_that_a_chain_forces_costs_nothing(
    chain: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each action must come after those before it in the chain, although only its neighbours are named."""
    monkeypatch.setattr(repair, "BUDGET", 1)
    monkeypatch.setattr(repair, "EXACT", -1)
    said = [f"T{a}<T{b}" for a, b in pairwise(chain)]
    fixed = many(4, said, list(reversed(chain))).repair()
    assert fixed.exact and fixed.swaps == 6 and fixed.order == tuple(f"a{i + 1}" for i in chain)
