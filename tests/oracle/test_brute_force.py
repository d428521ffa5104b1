"""The oracle against brute force on random cases; ``python -m tests.oracle.many_cases`` tries many more."""

from __future__ import annotations

import random

import pytest

from planscope.oracle.replay import Replay, replay
from tests.nightly import nightly, rounds
from tests.oracle import brute

BASE = rounds(240, 600)
TIMED = rounds(120, 300)


def executed(run: Replay, index: int) -> tuple[list[str], bool]:
    """The first executions of the attempt at ``index``, in order, and whether one was repeated."""
    attempt = run.steps[index].attempt
    seen: list[str] = []
    repeated = False
    for view in run.steps[1 : index + 1]:
        if view.attempt == attempt and view.action is not None:
            if view.action in seen:
                repeated = True
            else:
                seen.append(view.action)
    return seen, repeated


@pytest.mark.parametrize("chunk", range(6))
def test_base_states_counts_moves_and_statuses(chunk: int) -> None:
    for seed in range(chunk, BASE, 6):
        problem, trace = brute.random_base(random.Random(seed))
        run = replay(problem, trace)
        for view in run.steps:
            prefix, repeated = executed(run, view.index)
            legal = [] if repeated else brute.base_legal(problem, prefix)
            missing = len(prefix) < len(problem.actions)
            at_end = view.step == "end" and trace.ending != "aborted" and missing
            said = {c.id: brute.base_status(problem, c, prefix) for c in problem.said}
            assert {c: run.status(c, view.index) for c in said} == said, seed
            broken = repeated or "broken" in said.values()
            expected = "broken" if broken else "completable" if legal and not at_end else "doomed"
            assert view.state == expected, (seed, view.step)
            if view.step == "end":
                continue
            assert run.valid_completions(view.index) == len(legal), seed
            safe = {o[len(prefix)] for o in legal if len(o) > len(prefix)}
            assert {m.action for m in run.safe_moves(view.index)} == safe, seed
            way = run.one_way(view.index)
            assert (way is None) == (not legal)
            if way is not None:
                assert (*prefix, *[p.action for p in way]) in legal


@pytest.mark.parametrize("chunk", [0, *nightly(1, 2, 3)])
def test_base_cores_are_the_ones_that_the_rule_gives(chunk: int) -> None:
    for seed in range(chunk, BASE, 4):
        problem, trace = brute.random_base(random.Random(seed), most=4)
        run = replay(problem, trace)
        index = run.first_doomed
        if index is None:
            assert run.certify() == "confirmed"
            continue
        view = run.steps[index]
        steps = {v.index: v.action for v in run.steps[1 : index + 1] if v.action and v.step != "end"}
        first: dict[str, int] = {}
        again = set()
        for k, action in steps.items():
            if action in first:
                again.add((first[action], k))
            first.setdefault(action, k)
        ended = view.step == "end"
        possible = brute.base_possible(problem, steps, again, ended)
        members = [c.id for c in problem.constraints] + [f"step{k}" for k in steps] + ["end"] * ended
        expected = brute.delete_down(members, possible)
        assert view.core is not None
        got = [*view.core.constraints, *("end" if s == "end" else f"step{s}" for s in view.core.steps)]
        assert tuple(got) == expected, seed
        assert run.certify() == "confirmed", seed


def test_base_repair_is_the_nearest() -> None:
    for seed in range(BASE):
        problem, trace = brute.random_base(random.Random(seed))
        run = replay(problem, trace)
        own, _ = executed(run, len(run.steps) - 1)
        fixed = run.repair()
        legal = brute.base_legal(problem, [])
        if not legal:
            assert fixed.order is None and fixed.reason
            continue
        everyone = brute.ids(problem)
        rank = {a: own.index(a) if a in own else len(everyone) + everyone.index(a) for a in everyone}

        def far(
            order: tuple[str, ...], rank: dict[str, int] = rank, own: list[str] = own
        ) -> tuple[int, list[int]]:
            mine = [rank[a] for a in order if a in own]
            swaps = sum(x > y for i, x in enumerate(mine) for y in mine[i + 1 :])
            return swaps, [rank[a] for a in order]

        best = min(legal, key=far)
        assert fixed.order == best, seed
        assert fixed.swaps == far(best)[0] and fixed.exact
        assert set(fixed.inserted) == set(everyone) - set(own)


def test_base_repair_from_a_step_keeps_what_was_done() -> None:
    for seed in range(BASE // 2):
        problem, trace = brute.random_base(random.Random(seed))
        run = replay(problem, trace)
        k = len(trace.calls) // 2
        prefix, repeated = executed(run, k)
        legal = [] if repeated else brute.base_legal(problem, prefix)
        fixed = run.repair(k)
        assert (fixed.order is None) == (not legal), seed
        if fixed.order is not None:
            assert fixed.order in legal


@pytest.mark.parametrize("chunk", [0, *nightly(1, 2, 3, 4, 5)])
def test_timed_states_counts_moves_and_hours(chunk: int) -> None:
    for seed in range(chunk, TIMED, 6):
        problem, trace = brute.random_timed(random.Random(seed), most=3)
        run = replay(problem, trace)
        for view in run.steps:
            if view.step == "end":
                continue
            ran = [v for v in run.steps[1 : view.index + 1] if v.attempt == view.attempt and v.action]
            prefix, repeated = executed(run, view.index)
            starts = {v.action: v.start for v in reversed(ran)}
            clock = max([0, *[v.end for v in ran if v.end is not None]])
            wrong = repeated or (
                view.state == "broken"
                and any(f.type in ("parameter_error", "order_error") for v in ran for f in v.findings)
            )
            given = [(a, starts[a]) for a in prefix]
            plans = [] if wrong or not _legal(ran) else list(brute.timed_plans(problem, given, clock))
            orders = {tuple(a for a, _ in p) for p in plans}
            if view.state == "broken":
                assert "broken" in run.statuses(view.index).values()
                assert not plans
                continue
            assert view.state == ("completable" if plans else "doomed"), (seed, view.step)
            assert run.valid_completions(view.index) == len(orders), seed
            hours: dict[str, set[int]] = {}
            for plan in plans:
                if len(plan) > len(prefix):
                    action, hour = plan[len(prefix)]
                    hours.setdefault(action, set()).add(hour)
            moves = {
                m.action: set(range(m.hours[0], m.hours[1] + 1))
                for m in run.safe_moves(view.index)
                if m.hours
            }
            assert moves == hours, seed


def _legal(ran) -> bool:
    """Did the calls so far keep the rules of the clock?"""
    clock = None
    for v in ran:
        if not 0 <= v.start <= 23 or not 1 <= v.end <= 24 or (clock is not None and v.start < clock):
            return False
        clock = v.end if clock is None else max(clock, v.end)
    return True


def test_timed_statuses() -> None:
    for seed in range(TIMED):
        problem, trace = brute.random_timed(random.Random(seed))
        run = replay(problem, trace)
        for view in run.steps:
            starts: dict[str, int] = {}
            for v in run.steps[1 : view.index + 1]:
                if v.attempt == view.attempt and v.action and v.start is not None:
                    starts.setdefault(v.action, v.start)
            for c in problem.said:
                if all(a in starts for a in c.actions):
                    expected = "holds" if brute.timed_one(problem, c, starts) else "broken"
                else:
                    expected = "open"
                assert run.status(c.id, view.index) == expected, (seed, c.id)


@pytest.mark.parametrize("most,seeds", [(2, range(400)), (3, range(1000, 1025))])
def test_timed_cores_are_the_ones_that_the_rule_gives(most: int, seeds: range) -> None:
    seen = 0
    for seed in seeds:
        problem, trace = brute.random_timed(random.Random(seed), most=most)
        run = replay(problem, trace)
        index = run.first_doomed
        if index is None:
            continue
        view = run.steps[index]
        assert view.core is not None
        if view.step == "end" or "b1" in view.core.constraints:
            continue
        seen += 1
        steps = {
            v.index: (v.action, v.start)
            for v in run.steps[1 : index + 1]
            if v.action and v.attempt == view.attempt and v.start is not None
        }
        members = [c.id for c in problem.constraints] + [f"step{k}" for k in steps]
        expected = brute.delete_down(members, brute.timed_possible(problem, steps))
        assert (*view.core.constraints, *[f"step{s}" for s in view.core.steps]) == expected, seed
    assert seen > len(seeds) // 10


def test_timed_cores_agree_with_z3_and_are_minimal() -> None:
    for seed in range(0, TIMED, 4):
        problem, trace = brute.random_timed(random.Random(seed), most=5)
        assert replay(problem, trace).certify() == "confirmed", seed


@pytest.mark.parametrize("many", [16, *nightly(250)])
def test_timed_repair_is_the_nearest(many: int) -> None:
    for seed in range(many):
        problem, trace = brute.random_timed(random.Random(seed), most=3)
        run = replay(problem, trace)
        own, _ = executed(run, len(run.steps) - 1)
        attempt = run.steps[-1].attempt
        hour: dict[str, int] = {}
        for v in run.steps:
            if v.attempt == attempt and v.action and v.start is not None:
                hour.setdefault(v.action, v.start)
        everyone = brute.ids(problem)
        rank = {a: own.index(a) if a in own else len(everyone) + everyone.index(a) for a in everyone}
        plans = list(brute.timed_plans(problem, [], 0))
        fixed = run.repair()
        if not plans:
            assert fixed.order is None, seed
            continue

        def far(plan, own=own, rank=rank, hour=hour):
            mine = [rank[a] for a, _ in plan if a in own]
            swaps = sum(x > y for i, x in enumerate(mine) for y in mine[i + 1 :])
            change = sum(abs(s - hour[a]) for a, s in plan if a in own)
            return swaps, change, sum(s for _, s in plan), [rank[a] for a, _ in plan]

        best = min(plans, key=far)
        assert fixed.order == tuple(a for a, _ in best), seed
        assert fixed.starts is not None
        assert far([(a, fixed.starts[a]) for a in fixed.order])[:3] == far(best)[:3], seed
        assert fixed.swaps == far(best)[0]
