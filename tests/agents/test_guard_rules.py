"""The guard for rules about tools: it blocks what breaks or dooms them, whatever the answer, and says what is owed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from planscope import guard
from planscope.agents.gate import NOT_FINISHED

from .support import says
from .test_own_agent import Both


@tool
def check_order(order_id: str) -> str:
    """Look an order up."""
    return '{"status": "open"}' if order_id != "bad" else '{"status": "closed"}'


@tool
def refund(order_id: str) -> str:
    """Refund an order."""
    if order_id == "broke":
        raise ValueError("no money")
    return "refunded"


@tool
def close_case() -> str:
    """Close the case."""
    return "closed"


TOOLS = [check_order, refund, close_case]


def run(rules: list[str], *script: AIMessage, said: str = "hello", **more: Any) -> list[Any]:
    agent = create_agent(Both(script=list(script)), TOOLS, middleware=[guard(rules=rules, **more)])
    return list(agent.invoke({"messages": [HumanMessage(said)]})["messages"])


def answers(messages: list[Any]) -> list[str]:
    return [str(message.text) for message in messages if isinstance(message, ToolMessage)]


ORDER = {"order_id": "7"}


def test_a_tool_that_no_rule_names_and_that_was_called_is_possible_too() -> None:
    done = run(
        ["check_order comes before refund."],
        says(("close_case", {})),
        says(("refund", ORDER)),
        AIMessage("Sorry."),
    )
    assert answers(done)[0] == "closed"
    assert answers(done)[1].endswith("Safe now: close_case or check_order.")


def test_a_call_that_breaks_a_rule_is_refused_with_what_is_possible() -> None:
    done = run(
        ["check_order comes before refund."],
        says(("refund", ORDER)),
        says(("check_order", ORDER)),
        says(("refund", ORDER)),
        AIMessage("done"),
    )
    first, *rest = answers(done)
    assert first.startswith("Refused: this was not done.")
    assert "check_order comes before refund" in first and "Safe now: check_order" in first
    assert rest == ['{"status": "open"}', "refunded"]


def test_a_call_that_dooms_the_rules_is_refused() -> None:
    rules = ["Every refund is followed by close_case.", "check_order comes before close_case."]
    more = "check_order never happens after refund."
    done = run([*rules, more], says(("refund", ORDER)), AIMessage("done"))
    assert answers(done)[0].startswith("Refused")
    free = run(
        rules, says(("refund", ORDER)), says(("check_order", ORDER)), says(("close_case", {})), AIMessage("x")
    )
    assert not any(answer.startswith("Refused") for answer in answers(free))


def test_a_rule_per_value_guards_each_value() -> None:
    done = run(
        ["check_order comes before refund for the same order_id."],
        says(("check_order", ORDER)),
        says(("refund", {"order_id": "8"})),
        says(("refund", ORDER)),
        AIMessage("done"),
    )
    assert [answer[:7] for answer in answers(done)] == ['{"statu', "Refused", "refunde"]


def test_answers_count() -> None:
    rules = ['refund only if the latest check_order for the same order_id had answer.status = "open".']
    done = run(
        rules,
        says(("check_order", {"order_id": "bad"})),
        says(("refund", {"order_id": "bad"})),
        says(("check_order", ORDER)),
        says(("refund", ORDER)),
        AIMessage("done"),
    )
    assert [answer[:7] for answer in answers(done)] == ['{"statu', "Refused", '{"statu', "refunde"]


def test_a_call_is_made_if_some_answer_keeps_the_rules() -> None:
    rules = ["refund that succeeded never happens."]
    done = run(rules, says(("refund", ORDER)), AIMessage("done"))
    assert answers(done) == ["refunded"]  # it might have failed


def test_what_the_user_said_counts() -> None:
    rules = ['A user message with text containing "yes" comes before refund.']
    asked, told = (
        run(rules, says(("refund", ORDER)), AIMessage("done"), said=said) for said in ("please", "yes, do")
    )
    assert answers(asked)[0].startswith("Refused")
    assert answers(told) == ["refunded"]


async def test_an_agent_that_stops_too_early_is_told_once() -> None:
    rules = ["Every refund is followed by close_case."]
    for last in (says(("close_case", {})), AIMessage("I am done.")):
        model = Both(script=[says(("refund", ORDER)), AIMessage("done"), last, AIMessage("really done")])
        agent = create_agent(model, TOOLS, middleware=[guard(rules=rules)])
        found = await agent.ainvoke({"messages": [HumanMessage("hello")]})
        told = [str(m.text) for m in found["messages"] if str(m.text).startswith(NOT_FINISHED)]
        assert len(told) == 1
        assert "close_case" in told[0]
    assert str(found["messages"][-1].text) == "I am done."


def test_the_same_refused_call_three_times_ends_the_run() -> None:
    done = run(["refund never happens."], *[says(("refund", ORDER)) for _ in range(5)])
    assert len(answers(done)) == 3
    assert "This run was ended" in str(done[-1].text)


def test_rules_of_a_file_with_a_query_and_wrong_ones(tmp_path: Path) -> None:
    file = tmp_path / "rules.txt"
    file.write_text("close_case happens last.", encoding="utf-8")
    middleware = guard("Check order precedes refund.", TOOLS, rules=file)
    agent = create_agent(
        Both(script=[says(("refund", ORDER)), says(("close_case", {})), AIMessage("done")]),
        TOOLS,
        middleware=[middleware],
    )
    done = agent.invoke({"messages": [HumanMessage("hello")]})["messages"]
    assert answers(done)[0].startswith("Refused")
    for wrong, says_so in ((["A is not a rule at all"], "cannot be read"), ([], "needs a query or rules")):
        with pytest.raises(ValueError, match=says_so):
            guard(rules=wrong)
