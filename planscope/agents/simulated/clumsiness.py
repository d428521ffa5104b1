"""The one call of a clumsy model that goes wrong, which it does not notice."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from planscope.agents.simulated.situation import Decision
from planscope.language.problem import Problem
from planscope.oracle.arguments import START

NO_TOOL, WRONG_ARGUMENTS, UNREADABLE = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Slip:
    """``tool`` is the one meant, ``called`` the one that is called; ``action`` is believed done afterwards."""

    kind: int
    tool: str
    called: str
    action: str

    @property
    def believed(self) -> Mapping[str, str]:
        return {self.called: self.action}

    def applied_to(self, decision: Decision) -> Decision:
        """The decision, clumsily carried out."""
        if decision.tool != self.tool:
            return decision
        if self.kind == NO_TOOL:
            return replace(decision, tool=self.called)
        if self.kind == WRONG_ARGUMENTS:
            hour = (decision.arguments or {}).get(START)
            return replace(decision, arguments={START: str(hour)})
        hour = (decision.arguments or {}).get(START, "")
        return replace(decision, arguments=None, raw=f'{{"{START}": {hour}' if hour != "" else '{"')


def draw_slip(problem: Problem, kind: int, luck: random.Random, tools: Sequence[str]) -> Slip:
    """Which call goes wrong, and how; a tool without arguments cannot get wrong ones."""
    kinds = [NO_TOOL, WRONG_ARGUMENTS, UNREADABLE] if problem.timed else [NO_TOOL, UNREADABLE]
    drawn = luck.choice(kinds)
    action = luck.choice(problem.actions)
    kind = kind if kind in kinds else drawn
    return Slip(
        kind, action.tool, _misspelt(action.tool, tools) if kind == NO_TOOL else action.tool, action.id
    )


def _misspelt(tool: str, tools: Sequence[str]) -> str:
    """Like the tool, but none of them."""
    name, number = f"do_{tool}"[:60], 1
    while name in tools:
        number += 1
        name = f"do_{tool}"[:60] + str(number)
    return name
