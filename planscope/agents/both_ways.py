"""Middleware that is written once for synchronous and asynchronous agents.

``later`` says which: whether what may take its time is awaited, or is done at once. Then nothing is awaited, and
``at_once`` runs the coroutine to its end.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import ModelRequest, ModelResponse
from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from planscope.agents.event_loop import at_once
from planscope.agents.messages import Middleware

Result = ToolMessage | Command[object]
Response = ModelResponse[object]
ModelHandler = Callable[[ModelRequest], Response | Awaitable[Response]]
ToolHandler = Callable[[ToolCallRequest], Result | Awaitable[Result]]
"""What a middleware calls in its turn: it returns what it finds or, for an asynchronous agent, an awaitable of that."""


async def found_by(found: Any, later: bool) -> Any:
    """Return what a handler found."""
    return await found if later else found


class BothWays(Middleware):
    """Passes the calls of model and tools on. Classes below do more around them."""

    async def around_model(self, request: ModelRequest, handler: ModelHandler, later: bool) -> Response:
        found: Response = await found_by(handler(request), later)
        return found

    async def around_tool(self, request: ToolCallRequest, handler: ToolHandler, later: bool) -> Result:
        found: Result = await found_by(handler(request), later)
        return found

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Response]) -> Response:
        return at_once(self.around_model(request, handler, False))

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[Response]]
    ) -> Response:
        return await self.around_model(request, handler, True)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]
    ) -> Result:
        return at_once(self.around_tool(request, handler, False))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        return await self.around_tool(request, handler, True)
