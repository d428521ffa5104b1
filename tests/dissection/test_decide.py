"""From counts to a decision: causes, what is undecided and what is missing, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.dissection.evidence import CHANGED, KINDS, Cause, Counts, Evidence
from planscope.dissection.rates import NAMED, SPOTLESS, Pick, decide, is_settled, next_run
from planscope.session.model import CellKind
from tests.nightly import examples

R, W = Counts(1, 0), Counts(0, 1)

HIGHEST: Mapping[Cause, float] = {"Topic": 0.94, "Structure": 0.94}
"""The highest confidence where only two mutants speak."""

CLEAR: Mapping[Cause, tuple[Evidence, str]] = {
    "Probability": (
        {"Original": [Counts(6, 6)], "TerminalSubstitute": [Counts(2, 2)] * 3, "Control": [Counts(2, 2)]},
        "the unchanged query was right 6 of 12 times, and changed 8 of 16 times (4 mutants): it comes and goes, "
        "whatever is changed",
    ),
    "Terminal": (
        {
            "Original": [Counts(1, 11)],
            "TerminalSubstitute": [R, W, R, R, Counts(6, 0)],
            "TopicChange": [W] * 3,
        },
        "the unchanged query was right 1 of 12 times, but with its words replaced it was right 9 of 10 times "
        "(5 mutants)",
    ),
    "Topic": (
        {"Original": [Counts(0, 10)], "TerminalSubstitute": [W] * 10, "TopicChange": [R, W, Counts(5, 0)]},
        "the unchanged query was right 0 of 10 times, with its words replaced 0 of 10 times, but about "
        "another topic it was right 6 of 7 times (3 mutants)",
    ),
    "Structure": (
        {
            "Original": [Counts(0, 10)],
            "TerminalSubstitute": [W] * 10,
            "TopicChange": [W] * 10,
            "QuerySynthesize": [R, W, Counts(5, 0)],
        },
        "the unchanged query was right 0 of 10 times, with its words replaced 0 of 10 times and about another "
        "topic 0 of 10 times, but in other sentences with the same meaning it was right 6 of 7 times "
        "(3 mutants)",
    ),
    "Constraint": (
        {
            "Original": [Counts(0, 10)],
            "TerminalSubstitute": [W] * 12,
            "TopicChange": [W] * 12,
            "QuerySynthesize": [W] * 12,
            "Control": [R, W, R, R, Counts(4, 0)],
        },
        "the unchanged query was right 0 of 10 times, however it was worded 0 of 36 times, but fresh queries of the "
        "same size were right 7 of 8 times (5 mutants)",
    ),
}


@pytest.mark.parametrize("cause", CLEAR)
def test_clear_cases(cause: Cause) -> None:
    evidence, reason = CLEAR[cause]
    found = decide(evidence, failed=True)
    assert found.cause == cause
    assert found.confidence is not None
    assert found.confidence >= NAMED
    assert found.reason == reason
    assert found.missing is None
    # Causes that are to blame together with another one count as well.
    least = min(found.likely[cause], HIGHEST.get(cause, 1))
    assert least <= found.confidence <= least + found.likely["several"] + 1e-9


def test_one_or_two_mutants_do_not_speak_for_their_kind() -> None:
    """Repeats of one text are one observation: a kind is sure only when three different mutants were right."""
    stated = []
    for mutants in ([Counts(9, 0)], [Counts(5, 0), Counts(4, 0)], [Counts(3, 0)] * 3):
        arms: Evidence = {"Original": [Counts(0, 9)], "TerminalSubstitute": mutants}
        found = decide(arms, failed=True)
        assert found.cause == "Terminal" and found.confidence is not None
        stated.append(found.confidence)
    assert stated[0] < 0.9 < stated[1] < 0.95 < stated[2]
    assert next_run({"Original": [Counts(0, 9)], "TerminalSubstitute": [Counts(9, 0)]}) == Pick(
        "TerminalSubstitute", None
    )


def test_two_causes_are_both_said() -> None:
    """Either change cures, or only both together do: both are more than one cause."""
    evidence: Evidence = {
        "Original": [Counts(0, 9)],
        "TerminalSubstitute": [Counts(2, 0)] * 4,
        "TopicChange": [Counts(2, 0)] * 4,
    }
    either = decide(evidence, failed=True)
    assert [cause for cause, _ in either.causes] == ["Terminal", "Topic"]
    arms: dict[CellKind, list[Counts]] = {kind: [W] * 12 for kind in CHANGED}
    both = decide({"Original": [Counts(0, 9)], **arms, "Combined": [Counts(2, 0)] * 4}, failed=True)
    assert [cause for cause, _ in both.causes] == ["Topic", "Terminal"]
    assert both.several and not decide({"Original": [Counts(0, 9)], **arms}, failed=True).several


def test_an_agent_that_just_fails_has_no_cause_in_the_request() -> None:
    evidence: Evidence = {"Original": [Counts(0, 10)], **{kind: [W] * 20 for kind in CHANGED}}
    found = decide(evidence, failed=True)
    assert (found.cause, found.confidence) == (None, found.likely["none"])
    assert found.blameless and found.confidence is not None and found.confidence > 0.98
    assert found.reason == (
        "nothing in this query is to blame: it was right 0 of 90 times, and fresh queries of the same size were "
        "right 0 of 20 times"
    )
    assert found.missing is not None
    assert found.missing.startswith("an easier query, or another model")


def test_no_cause_is_said_with_its_confidence_before_it_is_beyond_doubt() -> None:
    """What the budget allows is often not enough to be certain; it is still an answer, and no indecision."""
    evidence: Evidence = {"Original": [Counts(0, 8)], **{kind: [W] * 7 for kind in CHANGED}}
    found = decide(evidence, failed=True)
    assert (found.cause, found.blameless, found.settled) == (None, True, False)
    assert found.confidence == found.likely["none"]
    assert NAMED <= found.confidence < 0.98


def test_where_it_never_failed_there_is_nothing_to_dissect() -> None:
    assert decide({}).reason == "no run can be judged yet"
    some = decide({"Original": [Counts(5, 0)]})
    assert (some.cause, some.settled) == (None, False)
    assert some.missing == f"a run that fails, or {SPOTLESS - 5} more of the unchanged query"
    all_ = decide({"Original": [Counts(SPOTLESS, 0)]})
    assert (all_.cause, all_.settled) == (None, True)
    assert all_.reason.startswith(
        "there is nothing to dissect: the unchanged query was right in all of its 12"
    )
    mixed = decide({"Repeat": [R] * SPOTLESS})
    assert mixed.settled


def test_a_failure_seen_before_makes_right_runs_a_matter_of_chance() -> None:
    found = decide({"Original": [Counts(12, 0)]}, failed=True)
    assert found.cause == "Probability"


def test_what_is_missing_names_a_kind() -> None:
    evidence: Evidence = {
        "Original": [Counts(0, 10)],
        "TerminalSubstitute": [W, W],
        "TopicChange": [W, W, R],
        "QuerySynthesize": [W],
    }
    found = decide(evidence, failed=True)
    assert found.cause is None
    assert found.missing is not None
    assert found.missing.startswith("more runs; next of “")
    assert "most likely" in found.reason


@settings(max_examples=examples(60))
@given(
    st.dictionaries(
        st.sampled_from(KINDS),
        st.lists(st.builds(Counts, st.integers(0, 5), st.integers(0, 5)), max_size=5),
    ),
    st.booleans(),
)
def test_every_decision_is_whole(evidence: dict[CellKind, Sequence[Counts]], failed: bool) -> None:
    found = decide(evidence, failed=failed)
    assert (found.cause is None) == (found.missing is not None)
    never_failed = not found.likely
    assert (found.confidence is None) == (never_failed or (found.cause is None and not found.blameless))
    assert found.reason and "\n" not in found.reason
    assert found.settled == is_settled(evidence, failed=failed)
    if found.confidence is not None:
        assert NAMED <= found.confidence <= 1
