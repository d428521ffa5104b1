"""Many runs, bounded, with a rate and its interval."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from planscope.agents.many_runs import run_many
from planscope.agents.models import ModelUnavailable
from planscope.agents.options import RunOptions
from planscope.oracle.replay import replay
from planscope.session.model import Run
from planscope.session.oracle_input import problem_of
from planscope.session.run_list import outcome_of
from planscope.session.tally import success
from planscope.session.traces import trace_of

from .support import abc, called, end_of
from .wire.replies import Fail, Say, Slow
from .wire.server import WireServer


def test_simulated_runs_have_seeds_of_their_own() -> None:
    case = abc()
    seen: list[int] = []
    runs = run_many(
        case, RunOptions(model="sim:flaky", seed=5), times=40, on_run=lambda n, run: seen.append(n)
    )
    assert [r.seed for r in runs] == list(range(5, 45))
    assert seen == list(range(40))
    assert len({r.id for r in runs}) == 40
    rate = success((outcome_of(replay(problem_of(case), trace_of(r)).verdict(), r), False) for r in runs)
    assert rate.counted == 40
    assert 0 < rate.right < 40
    assert rate.errors == {"order_error": 40 - rate.right}
    assert rate.low < (rate.rate or 0) < rate.high
    assert run_many(case, RunOptions(model="sim:flaky", seed=7), times=1)[0].seed == 7


def _base(server: WireServer) -> RunOptions:
    return RunOptions(model="openai:local", base_url=server.base_url)


def test_at_once_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    with WireServer([Slow(0.3, Say("ok"), together=3) for _ in range(6)]) as server:
        began = time.perf_counter()
        runs = run_many(abc(), _base(server), times=6, at_once=3)
        took = time.perf_counter() - began
    assert all(end_of(r).ending == "stopped" for r in runs)
    assert server.most_at_once == 3
    assert took >= 0.6


def test_what_the_network_aborts_counts_in_no_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    with WireServer([Fail(400, "odd")]) as server:
        (run,) = run_many(abc(), _base(server), times=1)
    assert end_of(run).ending == "aborted"
    rate = success([(outcome_of(replay(problem_of(abc()), trace_of(run)).verdict(), run), False)])
    assert (rate.counted, rate.aborted, rate.rate) == (0, 1, None)


def test_what_cannot_begin_is_said_and_nothing_goes_on() -> None:
    with pytest.raises(ModelUnavailable):
        run_many(abc(), RunOptions(model="sim:nobody"), times=3)
    assert threading.active_count() < 20


def test_peoples_own_agents_on_simulated_models(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_many.py").write_text(
        "from langchain.agents import create_agent\n"
        "def make(model, tools, middleware):\n"
        "    return create_agent(model, tools, middleware=middleware)\n"
    )
    monkeypatch.chdir(tmp_path)
    own: list[Run] = run_many(abc(), RunOptions(model="sim:flaky", seed=1, agent="own_many:make"), times=4)
    light = run_many(abc(), RunOptions(model="sim:flaky", seed=1), times=4)
    assert [called(r) for r in own] == [called(r) for r in light]
