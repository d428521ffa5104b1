"""Agents under test: mock tools, paradigms, real and simulated models, recorder and runner (paper, 4.3-5).

The only package that knows LangChain, and it imports it late: ``runner``, ``models``, ``toolset``,
``simulated_runs`` and all of ``simulated`` but ``chat`` load without it. Users' own agents take two middlewares::

    from planscope import guard, record
    agent = create_agent(model, tools, middleware=[record("my_agent.planscope.json")])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planscope.agents.guard_middleware import guard as guard
    from planscope.agents.own_agent import record as record
    from planscope.agents.span_recorder import record_spans as record_spans

_PUBLIC = {"guard": "guard_middleware", "record": "own_agent", "record_spans": "span_recorder"}

__all__ = ["guard", "record", "record_spans"]


def __getattr__(name: str) -> object:
    """Import the two middlewares on first use, because they import LangChain."""
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{module}"), name)
