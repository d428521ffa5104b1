"""Breakpoints and watches: read for a run, set, taken away; what makes no sense in a run is kept for another."""

from __future__ import annotations

import pytest

from planscope.debugger.breakpoints import StepBreak
from planscope.debugger.errors import DebuggerError
from planscope.debugger.run_index import RunIndex
from planscope.language.problem import Problem
from planscope.oracle.replay import replay
from planscope.session.oracle_input import problem_of
from planscope.session.traces import trace_of
from planscope.tui.controllers.marks import (
    MOST_SET,
    Marks,
    breakpoints_for,
    marks_of,
    read_for,
    switched,
    toggled,
    with_breakpoint,
    with_watch,
    without_breakpoint,
    without_watch,
)
from tests.tui import sessions


@pytest.fixture(scope="module")
def run() -> RunIndex:
    session = sessions.out_of_order()
    problem: Problem = problem_of(session.variants[0])
    return RunIndex(replay(problem, trace_of(session.runs[0])))


def test_texts_of_a_file_wait_for_a_run(run: RunIndex) -> None:
    marks = marks_of(["step 1", "step 99", "step 1"], ["state", "nonsense"])
    assert not marks.breakpoints and not marks.watches
    read, wrong = read_for(marks, run)
    assert read.breakpoints == (StepBreak(1),) and read.strange_breakpoints == ("step 99",)
    assert [str(watch) for watch in read.watches] == ["state"] and read.strange_watches == ("nonsense",)
    assert wrong.startswith("does not apply to this run: ")
    assert read.texts == {"breakpoints": ["step 1", "step 99"], "watches": ["state", "nonsense"]}
    again, wrong = read_for(read, run)
    assert again == read and wrong
    assert read_for(Marks(), run) == (Marks(), "")


def test_a_file_of_very_many_is_cut(run: RunIndex) -> None:
    marks = marks_of([f"step {i}" for i in range(MOST_SET + 5)], ["state"] * (MOST_SET + 5))
    assert len(marks.strange_breakpoints) == len(marks.strange_watches) == MOST_SET


def test_a_breakpoint_is_set_and_cleared_by_the_same_key(run: RunIndex) -> None:
    marks = toggled(Marks(), StepBreak(2))
    assert marks.breakpoints == (StepBreak(2),) and toggled(marks, StepBreak(2)) == Marks()


def test_marks_are_added_and_taken_away(run: RunIndex) -> None:
    marks = with_watch(with_breakpoint(with_breakpoint(Marks(), "step 1", run), "doomed", run), "state", run)
    assert marks.texts == {"breakpoints": ["step 1", "doomed"], "watches": ["state"]}
    assert without_breakpoint(marks, 0).texts["breakpoints"] == ["doomed"]
    assert without_watch(marks, 0).watches == ()
    for add, text, why in (
        (with_breakpoint, "step 1", "is set already"),
        (with_watch, "state", "is watched already"),
        (with_breakpoint, "step 77", "no step"),
        (with_watch, "?", "no value"),
    ):
        with pytest.raises(DebuggerError, match=why):
            add(marks, text, run)


def test_a_mark_that_is_strange_here_counts_in_a_longer_run(run: RunIndex) -> None:
    marks, _ = read_for(marks_of(["step 3", "step 99", "\x1b[31m"], ()), run)
    assert breakpoints_for(marks, run) == (StepBreak(3),)


def test_a_breakpoint_is_switched_off_and_on_and_its_file_says_so(run: RunIndex) -> None:
    marks = with_breakpoint(with_breakpoint(Marks(), "step 1", run), "lost", run)
    off = switched(marks, 0)
    assert off.breakpoints == marks.every[1:] and off.texts["breakpoints"] == ["off step 1", "lost"]
    read, wrong = read_for(marks_of(off.texts["breakpoints"], []), run)
    assert (read, wrong) == (off, "") and breakpoints_for(off, run) == off.breakpoints
    assert switched(off, 0) == marks and toggled(off, StepBreak(1)).texts["breakpoints"] == ["lost"]
    assert without_breakpoint(off, 0) == without_breakpoint(marks, 0)


def test_a_mark_is_edited_in_its_place(run: RunIndex) -> None:
    marks = with_breakpoint(with_breakpoint(Marks(), "step 1", run), "lost", run)
    assert with_breakpoint(marks, "step 2", run, 0).texts["breakpoints"] == ["step 2", "lost"]
    assert with_breakpoint(marks, "step 1", run, 0) == marks, "left as it was"
    with pytest.raises(DebuggerError, match="set already"):
        with_breakpoint(marks, "lost", run, 0)
    assert with_watch(with_watch(Marks(), "state", run), "step", run, 0).texts["watches"] == ["step"]
