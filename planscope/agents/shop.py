"""A small agent of its own kind, to try planscope on: a shop's refund desk with three real tools, offline.

Its chat model is scripted: it reads the system prompt it is given and otherwise follows the same way each time, which
breaks one of ``RULES``. ``python -m planscope.agents.shop FILE`` runs it once and records it::

    planscope debug planscope.agents.shop:agent "Refund order 7."
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.messages.tool import tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

from planscope.agents.messages import Middleware
from planscope.agents.models import Graph

RULES = """get_order comes before refund_order.
check_policy comes before refund_order.
refund_order happens at most 1 time.
"""

ORDERS = {"7": "1 lamp, 40 EUR, paid, delivered 3 days ago"}


@tool
def get_order(order_id: str) -> str:
    """Look an order up."""
    return ORDERS.get(order_id, "Error: no such order")


@tool
def check_policy(topic: str) -> str:
    """Read what the shop's policy says about a topic."""
    return "Refunds within 14 days of delivery." if topic == "refund" else "Nothing about that."


@tool
def refund_order(order_id: str, amount: float) -> str:
    """Pay money back. There is no way back from this."""
    return f"{amount:g} EUR paid back for order {order_id}"


class Desk(BaseChatModel):
    """A scripted model: it forgets to read the policy first, unless its system prompt speaks of the policy."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[object], **more: object) -> Desk:
        return self

    def _generate(self, messages: list[BaseMessage], *given: object, **more: object) -> ChatResult:
        careful = any(isinstance(m, SystemMessage) and "policy" in m.text.lower() for m in messages)
        look: dict[str, object] = {"order_id": "7"}
        plan: list[tuple[str, dict[str, object], str]] = [
            ("get_order", look, "I look the order up."),
            ("refund_order", {**look, "amount": 40}, "It was paid, so I pay it back."),
            ("check_policy", {"topic": "refund"}, "Was that allowed?"),
        ]
        plan = [plan[0], plan[2], plan[1]] if careful else plan
        done = sum(len(m.tool_calls) for m in messages if isinstance(m, AIMessage))
        said = AIMessage("Order 7 is refunded.")
        if done < len(plan):
            name, arguments, words = plan[done]
            said = AIMessage(words, tool_calls=[tool_call(name=name, args=arguments, id=f"call_{done + 1}")])
        return ChatResult(generations=[ChatGeneration(message=said)])


def agent(middleware: Sequence[Middleware] = ()) -> Graph:
    """Make the agent."""
    tools = [get_order, check_policy, refund_order]
    return create_agent(
        Desk(), tools, system_prompt="You refund orders.", middleware=list(middleware), name="refund desk"
    )


def main(path: str) -> None:
    """Run the agent once, recorded with its rules."""
    from planscope.agents.own_agent import record

    recorder = record(Path(path), rules=RULES.splitlines())
    agent([recorder]).invoke({"messages": [("user", "Refund order 7.")]})
    recorder.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "r.json")
