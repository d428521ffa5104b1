"""Forms, lists, relatives and the other knobs come out as they were asked for. Seeds are fixed: no luck in it.

Where a share needs room that a small query without repetitions does not have, repetitions are allowed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from planscope.language.lexicon import load_lexicon
from planscope.language.tree import FORMS, Form, Time, Word, walk
from planscope.synthesis.generate import Synthesized, cases
from planscope.synthesis.request import Request
from tests.synthesis.support import clauses, lists, noun_phrases, relatives

CHI_SQUARE = {1: 10.83, 4: 18.47}
"""What is exceeded once in a thousand, by degrees of freedom."""


def many(request: Request, count: int = 400) -> list[Synthesized]:
    return list(cases(request, count))


def fits(seen: Sequence[int], weights: Sequence[float]) -> bool:
    """Pearson's test of counts against weights; what has the weight 0 must not occur."""
    total, whole = sum(seen), sum(weights)
    used = [(k, total * w / whole) for k, w in zip(seen, weights, strict=True) if w]
    assert sum(k for k, _ in used) == total
    return sum((k - wanted) ** 2 / wanted for k, wanted in used) < CHI_SQUARE[len(used) - 1]


def share(hits: int, total: int) -> float:
    assert total > 300, "too few to say anything"
    return hits / total


@pytest.mark.parametrize("timed", [False, True], ids=["base", "timed"])
@pytest.mark.parametrize(
    "forms",
    [
        None,
        {"direct": 5, "adjunct": 3, "fronted": 2, "compound": 1, "fronted_compound": 1},
        {"fronted": 1.0, "compound": 3.0},
    ],
)
def test_clause_forms_have_their_weights(timed: bool, forms: dict[Form, float] | None) -> None:
    request = Request(timed=timed, forms=forms)
    seen = Counter(clause.form for made in many(request) for clause in clauses(made.tree))
    assert fits([seen[form] for form in FORMS], request.weights())


@pytest.mark.parametrize("n", [3, 12])
def test_clause_forms_have_their_weights_whatever_the_size(n: int) -> None:
    seen = Counter(clause.form for made in many(Request(actions=n), 200) for clause in clauses(made.tree))
    assert fits([seen[form] for form in FORMS], [1] * 5)


@pytest.mark.parametrize("timed", [False, True], ids=["base", "timed"])
def test_before_is_as_frequent_as_after(timed: bool) -> None:
    seen = Counter(clause.relation for made in many(Request(timed=timed)) for clause in clauses(made.tree))
    assert fits([seen["<"], seen[">"]], [1, 1])


def test_relative_clauses() -> None:
    for wanted in (0.0, 0.1, 0.5, 0.9):
        made = many(Request(actions=8, sentences=8, relatives=wanted, lists=0.0, repeats=True), 80)
        found = sum(1 for m in made for _ in relatives(m.tree))
        assert share(found, sum(1 for m in made for _ in noun_phrases(m.tree))) == pytest.approx(
            wanted, abs=0.04
        )


def test_lists() -> None:
    for wanted, longest in ((0.0, 3), (0.2, 2), (0.6, 4)):
        made = many(Request(actions=12, sentences=12, relatives=0.0, lists=wanted, list_length=longest), 60)
        sizes = Counter(len(np.actions) for m in made for np in lists(m.tree))
        several = sum(k for size, k in sizes.items() if size > 1)
        # some lists end up shorter, where no further action can stand in them without a contradiction
        assert wanted * 0.55 <= share(several, sum(sizes.values())) <= wanted + 0.03
        assert max(sizes) == (longest if wanted else 1)


def test_second_clauses() -> None:
    for wanted in (0.0, 0.4, 1.0):
        made = many(Request(actions=6, sentences=4, second_clauses=wanted, repeats=True), 100)
        sentences = [s for m in made for s in m.tree.sentences]
        two = sum(len(s.clauses) == 2 for s in sentences)
        assert share(two, len(sentences)) == pytest.approx(wanted, abs=0.05)


def test_clock_times() -> None:
    for wanted in (0.0, 0.3, 0.8):
        made = many(Request(actions=5, sentences=5, timed=True, clock_times=wanted), 100)
        could = [c for m in made for c in clauses(m.tree) if "compound" not in c.form]
        times = sum(isinstance(c.object, Time) for c in could)
        assert share(times, len(could)) == pytest.approx(wanted, abs=0.05)


def test_the_base_language_has_no_clock() -> None:
    for made in many(Request(clock_times=1.0), 100):
        assert not any(isinstance(node, Time) for _, node in walk(made.tree))


def test_modals() -> None:
    for wanted in (0.0, 0.5, 1.0):
        made = many(Request(modals=wanted, forms={"adjunct": 1}), 150)
        verbs = [
            n for m in made for _, n in walk(m.tree) if isinstance(n, Word) and n.terminal.startswith("VP")
        ]
        assert share(sum(bool(v.modal) for v in verbs), len(verbs)) == pytest.approx(wanted, abs=0.04)


@pytest.mark.parametrize("timed", [False, True], ids=["base", "timed"])
def test_every_phrase_that_may_be_written_is_written(timed: bool) -> None:
    seen = {
        (node.terminal, node.entry)
        for made in many(Request(timed=timed), 700)
        for _, node in walk(made.tree)
        if isinstance(node, Word)
    }
    assert seen == {(e.terminal, e.key) for e in load_lexicon() if not e.parse_only}


@pytest.mark.parametrize("timed", [False, True], ids=["base", "timed"])
def test_the_number_of_sentences_is_drawn_evenly(timed: bool) -> None:
    seen = Counter(len(made.tree.sentences) for made in many(Request(timed=timed, repeats=True), 600))
    assert fits([seen[k] for k in range(1, 6)], [1] * 5)


def test_durations_vary() -> None:
    seen = Counter(a.duration for made in many(Request(timed=True), 300) for a in made.problem.actions)
    assert set(range(1, 6)) <= set(seen)
    totals = {sum(a.duration or 0 for a in made.problem.actions) for made in many(Request(timed=True), 300)}
    assert totals == set(range(5, 16))
