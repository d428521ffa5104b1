"""Words that are learned from the runs, and chosen for the next mutant."""

from __future__ import annotations

import math
import random
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from planscope.dissection.belief import ITSELF
from planscope.dissection.evidence import Counts
from planscope.dissection.variants import (
    SUSPECT,
    Modals,
    Seen,
    choose,
    features,
    suspicion,
    takes_modal,
    words_of,
)
from planscope.language.tree import Clause, Relative, Word, walk
from planscope.session.oracle_input import reading_of
from planscope.stats import beta_binomial
from planscope.synthesis.substitution import places
from tests.nightly import examples, rounds

from .cases import query

R, W = Counts(1, 0), Counts(0, 1)


def test_a_right_run_speaks_for_its_words_and_a_wrong_one_against() -> None:
    bad = suspicion([(frozenset("ab"), R), (frozenset("cd"), W)])
    assert max(bad["a"], bad["b"]) < 0.05
    assert min(bad["c"], bad["d"]) > SUSPECT


def test_the_blame_goes_to_the_word_that_is_left() -> None:
    bad = suspicion([(frozenset("ab"), Counts(0, 3)), (frozenset("a"), Counts(3, 0))])
    assert bad["b"] > 0.9
    assert bad["a"] < 0.05


def test_the_same_words_wrong_again_do_not_make_all_of_them_bad() -> None:
    """One of them is enough to explain any number of wrong runs."""
    words = frozenset("abcdefgh")
    assert max(suspicion([(words, W)] * 30).values()) < 0.5


def runs_of_stumbling(planted: set[int], seed: int) -> list[tuple[frozenset[str], Counts]]:
    """Eighty texts of three words of ten: wrong nine times in ten where one is planted, else one time in ten."""
    draw = random.Random(seed)
    seen = []
    for _ in range(80):
        words = frozenset(map(str, draw.sample(range(10), 3)))
        right = draw.random() < (0.1 if words & set(map(str, planted)) else 0.9)
        seen.append((words, Counts(int(right), int(not right))))
    return seen


def by_every_set(seen: Seen) -> dict[str, float]:
    """What suspicion comes near to: every set of words that may be the bad ones, weighed by what it explains."""
    merged: dict[frozenset[str], Counts] = {}
    for words, counts in seen:
        merged[words] = merged.get(words, Counts()) + counts
    everything = sorted({word for words in merged for word in words})
    weighed = {}
    for flags in product((False, True), repeat=len(everything)):
        bad = {word for word, flag in zip(everything, flags, strict=True) if flag}
        weight = len(bad) * math.log(SUSPECT) + (len(everything) - len(bad)) * math.log(1 - SUSPECT)
        weight += sum(
            beta_binomial(0.12 if words & bad else 0.9, ITSELF, c.right, c.wrong)
            for words, c in merged.items()
        )
        weighed[frozenset(bad)] = math.exp(weight)
    return {
        word: sum(w for bad, w in weighed.items() if word in bad) / sum(weighed.values())
        for word in everything
    }


@settings(max_examples=examples(20))
@given(st.sets(st.integers(0, 9), max_size=3), st.integers(0, 9999))
@example({5, 9}, 607)  # by chance word 1 looks as bad as the planted ones
@example({2, 3, 9}, 8173)  # word 1 or word 7: which of them cannot be told
def test_what_the_runs_say_clearly_is_believed(planted: set[int], seed: int) -> None:
    seen = runs_of_stumbling(planted, seed)
    bad = suspicion(seen)
    for word, exact in by_every_set(seen).items():
        if not 0.1 < exact < 0.9:
            assert (bad[word] > 0.5) == (exact > 0.5)


def test_bad_words_are_found() -> None:
    """Of so few runs chance may make a word look bad, so it is nearly always and not always."""
    found = 0
    for seed in range(rounds(50, 100)):
        planted = set(random.Random(seed).sample(range(10), seed % 4))
        bad = suspicion(runs_of_stumbling(planted, seed))
        found += {int(word) for word, how in bad.items() if how > 0.5} == planted
    assert found >= rounds(49, 98)


@settings(max_examples=examples(40))
@given(st.integers(0, 300), st.booleans(), st.integers(0, 99))
def test_every_word_is_another_one_and_from_its_options(number: int, timed: bool, seed: int) -> None:
    tree = reading_of(query(number, timed=timed)).tree
    found = places(tree, fresh=False)
    words = choose(found, {}, random.Random(seed))
    assert len(words) == len(found)
    for place, word in zip(found, words, strict=True):
        if place.options:
            assert word in place.options
            assert word.entry != place.word.entry
        else:
            assert word == place.word


@settings(max_examples=examples(30))
@given(st.integers(0, 300), st.integers(0, 99))
def test_suspect_words_are_left_out_where_others_will_do(number: int, seed: int) -> None:
    found = places(reading_of(query(number)).tree, fresh=False)
    draw = random.Random(seed)
    everything = sorted({f for place in found for word in place.options for f in features(word, False)})
    bad = {name: 0.9 if draw.random() < 0.5 else 0.01 for name in everything}
    for place, word in zip(found, choose(found, bad, draw), strict=True):
        if any(max(bad[f] for f in features(o, False)) < 0.5 for o in place.options):
            assert max(bad[f] for f in features(word, False)) < 0.5


def test_few_different_words_will_do() -> None:
    """Drawn at random, ten clauses have nearly as many relation words; chosen, one for each kind of place."""
    for number in range(rounds(16, 40)):
        tree = reading_of(query(number)).tree
        if sum(isinstance(n, Clause | Relative) for _, n in walk(tree)) < 8:
            continue
        found = places(tree, fresh=False)
        chosen = {w for w in choose(found, {}, random.Random(number)) if w.terminal != "J"}
        kinds = {(p.word.terminal, p.options) for p in found if p.word.terminal != "J"}
        assert len(chosen) <= len(kinds)


def test_the_words_of_a_tree() -> None:
    tree = reading_of(query(1)).tree
    words = words_of(tree)
    assert words == {f for p in places(tree) for f in features(p.word, takes_modal(p))}
    assert features(Word("VP<", "precede", "should"), True) == ("VP< precede", "modal should", "modal")
    assert features(Word("VP<", "precede"), True) == ("VP< precede", "bare")


@pytest.mark.parametrize("modals", ["none", "all"])
def test_a_mutant_can_have_no_modal_or_all_of_them(modals: Modals) -> None:
    """An agent that misreads every modal, or every verb without one, is right only with such mutants."""
    for number in range(20):
        found = places(reading_of(query(number)).tree, fresh=False)
        for place, word in zip(found, choose(found, {}, random.Random(1), modals=modals), strict=True):
            if takes_modal(place):
                assert bool(word.modal) == (modals == "all")
