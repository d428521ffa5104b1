"""LangChain tools whose calls are answered elsewhere: by a mock tool, or in the sandbox of ``planscope fuzz``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from langchain_core.tools import BaseTool, ToolException

from planscope.agents.toolset import ToolSpec


class PassingTool(BaseTool):
    """A tool that gets its arguments unchanged: none is dropped, converted or injected.

    The schema is plain JSON, so that whoever answers judges the arguments, not LangChain.
    """

    handle_tool_error: bool = True

    def _parse_input(
        self, tool_input: str | dict[str, Any], tool_call_id: str | None
    ) -> str | dict[str, Any]:
        return tool_input

    def _to_args_and_kwargs(
        self, tool_input: str | dict[str, Any], tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (tool_input,), {}


class ServedTool(PassingTool):
    """A tool whose ``call`` returns what the tool did (``fuzz_models.AgentCall``)."""

    call: Callable[[str, dict[str, Any]], Any]

    def _run(self, arguments: object) -> str:
        done = self.call(self.name, arguments if isinstance(arguments, dict) else {})
        if done.outcome.kind != "ok":
            raise ToolException(done.text)
        return str(done.text)

    async def _arun(self, arguments: object) -> str:
        return await asyncio.to_thread(self._run, arguments)


def served_tools(specs: Iterable[ToolSpec], call: Callable[[str, dict[str, Any]], Any]) -> list[BaseTool]:
    """Return one LangChain tool for each spec."""
    return [
        ServedTool(name=one.name, description=one.description, args_schema=dict(one.parameters), call=call)
        for one in specs
    ]
