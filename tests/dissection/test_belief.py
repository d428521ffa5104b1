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
    DODGES,
    HYPOTHESES,
    ITSELF,
    NONE,
    PAIRS,
    PRIOR,
    RATES,
    SEVERAL,
    SHARES,
    Belief,
)
from planscope.dissection.evidence import CAUSES, CHANGED, KINDS, SAME, Counts, Evidence, of_kinds
from planscope.session.model import CellKind
from planscope.stats import beta_binomial, entropy

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
    for cause, dodges in DODGES.items():
        whole = 0.0
        for bad, good, alike, weight in PAIRS:
            value = weight * seen(bad, ITSELF, same)
            for kind in CHANGED:
                mutants = evidence.get(kind, [])
                by_share = [
                    math.prod(
                        share * seen(good, alike, m) + (1 - share) * seen(bad, alike, m) for m in mutants
                    )
                    for share in SHARES
                ]
                likely = dodges[kind]
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


@settings(max_examples=60)
@given(EVIDENCE)
def test_it_is_bayes_rule(evidence: dict[CellKind, list[Counts]]) -> None:
    found, expected = Belief(evidence).likely, plain(evidence)
    for name in HYPOTHESES:
        assert math.isclose(found[name], expected[name], rel_tol=1e-6, abs_tol=1e-12)


def test_before_any_run_all_are_alike_and_several_at_once_less_likely() -> None:
    likely = Belief({}).likely
    assert all(math.isclose(likely[name], likely[NONE]) for name in CAUSES)
    assert likely[SEVERAL] < likely[NONE]


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
        return Belief({"Original": [Counts(0, 10)], "TerminalSubstitute": mutants}).likely["Terminal"]

    assert terminal(*[Counts(1, 0)] * 5) > 0.98
    assert terminal(Counts(1, 0)) < terminal(Counts(5, 0)) < 0.9
    assert terminal(Counts(500, 0)) < 0.9


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
    assert Belief(spread).likely["Terminal"] > 0.95


@settings(max_examples=40)
@given(EVIDENCE, st.sampled_from(("Original", *CHANGED)), COUNTS)
def test_what_is_foreseen_is_what_would_be_believed(
    evidence: dict[CellKind, list[Counts]], kind: CellKind, mutant: Counts
) -> None:
    """For a right run and a wrong one, and both together are what is believed now."""
    before = {k: list(m) for k, m in evidence.items()}
    if kind in SAME:
        mutant = Counts()
    before.setdefault(kind, []).append(mutant)
    belief = Belief(before)
    share, right = belief.foresee(kind, mutant)
    assert 0 <= share <= 1
    whole = sum(right.values())
    after = {end: Belief(_with(before, kind, end)).likely for end in (Counts(1, 0), Counts(0, 1))}
    for name in HYPOTHESES:
        assert math.isclose(right[name] / whole, after[Counts(1, 0)][name], rel_tol=1e-4, abs_tol=1e-9)
        mixed = share * after[Counts(1, 0)][name] + (1 - share) * after[Counts(0, 1)][name]
        assert math.isclose(mixed, belief.likely[name], rel_tol=1e-4, abs_tol=1e-9)
    gain = belief.gain(kind, mutant)
    expected = entropy(belief.likely.values())
    expected -= share * entropy(after[Counts(1, 0)].values()) + (1 - share) * entropy(
        after[Counts(0, 1)].values()
    )
    assert math.isclose(gain, expected, rel_tol=1e-4, abs_tol=1e-9)
    assert gain >= -1e-9


def _with(evidence: dict[CellKind, list[Counts]], kind: CellKind, end: Counts) -> Evidence:
    known = {k: list(m) for k, m in evidence.items()}
    known[kind][-1] += end
    return known


@given(EVIDENCE, st.randoms(use_true_random=False))
def test_the_order_of_mutants_does_not_matter(evidence: dict[CellKind, list[Counts]], draw: object) -> None:
    mixed = {k: list(m) for k, m in evidence.items()}
    for mutants in mixed.values():
        draw.shuffle(mutants)  # type: ignore[attr-defined]
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


@pytest.mark.parametrize("place", range(1, 6))
def test_the_first_arm_that_rises_names_the_cause(place: int) -> None:
    """What the arms behind it do is not part of its meaning."""
    arms: list[CellKind] = list(CHANGED)
    for behind in (Counts(0, 1), Counts(1, 0)):
        evidence = {
            kind: [Counts(0, 1) if k < place - 1 else Counts(1, 0) if k == place - 1 else behind] * 12
            for k, kind in enumerate(arms)
        }
        likely = Belief({"Original": [Counts(0, 10)], **evidence}).likely
        named = (*CAUSES[:4], SEVERAL, CAUSES[4])
        assert max(likely, key=lambda name: likely[name]) == named[place]


def test_none_is_where_fresh_requests_fail_too() -> None:
    evidence: Evidence = {"Original": [Counts(0, 10)], **{kind: [Counts(0, 1)] * 12 for kind in CHANGED}}
    assert Belief(evidence).likely[NONE] > 0.9
