"""The open session: what each change does to it, what is announced, what a thread is given, what is unsaved."""

from __future__ import annotations

from pathlib import Path

import pytest

from planscope.session.locations import bundled
from planscope.session.model import CallEvent, Dissection, EndEvent, Run, Variant
from planscope.tui.controllers.document import Document, Saving
from planscope.tui.messages import DocumentChanged
from tests.tui import sessions
from tests.tui.controllers.at_once import Posted


def opened(path: Path | None = Path("test.planscope.json")) -> tuple[Document, Posted]:
    posted = Posted()
    document = Document(path, posted)
    document.open(sessions.figure_10())
    return document, posted


def said(posted: Posted) -> list[tuple[str, str, bool]]:
    """What was announced since the last time."""
    found = [(m.what, m.id, m.fresh) for m in posted.of(DocumentChanged)]
    posted.clear()
    return found


def run(id: str, *calls: str, ends: bool = False) -> Run:
    made = [CallEvent(step=step, tool=tool, arguments={}) for step, tool in enumerate(calls, 1)]
    end = [EndEvent(ending="stopped")] if ends else []
    return Run(id=id, variant="v1", agent="tools", model="sim:careful", events=[*made, *end])


def test_nothing_is_open_at_first() -> None:
    document = Document(None)
    assert (document.session, document.runs, document.variants, document.title) == (None, [], [], "")
    assert document.run("r1") is document.variant("v1") is document.number_of("r1") is None
    with pytest.raises(AssertionError):
        document.snapshot()


def test_opening_is_announced_and_nothing_is_unsaved() -> None:
    document, posted = opened()
    document.edit(title="Mine")
    document.set_saving(Saving("failed", "full"))
    before = document.version
    posted.clear()
    document.open(sessions.no_run(), Path("other"))
    assert said(posted) == [("opened", "", True)] and document.version == before + 1
    assert (document.path, document.unsaved, document.saving) == (Path("other"), 0, Saving())
    document.open(sessions.figure_10())
    assert document.path == Path("other") and document.title == "figure-10"


def test_a_variant_is_added_and_replaced() -> None:
    document, posted = opened()
    posted.clear()
    new = document.variants[0].model_copy(update={"id": "v2"})
    document.put_variant(new)
    document.put_variant(new.model_copy(update={"parent": "v1"}))
    assert said(posted) == [("variant", "v2", True), ("variant", "v2", False)]
    assert [v.id for v in document.variants] == ["v1", "v2"] and document.unsaved == 2
    found: Variant | None = document.variant("v2")
    assert found is not None and found.parent == "v1"


def test_a_run_grows_event_by_event() -> None:
    document, posted = opened()
    posted.clear()
    document.put_run(run("r3"), under_way=True)
    assert document.under_way == {"r3"} and document.record("r3").under_way
    for step, tool in enumerate(("sanitizing_tools", "applying_hair_color"), 1):
        document.append("r3", CallEvent(step=step, tool=tool, arguments={}))
        assert [call.tool for call in document.record("r3").calls][-1] == tool
    assert said(posted) == [("run", "r3", True), ("run", "r3", False), ("run", "r3", False)]
    assert document.unsaved == 3 and document.number_of("r3") == 2
    ended = run("r3", "sanitizing_tools", ends=True)
    document.put_run(ended)
    assert not document.under_way and not document.record("r3").under_way
    assert len(document.record("r3").calls) == 1, "the whole run that came at the end counts"
    with pytest.raises(AssertionError):
        document.append("r3", EndEvent(ending="stopped"))


def test_a_run_is_the_documents_own() -> None:
    document, _ = opened()
    given = run("r3", "a")
    document.put_run(given)
    given.events.clear()
    assert len(document.record("r3").calls) == 1 and len(document.run("r3").events) == 1


def test_the_paused_call_is_in_the_record_and_in_no_file() -> None:
    document, posted = opened()
    document.put_run(run("r3", "a"), under_way=True)
    unsaved = document.unsaved
    posted.clear()
    call = CallEvent(step=2, tool="b", arguments={})
    document.pause("r3", call)
    assert said(posted) == [("run", "r3", False)] and document.unsaved == unsaved
    assert document.record("r3").pending and [c.tool for c in document.record("r3").calls] == ["a", "b"]
    assert len(document.snapshot().runs[-1].events) == 1
    document.pause("r3", None)
    document.pause("r3", None)  # it goes on already: nothing to announce
    assert said(posted) == [("run", "r3", False)] and not document.record("r3").pending
    document.pause("r3", call)
    document.append("r3", call)
    assert not document.pending and [c.tool for c in document.record("r3").calls] == ["a", "b"]
    with pytest.raises(AssertionError):
        document.pause("r1", call)


def test_a_passing_run_is_displayed_and_not_kept() -> None:
    document, posted = opened()
    posted.clear()
    document.put_run(run("r3", "a"), under_way=True, passing=True)
    assert document.unsaved == 0 and document.run("r3") is not None
    assert [r.id for r in document.snapshot().runs] == [r.id for r in document.kept_runs()] == ["r1", "r2"]
    document.drop_run("r3")
    assert said(posted) == [("run", "r3", True), ("run", "r3", False)]
    assert document.run("r3") is None and not (document.passing or document.under_way or document.unsaved)
    with pytest.raises(AssertionError):
        document.drop_run("r1")


def test_a_passing_run_that_is_kept_is_a_change() -> None:
    document, _ = opened()
    document.put_run(run("r3", "a"), under_way=True, passing=True)
    document.put_run(run("r3", "a", ends=True))
    assert document.unsaved == 1 and [r.id for r in document.kept_runs()] == ["r1", "r2", "r3"]


def test_later_changes_do_not_reach_a_snapshot() -> None:
    document, _ = opened()
    document.put_run(run("r3", "a"), under_way=True)
    taken = document.snapshot()
    document.append("r3", CallEvent(step=2, tool="b", arguments={}))
    document.put_variant(document.variants[0].model_copy(update={"id": "v2"}))
    document.put_dissection(Dissection(id="d1", variant="v1", agent="tools", model="sim:literal"))
    document.mark(breakpoints=["step 1"], watches=["state"])
    document.edit(title="Mine")
    assert len(taken.runs[-1].events) == 1 and len(taken.variants) == 1 and taken.title == "figure-10"
    assert not (taken.dissections or taken.breakpoints or taken.watches)


def test_a_dissection_is_the_documents_own() -> None:
    document, posted = opened()
    posted.clear()
    made = Dissection(id="d1", variant="v1", agent="tools", model="sim:literal")
    document.put_dissection(made)
    document.put_dissection(made)
    assert said(posted) == [("dissection", "d1", True), ("dissection", "d1", False)]
    assert document.open_session.dissections[0] is not made and document.unsaved == 2


def test_fields_are_edited_with_and_without_a_reason_to_save() -> None:
    document, posted = opened()
    posted.clear()
    document.edit(title="Mine")
    document.edit(change=False, cursor={"index": 1})
    assert said(posted) == [("fields", "", True)] * 2
    assert (document.title, document.unsaved) == ("Mine", 1)


def test_marks_are_a_change_but_of_a_bundled_session() -> None:
    document, posted = opened()
    posted.clear()
    document.mark(breakpoints=["step 1"], watches=[])
    document.mark(breakpoints=["step 1"], watches=[])
    assert said(posted) == [("fields", "", True)] and document.unsaved == 1
    document, posted = opened(bundled()["first-look"])
    document.mark(breakpoints=["step 1"], watches=[])
    assert document.unsaved == 0 and document.open_session.breakpoints == ["step 1"]
    document.edit(title="Mine")
    document.mark(breakpoints=[], watches=[])
    assert document.unsaved == 2, "a copy is made anyway"
    Document(None).mark(breakpoints=["step 1"], watches=[])


def test_changes_that_are_saved_are_counted_down() -> None:
    document, posted = opened()
    document.touch()
    document.edit(title="Mine")
    document.saved(1)
    assert document.unsaved == 1
    document.saved(5)
    assert document.unsaved == 0
    posted.clear()
    document.set_saving(Saving("changed"))
    document.set_saving(Saving("changed"))
    assert said(posted) == [("saving", "", True)], "a change that waits is announced once"
    document.set_saving(Saving("saved"))
    document.set_saving(Saving("saved"), Path("copy"))
    assert said(posted) == [("saving", "", True)] * 2 and document.path == Path("copy")
    document.set_saving(Saving("changed"))
    document.set_saving(Saving("changed"), Path("again"))
    assert len(said(posted)) == 2 and document.path == Path("again")


def test_how_runs_came_out_is_remembered() -> None:
    document, _ = opened()
    document.judged(("figure-10", "r1", 9), ("right", ""))
    assert document.outcomes == {("figure-10", "r1", 9): ("right", "")}
