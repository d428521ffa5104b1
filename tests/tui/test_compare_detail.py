"""What the lower half of the compare screen tells about a row."""

from __future__ import annotations

import pytest

from planscope.compare import compare
from planscope.compare.result import Comparison
from planscope.session.locations import bundled
from planscope.session.model import Query
from planscope.session.store import load
from planscope.tui.panes.compare_calls import Row
from planscope.tui.panes.compare_detail import detail_lines, detail_title
from planscope.tui.panes.compare_lines import rows_of


@pytest.fixture(scope="module")
def compared() -> Comparison:
    session = load(bundled()["first-look"])
    return compare(session, session.runs[0], session, session.runs[1])


def told(compared: Comparison, row: Row, which: int) -> str:
    return "\n".join(line.text for line in detail_lines(compared, row, which, 60))


def test_the_step_that_lost_one_plan_says_why_beside_the_one_that_did_not(compared: Comparison) -> None:
    row = next(row for row in rows_of("calls", compared, 60) if row.steps == (3, 2))
    left, right = told(compared, row, 0), told(compared, row, 1)
    assert "school_tour_guidance" in left and "school_tour_guidance" in right
    assert "✓ possible" in left and "conflict" not in left and "why" not in left
    assert "● lost, LOST HERE (point of no return)" in right
    assert right.count("●") >= 3 and "why" in right, "the constraints in conflict are named"
    assert [run.text for run in detail_title(compared.b, row, 1)] == ["Step 2"]


def test_a_side_without_the_call_says_where_it_is(compared: Comparison) -> None:
    row = next(row for row in rows_of("calls", compared, 60) if row.steps == (2, None))
    assert "The same call is step 3 on this side." in told(compared, row, 1)
    end = rows_of("calls", compared, 60)[-1]
    assert "the agent ended the run" in told(compared, end, 0) and "complete" in told(compared, end, 0)


def test_a_constraint_says_its_words_and_what_became_of_it() -> None:
    session = load(bundled()["first-look"])
    text = session.variants[0].query.text.rpartition(". ")[0] + "."
    query = Query(text=text, timed=session.variants[0].query.timed)
    session.variants.append(session.variants[0].model_copy(update={"id": "v2", "query": query}))
    compared = compare(session, session.runs[1], session, session.variants[1])
    rows = [row for row in rows_of("constraints", compared, 60) if row.differs]
    assert rows and all("Not stated here" in told(compared, row, 1) for row in rows if not row.constraints[1])
    every = "\n".join(told(compared, row, 0) for row in rows_of("constraints", compared, 60))
    assert "says: “" in every and "from step 2 on" in every
