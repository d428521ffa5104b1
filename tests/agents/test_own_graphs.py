"""Agents of several agents: one run, with the agent's name at each step. Interrupts, resumption, images."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode
from langgraph.types import Command, interrupt

from planscope.agents import record
from planscope.session.model import AnswerEvent, CallEvent, MessageEvent, PromptEvent, Run
from planscope.session.store import load

from .support import answers_of, calls_of, end_of, says
from .test_own_agent import Both, runs
from .test_own_kinds import ASKED, BUILD, DEPLOY, LOG, TOOLS, path

__all__ = ["path"]


def agent(name: str | None, *script: Any, tools: Any = TOOLS, middleware: Any = (), **options: Any) -> Any:
    return create_agent(Both(script=list(script)), tools, middleware=middleware, name=name, **options)


def graph(**nodes: Any) -> Any:
    """A graph whose nodes are agents, one after the other if no tool hands over."""
    made = StateGraph(MessagesState)
    names = list(nodes)
    for name, node in nodes.items():
        made.add_node(name, node)
    made.add_edge(START, names[0])
    return made


def steps(run: Run) -> list[tuple[str | None, str]]:
    return [(call.agent, call.tool) for call in calls_of(run)]


def handed(run: Run) -> list[str]:
    return [e.text for e in run.events if isinstance(e, MessageEvent) and e.by == "handoff"]


@tool
def to_bob(id: Annotated[str, InjectedToolCallId], state: Annotated[Any, InjectedState]) -> Command[Any]:
    """Hand over to bob."""
    said = [*state["messages"], ToolMessage("over to bob", tool_call_id=id)]
    return Command(goto="bob", graph=Command.PARENT, update={"messages": said})


async def invoke(made: Any, sync: bool, config: Any = None, given: Any = ASKED) -> Any:
    return await asyncio.to_thread(made.invoke, given, config) if sync else await made.ainvoke(given, config)


def helper_tool(inner: Any) -> Any:
    @tool
    def ask_helper(question: str) -> str:
        """Ask the helper."""
        return str(inner.invoke({"messages": [HumanMessage(question)]})["messages"][-1].text)

    return ask_helper


ASK = ("ask_helper", {"question": "?"})


@pytest.mark.parametrize("sync", [True, False])
@pytest.mark.parametrize("shared", [True, False])
async def test_a_sub_agent_as_a_tool(path: Path, sync: bool, shared: bool) -> None:
    """Its calls come between its caller's call and the answer, whether both have one recorder or one each."""
    recorder = record(path)
    inner = agent("helper", says(LOG), AIMessage("quiet"), middleware=[recorder if shared else record(path)])
    outer = agent(
        "chief",
        *(says(BUILD), says(ASK), says(DEPLOY), AIMessage("Done.")),
        tools=[*TOOLS, helper_tool(inner)],
        middleware=[recorder],
    )
    await invoke(outer, sync)
    (run,) = runs(path)
    assert run.agent == "chief"
    assert steps(run) == [
        ("chief", "build_image"),
        ("chief", "ask_helper"),
        ("helper", "read_log"),
        ("chief", "deploy_image"),
    ]
    order = [(type(e).__name__, e.step) for e in run.events if isinstance(e, CallEvent | AnswerEvent)]
    assert order[2:6] == [("CallEvent", 2), ("CallEvent", 3), ("AnswerEvent", 3), ("AnswerEvent", 2)]
    told = next(e for e in run.events if isinstance(e, MessageEvent) and e.agent == "helper")
    assert told.given is not None and told.given.messages is not None
    assert [m.text for m in told.given.messages] == ["?"]
    assert [call.inside for call in calls_of(run)] == [None, None, 2, None]
    assert (end_of(run).ending, handed(run)) == ("stopped", [])


def test_a_sub_agent_that_fails_and_is_forgiven(path: Path) -> None:
    recorder = record(path)
    inner = agent("helper", OSError("gone"), middleware=[recorder])

    @tool
    def ask_helper(question: str) -> str:
        """Ask the helper."""
        try:
            return str(inner.invoke({"messages": [HumanMessage(question)]}))
        except OSError:
            return "nobody there"

    script = [says(ASK), says(LOG), AIMessage("Done.")]
    agent("chief", *script, tools=[*TOOLS, ask_helper], middleware=[recorder]).invoke(ASKED)
    (run,) = runs(path)
    assert steps(run) == [("chief", "ask_helper"), ("chief", "read_log")]
    assert [a.text for a in answers_of(run)] == ["nobody there", "nothing"]
    assert end_of(run).ending == "stopped"


@pytest.mark.parametrize("sync", [True, False])
async def test_an_agent_hands_over_to_another(path: Path, sync: bool) -> None:
    recorder = record(path)
    alice = agent("alice", says(BUILD), says(("to_bob", {})), tools=[*TOOLS, to_bob], middleware=[recorder])
    bob = agent("bob", says(DEPLOY), AIMessage("Done."), middleware=[recorder])
    await invoke(graph(alice=alice, bob=bob).compile(), sync)
    recorder.close()
    (run,) = runs(path)
    assert steps(run) == [("alice", "build_image"), ("alice", "to_bob"), ("bob", "deploy_image")]
    assert handed(run) == ["bob"] and end_of(run).ending == "stopped"
    (over,) = [a for a in answers_of(run) if a.to_graph]
    assert (over.text, over.to_graph["goto"]) == ("over to bob", ["bob"])


def test_agents_in_a_row_are_one_run(path: Path) -> None:
    """The first one's last words do not end the run of the graph."""
    recorder = record(path)
    first = agent(None, says(BUILD), AIMessage("built"), middleware=[recorder])
    second = agent(None, says(DEPLOY), AIMessage("deployed"), middleware=[recorder])
    made = graph(builder=first, deployer=second)
    made.add_edge("builder", "deployer")
    made = made.compile()
    made.invoke(ASKED)
    recorder.close()
    (run,) = runs(path)
    assert steps(run) == [("builder", "build_image"), ("deployer", "deploy_image")]
    assert handed(run) == ["deployer"] and end_of(run).ending == "stopped"


def test_two_graphs_of_the_same_agents_are_two_runs(path: Path) -> None:
    recorder = record(path)
    for _ in range(2):
        graph(one=agent(None, says(LOG), AIMessage("."), middleware=[recorder])).compile().invoke(ASKED)
    recorder.close()
    assert [len(calls_of(run)) for run in runs(path)] == [1, 1]


@pytest.mark.parametrize("sync", [True, False])
async def test_plain_langgraph_with_callbacks(path: Path, sync: bool) -> None:
    """Nodes that call a model, and a node of tools: their names are the agents' names."""
    bound = Both(script=[says(BUILD), AIMessage("built"), AIMessage("deployed")]).bind_tools(TOOLS)

    def planner(state: Any) -> Any:
        return {"messages": [bound.invoke(state["messages"])]}

    def after(state: Any) -> str:
        return "tools" if state["messages"][-1].tool_calls else "writer"

    made = graph(planner=planner, tools=ToolNode(TOOLS), writer=planner)
    made.add_conditional_edges("planner", after, ["tools", "writer"])
    made.add_edge("tools", "planner")
    await invoke(made.compile(), sync, {"callbacks": [record(path)]})
    (run,) = runs(path)
    assert steps(run) == [("planner", "build_image")]
    assert [a.text for a in answers_of(run)] == ["built v1"] and handed(run) == ["writer"]
    assert end_of(run).ending == "stopped"


def test_a_sub_agent_seen_by_callbacks(path: Path) -> None:
    """Callbacks reach the agents that a tool calls, which know of no recorder."""
    inner = agent("helper", says(LOG), AIMessage("quiet"))
    outer = agent("chief", says(ASK), says(DEPLOY), AIMessage("."), tools=[*TOOLS, helper_tool(inner)])
    outer.invoke(ASKED, {"callbacks": [record(path)]})
    (run,) = runs(path)
    assert steps(run) == [("chief", "ask_helper"), ("helper", "read_log"), ("chief", "deploy_image")]
    assert [call.inside for call in calls_of(run)] == [None, 1, None]


@pytest.mark.parametrize("other", [True, False])
def test_an_interrupt_in_a_tool_and_its_resumption(path: Path, other: bool) -> None:
    """The run waits for a person. Another program may go on with it, which begins a run of its own."""

    @tool
    def ask_person(question: str) -> str:
        """Ask."""
        return f"the person said {interrupt(question)}"

    saver, config = InMemorySaver(), {"configurable": {"thread_id": "t"}}

    def made(*script: Any) -> Any:
        return create_agent(
            Both(script=list(script)), [ask_person], middleware=[record(path)], checkpointer=saver
        )

    one = made(says(("ask_person", {"question": "now?"})), AIMessage("Done."))
    one.invoke(ASKED, config)
    (run,) = load(path).runs
    assert isinstance(run.events[-1], MessageEvent) and run.events[-1].text == "waits for a person: now?"
    (made(AIMessage("Done.")) if other else one).invoke(Command(resume="yes"), config)
    last = load(path).runs[-1]
    assert [c.tool for c in calls_of(last)] == ["ask_person"]
    assert [a.text for a in answers_of(last)] == ["the person said yes"] and end_of(last).ending == "stopped"
    assert len(load(path).runs) == 1 + other
    prompt = last.events[0]
    assert isinstance(prompt, PromptEvent) and prompt.text == "Ship it."


def test_images_are_kept_by_reference(path: Path) -> None:
    data = "iVBORw0KGgo" * 1000

    @tool
    def take_photo() -> list[dict[str, Any]]:
        """Take a photo."""
        return [{"type": "image", "base64": data, "mime_type": "image/png"}]

    asked = HumanMessage(
        [
            {"type": "text", "text": "What is this?"},
            {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}},
        ]
    )
    agent(
        None, says(("take_photo", {})), AIMessage("A cat."), tools=[take_photo], middleware=[record(path)]
    ).invoke({"messages": [asked]})
    (run,) = runs(path)
    prompt, (answer,) = run.events[0], answers_of(run)
    assert isinstance(prompt, PromptEvent)
    assert prompt.text == "What is this?\n[image https://example.org/cat.png]"
    assert answer.text.startswith("[image image/png, 8,250 bytes, digest ")
    assert data[:300] not in run.model_dump_json()
