"""The statistics behind the method ``rates``, against the same model summed up in the plainest way."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.dissection.belief import (
    _BEHIND,
    _OWN,
    ALIKE,
    ARMS,
    AVOIDS,
    HYPOTHESES,
    ITSELF,
    NONE,
    PAIRS,
    PRIOR,
    RATES,
    SHARES,
    TWO,
    Belief,
    foresee,
    with_runs,
)
from planscope.dissection.evidence import CAUSES, CHANGED, KINDS, SAME, Counts, Evidence, of_kinds
from planscope.session.model import CellKind
from planscope.stats import beta_binomial
from tests.nightly import examples

COUNTS = st.builds(Counts, st.integers(0, 4), st.integers(0, 4))
EVIDENCE = st.dictionaries(st.sampled_from(KINDS), st.lists(COUNTS, max_size=4))


def plain(evidence: Evidence) -> dict[str, float]:
    """Bayes' rule by summing over everything, without logarithms."""

    def seen(rate: float, alike: float, counts: Counts) -> float:
        """A Polya urn with so many balls, a run drawn at a time."""
        found, right, wrong = 1.0, alike * rate, alike * (1 - rate)
        for _ in range(counts.right):
            found *= right / (right + wrong)
            right += 1
        for _ in range(counts.wrong):
            found *= wrong / (right + wrong)
            wrong += 1
        return found

    same = of_kinds(evidence, SAME)
    weights: dict[str, float] = {}
    for cause, avoids in AVOIDS.items():
        whole = 0.0
        for bad, good, alike, weight in PAIRS:
            value = weight * seen(bad, ITSELF, same)
            for arm, (kind, places) in ARMS.items():
                mutants = evidence.get(kind, [])[places]
                by_share = [
                    math.prod(
                        share * seen(good, alike, m) + (1 - share) * seen(bad, alike, m) for m in mutants
                    )
                    for share in SHARES
                ]
                likely = avoids[arm]
                own = _OWN if likely == 1 else _BEHIND
                value *= (1 - likely) * by_share[0] + likely * sum(
                    w * v for w, v in zip(own, by_share, strict=True)
                )
            whole += value
        weights[cause] = PRIOR[cause] * whole
    for name, rates in RATES.items():
        weights[name] = sum(
            weight
            * seen(rate, ITSELF, same)
            * math.prod(seen(rate, alike, m) for kind in CHANGED for m in evidence.get(kind, []))
            for rate, alike, weight in rates
        )
    return {name: value / sum(weights.values()) for name, value in weights.items()}


def test_the_weights_are_shares() -> None:
    assert math.isclose(sum(weight for *_, weight in PAIRS), 1)
    assert math.isclose(sum(weight for _, weight in ALIKE), 1)
    for rates in RATES.values():
        assert math.isclose(sum(weight for *_, weight in rates), 1)
    for weights in (_OWN, _BEHIND):
        assert len(weights) == len(SHARES)
        assert math.isclose(sum(weights), 1)


@settings(max_examples=examples(25))
@given(EVIDENCE)
def test_it_is_bayes_rule(evidence: dict[CellKind, list[Counts]]) -> None:
    found, expected = Belief(evidence).likely, plain(evidence)
    for name in HYPOTHESES:
        assert math.isclose(found[name], expected[name], rel_tol=1e-6, abs_tol=1e-12)


def test_before_any_run_all_are_alike_and_two_at_once_less_likely() -> None:
    likely = Belief({}).likely
    assert all(math.isclose(likely[name], likely[NONE]) for name in CAUSES)
    assert all(likely[name] < likely[NONE] for name in TWO)
    assert math.isclose(Belief({}).log_evidence, 0, abs_tol=1e-9)


def test_a_cause_is_as_likely_as_all_that_contains_it() -> None:
    belief = Belief({"Original": [Counts(0, 9)], "Combined": [Counts(1, 0), Counts(0, 1)] * 3})
    assert math.isclose(
        belief.of("Topic"),
        belief.likely["Topic"]
        + sum(p for name, p in belief.likely.items() if "Topic " in name or name.endswith(" Topic")),
    )
    assert math.isclose(sum(belief.told().values()), 1)


@given(st.sampled_from([0.02, 0.3, 0.5, 0.9]), st.sampled_from([0.3, 30.0]), st.integers(1, 5))
def test_chances_of_all_that_can_happen_sum_to_one(rate: float, alike: float, runs: int) -> None:
    whole = sum(
        math.exp(beta_binomial(rate, alike, sum(ends), runs - sum(ends)))
        for ends in product((0, 1), repeat=runs)
    )
    assert math.isclose(whole, 1)


def test_repeats_of_one_mutant_tell_less_than_as_many_mutants() -> None:
    """A deterministic agent is right with one text each time: that is one observation, however often it is made."""

    def terminal(*mutants: Counts) -> float:
        return Belief({"Original": [Counts(0, 10)], "TerminalSubstitute": mutants}).of("Terminal")

    assert terminal(*[Counts(1, 0)] * 5) > 0.98
    assert terminal(Counts(1, 0)) < terminal(Counts(5, 0)) < 0.92
    assert terminal(Counts(500, 0)) < 0.92


def test_one_text_that_is_always_right_does_not_speak_for_its_kind() -> None:
    evidence: Evidence = {
        "Original": [Counts(0, 10)],
        "TerminalSubstitute": [Counts(5, 0), *[Counts(0, 1)] * 6],
        "TopicChange": [Counts(0, 1)] * 6,
        "QuerySynthesize": [Counts(0, 1)] * 6,
        "Control": [Counts(0, 1)] * 6,
    }
    assert Belief(evidence).likely["Terminal"] < 0.6
    spread = {**evidence, "TerminalSubstitute": [*[Counts(1, 0)] * 5, *[Counts(0, 1)] * 6]}
    assert Belief(spread).of("Terminal") > 0.95


@settings(max_examples=examples(40))
@given(EVIDENCE, st.sampled_from(("Original", *CHANGED)), st.integers(0, 5))
def test_what_is_foreseen_is_what_would_be_believed(
    evidence: dict[CellKind, list[Counts]], kind: CellKind, place: int
) -> None:
    """A right run and a wrong one, weighed by how likely they are, are together what is believed now."""
    belief = Belief(evidence)
    share, gain = foresee(evidence, belief, kind, place)
    assert 0 <= share <= 1 + 1e-9
    right, wrong = (
        Belief(with_runs(evidence, kind, place, one)).likely for one in (Counts(1, 0), Counts(0, 1))
    )
    for name in HYPOTHESES:
        mixed = share * right[name] + (1 - share) * wrong[name]
        assert math.isclose(mixed, belief.likely[name], rel_tol=1e-4, abs_tol=1e-9)
    assert gain >= -1e-9


def test_more_runs_are_of_a_mutant_or_of_a_new_one() -> None:
    evidence: Evidence = {"TopicChange": [Counts(1, 0)]}
    assert with_runs(evidence, "TopicChange", 0, Counts(0, 2)) == {"TopicChange": [Counts(1, 2)]}
    assert with_runs(evidence, "TopicChange", None, Counts(0, 2)) == {
        "TopicChange": [Counts(1, 0), Counts(0, 2)]
    }
    assert evidence == {"TopicChange": [Counts(1, 0)]}


@given(EVIDENCE)
def test_the_order_of_mutants_that_change_the_same_does_not_matter(
    evidence: dict[CellKind, list[Counts]],
) -> None:
    """Every second one of two kinds changes more, so that pairs of places are exchanged."""
    mixed = {k: [*m[2:4], *m[0:2]] if len(m) == 4 else m for k, m in evidence.items()}
    one, other = Belief(evidence).likely, Belief(mixed).likely
    assert all(math.isclose(one[n], other[n], rel_tol=1e-9, abs_tol=1e-15) for n in HYPOTHESES)


def test_thousands_of_runs_are_no_trouble() -> None:
    evidence: Evidence = {
        "Original": [Counts(300, 300)],
        "TopicChange": [Counts(5, 5)] * 50,
        "Control": [Counts(10, 0), Counts(0, 10)] * 20,
    }
    likely = Belief(evidence).likely
    assert math.isclose(sum(likely.values()), 1)


def test_one_mutant_that_is_right_again_and_again_weighs_more_than_luck_here_and_there() -> None:
    spread: Evidence = {"Original": [Counts(2, 8)], "TopicChange": [Counts(1, 2)] * 6}
    steady: Evidence = {
        "Original": [Counts(2, 8)],
        "TopicChange": [Counts(6, 0), Counts(0, 3), Counts(0, 3), Counts(0, 3), Counts(0, 3)],
    }
    assert Belief(steady).likely["Topic"] > 2 * Belief(spread).likely["Topic"]


RIGHT: dict[str, tuple[str, ...]] = {
    "Terminal": ("W", "SW", "TW", "STW", "C"),
    "Topic": ("T", "TW", "STW"),
    "Structure": ("S", "SW", "STW", "C"),
    "Constraint": ("C",),
    "Topic and Terminal": ("TW", "STW"),
    "Terminal and Structure": ("SW", "STW", "C"),
    "Topic and Structure": ("STW",),
    "Topic or Terminal": ("W", "T", "SW", "TW", "STW", "C"),
}
"""The arms that are right, for each cause."""


@pytest.mark.parametrize("cause", RIGHT)
def test_the_least_change_that_cures_is_the_cause(cause: str) -> None:
    evidence: dict[CellKind, list[Counts]] = {"Original": [Counts(0, 10)]}
    for kind in CHANGED:
        evidence[kind] = [Counts(0, 2)] * 12
    for arm in RIGHT[cause]:
        kind, places = ARMS[arm]
        for place in range(12)[places]:
            evidence[kind][place] = Counts(2, 0)
    likely = Belief(evidence).likely
    assert max(likely, key=lambda name: likely[name]) == cause


def test_none_is_where_fresh_requests_fail_too() -> None:
    evidence: Evidence = {"Original": [Counts(0, 10)], **{kind: [Counts(0, 1)] * 12 for kind in CHANGED}}
    assert Belief(evidence).likely[NONE] > 0.9
