"""AutoGen: two agents, the first hands over. Its own spans beside OpenInference's, and the messages of its result."""

from __future__ import annotations

import asyncio

import desk
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.teams import Swarm
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openinference.instrumentation.autogen_agentchat import AutogenAgentChatInstrumentor
from opentelemetry import trace

trace.set_tracer_provider(desk.provider())
AutogenAgentChatInstrumentor().instrument(tracer_provider=trace.get_tracer_provider())
INFO = {
    "vision": False,
    "function_calling": True,
    "json_output": False,
    "family": "unknown",
    "structured_output": False,
}


async def main() -> None:
    model = OpenAIChatCompletionClient(model="local", base_url=desk.BASE_URL, api_key="none", model_info=INFO)
    front = AssistantAgent("desk", model, tools=[desk.look_up], handoffs=["clerk"])
    clerk = AssistantAgent("clerk", model, tools=[desk.refund])
    team = Swarm(
        [front, clerk], termination_condition=TextMentionTermination("Refunded") | MaxMessageTermination(20)
    )
    async for message in team.run_stream(task=desk.ASKED):
        if hasattr(message, "source"):
            desk.note(message.model_dump_json(), "messages.jsonl")


asyncio.run(main())
