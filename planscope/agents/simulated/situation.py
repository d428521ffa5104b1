"""Where the current attempt of a simulated model stands, as far as it knows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planscope.agents.simulated.planning import Done
from planscope.agents.simulated.understand import Understanding
from planscope.agents.toolset import REFUSED, ToolSpec
from planscope.language.problem import Problem
from planscope.oracle.arguments import START, read_start

_TAKES = re.compile(r"takes (\d{1,4}) hours?\b")
_PATIENCE = 4
"""So many refusals for each action, and a model gives up."""

Wish = tuple[str, int | None]
"""An action with its hour (timed)."""


@dataclass(frozen=True, slots=True)
class Did:
    """A call made so far and its answer; ``executed`` is False for an answer that reports an error."""

    tool: str
    arguments: Mapping[str, Any]
    answer: str
    executed: bool

    @property
    def refused(self) -> bool:
        """It was kept from the tool; an error of the tool's own is something else."""
        return not self.executed and self.answer.startswith(REFUSED.strip())


@dataclass(frozen=True, slots=True)
class View:
    """All that a simulated model sees: prompt, tools, and what it did so far."""

    prompt: str
    tools: tuple[ToolSpec, ...]
    did: tuple[Did, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """A short thought and a call; without a tool, ``thought`` is the final answer.

    ``raw`` stands for arguments that nobody can read; ``wait`` is how many seconds the answer takes.
    """

    thought: str
    tool: str | None = None
    arguments: Mapping[str, Any] | None = None
    raw: str | None = None
    wait: float = 0.0


def learned(problem: Problem, did: Sequence[Did]) -> dict[str, int]:
    """Hours of the actions whose tools have told them."""
    return dict(_told(problem, did))


def _told(problem: Problem, did: Sequence[Did]) -> Iterator[tuple[str, int]]:
    for one in did:
        action = problem.action_by_tool.get(one.tool)
        match = _TAKES.search(one.answer) if one.executed else None
        if action is not None and match is not None:
            yield action.id, max(1, int(match.group(1)))


class Situation:
    """``believed``: tools whose calls count as done although they failed, with the actions meant."""

    def __init__(self, read: Understanding, did: Sequence[Did], believed: Mapping[str, str]) -> None:
        self.read, self.did, self.believed = read, did, believed
        self.hours = learned(read.problem, did)
        restarts = [i for i, d in enumerate(did) if d.tool == read.restart and d.executed]
        self.attempt = did[restarts[-1] + 1 :] if restarts else did
        self.restarts = len(restarts)
        self.corrected = any(d.refused for d in did)
        """Somebody knows better, so its own view is no reason to restart."""
        self.done = [d for d in map(self._execution, self.attempt) if d]
        self.clock = max((d.end for d in self.done), default=0)
        ran = {d.action for d in self.done}
        self.left = [a.id for a in read.problem.actions if a.id not in ran]
        known = read.problem.action_by_id
        self.left_by_mention = [a for a in read.mention if a not in ran and a in known]

    def _execution(self, one: Did) -> Done | None:
        problem = self.read.problem
        known = problem.action_by_tool.get(one.tool)
        action = known.id if known else None
        if not one.executed:
            action = None if one.refused else self.believed.get(one.tool)
        if action is None:
            return None
        if not problem.timed:
            return Done(action)
        start = one.arguments.get(START) if one.tool in self.believed else read_start(one.arguments)
        if isinstance(start, str) and start.isdecimal() and one.tool in self.believed:
            start = int(start)
        if isinstance(start, bool) or not isinstance(start, int | float):
            return None
        return Done(action, int(start), int(start) + self.hours.get(action, 1))

    def stuck(self) -> str | None:
        """What was refused twice in a row, or, after far too many restarts, "this"."""
        if self.restarts > 2 * len(self.read.problem.actions):
            return "this"
        last = self.did[-2:]
        if len(last) == 2 and last[0].tool == last[1].tool and not any(d.executed or d.refused for d in last):
            action = self.read.problem.action_by_tool.get(last[0].tool)
            return action.name if action else last[0].tool
        return None

    def _just_refused(self) -> list[Wish]:
        """What was kept from the tools since the last call that was done."""
        found: list[Wish] = []
        for one in self.attempt:
            action = self.read.problem.action_by_tool.get(one.tool)
            if one.executed:
                found = []
            elif one.refused and action is not None:
                start = read_start(one.arguments) if self.read.problem.timed else None
                found.append((action.id, start if isinstance(start, int) else None))
        return found

    def instead(self, wish: Wish) -> Wish | None:
        """The wish, or, where that was just refused, another: by mention, and then by the hour. None: it gives up."""
        refused = self._just_refused()
        if wish not in refused:
            return wish
        if len(refused) > _PATIENCE * len(self.read.problem.actions):
            return None
        tried = {action for action, _ in refused}
        other = next((a for a in self.left_by_mention if a not in tried), None)
        if other is not None:
            return other, self.clock if self.read.problem.timed else None
        if not self.read.problem.timed:
            return None
        last = {
            action: max(h or 0 for a, h in refused if a == action) for action in tried if action in self.left
        }
        later = [(hour + 1, action) for action, hour in last.items() if hour < 23]
        return min(later)[::-1] if later else None

    def do(self, wish: Wish, why: str, before: str = "") -> Decision:
        """The call that fulfils a wish, or one that was not refused."""
        chosen = self.instead(wish)
        if chosen is None:
            name = self.read.problem.action_by_id[wish[0]].name
            return Decision(f"I stop here, because {name} is refused, whatever I try.")
        if chosen != wish:
            why, before = "what I wanted was refused", ""
        action, hour = chosen
        one = self.read.problem.action_by_id[action]
        timed = self.read.problem.timed
        at = f" at {hour}:00" if timed else ""
        thought = f"{before}Next I do {one.name}{at}, because {why}."
        return Decision(thought, one.tool, {START: hour} if timed else {})
