"""One tool of a target, as it is reported and as models are told of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from planscope.toolfuzz.prompts import describe


@dataclass
class ToolReport:
    """One tool. ``skipped``: why it was not fuzzed. ``looping``: seconds of processor time in the children's loops of
    calls. ``succeeded``: calls that answered, and not with an error; ``played``, ``answered``: calls of sequences, and
    those of them that succeeded; ``branches``: of the tool's code, None if the code is not seen. ``source``: the tool's
    code, empty if it is not known; ``place``: its ``file`` and ``line``.
    ``wrapped``: it is an object that is invoked, no function; ``variable``: what its code calls it. ``examples``:
    arguments of calls that were recorded.
    """

    name: str
    description: str = ""
    schema: dict[str, object] = field(default_factory=dict)
    skipped: str | None = None
    calls: int = 0
    refused: int = 0
    succeeded: int = 0
    played: int = 0
    answered: int = 0
    branches: int | None = None
    curve: list[list[int]] = field(default_factory=list)
    stopped: str = ""
    looping: float = 0.0
    source: str = ""
    place: dict[str, object] | None = None
    wrapped: bool = False
    variable: str = ""
    examples: list[dict[str, object]] = field(default_factory=list)

    @property
    def entered(self) -> bool:
        """Whether at least one call answered, and not with an error."""
        return self.succeeded + self.answered > 0

    def told(self, *, source: bool = False) -> str:
        """Describe the tool to a model: what an agent is told, and its code if that is asked for."""
        text = describe(self.name, self.description, self.schema)
        if self.examples:
            text += f"\nCalls that were recorded: {json.dumps(self.examples, ensure_ascii=False)}"
        return f"{text}\nSource code:\n{self.source}" if source and self.source else text
