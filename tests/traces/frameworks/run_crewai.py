"""CrewAI: a crew of one. OpenInference's spans, and the events that a listener hears."""

from __future__ import annotations

import os

os.environ |= {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "CREWAI_DISABLE_TELEMETRY": "true",
    "OTEL_SDK_DISABLED": "false",
    "CREWAI_TRACING_ENABLED": "false",
}

import desk
from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from openinference.instrumentation.crewai import CrewAIInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor

made = desk.provider()
CrewAIInstrumentor().instrument(tracer_provider=made)
OpenAIInstrumentor().instrument(tracer_provider=made)
model = LLM(model="openai/local", base_url=desk.BASE_URL, api_key="none")
clerk = Agent(
    role="clerk",
    goal="Help.",
    backstory="Kind.",
    llm=model,
    tools=[tool("look_up")(desk.look_up), tool("refund")(desk.refund)],
)
task = Task(description=desk.ASKED, expected_output="what was refunded", agent=clerk)
Crew(agents=[clerk], tasks=[task], verbose=False).kickoff()
