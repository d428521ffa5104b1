"""Tools of LangChain for the tests: an error for the agent, and a coroutine."""

from __future__ import annotations

import asyncio

from langchain_core.tools import ToolException, tool


@tool
def handled(text: str) -> str:
    """Raise an error for the agent to read."""
    raise ToolException("try again")


@tool
def answers_an_error(text: str) -> dict[str, str]:
    """Answer with an object that tells of an error."""
    return {"error": "no such text"} if text else {"text": "none"}


@tool
async def waits(text: str) -> str:
    """Wait for ever in a coroutine, if there is no text."""
    while not text:
        await asyncio.sleep(0.02)
    return "done"


ERRORS = [handled, answers_an_error]
