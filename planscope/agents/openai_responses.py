"""OpenAI's Responses API, so that a call which cannot be read is recorded and does not crash the run.

LangChain makes no message of an answer in which a call's arguments are JSON but no object (``8``, ``[8]``): it raises
out of the agent. Such arguments are made no JSON at all on their way to it, which it can bear, and what was written
is put back afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import openai
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatResult
from openai.resources.responses import AsyncResponses

from planscope.agents.unreadable import is_object

ODD = "\0no object\0"
"""Stands before such arguments; no JSON begins so."""


class Responses(AsyncResponses):
    """The client's own, with its answers looked through."""

    async def create(self, *args: Any, **kwargs: Any) -> Any:
        answer = await super().create(*args, **kwargs)
        if isinstance(answer, openai.AsyncStream):
            return _Stream(answer)
        parse = getattr(answer, "parse", None)
        if parse is None:
            return _marked(answer)
        answer.parse = _then_marked(parse)
        return answer


class _Stream:
    """The events of a stream; its last one holds the whole answer."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stream.__aexit__(*error)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        event = await self._stream.__anext__()
        _marked(getattr(event, "response", None))
        return event


def _then_marked(parse: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: _marked(parse(*args, **kwargs))


def _marked(response: Any) -> Any:
    for item in getattr(response, "output", None) or ():
        if getattr(item, "type", None) == "function_call" and not is_object(item.arguments):
            item.arguments = ODD + item.arguments
    return response


def as_written(result: ChatResult) -> ChatResult:
    """The same without the marks."""
    for generation in result.generations:
        message = generation.message
        if isinstance(message, AIMessage):
            for call in message.invalid_tool_calls:
                call["args"] = _unmarked(call["args"])
            for block in message.content if isinstance(message.content, list) else ():
                if isinstance(block, dict) and block.get("type") == "function_call":
                    block["arguments"] = _unmarked(block.get("arguments"))
    return result


def _unmarked(text: Any) -> Any:
    return text.removeprefix(ODD) if isinstance(text, str) else text
