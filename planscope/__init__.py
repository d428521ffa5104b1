"""planscope: a terminal debugger for the plans of LLM agents.

For the user's own agents there are two middlewares::

    from planscope import guard, record

    agent = create_agent(model, tools, middleware=[record("my_agent.planscope.json")])
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would take longer than everything else here
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

_PUBLIC = ("guard", "record")


def __getattr__(name: str) -> Any:
    """Import the two middlewares on first use, because they import LangChain."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.agents"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
