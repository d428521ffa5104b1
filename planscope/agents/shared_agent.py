"""One compiled agent for all runs of a model on the same tools: making one takes as long as a call of it.

What is a run's own, its recorder and its guard, is found by the context that the run is in.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from planscope.agents.mock_tools import langchain_tools
from planscope.agents.paradigms import chat_for

if TYPE_CHECKING:
    from planscope.agents.models import LoadedModel
    from planscope.agents.toolset import MockTool

_own: ContextVar[tuple[AgentMiddleware[Any, Any, Any], ...]] = ContextVar("planscope_own_middleware")


class _OwnRecorder(AgentMiddleware[Any, Any, Any]):
    """The first middleware of the run that a call belongs to."""

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> Any:
        return await _own.get()[0].awrap_model_call(request, handler)

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        return await _own.get()[0].awrap_tool_call(request, handler)


class _OwnGuard(AgentMiddleware[Any, Any, Any]):
    """The second one."""

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> Any:
        return await _own.get()[1].awrap_model_call(request, handler)

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        return await _own.get()[1].awrap_tool_call(request, handler)


def shared_agent(
    model: LoadedModel,
    agent: str,
    tools: Sequence[MockTool],
    middleware: Sequence[AgentMiddleware[Any, Any, Any]],
    role: str | None,
) -> Any:
    """LangChain's agent of one of our paradigms, for the task that calls this: to be awaited there.

    ``middleware`` is the run's recorder, and its guard if it has one.
    """
    _own.set(tuple(middleware))
    made = (
        agent,
        role,
        len(middleware),
        *((t.spec.name, t.spec.description, t.done, t.timed) for t in tools),
    )
    if made not in model.agents:
        kinds = [_OwnRecorder(), _OwnGuard()][: len(middleware)]
        compiled = create_agent(
            chat_for(agent, model), langchain_tools(tools), system_prompt=role, middleware=kinds
        )
        if agent == "responses" and model.spec.simulated:
            return compiled  # its server is a part of it
        model.agents[made] = compiled
    return model.agents[made]
