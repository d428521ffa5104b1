"""Breakpoints are read and written, and continuing stops at them, forward and back alike."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.debugger.breakpoints import (
    AboutToBreak,
    Breakpoint,
    ErrorBreak,
    NoReturn,
    StepBreak,
    ToolBreak,
    When,
    load_breakpoints,
    parse_breakpoint,
    toggle,
)
from planscope.debugger.cursor import (
    DebugState,
    first_violation,
    focus,
    go_end,
    go_to,
    next_call,
    next_check,
    open_run,
    previous_check,
    select,
)
from planscope.debugger.errors import DebuggerError
from planscope.debugger.expressions import parse_condition
from planscope.debugger.linked import Links
from planscope.debugger.selection import SelectedConstraint
from planscope.debugger.stops import continue_back, continue_forward, hits, in_words, marks, reasons
from planscope.debugger.watches import look, parse_watch
from planscope.language.problem import Action, Problem, rules
from planscope.oracle.replay import Replay, replay
from planscope.oracle.trace import ToolCall, Trace
from planscope.safe import visible
from tests.debugger.runs import figure_10, hand_made, judged, long_run
from tests.each import each
from tests.hostile import HOSTILE

RUN = open_run(hand_made()).run


@pytest.mark.parametrize(
    ("text", "expected", "stops"),
    [
        ("tool first_task", ToolBreak("first_task"), (0,)),
        ("tool third task", ToolBreak("third_task"), (4,)),
        ("TOOL a4", ToolBreak("fourth_task"), (3,)),
        ("tool ghost", ToolBreak("ghost"), (2,)),
        ("ghost", ToolBreak("ghost"), (2,)),
        ("step 3", StepBreak(3), (3,)),
        ("3", StepBreak(3), (3,)),
        ("end", StepBreak("end"), (6,)),
        ("step end", StepBreak("end"), (6,)),
        ("breaks", AboutToBreak(), (3,)),
        ("breaks c2", AboutToBreak("c2"), (3,)),
        ("breaks C1", AboutToBreak("c1"), ()),
        ("doomed", NoReturn(), (4,)),
        ("lost", NoReturn(), (4,)),
        ("Violates c2", AboutToBreak("c2"), (3,)),
        ("error failed call", ErrorBreak("act_error"), (3,)),
        ("when c2 == violated", When(parse_condition("c2 == broken", RUN.problem)), (4,)),
        ("error", ErrorBreak(), (3, 4)),
        ("error act_error", ErrorBreak("act_error"), (3,)),
        ("error order error", ErrorBreak("order_error"), (4,)),
        ("when c2 == broken", When(parse_condition("c2 == broken", RUN.problem)), (4,)),
        ("when valid_completions < 2", When(parse_condition("valid_completions < 2", RUN.problem)), (2,)),
        ("when step != 3", When(parse_condition("step != 3", RUN.problem)), (0, 4)),
    ],
)
def test_breakpoints_as_written(text: str, expected: Breakpoint, stops: tuple[int, ...]) -> None:
    point = parse_breakpoint(text, RUN)
    assert point == expected
    assert hits(point, RUN) == stops
    assert parse_breakpoint(str(point), RUN) == point


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "a breakpoint begins with one of: tool, step, breaks, lost, error, when"),
        ("tol first_task", "no kind of breakpoint 'tol'; nearest: 'tool'"),
        ("tool", "a tool's name is missing after 'tool'"),
        ("tool frist_task", "no tool 'frist_task'; nearest: 'first_task'"),
        ("step", "is not a step; enter 0 to 5"),
        ("step 9", "no step 9; the steps are 0 to 5, and end"),
        ("breaks c9", "no constraint 'c9'; nearest: 'c1'"),
        ("error oder_error", "no error type 'oder_error'; nearest: 'order_error'"),
        ("doomed c1", "'doomed' takes no argument"),
        ("when", "enter an expression"),
        ("when valid_completions", "is a value; a condition compares it"),
        ("when valid_completion < 3", "nearest: 'valid_completions'"),
        ("99", "no step 99"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(DebuggerError) as caught:
        parse_breakpoint(text, RUN)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_run_that_goes_on_may_come_to_any_step() -> None:
    problem = Problem((Action("a1", "one", "one"),), rules(False))
    run = open_run(replay(problem, Trace((ToolCall("one"),), "running"))).run
    assert parse_breakpoint("step 9", run) == parse_breakpoint("9", run) == StepBreak(9)
    assert parse_breakpoint("end", run) == parse_breakpoint("step end", run) == StepBreak("end")
    assert hits(StepBreak(9), run) == hits(StepBreak("end"), run) == ()
    with pytest.raises(DebuggerError, match="is not a step"):
        parse_breakpoint("step x", run)


@given(
    st.one_of(st.text(max_size=30), st.sampled_from(HOSTILE)),
    st.sampled_from(["", "tool ", "breaks ", "when "]),
)
def test_any_text_is_read_and_written_back_or_refused_in_one_line(text: str, kind: str) -> None:
    try:
        point = parse_breakpoint(kind + text, RUN)
    except DebuggerError as error:
        assert visible(str(error)) == str(error)
        assert len(str(error)) < 400
    else:
        assert parse_breakpoint(str(point), RUN) == point


@each("tool", [t for t in HOSTILE if t.strip()])
def test_a_tool_of_any_name_can_be_stopped_at(tool: str) -> None:
    problem = Problem((Action("a1", "one", "one"),), rules(False))
    run = open_run(replay(problem, Trace((ToolCall("one"), ToolCall(tool))))).run
    assert hits(parse_breakpoint(str(ToolBreak(tool)), run), run) == (1,)


def test_breakpoints_of_a_file_that_no_longer_fit_are_named() -> None:
    breakpoints, problems = load_breakpoints(["step 3", "tool x", "breaks c7", "3", "doomed"], RUN)
    assert breakpoints == (StepBreak(3), NoReturn())
    assert len(problems) == 2
    assert all(problem.startswith("breakpoint: no ") for problem in problems)


def test_toggling() -> None:
    one = toggle((), StepBreak(3))
    two = toggle(one, NoReturn())
    assert (one, two) == ((StepBreak(3),), (StepBreak(3), NoReturn()))
    assert toggle(two, StepBreak(3)) == (NoReturn(),)


def walk(key: Callable[..., DebugState], state: DebugState, breakpoints: tuple[Breakpoint, ...]) -> list[int]:
    places = []
    while (further := key(state, breakpoints)).index != state.index:
        state = further
        places.append(state.index)
    return places


def test_continuing_stops_at_violations_and_breakpoints() -> None:
    state = open_run(hand_made())
    assert walk(continue_forward, state, ()) == [4, 6]
    assert walk(continue_back, go_end(state), ()) == [4, 0]
    breakpoints = (ToolBreak("second_task"), AboutToBreak("c2"), StepBreak(5))
    assert walk(continue_forward, state, breakpoints) == [1, 3, 4, 5, 6]
    assert walk(continue_back, go_end(state), breakpoints) == [5, 4, 3, 1, 0]


def test_the_reasons_for_a_stop_are_told() -> None:
    breakpoints = (ToolBreak("fourth_task"), AboutToBreak("c2"), StepBreak(4), ErrorBreak("act_error"))
    assert reasons(RUN, 3, breakpoints) == ("act_error", "tool fourth_task", "breaks c2", "error act_error")
    assert reasons(RUN, 4, breakpoints) == ("c2 breaks", "point of no return", "order_error", "step 4")
    assert reasons(RUN, 1, breakpoints) == ()
    assert marks(RUN, breakpoints) == {3, 4}


def test_stops_of_both_attempts() -> None:
    run = open_run(figure_10()).run
    assert hits(NoReturn(), run) == (1, 3)
    assert hits(ErrorBreak("parameter_error"), run) == (4,)
    assert hits(parse_breakpoint("tool ask_for_restart", run), run) == (1,)
    assert walk(continue_forward, open_run(figure_10()), ()) == [1, 3, 4, 6]


breakpoint_texts = st.lists(
    st.sampled_from(
        [
            "tool task_0",
            "step 2",
            "step 0",
            "breaks",
            "doomed",
            "error",
            "error act_error",
            "when valid_completions < 2",
            "when step > 3",
            "when a1.place != none",
            "when state == doomed",
        ]
    ),
    max_size=3,
    unique=True,
)


@given(judged(), breakpoint_texts)
def test_forward_and_back_stop_at_the_same_places(replayed: Replay, texts: list[str]) -> None:
    state = open_run(replayed)
    breakpoints, _ = load_breakpoints(texts, state.run)
    there = walk(continue_forward, state, breakpoints)
    back = walk(continue_back, go_end(state), breakpoints)
    assert sorted({0, *there}) == sorted({*back, state.run.last})
    stops = {i for b in breakpoints for i in hits(b, state.run)} | set(state.run.violations)
    assert {0, *there} == stops | {0, state.run.last}


@given(judged(), breakpoint_texts, st.data())
def test_a_stop_forward_is_undone_by_a_stop_back(
    replayed: Replay, texts: list[str], data: st.DataObject
) -> None:
    state = open_run(replayed)
    breakpoints, _ = load_breakpoints(texts, state.run)
    here = go_to(state, data.draw(st.integers(0, state.run.last)))
    there = continue_forward(here, breakpoints)
    assert there.index > here.index or here.index == state.run.last
    assert continue_back(there, breakpoints).index <= here.index or there.index == here.index
    for between in range(here.index + 1, there.index):
        assert reasons(state.run, between, breakpoints) in ((), ("act_error",))


@given(judged())
def test_every_violation_has_a_reason(replayed: Replay) -> None:
    state = open_run(replayed)
    for index in state.run.violations:
        assert reasons(state.run, index, ()) or state.run.steps[index].state == "broken"


def test_a_condition_on_counts_asks_no_further_than_the_next_stop() -> None:
    made = hand_made()
    state = open_run(made)
    when = parse_breakpoint("when valid_completions < 2", state.run)
    assert isinstance(when, When) and when.costly
    assert reasons(state.run, 2, (when,)) == ()
    assert made.asked == []
    assert marks(state.run, (when,)) == frozenset()
    assert continue_forward(state, (when,)).index == 2
    assert sorted(made.asked) == [1, 2]
    assert reasons(state.run, 2, (when,)) == ("when valid_completions < 2",)


def test_a_long_search_for_a_condition_can_be_cancelled() -> None:
    made = hand_made()
    state = open_run(made)
    when = parse_breakpoint("when valid_completions < 2", state.run)
    answers = iter([False, True])
    assert continue_forward(state, (when,), cancelled=lambda: next(answers)) is state
    assert made.asked == [1]
    end = go_end(state)
    assert continue_back(end, (when,), cancelled=lambda: True) is end


def test_keys_are_quick_in_a_long_run() -> None:
    """1,000 steps, 2,000 constraints: no key takes longer for it (0.2 ms; a slow machine gets ten times that)."""
    replayed = long_run()
    state = open_run(replayed)
    links = Links("", replayed.problem)
    watches = [parse_watch(text, state.run.problem) for text in ("a7.place", "c99", "c7 == broken", "step")]
    texts = ["tool task_400", "step 77", "breaks", "doomed", "error", "when c7 == holds", "when a9.place > 3"]
    breakpoints, problems = load_breakpoints(texts, state.run)
    assert problems == ()
    continue_forward(state, breakpoints)
    keys: dict[str, Callable[[DebugState], object]] = {
        "n": next_call,
        "s": next_check,
        "S": previous_check,
        "c": lambda s: continue_forward(s, breakpoints),
        "C": lambda s: continue_back(s, breakpoints),
        "f": first_violation,
        "why": lambda s: reasons(s.run, s.index, breakpoints),
        "watch": lambda s: [look(watch, s.run, s.index) for watch in watches],
        "step links": lambda s: links.lit(focus(s), s.run),
        "links": lambda s: links.lit(focus(select(s, SelectedConstraint("c1500"))), s.run),
    }
    for name, key in keys.items():
        times = []
        for index in range(0, 1000, 10):
            here = go_to(state, index)
            begun = time.thread_time()
            key(here)
            times.append(time.thread_time() - begun)
        assert sorted(times)[50] < 0.02, name  # looking at every step would take longer


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (("b3 breaks", "parameter_error", "breaks"), "violates b3, parameter error"),
        (
            ("c2 breaks", "point of no return", "order_error", "doomed", "error"),
            "violates c2 (third task before fourth task), point of no return, order error",
        ),
        (("breaks c2",), "violates c2 (third task before fourth task)"),
        (("doomed",), "point of no return"),
        (("tool breaks", "when c1 == broken"), "tool breaks, when c1 == broken"),
        (("error act_error",), "failed call"),
        (
            ("act_error", "tool ghost_tool", "when valid_completions < 3"),
            "failed call, tool ghost_tool, when valid_completions < 3",
        ),
        ((), ""),
    ],
)
def test_why_one_stops_is_said_once(told: tuple[str, ...], said: str) -> None:
    assert in_words(told, RUN.problem) == said
