"""Tools that a graph calls itself are stopped, edited and answered; a dry run and a rerun call none, in any graph."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool, Tool, tool
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode
from langgraph.types import Command, RetryPolicy, Send

from planscope.agents import record
from planscope.agents.gate import (
    Answer,
    EditAnswer,
    EditArguments,
    GoOn,
    Pauser,
    PendingCall,
    Raise,
    Refuse,
    Stop,
)
from planscope.agents.own_live import DryGate, OwnRun
from planscope.agents.own_tools import _caught
from planscope.agents.reruns import RecordedAnswers, first_input
from planscope.session.model import ErrorEvent, Run
from planscope.session.store import load

from .support import answers_of, calls_of, check_record, end_of, says
from .test_own_agent import Both
from .test_own_kinds import ASKED, path
from .test_own_live import Gate, Name, load_agent, named, run_of

__all__ = ["named", "path"]

WAYS = (BaseTool.run, BaseTool.arun, BaseTool.invoke, BaseTool.ainvoke, StructuredTool.ainvoke)
STARTS = (threading.Thread.start, ThreadPoolExecutor.submit)


@pytest.fixture(autouse=True)
def put_back() -> Any:
    """Whatever happens in a run, LangChain's tools are afterwards as they were."""
    yield
    for _ in range(100):  # a thread of a run that was stopped may be at its last line
        if not _caught:
            break
        threading.Event().wait(0.05)
    assert not _caught
    assert (BaseTool.run, BaseTool.arun, BaseTool.invoke, BaseTool.ainvoke, StructuredTool.ainvoke) == WAYS
    assert (threading.Thread.start, ThreadPoolExecutor.submit) == STARTS


PAY, MAIL = ("pay", {"to": "ann", "amount": 5}), ("mail", {"text": "paid"})
SCRIPT = (says(PAY), says(MAIL), AIMessage("Done."))


class Mailer(BaseTool):
    """A tool as a class of its own, sync and async."""

    name: str = "mail"
    description: str = "Send a mail."
    folder: Path

    def _run(self, text: str) -> str:
        (self.folder / f"mail-{text}").touch()
        return f"mailed {text}"

    async def _arun(self, text: str) -> str:
        return self._run(text)


def tools_in(folder: Path) -> list[BaseTool]:
    """Two tools that leave files in a folder."""

    @tool
    def pay(to: str, amount: int) -> dict[str, Any]:
        """Pay money."""
        (folder / f"pay-{to}-{amount}").touch()
        return {"paid": amount, "to": to}

    return [pay, Mailer(folder=folder)]


def done(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir() if p.name.startswith(("pay", "mail")))


# The graphs

Call = Callable[[dict[str, BaseTool], dict[str, Any]], Any]
Made = Callable[[Any, list[BaseTool]], Any]


def by_name(tools: dict[str, BaseTool], call: dict[str, Any]) -> Any:
    return tools[call["name"]].invoke(call["args"])


def message(said: Any, call: dict[str, Any]) -> ToolMessage:
    return said if isinstance(said, ToolMessage) else ToolMessage(str(said), tool_call_id=call["id"])


def more(state: Any) -> str:
    return "tools" if state["messages"][-1].tool_calls else END


def graph_of(model: Any, tool_node: Any, **options: Any) -> Any:
    made = StateGraph(MessagesState)
    made.add_node("llm", lambda state: {"messages": [model.invoke(state["messages"])]})
    made.add_node("tools", tool_node, **options)
    made.add_edge(START, "llm")
    made.add_conditional_edges("llm", more, ["tools", END])
    made.add_edge("tools", "llm")
    return made


def quickstart(call: Call) -> Made:
    """LangGraph's own quickstart: a node finds the tool by its name."""

    def make(model: Any, tools: list[BaseTool]) -> Any:
        known = {one.name: one for one in tools}

        def node(state: Any) -> Any:
            return {"messages": [message(call(known, one), one) for one in state["messages"][-1].tool_calls]}

        return graph_of(model, node).compile()

    return make


def in_async_node(call: Callable[..., Any]) -> Made:
    def make(model: Any, tools: list[BaseTool]) -> Any:
        known = {one.name: one for one in tools}

        async def node(state: Any) -> Any:
            calls = state["messages"][-1].tool_calls
            said = await asyncio.gather(*(call(known, one) for one in calls))
            return {"messages": [message(one, c) for one, c in zip(said, calls, strict=True)]}

        return graph_of(model, node).compile()

    return make


async def aby_name(tools: dict[str, BaseTool], call: dict[str, Any]) -> Any:
    return await tools[call["name"]].ainvoke(call["args"])


async def sync_in_async(tools: dict[str, BaseTool], call: dict[str, Any]) -> Any:
    return tools[call["name"]].invoke(call)


async def in_executor(tools: dict[str, BaseTool], call: dict[str, Any]) -> Any:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(POOL, tools[call["name"]].invoke, call["args"])


POOL = ThreadPoolExecutor(2)
"""A pool of the user's that is older than the run."""


def in_pool(tools: dict[str, BaseTool], call: dict[str, Any]) -> Any:
    return POOL.submit(tools[call["name"]].invoke, call["args"]).result()


def in_thread(tools: dict[str, BaseTool], call: dict[str, Any]) -> Any:
    said: list[Any] = []
    thread = threading.Thread(target=lambda: said.append(tools[call["name"]].run(call["args"])))
    thread.start()
    thread.join()
    return said[0]


def by_batch(tools: dict[str, BaseTool], call: dict[str, Any]) -> Any:
    return tools[call["name"]].batch([call])[0]


def by_lambda(tools: dict[str, BaseTool], call: dict[str, Any]) -> Any:
    chain = RunnableLambda(lambda one: one["args"]) | RunnableLambda(tools[call["name"]].invoke)
    return chain.with_retry(stop_after_attempt=2).invoke(call)


def functional(model: Any, tools: list[BaseTool]) -> Any:
    """The functional API."""
    known = {one.name: one for one in tools}

    @task
    def ask(messages: list[Any]) -> Any:
        return model.invoke(messages)

    @task
    def call(one: dict[str, Any]) -> Any:
        return known[one["name"]].invoke(one)

    @entrypoint()
    def agent(given: dict[str, Any]) -> Any:
        messages = list(given["messages"])
        while (said := ask(messages).result()).tool_calls:
            messages += [said, *(f.result() for f in [call(one) for one in said.tool_calls])]
        return {"messages": [*messages, said]}

    return agent


def sends(model: Any, tools: list[BaseTool]) -> Any:
    """A node for each call, side by side."""
    known = {one.name: one for one in tools}
    made = StateGraph(MessagesState)
    made.add_node("llm", lambda state: {"messages": [model.invoke(state["messages"])]})
    made.add_node("one", lambda call: {"messages": [message(by_name(known, call), call)]})
    made.add_edge(START, "llm")
    made.add_conditional_edges(
        "llm",
        lambda state: [Send("one", call) for call in state["messages"][-1].tool_calls] or END,
        ["one", END],
    )
    made.add_edge("one", "llm")
    return made.compile()


def subgraph(model: Any, tools: list[BaseTool]) -> Any:
    made = StateGraph(MessagesState)
    made.add_node("inner", quickstart(by_name)(model, tools))
    made.add_edge(START, "inner")
    return made.compile()


def tool_node(model: Any, tools: list[BaseTool]) -> Any:
    return graph_of(model, ToolNode(tools)).compile()


def hidden_tool_node(model: Any, tools: list[BaseTool]) -> Any:
    """A tool node that is made only when it is needed."""
    return graph_of(model, lambda state, config: ToolNode(tools).invoke(state, config)).compile()


def agent(model: Any, tools: list[BaseTool]) -> Any:
    return create_agent(model, tools)


class Calls(AgentMiddleware[Any, Any, Any]):
    """A middleware that calls the tool itself, in the place of the agent's loop."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        return request.tool.invoke({**request.tool_call, "type": "tool_call"})


def middleware(model: Any, tools: list[BaseTool]) -> Any:
    return create_agent(model, tools, middleware=[Calls()])


def supervisor(model: Any, tools: list[BaseTool]) -> Any:
    """An agent that a chief has as its tool."""
    worker = quickstart(by_name)(model, tools)

    @tool
    def ask_worker(what: str) -> str:
        """Ask the worker."""
        return str(worker.invoke({"messages": [HumanMessage(what)]})["messages"][-1].text)

    made = StateGraph(MessagesState)
    made.add_node("chief", lambda state: {"messages": [AIMessage(worker.invoke(state)["messages"][-1].text)]})
    made.add_edge(START, "chief")
    return made.compile()


def by_func(tools: dict[str, BaseTool], call: dict[str, Any]) -> Any:
    one = tools[call["name"]]
    return one.func(**call["args"]) if isinstance(one, StructuredTool) else one.invoke(call["args"])


def as_functions(model: Any, tools: list[BaseTool]) -> Any:
    """The program has its functions, and the tools that are made of them are for the model alone."""

    class Desk:
        def __init__(self, pay: BaseTool, mail: BaseTool) -> None:
            self._pay, self._mail = pay, mail

        def pay(self, to: str, amount: int = 5) -> dict[str, Any]:
            """Pay money."""
            (self._mail.folder / f"pay-{to}-{amount}").touch()
            return {"paid": amount, "to": to}

    desk = Desk(*tools)
    folder = tools[1].folder

    async def mail(text: str) -> str:
        """Send a mail."""
        (folder / f"mail-{text}").touch()
        return f"mailed {text}"

    offered = [StructuredTool.from_function(desk.pay), StructuredTool.from_function(coroutine=mail)]

    async def node(state: Any) -> Any:
        call = state["messages"][-1].tool_calls[0]
        said = desk.pay(**call["args"]) if call["name"] == "pay" else await mail(call["args"]["text"])
        return {"messages": [message(said, call)], "offered": len(offered)}

    return graph_of(model, node).compile()


SHAPES: dict[str, Made] = {
    "quickstart": quickstart(by_name),
    "a tool's func": quickstart(by_func),
    "functions behind tools": as_functions,
    "with the whole call": quickstart(lambda tools, call: tools[call["name"]].invoke(call)),
    "run": quickstart(lambda tools, call: tools[call["name"]].run(call["args"])),
    "a pool": quickstart(in_pool),
    "a thread": quickstart(in_thread),
    "batch": quickstart(by_batch),
    "a chain": quickstart(by_lambda),
    "async": in_async_node(aby_name),
    "sync in async": in_async_node(sync_in_async),
    "executor": in_async_node(in_executor),
    "functional": functional,
    "sends": sends,
    "subgraph": subgraph,
    "tool node": tool_node,
    "hidden tool node": hidden_tool_node,
    "create_agent": agent,
    "middleware": middleware,
    "supervisor": supervisor,
}

shapes = pytest.mark.parametrize("shape", list(SHAPES))


def loaded(named: Name, shape: str, folder: Path, *script: Any) -> Any:
    return load_agent(named(SHAPES[shape](Both(script=list(script or SCRIPT)), tools_in(folder))))


@shapes
def test_each_call_is_asked_about_and_made_once(named: Name, tmp_path: Path, shape: str) -> None:
    run, gate = run_of(loaded(named, shape, tmp_path), EditArguments({"to": "ann", "amount": 7}))
    assert [(c.step, c.tool, dict(c.arguments)) for c in gate.seen] == [(1, *PAY), (2, *MAIL)]
    assert done(tmp_path) == ["mail-paid", "pay-ann-7"] and end_of(run).ending == "stopped"
    one, two = calls_of(run)
    assert (one.arguments, one.asked, one.by) == ({"to": "ann", "amount": 7}, PAY[1], None)
    assert (two.arguments, two.by) == (MAIL[1], None)
    assert [a.text for a in answers_of(run)] == ['{"paid": 7, "to": "ann"}', "mailed paid"]


@shapes
def test_a_dry_run_calls_no_tool(named: Name, tmp_path: Path, shape: str) -> None:
    asked: list[PendingCall] = []

    def pause(call: PendingCall) -> None:
        asked.append(call)
        threading.Timer(0, lambda: pauser.decide(GoOn(), stepping=True)).start()

    pauser = Pauser(on_pause=pause)
    made = OwnRun(
        loaded(named, shape, tmp_path), "Pay.", variant="v1", run_id="r1", gate=DryGate(pauser)
    ).wait()
    check_record(made.events)
    assert done(tmp_path) == [] and [c.tool for c in asked] == ["pay", "mail"]
    assert {a.given_by for a in answers_of(made)} == {"user"} and end_of(made).ending == "stopped"


@shapes
def test_a_rerun_calls_no_tool(named: Name, tmp_path: Path, shape: str) -> None:
    run, _ = run_of(loaded(named, shape, tmp_path))
    assert done(tmp_path) == ["mail-paid", "pay-ann-5"]
    dry = tmp_path / "dry"
    dry.mkdir()
    gate = RecordedAnswers(run)
    again = OwnRun(loaded(named, shape, dry), first_input(run), variant="v1", run_id="r2", gate=gate).wait()
    assert done(dry) == [] and gate.answered == 2 and end_of(again).ending == "stopped"
    assert [a.text for a in answers_of(again)] == [a.text for a in answers_of(run)]
    other = says(("pay", {"to": "bob", "amount": 1}))
    stopped = OwnRun(
        loaded(named, shape, dry, other), "Pay.", variant="v1", run_id="r3", gate=RecordedAnswers(run)
    ).wait()
    assert done(dry) == [] and "the record goes on with" in str(end_of(stopped).reason)


@shapes
def test_stopped_at_a_call(named: Name, tmp_path: Path, shape: str) -> None:
    run, _ = run_of(loaded(named, shape, tmp_path), GoOn(), Stop())
    assert done(tmp_path) == ["pay-ann-5"] and len(calls_of(run)) == 1
    assert (end_of(run).ending, end_of(run).reason) == ("aborted", "stopped by the user")


@pytest.mark.parametrize("shape", ["quickstart", "with the whole call", "async", "sends", "functional"])
def test_what_the_program_gets(named: Name, tmp_path: Path, shape: str) -> None:
    """Values stay values, messages stay messages, and an error is raised again."""
    script = [says(PAY), says(PAY), says(PAY), says(MAIL)]
    verbs = [EditAnswer('{"paid": 1}'), Refuse("no"), Answer('{"paid": 2}'), Raise("no network")]
    run, _ = run_of(loaded(named, shape, tmp_path, *script), *verbs)
    one, two, three = answers_of(run)
    assert (one.text, one.said) == ('{"paid": 1}', '{"paid": 5, "to": "ann"}')
    assert two.refused_by == "user" and two.text.endswith("no") and three.given_by == "user"
    assert done(tmp_path) == ["pay-ann-5"]
    assert [e.text for e in run.events if isinstance(e, ErrorEvent)] == [
        "the tool crashed (RecordedError: no network)"
    ]


def one_node(node: Any) -> Any:
    made = StateGraph(MessagesState)
    made.add_node("work", node)
    made.add_edge(START, "work")
    return made.compile()


def test_calls_that_no_model_asked_for(named: Name, tmp_path: Path) -> None:
    """They are steps, too, and are in no message of a fork."""
    pay, _ = tools_in(tmp_path)
    model = Both(script=[AIMessage("Paid.")])

    def work(state: Any) -> Any:
        paid = pay.invoke({"to": "bob", "amount": 3})["paid"]
        return {"messages": [model.invoke([*state["messages"], HumanMessage(f"paid {paid}")])]}

    run, gate = run_of(load_agent(named(one_node(work))), Answer('{"paid": 4}'))
    assert [(c.tool, dict(c.arguments)) for c in gate.seen] == [("pay", {"to": "bob", "amount": 3})]
    (call,) = calls_of(run)
    assert call.by == "program" and done(tmp_path) == []
    assert [m.text for m in model.seen[-1]][-1] == "paid 4"


def test_without_any_model(named: Name, tmp_path: Path) -> None:
    pay, _ = tools_in(tmp_path)
    agent = load_agent(named(one_node(lambda state: pay.invoke({"to": "bob", "amount": 3}) and None)))
    run, gate = run_of(agent, given="Pay bob.")
    assert len(gate.seen) == 1 and done(tmp_path) == ["pay-bob-3"] and end_of(run).ending == "stopped"


def test_a_tool_that_calls_a_tool(named: Name, tmp_path: Path) -> None:
    """The inner call pauses, too, and stands inside the outer one; a rerun answers the outer one."""
    pay, _ = tools_in(tmp_path)

    @tool
    def settle(to: str) -> str:
        """Settle."""
        return f"settled {pay.invoke({'to': to, 'amount': 2})['paid']}"

    def made() -> Any:
        return load_agent(
            named(agent(Both(script=[says(("settle", {"to": "ann"})), AIMessage(".")]), [settle]))
        )

    run, gate = run_of(made(), GoOn(), EditArguments({"to": "ann", "amount": 9}))
    assert [c.tool for c in gate.seen] == ["settle", "pay"] and done(tmp_path) == ["pay-ann-9"]
    assert [(c.inside, c.by) for c in calls_of(run)] == [(None, None), (1, "program")]
    assert [a.text for a in answers_of(run)] == ['{"paid": 9, "to": "ann"}', "settled 9"]
    answers = RecordedAnswers(run)
    OwnRun(made(), "Settle.", variant="v1", run_id="r2", gate=answers).wait()
    assert answers.answered == 1 and done(tmp_path) == ["pay-ann-9"]


def test_a_tool_that_calls_itself(named: Name, tmp_path: Path) -> None:
    @tool
    def count(down: int) -> int:
        """Count down."""
        return 0 if down == 0 else 1 + count.invoke({"down": down - 1})

    for model in (says(("count", {"down": 2})),):
        run, gate = run_of(load_agent(named(agent(Both(script=[model, AIMessage(".")]), [count]))))
    assert [c.arguments["down"] for c in gate.seen] == [2, 1, 0]
    assert [c.inside for c in calls_of(run)] == [None, 1, 2] and answers_of(run)[-1].text == "2"


def test_injected_arguments_and_commands(named: Name) -> None:
    """The gate sees what the model says, the tool gets the rest, too."""

    @tool
    def take(
        what: str,
        state: Annotated[Any, InjectedState],
        tool_call_id: Annotated[str, InjectedToolCallId],
    ) -> Command[Any]:
        """Take."""
        text = f"{what} after {state['messages'][0].text}"
        return Command(update={"messages": [ToolMessage(text, tool_call_id=tool_call_id)]})

    def node(state: Any) -> Any:
        call = state["messages"][-1].tool_calls[0]
        return take.invoke({**call, "args": {**call["args"], "state": state}, "type": "tool_call"})

    script = [says(("take", {"what": "tea"})), AIMessage(".")]
    made = load_agent(named(graph_of(Both(script=list(script)), node).compile()))
    run, gate = run_of(made, EditArguments({"what": "milk"}))
    assert dict(gate.seen[0].arguments) == {"what": "tea"}
    assert answers_of(run)[0].text == "milk after Ship it." and calls_of(run)[0].asked == {"what": "tea"}


def test_artifacts_and_single_input_tools(named: Name) -> None:
    got: list[Any] = []

    @tool(response_format="content_and_artifact")
    def look(what: str) -> tuple[str, list[int]]:
        """Look."""
        return f"saw {what}", [1, 2]

    echo = Tool("echo", lambda text: f"echo {text}", "Echo.")

    def node(state: Any) -> Any:
        call = state["messages"][-1].tool_calls[0]
        got.append(look.invoke({**call, "type": "tool_call"}))
        got.append(look.invoke(call["args"]))
        got.append(echo.invoke("hello"))
        return {"messages": [got[0]]}

    script = [says(("look", {"what": "up"})), AIMessage(".")]
    run, gate = run_of(load_agent(named(graph_of(Both(script=list(script)), node).compile())))
    assert (got[0].content, got[0].artifact, got[1], got[2]) == ("saw up", [1, 2], "saw up", "echo hello")
    assert [c.tool for c in gate.seen] == ["look", "look", "echo"]
    assert [c.by for c in calls_of(run)] == [None, "program", "program"]


def test_a_call_that_is_tried_again(named: Name, tmp_path: Path) -> None:
    """A failed call is decided as before; what a rerun answers with an error stays that."""
    tries: list[int] = []

    @tool
    def shaky(at: int) -> str:
        """Fail twice."""
        tries.append(at)
        if len(tries) < 3:
            raise OSError(f"try {len(tries)}")
        return "worked"

    def made() -> Any:
        def node(state: Any) -> Any:
            call = state["messages"][-1].tool_calls[0]
            return {"messages": [message(shaky.invoke(call["args"]), call)]}

        again = RetryPolicy(max_attempts=3, initial_interval=0.0, jitter=False, retry_on=Exception)
        model = Both(script=[says(("shaky", {"at": 1})), AIMessage(".")])
        return load_agent(named(graph_of(model, node, retry_policy=again).compile()))

    run, gate = run_of(made())
    assert len(gate.seen) == 1 and len(tries) == 3 and [a.text for a in answers_of(run)] == ["worked"]
    assert len([e for e in run.events if isinstance(e, ErrorEvent)]) == 2
    answers = RecordedAnswers(run)
    again = OwnRun(made(), "Try.", variant="v1", run_id="r2", gate=answers).wait()
    assert len(tries) == 3 and [a.text for a in answers_of(again)] == ["worked"]
    run_of(made(), Raise("never"))
    assert len(tries) == 3, "an answer in the tool's place is given again to each try"


def test_two_runs_and_other_tools_of_the_program(named: Name, tmp_path: Path) -> None:
    """Each run's calls go to its own gate; a tool that is called outside them is left alone."""
    runs: dict[str, Any] = {}
    outside: list[Any] = []
    meet = threading.Barrier(2, timeout=20)

    class Waits(Gate):
        async def ask(self, call: PendingCall, later: bool) -> Any:
            meet.wait()
            return await super().ask(call, later)

    def go(name: str) -> None:
        (tmp_path / name).mkdir()
        made = load_agent_of(SHAPES["a pool"], tmp_path / name, name)
        gate = Waits()
        made = OwnRun(made, name, variant="v1", run_id=name, gate=gate).wait()
        runs[name] = (made, gate)

    def load_agent_of(shape: Made, folder: Path, name: str) -> Any:
        pay = ("pay", {"to": name, "amount": 1})
        script = [says(pay), says(pay), AIMessage(".")]
        return load_agent(named(shape(Both(script=script), tools_in(folder))))

    other = tools_in(tmp_path)[0]
    threads = [threading.Thread(target=go, args=(name,)) for name in ("ann", "bob")]
    for thread in threads:
        thread.start()
        thread.join(0.3)
    outside.append(other.invoke({"to": "out", "amount": 1}))
    for thread in threads:
        thread.join(30)
    for name in ("ann", "bob"):
        run, gate = runs[name]
        assert [c.arguments["to"] for c in gate.seen] == [name] * 2 and end_of(run).ending == "stopped"
        assert done(tmp_path / name) == [f"pay-{name}-1"]
    assert outside == [{"paid": 1, "to": "out"}]


def test_work_that_outlives_a_dry_run_calls_no_tool(named: Name, tmp_path: Path) -> None:
    pay, _ = tools_in(tmp_path)
    begun, go_on, over = threading.Event(), threading.Event(), list[str]()

    def work(state: Any) -> Any:
        begun.set()
        go_on.wait(20)
        try:
            pay.invoke({"to": "late", "amount": 1})
        except BaseException as error:
            over.append(type(error).__name__)
            raise

    run = OwnRun(load_agent(named(one_node(work))), "Pay.", variant="v1", run_id="r1", gate=DryGate(Pauser()))
    thread = threading.Thread(target=run.wait)
    thread.start()
    assert begun.wait(20)
    run.stop()
    thread.join(20)
    go_on.set()
    for _ in range(200):
        if over:
            break
        threading.Event().wait(0.05)
    assert over == ["StoppedAtGate"] and done(tmp_path) == []


@pytest.mark.parametrize("offered", ["function", "schema"])
def test_a_plain_function_ends_a_dry_run_before_it_is_called(named: Name, offered: str) -> None:
    called: list[str] = []

    def launch_rocket(where: str) -> str:
        """Launch."""
        called.append(where)
        return "gone"

    schema = {
        "type": "function",
        "function": {"name": "launch_rocket", "parameters": {"type": "object", "properties": {}}},
    }

    def made() -> Any:
        model = Both(script=[says(("launch_rocket", {"where": "up"})), AIMessage(".")])
        bound = model.bind_tools([launch_rocket if offered == "function" else schema])

        def node(state: Any) -> Any:
            call = state["messages"][-1].tool_calls[0]
            return {"messages": [message(launch_rocket(**call["args"]), call)]}

        return load_agent(named(graph_of(bound, node).compile()))

    gates: list[Any] = [
        Pauser(),
        DryGate(Pauser()),
        RecordedAnswers(Run(id="r0", variant="v1", agent="a", model="m")),
    ]
    for gate in gates:
        run = OwnRun(made(), "Go.", variant="v1", run_id="r1", gate=gate).wait()
        assert called == [] and "'launch_rocket'" in str(end_of(run).reason)
    run_of(made())
    assert called == ["up"], "without a promise it is called"


@pytest.mark.parametrize("shape", ["quickstart", "async", "a pool", "functional", "sends"])
@pytest.mark.parametrize("by", ["callback", "middleware"])
def test_a_rerun_of_what_a_recorder_recorded(
    named: Name, tmp_path: Path, path: Path, shape: str, by: str
) -> None:
    """Also if the program gave the tools no ids: then callbacks know their calls by tool and arguments."""
    made = SHAPES["create_agent" if by == "middleware" else shape]
    model = Both(script=list(SCRIPT))
    if by == "middleware":
        create_agent(model, tools_in(tmp_path), middleware=[record(path)]).invoke(ASKED)
    else:
        asyncio.run(made(model, tools_in(tmp_path)).ainvoke(ASKED, {"callbacks": [record(path)]}))
    run = load(path).runs[-1]
    told = [
        a.text.replace("'", '"') for a in answers_of(run)
    ]  # a pool has no callbacks: its answers are messages
    assert told == ['{"paid": 5, "to": "ann"}', "mailed paid"]
    dry = tmp_path / "dry"
    dry.mkdir()
    gate = RecordedAnswers(run)
    again = OwnRun(loaded(named, shape, dry), first_input(run), variant="v1", run_id="r2", gate=gate).wait()
    assert done(dry) == [] and gate.answered == 2 and end_of(again).ending == "stopped"


def test_callbacks_record_what_no_model_asked_for(path: Path, tmp_path: Path) -> None:
    pay, _ = tools_in(tmp_path)
    model = Both(script=[AIMessage("Let us see."), AIMessage("Paid.")])

    def work(state: Any) -> Any:
        model.invoke(state["messages"])
        paid = pay.invoke({"to": "bob", "amount": 3})["paid"]
        return {"messages": [model.invoke([HumanMessage(f"paid {paid}")])]}

    one_node(work).invoke(ASKED, {"callbacks": [record(path)]})
    calls = [call for run in load(path).runs for call in calls_of(run)]
    assert [(c.tool, c.by, c.arguments) for c in calls] == [("pay", "program", {"to": "bob", "amount": 3})]
