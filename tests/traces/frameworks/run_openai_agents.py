"""OpenAI Agents SDK: a desk that hands over to a clerk. Its own spans, OpenInference's, its items and its state."""

from __future__ import annotations

import json

import desk
from agents import Agent, OpenAIResponsesModel, Runner, function_tool, set_trace_processors
from agents.tracing.processor_interface import TracingProcessor
from openai import AsyncOpenAI
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor


class Lines(TracingProcessor):
    """Writes spans as the SDK's exporter sends them."""

    def on_trace_start(self, trace):
        desk.note(trace.export(), "sdk.jsonl")

    def on_trace_end(self, trace):
        pass

    def on_span_start(self, span):
        pass

    def on_span_end(self, span):
        desk.note(span.export(), "sdk.jsonl")

    def shutdown(self):
        pass

    def force_flush(self):
        pass


set_trace_processors([Lines()])
OpenAIAgentsInstrumentor().instrument(tracer_provider=desk.provider(), exclusive_processor=False)
model = OpenAIResponsesModel("local", AsyncOpenAI(base_url=desk.BASE_URL, api_key="none"))
clerk = Agent(name="clerk", model=model, tools=[function_tool(desk.refund)])
front = Agent(
    name="desk", instructions="Be kind.", model=model, tools=[function_tool(desk.look_up)], handoffs=[clerk]
)
result = Runner.run_sync(front, desk.ASKED)
desk.note(json.dumps(result.to_input_list()), "items.json")
desk.note(result.to_state().to_string(), "state.json")
