"""What a simulated model does next, decided from what it sees alone. No LangChain, no clock, no hidden state.

The same view and character give the same decision, so a run can be forked, replayed and done in bulk.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planscope.agents.simulated.planning import Done, Outlook, look_ahead, paper_hours
from planscope.agents.simulated.profiles import Character
from planscope.agents.simulated.understand import NotUnderstood, Understanding, seen, understand
from planscope.agents.toolset import ToolSpec
from planscope.language.problem import Action, Problem
from planscope.oracle.arguments import START, read_start

ALL_DONE = "All tasks have been done."

_TAKES = re.compile(r"takes (\d{1,4}) hours?\b")


@dataclass(frozen=True, slots=True)
class Did:
    """A call made so far and its answer; ``executed`` is False for an answer that reports an error."""

    tool: str
    arguments: Mapping[str, Any]
    answer: str
    executed: bool


@dataclass(frozen=True, slots=True)
class View:
    """All that a simulated model sees: prompt, tools, and what it did so far."""

    prompt: str
    tools: tuple[ToolSpec, ...]
    did: tuple[Did, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """A short thought and a call; without a tool, ``thought`` is the final answer."""

    thought: str
    tool: str | None = None
    arguments: Mapping[str, Any] | None = None


def decide(view: View, character: Character) -> Decision:
    """The next call, or the final answer."""
    read = understand(view.prompt, seen(view.tools))
    if isinstance(read, NotUnderstood):
        return Decision(f"I cannot read the requirement: {read.reason}")
    if not read.problem.actions:
        return Decision("There is nothing to do.")
    if character.profile == "forgetful":
        read = _forget_one(read, character.seed)
    situation = _Situation(read, view.did)
    stuck = situation.stuck()
    if stuck is not None:
        return Decision(f"I stop here, because {stuck} cannot be done.")
    blind = character.profile == "literal" or (character.profile == "time-blind" and read.problem.timed)
    if not blind:
        return _careful(situation)
    if not situation.left:
        return Decision(ALL_DONE)
    if character.profile == "literal":
        return situation.do(situation.left_by_mention[0], situation.clock, "it is mentioned next")
    action = situation.left_by_mention[0]
    hour = paper_hours(read.problem, read.mention, int(character["day"]))[action]
    return situation.do(action, hour, "that hour agrees with what the text says of it")


class _Situation:
    """Where the current attempt stands, as far as the model knows."""

    def __init__(self, read: Understanding, did: Sequence[Did]) -> None:
        self.read, self.did = read, did
        self.hours = dict(_learned(read.problem, did))
        restarts = [i for i, d in enumerate(did) if d.tool == read.restart and d.executed]
        attempt = did[restarts[-1] + 1 :] if restarts else did
        self.restarts = len(restarts)
        self.done = [d for d in (_execution(read.problem, one, self.hours) for one in attempt) if d]
        self.clock = max((d.end for d in self.done), default=0)
        ran = {d.action for d in self.done}
        self.left = [a.id for a in read.problem.actions if a.id not in ran]
        known = read.problem.action_by_id
        self.left_by_mention = [a for a in read.mention if a not in ran and a in known]

    def stuck(self) -> str | None:
        """What was refused twice in a row, or, after far too many restarts, "this"."""
        if self.restarts > 2 * len(self.read.problem.actions):
            return "this"
        last = self.did[-2:]
        if len(last) == 2 and not any(d.executed for d in last) and last[0].tool == last[1].tool:
            action = self.read.problem.action_by_tool.get(last[0].tool)
            return action.name if action else last[0].tool
        return None

    def do(self, action: str, hour: int | None, why: str, before: str = "") -> Decision:
        one = self.read.problem.action_by_id[action]
        timed = self.read.problem.timed
        at = f" at {hour}:00" if timed else ""
        thought = f"{before}Next I do {one.name}{at}, because {why}."
        return Decision(thought, one.tool, {START: hour} if timed else {})


def _careful(situation: _Situation) -> Decision:
    read = situation.read
    outlook = look_ahead(read.problem, situation.done, situation.hours)
    if outlook.state == "lost" and read.restart is not None:
        thought = "The requirement can no longer be met from here, so I ask for a restart."
        return Decision(thought, read.restart, {})
    regret = "" if outlook.state == "fine" else _regret(situation, outlook)
    if outlook.next is None:
        return Decision(f"{ALL_DONE[:-1]}, but {regret}." if regret else ALL_DONE)
    action, hour = outlook.next
    why = _reason(read.problem, action, situation.left)
    return situation.do(action, hour, why, f"I do what I can, but {regret}. " if regret else "")


def _regret(situation: _Situation, outlook: Outlook) -> str:
    if outlook.state == "lost":
        return "the requirement can no longer be met"
    from_the_first = look_ahead(situation.read.problem, (), {}).state == "hopeless"
    return f"the requirement {'contradicts itself' if from_the_first else 'cannot be met in time'}"


def _reason(problem: Problem, action: str, left: Sequence[str]) -> str:
    """Why this action is next, from the first constraint that speaks for it."""
    names = {a.id: a.name for a in problem.actions}
    for c in problem.said:
        if c.kind == "order" and c.before == action and c.after in left:
            return f"it comes before {names[c.after or '']}"
        if c.kind == "order" and c.after == action and c.before not in left:
            return f"{names[c.before or '']} comes before it and is done"
        if c.action == action:
            word = "before" if c.kind == "end_at_most" else "after"
            return f"it has to be {word} {c.hour}:00"
    return "nothing has to come before it"


def _forget_one(read: Understanding, seed: int) -> Understanding:
    """The same, with one action gone from mind, and with it all that is said of it."""
    actions = read.problem.actions
    gone = actions[int(random.Random(seed).random() * len(actions))].id
    kept = tuple(c for c in read.problem.constraints if gone not in c.actions)
    problem = Problem(tuple(a for a in actions if a.id != gone), kept, read.problem.timed)
    return replace(read, problem=problem, mention=tuple(a for a in read.mention if a != gone))


def _learned(problem: Problem, did: Sequence[Did]) -> Iterator[tuple[str, int]]:
    for one in did:
        action = problem.action_by_tool.get(one.tool)
        match = _TAKES.search(one.answer) if one.executed else None
        if action is not None and match is not None:
            yield action.id, max(1, int(match.group(1)))


def _execution(problem: Problem, one: Did, hours: Mapping[str, int]) -> Done | None:
    action: Action | None = problem.action_by_tool.get(one.tool)
    if action is None or not one.executed:
        return None
    if not problem.timed:
        return Done(action.id)
    start = read_start(one.arguments)
    if isinstance(start, str):
        return None
    return Done(action.id, start, start + hours.get(action.id, 1))
