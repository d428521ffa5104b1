"""Walks: which statuses change at a step, and how a running walk is continued."""

from __future__ import annotations

import random
from functools import partial

import pytest

from planscope.oracle import walk
from planscope.oracle.replay import replay
from planscope.oracle.smt import Judge
from planscope.oracle.timed import TimedPlan
from planscope.oracle.trace import ToolCall, Trace
from tests.nightly import nightly
from tests.oracle import brute
from tests.oracle.build import problem, trace


@pytest.mark.parametrize("world", [brute.random_base, brute.random_timed])
def test_changed_names_the_statuses_that_differ_from_the_step_before(world: object) -> None:
    restarts = 0
    for seed in range(400):
        made, calls = world(random.Random(seed))
        run = replay(made, calls)
        assert run.steps[0].changed == ()
        for before, view in zip(run.steps, run.steps[1:], strict=False):
            differ = [
                c.id
                for c in made.constraints
                if run.status(c.id, before.index) != run.status(c.id, view.index)
            ]
            assert list(view.changed) == differ, (seed, view.index)
            restarts += view.attempt > before.attempt and bool(differ)
    assert (restarts > 10) == (world is brute.random_timed)


@pytest.mark.parametrize("every", [12, *nightly(1)])
def test_one_walk_is_continued_in_two_ways(every: int) -> None:
    """Each continuation is what a replay of its calls is, whatever was tried before."""
    differ = 0
    for seed in range(0, 200, every):
        made, calls = brute.random_timed(random.Random(seed))
        for k in range(len(calls.calls)):
            base = replay(made, Trace(calls.calls[:k], "running"))
            steps, lost = base.steps, base.lost_at(1)
            tools = [ToolCall(a.tool, {"start_time": h}) for a in made.actions for h in (0, 20)]
            tried = [base.then(call) for call in tools]
            assert base.steps == steps and base.lost_at(1) == lost, seed
            for call, walked in zip(tools, tried, strict=True):
                whole = replay(made, Trace((*calls.calls[:k], call), "running"))
                assert walked.steps == whole.steps and walked.first_doomed == whole.first_doomed, seed
                differ += whole.first_doomed != base.first_doomed
    assert differ > 100 // every


def test_a_later_core_counts_only_the_durations_that_were_told() -> None:
    """A continuation that was tried tells another one nothing: its answers were never given."""
    made = problem("A B C", "B<=7", timed=True, durations=[1, 4, 1])
    base = replay(made, Trace((), "running"))
    base.then(*trace("B@10").calls)
    late = base.then(*trace("A@3").calls)
    whole = replay(made, Trace(trace("A@3").calls, "running"))
    assert late.steps == whole.steps
    assert late.steps[1].core is not None and not late.steps[1].core.foreseeable


def test_an_undecided_run_that_leaves_actions_undone_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "TimedPlan", partial(TimedPlan, limit=-1))
    monkeypatch.setattr(Judge, "check", lambda self, members=None: "unknown")
    run = replay(problem("A B", "A<B", timed=True), trace("A@0"))
    assert [s.state for s in run.steps] == ["unknown", "unknown", "doomed"]
    assert run.steps[-1].core is not None and run.verdict().error_type == "action_lost"
