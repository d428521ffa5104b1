"""A fork of a user's agent goes on from the run's messages and its state, or says at which keys it may differ."""

from __future__ import annotations

import operator
from typing import Annotated, Any, NotRequired

import pytest
from langchain.agents import AgentState, create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode
from langgraph.types import Command

from planscope.agents.forks import fork_own
from planscope.agents.own_live import OwnRun
from planscope.agents.reruns import first_input, not_captured
from planscope.session.model import MessageEvent, Origin, Query, Run, Variant

from .support import answers_of, check_record, end_of, says
from .test_own_agent import Both
from .test_own_live import Name, load_agent, named, run_of

__all__ = ["named"]

VARIANT = Variant(id="v1", origin=Origin(kind="written"), query=Query(text="", timed=False), actions=[])


class Account(AgentState[Any]):
    balance: NotRequired[int]
    log: NotRequired[Annotated[list[str], operator.add]]


@tool
def deposit(amount: int, state: Annotated[Any, InjectedState], id: Annotated[str, InjectedToolCallId]) -> Any:
    """Deposit."""
    answer = ToolMessage(f"deposited {amount}", tool_call_id=id)
    now = state.get("balance", 0) + amount
    return Command(update={"messages": [answer], "balance": now, "log": [f"+{amount}"]})


@tool
def withdraw(amount: int, state: Annotated[Any, InjectedState]) -> str:
    """Withdraw."""
    return f"withdrew {amount} of {state.get('balance', 0)} after {state.get('log', [])}"


SCRIPT = [
    says(("deposit", {"amount": 10})),
    says(("deposit", {"amount": 5})),
    says(("withdraw", {"amount": 12})),
    AIMessage("Done."),
]


def bank(*script: Any, **options: Any) -> Any:
    model = Both(script=list(script or SCRIPT))
    return create_agent(model, [deposit, withdraw], state_schema=Account, **options)


def forked(named: Name, made: Any, run: Run, step: int, **options: Any) -> tuple[Run, str]:
    load_agent(named(made))
    again = fork_own(run, VARIANT, step=step, agent="users_module:agent", run_id="r2", **options).wait()
    check_record(again.events)
    assert end_of(again).ending == "stopped"
    note = next(e.text for e in again.events if isinstance(e, MessageEvent) and e.by == "system")
    return again, note


@pytest.mark.parametrize("sync", [True, False])
def test_recorded_updates_are_taken_along(named: Name, sync: bool) -> None:
    run, _ = run_of(load_agent(named(bank())))
    assert answers_of(run)[2].text == "withdrew 12 of 15 after ['+10', '+5']"
    again, note = forked(named, bank(*SCRIPT[2:]), run, 2)
    assert answers_of(again)[2].text == answers_of(run)[2].text
    assert note == not_captured([])
    again, note = forked(named, bank(*SCRIPT[1:]), run, 1)
    assert [a.text for a in answers_of(again)] == [a.text for a in answers_of(run)]
    again, note = forked(named, bank(*SCRIPT), run, 0)
    assert note == not_captured(["balance", "log"]), "nothing says what they were"


def test_the_input_of_the_graph_is_taken_along(named: Name) -> None:
    given: Any = {"messages": [("user", "Save.")], "balance": 100, "log": ["opened"]}
    run, _ = run_of(load_agent(named(bank())), given=given)
    said = answers_of(run)[2].text
    assert said == "withdrew 12 of 115 after ['opened', '+10', '+5']"
    again, note = forked(named, bank(*SCRIPT[2:]), run, 2)
    assert answers_of(again)[2].text == said and note == not_captured([])
    assert forked(named, bank(*SCRIPT), run, 0)[1] == not_captured([])
    rerun = OwnRun(load_agent(named(bank())), first_input(run), variant="v1", run_id="r3").wait()
    assert answers_of(rerun)[2].text == said


class Notes(MessagesState):
    seen: Annotated[list[str], operator.add]


def noting(saver: Any, *script: Any) -> Any:
    """A node, not a tool, writes the state."""
    model = Both(script=list(script))
    made = StateGraph(Notes)

    def ask(state: Any) -> Any:
        said = model.invoke(state["messages"])
        return {"messages": [said], "seen": [f"asked after {len(state['seen'])}"]}

    made.add_node("ask", ask)
    made.add_node("tools", ToolNode([withdraw]))
    made.add_edge(START, "ask")
    made.add_conditional_edges(
        "ask", lambda s: "tools" if s["messages"][-1].tool_calls else END, ["tools", END]
    )
    made.add_edge("tools", "ask")
    return made.compile(checkpointer=saver)


def test_a_checkpointers_state_is_taken_along(named: Name) -> None:
    saver = InMemorySaver()
    one, two = says(("withdraw", {"amount": 1})), says(("withdraw", {"amount": 2}))
    run, _ = run_of(load_agent(named(noting(saver, one, two, AIMessage(".")))))
    made = noting(saver, two, AIMessage("."))
    again, note = forked(named, made, run, 1)
    assert note == not_captured([])
    seen = made.get_state({"configurable": {"thread_id": again.thread}}).values["seen"]
    assert seen == ["asked after 0", "asked after 1", "asked after 2"]
    _, note = forked(named, noting(InMemorySaver(), two, AIMessage(".")), run, 1)
    assert note == not_captured(["seen"]), "another process has not that checkpoint"


def test_a_state_that_is_no_json_is_named(named: Name) -> None:
    @tool
    def own(id: Annotated[str, InjectedToolCallId]) -> Any:
        """Own."""
        return Command(update={"messages": [ToolMessage("ok", tool_call_id=id)], "balance": {1, 2}})

    def made() -> Any:
        script = [says(("own", {})), AIMessage("Done.")]
        return create_agent(Both(script=script), [own], state_schema=Account)

    run, _ = run_of(load_agent(named(made())))
    _, note = forked(named, made(), run, 1)
    assert note == not_captured(["balance", "log"]) and "the state's balance, log; files" in note
