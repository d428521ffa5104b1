"""A trace in planscope's own shape, which every reader makes and every judge of rules reads.

It is small, because a file may have 100,000 traces: ``check`` judges it directly, and only ``import`` turns it into the
events of a session.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Json = Any
"""Any value that ``json.loads`` returns."""


@dataclass(slots=True)
class ToolCall:
    """One call of a tool.

    ``step`` counts the calls of a trace from 1. ``message`` is the index of the message that made the call: calls of
    one message were decided together, so none of them knows an answer to another. ``arguments`` is None if the format
    did not capture them or they could not be read (``problem`` says why). ``answer`` is the text that the model read,
    None if there was none or it was not captured; ``answered`` tells the two apart. ``failed`` is None if nobody can
    know; ``guessed``: the format has no mark, and the answer's text decided. ``refused``: the call was blocked before
    the tool ran. ``at`` and ``took`` are seconds, ``at`` since the trace began.
    """

    step: int
    tool: str
    message: int
    arguments: dict[str, Json] | None = None
    problem: str | None = None
    answer: str | None = None
    answered: bool = False
    failed: bool | None = None
    guessed: bool = False
    refused: bool = False
    agent: str | None = None
    at: float | None = None
    took: float | None = None
    call_id: str | None = None
    raw: Json = None


@dataclass(slots=True)
class Said:
    """A message of a person, of the model or of the system prompt, with its index and its time in seconds."""

    by: Literal["user", "model", "system"]
    text: str
    message: int
    at: float | None = None
    agent: str | None = None
    usage: tuple[int, int] | None = None
    """Tokens that the model read and wrote."""
    raw: Json = None


@dataclass(slots=True)
class Mark:
    """An event between calls: the history was compacted, another agent took over, the model had an error."""

    kind: Literal["compacted", "handoff", "error"]
    text: str
    message: int
    at: float | None = None
    raw: Json = None


Item = ToolCall | Said | Mark


@dataclass(slots=True)
class Branch:
    """Items that the user rewound. They followed step ``after`` (0: the beginning)."""

    after: int
    items: list[Item]


@dataclass(slots=True)
class Tool:
    """A tool as the trace defines it; ``parameters`` is a JSON schema."""

    name: str
    description: str | None = None
    parameters: dict[str, Json] | None = None


@dataclass(slots=True)
class Trace:
    """One trace: the items of the live branch in order, and what is known about the whole.

    ``ended``: ``complete`` (a file counts as ended), ``broke_off`` (``problem`` says where), ``error`` (the format says
    that the run ended in an error). ``unknown_lines`` counts the kinds of records that the reader skipped.
    """

    id: str
    format: str
    items: list[Item] = field(default_factory=list)
    tools: dict[str, Tool] = field(default_factory=dict)
    branches: list[Branch] = field(default_factory=list)
    model: str | None = None
    agent: str | None = None
    title: str | None = None
    started: float | None = None
    """Seconds since 1970."""
    ended: Literal["complete", "broke_off", "error"] = "complete"
    problem: str | None = None
    unknown_lines: dict[str, int] = field(default_factory=dict)
    source: str = ""
    """The file that it comes from."""
    reward: float | None = None
    """How well the run went, if the format says so: 1 is right, 0 is wrong."""

    @property
    def calls(self) -> list[ToolCall]:
        """The calls of the live branch, in order of their steps."""
        return [item for item in self.items if isinstance(item, ToolCall)]
