"""What of a session is the user's own."""

from __future__ import annotations

from planscope.session.model import (
    Cell,
    Dissection,
    Origin,
    Query,
    Run,
    Session,
    Variant,
    own_runs,
    own_variants,
)


def variant(id: str) -> Variant:
    return Variant(id=id, origin=Origin(kind="written"), query=Query(text="A follows B."), actions=[])


def run(id: str, of: str = "v1") -> Run:
    return Run(id=id, variant=of, agent="tools", model="sim:careful")


def test_what_a_dissection_made_is_left_out() -> None:
    session = Session(
        id="s", title="s", variants=[variant("v1"), variant("d1v1")], runs=[run("r1"), run("d1r1"), run("r2")]
    )
    assert [r.id for r in own_runs(session)] == ["r1", "d1r1", "r2"]
    cells = [
        Cell(kind="Original", number=1, variant="v1"),
        Cell(kind="TopicChange", number=1, variant="d1v1", runs=["d1r1"]),
    ]
    session.dissections = [Dissection(id="d1", variant="v1", run="r1", agent="a", model="m", cells=cells)]
    assert [r.id for r in own_runs(session)] == ["r1", "r2"]
    assert [v.id for v in own_variants(session)] == ["v1"]


def test_where_there_is_nothing_else_it_is_all() -> None:
    session = Session(id="s", title="s", variants=[variant("v1")], runs=[run("d1r1")])
    cells = [Cell(kind="Original", number=1, variant="v1", runs=["d1r1"])]
    session.dissections = [Dissection(id="d1", variant="v1", agent="a", model="m", cells=cells)]
    assert own_runs(session) == session.runs
    assert own_variants(session) == session.variants
    assert own_runs(Session(id="s", title="s")) == []
