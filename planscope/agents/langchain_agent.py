"""The LangChain side of a run: mock tools, one compiled agent for many runs, and tracing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import Context, ContextVar
from functools import cache
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import ModelRequest
from langchain_core.tools import BaseTool, ToolException
from langgraph.prebuilt.tool_node import ToolCallRequest
from langsmith import tracing_context

from planscope.agents.both_ways import BothWays, ModelHandler, Response, Result, ToolHandler
from planscope.agents.models import Graph, LoadedModel
from planscope.agents.paradigms import chat_for
from planscope.agents.toolset import MockTool, ToolSpec
from planscope.session.json_bytes import Obj

Replies = Callable[[Mapping[str, object] | None], tuple[str, bool]]


class PassingTool(BaseTool):
    """A tool that gets its arguments unchanged: none is dropped, converted or injected.

    The schema is plain JSON, so that whoever answers judges the arguments, not LangChain.
    """

    replies: Replies
    slow: bool = False
    handle_tool_error: bool = True

    def _parse_input(self, tool_input: str | Obj, tool_call_id: str | None) -> str | Obj:
        return tool_input

    def _to_args_and_kwargs(
        self, tool_input: str | Obj, tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], Obj]:
        return (tool_input,), {}

    def _run(self, arguments: object) -> str:
        text, done = self.replies(arguments if isinstance(arguments, dict) else None)
        if not done:
            raise ToolException(text)
        return text

    async def _arun(self, arguments: object) -> str:
        return await asyncio.to_thread(self._run, arguments) if self.slow else self._run(arguments)


def passing_tool(spec: ToolSpec, replies: Replies, *, slow: bool = False) -> PassingTool:
    """Return a LangChain tool. ``replies``: its answer to arguments, and whether the call was done; if not, the answer
    has ``status="error"``. ``slow``: that may take its time."""
    schema = dict(spec.parameters)
    return PassingTool(
        name=spec.name, description=spec.description, args_schema=schema, replies=replies, slow=slow
    )


def langchain_tools(tools: Iterable[MockTool]) -> list[PassingTool]:
    """Return one LangChain tool for each mock tool."""
    return [passing_tool(tool.spec, tool.answer) for tool in tools]


_own: ContextVar[tuple[BothWays, ...]] = ContextVar("planscope_own_middleware")


class _Own(BothWays):
    """Passes calls to one middleware of the current run: the first is its recorder, the second its guard.

    An agent is compiled once for all runs, since compiling takes as long as a run's call. The context of a task says
    which run it belongs to.
    """

    def __init__(self, place: int) -> None:
        super().__init__()
        self._place = place

    @property
    def name(self) -> str:
        return f"planscope-{self._place}"

    async def around_model(self, request: ModelRequest, handler: ModelHandler, later: bool) -> Response:
        return await _own.get()[self._place].around_model(request, handler, later)

    async def around_tool(self, request: ToolCallRequest, handler: ToolHandler, later: bool) -> Result:
        return await _own.get()[self._place].around_tool(request, handler, later)


def shared_agent(
    model: LoadedModel,
    agent: str,
    tools: Sequence[MockTool],
    middleware: Sequence[BothWays],
    role: str | None,
) -> Graph:
    """Return LangChain's agent for one of ``AGENTS``, compiled once for each model. Await it in the task that called
    this.

    ``middleware`` has the run's recorder and, if it has one, its guard.
    """
    _own.set(tuple(middleware))
    made = (
        agent,
        role,
        len(middleware),
        *((t.spec.name, t.spec.description, t.done, t.timed) for t in tools),
    )
    if made not in model.agents:
        kinds = [_Own(place) for place in range(len(middleware))]
        compiled = create_agent(
            chat_for(agent, model), langchain_tools(tools), system_prompt=role, middleware=kinds
        )
        if agent == "responses" and model.spec.simulated:
            return compiled  # not kept for later runs: a simulated server belongs to one run
        model.agents[made] = compiled
    return model.agents[made]


_quiet: ContextVar[bool] = ContextVar("planscope_untraced", default=False)


@contextmanager
def tracing(allowed: bool) -> Iterator[None]:
    """If ``allowed``, trace to LangSmith as the environment says; otherwise upload nothing, whatever it says."""
    _bring_no_threads()
    token = _quiet.set(not allowed)
    try:
        with tracing_context(enabled=None if allowed else False):
            yield
    finally:
        _quiet.reset(token)


@cache
def _bring_no_threads() -> None:
    """Run LangSmith's hooks on the event loop while nothing is traced.

    LangChain runs them in threads before and after every call of a middleware, which costs more than the recorder.
    """
    import langsmith

    langsmith.set_runtime_overrides(aio_to_thread=_on_the_spot)


async def _on_the_spot(
    in_a_thread: Callable[..., Awaitable[object]],
    context: Context,
    look: Callable[..., object],
    /,
    *args: object,
    **kwargs: object,
) -> object:
    if _quiet.get():
        return context.run(look, *args, **kwargs)
    return await in_a_thread(context, look, *args, **kwargs)
