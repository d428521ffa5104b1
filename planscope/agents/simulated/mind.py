"""What a simulated model does next, decided from what it sees alone. No LangChain, no clock, no hidden state.

The same view and character give the same decision, so a run can be forked, replayed and done in bulk.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from planscope.agents.simulated.clumsiness import Slip, draw_slip
from planscope.agents.simulated.misreading import perceive
from planscope.agents.simulated.planning import Outlook, look_ahead, paper_hours
from planscope.agents.simulated.profiles import Character
from planscope.agents.simulated.situation import Decision, Situation, View, learned
from planscope.agents.simulated.understand import NotUnderstood, seen, understand
from planscope.language.problem import Problem

ALL_DONE = "All tasks have been done."


def decide(view: View, character: Character) -> Decision:
    """The next call, or the final answer."""
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
    """Luck of its own for every seed and every wording, the same however the words reach the model."""
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
