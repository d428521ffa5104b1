"""Makes agents by name (Table 1 of the paper), and users' own by ``package.module:factory``."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from planscope.agents.failures import one_line
from planscope.agents.models import Graph, LoadedModel, ModelUnavailable
from planscope.errors import UserError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

AGENTS = ("tools", "react", "responses")
"""Function calling; ReAct as text, with any chat model; the Responses API, whose server keeps the conversation."""

Factory = Callable[[object, list[object], list[object]], object]
"""``(model, tools, middleware) -> runnable``; the runnable is called with ``{"messages": [...]}``."""


class UnknownAgent(UserError):
    """An agent does not exist or cannot be made. The message, one line, says why."""


def load_factory(name: str) -> Factory | None:
    """Return the factory that ``package.module:factory`` names, or None for one of ``AGENTS``.

    Imports the user's code, also from the working directory. Call it only for a name from the command line, never for
    one from a file.
    """
    if name in AGENTS:
        return None
    found = imported(name, f"the agents are {', '.join(AGENTS)}, or package.module:factory")
    if not callable(found):
        raise UnknownAgent(f"{name[:80]!r} is not a factory; name a function of (model, tools, middleware)")
    factory: Factory = found
    return factory


def short_name(agent: str) -> str:
    """Return a name for files from ``package.module:agent``: ``module-agent``, of letters, digits and hyphens."""
    module, _, attribute = agent.partition(":")
    words = [module.rpartition(".")[2], *([] if attribute == "agent" else [attribute])]
    return re.sub(r"[^A-Za-z0-9]+", "-", "-".join(words)).strip("-")[:60] or "agent"


def imported(name: str, hint: str) -> Any:
    """Import what ``package.module:attribute`` names, also from the working directory. Raises :class:`UnknownAgent`.

    ``hint``: what the name may be.
    """
    module, colon, attribute = name.partition(":")
    if not colon or not module or not attribute:
        raise UnknownAgent(f"there is no agent {name[:40]!r}; {hint}")
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:
        why = one_line(f"{type(error).__name__}: {error}")
        raise UnknownAgent(
            f"the agent {name[:80]!r} cannot be imported ({why}); check its name and the working directory"
        ) from error
    return found


def chat_for(agent: str, model: LoadedModel) -> BaseChatModel:
    """Wrap the chat model for an agent of ``AGENTS``. Raises :class:`ModelUnavailable`."""
    if agent == "react":
        from planscope.agents.react_model import ReActModel

        return ReActModel(inner=model.chat)
    if agent == "responses":
        if model.spec.character is not None:
            from planscope.agents.simulated.chat import SimulatedResponses

            return SimulatedResponses(character=model.spec.character)
        if getattr(model.chat, "use_responses_api", None) is not True:
            raise ModelUnavailable(
                f"the agent responses needs a model with the Responses API, openai:NAME, not {model.spec.text}"
            )
    return model.chat


async def made_by(
    factory: Factory, chat: BaseChatModel, tools: Sequence[object], middleware: Sequence[object]
) -> Graph:
    """Return the runnable that a user's factory makes. Raises TypeError if it is not a runnable."""
    return await awaited(factory(chat, list(tools), list(middleware)), "ainvoke")


async def awaited(made: object, by: str) -> Graph:
    """Return the agent that a factory made, which is called ``by`` this method. Raises TypeError if it is none."""
    made = await made if inspect.isawaitable(made) else made
    if inspect.isclass(made) or not callable(getattr(made, by, None)):
        what = "nothing" if made is None else f"a {type(made).__name__}"
        raise TypeError(f"the factory returned {what} instead of an agent; return what create_agent returns")
    return cast(Graph, made)
