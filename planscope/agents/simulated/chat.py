"""The simulated model as a real chat model, driven through the real agent loops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from planscope.agents.simulated.mind import Decision, Did, View, decide
from planscope.agents.simulated.profiles import Character
from planscope.agents.toolset import ToolSpec


class SimulatedChat(BaseChatModel):
    """Reads the messages and the tools bound to it, and nothing else. Token counts are words."""

    character: Character

    @property
    def _llm_type(self) -> str:
        return "planscope-simulated"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        own = self.character
        return {"profile": own.profile, "seed": own.seed, **own.parameters}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(t) for t in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        decision = decide(view_of(messages, kwargs.get("tools") or ()), self.character)
        return ChatResult(generations=[ChatGeneration(message=_message(decision, messages))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """Planning may take a moment: it is done in a thread, so that the loop can go on and be cancelled."""
        return await asyncio.to_thread(self._generate, messages, stop, None, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        result = self._generate(messages, stop, run_manager, **kwargs)
        for chunk in _chunks(result):
            if run_manager:
                run_manager.on_llm_new_token(str(chunk.text), chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        result = await self._agenerate(messages, stop, run_manager, **kwargs)
        for chunk in _chunks(result):
            if run_manager:
                await run_manager.on_llm_new_token(str(chunk.text), chunk=chunk)
            yield chunk


def view_of(messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> View:
    """What a list of messages and bound tools shows: the last request, and the calls with their answers."""
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    did = []
    for message in messages:
        for call in message.tool_calls if isinstance(message, AIMessage) else ():
            answer = answers.get(call["id"] or "")
            if answer is not None:
                did.append(Did(call["name"], call["args"], str(answer.text), answer.status != "error"))
    asked = [str(m.text) for m in messages if isinstance(m, HumanMessage)]
    return View(asked[-1] if asked else "", tuple(_spec(t) for t in tools), tuple(did))


def _spec(tool: dict[str, Any]) -> ToolSpec:
    function = tool.get("function") or {}
    parameters = function.get("parameters") or {}
    return ToolSpec(str(function.get("name", "")), str(function.get("description", "")), parameters)


def _message(decision: Decision, messages: Sequence[BaseMessage]) -> AIMessage:
    """Ids are counted, not drawn, so that the same run gives the same record."""
    answers = sum(isinstance(m, AIMessage) for m in messages) + 1
    calls = []
    if decision.tool is not None:
        made = sum(len(m.tool_calls) for m in messages if isinstance(m, AIMessage)) + 1
        calls.append(tool_call(name=decision.tool, args=dict(decision.arguments or {}), id=f"call_{made}"))
    read = sum(len(str(m.text).split()) for m in messages)
    said = len(decision.thought.split()) + len(calls)
    usage = UsageMetadata(input_tokens=read, output_tokens=said, total_tokens=read + said)
    return AIMessage(decision.thought, tool_calls=calls, id=f"sim-{answers}", usage_metadata=usage)


def _chunks(result: ChatResult) -> Iterator[ChatGenerationChunk]:
    """The text word by word, then the call, then the count of tokens."""
    import json

    message = result.generations[0].message
    assert isinstance(message, AIMessage)
    words = str(message.text).split(" ")
    for i, word in enumerate(words):
        piece = word if i == len(words) - 1 else word + " "
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece, id=message.id))
    calls = [
        tool_call_chunk(name=c["name"], args=json.dumps(c["args"]), id=c["id"], index=i)
        for i, c in enumerate(message.tool_calls)
    ]
    last = AIMessageChunk(
        content="",
        id=message.id,
        tool_call_chunks=calls,
        usage_metadata=message.usage_metadata,
        chunk_position="last",
    )
    yield ChatGenerationChunk(message=last)
