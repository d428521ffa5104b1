"""Draws the plan for the page and for Markdown: the order of the actions, and their hours."""

from __future__ import annotations

from typing import Any

from planscope.debugger.run_index import RunIndex
from planscope.drawing.agents import agent_lanes, agents_svg
from planscope.drawing.hours import bars, conflict_at, kind_of
from planscope.drawing.order import OrderGraph, order_graph
from planscope.drawing.svg import hours_svg, lay_boxes, order_svg
from planscope.oracle.judged import JudgedRun
from planscope.safe import visible
from planscope.session.record import RunRecord

Json = dict[str, Any]

MOST_ACTIONS = 60
"""A plan with more actions is not drawn."""
MOST_CELLS = 60_000
"""Limit of actions times steps of a run whose picture moves with the steps."""

MOST_CALLS = 2_000
"""A longer run of several agents is not drawn."""

_NAME = 200


def why_not_drawn(index: RunIndex) -> str:
    """Return why the plan of a run is not drawn, or "" if it is. A query without actions has nothing to draw."""
    actions, steps = len(index.problem.actions), len(index.steps)
    if actions > MOST_ACTIONS:
        few = f"with more than {MOST_ACTIONS}, its lines cannot be told apart"
        return f"The plan has {actions} actions and is not drawn: {few}."
    if actions * steps > MOST_CELLS:
        return (
            f"The plan is not drawn: the run has {steps} steps, too many for a picture that moves with them."
        )
    return ""


def can_be_drawn(index: RunIndex) -> bool:
    """Return whether a run has a plan that is small enough to be drawn."""
    return bool(index.problem.actions) and not why_not_drawn(index)


def lanes_document(record: RunRecord | None) -> Json | None:
    """Return the lanes of a run's agents for the page's script: rows of a name and its calls (step, first, last)."""
    lanes = agent_lanes(record) if record is not None and len(record.calls) <= MOST_CALLS else None
    if lanes is None:
        return None
    rows = [
        [lane.name, [[call.index, round(call.first, 3), round(call.last, 3)] for call in lane.calls]]
        for lane in lanes.lanes
    ]
    return {"axis": lanes.axis(), "length": lanes.length, "rows": rows}


def names_of(index: RunIndex) -> dict[str, str]:
    """Return the names of the actions, safe to show."""
    return {action.id: visible(action.name, limit=_NAME) for action in index.problem.actions}


def graph_of(index: RunIndex) -> OrderGraph:
    """Return the order graph of a run, with the orders of all its conflicts."""
    cores = (index.steps[i].core for i in index.doomed)
    return order_graph(index.problem, {c for core in cores if core is not None for c in core.constraints})


def order_document(index: RunIndex, number_of: dict[str, int]) -> Json:
    """Return boxes and lines for the page's script. Actions and constraints are numbered as the page has them."""
    graph = graph_of(index)
    picture = lay_boxes(graph, names_of(index))
    place = index.problem.place
    return {
        "size": [round(picture.width), round(picture.height)],
        "boxes": [
            [place[b.action], b.label, round(b.x, 1), round(b.y, 1), round(b.width, 1), b.height]
            for b in picture.boxes
        ],
        "lines": [
            [
                curve.path,
                [number_of[c] for c in graph.edges[curve.edge].constraints if c in number_of],
                graph.edges[curve.edge].back,
            ]
            for curve in picture.curves
        ],
    }


def plan_document(index: RunIndex, i: int) -> Json:
    """Return the state of each action after a step, as a letter by its number; of a timed plan also its hours."""
    run = index.judged
    safe = {move.action: move.hours for move in run.safe_moves(i)}
    conflict = conflict_at(index, i)
    kinds = "".join(kind_of(index, i, action.id, safe, conflict)[0] for action in index.problem.actions)
    if not index.problem.timed:
        return {"kinds": kinds}
    place = index.problem.place
    hours = [
        [place[bar.action], bar.done or 0, bar.window or 0, bar.safe or 0] for bar in bars(index, i, safe)
    ]
    return {"kinds": kinds, "hours": hours}


def lanes_svg(record: RunRecord | None, replay: JudgedRun) -> str:
    """Return the lanes of a run's agents, or "" if one agent made all calls or there are too many."""
    lanes = agent_lanes(record) if record is not None and len(record.calls) <= MOST_CALLS else None
    return agents_svg(lanes, RunIndex(replay).doomed) if lanes is not None else ""


def svgs(index: RunIndex, i: int) -> list[tuple[str, str]]:
    """Return the pictures after a step, each with a title: the order if there is one, and the hours if it is timed."""
    if not can_be_drawn(index):
        return []
    replay = index.judged
    safe = {move.action: move.hours for move in replay.safe_moves(i)}
    conflict, core = conflict_at(index, i), index.steps[i].core
    names, graph, made = names_of(index), graph_of(index), []
    if graph.edges:
        kinds = {a.id: kind_of(index, i, a.id, safe, conflict) for a in index.problem.actions}
        made.append(
            (
                "Order of the actions",
                order_svg(graph, names, kinds, core.constraints if core is not None else ()),
            )
        )
    if index.problem.timed:
        made.append(("Hours of the actions", hours_svg(bars(index, i, safe), names)))
    return made
