"""Algorithm 2 as published, against a transcription of the paper's own lines."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.dissection.evidence import Counts
from planscope.dissection.paper import LOOPS, decide_paper, next_round, rounds
from planscope.dissection.rates import Pick
from planscope.session.model import CellKind

Agent = Callable[[CellKind, int], bool]


def published(agent: Agent, k: int) -> tuple[str, int]:
    """Lines 1 to 30, with all rounds of the last loop before "Constraint"; the cause, and the runs it took."""
    runs = 0
    for n in range(3):
        runs += 1
        if agent("Repeat", n):
            return "Probability", runs
    for kind, cause in (
        ("TerminalSubstitute", "Terminal"),
        ("TopicChange", "Topic"),
        ("QuerySynthesize", "Structure"),
    ):
        for n in range(k):
            runs += 1
            if agent(kind, n):
                return cause, runs
    return "Constraint", runs


def ours(agent: Agent, budget: int, at_once: int = 1) -> tuple[str | None, int]:
    evidence: dict[CellKind, list[Counts]] = {}
    runs = 0
    while True:
        picks: list[Pick] = []
        while len(picks) < at_once and (pick := next_round(evidence, budget, failed=True, pending=picks)):
            mutants = evidence.setdefault(pick.kind, [])
            if pick.place is None:
                mutants.append(Counts())
                pick = Pick(pick.kind, len(mutants) - 1)
            picks.append(pick)
        if not picks:
            return decide_paper(evidence, budget, failed=True).cause, runs
        for pick in picks:
            assert pick.place is not None
            runs += 1
            right = agent(pick.kind, pick.place)
            evidence[pick.kind][pick.place] += Counts(int(right), int(not right))


OUTCOMES = st.dictionaries(st.sampled_from(LOOPS), st.lists(st.booleans(), max_size=12))


@given(OUTCOMES, st.integers(3, 40), st.integers(1, 5))
def test_it_is_what_was_published(outcomes: dict[CellKind, list[bool]], budget: int, at_once: int) -> None:
    def agent(kind: CellKind, number: int) -> bool:
        known = outcomes.get(kind, [])
        return number < len(known) and known[number]

    expected = published(agent, rounds(budget))
    assert ours(agent, budget) == expected
    cause, runs = ours(agent, budget, at_once)
    assert cause == expected[0]
    assert runs >= expected[1]


@pytest.mark.parametrize(("budget", "k"), [(60, 19), (12, 3), (3, 1), (1, 1), (1000, 332)])
def test_the_rounds_fit_the_budget(budget: int, k: int) -> None:
    assert rounds(budget) == k
    assert 3 + 3 * k <= max(budget, 6)


def test_without_a_failing_run_it_looks_for_one_first() -> None:
    assert next_round({}, 60) == Pick("Original", None)
    assert next_round({"Original": [Counts(3, 0)]}, 60) == Pick("Original", 0)
    assert next_round({"Original": [Counts(3, 1)]}, 60) == Pick("Repeat", None)
    assert next_round({"Original": [Counts(12, 0)]}, 60) is None
    found = decide_paper({"Original": [Counts(12, 0)]}, 60)
    assert (found.cause, found.settled) == (None, True)
    assert found.reason.startswith("there is nothing to dissect")


def test_what_is_not_done_yet_is_undecided() -> None:
    found = decide_paper(
        {"Repeat": [Counts(0, 1)] * 3, "TerminalSubstitute": [Counts(0, 1)] * 2}, 60, failed=True
    )
    assert (found.cause, found.confidence, found.settled) == (None, None, False)
    assert found.missing == "17 more runs of “other words”"


def test_kinds_without_mutants_are_passed_over() -> None:
    evidence = {kind: [Counts(0, 1)] * 3 for kind in LOOPS if kind != "TopicChange"}
    assert decide_paper(evidence, 12, failed=True, closed=["TopicChange"]).cause == "Constraint"
    assert next_round(evidence, 12, failed=True, closed=["TopicChange"]) is None


def test_an_aborted_run_counts_in_nothing_and_is_made_again() -> None:
    evidence = {"Repeat": [Counts(0, 1), Counts(), Counts(0, 1)]}
    assert next_round(evidence, 60, failed=True) == Pick("Repeat", 1)
