"""The mutants of one request as variants of its session: the paper's four kinds, and fresh requests beside them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from math import factorial
from typing import cast

from planscope.dissection.arms import SAME
from planscope.dissection.results import Results
from planscope.dissection.rewording import choose, suspicion, words_of
from planscope.errors import UserError
from planscope.language.problem import Problem
from planscope.language.reading import Reading
from planscope.language.tree_json import dump
from planscope.oracle.replay import replay
from planscope.oracle.trace import Trace
from planscope.session.derive import reading_of
from planscope.session.edit import make_variant
from planscope.session.model import CellKind, Origin, Variant
from planscope.synthesis.generate import Synthesized, Synthesizer
from planscope.synthesis.mutants import CannotMutate, Kind, Mutant, mutants, reworded
from planscope.synthesis.mutation.substitute import places
from planscope.synthesis.request import Request, SynthesisError

_DRAWS = 24
"""Fresh requests that one is chosen from."""

_NEAREST = 8
"""Of these, so many that are nearest in size; the one whose order is least like that of the request is taken."""

_APART = 4
"""Every other fresh request has as many times as many valid orders, or as few, if it can be had."""

_COUNTED = 12
"""Up to so many actions."""

_ATTEMPTS = 20
"""Choices of words until one is new."""


class NoVariant(UserError):
    """Why there is no (further) mutant of a kind; one line."""


class Mutants:
    """Makes the mutants of a variant, the same for the same kind, number and seed.

    Raises ``ParseFailure`` where the variant cannot be read.
    """

    def __init__(self, variant: Variant, seed: int) -> None:
        self.variant, self.seed = variant, seed
        self.reading: Reading = reading_of(variant)
        self._made: dict[CellKind, list[Mutant]] = {}
        self._more: dict[CellKind, Iterator[Mutant]] = {}

    def make(self, kind: CellKind, number: int, results: Results) -> Variant:
        """The mutant as a variant below the request; the request itself for a repeat. Raises :class:`NoVariant`."""
        if kind in SAME:
            return self.variant
        if kind == "Control":
            made = self._fresh(number)
            origin = Origin(kind="synthesized", mutation=kind, number=number)
            return self._variant(results.fresh_id("v"), origin, made.problem, made.topic, dump(made.tree))
        reword = kind == "TerminalSubstitute"
        mutant = self._reworded(number, results) if reword else self._mutant(kind, number)
        origin = Origin(kind="mutated", mutation=kind, number=number)
        return self._variant(results.fresh_id("v"), origin, mutant.problem, mutant.topic, dump(mutant.tree))

    def _reworded(self, number: int, results: Results) -> Mutant:
        """In words that were not tried together, chosen by what was run before."""
        there = results.texts()
        bad = suspicion([(words_of(reading_of(v).tree), counts) for v, counts in results.counts()])
        draw = random.Random(f"{self.seed} {number} {self.reading.text}")
        found = places(self.reading.tree, fresh=False)
        if not any(place.options for place in found):
            raise NoVariant("no other words can stand in their places")
        for attempt in range(_ATTEMPTS):
            words = choose(found, bad, draw, 0.1 + 0.1 * attempt)
            with suppress(CannotMutate):
                mutant = reworded(self.reading, words, number, topic=self.variant.query.topic)
                if mutant.problem.text not in there:
                    return mutant
        raise NoVariant("there are no more choices of other words in their places")

    def _mutant(self, kind: CellKind, number: int) -> Mutant:
        """Made in the order of their numbers, each once."""
        if kind not in self._made:
            topic = self.variant.query.topic
            self._made[kind] = []
            self._more[kind] = mutants(self.reading, cast(Kind, kind), seed=self.seed, topic=topic)
        made, more = self._made[kind], self._more[kind]
        try:
            while len(made) < number:
                made.append(next(more))
        except (CannotMutate, StopIteration) as error:
            raise NoVariant(str(error) or f"there is no {kind} {number}") from None
        return made[number - 1]

    def _variant(
        self, identity: str, origin: Origin, problem: Problem, topic: str | None, tree: dict[str, object]
    ) -> Variant:
        return make_variant(
            problem,
            origin,
            id=identity,
            parent=self.variant.id,
            topic=topic or None,
            seed=self.seed,
            tree=tree,
            limits=self.variant.limits,
        )

    def _fresh(self, number: int) -> Synthesized:
        """A request about the same actions with other constraints, as many as they are if it can be had.

        Only what it asks for differs from ``QuerySynthesize``, which asks for the same in other sentences.
        """
        problem = self.reading.problem
        request = Request(
            actions=tuple(a.name for a in problem.actions),
            seed=_first_seed(self.seed, number),
            sentences=len(self.reading.tree.sentences),
            timed=problem.timed,
            topic=self.variant.query.topic,
        )
        made: list[Synthesized] = []
        if number % 2 == 0 and (orders := self._other_orders()) is not None:
            with suppress(SynthesisError):
                made = drawn(replace(request, valid_orders=orders))
        try:
            made = made or drawn(request)
        except SynthesisError as error:
            raise NoVariant(f"no fresh request can be made: {error}") from None
        meaning, size = Shape(problem), len(problem.said)
        others = [(m, Shape(m.problem)) for m in made]
        others = [(m, shape) for m, shape in others if shape.closure != meaning.closure]
        if not others:
            raise NoVariant("no fresh request can be made: every one asks for the same as this one")
        near = sorted(others, key=lambda one: abs(len(one[0].problem.said) - size))[:_NEAREST]
        return max(near, key=lambda one: one[1].distance(meaning))[0]

    def _other_orders(self) -> tuple[int, int] | None:
        """A range of valid orders well apart from the request's own; None where they cannot be counted."""
        problem = self.reading.problem
        own = replay(problem, Trace((), "running")).valid_completions(0)
        if own is None or len(problem.actions) > _COUNTED:
            return None
        most = factorial(len(problem.actions))
        if own * _APART <= most // 2:
            return max(own * 2, most // 10), most // 2
        return 1, max(1, own // _APART)


def _first_seed(seed: int, number: int) -> int:
    return (seed * 1_000_003 + number * _DRAWS) % (2**62)


def drawn(request: Request) -> list[Synthesized]:
    """Some requests, one a seed; a seed without one is left out, unless none has any (SynthesisError)."""
    found: list[Synthesized] = []
    trouble: SynthesisError | None = None
    synthesizer = Synthesizer(request)
    for seed in range(request.seed, request.seed + _DRAWS):
        try:
            found.append(synthesizer.case(seed))
        except SynthesisError as error:
            trouble = error
    if trouble is not None and not found:
        raise trouble
    return found


class Shape:
    """What follows from the order constraints, and how it looks whatever the actions are called."""

    def __init__(self, problem: Problem) -> None:
        ids = [a.id for a in problem.actions]
        later = {a: {c.after or "" for c in problem.said if c.kind == "order" and c.before == a} for a in ids}
        for middle in ids:
            for a in ids:
                if middle in later[a]:
                    later[a] |= later[middle]
        clocks = {(c.action or "", f"{c.kind} {c.hour}") for c in problem.said if c.kind != "order"}
        self.closure = frozenset({(a, b) for a in ids for b in later[a]} | clocks)
        """All that follows of the order, and the clock times as they are said."""
        self.after = sorted(len(later[a]) for a in ids)
        self.before = sorted(sum(a in later[b] for b in ids) for a in ids)

    def distance(self, other: Shape) -> int:
        """How unlike two orders of as many actions are: 0 for those that differ in names alone."""
        pairs = (*zip(self.after, other.after, strict=True), *zip(self.before, other.before, strict=True))
        return sum(abs(a - b) for a, b in pairs)
