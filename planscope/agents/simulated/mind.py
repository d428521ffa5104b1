"""Decides the next call of a simulated model, including wrong calls on purpose and the ReAct format."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from planscope.agents.react_format import Decision, Turn, read_prompt, write_answer
from planscope.agents.simulated.knowledge import (
    NotUnderstood,
    Situation,
    View,
    answered_call,
    learned,
    seen,
    understand,
)
from planscope.agents.simulated.misreading import perceive
from planscope.agents.simulated.planning import Outlook, look_ahead, paper_hours
from planscope.agents.simulated.profiles import Character
from planscope.agents.toolset import REFUSED
from planscope.frozen import frozen
from planscope.language.problem import Problem
from planscope.oracle.arguments import START
from planscope.oracle.trace import ToolCall

ALL_DONE = "All tasks have been done."


def decide(view: View, character: Character) -> Decision:
    """Return the next call, or the final answer."""
    decision = _decide(view, character)
    return replace(decision, wait=float(character["seconds"])) if character.profile == "slow" else decision


def _decide(view: View, character: Character) -> Decision:
    read = understand(view.prompt, seen(view.tools))
    if isinstance(read, NotUnderstood):
        return Decision(f"I cannot read the requirement: {read.reason}")
    if not read.problem.actions:
        return Decision("There is nothing to do.")
    luck = _luck(view, character)
    slip: Slip | None = None
    if character.profile == "clumsy":
        slip = draw_slip(read.problem, int(character["kind"]), luck, [t.name for t in view.tools])
    read = perceive(read, character, luck, learned(read.problem, view.did))
    situation = Situation(read, view.did, slip.believed if slip else {})
    stuck = situation.stuck()
    if stuck is not None:
        return Decision(f"I stop here, because {stuck} cannot be done.")
    blind = character.profile == "literal" or (character.profile == "time-blind" and read.problem.timed)
    if not blind:
        decision = _careful(situation)
        return slip.applied_to(decision) if slip else decision
    if not situation.left:
        return Decision(ALL_DONE)
    action = situation.left_by_mention[0]
    if character.profile == "literal":
        return situation.do((action, situation.clock if read.problem.timed else None), "it is mentioned next")
    hour = paper_hours(read.problem, read.mention, int(character["day"]))[action]
    return situation.do((action, hour), "that hour agrees with what the text says of it")


def _luck(view: View, character: Character) -> random.Random:
    """Return a random generator for a seed and a wording. Blanks and line breaks do not matter."""
    words = " ".join(view.prompt.split())
    return random.Random(f"{character.profile} {character.seed} {words}")


def _careful(situation: Situation) -> Decision:
    read = situation.read
    outlook = look_ahead(read.problem, situation.done, situation.hours)
    if outlook.state == "lost" and read.restart is not None and not situation.corrected:
        thought = "The requirement can no longer be met from here, so I ask for a restart."
        return Decision(thought, read.restart, {})
    regret = "" if outlook.state == "fine" else _regret(situation, outlook)
    if outlook.next is None:
        return Decision(f"{ALL_DONE[:-1]}, but {regret}." if regret else ALL_DONE)
    why = _reason(read.problem, outlook.next[0], situation.left)
    return situation.do(outlook.next, why, f"I do what I can, but {regret}. " if regret else "")


def _regret(situation: Situation, outlook: Outlook) -> str:
    if outlook.state == "lost":
        return "the requirement can no longer be met"
    from_the_first = look_ahead(situation.read.problem, (), {}).state == "hopeless"
    return f"the requirement {'contradicts itself' if from_the_first else 'cannot be met in time'}"


def _reason(problem: Problem, action: str, left: Sequence[str]) -> str:
    """Say why this action is next, by the first constraint that supports it."""
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


NO_TOOL, WRONG_ARGUMENTS, UNREADABLE = 1, 2, 3


@frozen
class Slip:
    """One call that goes wrong. ``tool`` is meant, ``called`` is called, and ``action`` then counts as done."""

    kind: int
    tool: str
    called: str
    action: str

    @property
    def believed(self) -> Mapping[str, str]:
        return {self.called: self.action}

    def applied_to(self, decision: Decision) -> Decision:
        """Return the decision with the slip in it."""
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
    """Choose the call that goes wrong, and how. A tool without arguments cannot get wrong ones."""
    kinds = [NO_TOOL, WRONG_ARGUMENTS, UNREADABLE] if problem.timed else [NO_TOOL, UNREADABLE]
    drawn = luck.choice(kinds)
    action = luck.choice(problem.actions)
    kind = kind if kind in kinds else drawn
    return Slip(
        kind, action.tool, _misspelt(action.tool, tools) if kind == NO_TOOL else action.tool, action.id
    )


def _misspelt(tool: str, tools: Sequence[str]) -> str:
    """Return a name like that of the tool, which no tool has."""
    name, number = f"do_{tool}"[:60], 1
    while name in tools:
        number += 1
        name = f"do_{tool}"[:60] + str(number)
    return name


_FAILED = ("Error:", REFUSED.strip())


def react_decision(prompt: str, character: Character) -> tuple[str, float] | None:
    """Return the answer to a ReAct prompt and the seconds it takes, or None for any other prompt."""
    view = react_view(prompt)
    if view is None:
        return None
    decision = decide(view, character)
    return react_text(decision), decision.wait


def react_text(decision: Decision) -> str:
    """Write a decision in the ReAct format."""
    given = json.dumps(decision.arguments or {}) if decision.raw is None else decision.raw
    return write_answer(decision.thought, decision.tool, given)


def react_view(prompt: str) -> View | None:
    """Return the view that a ReAct prompt gives, or None for any other prompt."""
    found = read_prompt(prompt)
    if found is None:
        return None
    tools, question, turns = found
    return View(question, tools, tuple(_did(t) for t in turns if t.observation is not None))


def _did(turn: Turn) -> ToolCall:
    try:
        arguments: object = json.loads(turn.given)
    except (ValueError, RecursionError):
        arguments = {}
    said = turn.observation or ""
    return answered_call(
        turn.tool or "", arguments if isinstance(arguments, dict) else {}, said, not said.startswith(_FAILED)
    )
