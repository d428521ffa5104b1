"""What is shown of a dissection follows from the runs alone, whatever the file says."""

from __future__ import annotations

import random

import pytest

from planscope.dissection.engine import Dissector
from planscope.dissection.options import DissectOptions
from planscope.dissection.summary import CellRun, CellView, failed_before, summary
from planscope.oracle.verdict_types import Verdict
from planscope.session.model import Cell, Dissection, Run, Session
from planscope.session.store import dumps, loads
from planscope.stats import wilson

from .cases import PLANTED, failing, verdict


@pytest.fixture(scope="module")
def dissected() -> bytes:
    session = failing(PLANTED["Terminal"])
    made = Dissector(
        session,
        session.variants[0],
        DissectOptions(model=PLANTED["Terminal"], budget=30),
        run=session.runs[0],
    )
    made.go()
    made.add_to(session)
    return dumps(session)


def test_it_is_the_same_from_the_file(dissected: bytes) -> None:
    session = loads(dissected)
    found = summary(session, session.dissections[0])
    again = summary(loads(dissected), loads(dissected).dissections[0])
    assert found == again
    assert dumps(session) == dissected
    variants = {v.id: v for v in session.variants}
    runs = {r.id: r for r in session.runs}
    for row in found.rows:
        told = [r for c in row.cells for r in c.runs]
        assert [r.verdict for r in told] == [
            verdict(variants[runs[r.run].variant], runs[r.run]) for r in told
        ]
        assert row.rate.right == sum(r.verdict == "right" for r in told)
        assert row.rate.counted == sum(r.verdict in ("right", "wrong") for r in told)
    assert found.runs == sum(len(c.runs) for c in session.dissections[0].cells)


def test_what_the_file_claims_is_not_believed(dissected: bytes) -> None:
    session = loads(dissected)
    record = session.dissections[0]
    honest = summary(session, record)
    record.__pydantic_extra__ = {"cause": "Topic", "confidence": 1.0}
    assert summary(session, record) == honest


def test_the_order_of_the_cells_in_the_file_does_not_matter(dissected: bytes) -> None:
    session = loads(dissected)
    honest = summary(session, session.dissections[0])
    random.Random(1).shuffle(session.dissections[0].cells)
    assert summary(session, session.dissections[0]) == honest


def test_a_run_of_another_variant_counts_in_no_cell(dissected: bytes) -> None:
    session = loads(dissected)
    record = session.dissections[0]
    honest = summary(session, record)
    original = next(c for c in record.cells if c.kind == "Original")
    other = next(c for c in record.cells if c.kind == "TerminalSubstitute" and c.runs)
    other.runs = [*other.runs, *original.runs]
    assert summary(session, record).row("TerminalSubstitute").rate == honest.row("TerminalSubstitute").rate


def test_a_mutant_that_cannot_be_read_cannot_be_judged(dissected: bytes) -> None:
    session = loads(dissected)
    record = session.dissections[0]
    cell = next(c for c in record.cells if c.kind == "TerminalSubstitute" and c.runs)
    variant = next(v for v in session.variants if v.id == cell.variant)
    variant.query.text = "Whatever."
    found = summary(session, record)
    assert found.row("TerminalSubstitute").rate.unknown >= len(cell.runs)
    shown = next(c for c in found.row("TerminalSubstitute").cells if c.number == cell.number)
    assert shown.outcome == "aborted"


def test_the_failing_run_of_another_model_says_nothing_about_this_one() -> None:
    session = failing(PLANTED["Topic"])
    record = Dissection(id="d1", variant="v1", run="r1", agent="tools", model="sim:careful")
    record.cells = [Cell(kind="Original", number=1, variant="v1")]
    assert summary(session, record).decision.reason == "no run can be judged yet"
    assert summary(session, record).began is not None


@pytest.mark.parametrize(
    ("verdicts", "outcome"),
    [
        ([], "pending"),
        (["right"], "right"),
        (["wrong", "aborted"], "wrong"),
        (["right", "wrong"], "mixed"),
        (["aborted", "unknown"], "aborted"),
    ],
)
def test_what_a_cell_shows(verdicts: list[str], outcome: str) -> None:
    runs = tuple(CellRun(f"r{k}", v, "order_error" if v == "wrong" else None) for k, v in enumerate(verdicts))
    cell = CellView("TopicChange", 1, "v1", runs)
    assert cell.outcome == outcome
    assert cell.error_type == ("order_error" if "wrong" in verdicts else None)
    assert (cell.counts.right, cell.counts.wrong) == (verdicts.count("right"), verdicts.count("wrong"))


def test_an_empty_dissection_has_all_rows() -> None:
    session = Session(id="s", title="s", variants=failing(PLANTED["Topic"]).variants)
    found = summary(session, Dissection(id="d1", variant="v1", agent="tools", model="sim:careful"))
    assert [row.kind for row in found.rows] == [
        "Original", "Repeat", "TerminalSubstitute", "TopicChange", "QuerySynthesize", "Control",
    ]  # fmt: skip
    assert found.runs == 0


def test_repeats_of_one_mutant_do_not_narrow_the_interval(dissected: bytes) -> None:
    """Runs and mutants are counted apart; a mutant is one sample, and the query as it is one in each run."""
    session = loads(dissected)
    record = session.dissections[0]
    cell = next(c for c in record.cells if c.kind == "TerminalSubstitute" and c.runs)
    record.cells = [c for c in record.cells if c.kind != "TerminalSubstitute"] + [cell]
    once = summary(session, record).row("TerminalSubstitute")
    first = next(r for r in session.runs if r.id == cell.runs[0])
    again = [first.model_copy(update={"id": f"again{k}"}) for k in range(4)]
    session.runs += again
    cell.runs = [first.id, *(run.id for run in again)]
    often = summary(session, record).row("TerminalSubstitute")
    assert (once.mutants, often.mutants) == (1, 1)
    assert often.rate.counted == 5
    assert (often.rate.low, often.rate.high) == wilson(often.rate.right / 5, 1)
    as_it_is = summary(session, record).row("Original")
    assert as_it_is.mutants == 1
    assert (as_it_is.rate.low, as_it_is.rate.high) == wilson(as_it_is.rate.right, as_it_is.rate.counted)


def test_only_a_wrong_run_of_this_query_model_and_agent_shows_that_it_fails() -> None:
    one = Dissection(id="d1", variant="v1", agent="tools", model="m")
    run = Run(id="r1", variant="v1", agent="tools", model="m", events=[])
    wrong, right = (Verdict(kind, None, (), None) for kind in ("wrong", "right"))
    assert failed_before(one, run, wrong)
    assert not failed_before(one, run, right) and not failed_before(one, None, wrong)
    for field in ("variant", "agent", "model"):
        assert not failed_before(one, run.model_copy(update={field: "other"}), wrong), field
