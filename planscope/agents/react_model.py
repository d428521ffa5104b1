"""ReAct with any chat model, without function calling: calls are read from its text.

For the agent loop it is a chat model with tool calls, so that recorder, guard and forks work unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.chat_models import agenerate_from_stream, generate_from_stream
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from planscope.agents.react_format import STOP, Turn, read_answer, write_prompt
from planscope.agents.toolset import ToolSpec
from planscope.session.json_bytes import Obj


class ReActModel(BaseChatModel):
    """Sends ``inner`` the role prompt, if there is one, and the whole conversation as one text."""

    inner: BaseChatModel

    @property
    def _llm_type(self) -> str:
        return "planscope-react"

    def bind_tools(
        self,
        tools: Sequence[Obj | type | Callable[..., object] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: object,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(t) for t in tools])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> ChatResult:
        asked = _asked(messages, offered(kwargs))
        if getattr(self.inner, "streaming", False):
            return _read(
                generate_from_stream(self.inner._stream(asked, self._stops(), run_manager)), messages
            )
        return _read(self.inner._generate(asked, self._stops(), run_manager), messages)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> ChatResult:
        asked = _asked(messages, offered(kwargs))
        if getattr(self.inner, "streaming", False):  # a streaming model cannot be asked for a whole answer
            pieces = self.inner._astream(asked, self._stops(), run_manager)
            return _read(await agenerate_from_stream(pieces), messages)
        return _read(await self.inner._agenerate(asked, self._stops(), run_manager), messages)

    def _stops(self) -> list[str] | None:
        """Return the stop word for models that accept one: those without a temperature do not. Answers are cut here,
        too."""
        return [STOP] if getattr(self.inner, "temperature", None) is not None else None


def offered(options: Mapping[str, object]) -> list[Obj]:
    """Return the tools that are bound to a model, in OpenAI's form."""
    tools = options.get("tools")
    return tools if isinstance(tools, list) else []


def spec_of(tool: Mapping[str, object]) -> ToolSpec:
    """Return the spec of a tool in OpenAI's form, as it is bound to a model."""
    function = tool.get("function")
    function = function if isinstance(function, dict) else {}
    parameters = function.get("parameters") or {}
    return ToolSpec(str(function.get("name", "")), str(function.get("description", "")), parameters)


def _asked(messages: Sequence[BaseMessage], tools: Sequence[Obj]) -> list[BaseMessage]:
    question = "\n\n".join(str(m.text) for m in messages if isinstance(m, HumanMessage))
    text = write_prompt([spec_of(t) for t in tools], question, _turns(messages))
    role = [m for m in messages if isinstance(m, SystemMessage)]
    return [*role, HumanMessage(text)]


def _turns(messages: Sequence[BaseMessage]) -> list[Turn]:
    answers = {m.tool_call_id: str(m.text) for m in messages if isinstance(m, ToolMessage)}
    turns = []
    for message in messages:
        if not isinstance(message, AIMessage):
            continue
        thought = str(message.text)
        for call in message.tool_calls:
            given = json.dumps(call["args"])
            turns.append(Turn(thought, call["name"], given, answers.get(call["id"] or "")))
            thought = ""
        for odd in message.invalid_tool_calls:
            turns.append(Turn(thought, odd["name"] or "", odd["args"] or "", answers.get(odd["id"] or "")))
            thought = ""
        if not message.tool_calls and not message.invalid_tool_calls:
            turns.append(Turn(thought))
    return turns


def _read(result: ChatResult, messages: Sequence[BaseMessage]) -> ChatResult:
    """Return the inner model's text as a message with a call. Ids are counted: equal runs give equal records."""
    told = result.generations[0].message
    answer = read_answer(str(told.text))
    said = [m for m in messages if isinstance(m, AIMessage)]
    made = sum(len(m.tool_calls) + len(m.invalid_tool_calls) for m in said) + 1
    identity = f"call_{made}"
    good, bad = [], []
    if answer.tool is not None and answer.arguments is not None:
        good.append(tool_call(name=answer.tool, args=dict(answer.arguments), id=identity))
    elif answer.tool is not None:
        bad.append(invalid_tool_call(name=answer.tool, args=answer.raw, id=identity, error=answer.error))
    message = AIMessage(
        answer.thought,
        tool_calls=good,
        invalid_tool_calls=bad,
        id=f"react-{len(said) + 1}",
        usage_metadata=told.usage_metadata if isinstance(told, AIMessage) else None,
    )
    return ChatResult(generations=[ChatGeneration(message=message)])
