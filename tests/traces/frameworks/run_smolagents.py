"""smolagents: an agent that calls tools. OpenInference's spans, and the steps of its memory."""

from __future__ import annotations

import json

import desk
from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from smolagents import OpenAIServerModel, ToolCallingAgent, tool

SmolagentsInstrumentor().instrument(tracer_provider=desk.provider())
model = OpenAIServerModel("local", api_base=desk.BASE_URL, api_key="none")
agent = ToolCallingAgent(
    tools=[tool(desk.look_up), tool(desk.refund)], model=model, max_steps=6, max_tool_threads=1
)
agent.run(desk.ASKED)
desk.note(json.dumps(agent.memory.get_full_steps(), default=str), "steps.json")
