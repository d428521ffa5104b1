"""What a dissection runs next in words, and the mutant that cured the query."""

from __future__ import annotations

import pytest

from planscope.dissection.steps import cured, next_in_words
from planscope.dissection.summary import Summary, summary
from planscope.session.locations import bundled
from planscope.session.model import Cell, Session
from planscope.session.store import load


def summed(name: str, keep: int | None = None) -> tuple[Session, Summary]:
    """The dissection of a bundled session, or its first runs of the query as it is alone."""
    session = load(bundled()[name])
    record = session.dissections[0]
    if keep is not None:
        first = record.cells[0]
        cells = (
            [Cell(kind=first.kind, number=1, variant=first.variant, runs=first.runs[:keep])] if keep else []
        )
        record = record.model_copy(update={"cells": cells})
    return session, summary(session, record)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("cause-terminal", "TerminalSubstitute"),
        ("cause-topic", "TopicChange"),
        ("cause-structure", "QuerySynthesize"),
    ],
)
def test_the_cured_query_is_a_right_mutant_of_the_kind_that_names_the_cause(name: str, kind: str) -> None:
    _, found = summed(name)
    place = cured(found)
    assert place is not None
    cell = found.rows[place[0]].cells[place[1]]
    assert cell.counts.right and not cell.counts.wrong
    if found.culprit is not None:
        assert cell.variant == found.culprit.variant
        assert cell.kind in ("Culprit", kind), "a limit is seen among the variants that were run anyway"
        return
    assert cell.kind == kind
    assert all(
        other.counts.wrong or other.counts.right <= cell.counts.right for other in found.row(kind).cells
    )


def test_nothing_cures_where_no_mutant_names_the_cause() -> None:
    assert cured(summed("cause-probability")[1]) is None


def test_it_says_what_is_run_next_until_more_runs_would_change_nothing() -> None:
    assert next_in_words(summed("cause-terminal", 0)[1]).startswith(
        "Next: the query as it is, to see how often"
    )
    told = next_in_words(summed("cause-terminal", 8)[1])
    assert told.startswith("Next: ") and "points to the cause" in told
    assert next_in_words(summed("cause-terminal")[1]) == ""
