"""The agents by name (Table 1 of the paper), and people's own by ``package.module:factory``."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.agents.failures import one_line
from planscope.agents.models import LoadedModel, ModelUnavailable
from planscope.errors import UserError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

AGENTS = ("tools", "react", "responses")
"""Function calling; text over any chat model; the Responses API, whose server keeps the conversation."""

Factory = Callable[[Any, list[Any], list[Any]], Any]
"""``(model, tools, middleware) -> runnable``, which is given ``{"messages": [...]}``."""


class UnknownAgent(UserError):
    """There is no such agent, or it cannot be made. One line."""


def load_factory(name: str) -> Factory | None:
    """The factory that ``package.module:factory`` names, looked for in the working directory too; None for ours.

    Imports the user's code: for what was asked for on the command line only, never for what a file says.
    """
    if name in AGENTS:
        return None
    module, colon, attribute = name.partition(":")
    if not colon or not module or not attribute:
        raise UnknownAgent(
            f"there is no agent {name[:40]!r}: the agents are {', '.join(AGENTS)}, or package.module:factory"
        )
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:
        why = one_line(f"{type(error).__name__}: {error}")
        raise UnknownAgent(f"the agent {name[:80]!r} cannot be imported ({why})") from None
    if not callable(found):
        raise UnknownAgent(
            f"{name[:80]!r} is no factory: it must be callable with (model, tools, middleware)"
        )
    factory: Factory = found
    return factory


def chat_for(agent: str, model: LoadedModel) -> BaseChatModel:
    """The chat model as the paradigm talks to it. Raises :class:`ModelUnavailable`."""
    if agent == "react":
        from planscope.agents.react_model import ReActModel

        return ReActModel(inner=model.chat)
    if agent == "responses":
        if model.spec.character is not None:
            from planscope.agents.simulated.chat import SimulatedResponses

            return SimulatedResponses(character=model.spec.character)
        if getattr(model.chat, "use_responses_api", None) is not True:
            raise ModelUnavailable(
                f"the agent responses needs a model with the Responses API (openai:NAME), not {model.spec.text}"
            )
    return model.chat


async def made_by(factory: Factory, chat: BaseChatModel, tools: list[Any], middleware: Sequence[Any]) -> Any:
    """The runnable that somebody's own factory makes. Raises TypeError where it makes something else."""
    made = factory(chat, tools, list(middleware))
    if inspect.isawaitable(made):
        made = await made
    if not callable(getattr(made, "ainvoke", None)):
        what = "nothing" if made is None else f"a {type(made).__name__}"
        raise TypeError(f"the factory returned {what}, no agent; it must return what create_agent gives")
    return made
