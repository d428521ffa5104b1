"""Runs an agent with LangChain tools whose calls are answered elsewhere, in the sandbox of ``planscope fuzz``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool, ToolException

from planscope.agents.langchain_agent import PassingTool, tracing
from planscope.agents.paradigms import Factory, chat_for, made_by
from planscope.agents.react_format import write_prompt
from planscope.agents.recorder import Recorder
from planscope.agents.toolset import ToolSpec
from planscope.session.model import Event, PromptEvent, SeenMessage, SeenTool

if TYPE_CHECKING:
    from planscope.agents.models import LoadedModel


class ServedTool(PassingTool):
    """A tool whose ``call`` returns what the tool did (``toolfuzz.outcome.Made``)."""

    call: Callable[[str, dict[str, object]], Any]

    def _run(self, arguments: object) -> str:
        done = self.call(self.name, arguments if isinstance(arguments, dict) else {})
        if done.outcome.kind != "ok":
            raise ToolException(done.text)
        return str(done.text)

    async def _arun(self, arguments: object) -> str:
        return await asyncio.to_thread(self._run, arguments)


async def run_agent(
    model: LoadedModel,
    agent: str,
    factory: Factory | None,
    request: str,
    specs: Sequence[ToolSpec],
    call: Callable[[str, dict[str, object]], object],
    emit: Callable[[Event], None],
    model_calls: int,
) -> None:
    """Have an agent do a request with tools that ``call`` answers. ``emit`` gets the events of its record.

    ``factory``: makes the user's own agent. Raises CallLimitReached after ``model_calls``, and what the agent raises.
    """
    whole = write_prompt(specs, request, ()) if agent == "react" else None
    prompt = PromptEvent(
        text=request,
        tools=[
            SeenTool(name=s.name, description=s.description, parameters=dict(s.parameters)) for s in specs
        ],
        messages=None if whole is None else [SeenMessage(role="user", text=whole)],
    )
    emit(prompt)
    recorder = Recorder(emit, model_calls=model_calls, prompt=prompt)
    tools: list[BaseTool] = [
        ServedTool(name=one.name, description=one.description, args_schema=dict(one.parameters), call=call)
        for one in specs
    ]
    with tracing(False):
        if factory is None:
            made = create_agent(chat_for(agent, model), tools, middleware=[recorder])
        else:
            made = await made_by(factory, model.chat, tools, [recorder])
        await made.ainvoke({"messages": [HumanMessage(request)]})
