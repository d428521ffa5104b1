"""What if: calls played from a step on are a passing run of the document, until they are kept or given up."""

from __future__ import annotations

from typing import Any

import pytest

from planscope.oracle.replay import replay
from planscope.oracle.trace import Trace
from planscope.session.model import Session
from planscope.session.oracle_input import problem_of
from planscope.session.traces import trace_of
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.what_if import LAST_HOUR, Origin, Play, WhatIf
from planscope.tui.messages import DocumentChanged
from tests.tui import sessions
from tests.tui.controllers.at_once import Posted


def begun(session: Session, index: int = 0, run: str = "r1", promised: str = "") -> tuple[WhatIf, Document]:
    document = Document(None, Posted())
    document.open(session)
    problem = problem_of(session.variants[0])
    made = document.run(run)
    judged = replay(problem, trace_of(made) if made is not None else Trace(ending="running"))
    what_if = WhatIf(document)
    what_if.begin(judged, Origin("v1", run, index), promised)
    return what_if, document


def play_of(what_if: WhatIf) -> Play:
    assert what_if.play is not None
    return what_if.play


def tools(document: Document, run_id: str) -> list[str]:
    return [call.tool for call in document.record(run_id).calls]


def test_play_begins_behind_the_recorded_calls_with_the_first_safe_one_chosen() -> None:
    what_if, document = begun(sessions.figure_10(), 1)
    play = play_of(what_if)
    assert play.run_id == "r3" and tools(document, "r3") == ["applying_hair_color"]
    assert "r3" in document.passing & document.under_way and document.unsaved == 0
    assert play.chosen is not None and play.chosen.safe and not play.chosen.again
    assert what_if.origin == Origin("v1", "r1", 1)
    assert document.record("r3").under_way


def test_an_index_behind_the_last_call_begins_at_the_end() -> None:
    what_if, document = begun(sessions.figure_10(), 99)
    assert len(tools(document, play_of(what_if).run_id)) == 3


def test_calls_are_played_and_taken_back_under_one_id() -> None:
    what_if, document = begun(sessions.out_of_order())
    id = play_of(what_if).run_id
    for _ in range(2):
        what_if.take()
    assert play_of(what_if).run_id == id and tools(document, id) == ["network_audit", "disk_check"]
    what_if.undo()
    assert tools(document, id) == ["network_audit"] and len(play_of(what_if).played.calls) == 1
    what_if.undo()
    before = play_of(what_if)
    what_if.undo()
    assert what_if.play is before, "recorded calls stay"
    assert document.unsaved == 0


def test_another_call_is_chosen_and_played_although_it_is_not_safe() -> None:
    what_if, document = begun(sessions.out_of_order())
    what_if.choose(2)
    assert play_of(what_if).at == 2
    what_if.take()
    assert tools(document, play_of(what_if).run_id) == ["cable_survey"]
    what_if.choose(99)
    assert play_of(what_if).chosen is None
    before = play_of(what_if)
    what_if.take()
    assert what_if.play is before and not what_if.change_values(1)


def test_hours_are_tried_in_the_timed_language_alone() -> None:
    what_if, _ = begun(sessions.out_of_order())
    assert not what_if.change_values(1)
    what_if, document = begun(sessions.figure_10())
    first = play_of(what_if).chosen
    assert first is not None and first.start is not None and play_of(what_if).start is None
    assert what_if.change_values(1) and play_of(what_if).start == first.start + 1
    assert what_if.change_values(-99) and play_of(what_if).start == 0
    assert what_if.change_values(99) and play_of(what_if).start == LAST_HOUR
    chosen = play_of(what_if).chosen
    assert chosen is not None and chosen.becomes != "completable" and chosen.breaks
    what_if.take()
    (call,) = document.record(play_of(what_if).run_id).calls
    assert call.arguments == {"start_time": LAST_HOUR}
    assert play_of(what_if).start is None


def test_choosing_forgets_the_hour_that_was_tried() -> None:
    what_if, _ = begun(sessions.figure_10())
    what_if.change_values(1)
    what_if.choose(0)
    assert play_of(what_if).start is None


def test_what_was_played_is_gone_when_it_ends() -> None:
    what_if, document = begun(sessions.out_of_order())
    what_if.take()
    what_if.end()
    assert what_if.play is None and [run.id for run in document.runs] == ["r1"] and document.unsaved == 0
    posted: Any = document._say
    count = len(posted)
    for act in (what_if.end, what_if.take, what_if.undo, lambda: what_if.choose(1)):
        act()
    assert what_if.play is None and not what_if.change_values(1) and len(posted) == count
    with pytest.raises(AssertionError):
        what_if.keep()


def test_what_is_kept_is_a_whole_run_of_the_session() -> None:
    what_if, document = begun(sessions.figure_10(), 1)
    what_if.take()
    run = what_if.keep()
    assert what_if.play is None and document.unsaved == 1 and not document.passing | document.under_way
    assert [one.id for one in document.kept_runs()] == ["r1", "r2", run.id]
    record = document.record(run.id)
    assert len(record.calls) == 2 and not record.under_way and record.ending == "stopped"
    assert record.forked_from is not None and (record.forked_from.run, record.forked_from.step) == ("r1", 1)
    last = document._say[-1]
    assert isinstance(last, DocumentChanged) and (last.what, last.id) == ("run", run.id)


def test_a_query_without_a_run_is_played_from_its_start() -> None:
    what_if, document = begun(sessions.no_run(), run="")
    assert tools(document, play_of(what_if).run_id) == []
    what_if.take()
    assert what_if.keep().forked_from is None


def test_the_id_of_a_run_that_is_to_come_is_left_free() -> None:
    what_if, _ = begun(sessions.figure_10(), promised="r3")
    assert play_of(what_if).run_id == "r4"
    assert what_if.keep().id == "r4"


def test_a_run_that_came_meanwhile_keeps_its_id() -> None:
    what_if, document = begun(sessions.figure_10())
    document.put_run(document.runs[0].model_copy(update={"id": "r4"}))
    what_if.take()
    assert play_of(what_if).run_id == "r3" and what_if.keep().id not in ("r1", "r2", "r4")
