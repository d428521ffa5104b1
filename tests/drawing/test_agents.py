"""Lanes of a run's agents: who called when, in cells and as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from planscope.drawing.agents import agent_lanes, agents_svg, cells
from planscope.session.model import AnswerEvent, CallEvent, Event, Run
from planscope.session.record import RunRecord, record_of

Call = tuple[str, float, float]
"""The agent of a call, and when the call begins and ends in seconds."""


def run_of(calls: Sequence[Call]) -> RunRecord:
    events: list[Event] = []
    for step, (agent, at, end) in enumerate(calls, 1):
        events.append(CallEvent(at=at, step=step, tool="look", arguments={}, agent=agent or None))
        events.append(AnswerEvent(at=end, step=step, text="done"))
    return record_of(
        Run(id="r1", variant="v1", agent="main", model="m", created="2026-01-01T00:00:00Z", events=events)
    )


def test_a_run_of_one_agent_has_no_lanes() -> None:
    assert agent_lanes(None) is None
    assert agent_lanes(run_of([])) is None
    assert agent_lanes(run_of([("scout", 0, 1), ("scout", 1, 2)])) is None


def test_each_agent_has_a_lane_and_the_main_one_the_name_of_the_run() -> None:
    found = agent_lanes(run_of([("", 0, 2), ("scout", 2, 4), ("", 6, 8)]))
    assert found is not None and found.timed and found.length == 8 and found.axis() == ("0 s", "8 s")
    assert [lane.name for lane in found.lanes] == ["main", "scout"]
    assert [call.index for call in found.lanes[0].calls] == [1, 3]
    assert [found.row_of(step) for step in (0, 1, 2, 3, 4)] == [None, 0, 1, 0, None]
    assert cells(found.lanes[0], 8, 8) == [1, 1, -1, -1, -1, -1, 3, 3]
    assert cells(found.lanes[1], 8, 8) == [0, 0, 2, 2, 0, 0, 0, 0]


def test_calls_without_times_or_all_at_once_are_drawn_by_their_numbers() -> None:
    same = [("", 0.0, 0.0), ("scout", 0.0, 0.0)]
    crowd = [("" if i % 2 else "scout", 0.001 * i, 0.001 * i) for i in range(40)] + [("", 900.0, 900.0)]
    for calls in (same, crowd):
        found = agent_lanes(run_of(calls))
        assert found is not None and not found.timed and found.length == len(calls)
        drawn = [cells(lane, found.length, len(calls)) for lane in found.lanes]
        assert {step for track in drawn for step in track if step > 0} == {*range(1, len(calls) + 1)}


def test_the_svg_has_a_bar_for_each_call_and_no_markup_of_a_name() -> None:
    found = agent_lanes(run_of([("", 0, 2), ("<b>scout</b>", 2, 4)]))
    assert found is not None
    svg = agents_svg(found, lost=(2,))
    bars = [e for e in ElementTree.fromstring(svg).iter() if e.get("class") == "bar"]
    assert len(bars) == 2 and svg.count('<g class="lost">') == 1 and "<b>" not in svg
