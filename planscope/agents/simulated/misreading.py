"""Plants faults of reading: how a blind model misreads a query (the causes of failure in the paper, 4.5).

A misread constraint comes first, and only constraints that agree with it are kept, so that the fault has an effect.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from planscope.agents.simulated.knowledge import Understanding
from planscope.agents.simulated.planning import can_be_met
from planscope.agents.simulated.profiles import Character
from planscope.language.problem import Constraint, Problem
from planscope.language.tree import RELATION_WORD, Clause, Natural, Relative, at

CHAIN = 4
"""The length of a chain of actions that a model blind to chains misreads."""


def perceive(
    read: Understanding, character: Character, luck: random.Random, hours: Mapping[str, int]
) -> Understanding:
    """Return the query as the profile misreads it. Uses ``luck`` in a fixed order; ``hours`` are durations learned
    so far."""
    known = tuple(sorted(hours.items()))
    if character.profile == "forgetful":
        return forget_one(read, random.Random(character.seed))
    if character.profile == "flaky":
        right = luck.random() < character["p"]
        return read if right else _blunder(read, luck.getrandbits(32), known)
    if "fires" not in character.parameters:
        return read
    fires, noise = luck.random() < character["fires"], luck.random() < character["noise"]
    drawn = luck.getrandbits(32)
    if noise:
        return _blunder(read, drawn, known)
    return _blind(read, character.profile, tuple(character.parameters.items()), known) if fires else read


@lru_cache(maxsize=256)
def _blind(
    read: Understanding,
    profile: str,
    given: tuple[tuple[str, float], ...],
    known: tuple[tuple[str, int], ...],
) -> Understanding:
    values = dict(given)
    said = list(read.problem.said)
    match profile:
        case "word-blind":
            wrong = [c for c in said if _part(values["trait"], _word(read, c)) < values["share"]]
            return _kept(
                read, [_opposite(c) for c in wrong], [c for c in said if c not in wrong], dict(known)
            )
        case "topic-blind":
            topic = _topic(tuple(a.name for a in read.problem.actions))
            if _part(values["trait"], topic) >= values["share"]:
                return read
            return _mixed_up(read, random.Random(f"{values['trait']} {topic}"), dict(known))
        case "clause-blind":
            return _with(read, [c for c in said if not _skipped(read, c, bool(values["fronted"]))])
        case "constraint-blind":
            pair = _shape(read.problem, int(values["shape"]))
            if pair is None:
                return read
            before, after = pair
            wrong_way = Constraint("c0", "order", "", before=after, after=before)
            return _kept(read, [wrong_way], said, dict(known))
    return read


@lru_cache(maxsize=256)
def _blunder(read: Understanding, drawn: int, known: tuple[tuple[str, int], ...]) -> Understanding:
    """Reverse one constraint, or forget an action if none can be reversed. The result is never right."""
    luck = random.Random(drawn)
    hours = dict(known)
    said = list(read.problem.said)
    orders = [c for c in said if c.kind == "order" and c.before != c.after]
    clocks = [c for c in said if c.kind != "order"]
    for c in (*luck.sample(orders, len(orders)), *luck.sample(clocks, len(clocks))):
        if can_be_met(read.problem, [_opposite(c)], hours):
            return _kept(read, [_opposite(c)], [other for other in said if other is not c], hours)
    return forget_one(read, luck)


def forget_one(read: Understanding, luck: random.Random) -> Understanding:
    """Return the query without one action and all constraints about it."""
    actions = read.problem.actions
    gone = actions[int(luck.random() * len(actions))].id
    kept = tuple(c for c in read.problem.constraints if gone not in c.actions)
    problem = Problem(tuple(a for a in actions if a.id != gone), kept, read.problem.timed)
    return replace(read, problem=problem, mention=tuple(a for a in read.mention if a != gone))


def _with(read: Understanding, said: Iterable[Constraint]) -> Understanding:
    problem = read.problem
    rules = tuple(c for c in problem.constraints if c.is_rule)
    return replace(read, problem=Problem(problem.actions, (*said, *rules), problem.timed, problem.text))


def _kept(
    read: Understanding, first: Sequence[Constraint], rest: Iterable[Constraint], hours: Mapping[str, int]
) -> Understanding:
    """Keep ``first``, and of ``rest`` in order each constraint that can be met with those kept."""
    if not first:
        return read
    kept: list[Constraint] = []
    for constraint in (*first, *rest):
        if can_be_met(read.problem, [*kept, constraint], hours):
            kept.append(constraint)
    return _with(read, kept)


def _opposite(c: Constraint) -> Constraint:
    if c.kind == "order":
        return replace(c, before=c.after, after=c.before)
    return replace(c, kind="end_at_most" if c.kind == "start_at_least" else "start_at_least")


def _part(trait: float, name: str) -> float:
    """Return a number from 0 to 1, always the same for the same name."""
    return random.Random(f"{int(trait)} {name}").random()


def _word(read: Understanding, c: Constraint) -> str:
    node = at(read.tree, c.node)
    if isinstance(node, Natural):
        return next(cue.words for cue in node.cues if cue.span == c.spans[1])
    assert isinstance(node, Clause | Relative)
    word = node.words[RELATION_WORD[node.form]]
    return f"{word.terminal} {word.entry}"


def _skipped(read: Understanding, c: Constraint, fronted: bool) -> bool:
    node = at(read.tree, c.node)
    if fronted:
        fronted_form = (
            node.form if isinstance(node, Clause) else node.kind if isinstance(node, Natural) else ""
        )
        return fronted_form.startswith("fronted")
    return isinstance(node, Relative)


@lru_cache(maxsize=256)
def _topic(names: tuple[str, ...]) -> str:
    """Return the bundled topic that most of the names belong to, or else the names themselves."""
    from planscope.language.topics import load_topics

    wanted = {n.casefold() for n in names}
    counts = {job: len(wanted & {a.casefold() for a in doings}) for job, doings in load_topics().items()}
    best = max(counts, key=lambda job: counts[job], default="")
    return best if 2 * counts.get(best, 0) >= len(wanted) else "|".join(sorted(wanted))


def _mixed_up(read: Understanding, draw: random.Random, hours: Mapping[str, int]) -> Understanding:
    """Swap two actions, of which one must come before the other."""
    said = list(read.problem.said)
    orders = [c for c in said if c.kind == "order" and c.before != c.after]
    if orders:
        chosen = draw.choice(orders)
        one, other = chosen.before or "", chosen.after or ""
    else:
        chosen = None
        one, other = (
            draw.sample([a.id for a in read.problem.actions], 2) if len(read.mention) > 1 else ("", "")
        )
    swapped = {one: other, other: one}

    def swap(c: Constraint) -> Constraint:
        return replace(
            c,
            before=swapped.get(c.before or "", c.before),
            after=swapped.get(c.after or "", c.after),
            action=swapped.get(c.action or "", c.action),
        )

    first = [swap(chosen)] if chosen else [swap(c) for c in said]
    return _kept(read, first, [swap(c) for c in said if c is not chosen] if chosen else [], hours)


def _shape(problem: Problem, shape: int) -> tuple[str, str] | None:
    """Return two actions, the first before the second, in a set of constraints of that shape, or None.

    Searches all implied orders, so that the result does not depend on the wording.
    """
    ids = [a.id for a in problem.actions]
    later = {a: {c.after or "" for c in problem.said if c.kind == "order" and c.before == a} for a in ids}
    for middle in ids:  # transitive closure (Warshall)
        for a in ids:
            if middle in later[a]:
                later[a] |= later[middle]
    earlier = {b: {a for a in ids if b in later[a]} for b in ids}

    def unrelated(group: set[str]) -> list[str]:
        return [a for a in ids if a in group and any(_apart(a, b, later) for b in group)]

    for a in ids:
        if shape == 1 and (waited := unrelated(earlier[a])):
            return waited[0], a
        if shape == 2 and (waiting := unrelated(later[a])):
            return a, waiting[0]
    if shape != 3:
        return None
    length = dict.fromkeys(ids, 1)
    for a in sorted(ids, key=lambda a: len(later[a])):
        length[a] = 1 + max((length[b] for b in later[a]), default=0) if a not in later[a] else 1
    long = [a for a in ids if length[a] >= CHAIN]
    return (long[0], max(later[long[0]], key=lambda b: (-length[b], b))) if long else None


def _apart(a: str, b: str, later: Mapping[str, set[str]]) -> bool:
    return a != b and b not in later[a] and a not in later[b]
