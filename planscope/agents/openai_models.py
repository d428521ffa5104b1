"""OpenAI's models over both protocols. A call that cannot be read is recorded and does not crash the run.

LangChain raises out of the agent if a call's arguments are JSON but not an object (``8``, ``[8]``). With chat
completions such calls are taken out of the answer first. With the Responses API their arguments are marked, so that
they are no longer JSON, which LangChain accepts; the mark is removed afterwards.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, Self

import openai
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, InvalidToolCall
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from openai.resources.responses import AsyncResponses

from planscope.agents.call_arguments import is_object
from planscope.session.json_bytes import Obj

RAW_CALLS = "tool_calls"
"""Key in ``additional_kwargs`` for the calls as the model sent them, in order."""


class _OneByOne(ChatOpenAI):
    """Asks for one call in each answer (``one_by_one``). OpenAI refuses the setting if no tools are offered."""

    one_by_one: bool = False

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: object
    ) -> Obj:
        payload: Obj = super()._get_request_payload(input_, stop=stop, **kwargs)
        if self.one_by_one and payload.get("tools"):
            payload.setdefault("parallel_tool_calls", False)
        return payload


class OpenAIResponses(_OneByOne):
    """OpenAI's Responses API, whose server keeps the conversation."""

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        return as_written(await super()._agenerate(*args, **kwargs))


class OpenAIChat(_OneByOne):
    """OpenAI's chat completions. Arguments that are JSON but not an object make a call unreadable.

    ``ChatOpenAI`` raises out of the agent instead, which would look like a network error. The order of the calls and
    their original text are kept as well.
    """

    def _convert_chunk_to_generation_chunk(self, *args: Any, **kwargs: Any) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(*args, **kwargs)
        message = made.message if made is not None else None
        if isinstance(message, AIMessageChunk) and message.tool_call_chunks:
            message.additional_kwargs[RAW_CALLS] = [
                {"index": c["index"], "id": c["id"], "arguments": c["args"]} for c in message.tool_call_chunks
            ]
        return made

    def _create_chat_result(
        self, response: Obj | openai.BaseModel, generation_info: Obj | None = None
    ) -> ChatResult:
        if isinstance(response, openai.BaseModel):
            response = response.model_dump(warnings=False)
        if not isinstance(response, dict):
            return super()._create_chat_result(response, generation_info)
        choices = response.get("choices")
        messages = [_message(choice) for choice in choices] if isinstance(choices, list) else []
        sent = [_take_calls(message) for message in messages]
        odd = [_take_odd(message) for message in messages]
        result = super()._create_chat_result(response, generation_info)
        for generation, calls, unreadable in zip(result.generations, sent, odd, strict=True):
            answer = generation.message
            if isinstance(answer, AIMessage) and calls:
                answer.invalid_tool_calls = [*answer.invalid_tool_calls, *unreadable]
                answer.additional_kwargs[RAW_CALLS] = calls
        return result


def _message(choice: object) -> Obj:
    message = choice.get("message") if isinstance(choice, dict) else None
    return message if isinstance(message, dict) else {}


def _calls(message: Obj) -> list[dict[str, Any]]:
    calls = message.get("tool_calls")
    return calls if isinstance(calls, list) else []


def _take_calls(message: Obj) -> list[Obj]:
    """Return copies of the calls in order. Each call gets its own id, in ``message`` too."""
    copies, seen = [], set[str]()
    for number, call in enumerate(_calls(message), 1):
        identity = call.get("id")
        if not isinstance(identity, str) or not identity or identity in seen:
            identity = f"{identity or 'call'}-{number}"
        seen.add(identity)
        call["id"] = identity
        copies.append(dict(call))
    return copies


def _take_odd(message: Obj) -> list[InvalidToolCall]:
    """Remove the calls from ``message`` whose arguments are JSON but not an object, and return them."""
    odd: list[InvalidToolCall] = []
    kept = []
    for call in _calls(message):
        function = call.get("function") or {}
        raw = function.get("arguments")
        if is_object(raw):
            kept.append(call)
        else:
            why = "the arguments are not a JSON object"
            name = function.get("name")
            odd.append(
                InvalidToolCall(type="invalid_tool_call", id=call["id"], name=name, args=raw, error=why)
            )
    if odd:
        message["tool_calls"] = kept
    return odd


def make(
    model: str, *, base_url: str | None, retries: int, placeholder_key: bool, responses: bool = False
) -> tuple[ChatOpenAI, openai.DefaultAsyncHttpxClient]:
    """Return the chat model and its own HTTP client, which the caller closes."""
    proxy = (
        os.environ.get("OPENAI_PROXY") or None
    )  # ChatOpenAI uses this setting only for a client that it makes itself
    client = openai.DefaultAsyncHttpxClient(proxy=proxy)
    options: dict[str, Any] = {
        "model": model,
        "http_async_client": client,
        "openai_proxy": None,
        "use_responses_api": responses,
        "stream_usage": True,
        "max_retries": retries,
        "base_url": base_url,
    }
    if placeholder_key:
        options["api_key"] = "none"
    if base_url is None and not re.match(r"o\d", model):
        options["one_by_one"] = True
    if responses:  # this API has no temperature; the server keeps the conversation
        responding = OpenAIResponses(**options, use_previous_response_id=True)
        responding.root_async_client.responses = Responses(responding.root_async_client)
        return responding, client
    chat = OpenAIChat(**options, temperature=0)
    if (chat.profile or {}).get("temperature") is False:
        chat = OpenAIChat(**options)
    return chat, client


ODD = "\0no object\0"
"""Prefix that marks such arguments; no JSON begins with it."""


class Responses(AsyncResponses):
    """The client's ``responses``, with unreadable arguments marked in its answers."""

    async def create(self, *args: object, **kwargs: Any) -> Any:
        answer = await super().create(*args, **kwargs)
        if isinstance(answer, openai.AsyncStream):
            return _Stream(answer)
        parse = getattr(answer, "parse", None)
        if parse is None:
            return _marked(answer)
        answer.parse = _then_marked(parse)
        return answer


class _Stream:
    """Yields the events of a stream, of which the last has the whole answer."""

    def __init__(self, stream: openai.AsyncStream[object]) -> None:
        self._stream = stream

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stream.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> object:
        event = await self._stream.__anext__()
        _marked(getattr(event, "response", None))
        return event


def _then_marked(parse: Callable[..., object]) -> Callable[..., object]:
    return lambda *args, **kwargs: _marked(parse(*args, **kwargs))


def _marked(response: object) -> object:
    for item in getattr(response, "output", None) or ():
        if getattr(item, "type", None) == "function_call" and not is_object(item.arguments):
            item.arguments = ODD + item.arguments
    return response


def as_written(result: ChatResult) -> ChatResult:
    """Return the result with the marks removed."""
    for generation in result.generations:
        message = generation.message
        if isinstance(message, AIMessage):
            for call in message.invalid_tool_calls:
                call["args"] = _unmarked(call["args"])
            for block in message.content if isinstance(message.content, list) else ():
                if isinstance(block, dict) and block.get("type") == "function_call":
                    block["arguments"] = _unmarked(block.get("arguments"))
    return result


def _unmarked(text: str | None) -> str | None:
    return text.removeprefix(ODD) if isinstance(text, str) else text
