"""TopicChange: the activities of another job, and so other tools; everything else stays (paper 4.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import perm

from planscope.language.lexicon import load_lexicon
from planscope.language.problem import Action, make_actions, slug
from planscope.language.reading import Reading
from planscope.language.render import render
from planscope.language.topics import load_topics
from planscope.language.tree import ActionRef, walk
from planscope.synthesis.action_names import PER_TOPIC, apart
from planscope.synthesis.draw import Draw
from planscope.synthesis.mutation.proposal import Draft, Patch, as_written, patched, shuffled
from planscope.synthesis.mutation.terminal_substitution import number, places


def other_topics(
    reading: Reading, draw: Draw, topic: str | None, topics: Mapping[str, tuple[str, ...]] | None
) -> Iterator[Draft]:
    """All that other jobs have to offer, job after job in turn, each choice of activities once."""
    old = reading.problem.actions
    known = load_topics() if topics is None else topics
    jobs = _others(old, topic, known)
    order = draw.sample(jobs, len(jobs))
    turns = [_Turn(order, first, known, len(old), Draw(_seed(draw))) for first in range(len(order))]
    while turns:
        left = []
        for turn in turns:
            names = turn.names()
            if names is not None:
                left.append(turn)
                yield _draft(reading, turn.topic, names)
        turns = left


def _seed(draw: Draw) -> int:
    return draw.between(0, (1 << 53) - 1)


def _others(old: Sequence[Action], topic: str | None, known: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Jobs that are not the request's own, and have none of its activities and tools."""
    own = {job.strip().casefold() for job in (topic or "").split(",")}
    names, tools = {a.name.casefold() for a in old}, {a.tool for a in old}
    return [
        job
        for job, activities in known.items()
        if job.casefold() not in own
        and not any(name.casefold() in names or slug(name) in tools for name in activities)
    ]


class _Turn:
    """Topics that begin with one job, as many as ``k`` actions take, and the ways to take so many from them."""

    def __init__(
        self, order: Sequence[str], first: int, known: Mapping[str, tuple[str, ...]], k: int, draw: Draw
    ) -> None:
        self.jobs = (*order[first:], *order[:first])
        self.known, self.k, self.draw = known, k, draw
        self.topic = ""
        self.pool: list[str] = []
        self.numbers: Iterator[int] | None = None

    def names(self) -> list[str] | None:
        """Names that were not given yet in this order; None where there are no more."""
        if self.numbers is None:
            self.numbers = self._begin()
        number = next(self.numbers, None)
        return None if number is None else _chosen(self.pool, self.k, number)

    def _begin(self) -> Iterator[int]:
        taken: list[str] = []
        for job in self.jobs:
            self.pool += apart(self.known[job], self.pool)
            taken.append(job)
            if len(self.pool) >= self.k and len(taken) * PER_TOPIC >= self.k:
                self.topic = ", ".join(taken)
                return shuffled(perm(len(self.pool), self.k), self.draw)
        return iter(())


def _chosen(pool: Sequence[str], k: int, number: int) -> list[str]:
    """One of the ways to take ``k`` of the pool in some order, by its number."""
    left, names = list(pool), []
    for size in range(len(pool), len(pool) - k, -1):
        number, digit = divmod(number, size)
        names.append(left.pop(digit))
    return names


def _draft(reading: Reading, job: str, names: Sequence[str]) -> Draft:
    old = reading.problem.actions
    actions = tuple(
        replace(action, name=new.name, tool=new.tool)
        for action, new in zip(old, make_actions(names), strict=True)
    )
    texts = (patched(reading.text, _patches(reading, actions)), render(reading.tree, actions).text)
    return Draft(reading.tree, actions, texts, job)


def _patches(reading: Reading, actions: Sequence[Action]) -> Iterator[Patch]:
    """New names in the places of the old ones, and verbs that fit them: their heads are singular."""
    text, named = reading.text, reading.problem.action_by_id
    new = {action.id: action for action in actions}
    for _, node in walk(reading.tree):
        if isinstance(node, ActionRef):
            before, after = named[node.action], new[node.action]
            written = text[slice(*node.span)].casefold()
            by_tool = written == before.tool.casefold() != before.name.casefold()
            span = node.span
            yield span, after.tool if by_tool else as_written(text, span, before.name, after.name)
    for place in places(reading.tree):
        if number(text, place) == "p" and not place.plural:
            singular, plural = load_lexicon().forms[place.word[:3]]
            yield place.word.span, as_written(text, place.word.span, plural, singular)
