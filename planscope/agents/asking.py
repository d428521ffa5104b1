"""Asks a model one question, without tools."""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import Callable, Coroutine
from functools import cache
from importlib.resources import files
from typing import NamedTuple, TypeVar

from planscope.agents.event_loop import wait_for
from planscope.agents.failures import explain
from planscope.agents.models import LoadedModel
from planscope.agents.options import RunOptions
from planscope.errors import UserError
from planscope.session.json_bytes import plain_text

Found = TypeVar("Found")

THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
"""What some models write before their answer."""


@cache
def prompts_in(file: str) -> dict[str, str]:
    """Return the prompts of a file, by name."""
    return tomllib.loads((files("planscope.agents") / "data" / file).read_text(encoding="utf-8"))


class Answer(NamedTuple):
    """What a model said. ``usage``: tokens in and out, None if the server does not count them."""

    text: str
    usage: tuple[int, int] | None


def with_model(
    model: RunOptions | LoadedModel,
    work: Callable[[LoadedModel], Coroutine[object, object, Found]],
    cannot: str,
    failed: type[UserError],
) -> Found:
    """Return what ``work`` makes with a model. Loads it if it is named by options, and then closes it.

    Blocks, so do not call it from the screen's thread. Raises ``ModelUnavailable``, and ``failed`` for a simulated
    model, which ``cannot`` do that.
    """
    if model.spec.simulated:
        raise failed(f"a simulated model cannot {cannot}; name a real one, for example openai:gpt-4o-mini")
    loaded = model.load() if isinstance(model, RunOptions) else model

    async def go() -> Found:
        try:
            return await work(loaded)
        finally:
            if loaded is not model:
                await loaded.aclose()

    return wait_for(go())


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
