"""A run judged call by call is the run judged at once: states, statuses, cores, findings, and every lookup."""

from __future__ import annotations

import random

import pytest

from planscope.debugger.growing import GrowingRun
from planscope.debugger.run_index import RunIndex
from planscope.oracle.replay import replay
from planscope.oracle.trace import ToolCall, Trace
from planscope.session.record import RecordedCall, RunRecord
from tests.each import each
from tests.nightly import rounds
from tests.oracle.brute import random_base, random_timed

LOOKUPS = ["steps", "last", "index_of", "called", "executed", "executions", "checks", "breaks"]
LOOKUPS += ["findings", "found", "doomed", "violations", "first_violation"]


def same(one: RunIndex, other: RunIndex) -> None:
    for name in LOOKUPS:
        assert getattr(one, name) == getattr(other, name), name
    assert one.replay.verdict() == other.replay.verdict()
    for i in range(len(one.steps)):
        assert one.valid_completions(i) == other.valid_completions(i)
        for c in one.problem.constraints:
            assert one.replay.status(c.id, i) == other.replay.status(c.id, i)


def record(calls: tuple[ToolCall, ...], answered: int) -> RunRecord:
    told = tuple(
        RecordedCall(
            k,
            call.tool,
            call.arguments,
            error=call.error or "",
            answer="done" if k <= answered else None,
            refused_by="user" if call.refused and k <= answered else "",
        )
        for k, call in enumerate(calls, 1)
    )
    return RunRecord("r1", "v1", "tools", "sim:x", told, "running", "", under_way=True)


@pytest.mark.parametrize("make", [random_base, random_timed], ids=["base", "timed"])
@each("seed", range(rounds(40, 120)))
def test_grown_call_by_call_it_is_the_same(make, seed: int) -> None:
    draw = random.Random(seed)
    problem, trace = make(draw)
    calls = tuple(
        ToolCall(c.tool, c.arguments, c.error, draw.random() < 0.1 and c.error is None) for c in trace.calls
    )
    growing, index = GrowingRun(problem), RunIndex(replay(problem, Trace((), "running")))
    for k, call in enumerate(calls, 1):
        waiting = ToolCall(call.tool, call.arguments, call.error)  # not known yet to be refused
        same(
            growing.judged(record(calls[:k], k - 1)),
            RunIndex(replay(problem, Trace((*calls[: k - 1], waiting), "running"))),
        )
        same(growing.judged(record(calls[:k], k)), RunIndex(replay(problem, Trace(calls[:k], "running"))))
        index = index.then(call)
    same(index, RunIndex(replay(problem, Trace(calls, "running"))))
    if trace.ending != "running":
        whole = RunIndex(replay(problem, Trace(calls, trace.ending, trace.reason)))
        same(index.then(ending=trace.ending, reason=trace.reason), whole)


def test_a_call_that_is_only_tried_leaves_no_trace() -> None:
    problem, trace = random_base(random.Random(4), 6)
    growing = GrowingRun(problem)
    before = growing.judged(record(trace.calls[:1], 1))
    steps, core = before.steps, [view.core for view in before.steps]
    for action in problem.actions:
        growing.judged(record(trace.calls[:1], 1), ToolCall(action.tool))
    after = growing.judged(record(trace.calls[:1], 1))
    assert after.steps == steps and [view.core for view in after.steps] == core


def test_a_call_more_costs_no_more_in_a_long_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is counted are the calls that the oracle reads: each once when it comes, and once when it is settled."""
    from planscope.oracle.facts import FactReader

    read: list[ToolCall] = []
    reading = FactReader.read
    monkeypatch.setattr(FactReader, "read", lambda self, call: read.append(call) or reading(self, call))
    problem, _ = random_base(random.Random(1), 5)
    growing = GrowingRun(problem)
    calls = tuple(ToolCall(problem.actions[k % len(problem.actions)].tool) for k in range(200))
    for k in range(1, len(calls) + 1):
        growing.judged(record(calls[:k], k - 1))
        growing.judged(record(calls[:k], k))
    assert len(read) == 2 * len(calls)
