"""pydantic-ai: an agent with a typed result, which its model gives by an output tool. Its spans and its messages."""

from __future__ import annotations

import desk
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


class Refunded(BaseModel):
    amount: int


model = OpenAIChatModel("local", provider=OpenAIProvider(base_url=desk.BASE_URL, api_key="none"))
agent = Agent(model, output_type=Refunded, system_prompt="Be kind.", retries=3)
agent.instrument = InstrumentationSettings(tracer_provider=desk.provider())
agent.tool_plain(desk.look_up)


@agent.tool_plain
def refund(order_id: str, amount: int) -> str:
    """Refund a part of an order."""
    try:
        return desk.refund(order_id, amount)
    except ValueError as error:
        raise ModelRetry(str(error)) from None


result = agent.run_sync(desk.ASKED)
desk.note(ModelMessagesTypeAdapter.dump_json(result.all_messages()).decode(), "messages.json")
