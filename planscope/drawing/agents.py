"""Computes the lanes of a run in which several agents took part: one lane for each agent, with its calls over time."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from planscope.drawing.svg import CELL, EDGE, LETTER, LONGEST, ROW, svg_of
from planscope.frozen import frozen
from planscope.safe import cell_width, clip, visible
from planscope.session.record import RecordedCall, RunRecord
from planscope.wording.phrases import measured

_SLOTS = 48
"""Calls are drawn by their times if these spread over enough of this many slots, or else by their numbers."""

_NAME = 200
_TRACK = 560
"""The width of an SVG's track, in pixels."""


@frozen
class LaneCall:
    """One call: the index of its step, and where it begins and ends, in the lanes' unit."""

    index: int
    first: float
    last: float


@frozen
class AgentLane:
    """The calls of one agent. ``name`` is safe to show."""

    name: str
    calls: tuple[LaneCall, ...]

    def near(self, index: int) -> int:
        """Return the step of the agent's call that is nearest to a step."""
        return min((call.index for call in self.calls), key=lambda one: abs(one - index))


@frozen
class AgentLanes:
    """All lanes, in the order of their first calls. ``length``: the end of the axis, in seconds or in steps."""

    lanes: tuple[AgentLane, ...]
    length: float
    timed: bool

    def row_of(self, index: int) -> int | None:
        """Return the lane of a step, by its number, or None before any call and at the end."""
        return next(
            (i for i, lane in enumerate(self.lanes) if any(call.index == index for call in lane.calls)), None
        )

    def axis(self) -> tuple[str, str]:
        """Return the texts at both ends of the axis."""
        if self.timed:
            return "0 s", measured(self.length)
        return "step 1", f"step {self.length:,.0f}"


def has_lanes(calls: Sequence[RecordedCall]) -> bool:
    """Return whether calls of several agents are in a run."""
    return any(call.agent != calls[0].agent for call in calls)


def agent_lanes(run: RunRecord | None) -> AgentLanes | None:
    """Return the lanes of a run, or None if one agent made all calls. The main agent has the run's name."""
    if run is None or not has_lanes(run.calls):
        return None
    timed = _spread(run.calls)
    made: dict[str, list[LaneCall]] = {}
    length = 0.0
    for index, call in enumerate(run.calls, 1):
        first, last = (call.at, _end(call)) if timed else (index - 1.0, float(index))
        length = max(length, last)
        made.setdefault(call.agent or run.agent, []).append(LaneCall(index, first, last))
    lanes = tuple(AgentLane(visible(name, limit=_NAME), tuple(calls)) for name, calls in made.items())
    return AgentLanes(lanes, length, timed)


def _end(call: RecordedCall) -> float:
    return max(call.at, call.answered.at) if call.answered is not None else call.at


def _spread(calls: Sequence[RecordedCall]) -> bool:
    length = max(_end(call) for call in calls)
    if length <= 0:
        return False
    used = {int(call.at / length * _SLOTS) for call in calls}
    return len(used) * 2 > min(len(calls), _SLOTS)


def cells(lane: AgentLane, length: float, width: int) -> list[int]:
    """Return for each of ``width`` cells the step of the call in it; 0 means no call, -1 a place between two calls of
    the agent."""
    found = [0] * width
    if width > 0:
        ends = [_place(call, length, width) for call in lane.calls]
        found[ends[0][0] : max(last for _, last in ends) + 1] = [-1] * (
            max(last for _, last in ends) + 1 - ends[0][0]
        )
        for call, (first, last) in zip(lane.calls, ends, strict=True):
            found[first : last + 1] = [call.index] * (last + 1 - first)
        for call, (first, _) in zip(lane.calls, ends, strict=True):
            found[first] = call.index  # a short call stays visible inside a long one
    return found


def _place(call: LaneCall, length: float, width: int) -> tuple[int, int]:
    first = min(int(call.first * width / length), width - 1)
    last = min(int(call.last * width / length - 1e-9), width - 1)
    return first, max(first, last)


def agents_svg(found: AgentLanes, lost: Sequence[int] = ()) -> str:
    """Return the lanes as one SVG element, without blank lines. ``lost``: the steps at which the plan was lost."""
    labels = [clip(lane.name, LONGEST) for lane in found.lanes]
    left = max((cell_width(label) for label in labels), default=0) * CELL + 2 * CELL
    bottom = ROW * (len(labels) + 1)
    begin, end = found.axis()
    parts = [
        f'<text x="{left:.1f}" y="{LETTER}">{begin}</text>',
        f'<text x="{left + _TRACK:.1f}" y="{LETTER}" text-anchor="end">{end}</text>',
    ]
    for row, (label, lane) in enumerate(zip(labels, found.lanes, strict=True), 1):
        y = row * ROW
        parts.append(f'<text x="{CELL:.1f}" y="{y + 16}">{escape(label)}</text>')
        parts.append(f'<path class="axis" d="M{left:.1f} {y + 12}H{left + _TRACK:.1f}"/>')
        for call in lane.calls:
            x = left + call.first / found.length * _TRACK
            wide = max((call.last - call.first) / found.length * _TRACK - 1, 3)
            kind = "lost" if call.index in lost else "call"
            parts.append(
                f'<g class="{kind}"><title>step {call.index}: {escape(lane.name)}</title>'
                f'<rect class="bar" x="{min(x, left + _TRACK - wide):.1f}" y="{y + 5}" width="{wide:.1f}" '
                'height="14"/></g>'
            )
    return svg_of(parts, left + _TRACK + 2 * CELL, bottom + EDGE, "Calls of each agent")
