"""Asks a model one question, without tools."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from planscope.agents.failures import explain
from planscope.agents.models import LoadedModel
from planscope.errors import UserError
from planscope.session.json_bytes import plain_text


class Answer(NamedTuple):
    """What a model said. ``usage``: tokens in and out, None if the server does not count them."""

    text: str
    usage: tuple[int, int] | None


async def ask(model: LoadedModel, text: str, seconds: float, most: int, failed: type[UserError]) -> Answer:
    """Return the model's answer to a text, at most ``most`` characters of it. LangSmith is told nothing.

    Raises ``failed`` with one line if there is no answer within so many ``seconds``.
    """
    from langchain_core.messages import HumanMessage
    from langsmith import tracing_context

    try:
        with tracing_context(enabled=False):  # disabled whatever the environment says
            async with asyncio.timeout(seconds) as clock:
                message = await model.chat.ainvoke([HumanMessage(text)])
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise failed("the model cancelled its answer; try again") from None
    except Exception as error:
        line = f"the model did not answer within {seconds:g} seconds; try again"
        if not clock.expired():
            _, line = explain(error, keys=model.keys, host=model.host)
        raise failed(line) from error
    usage = getattr(message, "usage_metadata", None)
    counted = (usage["input_tokens"], usage["output_tokens"]) if usage else None
    return Answer(plain_text(str(message.text)[:most]), counted)
