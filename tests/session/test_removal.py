"""Deleting queries and runs, and taking them back: what goes along, what is refused, that nothing is lost."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from planscope.errors import UserError
from planscope.session.locations import bundled
from planscope.session.model import (
    Cell,
    Dissection,
    ForkPoint,
    Origin,
    Session,
    next_dissection_id,
    next_run_id,
    next_variant_id,
)
from planscope.session.recordings import RecordedRun, with_recordings
from planscope.session.removal import (
    Parts,
    delete_for_good,
    remove,
    take_back,
    text_of,
    with_dependents,
    without_removed,
)
from planscope.session.store import dumps, load, loads
from planscope.sharing.formats import excerpt, share
from tests.session.make import figure_10


def family() -> Session:
    """Two queries, v2 an edit of v1; r2 forked from r1; r3 of v2; r4 of v1, forked from r3."""
    session = figure_10()
    first, run = session.variants[0], session.runs[0]
    session.variants.append(
        first.model_copy(update={"id": "v2", "parent": "v1", "origin": Origin(kind="edited")})
    )
    session.variants.append(first.model_copy(update={"id": "v3", "origin": Origin(kind="written")}))
    for id, variant, origin in (
        ("r2", "v1", "r1"),
        ("r3", "v2", None),
        ("r4", "v1", "r3"),
        ("r5", "v3", None),
    ):
        fork = ForkPoint(run=origin, step=1) if origin else None
        session.runs.append(run.model_copy(update={"id": id, "variant": variant, "forked_from": fork}))
    return session


@pytest.mark.parametrize(
    ("variants", "runs", "gone"),
    [
        ((), ("r4",), Parts(runs=frozenset({"r4"}))),
        ((), ("r3",), Parts(runs=frozenset({"r3", "r4"}))),
        ((), ("r1",), Parts(runs=frozenset({"r1", "r2"}))),
        (("v2",), (), Parts(frozenset({"v2"}), frozenset({"r3", "r4"}))),
        (("v1",), (), Parts(frozenset({"v1", "v2"}), frozenset({"r1", "r2", "r3", "r4"}))),
    ],
)
def test_what_depends_on_it_goes_along_and_all_of_it_comes_back(
    variants: tuple[str, ...], runs: tuple[str, ...], gone: Parts
) -> None:
    session, before = family(), family()
    parts = with_dependents(session, variants, runs)
    assert parts == gone
    remove(session, parts)
    saved = loads(dumps(session))  # a file refuses what is left dangling
    assert {run.id for run in before.runs} - {run.id for run in saved.runs} == gone.runs
    take_back(saved)
    assert saved.model_dump(exclude={"created"}) == before.model_dump(exclude={"created"})


def test_deletions_are_taken_back_one_by_one_the_last_first() -> None:
    session = family()
    for id in ("r2", "r4", "r5"):
        remove(session, with_dependents(session, runs=[id]))
    assert [run.id for run in session.runs] == ["r1", "r3"]
    assert [text_of(take_back(session)) for _ in range(3)] == ["run r5", "run r4", "run r2"]
    assert [run.id for run in session.runs] == ["r1", "r2", "r3", "r4", "r5"]
    with pytest.raises(UserError, match="nothing was deleted"):
        take_back(session)


def test_what_a_dissection_counts_stays_until_its_query_goes() -> None:
    session = load(bundled()["cause-terminal"])
    dissection = session.dissections[0]
    counted, mutant = dissection.cells[-1].runs[0], dissection.cells[-1].variant
    for variants, runs in (((), (counted,)), ((mutant,), ())):
        with pytest.raises(UserError, match=f"dissection {dissection.id} counts it"):
            with_dependents(session, variants, runs)
    with pytest.raises(UserError, match="keeps at least one query"):
        with_dependents(session, [dissection.variant])
    other = session.variants[0].model_copy(update={"id": "v99", "parent": None})
    session.variants.append(other)
    before = session.model_dump()
    removal = remove(session, with_dependents(session, [dissection.variant]))
    assert [v.id for v in session.variants] == ["v99"] and not session.runs and not session.dissections
    assert "1 dissection" in text_of(removal)
    take_back(session)
    assert session.model_dump() == before


def test_a_run_that_a_dissection_began_with_and_runs_under_way_stay() -> None:
    session = family()
    session.dissections.append(
        Dissection(id="d1", variant="v2", run="r3", agent="tools", model="sim:careful")
    )
    with pytest.raises(UserError, match="began with it"):
        with_dependents(session, runs=["r3"])
    with pytest.raises(UserError, match="in progress"):
        with_dependents(session, ["v2"], busy={"d1"})
    with pytest.raises(UserError, match="in progress"):
        with_dependents(session, runs=["r1"], busy={"r2"})


def test_deleted_ids_are_not_given_again() -> None:
    session = family()
    session.dissections.append(
        Dissection(
            id="d1",
            variant="v3",
            agent="tools",
            model="sim:careful",
            cells=[Cell(kind="Original", number=1, variant="v3", runs=["r5"])],
            started=datetime.now(UTC),
        )
    )
    remove(session, with_dependents(session, ["v3"]))
    assert (next_run_id(session), next_variant_id(session), next_dissection_id(session)) == ("r6", "v4", "d2")
    assert delete_for_good(session) == 2
    saved = loads(dumps(session))  # a list, a cache or a person may still speak of what is gone
    assert (next_run_id(saved), next_variant_id(saved), next_dissection_id(saved)) == ("r6", "v4", "d2")
    assert without_removed(saved).gone is None and excerpt(saved, saved.runs[0]).gone is None


def test_what_was_deleted_is_never_shared() -> None:
    session = family()
    private = session.runs[3].events[0].model_copy(update={"text": "SECRET-WORD"})
    session.runs[3] = session.runs[3].model_copy(update={"events": [private]})
    remove(session, with_dependents(session, runs=["r4"]))
    assert b"SECRET-WORD" in dumps(session)
    for text in (
        share(session, "r1", "session", redaction=None),
        share(session, "r1", "html", redaction=None),
        dumps(excerpt(session, session.runs[0])).decode(),
        dumps(without_removed(session)).decode(),
    ):
        assert "SECRET-WORD" not in text
    assert delete_for_good(session) == 1 and b"SECRET-WORD" not in dumps(session)


def test_what_cannot_be_put_back_is_said_and_kept() -> None:
    session = family()
    remove(session, with_dependents(session, ["v2"]))
    session.variants.append(session.variants[0].model_copy(update={"id": "v2"}))
    with pytest.raises(UserError, match=r"cannot be restored: .*v2.*twice"):
        take_back(session)
    assert session.removed is not None and len(session.removed) == 1


def test_a_journal_of_a_deleted_run_does_not_bring_it_back() -> None:
    session = family()
    run = session.runs[4].model_copy(update={"recording": "token"})
    session.runs[4] = run
    remove(session, with_dependents(session, runs=["r5"]))
    now = datetime.now(UTC)
    with_recordings(
        session, [RecordedRun("token", "t", "", False, "tools", "own", now, events=[*run.events])]
    )
    assert [one.id for one in session.runs] == ["r1", "r2", "r3", "r4"]
