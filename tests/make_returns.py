"""The bundled session of a returns desk: an agent leaves traces, which are imported and get rules.

The agent is LangChain's, its tools are real functions over a small shop, and its model says what it is told.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, messages_to_dict
from langchain_core.messages.tool import tool_call
from langchain_core.tools import tool

from planscope.rules.in_session import add_rules
from planscope.session.model import Session
from planscope.session.traces import session_of
from planscope.traces import open_traces
from tests.agents.support import scripted

SYSTEM = "You work at the returns desk of a shop. Follow the policy of the desk."

RULES = """\
# The policy of the desk. Each rule stands below its sentence.

# "Look the order up before you do anything with it."
look first: get_order comes before any call of *_item or refund_payment or notify_customer for the same order_id.

# "A payment is refunded only after the item was inspected and found fine."
inspect: refund_payment only if the latest inspect_item for the same order_id had condition = "fine".

# "No order is refunded twice."
once: refund_payment that succeeded happens at most once per order_id.

# "Tell the customer about every refund."
tell: Every refund_payment is followed by notify_customer per order_id.

# "Close the ticket at the very end."
close: close_ticket happens last.

get_* only reads.
refund_* and close_* writes.
"""

ORDERS = {
    "R-1001": {"item": "kettle", "paid": 39.0, "condition": "fine"},
    "R-1002": {"item": "lamp", "paid": 64.5, "condition": "cracked"},
    "R-1003": {"item": "radio", "paid": 88.0, "condition": "fine"},
}


@tool
def get_order(order_id: str) -> str:
    """Look an order up."""
    order = ORDERS[order_id]
    return json.dumps({"order_id": order_id, "item": order["item"], "paid": order["paid"]})


@tool
def inspect_item(order_id: str) -> str:
    """Inspect the item that came back."""
    return json.dumps({"order_id": order_id, "condition": ORDERS[order_id]["condition"]})


@tool
def refund_payment(order_id: str, amount: float) -> str:
    """Refund the payment of an order."""
    return json.dumps({"order_id": order_id, "refunded": amount})


@tool
def notify_customer(order_id: str, text: str) -> str:
    """Send a message to the customer of an order."""
    return json.dumps({"order_id": order_id, "sent": True})


@tool
def close_ticket(ticket: str) -> str:
    """Close the ticket."""
    return json.dumps({"ticket": ticket, "status": "closed"})


TOOLS = [get_order, inspect_item, refund_payment, notify_customer, close_ticket]
Call = tuple[str, dict[str, Any]]


def _trace(id: str, asked: str, calls: Sequence[Call], last: str) -> dict[str, Any]:
    """Run the agent, and return what it leaves: LangChain's messages."""
    made = [
        AIMessage("", tool_calls=[tool_call(name=name, args=arguments, id=f"call_{k}")])
        for k, (name, arguments) in enumerate(calls, 1)
    ]
    agent: Any = create_agent(scripted(*made, AIMessage(last)).chat, TOOLS, system_prompt=SYSTEM)
    messages = asyncio.run(agent.ainvoke({"messages": [HumanMessage(asked)]}))["messages"]
    for message in messages:
        message.id = None
    return {"id": id, "messages": messages_to_dict(messages)}


def _traces() -> list[dict[str, Any]]:
    kettle, lamp, radio = ({"order_id": id} for id in ORDERS)
    return [
        _trace(
            "kettle-fine",
            "The kettle of order R-1001 came back. Ticket 17.",
            [
                ("get_order", kettle),
                ("inspect_item", kettle),
                ("refund_payment", {**kettle, "amount": 39.0}),
                ("notify_customer", {**kettle, "text": "We refunded your kettle."}),
                ("close_ticket", {"ticket": "17"}),
            ],
            "The kettle is fine, and its price is refunded.",
        ),
        _trace(
            "radio-closed-early",
            "The radio of order R-1003 came back. Ticket 19.",
            [
                ("get_order", radio),
                ("inspect_item", radio),
                ("refund_payment", {**radio, "amount": 88.0}),
                ("close_ticket", {"ticket": "19"}),
                ("notify_customer", {**radio, "text": "We refunded your radio."}),
            ],
            "The radio is refunded.",
        ),
        _trace(
            "lamp-refund-first",
            "The lamp of order R-1002 came back. Ticket 18.",
            [
                ("get_order", lamp),
                ("refund_payment", {**lamp, "amount": 64.5}),
                ("inspect_item", lamp),
                ("notify_customer", {**lamp, "text": "We refunded your lamp."}),
                ("close_ticket", {"ticket": "18"}),
            ],
            "The lamp is refunded. It is cracked, by the way.",
        ),
    ]


def returns_desk(made: datetime) -> Session:
    """Return the session: a run that keeps the policy, and two that do not."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "returns.jsonl")
        path.write_text("".join(json.dumps(trace) + "\n" for trace in _traces()), encoding="utf-8")
        session = session_of(list(open_traces([path])), "A returns desk: an imported agent, with rules")
    session.id, session.created = "returns-desk", made
    session.notes = (
        "Traces of a LangChain agent, imported, with the rules of the desk's policy. One run refunds before the check; "
        "in another the ticket is closed too early, and the run is lost a step before a rule is broken."
    )
    session.runs = [
        run.model_copy(update={"id": f"r{number}", "started": made})  # documents name them so
        for number, run in enumerate(session.runs, 1)
    ]
    add_rules(session, RULES)
    return session
