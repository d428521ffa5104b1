"""How agents end, wait and go on: a middleware stops them, a person decides, the program leaves them."""

from __future__ import annotations

import asyncio
import gc
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    HumanInTheLoopMiddleware,
    ModelFallbackMiddleware,
    SummarizationMiddleware,
    ToolCallLimitMiddleware,
    after_model,
    wrap_tool_call,
)
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.func import entrypoint, task
from langgraph.types import Command

from planscope.agents import record
from planscope.agents.conversations import _WAITING
from planscope.session.files import recordings_of
from planscope.session.merging import finish_merging
from planscope.session.model import EndEvent, MessageEvent, Run
from planscope.session.store import load

from .support import answers_of, calls_of, end_of, says
from .test_own_agent import Both, runs
from .test_own_kinds import ASKED, BUILD, DEPLOY, LOG, SHIPPED, TOOLS, build_image, made, path

__all__ = ["path"]

APPROVED: dict[str, Any] = {"decisions": [{"type": "approve"}]}
THREAD: Any = {"configurable": {"thread_id": "t"}}


def last_run(path: Path) -> Run:
    finish_merging()
    return load(path).runs[-1]


def said_by_system(run: Run) -> list[str]:
    return [e.text for e in run.events if isinstance(e, MessageEvent) and e.by == "system"]


def waiting(path: Path, *script: Any, saver: Any = None) -> Any:
    wait = HumanInTheLoopMiddleware(interrupt_on={"deploy_image": True})
    return made(path, *script, more=[wait], checkpointer=saver or InMemorySaver())


@pytest.mark.parametrize("decision", ["approve", "reject"])
@pytest.mark.parametrize("sync", [True, False])
async def test_a_person_decides_and_the_run_goes_on(path: Path, decision: str, sync: bool) -> None:
    agent = waiting(path, says(BUILD), says(DEPLOY), AIMessage("I see."))
    steps: list[Any] = [ASKED, Command(resume={"decisions": [{"type": decision}]})]
    for given in steps:
        if sync:
            await asyncio.to_thread(agent.invoke, given, THREAD)
        else:
            await agent.ainvoke(given, THREAD)
    (run,) = runs(path)
    answer = answers_of(run)[-1]
    assert answer.status == ("ok" if decision == "approve" else "error")
    assert ("rejected" in answer.text) == (decision == "reject")
    assert answer.refused_by == ("user" if decision == "reject" else None)
    assert [e.text for e in run.events if isinstance(e, MessageEvent) and not e.by][-1] == "I see."
    assert said_by_system(run) == [
        'waits for a person: approval of deploy_image(tag="v1", replicas=3)',
        f'a person answered: {{"decisions": [{{"type": "{decision}"}}]}}',
    ]


def test_a_program_that_ends_while_its_agent_waits(path: Path) -> None:
    """Another program goes on with it, in a run of its own, which says what the person answered."""
    saver = InMemorySaver()
    recorder = record(path)
    wait = HumanInTheLoopMiddleware(interrupt_on={"deploy_image": True})
    first: Any = create_agent(
        Both(script=[says(DEPLOY)]), TOOLS, middleware=[recorder, wait], checkpointer=saver
    )
    first.invoke(ASKED, THREAD)
    recorder.close()
    end = end_of(last_run(path))
    assert end.ending == "aborted"
    assert end.reason == 'the agent waits for a person: approval of deploy_image(tag="v1", replicas=3)'
    waiting(path, AIMessage("Done."), saver=saver).invoke(Command(resume=APPROVED), THREAD)
    run = last_run(path)
    assert run.id == "r2" and [c.tool for c in calls_of(run)] == ["deploy_image"]
    assert said_by_system(run) == ['a person answered: {"decisions": [{"type": "approve"}]}']
    assert end_of(run).ending == "stopped"


def test_agents_that_nobody_goes_on_with_are_not_kept_open(path: Path) -> None:
    gc.collect()
    files = Path("/proc/self/fd")  # where the platform has it
    before = len(list(files.iterdir())) if files.is_dir() else 0
    agent = waiting(path, *(says(DEPLOY) for _ in range(_WAITING + 20)))
    for number in range(_WAITING + 20):
        agent.invoke(ASKED, {"configurable": {"thread_id": str(number)}})
    finish_merging()  # which has the files open that it merges
    assert not before or len(list(files.iterdir())) - before <= _WAITING + 5
    found = load(path).runs
    assert len(found) == _WAITING + 20
    assert sum(isinstance(run.events[-1], EndEvent) for run in found) == 20


def stopped_by_middleware(path: Path) -> None:
    @after_model(can_jump_to=["end"])
    def stop(state: Any, runtime: Any) -> dict[str, Any]:
        return {"jump_to": "end"}

    made(path, says(BUILD), more=[stop]).invoke(ASKED)


def limited(path: Path) -> None:
    limit = ToolCallLimitMiddleware(run_limit=1, exit_behavior="end")
    made(path, says(BUILD), says(DEPLOY), more=[limit]).invoke(ASKED)


def answered_and_going_on(path: Path) -> None:
    limit = ToolCallLimitMiddleware(run_limit=1, exit_behavior="continue")
    made(path, says(BUILD), says(DEPLOY), AIMessage("Done."), more=[limit]).invoke(ASKED)


def too_long(path: Path) -> None:
    with pytest.raises(GraphRecursionError):
        made(path, *(says(LOG) for _ in range(9))).invoke(ASKED, {"recursion_limit": 4})


def left(path: Path) -> None:
    for _ in made(path, *SHIPPED).stream(ASKED):
        break


def left_async(path: Path) -> None:
    async def go() -> None:
        stream = made(path, *SHIPPED).astream(ASKED)
        async for _ in stream:
            break
        await stream.aclose()

    asyncio.run(go())


@pytest.mark.parametrize(
    ("use", "calls", "answered", "ending", "reason"),
    [
        (stopped_by_middleware, 1, 0, "aborted", "the agent's graph ended before all calls were answered"),
        (limited, 2, 2, "stopped", None),
        (answered_and_going_on, 2, 2, "stopped", None),
        (too_long, 2, 2, "aborted", "the agent crashed (GraphRecursionError: Recursion limit of 4 reached"),
        (left, 1, 0, "aborted", "stopped by the user"),
        (left_async, 1, 0, "aborted", "stopped by the user"),
    ],
)
def test_an_end_that_no_model_call_shows(
    path: Path, use: Any, calls: int, answered: int, ending: str, reason: str | None
) -> None:
    """The run is over when its graph is: nothing stays open, and no end is made up when the program ends."""
    use(path)
    (run,) = runs(path)
    assert (len(calls_of(run)), len(answers_of(run))) == (calls, answered)
    assert end_of(run).ending == ending
    assert (end_of(run).reason or "").startswith(reason or "") and bool(end_of(run).reason) == bool(reason)
    if use is answered_and_going_on:
        assert [e.text for e in run.events if isinstance(e, MessageEvent)][-1] == "Done."


@pytest.mark.parametrize("graph", [True, False])
def test_a_loop_of_ones_own_by_callbacks(path: Path, graph: bool) -> None:
    """No create_agent and no graph: the run goes on as long as its calls are answered."""
    model = Both(script=[says(BUILD), says(DEPLOY), AIMessage("Done.")])
    config: Any = {"callbacks": [record(path)]}
    tools = {tool.name: tool for tool in TOOLS}

    def loop(ask: Any, call: Any) -> None:
        messages: list[Any] = [HumanMessage("Ship it.")]
        while (said := ask(messages)).tool_calls:
            messages += [said, *(call(one) for one in said.tool_calls)]

    if graph:
        ask = task(lambda messages: model.invoke(messages))
        call = task(lambda one: tools[one["name"]].invoke(one))

        @entrypoint()
        def agent(asked: str) -> None:
            loop(lambda messages: ask(messages).result(), lambda one: call(one).result())

        agent.invoke("", config)
    else:
        loop(
            lambda messages: model.invoke(messages, config),
            lambda one: tools[one["name"]].invoke(one, config),
        )
    finish_merging()
    with suppress(FileNotFoundError):
        assert not list(recordings_of(path).iterdir()), "nothing is left open"
    (run,) = runs(path)
    assert [c.tool for c in calls_of(run)] == ["build_image", "deploy_image"] and len(answers_of(run)) == 2


@pytest.mark.parametrize("kind", ["fallback", "summary", "changed"])
def test_middleware_that_changes_what_happens(path: Path, kind: str) -> None:
    @wrap_tool_call
    def change(request: Any, handler: Any) -> Any:
        return handler(request.override(tool_call={**request.tool_call, "args": {"tag": "v9"}}))

    script: list[Any] = [says(BUILD), says(LOG), AIMessage("Done.")]
    more: dict[str, Any] = {
        "fallback": ModelFallbackMiddleware(Both(script=list(script))),
        "summary": SummarizationMiddleware(
            model=Both(script=[AIMessage("in short")]), trigger=("messages", 4), keep=("messages", 2)
        ),
        "changed": change,
    }
    given = [RuntimeError("down")] * 9 if kind == "fallback" else script
    tools = [build_image] if kind == "changed" else TOOLS
    made(path, *given, tools=tools, more=[more[kind]]).invoke(ASKED)
    (run,) = runs(path)
    call, end = calls_of(run)[0], end_of(run)
    assert (len(calls_of(run)), len(answers_of(run)), end.ending) == (2, 2, "stopped")
    assert call.asked is None, "nobody edited it by hand"
    if kind == "changed":
        assert answers_of(run)[0].text == "built v9"
    if kind == "summary":
        given_now = [e.given.messages for e in run.events if isinstance(e, MessageEvent) and e.given]
        assert given_now[-1] and "in short" in given_now[-1][0].text
