"""LlamaIndex: an agent that calls functions. OpenInference's spans."""

from __future__ import annotations

import asyncio

import desk
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

LlamaIndexInstrumentor().instrument(tracer_provider=desk.provider())
model = OpenAILike(
    model="local", api_base=desk.BASE_URL, api_key="none", is_chat_model=True, is_function_calling_model=True
)


async def main() -> None:
    agent = FunctionAgent(name="desk", tools=[desk.look_up, desk.refund], llm=model, system_prompt="Be kind.")
    await agent.run(desk.ASKED)


asyncio.run(main())
