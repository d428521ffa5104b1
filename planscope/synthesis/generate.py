"""Generates queries from seeds (paper, Algorithm 1). Each mentions every action, is satisfiable by construction, and
certified.

The order of random choices is part of the contract "same seed, same query": topic and actions, durations, the number of
sentences, their shapes, then the contents of each sentence.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import factorial
from typing import NamedTuple

from planscope.frozen import frozen
from planscope.language.derive import problem_of_tree
from planscope.language.problem import Action, Problem, make_actions
from planscope.language.render import render
from planscope.language.topics import check_topics, keywords, load_topics
from planscope.language.tree import Query, Sentence
from planscope.oracle.redundancy import redundant
from planscope.oracle.satisfiable import certifier
from planscope.oracle.walk import plan_of
from planscope.synthesis.partial_order import (
    Day,
    PartialOrder,
    TargetOrder,
    draw_durations,
    draw_order,
    nearest,
)
from planscope.synthesis.random_choices import RandomChoices
from planscope.synthesis.request import Request, SynthesisError, check
from planscope.synthesis.sentences import CLOCK_FORMS, DeadEnd, Grower, Shaper, Wording, counted

PER_TOPIC = 20
"""A query with more actions than this takes them from several topics (paper, section 4.2)."""


class ActionNames:
    """Chooses the names of a query's actions."""

    def __init__(self, request: Request) -> None:
        self.topic, self.count = request.topic, request.count
        self.given: tuple[str, ...] | None = None
        if not isinstance(request.actions, int):
            self.given = request.actions
            _check_names(self.given)
            return
        self.topics: Mapping[str, tuple[str, ...]] = (
            load_topics() if request.topics is None else request.topics
        )
        self.jobs = tuple(self.topics)
        if not self.jobs:
            raise SynthesisError("there are no topics to take actions from; name the actions")
        if self.topic is not None and self.topic not in self.topics:
            near = difflib.get_close_matches(self.topic, self.jobs, 3)
            hint = f"; did you mean {', '.join(near)}?" if near else f"; there are {len(self.jobs)} others"
            raise SynthesisError(f"there is no topic {self.topic!r}{hint}")

    def draw(self, draw: RandomChoices) -> tuple[str, Sequence[str]]:
        """Return the topic (several are joined by commas; "" for given names) and the actions' names."""
        if self.given is not None:
            return self.topic or "", self.given
        first = draw.choose(self.jobs) if self.topic is None else self.topic
        names = self.topics[first]
        if self.count <= min(PER_TOPIC, len(names)):
            return first, draw.sample(names, self.count)
        others = draw.sample([job for job in self.jobs if job != first], len(self.jobs) - 1)
        taken, pool = [first], apart(names, [])
        while len(pool) < self.count or len(taken) * PER_TOPIC < self.count:
            if not others:
                raise SynthesisError(
                    f"only {len(pool)} activities of the topics fit into one query; ask for fewer actions"
                )
            taken.append(others.pop())
            pool += apart(self.topics[taken[-1]], pool)
        return ", ".join(taken), draw.sample(pool, self.count)


def apart(names: Sequence[str], pool: Sequence[str]) -> list[str]:
    """Return the names that neither contain one of the pool nor are contained in one, word by word."""
    kept: list[str] = []
    for name in names:
        words = f" {name.casefold()} "
        others = [f" {other.casefold()} " for other in (*pool, *kept)]
        if not any(words in other or other in words for other in others):
            kept.append(name)
    return kept


def _check_names(names: tuple[str, ...]) -> None:
    """Raise SynthesisError for names with which a text could not be read back."""
    problems = [p for p in check_topics({"actions": names}, keywords()) if p.breaks]
    if problems:
        subject = "" if problems[0].phrase is None else f"{problems[0].phrase!r} "
        raise SynthesisError(f"action {subject}{problems[0].message}")


_TRIES = 12
_FITTINGS = 200
_DRAFTS = 12
"""Limit of further drafts drawn for a wanted share of redundant constraints."""

_QUICK = 10
"""For this many timed actions or fewer, valid orders are counted so quickly that it can be done many times."""

Found = tuple[list[Sentence], Day | None]


class Composer:
    """Draws the sentences of queries of one kind."""

    def __init__(self, request: Request) -> None:
        self.request, self.n = request, request.count
        self.shaper = Shaper(request)
        self.wording = Wording(request.modals)

    def compose(self, draw: RandomChoices, takes: Sequence[int] | None) -> Found:
        """Return sentences, and for timed queries (``takes``: durations) the day with the hours that they leave."""
        orders, sentences = self.request.valid_orders, self.request.sentences
        if orders is None:
            found = self._free(draw, takes)
        elif takes is not None and orders[0] > factorial(self.n - 1):
            found = self._by_clock(draw, takes, orders)
        elif sentences is None:
            found = self._targeted(draw, takes, orders)
        else:
            found = self._fitted(draw, takes, orders, sentences)
        if found is None:
            raise SynthesisError(
                "no query mentioned every action; ask for more sentences or fewer clock times"
            )
        return found

    def _free(self, draw: RandomChoices, takes: Sequence[int] | None) -> Found | None:
        """Draw sentences with any number of valid orders. The last tries use no clock times and cannot fail."""
        for attempt in range(_TRIES):
            order = PartialOrder(self.n, _day(takes), self.request.redundant, self.request.repeats)
            with suppress(DeadEnd):
                return self._paragraph(draw, order, clocks=attempt < _TRIES - 2), order.day
        return None

    def _targeted(
        self, draw: RandomChoices, takes: Sequence[int] | None, orders: tuple[int, int], room: int = 0
    ) -> Found | None:
        """Draw an order whose number of valid orders is in a range, then sentences that state it; None if that
        fails."""
        for attempt in range(_TRIES):
            up, down = draw_order(draw, self.n, *orders)
            order = TargetOrder(
                up, down, orders[0], _day(takes), self.request.redundant, self.request.repeats
            )
            with suppress(DeadEnd):
                clocks = attempt < _TRIES - 2
                return self._paragraph(draw, order, clocks, room and order.unsaid() + room), order.day
        return None

    def _by_clock(self, draw: RandomChoices, takes: Sequence[int], orders: tuple[int, int]) -> Found:
        """Draw sentences with more valid orders than comparisons of all actions allow: most actions get clock times
        only."""
        seen: list[int] = []
        for attempt in range(_FITTINGS if self.n <= _QUICK else _TRIES):
            order = PartialOrder(self.n, _day(takes), self.request.redundant, self.request.repeats)
            shares = replace(
                self.request, clock_times=(1.0, 0.9, 0.7)[attempt % 3], forms=dict.fromkeys(CLOCK_FORMS, 1.0)
            )
            with suppress(DeadEnd):
                said = self._paragraph(draw, order, shaper=Shaper(shares))
                seen.append(order.count())
                if orders[0] <= seen[-1] <= orders[1]:
                    return said, order.day
        raise SynthesisError(
            f"no timed query over {self.n} actions has {orders[0]}..{orders[1]} valid orders as far as was "
            f"tried; {nearest(seen, *orders)}"
        )

    def _fitted(
        self, draw: RandomChoices, takes: Sequence[int] | None, orders: tuple[int, int], sentences: int
    ) -> Found | None:
        """Draw a given number of sentences with valid orders in a range: order first, or else sentences by trial."""
        for room in (0, 2 * sentences):
            found = self._targeted(draw, takes, orders, room)
            if found is not None:
                return found
        n, seen = self.n, list[int]()
        for _ in range(_FITTINGS if takes is None or n <= _QUICK else _TRIES):
            redundant = 0.0 if draw.chance(0.5) else self.request.redundant
            order = PartialOrder(n, _day(takes), redundant, self.request.repeats)
            with suppress(DeadEnd):
                said = self._paragraph(draw, order, draw.chance(0.5), draw.between(n, 4 * n))
                seen.append(order.count())
                if orders[0] <= seen[-1] <= orders[1]:
                    return said, order.day
        raise SynthesisError(
            f"no query over {n} actions in {counted(sentences, 'sentence')} has {orders[0]}..{orders[1]} valid "
            f"orders, as far as was searched; {nearest(seen, *orders)}, or ask for more sentences"
        )

    def _paragraph(
        self,
        draw: RandomChoices,
        order: PartialOrder,
        clocks: bool = True,
        room: int = 0,
        shaper: Shaper | None = None,
    ) -> list[Sentence]:
        """Draw sentences that mention every action and state everything that must be stated. Raises DeadEnd."""
        shaper, fixed = shaper or self.shaper, self.request.sentences is not None
        shapes = shaper.paragraph(draw, shaper.how_many(draw), clocks, room)
        grower = Grower(draw, order, self.wording, sum([s.size() for sentence in shapes for s in sentence]))
        said: list[Sentence] = []
        for sentence in shapes:
            if not fixed and not grower.fresh and order.enough():
                break
            said.append(grower.sentence(sentence))
        while not fixed and len(said) < 3 * order.n and order.lacking():
            sentence = shaper.sentence(draw, clocks)
            grower.room = sum([s.size() for s in sentence])
            said.append(grower.sentence(sentence))
        if grower.fresh or order.unsaid():
            raise DeadEnd
        order.settle()
        return said


def _day(takes: Sequence[int] | None) -> Day | None:
    return None if takes is None else Day(takes)


@frozen
class Synthesized:
    """A query as text, tree and problem. The spans of ``tree`` and ``problem`` are in ``text``.

    ``valid_orders``: the number of orders that meet everything (timed: orders for which start hours exist), or None for
    more than 20 actions. ``topic`` is "" if the names were given without one. Timed: the actions of ``problem`` carry
    the durations, which the text does not tell. ``redundant``: ids of the constraints that the others imply, each by
    itself.
    """

    text: str
    tree: Query
    problem: Problem
    topic: str
    seed: int
    valid_orders: int | None
    certified: bool
    redundant: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The share of redundant constraints."""
        return len(self.redundant) / max(len(self.problem.said), 1)

    def misses(self, wanted: float | None) -> bool:
        """Return whether the share differs from the wanted one by more than one constraint."""
        return _missed_by(wanted, self.redundant, self.problem) > 1

    @property
    def title(self) -> str:
        """The default title of its session: ``school: 5 timed actions, seed 7``."""
        kind = "timed actions" if self.problem.timed else "actions"
        return f"{self.topic or 'query'}: {len(self.problem.actions)} {kind}, seed {self.seed}"


class _Draft(NamedTuple):
    text: str
    tree: Query
    problem: Problem
    day: Day | None
    redundant: tuple[str, ...]

    def missed_by(self, wanted: float | None) -> float:
        return _missed_by(wanted, self.redundant, self.problem)


def _missed_by(wanted: float | None, found: Sequence[str], problem: Problem) -> float:
    """Return by how many constraints the share of redundant ones differs from the wanted share."""
    return 0.0 if wanted is None else abs(len(found) - wanted * len(problem.said))


class Synthesizer:
    """Prepares a request once, then generates a query for every seed."""

    def __init__(self, request: Request) -> None:
        check(request)
        self.request = request
        self.names = ActionNames(request)
        self.composer = Composer(request)

    def case(self, seed: int) -> Synthesized:
        """Generate the query of a seed."""
        draw = RandomChoices(seed)
        topic, names = self.names.draw(draw)
        takes = draw_durations(draw, len(names)) if self.request.timed else None
        draft = self._draft(draw, make_actions(names, takes), takes)
        return self._finish(seed, topic, draft)

    def _draft(self, draw: RandomChoices, actions: tuple[Action, ...], takes: Sequence[int] | None) -> _Draft:
        """Draw sentences. If a share of redundant constraints is wanted, draw until it is met, or take the nearest."""
        wanted = self.request.redundant
        best = self._drawn(draw, actions, takes)
        for _ in range(_DRAFTS if wanted is not None else 0):
            if best.missed_by(wanted) <= 0.5:
                break
            best = min(best, self._drawn(draw, actions, takes), key=lambda draft: draft.missed_by(wanted))
        return best

    def _drawn(self, draw: RandomChoices, actions: tuple[Action, ...], takes: Sequence[int] | None) -> _Draft:
        sentences, day = self.composer.compose(draw, takes)
        text, tree = render(Query(tuple(sentences)), actions)
        problem = problem_of_tree(tree, actions, timed=takes is not None, text=text)
        return _Draft(text, tree, problem, day, redundant(problem))

    def _finish(self, seed: int, topic: str, draft: _Draft) -> Synthesized:
        """Count the valid orders, and have Z3 certify the query."""
        text, tree, problem, day, implied = draft
        certified = certifier().certify(problem, None if day is None else day.plan)
        assert certified, (
            f"seed {seed}: Z3 finds a contradiction; this is a bug in planscope, please report it"
        )
        orders = plan_of(problem).completions(())
        return Synthesized(text, tree, problem, topic, seed, orders, certified, implied)


def synthesize(request: Request) -> Synthesized:
    """Return the query of a request and its seed. Raises SynthesisError."""
    return Synthesizer(request).case(request.seed)


def cases(request: Request, count: int) -> Iterator[Synthesized]:
    """Yield ``count`` queries; query i is that of the seed ``request.seed + i``."""
    synthesizer = Synthesizer(request)
    return (synthesizer.case(request.seed + i) for i in range(count))
