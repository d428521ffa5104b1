"""Which other words to try: those that this agent was right with, and as few different ones as will do.

Words drawn at random are a poor test of whether words are the cause: where an agent stumbles over a quarter of them,
hardly a text of ten words is free of such. So each ``TerminalSubstitute`` of a dissection learns from all that was run
before. A run that was right speaks for its words, one that was wrong against them, the more so the fewer there are
that may have been to blame (a noisy-or, as of causes that are each enough). Under any other cause all of these mutants
fail alike, whatever their words, so nothing is lost there.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Mapping, Sequence

from planscope.dissection.arms import Counts
from planscope.dissection.belief import ITSELF, chance
from planscope.language.tree import Query, Word, walk
from planscope.synthesis.substitution import Place

SUSPECT = 0.15
"""How likely it is of any word that the agent stumbles over it, before it was seen."""

_CLEAN, _HIT = 0.9, 0.12
_ROUNDS = 15

Seen = Sequence[tuple[frozenset[str], Counts]]
"""The words of each text that was run, and its runs."""


def features(word: Word) -> tuple[str, ...]:
    """What an agent may stumble over: the phrase in its role, and its modal verb."""
    phrase = f"{word.terminal} {word.entry}"
    return (phrase, f"modal {word.modal}") if word.modal else (phrase,)


def words_of(tree: Query) -> frozenset[str]:
    return frozenset(f for _, node in walk(tree) if isinstance(node, Word) for f in features(node))


def suspicion(seen: Seen) -> dict[str, float]:
    """For every word that was seen, how likely it is that the agent stumbles over it."""
    merged: dict[frozenset[str], Counts] = {}
    for words, counts in seen:
        merged[words] = merged.get(words, Counts()) + counts
    told = [
        (
            words,
            math.exp(chance(_CLEAN, ITSELF, c.right, c.wrong)),
            math.exp(chance(_HIT, ITSELF, c.right, c.wrong)),
        )
        for words, c in merged.items()
        if c.runs
    ]
    # in the order of the words: sets have none that is the same each time
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


def choose(
    found: Sequence[Place], bad: Mapping[str, float], draw: random.Random, jitter: float = 0.1
) -> list[Word]:
    """A word for each place, from its options: few and unsuspected ones. ``jitter``: how far chance may stray."""
    price = _Prices(bad, draw, jitter)
    chosen: list[Word | None] = [None if place.options else place.word for place in found]
    used: set[str] = set()
    while None in chosen:
        open_ = [i for i, word in enumerate(chosen) if word is None]
        options: dict[Word, list[int]] = {}
        for i in open_:
            for word in found[i].options:
                options.setdefault(word, []).append(i)
        best = min(options, key=lambda word: price.of(word, used) / len(options[word]))
        for i in options[best]:
            chosen[i] = best
        used.update(features(best))
    return [word for word in chosen if word is not None]


class _Prices:
    """What it costs to use a word that is not used yet: the more suspect, the more."""

    def __init__(self, bad: Mapping[str, float], draw: random.Random, jitter: float) -> None:
        self._bad, self._draw, self._jitter = bad, draw, jitter
        self._known: dict[str, float] = {}

    def of(self, word: Word, used: Collection[str]) -> float:
        return sum(self._feature(f) for f in features(word) if f not in used)

    def _feature(self, name: str) -> float:
        if name not in self._known:
            risk = -math.log(1 - min(self._bad.get(name, SUSPECT), 0.999))
            self._known[name] = risk * math.exp(self._draw.gauss(0, self._jitter)) + 1e-6
        return self._known[name]
