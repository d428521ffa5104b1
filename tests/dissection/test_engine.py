"""The dissector with simulated models: causes found, budget kept, stopped, resumed, asked for single runs."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from planscope.agents.models import ModelUnavailable
from planscope.agents.paradigms import UnknownAgent
from planscope.dissection.engine import Dissector
from planscope.dissection.options import DissectOptions
from planscope.dissection.summary import summary
from planscope.dissection.variants import NoVariant
from planscope.errors import UserError
from planscope.session.model import Cell, Dissection, Run, Session, Variant
from planscope.session.store import dumps, loads
from tests.nightly import nightly, rounds

from .cases import PLANTED, failing, query


def dissect(
    session: Session, model: str, seed: int | None = None, resume: Dissection | None = None, **options: Any
) -> Dissection:
    asked = DissectOptions(model=model, seed=seed, **options)
    made = Dissector(session, session.variants[0], asked, run=session.runs[0], resume=resume)
    made.go()
    return made.add_to(session)


@pytest.mark.parametrize(
    "cause,timed",
    [
        *((cause, cause == "Structure") for cause in ("Topic", "Structure")),
        *nightly(
            *((cause, cause == "Structure") for cause in PLANTED if cause not in ("Topic", "Structure"))
        ),
        *nightly(*((cause, cause != "Structure") for cause in PLANTED)),
    ],
)
def test_the_planted_cause_is_named(cause: str, timed: bool) -> None:
    session = failing(PLANTED[cause], timed=timed)
    record = dissect(session, PLANTED[cause])
    found = summary(session, record)
    assert found.decision.cause == cause
    assert found.runs <= 60
    assert found.began is not None
    assert found.began.verdict == "wrong"
    assert loads(dumps(session)) == session


def test_the_same_seed_gives_the_same_dissection() -> None:
    def told(seed: int) -> list[tuple[str, int, str, list[str]]]:
        session = failing(PLANTED["Topic"])
        record = dissect(session, PLANTED["Topic"], seed=seed, budget=rounds(12, 60))
        texts = {v.id: v.query.text for v in session.variants}
        return [(c.kind, c.number, texts[c.variant], c.runs) for c in record.cells]

    assert told(3) == told(3)
    assert told(3) != told(4)


@pytest.mark.parametrize("method", ["rates", "paper"])
@pytest.mark.parametrize("budget", [1, 5, 13])
def test_the_budget_is_kept(method: str, budget: int) -> None:
    session = failing(PLANTED["Constraint"])
    record = dissect(session, PLANTED["Constraint"], method=method, budget=budget)
    spent = [run for cell in record.cells for run in cell.runs]
    assert len(spent) == len(set(spent)) <= budget
    if summary(session, record).decision.cause is None:
        assert (record.stopped, len(spent)) == ("budget", budget)


def test_each_run_has_a_seed_that_was_not_used_before() -> None:
    session = failing("sim:flaky?p=0.5")
    dissect(session, "sim:flaky?p=0.5", budget=rounds(20, 60))
    seeds = [run.seed for run in session.runs]
    assert len(seeds) == len(set(seeds))


def test_what_was_made_hangs_below_the_request() -> None:
    session = failing(PLANTED["Structure"])
    record = dissect(session, PLANTED["Structure"], budget=30)
    first, *made = session.variants
    assert made
    for variant in made:
        assert variant.parent == first.id
        assert variant.origin.number is not None
        assert variant.limits == first.limits
        assert variant.id.startswith(f"{record.id}v")
    assert {c.variant for c in record.cells} == {v.id for v in session.variants}
    for cell in record.cells:
        variant = next(v for v in session.variants if v.id == cell.variant)
        if cell.kind != "Original":
            assert (variant.origin.mutation, variant.origin.number) == (cell.kind, cell.number)
        assert all(r.variant == variant.id for r in session.runs if r.id in cell.runs)


def test_callbacks_tell_all_that_happens() -> None:
    session = failing(PLANTED["Topic"])
    cells: list[tuple[Cell, Variant]] = []
    runs: list[tuple[Cell, Run]] = []
    dissector = Dissector(
        session,
        session.variants[0],
        DissectOptions(model=PLANTED["Topic"]),
        run=session.runs[0],
        on_cell=lambda cell, variant: cells.append((cell, variant)),
        on_run=lambda cell, run: runs.append((cell, run)),
    )
    record = dissector.go()
    assert len(session.runs) == 1  # nobody but add_to writes into it
    assert [(c.kind, c.number, c.variant) for c, _ in cells] == [
        (c.kind, c.number, c.variant) for c in record.cells
    ]
    assert all(c.variant == v.id and c.runs == [] for c, v in cells)
    assert [r.id for _, r in runs] == [f"d1r{n}" for n in range(1, len(runs) + 1)]
    assert all(c.runs[-1] == r.id for c, r in runs)
    assert sum(len(c.runs) for c in record.cells) == len(runs)


def test_stopped_from_another_thread_and_resumed() -> None:
    model = PLANTED["Constraint"]
    session = failing(model)
    seen, stopped = threading.Event(), threading.Event()
    count = 0

    def ended(cell: Cell, run: Run) -> None:
        nonlocal count
        count += 1
        if count == 12:
            seen.set()
            stopped.wait(60)

    dissector = Dissector(
        session, session.variants[0], DissectOptions(model=model), run=session.runs[0], on_run=ended
    )
    worker = threading.Thread(target=dissector.go)
    worker.start()
    assert seen.wait(60)
    dissector.stop()
    stopped.set()
    worker.join(60)
    assert not worker.is_alive()
    record = dissector.add_to(session)
    assert record.stopped == "user"
    spent = sum(len(c.runs) for c in record.cells)
    assert 12 <= spent < 60
    again = Dissector(loads(dumps(session)), session.variants[0], DissectOptions(model=model), resume=record)
    again.go()
    more = again.add_to(session)
    assert more.id == record.id
    assert len(session.dissections) == 1
    assert [c.runs[: len(o.runs)] for c, o in zip(more.cells, record.cells, strict=False)] == [
        c.runs for c in record.cells
    ]
    assert more.stopped is None or more.stopped == "budget"
    assert summary(session, more).decision.cause == "Constraint"
    assert loads(dumps(session)) == session


def test_a_stop_that_comes_before_it_begins_is_heard_and_one_that_comes_too_late_is_not() -> None:
    session = failing(PLANTED["Topic"])
    dissector = Dissector(
        session, session.variants[0], DissectOptions(model=PLANTED["Topic"]), run=session.runs[0]
    )
    dissector.stop()
    record = dissector.go()
    assert (record.stopped, record.cells) == ("user", [])
    dissector.stop()
    assert dissector.go().stopped is None


def test_one_kind_and_one_mutation() -> None:
    session = failing(PLANTED["Topic"])
    dissector = Dissector(
        session, session.variants[0], DissectOptions(model=PLANTED["Topic"], budget=9), run=session.runs[0]
    )
    record = dissector.go("TopicChange", times=3)
    assert [(c.kind, c.number, len(c.runs)) for c in record.cells] == [
        ("TopicChange", n, 1) for n in (1, 2, 3)
    ]
    record = dissector.go("TopicChange", 2, times=2)
    assert [len(c.runs) for c in record.cells] == [1, 3, 1]
    record = dissector.go("QuerySynthesize", 7)
    assert [(c.kind, c.number, len(c.runs)) for c in record.cells[3:]] == [("QuerySynthesize", 7, 1)]
    record = dissector.go("Repeat", times=2)
    assert [(c.kind, c.number, c.variant) for c in record.cells[4:]] == [
        ("Repeat", 1, "v1"),
        ("Repeat", 2, "v1"),
    ]
    record = dissector.go("Original", times=5)  # one is left of the budget
    assert sum(len(c.runs) for c in record.cells) == 9
    found = summary(session, dissector.add_to(session))
    assert record.stopped == (None if found.decision.cause else "budget")
    assert [row.rate.counted for row in found.rows] == [1, 2, 0, 5, 1, 0]


def test_a_mutant_that_cannot_be_made_is_said() -> None:
    session = failing(PLANTED["Topic"])
    dissector = Dissector(
        session, session.variants[0], DissectOptions(model=PLANTED["Topic"]), run=session.runs[0]
    )
    with pytest.raises(NoVariant):
        dissector.go("QuerySynthesize", 100_000)


def test_kinds_without_mutants_are_closed_and_the_rest_goes_on() -> None:
    """Two actions: there are few other sentences."""
    variant = query(3, actions=2)
    session = Session(id="s", title="s", variants=[variant])
    dissector = Dissector(session, variant, DissectOptions(model="sim:flaky?p=0.1", budget=40))
    record = dissector.go("QuerySynthesize", times=40)
    made = sum(c.kind == "QuerySynthesize" for c in record.cells)
    if made < 40:
        assert "QuerySynthesize" in record.closed
    dissector.go()
    assert summary(session, dissector.add_to(session)).runs <= 40


def test_where_it_never_fails_there_is_nothing_to_dissect() -> None:
    variant = query(1)
    session = Session(id="s", title="s", variants=[variant])
    for method in ("rates", "paper"):
        dissector = Dissector(session, variant, DissectOptions(model="sim:careful", method=method))
        dissector.go()
        found = summary(session, dissector.add_to(session))
        assert found.decision.cause is None
        assert found.decision.reason.startswith("there is nothing to dissect")
        assert found.runs == 12


@pytest.mark.nightly
def test_an_agent_that_always_fails_has_no_cause_in_the_request() -> None:
    variant = query(1)
    session = Session(id="s", title="s", variants=[variant])
    dissector = Dissector(session, variant, DissectOptions(model="sim:forgetful", budget=rounds(30, 60)))
    dissector.go()
    found = summary(session, dissector.add_to(session))
    assert found.decision.cause is None
    assert found.decision.reason.startswith("nothing in this query is to blame")


def test_somebody_elses_dissection_of_that_name_stays() -> None:
    model = PLANTED["Topic"]
    session = failing(model)
    one = Dissector(
        session, session.variants[0], DissectOptions(model=model, seed=1, budget=12), run=session.runs[0]
    )
    other = Dissector(
        session, session.variants[0], DissectOptions(model=model, seed=2, budget=12), run=session.runs[0]
    )
    one.go()
    other.go()
    first = one.add_to(session)
    second = other.add_to(session)
    assert (first.id, second.id) == ("d1", "d2")
    assert not {r for c in first.cells for r in c.runs} & {r for c in second.cells for r in c.runs}
    again = other.add_to(session)
    assert again.id == "d2"
    assert [d.id for d in session.dissections] == ["d1", "d2"]
    assert loads(dumps(session)) == session
    assert summary(session, again).runs == 12
    assert summary(session, one.add_to(session)).runs == 12


def test_what_does_not_fit_is_refused() -> None:
    session = failing(PLANTED["Topic"])
    variant = session.variants[0]
    record = dissect(session, PLANTED["Topic"], budget=2)
    with pytest.raises(UserError, match="dissection d1 is about agent tools with sim:topic-blind"):
        Dissector(session, variant, DissectOptions(model="sim:careful"), resume=record)
    with pytest.raises(UserError, match="is about variant v1, not d1v"):
        Dissector(
            session,
            query(2).model_copy(update={"id": "d1v1"}),
            DissectOptions(model=PLANTED["Topic"]),
            resume=record,
        )
    with pytest.raises(ModelUnavailable):
        Dissector(session, variant, DissectOptions(model="sim:nobody"))
    with pytest.raises(UnknownAgent):
        Dissector(session, variant, DissectOptions(model="sim:careful", agent="nobody"))


def test_a_request_that_cannot_be_met_is_refused_before_a_run_is_spent() -> None:
    variant = query(2)
    one, other = (a.name for a in variant.actions[:2])
    text = f"{one.capitalize()} comes before {other}. {other.capitalize()} comes before {one}."
    request = variant.query.model_copy(update={"text": text, "tree": None})
    contradictory = variant.model_copy(update={"query": request, "constraints": []})
    session = Session(id="s", title="s", variants=[contradictory])
    with pytest.raises(UserError, match=r"contradicts itself \(c1, c2 cannot all be met\)"):
        Dissector(session, contradictory, DissectOptions(model="sim:literal"))
