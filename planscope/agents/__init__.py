"""Agents under test: mock tools, paradigms, models real and simulated, the recorder and the runner (paper, 4.3-5).

The only place that knows LangChain, and it imports it late: ``runner``, ``models``, ``toolset``, ``native`` and the
pure half of ``simulated`` load without it. For scripts of one's own there are two middlewares::

    from planscope import guard, record
    agent = create_agent(model, tools, middleware=[record("my_agent.planscope.json")])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planscope.agents.guard_middleware import guard as guard
    from planscope.agents.own_agent import record as record

_PUBLIC = {"guard": "guard_middleware", "record": "own_agent"}

__all__ = ["guard", "record"]


def __getattr__(name: str) -> Any:
    """Found when asked for, since LangChain comes with them."""
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{module}"), name)
