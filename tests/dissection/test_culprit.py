"""The words to blame: what may be changed, and when a culprit is named."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest

from planscope.dissection.blame import in_words
from planscope.dissection.changes import Change, Changes
from planscope.dissection.culprit import Culprit, Search, Trial
from planscope.dissection.engine import Dissector
from planscope.dissection.evidence import Cause, Counts
from planscope.dissection.options import DissectOptions
from planscope.dissection.rates import Pick
from planscope.dissection.summary import summary
from planscope.language.reading import Reading, read_query
from planscope.oracle.equivalence import equivalent
from planscope.session.model import Origin, Session, make_variant
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request
from tests.nightly import nightly

WORDS = [Change("word", ((0, (n, n + 1)),), (), "") for n in range(6)]


def reading(seed: int) -> Reading:
    made = synthesize(Request(actions=5, seed=seed, timed=bool(seed % 2), modals=0.3))
    return read_query(made.text, made.problem.actions, timed=made.problem.timed)


def trial(right: int, wrong: int, *changes: int) -> Trial:
    return Trial(frozenset(changes), Counts(right, wrong))


@pytest.mark.parametrize("cause", ["Terminal", "Topic", "Structure"])
def test_each_change_alone_keeps_the_meaning(cause: Cause) -> None:
    for seed in (1, 2):
        old = reading(seed)
        changes = Changes(old, cause)
        assert changes.all
        for number, change in enumerate(changes.all):
            made = changes.make([number], 1)
            assert made is not None and made.text != old.text
            assert equivalent(old.problem, made.problem, foreseen=True)
            assert all(old.text[slice(*span)] for _, span in change.places)


def test_one_constraint_is_left_out_and_no_other() -> None:
    old = reading(2)
    changes = Changes(old, "Constraint")
    said = {c.meaning for c in old.problem.said}
    for number, change in enumerate(changes.all):
        made = changes.make([number], 0)
        assert made is not None
        gone = {old.problem.by_id[c].meaning for c in change.constraints}
        assert {c.meaning for c in made.problem.said} == said - gone


def test_a_culprit_is_named_only_with_two_queries_and_a_test() -> None:
    as_is, cured = Counts(0, 9), Counts(9, 0)

    def named(*trials: Trial) -> bool:
        found = Search(WORDS, as_is, cured, trials).proved()
        return found is not None and found.changes == {2}

    hints = (trial(1, 0, 1, 2), trial(0, 3, 0, 1, 3, 4, 5))
    assert not named(*hints)
    assert not named(*hints, trial(9, 0, 2)), "one query may be right for another reason"
    assert named(*hints, trial(3, 0, 2), trial(3, 0, 2))
    assert not named(*hints, trial(3, 3, 2), trial(2, 3, 2))


def test_words_are_named_only_where_all_others_do_not_cure() -> None:
    """What stands beside a word may cure as well: it is excluded by queries with everything but the word changed."""
    as_is, cured = Counts(0, 9), Counts(9, 0)
    alone = (trial(3, 0, 2), trial(3, 0, 2))
    rest = frozenset({0, 1, 3, 4, 5})
    search = Search(WORDS, as_is, cured, [*alone, trial(1, 0, 1, 2)])
    assert search.best() is not None and search.proved() is None
    assert search.next(random.Random(1)) == Pick("Culprit", None, tuple(sorted(rest)))
    for right, wrong, named in ((0, 2, False), (2, 3, False), (0, 3, True), (1, 3, True)):
        search = Search(WORDS, as_is, cured, [*alone, Trial(rest, Counts(right, wrong))])
        assert (search.proved() is not None) == named
        assert search.next(random.Random(1)) is not None, "a limit may still explain the same"


def test_two_words_are_named_only_where_neither_cures_alone() -> None:
    """One of two changes may have met a word that has the fault, too: that takes more than one wording."""
    as_is, cured = Counts(0, 9), Counts(9, 0)
    alike = [replace(word, like="succeed") if n in (1, 4) else word for n, word in enumerate(WORDS)]
    both = [trial(4, 0, 1, 4), trial(4, 0, 1, 4), trial(0, 3, 0, 2, 3, 5)]
    one, other = [trial(0, 1, 1), trial(0, 2, 1)], [trial(0, 1, 4), trial(0, 2, 4)]
    found = Search(alike, as_is, cured, [*both, *one, *other]).proved()
    assert found is not None and (found.changes, found.either) == ({1, 4}, False)
    doubtful = Search(alike, as_is, cured, [*both, *one, other[0]])
    assert doubtful.proved() is None
    assert doubtful.next(random.Random(1)) == Pick("Culprit", None, (4,))
    with_both = [trial(1, 0, 1, 3, 4), trial(1, 0, 0, 1, 4)]
    cured = Search(
        alike, as_is, cured, [*both, *with_both, *one, trial(0, 2, 4), trial(0, 2, 4), trial(2, 0, 4)]
    )
    best = cured.best()
    assert best == found and cured.proved() is None, "in some words one of them cures alone"
    assert cured.next(random.Random(1)) == Pick("Culprit", None, (4,))


@pytest.mark.parametrize("many", [5, *nightly(60)])
def test_where_chance_decides_nothing_is_named(many: int) -> None:
    """A flaky agent that was taken for another one: of 60 searches, none ends with a name."""
    false = 0
    for seed in range(many):
        draw = random.Random(seed)
        trials: list[Trial] = []
        as_is = Counts(5, 5)
        for _ in range(40):
            step = Search(WORDS, as_is, Counts(6, 4), trials).next(draw)
            if step is None:
                break
            one = Counts(1, 0) if draw.random() < 0.5 else Counts(0, 1)
            if step.kind == "Original":
                as_is += one
            elif step.place is not None:
                again = trials[step.place]
                trials[step.place] = Trial(again.changes, again.counts + one)
            else:
                trials.append(Trial(frozenset(step.changes), one))
        false += Search(WORDS, as_is, Counts(6, 4), trials).proved() is not None
    assert false == 0


def test_two_of_which_either_will_do() -> None:
    as_is, cured = Counts(0, 9), Counts(9, 0)
    others = [*(trial(0, 2, n) for n in (0, 2, 3, 5)), trial(0, 3, 0, 2, 3, 5)]
    wide = [trial(4, 0, 1), trial(4, 0, 1), trial(4, 0, 4), trial(4, 0, 4)]
    either = Search(WORDS, as_is, cured, [*others, *wide]).proved()
    assert either is not None and (either.changes, either.either) == ({1, 4}, True)


SAID = [replace(word, kind="constraint") for word in WORDS]


def test_other_constraints_that_cure_together_do_not_hide_the_one_that_cures_alone() -> None:
    """Fewer constraints are easier to meet, whatever is to blame."""
    others = [trial(1, 0, 0, 1), trial(1, 0, 1, 3, 5), *[trial(0, 2, n) for n in (0, 1, 3, 4, 5)]]
    found = Search(SAID, Counts(0, 9), Counts(9, 0), [*others, trial(3, 0, 2), trial(3, 0, 2)]).proved()
    assert found is not None and found.changes == {2}


def test_a_constraint_is_named_only_where_all_others_are_acquitted() -> None:
    """To leave out all others at once may take away what the fault needs: then it is tried by halves."""
    alone = [trial(3, 0, 2), trial(3, 0, 2), trial(0, 2, 0, 1)]

    def search(*trials: Trial) -> Search:
        return Search(SAID, Counts(0, 9), Counts(9, 0), [*alone, *trials])

    assert search().next(random.Random(1)) == Pick("Culprit", None, (3, 4, 5))
    easier, third = trial(1, 0, 3, 4, 5), trial(0, 2, 3)
    for unproved in (
        [],
        [trial(0, 1, 3, 4, 5)],
        [easier],
        [easier, third],
        [easier, third, trial(0, 1, 4, 5)],
    ):
        assert search(*unproved).best() is not None and search(*unproved).proved() is None
    assert search(easier, third, trial(0, 1, 4)).next(random.Random(1)) == Pick("Culprit", None, (4, 5))
    for enough in ([trial(0, 2, 3, 4, 5)], [easier, third, trial(0, 2, 4, 5)]):
        assert search(*enough).proved() is not None


def test_two_constraints_are_named_only_where_all_others_left_out_at_once_do_not_cure() -> None:
    """Other two may cure as well: each of them alone is acquitted, and shows nothing."""
    alone = [trial(0, 3, n) for n in range(6)]
    pair = [trial(4, 0, 1, 4), trial(4, 0, 1, 4), trial(1, 0, 0, 1, 4), trial(1, 0, 1, 2, 4)]
    alike = [replace(one, like="hours") if n in (1, 4) else one for n, one in enumerate(SAID)]

    def search(*trials: Trial) -> Search:
        return Search(alike, Counts(0, 9), Counts(9, 0), [*alone, *pair, *trials])

    best = search().best()
    assert best is not None and best.changes == {1, 4} and search().proved() is None
    assert search().next(random.Random(1)) == Pick("Culprit", None, (0, 2, 3, 5))
    assert search(trial(0, 3, 0, 2, 3, 5)).proved() == best


def test_a_clause_is_named_only_where_each_other_change_of_its_sentence_fails_alone() -> None:
    """Two changes of one sentence, made at once, may have again what one of them takes away."""
    clauses = [replace(word, kind="clause", places=((n // 3, (n, n + 1)),)) for n, word in enumerate(WORDS)]
    told = [trial(3, 0, 1), trial(3, 0, 1), trial(0, 3, 0, 2, 3, 4, 5)]

    def search(*trials: Trial) -> Search:
        return Search(clauses, Counts(0, 9), Counts(9, 0), [*told, *trials])

    assert search().proved() is None
    assert search().next(random.Random(1)) == Pick("Culprit", None, (0,))
    assert search(trial(0, 2, 0)).next(random.Random(1)) == Pick("Culprit", None, (2,))
    found = search(trial(0, 2, 0), trial(0, 2, 2)).proved()
    assert found is not None and found.changes == {1}


def test_where_no_other_query_can_be_made_the_known_one_runs_again_and_the_search_ends() -> None:
    trials = (trial(2, 0, 2), trial(0, 2, 0, 1, 3, 4, 5), trial(1, 0, 2, 3), trial(1, 1, 2))
    two = {frozenset({2})}
    step = Search(WORDS, Counts(0, 9), Counts(9, 0), trials, exhausted=two).next(random.Random(1))
    assert step == Pick("Culprit", 0)
    every = {frozenset(one) for size in range(1, 7) for one in combinations(range(6), size)}
    assert Search(WORDS, Counts(0, 9), Counts(9, 0), [], exhausted=every).next(random.Random(1)) is None


def test_a_dissection_names_the_planted_words() -> None:
    made = synthesize(Request(actions=5, seed=13))
    variant = make_variant(made.problem, Origin(kind="synthesized"))
    session = Session(id="s", title="s", variants=[variant])
    dissector = Dissector(session, variant, DissectOptions(model="sim:word-blind", culprit_budget=40))
    dissector.go()
    found = summary(session, dissector.add_to(session))
    assert found.culprit is not None and found.culprit.kind == "word"
    assert variant.query.text[slice(*found.culprit.span)] == found.culprit.text == "is preceded by"
    assert found.runs <= found.budget == 100
    cured = next(v for v in session.variants if v.id == found.culprit.variant)
    assert cured.query.text == found.culprit.cured


def test_no_sentence_quotes_nothing_or_a_whole_sentence() -> None:
    place = (0, (0, 9), "Chopping onions " * 8)
    for kind in ("word", "clause", "sentence", "constraint", "action"):
        for either in (False, True):
            told = in_words(
                Culprit(kind, (place,), ("c1",), "x", "", "y", "v2", Counts(0, 5), Counts(4, 0), 0.01, either)
            )
            assert "“”" not in told or kind in ("word", "action"), told
            assert "onions …”" in told and "it was right 4 of 4 times, as it is 0 of 5 times" in told
