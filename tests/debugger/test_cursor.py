"""Forward and back are equal, and every key is a move to a place that exists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.debugger.cursor import (
    DebugState,
    cursor_record,
    first_violation,
    focus,
    go_end,
    go_start,
    go_to,
    next_call,
    next_check,
    open_run,
    parse_step,
    previous_call,
    previous_check,
    restore_cursor,
    select,
    with_run,
)
from planscope.debugger.errors import DebuggerError
from planscope.debugger.run_index import RunIndex
from planscope.debugger.selection import SelectedConstraint, SelectedNode, SelectedStep, SelectedWords
from planscope.language.problem import Problem, make_actions, rules
from planscope.oracle.replay import Replay, replay
from planscope.oracle.trace import ToolCall, Trace
from tests.debugger.runs import figure_10, hand_made, judged, order
from tests.each import each
from tests.hostile import HOSTILE

Move = Callable[[DebugState], DebugState]


def place(state: DebugState) -> tuple[int, int | None]:
    return state.index, state.check


def test_a_walk_through_calls() -> None:
    state = open_run(hand_made())
    assert (state.index, state.step, state.checks) == (0, 0, ())
    assert previous_call(state) is state
    steps = []
    for _ in range(9):
        state = next_call(state)
        steps.append(state.step)
    assert steps == [1, 2, 3, 4, 5, "end", "end", "end", "end"]
    assert next_call(state) is state


def test_a_walk_through_checks() -> None:
    state = open_run(hand_made())
    walked = []
    for _ in range(12):
        state = next_check(state)
        walked.append((state.step, state.checked))
    assert walked == [
        (1, None),
        (1, "c1"),
        (2, None),
        (2, "c3"),
        (3, None),
        (4, None),
        (4, "c2"),
        (5, None),
        (5, "b2"),
        ("end", None),
        ("end", "b1"),
        ("end", "b1"),
    ]


def test_the_checks_of_a_step_are_what_changed_and_what_came_into_the_core() -> None:
    run = open_run(figure_10()).run
    told = [(view.step, run.checks[i]) for i, view in enumerate(run.steps)]
    assert told[3][1] == ("c1", "c3", "c6", "b3")  # c3 and b3 are the core, c1 and c6 hold now
    assert told[4][1] == ("c3", "b3")


@given(judged(), st.data())
def test_forward_and_back_are_equal(run: Replay, data: st.DataObject) -> None:
    state = go_to(open_run(run), data.draw(st.integers(0, len(run.steps) - 1)))
    times = data.draw(st.integers(0, 12))
    for there, back in ((next_call, previous_call), (next_check, previous_check)):
        trail = [state]
        for _ in range(times):
            trail.append(there(trail[-1]))
            if place(trail[-1]) == place(trail[-2]):
                trail.pop()
        here = trail[-1]
        for expected in reversed(trail[:-1]):
            here = back(here)
            assert place(here) == place(expected)


@given(judged())
def test_checks_pass_every_step_and_every_change(run: Replay) -> None:
    state = open_run(run)
    walked = [place(state)]
    while place(further := next_check(state)) != place(state):
        state = further
        walked.append(place(state))
    assert [index for index, check in walked if check is None] == list(range(len(run.steps)))
    for index, view in enumerate(run.steps):
        seen = {state.run.checks[index][check] for at, check in walked if at == index and check is not None}
        assert seen >= set(view.changed)
    assert walked == sorted(walked, key=lambda p: (p[0], -1 if p[1] is None else p[1]))


moves: tuple[Move, ...] = (
    next_call,
    previous_call,
    next_check,
    previous_check,
    first_violation,
    go_start,
    go_end,
    lambda state: select(state, SelectedConstraint("c1")),
    lambda state: select(state, SelectedStep(10**9)),
    lambda state: select(state, None),
)


@given(judged(), st.lists(st.sampled_from(moves), max_size=20))
def test_every_place_exists(run: Replay, keys: list[Move]) -> None:
    state = open_run(run)
    for key in keys:
        state = key(state)
        assert 0 <= state.index < len(run.steps)
        assert state.check is None or state.checked in {c.id for c in run.problem.constraints}
        assert state.view is run.steps[state.index]
        assert focus(state) is not None


@given(judged())
def test_first_violation_is_the_verdicts(run: Replay) -> None:
    state = first_violation(go_end(open_run(run)))
    violation = run.verdict().first_violation
    if violation is not None:
        assert state.step == violation.step
        assert state.checked == violation.constraint
    elif not any(f.severity == "error" for f in run.verdict().findings):
        assert state.index == len(run.steps) - 1


def test_first_violation_of_the_last_attempt() -> None:
    state = first_violation(open_run(figure_10()))
    assert (state.step, state.checked) == (3, "c3")
    assert state.run.doomed == (1, 3)


def test_a_run_that_only_ran_out_of_time_has_its_end_as_first_violation() -> None:
    problem = Problem(make_actions(["task"]), rules(False))
    state = first_violation(open_run(replay(problem, Trace((ToolCall("task"),), "timeout"))))
    assert state.step == "end"
    right = open_run(replay(problem, Trace((ToolCall("task"),))))
    assert first_violation(right) is right


def test_selecting_and_moving() -> None:
    state = open_run(hand_made())
    assert focus(state) == SelectedStep(0)
    state = select(state, SelectedStep(4))
    assert (state.index, focus(state)) == (4, SelectedStep(4))
    state = next_call(state)
    assert (state.selection, focus(state)) == (None, SelectedStep(5))
    for selection in (SelectedWords((3, 8)), SelectedNode((0, "clause", 0)), SelectedConstraint("c2")):
        kept = previous_call(select(state, selection))
        assert focus(kept) == selection  # what was pointed at stays lit while one steps
    state = next_check(select(go_to(state, 4), SelectedConstraint("c1")))
    assert focus(state) == SelectedConstraint("c2")  # until one goes to a check
    assert select(state, None).check == state.check


def test_the_order_of_equal_moves_does_not_matter_for_the_objects() -> None:
    state = open_run(hand_made())
    assert previous_call(next_call(next_call(state))) == next_call(state)
    with pytest.raises(AttributeError):
        state.index = 3


@pytest.mark.parametrize(
    ("text", "index"),
    [("3", 3), (" step 3 ", 3), ("0", 0), ("start", 0), ("end", 6), ("END", 6), ("Step end", 6), ("05", 5)],
)
def test_steps_as_written(text: str, index: int) -> None:
    assert parse_step(open_run(hand_made()).run, text) == index


@each("text", ["6", "999999999999999999999", "-1", "", "step", "3.0", "³", "٣", *HOSTILE])
def test_no_such_step(text: str) -> None:
    if text in ("end",):
        return
    with pytest.raises(DebuggerError) as caught:
        parse_step(open_run(hand_made()).run, text)
    message = str(caught.value)
    assert "\n" not in message
    assert message.isprintable() or "\u3000" in message
    assert "0 to 5" in message
    assert len(message) < 200


def test_a_run_that_grows_takes_along_who_stands_at_its_end() -> None:
    problem = Problem(make_actions(["one", "two"]), (order("c1", "a1", "a2"), *rules(False)))
    short = replay(problem, Trace((ToolCall("one"),), "running"))
    longer = replay(problem, Trace((ToolCall("one"), ToolCall("two")), "running"))
    at_end, behind = go_end(open_run(short)), open_run(short)
    assert with_run(at_end, RunIndex(longer)).index == 2
    assert with_run(behind, RunIndex(longer)).index == 0
    checking = with_run(next_check(next_check(open_run(longer))), RunIndex(longer))
    assert (checking.index, checking.checked) == (1, "c1")
    assert with_run(go_end(open_run(longer)), RunIndex(short)).index == 1


@given(judged(), st.data())
def test_a_place_is_kept_in_a_file(run: Replay, data: st.DataObject) -> None:
    state = open_run(run)
    for key in data.draw(st.lists(st.sampled_from(moves[:7]), max_size=6)):
        state = key(state)
    assert place(restore_cursor(open_run(run), cursor_record(state))) == place(state)


@pytest.mark.parametrize(
    "record",
    [{}, {"index": "3"}, {"index": True}, {"index": 2.0}, {"index": None}, {"check": 1}, {"index": [1]}],
)
def test_a_senseless_record_moves_nothing(record: dict[str, Any]) -> None:
    state = open_run(hand_made())
    assert restore_cursor(state, record) is state


def test_a_record_of_another_run_is_used_as_far_as_it_goes() -> None:
    state = open_run(hand_made())
    assert place(restore_cursor(state, {"index": 10**12, "check": 0})) == (6, None)
    assert place(restore_cursor(state, {"index": 4, "check": 7})) == (4, None)
    assert place(restore_cursor(state, {"index": -4})) == (0, None)
