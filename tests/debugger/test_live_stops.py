"""Pausing a run under way: the same stops as on the way through the recorded run, foreseen before the call."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.debugger.breakpoints import (
    AboutToBreak,
    Breakpoint,
    ErrorBreak,
    NoReturn,
    ToolBreak,
    parse_breakpoint,
)
from planscope.debugger.run_index import RunIndex
from planscope.debugger.stops import LiveStops, hits, reasons
from planscope.language.problem import Constraint, Problem, make_actions, rules
from planscope.oracle.replay import replay
from planscope.oracle.trace import RESTART_TOOL, ToolCall, Trace
from planscope.session.record import RecordedCall, RunRecord
from tests.nightly import examples

from .runs import figure_10, judged, order

ABC = Problem(
    make_actions(["alpha", "beta", "gamma"]),
    (order("c1", "a1", "a2"), order("c2", "a2", "a3"), *rules(False)),
)


def read(text: str, problem: Problem = ABC) -> Breakpoint:
    calls = tuple(ToolCall(a.tool) for a in problem.actions)
    return parse_breakpoint(text, RunIndex(replay(problem, Trace(calls))))


def test_without_a_query_a_run_pauses_at_the_agents_own_tools() -> None:
    unjudged = Problem((), (), own={"alpha": None, "beta": None}, unjudged="no query")
    assert asked("alpha", at="tool ALPHA", problem=unjudged) == ("tool alpha",)
    assert asked("beta", at="tool alpha", problem=unjudged) == ()


def so_far(*calls: ToolCall) -> RunRecord:
    """The record of a run under way in which these calls were answered."""
    told = [
        RecordedCall(
            k,
            call.tool,
            call.arguments,
            error=call.error or "",
            answer="",
            refused_by="guard" if call.refused else "",
        )
        for k, call in enumerate(calls, 1)
    ]
    return RunRecord("r1", "v1", "tools", "sim:x", tuple(told), "running", "", under_way=True)


def asked(*tools: str, at: str, problem: Problem = ABC) -> tuple[str, ...]:
    """Why the last one of the calls is paused before, with one breakpoint."""
    done = so_far(*map(ToolCall, tools[:-1]))
    return LiveStops(problem, [read(at, problem)]).why(done, ToolCall(tools[-1]))


@pytest.mark.parametrize(
    ("calls", "at", "why"),
    [
        (["alpha"], "tool alpha", ("tool alpha",)),
        (["beta"], "tool alpha", ()),
        (["alpha"], "step 0", ("step 0",)),
        (["alpha"], "step 1", ("step 1",)),
        (["alpha", "beta"], "step 1", ()),
        (["alpha", "beta"], "step 2", ("step 2",)),
        (["alpha", "beta"], "breaks", ()),
        (["alpha", "gamma"], "breaks", ("c2 breaks", "point of no return", "order_error", "breaks")),
        (["alpha", "gamma"], "breaks c2", ("c2 breaks", "point of no return", "order_error", "breaks c2")),
        (["alpha", "gamma"], "breaks c1", ()),
        (["alpha", "gamma"], "doomed", ("c2 breaks", "point of no return", "order_error", "doomed")),
        (["gamma", "beta"], "doomed", ()),
        (["ghost"], "error", ("act_error", "error")),
        (["ghost"], "error order_error", ()),
        (["alpha", "alpha"], "error action_repeated", None),
        (["gamma"], "error order_error", None),
        (["alpha"], "when valid_completions < 2", ("when valid_completions < 2",)),
        (["alpha", "beta"], "when valid_completions < 2", ()),
        (["alpha"], "when a1.place == 1", ("when a1.place == 1",)),
        (["alpha", "beta"], "when a1.place == 1", ()),
        (["alpha"], "when valid_completions == 1", ("when valid_completions == 1",)),
        (["alpha", "beta"], "when valid_completions == 1", ()),
        (["alpha", "gamma"], "when c2 == broken", None),
        (["alpha", "gamma"], "when state == broken", None),
    ],
)
def test_each_kind_of_breakpoint(calls: list[str], at: str, why: tuple[str, ...] | None) -> None:
    found = asked(*calls, at=at)
    if why is None:
        assert found[-1] == at
    else:
        assert found == why


def test_nothing_pauses_where_no_breakpoint_is_about_it() -> None:
    assert LiveStops(ABC).why(so_far(), ToolCall("gamma")) == ()


def test_a_call_that_cannot_be_read_or_has_wrong_arguments() -> None:
    problem = figure_10().problem
    unread = ToolCall("applying_hair_color", None, "the arguments are not JSON")
    odd = ToolCall("applying_hair_color", {"start_time": "8"})
    late = ToolCall("applying_hair_color", {"start_time": 23})
    stops = LiveStops(problem, [ErrorBreak("act_error")])
    nothing = so_far()
    assert stops.why(nothing, unread) == ("act_error", "error act_error")
    assert stops.why(nothing, odd) == ("act_error", "error act_error")
    assert stops.why(nothing, late) == ()
    stops.pause_at([ErrorBreak("parameter_error"), NoReturn()])
    assert stops.why(nothing, late)[-2:] == ("error parameter_error", "doomed")


def test_a_contradiction_in_the_text_pauses_before_the_first_call() -> None:
    problem = Problem(ABC.actions, (*ABC.constraints, order("c3", "a1", "a1"), order("c4", "a2", "a1")))
    stops = LiveStops(problem, [NoReturn(), AboutToBreak("c3")])
    assert stops.why(so_far(), ToolCall("alpha")) == (
        "c3 breaks",
        "c4 breaks",
        "point of no return",
        "order_error",
        "doomed",
        "breaks c3",
    )
    assert stops.why(so_far(ToolCall("alpha")), ToolCall("beta")) == ()


def test_a_restart_begins_anew() -> None:
    run = figure_10()
    stops = LiveStops(run.problem, [NoReturn()])
    before = [so_far(*run.trace.calls[:k]) for k in range(len(run.trace.calls))]
    found = [bool(stops.why(trace, call)) for trace, call in zip(before, run.trace.calls, strict=True)]
    assert found == [run.steps[k + 1].index in RunIndex(run).doomed for k in range(len(before))]
    assert any(found)


@given(judged(), st.data())
def test_it_pauses_where_the_recorded_run_stops(recorded: object, data: st.DataObject) -> None:
    """Asked call by call: the reasons are those of the step in the run as it stood then."""
    assert isinstance(recorded, type(figure_10()))
    problem, calls = recorded.problem, recorded.trace.calls
    texts = [
        "breaks",
        "doomed",
        "error",
        "when valid_completions < 3",
        "when step > 1",
        "when state != completable",
    ]
    texts += [f"breaks {c.id}" for c in problem.constraints] + [f"tool {a.tool}" for a in problem.actions]
    chosen = data.draw(st.lists(st.sampled_from(texts), unique=True))
    breakpoints = [read(text, problem) for text in chosen]
    stops = LiveStops(problem, breakpoints)
    for k in range(1, len(calls) + 1):
        run = RunIndex(replay(problem, Trace(calls[:k], "running")))
        first = {0} if k == 1 else set()

        def stopped(b: Breakpoint, k: int = k, run: RunIndex = run, first: set[int] = first) -> bool:
            if isinstance(b, AboutToBreak):
                broken = [b.constraint] if b.constraint else list(run.breaks)
                return any({k, *first} & set(run.breaks.get(c, ())) for c in broken)
            if isinstance(b, ToolBreak):
                return k - 1 in hits(b, run)
            return bool({k, *first} & set(hits(b, run)))

        expected = [str(b) for b in breakpoints if stopped(b)]
        found = stops.why(so_far(*calls[: k - 1]), calls[k - 1])
        assert [text for text in found if text in map(str, breakpoints)] == expected
        assert bool(found) == bool(expected)
        if found and k > 1:
            assert found == tuple(dict.fromkeys([*reasons(run, k, ()), *expected]))


def test_breakpoints_change_while_the_run_asks() -> None:
    """Each question is answered by one set of breakpoints, whichever stood there at the time."""
    stops = LiveStops(ABC)
    sets = [(), (AboutToBreak(),), (ToolBreak("gamma"), ErrorBreak())]
    wanted = {LiveStops(ABC, chosen).why(so_far(), ToolCall("gamma")) for chosen in sets}
    over = threading.Event()

    def change() -> None:
        while not over.is_set():
            for chosen in sets:
                stops.pause_at(chosen)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        found = {stops.why(so_far(), ToolCall("gamma")) for _ in range(200)}
    finally:
        over.set()
        thread.join()
    assert found <= wanted


@settings(max_examples=examples(30))
@given(st.lists(st.integers(0, 23), min_size=1, max_size=12))
def test_what_was_asked_before_changes_no_answer(hours: list[int]) -> None:
    """The timed plan's memory is shared between questions; the answers are those of a fresh one."""
    actions = make_actions(["alpha", "beta", "gamma", "delta"], [3, 2, 5, 4])
    deadline = Constraint("c2", "end_at_most", "a3.end <= 18", action="a3", hour=18)
    problem = Problem(
        actions,
        (Constraint("c1", "order", "a1.end <= a2.start", before="a1", after="a2"), deadline, *rules(True)),
        timed=True,
    )
    calls = [
        ToolCall(RESTART_TOOL, {})
        if hour % 7 == 6
        else ToolCall(actions[hour % 4].tool, {"start_time": hour})
        for hour in hours
    ]
    breakpoints: list[Breakpoint] = [AboutToBreak(), NoReturn(), ErrorBreak()]
    stops = LiveStops(problem, breakpoints)
    for k, call in enumerate(calls):
        done = so_far(*calls[:k])
        assert stops.why(done, call) == LiveStops(problem, breakpoints).why(done, call)


@pytest.mark.parametrize(
    ("calls", "error", "at", "why"),
    [
        (["alpha"], None, "tool alpha", ("tool alpha",)),
        (["beta"], None, "tool alpha", ()),
        (["alpha"], None, "step 0", ("step 0",)),
        (["alpha", "beta"], None, "step 2", ("step 2",)),
        (["alpha", "beta"], None, "step 1", ()),
        (["ghost"], "there is no such tool", "error", ("error",)),
        (["ghost"], "there is no such tool", "error act_error", ("error act_error",)),
        (["ghost"], "there is no such tool", "error order_error", ()),
        (["alpha", "gamma"], None, "breaks", ()),
        (["alpha", "gamma"], None, "doomed", ()),
        (["alpha"], None, "when valid_completions < 3", ()),
    ],
)
def test_where_the_request_cannot_be_read_nothing_is_judged(
    calls: list[str], error: str | None, at: str, why: tuple[str, ...]
) -> None:
    done = so_far(*map(ToolCall, calls[:-1]))
    assert LiveStops(None, [read(at)]).why(done, ToolCall(calls[-1], error=error)) == why
