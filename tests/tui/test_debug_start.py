"""Where the debug screen begins: the first view of a session, and the first place in a judged run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planscope.debugger import cursor
from planscope.debugger.selection import SelectedConstraint
from planscope.session.model import Session
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.judge import Judge
from planscope.tui.controllers.live_run import RunChoice, RunRequest
from planscope.tui.screens.debug.start import Start, first_place, first_view
from planscope.tui.view import DebugView
from tests.tui import sessions
from tests.tui.controllers.at_once import JobsAtOnce, Posted


def opened(session: Session | None) -> Document:
    document = Document(Path("test.planscope.json"))
    if session is not None:
        document.open(session)
    return document


def test_a_session_is_displayed_before_it_is_judged() -> None:
    session = sessions.figure_10().model_copy(update={"breakpoints": ["step 1"], "watches": ["state"]})
    view = first_view(
        opened(session), Start("r2", "2", notice="hello", live=RunRequest(RunChoice(), "", ("doomed",)))
    )
    assert (view.progress, view.run_number, view.debug.index, view.notice) == ("reading", 1, 2, "hello")
    assert view.marks.texts == {"breakpoints": ["step 1", "doomed"], "watches": ["state"]}
    assert view.run is not None and view.run.id == "r2" and view.runs == 2 and view.title == "figure-10"
    gone = first_view(opened(session), Start("r2", "99"))
    assert gone.debug.index == 0, "a place that a session was left at may be gone"


@pytest.mark.parametrize("run_id", ["", "r9"])
def test_without_a_run_the_newest_query_is_displayed(run_id: str) -> None:
    session = sessions.figure_10()
    newest = session.variants[0].model_copy(update={"id": "v2"})
    view = first_view(
        opened(session.model_copy(update={"variants": [*session.variants, newest]})), Start(run_id)
    )
    assert view.run is view.run_number is None and view.variant is not None and view.variant.id == "v2"
    assert view.debug.run.last == 0


def test_without_a_session_the_view_says_why() -> None:
    view = first_view(opened(None), Start(trouble="no such file"))
    assert (view.progress, view.trouble, view.has_queries) == ("failed", "no such file", False)
    assert first_view(opened(sessions.no_run()), Start(trouble="x")).progress == "failed"


def place(session: Session, view_of: Any = lambda view: view, *, asked: bool = False, run: str = "r1") -> Any:
    document = opened(session)
    view: DebugView = view_of(first_view(document, Start(run)))
    judge = Judge(document, JobsAtOnce(), Posted())
    judge.look_at("v1", run)
    assert judge.now is not None
    return first_place(view, judge.now, session.cursor, asked=asked)


def test_a_run_opens_where_the_plan_was_lost() -> None:
    assert place(sessions.out_of_order()).index == 1
    assert place(sessions.figure_10()).index == 0, "it is right"


def test_an_aborted_run_opens_at_its_end() -> None:
    found = place(sessions.aborted())
    assert found.index == found.run.last > 0


def test_a_run_opens_where_it_was_left() -> None:
    left = sessions.out_of_order().model_copy(update={"cursor": {"run": "r1", "index": 3}})
    assert place(left).index == 3
    other = left.model_copy(update={"cursor": {"run": "r9", "index": 3}})
    assert place(other).index == 1


def test_the_cursor_stays_where_the_user_went_meanwhile() -> None:
    left = sessions.out_of_order().model_copy(update={"cursor": {"run": "r1", "index": 3}})
    assert place(left, lambda v: replace(v, debug=cursor.go_to(v.debug, 2))).index == 2
    assert place(left, asked=True).index == 0
    chosen = SelectedConstraint("c1")
    found = place(left, lambda v: replace(v, debug=cursor.select(v.debug, chosen)))
    assert found.selection == chosen
