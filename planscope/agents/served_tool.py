"""Runs an agent with LangChain tools whose calls are answered elsewhere, in the sandbox of ``planscope fuzz``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Unpack

from langchain.agents import create_agent
from langchain_core.tools import BaseTool, ToolException

from planscope.agents.langchain_agent import PassingTool
from planscope.agents.messages import Middleware
from planscope.agents.models import LoadedModel
from planscope.agents.paradigms import Factory, Graph, chat_for, made_by
from planscope.agents.react_format import prompt_event
from planscope.agents.runner import PromptedRun, Watched
from planscope.agents.toolset import ToolSpec
from planscope.session.model import Limits, PromptEvent, Run


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


class ServedRun(PromptedRun):
    """A run in which ``call`` answers the calls of the tools that ``specs`` tell of. ``request``: what is asked.
    ``lost`` says why no tool answers any more, or ""."""

    def __init__(
        self,
        run: Run,
        model: LoadedModel,
        limits: Limits,
        factory: Factory | None,
        *,
        request: str,
        specs: Sequence[ToolSpec],
        call: Callable[[str, dict[str, object]], object],
        lost: Callable[[], str],
        **watched: Unpack[Watched],
    ) -> None:
        super().__init__(run, model, limits, factory, **watched)
        self._request, self._specs, self._call, self._lost = request, specs, call, lost

    def _explain(self, error: BaseException, where: str) -> tuple[str, str]:
        return ("tool", why) if (why := self._lost()) else super()._explain(error, "model")

    def _prompt(self) -> PromptEvent:
        return prompt_event(self.run.agent, self._request, None, self._specs)

    async def _agent(self, middleware: Sequence[Middleware]) -> Graph:
        tools: list[BaseTool] = [
            ServedTool(
                name=one.name, description=one.description, args_schema=dict(one.parameters), call=self._call
            )
            for one in self._specs
        ]
        if self._factory is not None:
            return await made_by(self._factory, self._model.chat, tools, middleware)
        return create_agent(chat_for(self.run.agent, self._model), tools, middleware=middleware)
