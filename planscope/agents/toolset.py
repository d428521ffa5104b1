"""The mock tools as plain data: names, descriptions, schemas and answers (paper, 4.3 and Figure 7 (b)).

A mock tool only answers. The duration of a timed action is in its answer and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.language.problem import is_tool_name
from planscope.oracle.arguments import START
from planscope.oracle.trace import RESTART_TOOL
from planscope.session.mock_tools import RESTART_ANSWER, done_text, tool_answer
from planscope.session.model import ActionRecord
from planscope.wording.terms import capital

ARGUMENT_TEXT = (
    f" Receive one argument: {START}, which is an integer in the range of [0, 23],"
    " representing the start time of this task."
)
RESTART_TEXT = "Ask for a restart. After permission is granted, start over with the first task."
REFUSED = "Refused: "
"""The beginning of the answer to a refused call, which no tool executed."""


class BadToolset(UserError):
    """Tools have equal names, or names that no provider accepts. The message, one line, says which."""


@frozen
class ToolSpec:
    """A tool as a model sees it. ``parameters`` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, object] = field(default_factory=lambda: {"type": "object", "properties": {}})


@frozen
class MockTool:
    """A tool and its answer after execution (``done``). ``timed``: it takes a start hour."""

    spec: ToolSpec
    done: str
    timed: bool = False

    def answer(self, arguments: Mapping[str, object] | None) -> tuple[str, bool]:
        """Return the answer, and whether the call was executed (False if the tool refused the arguments)."""
        return tool_answer(self.done, arguments, timed=self.timed)


def make_toolset(actions: Sequence[ActionRecord], *, timed: bool) -> tuple[MockTool, ...]:
    """Return one tool for each action, in order, and for timed queries ``ask_for_restart``. Raises
    :class:`BadToolset`."""
    tools = [_timed_tool(a) if timed else _base_tool(a) for a in actions]
    if timed:
        tools.append(MockTool(ToolSpec(RESTART_TOOL, RESTART_TEXT), RESTART_ANSWER))
    seen: set[str] = set()
    for tool in tools:
        name = tool.spec.name
        if not is_tool_name(name):
            raise BadToolset(f"{name[:80]!r} is not a name for a tool; use 1 to 64 letters, digits, _ and -")
        if name in seen:
            raise BadToolset(f"two tools have the name {name!r}; rename one of the actions")
        seen.add(name)
    return tuple(tools)


def _base_tool(action: ActionRecord) -> MockTool:
    return MockTool(ToolSpec(action.tool, f"{capital(action.name)}."), done_text(action, timed=False))


def _timed_tool(action: ActionRecord) -> MockTool:
    schema = {
        "type": "object",
        "properties": {START: {"type": "integer", "description": "hour 0..23"}},
        "required": [START],
    }
    spec = ToolSpec(action.tool, f"{capital(action.name)}.{ARGUMENT_TEXT}", schema)
    return MockTool(spec, done_text(action, timed=True), timed=True)
