"""A user's agent under the debugger: with its own tools, each call passes the gate before it is made."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolRetryMiddleware, wrap_tool_call
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import ToolNode
from langgraph.types import interrupt

from planscope.agents.gate import (
    Answer,
    EditAnswer,
    EditArguments,
    GoOn,
    PendingCall,
    Raise,
    Refuse,
    Stop,
    Verb,
)
from planscope.agents.own_live import NOT_SEEN, LoadedAgent, OwnRun, given_in, load_agent
from planscope.agents.paradigms import UnknownAgent
from planscope.agents.reruns import not_captured
from planscope.session.model import ErrorEvent, ForkPoint, MessageEvent, Run, events_up_to

from .support import answers_of, calls_of, check_record, end_of, says
from .test_own_agent import Both
from .test_own_graphs import ASK, graph, helper_tool, steps

DONE: list[str] = []
"""The calls that reached a tool."""


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    DONE.clear()


@tool
def build_image(tag: str) -> str:
    """Build an image."""
    DONE.append(f"build {tag}")
    return f"built {tag}"


@tool
def deploy_image(tag: str) -> str:
    """Deploy an image."""
    DONE.append(f"deploy {tag}")
    return f"deployed {tag}"


TOOLS = [build_image, deploy_image]
BUILD, DEPLOY = ("build_image", {"tag": "v1"}), ("deploy_image", {"tag": "v1"})
SCRIPT = [says(BUILD), says(DEPLOY), AIMessage("Done.")]


class Gate:
    """Decides about each call in turn; ``seen`` are the calls that it was asked about."""

    def __init__(self, *verbs: Verb) -> None:
        self.verbs, self.seen = list(verbs), list[PendingCall]()

    async def ask(self, call: PendingCall, later: bool) -> Verb:
        self.seen.append(call)
        return self.verbs.pop(0) if self.verbs else GoOn()


Name = Callable[[Any], str]


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> Iterator[Name]:
    """Puts an agent, or a function that makes its module's names, into a module of the user's."""

    def put(agent: Any) -> str:
        module = ModuleType("users_module")
        module.agent = agent
        monkeypatch.setitem(sys.modules, "users_module", module)
        return "users_module:agent"

    yield put


def run_of(agent: LoadedAgent, *verbs: Verb, given: str = "Ship it.", **options: Any) -> tuple[Run, Gate]:
    gate = Gate(*verbs)
    run = OwnRun(agent, given, variant="v1", run_id="r1", gate=gate, **options).wait()
    check_record(run.events)
    return run, gate


def simple(*script: Any, tools: Any = TOOLS, **options: Any) -> Any:
    return create_agent(Both(script=list(script or SCRIPT)), tools, **options)


@pytest.mark.parametrize("kind", ["compiled", "factory", "no middleware", "async factory"])
def test_calls_pass_the_gate(named: Name, kind: str) -> None:
    async def later(middleware: Any) -> Any:
        return simple(middleware=middleware)

    kinds = {
        "compiled": simple(),
        "factory": lambda middleware: simple(middleware=middleware),
        "no middleware": lambda: simple(),
        "async factory": later,
    }
    agent = load_agent(named(kinds[kind]))
    run, gate = run_of(agent)
    assert [(c.step, c.tool, dict(c.arguments)) for c in gate.seen] == [
        (1, "build_image", {"tag": "v1"}),
        (2, "deploy_image", {"tag": "v1"}),
    ]
    assert DONE == ["build v1", "deploy v1"] and end_of(run).ending == "stopped"
    assert [a.text for a in answers_of(run)] == ["built v1", "deployed v1"]
    assert (run.agent, run.model) == ("users_module:agent", "Both")
    assert {call.agent for call in calls_of(run)} == {None}, "it has no name"
    assert [a.tool for a in agent.actions()] == ["build_image", "deploy_image"]


def test_every_decision(named: Name) -> None:
    script = [*(says(BUILD) for _ in range(5)), AIMessage("Done.")]
    agent = load_agent(named(simple(*script)))
    edit, by_hand = EditArguments({"tag": "v9"}), Answer("by hand")
    run, _ = run_of(agent, edit, EditAnswer("other words"), Refuse("no"), by_hand, GoOn())
    assert DONE == ["build v9", "build v1", "build v1"]
    first, *_ = calls_of(run)
    assert (first.arguments, first.asked) == ({"tag": "v9"}, {"tag": "v1"})
    one, two, three, four, _ = answers_of(run)
    assert (one.text, two.text, two.said) == ("built v9", "other words", "built v1")
    assert (three.refused_by, three.status) == ("user", "error") and three.text.endswith("no")
    assert (four.text, four.given_by) == ("by hand", "user")


def test_stopped_at_a_call(named: Name) -> None:
    """The call is neither made nor recorded, also where the graph makes answers of errors."""
    agent = load_agent(named(simple()))
    run, _ = run_of(agent, GoOn(), Stop())
    assert DONE == ["build v1"] and len(calls_of(run)) == 1
    assert (end_of(run).ending, end_of(run).reason) == ("aborted", "stopped by the user")


def test_an_error_raised_again(named: Name) -> None:
    run, _ = run_of(load_agent(named(simple())), Raise("no disk"))
    assert DONE == [] and end_of(run).ending == "aborted"
    assert [e.text for e in run.events if isinstance(e, ErrorEvent)] == [
        "the tool crashed (RecordedError: no disk)"
    ]


def test_calls_of_one_message_are_asked_one_by_one(named: Name) -> None:
    script = [says(BUILD, DEPLOY), AIMessage("Done.")]
    run, gate = run_of(load_agent(named(simple(*script))))
    assert [c.step for c in gate.seen] == [1, 2]
    kinds = [type(e).__name__ for e in run.events]
    assert kinds[2:6] == ["CallEvent", "AnswerEvent", "CallEvent", "AnswerEvent"]


def test_a_sub_agent_in_a_tool_is_gated_too(named: Name) -> None:
    inner = create_agent(Both(script=[says(BUILD), AIMessage("built")]), TOOLS, name="helper")
    tools = [*TOOLS, helper_tool(inner)]
    outer = create_agent(Both(script=[says(ASK), says(DEPLOY), AIMessage("Done.")]), tools, name="chief")

    def factory() -> Any:  # made while it is watched, so that the helper's tools are seen
        inner = create_agent(Both(script=[says(BUILD), AIMessage("built")]), TOOLS, name="helper")
        tools = [*TOOLS, helper_tool(inner)]
        return create_agent(Both(script=[says(ASK), says(DEPLOY), AIMessage("Done.")]), tools, name="chief")

    assert outer is not None
    run, gate = run_of(load_agent(named(factory)))
    assert [(c.agent, c.tool) for c in gate.seen] == [
        ("chief", "ask_helper"),
        ("helper", "build_image"),
        ("chief", "deploy_image"),
    ]
    assert steps(run) == [(c.agent, c.tool) for c in gate.seen]
    assert [c.step for c in gate.seen] == [1, 2, 3] and end_of(run).ending == "stopped"
    assert [call.inside for call in calls_of(run)] == [None, 1, None]


def test_agents_in_a_graph(named: Name) -> None:
    made = graph(
        builder=simple(says(BUILD), AIMessage("built")), deployer=simple(says(DEPLOY), AIMessage("."))
    )
    made.add_edge("builder", "deployer")
    run, gate = run_of(load_agent(named(made.compile())))
    assert [(c.agent, c.tool) for c in gate.seen] == [
        ("builder", "build_image"),
        ("deployer", "deploy_image"),
    ]
    assert end_of(run).ending == "stopped"


def looping() -> Any:
    """A loop of one's own, whose node for tools makes answers of errors."""
    bound = Both(script=SCRIPT).bind_tools(TOOLS)

    def think(state: Any) -> Any:
        return {"messages": [bound.invoke(state["messages"])]}

    made = graph(think=think, tools=ToolNode(TOOLS, handle_tool_errors=True))
    made.add_conditional_edges("think", lambda s: "tools" if s["messages"][-1].tool_calls else "__end__")
    made.add_edge("tools", "think")
    return made.compile()


def test_plain_langgraph(named: Name) -> None:
    run, gate = run_of(load_agent(named(looping())), Answer("by hand"))
    assert DONE == ["deploy v1"] and [c.tool for c in gate.seen] == ["build_image", "deploy_image"]
    assert end_of(run).ending == "stopped"


@pytest.mark.parametrize("sync", [True, False])
def test_a_users_own_middleware_still_works(named: Name, sync: bool) -> None:
    """One that is only synchronous works too: then the agent is run in a thread."""

    class Sync(AgentMiddleware[Any, Any, Any]):
        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            answer = handler(request)
            return ToolMessage(f"{answer.text}!", tool_call_id=answer.tool_call_id)

    @wrap_tool_call
    async def asynchronous(request: Any, handler: Any) -> Any:
        answer = await handler(request)
        return ToolMessage(f"{answer.text}!", tool_call_id=answer.tool_call_id)

    made = simple(middleware=[Sync() if sync else asynchronous])
    run, gate = run_of(load_agent(named(made)), EditArguments({"tag": "v2"}))
    assert DONE == ["build v2", "deploy v1"] and len(gate.seen) == 2
    assert [a.text for a in answers_of(run)] == ["built v2!", "deployed v1!"]


def test_a_fork_goes_on_from_recorded_messages(named: Name) -> None:
    """No call of the prefix is made again, and the fork says what it has not."""
    agent = load_agent(named(simple()))
    first, _ = run_of(agent)
    DONE.clear()
    kept = events_up_to(first, 1, answer="built badly")
    again = load_agent(named(simple(says(BUILD), AIMessage("Done."))))
    run, gate = run_of(again, kept=kept, forked_from=ForkPoint(run="r1", step=1))
    assert DONE == ["build v1"] and [c.step for c in gate.seen] == [2]
    assert [a.text for a in answers_of(run)] == ["built badly", "built v1"]
    assert [c.kept for c in calls_of(run)] == [True, None]
    assert not_captured([]) in [e.text for e in run.events if isinstance(e, MessageEvent)]


def test_what_cannot_be_seen_or_made_says_so(named: Name) -> None:
    from langchain_core.runnables import RunnableLambda

    run = OwnRun(load_agent(named(RunnableLambda(lambda x: x))), "hi", variant="v1", run_id="r1").wait()
    assert end_of(run).reason == NOT_SEEN
    run = OwnRun(load_agent(named(lambda middleware: None)), "hi", variant="v1", run_id="r1").wait()
    assert "returned nothing instead of an agent" in str(end_of(run).reason)
    with pytest.raises(UnknownAgent, match="is no agent"):
        load_agent(named(3))
    with pytest.raises(UnknownAgent, match="cannot be imported"):
        load_agent("no_such_module_here:agent")


def test_an_agent_that_waits_for_a_person(named: Name) -> None:
    @tool
    def ask_person(question: str) -> str:
        """Ask."""
        return str(interrupt(question))

    made = simple(
        says(("ask_person", {"question": "now?"})), tools=[ask_person], checkpointer=InMemorySaver()
    )
    run = OwnRun(load_agent(named(made)), "Ship it.", variant="v1", run_id="r1").wait()
    assert end_of(run).reason == "the agent waits for a person: now?"


def test_a_graphs_whole_input_as_json() -> None:
    assert given_in('{"question": "x"}') == {"question": "x"}
    assert given_in("{not json") == "{not json" and given_in("Ship it.") == "Ship it."


class OnlySync:
    """An agent that is only called synchronously."""

    def __init__(self, made: Any) -> None:
        self.invoke, self.nodes = made.invoke, made.nodes


@pytest.mark.parametrize("kind", ["tool node", "middleware", "retry"])
@pytest.mark.parametrize("sync", [True, False])
def test_a_stop_is_no_error_that_an_agent_answers(named: Name, kind: str, sync: bool) -> None:
    class Forgives(AgentMiddleware[Any, Any, Any]):
        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            try:
                return handler(request)
            except Exception as error:
                return ToolMessage(str(error), tool_call_id=request.tool_call["id"])

    retry = ToolRetryMiddleware(on_failure="continue", initial_delay=0)
    kinds = {"middleware": [Forgives()], "retry": [retry]}
    made = looping() if kind == "tool node" else simple(middleware=kinds[kind])
    run, _ = run_of(load_agent(named(OnlySync(made) if sync else made)), Stop())
    assert not DONE and end_of(run).ending == "aborted" and calls_of(run) == []


@pytest.mark.parametrize("verb", [GoOn(), Answer("not done")], ids=["done", "answered"])
def test_a_call_that_a_middleware_adds_passes_the_gate(named: Name, verb: Verb) -> None:
    class Adds(AgentMiddleware[Any, Any, object]):
        def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
            last = state["messages"][-1]
            if len(last.tool_calls) != 1:
                return None
            more = tool_call(name="deploy_image", args={"tag": "v7"}, id="added")
            return {"messages": [last.model_copy(update={"tool_calls": [*last.tool_calls, more]})]}

    agent = load_agent(named(simple(says(BUILD), AIMessage("Done."), middleware=[Adds()])))
    run, gate = run_of(agent, GoOn(), verb)
    assert [(c.step, c.tool, dict(c.arguments)) for c in gate.seen] == [
        (1, *BUILD),
        (2, "deploy_image", {"tag": "v7"}),
    ]
    assert [call.tool for call in calls_of(run)] == ["build_image", "deploy_image"]
    done = verb == GoOn()
    assert ["build v1", *(["deploy v7"] if done else [])] == DONE
    assert answers_of(run)[1].text == ("deployed v7" if done else "not done")
