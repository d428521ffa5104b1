"""Runs an agent with LangChain tools whose calls are answered elsewhere, in the sandbox of ``planscope fuzz``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Unpack

from langchain.agents import create_agent

from planscope.agents.both_ways import BothWays
from planscope.agents.langchain_agent import passing_tool
from planscope.agents.models import Graph, LoadedModel
from planscope.agents.paradigms import Factory, chat_for, made_by
from planscope.agents.react_format import prompt_event
from planscope.agents.runner import PromptedRun, Watched
from planscope.agents.toolset import ToolSpec
from planscope.session.model import Limits, PromptEvent, Run


class ServedRun(PromptedRun):
    """A run in which ``call`` answers the calls of the tools that ``specs`` tell of, and says whether they were done.
    ``request``: what is asked. ``lost`` says why no tool answers any more, or ""."""

    def __init__(
        self,
        run: Run,
        model: LoadedModel,
        limits: Limits,
        factory: Factory | None,
        *,
        request: str,
        specs: Sequence[ToolSpec],
        call: Callable[[str, Mapping[str, object] | None], tuple[str, bool]],
        lost: Callable[[], str],
        **watched: Unpack[Watched],
    ) -> None:
        super().__init__(run, model, limits, factory, **watched)
        self._request, self._specs, self._call, self._lost = request, specs, call, lost

    def _explain(self, error: BaseException, where: str) -> tuple[str, str]:
        return ("tool", why) if (why := self._lost()) else super()._explain(error, "model")

    def _prompt(self) -> PromptEvent:
        return prompt_event(self.run.agent, self._request, None, self._specs)

    async def _agent(self, middleware: Sequence[BothWays]) -> Graph:
        tools = [passing_tool(one, partial(self._call, one.name), slow=True) for one in self._specs]
        if self._factory is not None:
            return await made_by(self._factory, self._model.chat, tools, middleware)
        return create_agent(chat_for(self.run.agent, self._model), tools, middleware=middleware)
