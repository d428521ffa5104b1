"""planscope: a terminal debugger for the plans of LLM agents.

For the user's own agents there are two middlewares, and functions that judge what was recorded::

    from planscope import check, guard, record

    agent = create_agent(model, tools, middleware=[record("my_agent.planscope.json")])
    check("my_agent.planscope.json", rules="rules.txt").as_data()

Public are the names in ``__all__`` (docs/python.md); everything else is private and may change.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would take longer than everything else here
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

_PLACES = {
    "UserError": "errors",
    "guard": "agents",
    "record": "agents",
    "record_spans": "agents",
    **dict.fromkeys(("check", "explain", "load", "reasons", "repair", "replay"), "doors.python"),
    "plan_rules": "doors.plan_rules",
}
"""The public names, each with its module, which is imported on first use."""

__all__ = [
    *(
        "UserError",
        "check",
        "explain",
        "guard",
        "load",
        "plan_rules",
        "reasons",
        "record",
        "record_spans",
        "repair",
        "replay",
        "rules",
    ),
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use. ``rules`` is a package that can be called."""
    from importlib import import_module

    if name == "rules":
        return import_module(f"{__name__}.rules")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
