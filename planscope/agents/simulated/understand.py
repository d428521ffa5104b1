"""What a simulated model makes of its prompt and its tools: it reads the text, like any model would."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from planscope.agents.toolset import ARGUMENT_TEXT, ToolSpec
from planscope.language.problem import Action, Problem
from planscope.language.tree import Query
from planscope.oracle.arguments import START
from planscope.oracle.trace import RESTART_TOOL

_MARKER = re.compile(r"requirements?\s*(?:is|are)?\s*:", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n+")
_TRIES = 12


@dataclass(frozen=True, slots=True)
class Understanding:
    """What was read. ``mention`` lists action ids in the order in which the text mentions them, the rest behind.

    ``restart`` is the name of the tool that grants a new attempt, if there is one. The constraints' paths lead
    into ``tree``.
    """

    problem: Problem
    mention: tuple[str, ...]
    restart: str | None
    tree: Query


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Why the text could not be read."""

    reason: str


@dataclass(frozen=True, slots=True)
class SeenTool:
    """A tool as its model sees it, in a form that can be remembered."""

    name: str
    description: str
    takes_start: bool


def seen(tools: tuple[ToolSpec, ...]) -> tuple[SeenTool, ...]:
    return tuple(SeenTool(t.name, t.description, START in _properties(t.parameters)) for t in tools)


@lru_cache(maxsize=512)
def understand(prompt: str, tools: tuple[SeenTool, ...]) -> Understanding | NotUnderstood:
    """Read the requirement in a prompt. Action names come from the tools' descriptions."""
    from planscope.language.reading import ParseFailure, read_query

    timed = any(t.takes_start for t in tools)
    restart = next((t.name for t in tools if timed and t.name == RESTART_TOOL and not t.takes_start), None)
    doers = [t for t in tools if t.name != restart]
    actions = tuple(Action(f"a{i}", _action_name(t), t.name) for i, t in enumerate(doers, 1))
    reason = "it is empty"
    for number, text in enumerate(_candidates(prompt)):
        try:
            reading = read_query(text, actions, timed=timed, kept=True)
        except ParseFailure as failure:
            if number == 0:
                reason = failure.errors[0].message if failure.errors else str(failure)
            continue
        return Understanding(reading.problem, _mention(text, actions), restart, reading.tree)
    return NotUnderstood(reason)


def _properties(parameters: Mapping[str, object]) -> Mapping[str, object]:
    found = parameters.get("properties")
    return found if isinstance(found, Mapping) else {}


def _action_name(tool: SeenTool) -> str:
    """The noun phrase that a description begins with: "Network diagnosis." is about "network diagnosis"."""
    name = tool.description.strip().removesuffix(ARGUMENT_TEXT.strip()).strip().removesuffix(".")
    name = name or tool.name.replace("_", " ")
    return name if name[1:2].isupper() else name[:1].lower() + name[1:]


def _candidates(prompt: str) -> Iterator[str]:
    """What may be the requirement: behind its announcement, else in brackets, else ever shorter ends, or a line."""
    found: set[str] = set()
    marked = [prompt[m.end() :] for m in reversed(list(_MARKER.finditer(prompt)))]
    bracketed = re.findall(r"\[([^\[\]]*)\]", prompt)[::-1]
    ends = [prompt, *(prompt[m.end() :] for m in _SENTENCE.finditer(prompt))]
    lines = [line for part in (*marked, prompt) for line in part.strip().splitlines()]
    for text in [*marked, *bracketed, *ends[:_TRIES], *lines[:_TRIES]]:
        text = text.strip()
        if text.startswith("[") and text.endswith("]"):
            text = text[1:-1].strip()
        if text and text not in found:
            found.add(text)
            yield text


def _mention(text: str, actions: tuple[Action, ...]) -> tuple[str, ...]:
    """Ids by first mention, longest names first where one begins like another; unmentioned ones last."""
    wanted = {_key(n): a.id for a in actions for n in (a.tool, a.name)}
    names = sorted({n for a in actions for n in (a.tool, a.name)}, key=lambda n: (-len(n), n))
    pattern = "|".join(r"\s+".join(re.escape(w) for w in name.split()) for name in names if name.split())
    order: dict[str, None] = {}
    if pattern:
        for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE):
            identity = wanted.get(_key(match.group()))
            if identity is not None:
                order.setdefault(identity)
    order.update(dict.fromkeys(a.id for a in actions))
    return tuple(order)


def _key(name: str) -> str:
    return " ".join(name.casefold().split())
