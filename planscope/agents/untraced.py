"""Runs of which LangSmith hears nothing, and which pay nothing for what it would have heard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar
from functools import cache
from typing import Any

_quiet: ContextVar[bool] = ContextVar("planscope_untraced", default=False)


@contextmanager
def tracing(allowed: bool) -> Iterator[None]:
    """``allowed``: as the environment says; else nothing is uploaded, whatever the environment says."""
    from langsmith import tracing_context

    _bring_no_threads()
    token = _quiet.set(not allowed)
    try:
        with tracing_context(enabled=None if allowed else False):
            yield
    finally:
        _quiet.reset(token)


@cache
def _bring_no_threads() -> None:
    """LangChain has LangSmith look at every call of a middleware, in a thread before it and in one after it, though
    nothing is traced: more than the recorder itself costs. Where nothing is, it looks on the spot."""
    import langsmith

    langsmith.set_runtime_overrides(aio_to_thread=_on_the_spot)


async def _on_the_spot(
    in_a_thread: Callable[..., Awaitable[Any]],
    context: Context,
    look: Callable[..., Any],
    /,
    *args: Any,
    **kwargs: Any,
) -> Any:
    if _quiet.get():
        return context.run(look, *args, **kwargs)
    return await in_a_thread(context, look, *args, **kwargs)
