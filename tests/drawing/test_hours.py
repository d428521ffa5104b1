"""Hours as bars: a window never shuts out a valid plan, and the picture moves with the steps."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

from hypothesis import given
from hypothesis import strategies as st

from planscope.debugger.run_index import RunIndex
from planscope.drawing.hours import axis, bars, cells_of, windows
from planscope.drawing.svg import hours_svg
from planscope.language.problem import DAY, Constraint, Problem, make_actions, rules
from planscope.oracle.replay import replay
from planscope.session.locations import bundled
from planscope.session.oracle_input import problem_of
from planscope.session.store import load
from planscope.session.traces import trace_of


@st.composite
def timed(draw: st.DrawFn) -> Problem:
    actions = make_actions(["a", "b", "c"], draw(st.lists(st.integers(4, 9), min_size=3, max_size=3)))
    ids = [action.id for action in actions]
    made = []
    for k in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["order", "start_at_least", "end_at_most"]))
        if kind == "order":
            before, after = draw(st.permutations(ids))[:2]
            made.append(Constraint(f"c{k}", "order", "", before=before, after=after))
        else:
            hour = draw(st.integers(0, DAY))
            made.append(Constraint(f"c{k}", kind, "", action=draw(st.sampled_from(ids)), hour=hour))
    return Problem(actions, (*made, *rules(True)), timed=True)


def valid(problem: Problem, plan: dict[str, tuple[int, int]]) -> bool:
    for c in problem.said:
        if c.kind == "order" and plan[str(c.before)][1] > plan[str(c.after)][0]:
            return False
        if c.kind == "start_at_least" and plan[str(c.action)][0] < (c.hour or 0):
            return False
        if c.kind == "end_at_most" and plan[str(c.action)][1] > (c.hour or 0):
            return False
    return True


@given(timed())
def test_every_valid_plan_lies_inside_the_windows(problem: Problem) -> None:
    found = windows(problem, {})
    length = {action.id: action.duration or 1 for action in problem.actions}
    for order in permutations(length):
        for gaps in product((0, 1, 3), repeat=3):
            clock, plan = 0, dict[str, tuple[int, int]]()
            for action, gap in zip(order, gaps, strict=True):
                plan[action] = (clock + gap, clock + gap + length[action])
                clock = plan[action][1]
            if clock <= DAY and valid(problem, plan):
                for action, (start, end) in plan.items():
                    window = found[action]
                    assert window is not None and window[0] <= start and end <= window[1]


def test_the_bars_move_with_the_steps() -> None:
    session = load(bundled()["figure-10"])
    run = RunIndex(replay(problem_of(session.variants[0]), trace_of(session.runs[-1])))
    before, after = bars(run, 0), bars(run, 1)
    assert {bar.kind for bar in before} == {"open"} and not any(bar.done for bar in before)
    training = next(bar for bar in after if bar.action == "a3")
    colour = next(bar for bar in after if bar.action == "a2")
    assert (training.done, training.kind) == ((10, 12), "lost")
    assert colour.window is None and colour.kind == "lost"
    assert next(bar for bar in before if bar.action == "a2").window == (0, 10)
    assert cells_of(training, 2)[20:24] == "████" and len(cells_of(training, 2)) == 48
    assert hours_svg(after, {"a1": "a", "a2": "<b>", "a3": "c"}).count("&lt;b&gt;") == 2


def test_the_axis_names_hours_where_they_are() -> None:
    for width in (1, 2, 3):
        line = axis(width)
        assert line.index("12") == 12 * width and line.endswith("24")


def test_an_hour_that_no_day_has_is_drawn_at_the_edge() -> None:
    session = load(bundled()["figure-10"])
    run = RunIndex(replay(problem_of(session.variants[0]), trace_of(session.runs[-1])))
    bar = replace(next(bar for bar in bars(run, 1) if bar.done), done=(10**400, 10**400 + 2))
    assert "inf" not in hours_svg([bar], {bar.action: "a"})
