"""The mock tools as LangChain tools: the schema is plain JSON, so that planscope judges the arguments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langchain_core.tools import BaseTool, ToolException

from planscope.agents.toolset import MockTool


class LangChainMockTool(BaseTool):
    """Passes the arguments on as they came: none is dropped, converted or taken for one of LangChain's own."""

    mock: MockTool
    handle_tool_error: bool = True

    def _parse_input(
        self, tool_input: str | dict[str, Any], tool_call_id: str | None
    ) -> str | dict[str, Any]:
        return tool_input

    def _to_args_and_kwargs(
        self, tool_input: str | dict[str, Any], tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (tool_input,), {}

    def _run(self, arguments: object) -> str:
        text, executed = self.mock.answer(arguments if isinstance(arguments, dict) else None)
        if not executed:
            raise ToolException(text)
        return text

    async def _arun(self, arguments: object) -> str:
        return self._run(arguments)


def langchain_tools(tools: Iterable[MockTool]) -> list[LangChainMockTool]:
    """One LangChain tool for each; a refused call is answered with ``status="error"``."""
    return [
        LangChainMockTool(
            name=tool.spec.name,
            description=tool.spec.description,
            args_schema=dict(tool.spec.parameters),
            mock=tool,
        )
        for tool in tools
    ]
