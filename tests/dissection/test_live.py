"""Dissecting with real clients: several runs at once, stopped at any time, aborted ones, people's own agents."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from langchain.agents import create_agent

from planscope.dissection.engine import IN_VAIN, Dissector
from planscope.dissection.options import DissectOptions
from planscope.dissection.summary import summary
from planscope.session.model import Cell, Run, Session
from planscope.session.store import dumps, loads
from tests.agents.wire.replies import Fail, Reply, Say, Slow
from tests.agents.wire.server import WireServer

from .cases import failing, query


def own_agent(model: Any, tools: Any, middleware: Any) -> Any:
    """Somebody's own agent."""
    return create_agent(model, tools, middleware=middleware)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")


def made(server: WireServer, on_run: Any = None, **options: Any) -> tuple[Session, Dissector]:
    session = Session(id="s", title="s", variants=[query(5)])
    dissector = Dissector(
        session,
        session.variants[0],
        DissectOptions(model="openai:local", base_url=server.base_url, **options),
        on_run=on_run,
    )
    return session, dissector


def agents_threads() -> int:
    return sum(t.is_alive() and "dissect" in t.name for t in threading.enumerate())


def test_runs_are_under_way_together_and_bounded() -> None:
    replies: list[Reply] = [Slow(0.1, Say("I do nothing."), together=3) for _ in range(14)]
    with WireServer(replies) as server:
        session, dissector = made(server, budget=14, at_once=3)
        dissector.go()
        assert server.most_at_once == 3
        assert server.replies == []
    found = summary(session, dissector.add_to(session))
    assert found.runs == 14
    assert all(r.error_type == "action_lost" for row in found.rows for c in row.cells for r in c.runs)
    assert loads(dumps(session)) == session


def test_stopped_at_once_with_nothing_left_running() -> None:
    replies: list[Reply] = [Say("No.") for _ in range(5)] + [Slow(30, Say("No.")) for _ in range(8)]
    five = threading.Event()
    runs: list[Run] = []

    def ended(cell: Cell, run: Run) -> None:
        runs.append(run)
        if len(runs) == 5:
            five.set()

    with WireServer(replies) as server:
        session, dissector = made(server, at_once=4, on_run=ended)
        worker = threading.Thread(target=dissector.go)
        worker.start()
        assert five.wait(60)
        began = time.monotonic()
        dissector.stop()
        worker.join(60)
        assert not worker.is_alive()
        assert time.monotonic() - began < 25  # the server would take 30
    record = dissector.add_to(session)
    assert record.stopped == "user"
    assert [r.id for r in session.runs] == [r.id for r in runs]
    assert summary(session, record).runs == 5


def test_what_is_decided_does_not_wait_for_the_rest() -> None:
    """The paper's rule has its answer with the first right run: those under way beside it are cancelled."""
    session = failing("sim:flaky?p=0.5")
    dissector = Dissector(
        session,
        session.variants[0],
        DissectOptions(model="sim:careful", agent=f"{__name__}:own_agent", method="paper", at_once=3),
    )
    dissector.go()
    found = summary(session, dissector.add_to(session))
    assert found.decision.reason.startswith("there is nothing to dissect")
    assert found.runs == 12


def test_runs_that_the_network_aborts_count_against_the_budget_and_in_no_rate() -> None:
    replies: list[Reply] = [Say("No."), Fail(400, "odd"), Say("No."), Say("No.")]
    with WireServer(replies) as server:
        session, dissector = made(server, at_once=1, budget=4)
        dissector.go("Original", times=4)
    found = summary(session, dissector.add_to(session))
    row = found.row("Original")
    assert (found.runs, row.rate.counted, row.rate.aborted) == (4, 3, 1)


def test_it_gives_up_where_every_run_is_aborted() -> None:
    with WireServer([Fail(400, "no such model") for _ in range(10)]) as server:
        session, dissector = made(server, at_once=1)
        record = dissector.go()
    assert record.stopped is not None
    assert record.stopped.startswith(f"{IN_VAIN} runs in a row were aborted: ")
    assert "no such model" in record.stopped
    assert summary(session, dissector.add_to(session)).decision.reason == "no run can be judged yet"


def test_it_goes_on_where_runs_are_aborted_now_and_then() -> None:
    some: list[Reply] = [Fail(400, "odd") for _ in range(IN_VAIN - 1)]
    with WireServer([*some, Say("No."), *some]) as server:
        session, dissector = made(server, at_once=1, budget=2 * IN_VAIN - 1)
        record = dissector.go("Original", times=2 * IN_VAIN - 1)
    assert "aborted" not in (record.stopped or "")
    assert summary(session, dissector.add_to(session)).runs == 2 * IN_VAIN - 1


def test_own_agents_on_simulated_models() -> None:
    session = failing("sim:topic-blind?fires=0.9")
    dissector = Dissector(
        session,
        session.variants[0],
        DissectOptions(
            model="sim:topic-blind?fires=0.9", agent=f"{__name__}:own_agent", budget=16, at_once=4
        ),
    )
    record = dissector.go("TopicChange", times=8)
    seeds = {r.seed for r in session.runs}
    dissector.add_to(session)
    mine = [r for r in session.runs if r.id.startswith("d1")]
    assert len(mine) == 8
    assert len({r.seed for r in mine} | seeds) == 8 + len(seeds)
    assert all(r.agent == f"{__name__}:own_agent" for r in mine)
    assert all(len(c.runs) == 1 for c in record.cells)
