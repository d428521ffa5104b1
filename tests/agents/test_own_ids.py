"""Servers that give every call one id: each call has its own arguments and its own answer, however it is recorded."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command

from planscope.agents import record
from planscope.agents.gate import GoOn, PendingCall, Verb
from planscope.session.model import MessageEvent, Run

from .support import answers_of, calls_of, end_of, says
from .test_own_agent import Both, runs
from .test_own_ends import APPROVED, THREAD, waiting
from .test_own_graphs import helper_tool
from .test_own_kinds import ASKED, DEPLOY, path
from .test_own_live import BUILD, TOOLS, Gate, Name, load_agent, named, run_of
from .test_own_tools import quickstart
from .wire.replies import Say, call, calls
from .wire.server import WireServer

__all__ = ["named", "path"]


@tool
def look_up(name: str) -> str:
    """Look somebody up."""
    time.sleep(0.02 * (len(name) % 3))
    return f"found {name}"


def pairs(run: Run) -> list[tuple[str, str]]:
    answers = {a.step: a.text for a in answers_of(run)}
    return [((c.arguments or {})["name"], answers[c.step]) for c in calls_of(run)]


NAMES = ["ann", "bo", "carl"]
REPLIES = [
    calls(*(call("look_up", {"name": name}, id="call_0") for name in NAMES)),
    calls(call("look_up", {"name": "ann"}, id="call_0")),
    Say("Done."),
]
WANTED = [(name, f"found {name}") for name in [*NAMES, "ann"]]


@pytest.mark.parametrize("by", ["middleware", "callback", "debugger", "debugger by name"])
@pytest.mark.parametrize("sync", [True, False])
def test_several_calls_of_one_message(named: Name, path: Path, by: str, sync: bool) -> None:
    with WireServer(REPLIES) as server:
        model = ChatOpenAI(model="local", base_url=server.base_url, api_key="none", max_retries=0)
        if by.startswith("debugger"):
            bound = model.bind_tools([look_up])
            made = quickstart(lambda tools, one: tools[one["name"]].invoke(one["args"]))(bound, [look_up])
            made = made if by.endswith("name") else create_agent(model, [look_up])
            run, gate = run_of(load_agent(named(made)))
            assert [c.arguments["name"] for c in gate.seen] == [name for name, _ in WANTED]
        else:
            recorder = record(path)
            agent: Any = create_agent(model, [look_up], middleware=[recorder] if by == "middleware" else [])
            config: Any = {"callbacks": [recorder]} if by == "callback" else {}
            agent.invoke(ASKED, config) if sync else asyncio.run(agent.ainvoke(ASKED, config))
            (run,) = runs(path)
    assert pairs(run) == WANTED and end_of(run).ending == "stopped"


@pytest.mark.parametrize("by", ["middleware", "callback", "debugger"])
def test_equal_calls_that_are_made_one_after_the_other(named: Name, path: Path, by: str) -> None:
    names = ["ann", "ann", "bo"]
    script = [says(*(("look_up", {"name": name}) for name in names)), says(text="Done.")]
    for one in script[0].tool_calls:
        one["id"] = "call_0"
    recorder = record(path)
    made: Any = create_agent(
        Both(script=script), [look_up], middleware=[recorder] if by == "middleware" else []
    )
    agent = made.with_config(max_concurrency=1)
    if by == "debugger":
        run, _ = run_of(load_agent(named(agent)))
    else:
        agent.invoke(ASKED, {"callbacks": [recorder]} if by == "callback" else {})
        (run,) = runs(path)
    assert pairs(run) == [(name, f"found {name}") for name in names]


@pytest.mark.parametrize("by", ["middleware", "callback"])
@pytest.mark.parametrize("same", [True, False])
async def test_agents_side_by_side(path: Path, by: str, same: bool) -> None:
    recorder = record(path)
    made = StateGraph(MessagesState)
    people = [f"person-{'x' * k}" for k in range(4)]
    for number, person in enumerate(people):
        first, second = (says(("look_up", {"name": f"{person} {k}"})) for k in (1, 2))
        if not same:
            for k, one in enumerate((first, second)):
                one.tool_calls[0]["id"] = f"c{number}{k}"
        model = Both(script=[first, second, AIMessage("Done.")])
        middleware = [recorder] if by == "middleware" else []
        agent: Any = create_agent(model, [look_up], name=person, middleware=middleware)
        made.add_node(person, agent)
        made.add_edge(START, person)
        made.add_edge(person, END)
    config: Any = {"callbacks": [recorder]} if by == "callback" else {}
    await made.compile().ainvoke(ASKED, config)
    (run,) = runs(path)
    assert len(calls_of(run)) == 8 and all(f"found {name}" == said for name, said in pairs(run))
    assert all((c.arguments or {})["name"].startswith(f"{c.agent} ") for c in calls_of(run))


def test_a_sub_agent_without_a_name_has_its_tools(named: Name) -> None:
    def factory() -> Any:
        inner = create_agent(Both(script=[says(BUILD), AIMessage("built")]), TOOLS)
        script = [says(("ask_helper", {"question": "?"})), AIMessage("Done.")]
        return create_agent(Both(script=script), [helper_tool(inner)], name="chief")

    run, _ = run_of(load_agent(named(factory)))
    assert [c.agent for c in calls_of(run)] == ["chief", "ask_helper"]


def test_the_time_at_a_pause_is_no_time_of_the_run(named: Name) -> None:
    class Slow(Gate):
        async def ask(self, call: PendingCall, later: bool) -> Verb:
            time.sleep(1.5)
            return GoOn()

    from planscope.agents.own_live import OwnRun

    agent = load_agent(named(create_agent(Both(script=[says(BUILD), AIMessage(".")]), TOOLS)))
    began = time.perf_counter()
    run = OwnRun(agent, "Build.", variant="v1", run_id="r1", gate=Slow()).wait()
    assert run.events[-1].at <= time.perf_counter() - began - 1.4


def test_nor_is_the_time_in_which_an_approval_waits(path: Path) -> None:
    agent = waiting(path, says(DEPLOY), AIMessage("Done."))
    agent.invoke(ASKED, THREAD)
    time.sleep(1.5)
    began = time.perf_counter()
    agent.invoke(Command(resume=APPROVED), THREAD)
    (run,) = runs(path)
    before = next(e.at for e in run.events if isinstance(e, MessageEvent) and e.by == "system")
    assert run.events[-1].at - before <= time.perf_counter() - began + 0.1
