"""A simulated model as a LangChain chat model, which real agent loops can drive."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    InvalidToolCall,
    ToolCall,
    ToolMessage,
)
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from planscope.agents.react_format import Decision
from planscope.agents.react_model import offered, spec_of
from planscope.agents.simulated.knowledge import View, answered_call
from planscope.agents.simulated.mind import decide, react_decision
from planscope.agents.simulated.profiles import Character
from planscope.session.json_bytes import Obj


class SimulatedChat(BaseChatModel):
    """A chat model that reads only the messages and its bound tools. Its token counts are words."""

    character: Character

    @property
    def model_name(self) -> str:
        """The name in the record of a user's own agent."""
        return f"sim:{self.character.profile}"

    @property
    def _llm_type(self) -> str:
        return "planscope-simulated"

    @property
    def _identifying_params(self) -> Obj:
        own = self.character
        return {"profile": own.profile, "seed": own.seed, **own.parameters}

    def bind_tools(
        self,
        tools: Sequence[Obj | type | Callable[..., object] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: object,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(t) for t in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> ChatResult:
        message, wait = self._answer(self._seen(messages), offered(kwargs))
        time.sleep(wait)
        return self._said(message)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> ChatResult:
        """Decide in a thread, because planning can be slow and the loop must stay free to cancel."""
        seen = self._seen(messages)
        message, wait = await asyncio.to_thread(self._answer, seen, offered(kwargs))
        await asyncio.sleep(wait)
        return self._said(message)

    def _seen(self, messages: list[BaseMessage]) -> list[BaseMessage]:
        """Return the messages that the model sees: those that it was sent."""
        return messages

    def _said(self, message: AIMessage) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _answer(self, messages: list[BaseMessage], tools: Sequence[Obj]) -> tuple[AIMessage, float]:
        """Return the answer, and the seconds it takes. A prompt in the ReAct format gets an answer in that format."""
        view = view_of(messages, tools)
        told = None if tools else react_decision(view.prompt, self.character)
        if told is not None:
            text, wait = told
            return _counted(AIMessage(text), messages), wait
        decision = decide(view, self.character)
        return _message(decision, messages), decision.wait


class SimulatedResponses(SimulatedChat):
    """A simulated model whose server keeps the conversation (OpenAI Assistants in the paper, now Responses).

    Messages before its last answer are not sent again: it sees its own copy of them, even if they were edited.
    """

    kept: dict[str, list[BaseMessage]] = {}  # noqa: RUF012  (copied for each instance)

    def _seen(self, messages: list[BaseMessage]) -> list[BaseMessage]:
        for i in range(len(messages) - 1, -1, -1):
            before = self.kept.get(messages[i].response_metadata.get("id", ""))
            if before is not None:
                return [*before, *messages[i + 1 :]]
        return messages

    def _answer(self, messages: list[BaseMessage], tools: Sequence[Obj]) -> tuple[AIMessage, float]:
        message, wait = super()._answer(messages, tools)
        answers = sum(isinstance(m, AIMessage) for m in messages) + 1
        identity = f"resp_{answers}"
        message = message.model_copy(update={"response_metadata": {"id": identity}})
        self.kept[identity] = [*messages, message]
        return message, wait


def view_of(messages: Sequence[BaseMessage], tools: Sequence[Obj]) -> View:
    """Return the view that messages and bound tools give: the last prompt, and the calls with their answers."""
    answers = {m.tool_call_id: m for m in messages if isinstance(m, ToolMessage)}
    did = []
    for message in messages:
        for call in _calls(message):
            answer = answers.get(call["id"] or "")
            if answer is not None:
                arguments = call["args"] if isinstance(call["args"], dict) else {}
                executed = answer.status != "error"
                did.append(answered_call(call["name"] or "", arguments, str(answer.text), executed))
    asked = [str(m.text) for m in messages if isinstance(m, HumanMessage)]
    return View(asked[-1] if asked else "", tuple(spec_of(t) for t in tools), tuple(did))


def _calls(message: BaseMessage) -> list[ToolCall | InvalidToolCall]:
    return [*message.tool_calls, *message.invalid_tool_calls] if isinstance(message, AIMessage) else []


def _message(decision: Decision, messages: Sequence[BaseMessage]) -> AIMessage:
    good, bad = [], []
    if decision.tool is not None:
        identity = f"call_{sum(len(_calls(m)) for m in messages) + 1}"
        if decision.raw is None:
            good.append(tool_call(name=decision.tool, args=dict(decision.arguments or {}), id=identity))
        else:
            bad.append(invalid_tool_call(name=decision.tool, args=decision.raw, id=identity, error=None))
    return _counted(AIMessage(decision.thought, tool_calls=good, invalid_tool_calls=bad), messages)


def _counted(message: AIMessage, messages: Sequence[BaseMessage]) -> AIMessage:
    """Return the message with id and token counts. Ids are counted, not random: equal runs give equal records."""
    answers = sum(isinstance(m, AIMessage) for m in messages) + 1
    read = sum(len(str(m.text).split()) for m in messages)
    said = len(str(message.text).split()) + len(_calls(message))
    usage = UsageMetadata(input_tokens=read, output_tokens=said, total_tokens=read + said)
    return message.model_copy(update={"id": f"sim-{answers}", "usage_metadata": usage})
