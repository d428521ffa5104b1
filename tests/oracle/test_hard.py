"""Where scheduling would take too long Z3 decides, and where Z3 gives up, the answer is "unknown"."""

from __future__ import annotations

import random
from functools import partial
from itertools import combinations

import pytest

from planscope.oracle import timed, walk
from planscope.oracle.formula import Encoding, Formula, conjunction, encode, room
from planscope.oracle.replay import replay
from planscope.oracle.schedule import Schedule, TooHard
from planscope.oracle.smt import Judge
from planscope.oracle.timed import TimedMembers, TimedPlan, judge_of
from tests.bench import bench_certificate
from tests.nightly import nightly, rounds
from tests.oracle import brute
from tests.oracle.build import problem, trace


@pytest.mark.parametrize("many", [6, *nightly(120)])
def test_z3_decides_where_scheduling_gives_up(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {}
    for seed in range(many):
        made, calls = brute.random_timed(random.Random(seed))
        run = replay(made, calls)
        expected[seed] = [(s.state, s.core) for s in run.steps]

    def too_hard(self: TimedMembers, members: object) -> bool:
        raise TooHard

    monkeypatch.setattr(walk, "TimedPlan", partial(TimedPlan, limit=-1))
    monkeypatch.setattr(timed.TimedMembers, "possible", too_hard)
    for seed, states in expected.items():
        made, calls = brute.random_timed(random.Random(seed))
        run = replay(made, calls)
        assert [(s.state, s.core) for s in run.steps] == states, seed
        assert run.valid_completions(0) is None or states[0][0] != "completable" or not made.actions


def test_unknown_is_neither_right_nor_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "TimedPlan", partial(TimedPlan, limit=-1))
    monkeypatch.setattr(Judge, "check", lambda self, members=None: "unknown")
    run = replay(problem("A B", "A<B", timed=True), trace("A@0", "running"))
    assert [s.state for s in run.steps] == ["unknown", "unknown"]
    assert run.valid_completions(0) is None
    assert run.safe_moves(0) == () and run.one_way(0) is None
    assert run.certify() == "gave_up"


def test_crowded_days_are_settled_quickly() -> None:
    """24 tasks of an hour with windows are decided in a few steps, whether or not there is a way."""
    for seed in range(rounds(20, 60)):
        rng = random.Random(seed)
        plan = rng.sample(range(24), 24)
        release = [max(0, plan[i] - rng.randint(0, 3)) for i in range(24)]
        deadline = [min(24, plan[i] + 1 + rng.randint(0, 3)) for i in range(24)]
        if seed % 2:  # one hour too few
            deadline[plan.index(0)] = deadline[plan.index(1)] = 1
        schedule = Schedule([1] * 24, release, deadline, [], limit=2000)
        assert (schedule.latest((1 << 24) - 1) >= 0) == (seed % 2 == 0)


def test_too_many_tasks_for_a_day_is_a_contradiction_with_a_core() -> None:
    made = problem(" ".join(f"t{i}" for i in range(25)), timed=True)
    run = replay(made, trace("", "running"))
    assert run.steps[0].state == "doomed"
    core = run.steps[0].core
    assert core is not None and core.constraints == ("b3", "b4")
    assert run.repair().order is None


def test_interrupt_ends_a_question() -> None:
    import threading
    import time

    made = problem(" ".join(f"t{i}" for i in range(25)), timed=True)
    judge = Judge(encode(made, [], ended=False), timeout=60_000)
    timer = threading.Timer(0.3, judge.interrupt)
    timer.start()
    began = time.monotonic()
    assert judge.check() == "unknown"
    assert time.monotonic() - began < 20
    timer.join()


def test_a_certificate_can_be_interrupted() -> None:
    made = problem(" ".join(f"t{i}" for i in range(25)), timed=True)
    run = replay(made, trace("", "running"))
    stops = []
    assert run.certify(started=stops.append, timeout=200) in ("confirmed", "gave_up")
    assert len(stops) == 1
    stops[0]()  # after the end it does no harm


@pytest.mark.parametrize("kind", bench_certificate.KINDS)
@pytest.mark.parametrize("n", [10, 14])
def test_z3_confirms_days_that_are_full(kind: str, n: int) -> None:
    """Pigeonholes over integers: without the sums of durations Z3 gives up on most of these."""
    run = bench_certificate.hard_case(kind, n, 0)
    assert (run.first_doomed is None) == (kind == "full, right")
    assert run.certify(timeout=20_000) == "confirmed"


def test_what_z3_is_told_of_hours_follows_from_one_by_one() -> None:
    """Without the hints it says the same, and what it is told is false in no plan."""
    for seed in range(rounds(14, 40)):
        made, calls = brute.random_timed(random.Random(seed), most=4)
        ran = [f for f in replay(made, calls).facts if f.attempt == 1]
        told, plain = judge_of(made, ran, ended=False), Judge(encode(made, ran, ended=False))
        rng = random.Random(seed)
        for _ in range(8):
            chosen = [m for m in plain.members if rng.random() < 0.8]
            assert told.check(chosen) == plain.check(chosen), (seed, chosen)


def test_what_lies_between_two_hours_takes_no_more_than_there_are() -> None:
    ids, takes = ["a1", "a2", "a3"], [2, 3, 1]
    for begin, end in [(0, 4), (1, 5), (2, 3)]:
        solver = Judge(
            Encoding(
                tuple(f"{side}_{a}" for a in ids for side in ("start", "end")),
                (),
                tuple(("=", f"end_{a}", ("+", f"start_{a}", t)) for a, t in zip(ids, takes, strict=True)),
                (
                    ("apart", conjunction([_apart(a, b) for a, b in combinations(ids, 2)])),
                    ("crowded", ("not", room(ids, takes, begin, end))),
                ),
            )
        )
        assert solver.check(["crowded"]) == ("unsat" if end - begin == 1 else "sat")
        assert solver.check() == "unsat"


def _apart(a: str, b: str) -> Formula:
    return ("or", ("<=", f"end_{a}", f"start_{b}"), ("<=", f"end_{b}", f"start_{a}"))


def test_a_wrong_plan_decides_nothing() -> None:
    made = problem("A B", "A<B", timed=True, durations=[2, 1])

    class Wrong:
        def follows(self, members: object) -> list[tuple[str, Formula]]:
            return []

        def plan(self, members: object) -> dict[str, int]:
            return {"start_a1": 5, "end_a1": 7, "start_a2": 6, "end_a2": 7}

    assert Judge(encode(made, (), ended=False), hints=Wrong()).check() == "sat"
    assert judge_of(made, (), ended=False).check() == "sat"
