"""Queries from seeds (paper, Algorithm 1): every action mentioned, satisfiable by construction, and certified.

The order of what happens is part of the contract "same seed, same query": topic and actions, durations, the
number of sentences, their shapes, then sentence by sentence what stands in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planscope.language.derive import problem_of_tree
from planscope.language.problem import Action, Problem, make_actions
from planscope.language.render import render
from planscope.language.tree import Query, Sentence
from planscope.oracle.satisfiable import certifier
from planscope.oracle.walk import plan_of
from planscope.synthesis.casting import Casting
from planscope.synthesis.compose import Composer
from planscope.synthesis.day import Day, draw_durations
from planscope.synthesis.draw import Draw
from planscope.synthesis.request import Request, check


@dataclass(frozen=True, slots=True)
class Synthesized:
    """A query in its linked forms. ``tree`` and ``problem`` point into ``text`` with their spans.

    ``valid_orders``: how many orders meet everything (timed: for which start hours exist); None for more than
    20 actions. ``topic`` is "" where names were given without one. Timed: the actions of ``problem`` carry the
    durations that the text does not tell.
    """

    text: str
    tree: Query
    problem: Problem
    topic: str
    seed: int
    valid_orders: int | None
    certified: bool


class Synthesizer:
    """One request, worked out so far as no seed is needed; then a case for every seed."""

    def __init__(self, request: Request) -> None:
        check(request)
        self.request = request
        self.casting = Casting(request)
        self.composer = Composer(request)

    def case(self, seed: int) -> Synthesized:
        """The query of a seed."""
        draw = Draw(seed)
        topic, names = self.casting.draw(draw)
        takes = draw_durations(draw, len(names)) if self.request.timed else None
        sentences, day = self.composer.compose(draw, takes)
        return self._finish(seed, topic, make_actions(names, takes), sentences, day)

    def _finish(
        self,
        seed: int,
        topic: str,
        actions: tuple[Action, ...],
        sentences: list[Sentence],
        day: Day | None,
    ) -> Synthesized:
        """Text, constraints, count of valid orders and Z3's word for it, all from the finished tree."""
        timed = day is not None
        text, tree = render(Query(tuple(sentences)), actions)
        problem = problem_of_tree(tree, actions, timed=timed, text=text)
        certified = certifier().certify(problem, None if day is None else day.plan)
        assert certified, f"seed {seed}: Z3 finds a contradiction in what was drawn as satisfiable"
        orders = plan_of(problem).completions(())
        return Synthesized(text, tree, problem, topic, seed, orders, certified)


def synthesize(request: Request) -> Synthesized:
    """The query that a request and its seed stand for. Raises SynthesisError."""
    return Synthesizer(request).case(request.seed)


def cases(request: Request, count: int) -> Iterator[Synthesized]:
    """``count`` queries: case i is that of the seed ``request.seed + i``."""
    synthesizer = Synthesizer(request)
    return (synthesizer.case(request.seed + i) for i in range(count))
