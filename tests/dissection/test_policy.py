"""Which run is spent next."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.dissection.evidence import CHANGED, KINDS, SAME, Counts, Evidence, of_kinds
from planscope.dissection.rates import FIRST, MOST_SAME, Pick, imagined, next_run
from planscope.session.model import CellKind
from tests.nightly import examples

W = Counts(0, 1)
COUNTS = st.builds(Counts, st.integers(0, 3), st.integers(0, 3))
EVIDENCE = st.dictionaries(st.sampled_from(KINDS), st.lists(COUNTS, max_size=4))


def test_the_request_as_it_is_comes_first() -> None:
    assert next_run({}) == Pick("Original", None)
    assert next_run({"Original": [Counts(0, FIRST - 1)]}) == Pick("Original", 0)
    assert next_run({"Original": [Counts(0, FIRST)]}).kind != "Original"


def test_a_failure_is_looked_for_before_it_is_explained() -> None:
    assert next_run({"Original": [Counts(FIRST, 0)]}, failed=False) == Pick("Original", 0)
    assert next_run({"Original": [Counts(0, 4)]}, failed=False).kind == "Original"


@settings(max_examples=examples(40))
@given(EVIDENCE, st.sets(st.sampled_from(CHANGED)))
def test_a_pick_can_be_made(evidence: dict[CellKind, list[Counts]], closed: set[CellKind]) -> None:
    pick = next_run(evidence, closed)
    mutants = evidence.get(pick.kind, [])
    if pick.place is None:
        assert pick.kind not in closed
        assert pick.kind != "Original" or not mutants
    else:
        assert 0 <= pick.place < len(mutants)


def test_the_most_telling_run_is_taken() -> None:
    """Between two rivals, that of the kind that tells them apart."""
    wrong: dict[CellKind, list[Counts]] = {"Original": [Counts(0, 12)], "TerminalSubstitute": [W] * 12}
    both: Evidence = {**wrong, "TopicChange": [W] * 12, "QuerySynthesize": [W] * 12, "Control": [W] * 12}
    assert next_run(both).kind == "Combined", "only words and topic together may cure"
    likely: Evidence = {**wrong, "TopicChange": [W] * 2, "QuerySynthesize": [Counts(8, 0), W, Counts(5, 0)]}
    assert next_run(likely) == Pick("QuerySynthesize", None), (
        "two mutants are not enough to be sure: a third one"
    )


def test_the_unchanged_query_runs_no_more_often_than_it_tells() -> None:
    evidence: Evidence = {
        "Original": [Counts(0, MOST_SAME)],
        "TerminalSubstitute": [Counts(1, 0), Counts(0, 1)],
    }
    assert next_run(evidence).kind != "Original"
    assert next_run(evidence, ("TerminalSubstitute", *CHANGED)).kind in ("Original", "TerminalSubstitute")
    assert next_run({"Original": [Counts(0, MOST_SAME)]}, CHANGED).kind == "Original"


def test_runs_under_way_are_not_started_twice() -> None:
    """Eight at once go to several mutants, and a mutant that was made but not run is taken before a new one."""
    evidence: dict[CellKind, list[Counts]] = {"Original": [Counts(0, 12)]}
    pending: list[Pick] = []
    for _ in range(8):
        pick = next_run(evidence, pending=pending)
        mutants = evidence.setdefault(pick.kind, [])
        if pick.place is None:
            mutants.append(Counts())
            pick = Pick(pick.kind, len(mutants) - 1)
        pending.append(pick)
    assert len(set(pending)) > 4
    waiting: Evidence = {"Original": [Counts(0, 12)], **{kind: [Counts()] for kind in CHANGED}}
    assert next_run(waiting).place == 0


@given(EVIDENCE)
def test_what_is_imagined_is_one_run_each(evidence: dict[CellKind, list[Counts]]) -> None:
    pending = [
        Pick("TopicChange", None),
        Pick("Original", 0),
        Pick("TopicChange", len(evidence.get("TopicChange", []))),
    ]
    known = imagined(evidence, pending)
    assert of_kinds(known, SAME).runs == of_kinds(evidence, SAME).runs + 1
    assert of_kinds(known, CHANGED).runs == of_kinds(evidence, CHANGED).runs + 2
