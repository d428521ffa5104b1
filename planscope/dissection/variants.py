"""The mutants of one request as variants of its session: the paper's four kinds, and fresh requests beside them.

``TopicChange`` keeps every word. The other kinds have new words anyway, and which ones is chosen by what was run
before (see ``rewording``), so their texts are not those of ``planscope mutate`` with the same number.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from typing import cast

from planscope.dissection.arms import SAME
from planscope.dissection.fresh import fresh_request
from planscope.dissection.results import Results
from planscope.dissection.rewording import choose, suspicion, words_of
from planscope.errors import UserError
from planscope.language.reading import Reading, read_query
from planscope.language.tree_json import dump
from planscope.session.model import CellKind, Origin, Variant, make_variant
from planscope.session.oracle_input import reading_of
from planscope.synthesis.mutants import CannotMutate, Kind, Mutant, mutants, reworded
from planscope.synthesis.request import SynthesisError
from planscope.synthesis.substitution import places

MOST = 1000
"""Mutants of a kind: the last one's number."""

_ATTEMPTS = 20
"""Choices of words until one is new."""


class NoVariant(UserError):
    """Why there is no (further) mutant of a kind; one line."""


class Mutants:
    """Makes the mutants of a variant, the same for the same kind, number, seed and runs before.

    Raises ``ParseFailure`` where the variant cannot be read.
    """

    def __init__(self, variant: Variant, seed: int) -> None:
        self.variant, self.seed = variant, seed
        self.topic = variant.query.topic
        self.reading: Reading = reading_of(variant)
        self._words: dict[str, frozenset[str]] = {}
        self._made: dict[CellKind, list[Mutant]] = {}
        self._more: dict[CellKind, Iterator[Mutant]] = {}

    def make(self, kind: CellKind, number: int, results: Results) -> Variant:
        """The mutant as a variant below the request; the request itself for a repeat. Raises :class:`NoVariant`."""
        if kind in SAME:
            return self.variant
        if number > MOST:
            raise NoVariant(f"mutants are numbered up to {MOST}, and number {number} is asked for")
        topic = self.topic
        if kind == "Control":
            reading = self._fresh(number)
            made = self._in_words(reading, number, results) or reading
        elif kind == "TerminalSubstitute":
            found = self._in_words(self.reading, number, results)
            if found is None:
                raise NoVariant("there are no (more) other words that can stand in their places")
            made = found
        else:
            mutant = self._mutant(kind, number)
            made, topic = Reading(mutant.problem.text, mutant.tree, mutant.problem), mutant.topic
            if kind == "QuerySynthesize":
                made = self._in_words(made, number, results) or made
        return make_variant(
            made.problem,
            Origin(kind="synthesized" if kind == "Control" else "mutated", mutation=kind, number=number),
            id=results.fresh_id("v"),
            parent=self.variant.id,
            topic=topic or None,
            seed=self.seed,
            tree=dump(made.tree),
            limits=self.variant.limits,
        )

    def _in_words(self, reading: Reading, number: int, results: Results) -> Reading | None:
        """The same in words that were not tried together, chosen by what was run before; None where there are none."""
        there = results.texts()
        bad = suspicion([(self._words_of(v), counts) for v, counts in results.counts()])
        draw = random.Random(f"{self.seed} {number} {reading.text}")
        found = places(reading.tree, fresh=False)
        if not any(place.options for place in found):
            return None
        for attempt in range(_ATTEMPTS):
            words = choose(found, bad, draw, 0.1 + 0.1 * attempt)
            with suppress(CannotMutate):
                mutant = reworded(reading, words, number, topic=self.topic)
                if mutant.problem.text not in there:
                    return Reading(mutant.problem.text, mutant.tree, mutant.problem)
        return None

    def _words_of(self, variant: Variant) -> frozenset[str]:
        """The words of a variant of this dissection, read once."""
        text = variant.query.text
        if text not in self._words:
            self._words[text] = words_of(reading_of(variant).tree)
        return self._words[text]

    def _mutant(self, kind: CellKind, number: int) -> Mutant:
        """Made in the order of their numbers, each once."""
        if kind not in self._made:
            self._made[kind] = []
            self._more[kind] = mutants(self.reading, cast(Kind, kind), seed=self.seed, topic=self.topic)
        made, more = self._made[kind], self._more[kind]
        try:
            while len(made) < number:
                made.append(next(more))
        except (CannotMutate, StopIteration) as error:
            raise NoVariant(str(error) or f"there is no {kind} {number}") from None
        return made[number - 1]

    def _fresh(self, number: int) -> Reading:
        try:
            made = fresh_request(self.reading, number, self.seed, self.topic)
        except SynthesisError as error:
            raise NoVariant(f"no fresh request can be made: {error}") from None
        return read_query(made.text, made.problem.actions, timed=made.problem.timed)
