"""Makes the mutants of a query as variants of its session: the paper's four kinds, and fresh queries (``Control``).

``TopicChange`` keeps every word. The other kinds choose new words by the runs so far and avoid words that occurred in
failed runs, so their texts differ from those of ``planscope mutate`` with the same number. A fresh query has the same
size and the same actions but other constraints; ``QuerySynthesize`` keeps the constraints.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from math import factorial
from typing import Literal, cast

from planscope.dissection.belief import ITSELF
from planscope.dissection.blame import splits_of
from planscope.dissection.changes import Changes
from planscope.dissection.evidence import SAME, Cause, Counts
from planscope.dissection.measures import counted, measured, told_apart
from planscope.dissection.results import Results
from planscope.errors import UserError
from planscope.language.problem import Problem
from planscope.language.reading import Reading, paper_reading, read_query
from planscope.language.tree import Cue, Query, Word, walk
from planscope.language.tree_json import dump
from planscope.oracle.replay import replay
from planscope.oracle.trace import Trace
from planscope.session.model import CellKind, Origin, Variant, make_variant
from planscope.session.oracle_input import reading_of
from planscope.stats import beta_binomial
from planscope.synthesis.generate import Synthesized, Synthesizer
from planscope.synthesis.mutants import CannotMutate, Kind, Mutant, mutants, reworded
from planscope.synthesis.request import Request, SynthesisError
from planscope.synthesis.substitution import Place, places

_DRAWS = 24
"""The number of fresh queries that are drawn to choose one."""

_NEAREST = 8
"""Of this many draws nearest in size, the one whose order is least like the old query's is chosen."""

_APART = 4
"""If possible, two of three fresh queries have this many times more or fewer valid orders."""

_COUNTED = 12
"""Valid orders are counted for at most this many actions."""


def fresh_request(
    reading: Reading, number: int, seed: int, topic: str | None, *, long: bool = False
) -> Synthesized:
    """Make fresh query ``number`` (from 1), determined by number and seed. ``long``: the longest of those as large.

    Raises SynthesisError if there is none."""
    problem = reading.problem
    request = Request(
        actions=tuple(a.name for a in problem.actions),
        seed=(seed * 1_000_003 + number * _DRAWS) % 2**62,
        sentences=len(reading.tree.sentences),
        timed=problem.timed,
        topic=topic,
        repeats=True,
    )
    made = [*_drawn(replace(request, valid_orders=_other_orders(problem, number)))] or _drawn(request)
    old, size = Shape(problem), len(problem.said)
    shaped = [(m, Shape(m.problem)) for m in made]
    others = [(m, shape) for m, shape in shaped if shape.closure != old.closure]
    if not shaped:
        raise SynthesisError("no fresh query was found")
    if not others:
        raise SynthesisError("every fresh query means the same as this one; ask for more actions")
    near = sorted(others, key=lambda one: abs(len(one[0].problem.said) - size))[:_NEAREST]
    return max(near, key=lambda one: len(one[0].text) if long else one[1].distance(old))[0]


def _drawn(request: Request) -> Iterator[Synthesized]:
    """Yield one query per seed, skipping seeds without one."""
    synthesizer = Synthesizer(request)
    for seed in range(request.seed, request.seed + _DRAWS):
        with suppress(SynthesisError):
            yield synthesizer.case(seed)


def _other_orders(problem: Problem, number: int) -> tuple[int, int] | None:
    """Return a range for the number of valid orders, far above or below the old query's; None allows any number."""
    if number % 3 == 1 or len(problem.actions) > _COUNTED:
        return None
    own = replay(problem, Trace((), "running")).valid_completions(0)
    if own is None:
        return None
    most = factorial(len(problem.actions)) // 2
    looser = (max(own * 2, most // 5), most) if own * _APART <= most else None
    tighter = (1, own // _APART) if own >= _APART else None
    return (looser or tighter) if number % 3 == 2 else (tighter or looser)


class Shape:
    """The closure of a problem's order constraints, and its shape without names."""

    def __init__(self, problem: Problem) -> None:
        ids = [a.id for a in problem.actions]
        later = {a: {c.after or "" for c in problem.said if c.kind == "order" and c.before == a} for a in ids}
        for middle in ids:
            for a in ids:
                if middle in later[a]:
                    later[a] |= later[middle]
        clocks = {(c.action or "", f"{c.kind} {c.hour}") for c in problem.said if c.kind != "order"}
        self.closure = frozenset({(a, b) for a in ids for b in later[a]} | clocks)
        """The transitive closure of the order, and the stated clock times."""
        self.after = sorted(len(later[a]) for a in ids)
        self.before = sorted(sum(a in later[b] for b in ids) for a in ids)

    def distance(self, other: Shape) -> int:
        """Return a distance between two orders of the same number of actions; 0 if they differ only in names."""
        pairs = (*zip(self.after, other.after, strict=True), *zip(self.before, other.before, strict=True))
        return sum(abs(a - b) for a, b in pairs)


SUSPECT = 0.15
"""The prior probability that a word makes the agent fail."""

_CLEAN, _HIT = 0.9, 0.12
_ROUNDS = 15

Seen = Sequence[tuple[frozenset[str], Counts]]
"""For each text that was run, its words and its counts of right and wrong runs."""


LONG = 4
"""A phrase of this many words or more has a feature of its own."""


@lru_cache(maxsize=4096)
def features(word: Word, takes_modal: bool) -> tuple[str, ...]:
    """Return the features of a word that may make the agent fail: the phrase in its role, its length, and for verbs
    that can have a modal, which one, or that there is none."""
    found = [f"{word.terminal} {word.entry}"]
    if word.entry.count(" ") >= LONG - 1:
        found.append("long")
    if word.modal:
        found += [f"modal {word.modal}", "modal"]
    elif takes_modal:
        found.append("bare")
    return tuple(found)


def takes_modal(place: Place) -> bool:
    return bool(place.word.modal) or any(word.modal for word in place.options)


def words_of(tree: Query) -> frozenset[str]:
    """Return the features of all words of a tree."""
    natural = [f"natural {node.words}" for _, node in walk(tree) if isinstance(node, Cue)]
    found = places(tree, fresh=False)
    return frozenset([f for place in found for f in features(place.word, takes_modal(place))] + natural)


def suspicion(seen: Seen) -> dict[str, float]:
    """Estimate for every word that was run the probability that it makes the agent fail."""
    merged: dict[frozenset[str], Counts] = {}
    for words, counts in seen:
        merged[words] = merged.get(words, Counts()) + counts
    told = [
        (
            words,
            math.exp(beta_binomial(_CLEAN, ITSELF, c.right, c.wrong)),
            math.exp(beta_binomial(_HIT, ITSELF, c.right, c.wrong)),
        )
        for words, c in merged.items()
        if c.runs
    ]
    # sorted, since the order of a set differs between processes
    bad = dict.fromkeys(sorted({w for words, _, _ in told for w in words}), SUSPECT)
    for _ in range(_ROUNDS):
        for word, before in bad.items():
            odds = math.log(SUSPECT / (1 - SUSPECT))
            for words, clean, hit in told:
                if word in words:
                    free = math.prod(1 - bad[other] for other in words if other != word)
                    odds += math.log(hit / (free * clean + (1 - free) * hit))
            bad[word] = (before + 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))) / 2
    return bad


Modals = Literal["none", "all", "free"]
"""Which verbs of a mutant have a modal: none, all that can, or those that the runs so far make best."""

_TURNS: tuple[Modals, ...] = ("none", "all", "free")

_JITTER = 0.3
_WORN = 2.0
"""How much dearer a phrase is that all earlier mutants of the kind have."""


def choose(
    found: Sequence[Place],
    bad: Mapping[str, float],
    draw: random.Random,
    jitter: float = _JITTER,
    modals: Modals = "free",
    worn: Mapping[str, float] | None = None,
) -> list[Word]:
    """Choose a word for each place, preferring few and unsuspected words.

    ``jitter``: the amount of randomness. ``worn``: by feature, the share of the earlier mutants that have it; their
    phrases are dearer, so that the mutants of a kind differ.
    """
    known: dict[str, float] = {}

    def price(word: Word, able: bool) -> float:
        """The price of using a new word, which rises with its suspicion and its use in earlier mutants."""
        for name in features(word, able):
            if name not in known:
                risk = -math.log(1 - min(bad.get(name, SUSPECT), 0.999))
                dearer = (1 + _WORN * (worn or {}).get(name, 0.0)) * math.exp(draw.gauss(0, jitter))
                known[name] = risk * dearer + 1e-6
        return sum(known[name] for name in features(word, able) if name not in used)

    chosen: list[Word | None] = [None if place.options else place.word for place in found]
    offered = [
        [w for w in place.options if modals == "free" or bool(w.modal) == (modals == "all")] or place.options
        for place in found
    ]
    used: set[str] = set()
    while None in chosen:
        options: dict[tuple[Word, bool], list[int]] = {}
        for i, place in enumerate(found):
            for word in offered[i] if chosen[i] is None else ():
                options.setdefault((word, takes_modal(place)), []).append(i)
        best = min(options, key=lambda one: price(*one) / len(options[one]))
        for i in options[best]:
            chosen[i] = best[0]
        used.update(features(*best))
    return [word for word in chosen if word is not None]


PLAIN = Request(relatives=0.0, lists=0.0, second_clauses=0.0)
MANNERS: tuple[Request, ...] = (
    replace(PLAIN, forms={"direct": 1.0}),
    Request(relatives=0.8, lists=0.8, second_clauses=1.0),
    replace(PLAIN, forms={"fronted": 1.0, "fronted_compound": 1.0}),
    Request(),
    replace(PLAIN, forms={"adjunct": 1.0, "compound": 1.0}),
    Request(relatives=0.0, lists=0.0, second_clauses=0.9, forms={"direct": 1.0}),
)
"""The manners in which QuerySynthesize takes turns, so that its mutants differ: each leaves out other kinds of
clauses, lists and sentences."""


_CHOICE = 5
"""One mutant in other sentences is chosen of this many."""

MOST = 1000
"""The highest number of a mutant within its kind."""

_ATTEMPTS = 20
"""Limit of attempts to choose words that make a new text."""


class NoVariant(UserError):
    """No further mutant of a kind exists. One line says why."""


def _blames(results: Results) -> bool:
    """Whether the words to blame are looked for."""
    return bool(results.cells("Culprit"))


def _reading(mutant: Mutant) -> Reading:
    return Reading(mutant.problem.text, mutant.tree, mutant.problem)


class Mutants:
    """Makes the mutants of a variant, determined by kind, number, seed and earlier runs.

    Raises ``ParseFailure`` if the variant cannot be read.
    """

    def __init__(self, variant: Variant, seed: int) -> None:
        self.variant, self.seed = variant, seed
        self.topic = variant.query.topic
        self.reading: Reading = reading_of(variant)
        self._words: dict[str, frozenset[str]] = {}
        self._made: dict[tuple[CellKind, int], list[Mutant]] = {}
        self._more: dict[tuple[CellKind, int], Iterator[Mutant]] = {}

    def make(self, kind: CellKind, number: int, results: Results) -> Variant:
        """Make a mutant as a child variant of the query; a repeat is the query itself. Raises :class:`NoVariant`."""
        if kind in SAME:
            return self.variant
        if number > MOST:
            raise NoVariant(f"mutants are numbered up to {MOST}; there is no number {number}")
        topic = self.topic
        if kind == "Control":
            reading = self._fresh(number, results)
            made = self._in_words(kind, reading, number, results) or reading
        elif kind == "TerminalSubstitute":
            found = self._in_words(kind, self.reading, number, results)
            if found is None:
                raise NoVariant("no other words of the lexicon fit into this query")
            made = found
        elif kind == "Combined":
            made, topic = self._combined(number, results)
        elif kind == "QuerySynthesize" and _blames(results):
            made = self._telling(number, results)
        else:
            mutant = self._mutant(kind, number, results)
            made, topic = _reading(mutant), mutant.topic
            if kind == "QuerySynthesize":
                made = self._in_words(kind, made, number, results) or made
        return self._child(kind, number, made, topic, results)

    def _child(
        self, kind: CellKind, number: int, made: Reading, topic: str | None, results: Results
    ) -> Variant:
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

    def changes(self, cause: Cause, results: Results) -> Changes:
        """Return the small changes that may cure, with what the runs so far say of words and names."""
        bad = suspicion([(self._words_of(v), counts) for v, counts in results.counts()])
        tried = results.by_kind()["TopicChange"] if cause == "Topic" else ()
        names = [[a.name for a in made.actions] for _, counts, made in tried if counts.right > counts.wrong]
        return Changes(
            self.reading, cause, bad, names, lambda place, word: features(word, takes_modal(place))
        )

    def changed(self, changes: Changes, chosen: Sequence[int], number: int, results: Results) -> Variant:
        """Make the query with some small changes. Raises :class:`NoVariant`."""
        there = results.texts()
        for attempt in range(_ATTEMPTS):
            made = changes.make(chosen, number + attempt * MOST, reword=attempt > 2)
            if made is not None and made.text not in there:
                return self._child("Culprit", number, made, self.topic, results)
        raise NoVariant("no other query with these changes can be made")

    def _combined(self, number: int, results: Results) -> tuple[Reading, str]:
        """Return a query about another topic in other words, and for even numbers in other sentences."""
        old = self.reading
        if number % 2 == 0:
            old = _reading(self._mutant("QuerySynthesize", number // 2, results))
        source = mutants(old, "TopicChange", seed=self.seed + number, topic=self.topic)
        try:
            mutant = next(source)
        except (CannotMutate, StopIteration) as error:
            raise NoVariant(str(error)) from None
        made = _reading(mutant)
        return self._in_words("Combined", made, number, results) or made, mutant.topic

    def _in_words(self, kind: CellKind, reading: Reading, number: int, results: Results) -> Reading | None:
        """Reword the query, avoiding words suspected by the runs so far; None if no other choice of words exists."""
        there = results.texts()
        reading = paper_reading(reading)
        bad = suspicion([(self._words_of(v), counts) for v, counts in results.counts()])
        draw = random.Random(f"{self.seed} {number} {reading.text}")
        found = places(reading.tree, fresh=False)
        if not any(place.options for place in found):
            return None
        modals, worn = _TURNS[(number - 1) % len(_TURNS)], self._worn(kind, results)
        if kind == "QuerySynthesize" and number % 2:
            # Every second one keeps the query's own words, so that words and sentences are told apart.
            bad |= dict.fromkeys(self._words_of(self.variant), 0.0)
            modals, worn = "free", {}
        # Every second one in other words is long, so that words and lengths are told apart.
        drawn = _CHOICE if kind == "TerminalSubstitute" and number % 2 == 0 else 1
        for attempt in range(_ATTEMPTS):
            jitter = _JITTER * (1 + attempt)
            choices = [choose(found, bad, draw, jitter, modals, worn) for _ in range(drawn)]
            words = max(choices, key=lambda words: sum(len(word.entry + word.modal) for word in words))
            with suppress(CannotMutate):
                mutant = reworded(reading, words, number, topic=self.topic)
                if mutant.problem.text not in there:
                    return _reading(mutant)
        return None

    def _telling(self, number: int, results: Results) -> Reading:
        """Return the query in other sentences of which a run tells most about the limits that may be to blame."""
        found, there = splits_of(self.variant, results.by_kind()), results.texts()

        def told(reading: Reading) -> float:
            problem = reading.problem
            return told_apart(found, counted(problem.text, problem.actions, problem.timed))

        pool: list[Reading] = []
        for manner in range(len(MANNERS)):
            key: tuple[CellKind, int] = ("QuerySynthesize", manner)
            with suppress(NoVariant):
                self._numbered(key, len(self._made.get(key, ())) + 1)
            pool += map(_reading, self._made[key])
        draw = random.Random(f"{self.seed} {number}")
        best = sorted(pool, key=told)[-3:]
        for reading in best[:]:
            for several in (1, -1):
                words = sorted(
                    (
                        choose(places(paper_reading(reading).tree, fresh=False), {}, draw)
                        for _ in range(_CHOICE)
                    ),
                    key=lambda words: several * sum(len(word.entry + word.modal) for word in words),
                )[0]
                with suppress(CannotMutate):
                    best.append(_reading(reworded(reading, words, number, topic=self.topic)))
        fresh = [one for one in best if one.text not in there]
        if not fresh:
            raise NoVariant("no other sentences say the same")
        return max(fresh, key=told)

    def _worn(self, kind: CellKind, results: Results) -> Mapping[str, float]:
        """Return by phrase the share of the kind's mutants that have it."""
        cells = results.cells(kind)
        seen = Counter(f for cell in cells for f in self._words_of(results.variant(cell)))
        return {f: n / len(cells) for f, n in seen.items() if f not in ("bare", "modal", "long")}

    def _words_of(self, variant: Variant) -> frozenset[str]:
        """Return the words of a variant of this dissection, cached."""
        text = variant.query.text
        if text not in self._words:
            self._words[text] = words_of(reading_of(variant).tree)
        return self._words[text]

    def _mutant(self, kind: CellKind, number: int, results: Results) -> Mutant:
        """Return a mutant of synthesis by its number. They are made in order and cached.

        The manners of QuerySynthesize take turns; one that no mutant can be made in leaves its turn to the next. Of
        some in one manner, that one is taken which has less of what the earlier ones had as much of as the query.
        """
        if kind != "QuerySynthesize":
            return self._numbered((kind, 0), number)
        half, even = divmod(number - 1, 2)
        first = 1 + _CHOICE * (even + 2 * (half // len(MANNERS)))
        own = {m: n for m, n in measured(self.variant).items() if m.kind not in ("word", "constraint")}
        earlier = (measured(results.variant(cell)) for cell in results.cells(kind))
        seen = Counter(m for one in earlier for m in own if one[m][0] < own[m][0])

        def news(mutant: Mutant) -> float:
            problem = mutant.problem
            told = counted(problem.text, problem.actions, problem.timed)
            return sum(1 / (1 + seen[m]) for m in own if told[m][0] < own[m][0])

        for turn in range(len(MANNERS)):
            manner = (half + 3 * even + turn) % len(MANNERS)
            made: list[Mutant] = []
            with suppress(NoVariant):
                for n in range(first, first + _CHOICE):
                    made.append(self._numbered((kind, manner), n))
            if made:
                return max(made, key=news)
        raise NoVariant("no other sentences say the same")

    def _numbered(self, key: tuple[CellKind, int], number: int) -> Mutant:
        kind, manner = key
        if key not in self._made:
            self._made[key] = []
            self._more[key] = mutants(
                self.reading, cast(Kind, kind), seed=self.seed, topic=self.topic, manner=MANNERS[manner]
            )
        made, more = self._made[key], self._more[key]
        try:
            while len(made) < number:
                made.append(next(more))
        except (CannotMutate, StopIteration) as error:
            raise NoVariant(str(error) or f"there is no {kind} {number}") from None
        return made[number - 1]

    def _fresh(self, number: int, results: Results) -> Reading:
        try:
            made = fresh_request(
                self.reading, number, self.seed, self.topic, long=number % 2 == 0 and _blames(results)
            )
        except SynthesisError as error:
            raise NoVariant(f"no fresh query can be made: {error}") from None
        return read_query(made.text, made.problem.actions, timed=made.problem.timed)
