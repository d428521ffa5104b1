"""What the mock tools answer (paper, 4.3 and Figure 7 (b)): the same to an agent and to a person who plays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from planscope.oracle.arguments import read_start
from planscope.oracle.trace import RESTART_TOOL
from planscope.session.model import ActionRecord

RESTART_ANSWER = "Permission is granted. Start over."


def done_text(action: ActionRecord, *, timed: bool) -> str:
    """What the tool answers once the action has been done; a timed one tells how long it takes."""
    name = capital(action.name)
    if not timed:
        return f"{name} has been done."
    hours = 1 if action.duration is None else action.duration
    return f"{name} takes {hours} {'hour' if hours == 1 else 'hours'}."


def tool_answer(done: str, arguments: Mapping[str, Any] | None, *, timed: bool) -> tuple[str, bool]:
    """The answer to a call, and whether it was executed. ``done``: what is said then; ``timed``: a start is needed."""
    if arguments is None:
        return "Error: the arguments could not be read. Nothing was done.", False
    if timed:
        start = read_start(arguments)
        if isinstance(start, str):
            return f"Error: {start}. Nothing was done.", False
    return done, True


def unknown_tool(tool: str, known: Iterable[str]) -> str:
    """The answer to a call of a tool that is not there, in LangChain's words."""
    return f"Error: {tool} is not a valid tool, try one of [{', '.join(known)}]."


def answer_to(
    tool: str, arguments: Mapping[str, Any] | None, actions: Iterable[ActionRecord], *, timed: bool
) -> tuple[str, bool]:
    """What a call of any name is answered where these are the tools, and whether it was executed."""
    done = {a.tool: done_text(a, timed=timed) for a in actions}
    if tool in done:
        return tool_answer(done[tool], arguments, timed=timed)
    if timed and tool == RESTART_TOOL:
        return tool_answer(RESTART_ANSWER, arguments, timed=False)
    return unknown_tool(tool, [*done, *([RESTART_TOOL] if timed else [])]), False


def capital(name: str) -> str:
    return name[:1].upper() + name[1:]
