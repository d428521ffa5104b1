"""What many runs share: a compiled agent, and nothing of one another; what LangSmith costs where nothing is traced."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langsmith import traceable

from planscope.agents import langchain_agent
from planscope.agents.langchain_agent import tracing
from planscope.agents.models import load_model
from planscope.agents.options import RunOptions
from planscope.agents.runner import LiveRun
from planscope.session.model import Run

from .support import abc, answers_of, called, check_record, end_of, variant

ABC = [("alpha", None), ("beta", None), ("gamma", None)]
REVERSED = "Gamma happens before beta. Beta happens before alpha."


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What agents are compiled with, one entry each."""
    made: list[dict[str, Any]] = []
    create = langchain_agent.create_agent

    def counted(*args: Any, **options: Any) -> Any:
        made.append(options)
        return create(*args, **options)

    monkeypatch.setattr(langchain_agent, "create_agent", counted)
    return made


async def at_once(*lives: LiveRun) -> list[Run]:
    runs = list(await asyncio.gather(*(live.go() for live in lives)))
    for run in runs:
        check_record(run.events)
        assert end_of(run).ending == "stopped"
    return runs


@pytest.mark.parametrize("agent", ["tools", "react"])
async def test_runs_of_one_model_share_an_agent(agent: str, compiled: list[dict[str, Any]]) -> None:
    model = load_model("sim:careful")
    runs = await at_once(*(LiveRun(abc(), RunOptions(agent=agent), loaded=model) for _ in range(5)))
    assert [called(run) for run in runs] == [ABC] * 5
    assert len(compiled) == 1
    await at_once(LiveRun(abc(REVERSED), RunOptions(agent=agent), loaded=model))
    assert len(compiled) == 1  # the request is no part of it


async def test_what_differs_is_not_shared(compiled: list[dict[str, Any]]) -> None:
    """Role, guard and tools are an agent's; a guard looks after its own run alone."""
    model = load_model("sim:literal")
    odd = abc("Gamma happens after beta. Beta happens after alpha.")
    other = variant("Gamma happens after delta.", ["gamma", "delta"])
    plain, guarded, reversed_, told, small = await at_once(
        LiveRun(odd, RunOptions(), loaded=model),
        LiveRun(odd, RunOptions(guard=True), loaded=model),
        LiveRun(
            abc("Alpha happens after beta. Beta happens after gamma."), RunOptions(guard=True), loaded=model
        ),
        LiveRun(odd, RunOptions(role="You plan."), loaded=model),
        LiveRun(other, RunOptions(), loaded=model),
    )
    assert [a.refused_by for a in answers_of(plain)] == [None] * 3
    assert {a.refused_by for a in answers_of(guarded)} == {"guard", None}
    assert {a.refused_by for a in answers_of(reversed_)} == {"guard", None}
    done = [c for c, a in zip(called(guarded), answers_of(guarded), strict=True) if a.refused_by is None]
    assert done == ABC
    assert called(small) == [("gamma", None), ("delta", None)]
    assert sorted(str(m["system_prompt"]) for m in compiled) == ["None", "None", "None", "You plan."]
    assert called(told) == called(plain)


async def test_a_simulated_server_keeps_each_conversation_apart(compiled: list[dict[str, Any]]) -> None:
    model = load_model("sim:careful")
    runs = await at_once(
        *(
            LiveRun(abc(text), RunOptions(agent="responses"), loaded=model)
            for text in (REVERSED, abc().query.text)
        )
    )
    assert [called(run) for run in runs] == [ABC[::-1], ABC]
    assert len(compiled) == 2


@pytest.mark.parametrize("allowed", [False, True])
async def test_where_nothing_is_traced_langsmith_looks_on_the_spot(
    allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING", "false")

    @traceable
    async def work(number: int) -> int:
        return number + 1

    loop = asyncio.get_running_loop()
    jobs: list[Any] = []
    run_in_executor = loop.run_in_executor
    monkeypatch.setattr(loop, "run_in_executor", lambda *args: (jobs.append(args), run_in_executor(*args))[1])
    with tracing(allowed):
        assert await work(1) == 2
    assert bool(jobs) == allowed
    jobs.clear()
    assert await work(2) == 3  # outside, all is as it was
    assert jobs
