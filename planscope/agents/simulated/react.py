"""A simulated model that is asked in the ReAct format: it reads tools and answers from the text, and writes text."""

from __future__ import annotations

import json
from typing import Any

from planscope.agents.react_format import Turn, read_prompt, write_answer
from planscope.agents.simulated.mind import decide
from planscope.agents.simulated.profiles import Character
from planscope.agents.simulated.situation import Decision, Did, View
from planscope.agents.toolset import REFUSED

_FAILED = ("Error:", REFUSED.strip())


def react_decision(prompt: str, character: Character) -> tuple[str, float] | None:
    """The text of the answer and the seconds that it takes; None for a prompt that is not in the format."""
    view = react_view(prompt)
    if view is None:
        return None
    decision = decide(view, character)
    return react_text(decision), decision.wait


def react_text(decision: Decision) -> str:
    given = json.dumps(decision.arguments or {}) if decision.raw is None else decision.raw
    return write_answer(decision.thought, decision.tool, given)


def react_view(prompt: str) -> View | None:
    """What a prompt in the ReAct format shows."""
    found = read_prompt(prompt)
    if found is None:
        return None
    tools, question, turns = found
    return View(question, tools, tuple(_did(t) for t in turns if t.observation is not None))


def _did(turn: Turn) -> Did:
    try:
        arguments: Any = json.loads(turn.given)
    except (ValueError, RecursionError):
        arguments = {}
    said = turn.observation or ""
    return Did(
        turn.tool or "", arguments if isinstance(arguments, dict) else {}, said, not said.startswith(_FAILED)
    )
