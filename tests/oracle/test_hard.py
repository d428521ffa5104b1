"""Where scheduling would take too long Z3 decides, and where Z3 gives up, the answer is "unknown"."""

from __future__ import annotations

import random
from functools import partial

import pytest

from planscope.oracle import timed_plan, walk
from planscope.oracle.replay import replay
from planscope.oracle.schedule import Schedule, TooHard
from planscope.oracle.smt import Judge
from planscope.oracle.timed_members import TimedMembers
from planscope.oracle.timed_plan import TimedPlan
from tests.oracle import brute
from tests.oracle.build import problem, trace


def test_z3_decides_where_scheduling_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {}
    for seed in range(120):
        made, calls = brute.random_timed(random.Random(seed))
        run = replay(made, calls)
        expected[seed] = [(s.state, s.core) for s in run.steps]

    def too_hard(self: TimedMembers, members: object) -> bool:
        raise TooHard

    monkeypatch.setattr(walk, "TimedPlan", partial(TimedPlan, limit=-1))
    monkeypatch.setattr(timed_plan.TimedMembers, "possible", too_hard)
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
    assert run.certify() is None


def test_crowded_days_are_settled_quickly() -> None:
    """24 tasks of an hour with windows are decided in a few steps, whether or not there is a way."""
    for seed in range(60):
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

    from planscope.oracle.formula import encode

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
    assert run.certify(started=stops.append, timeout=200) in (True, None)
    assert len(stops) == 1
    stops[0]()  # after the end it does no harm
