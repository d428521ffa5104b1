"""Draws the plan for the page and for Markdown: the order of the actions, and their hours."""

from __future__ import annotations

import base64
from typing import Any

from planscope.debugger.run_index import RunIndex
from planscope.drawing.hours import bars, conflict_at, kind_of
from planscope.drawing.order import OrderGraph, order_graph
from planscope.drawing.svg import hours_svg, lay_boxes, order_svg
from planscope.oracle.replay import Replay
from planscope.safe import visible

Json = dict[str, Any]

MOST_ACTIONS = 60
"""A plan with more actions is not drawn."""
MOST_CELLS = 60_000
"""Limit of actions times steps of a run whose picture moves with the steps."""

_NAME = 200


def can_be_drawn(index: RunIndex) -> bool:
    """Return whether a run is small enough to be drawn."""
    actions = len(index.problem.actions)
    return 0 < actions <= MOST_ACTIONS and actions * len(index.steps) <= MOST_CELLS


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
    run = index.replay
    assert isinstance(run, Replay)
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


def svgs(replay: Replay, i: int) -> list[tuple[str, str]]:
    """Return the pictures after a step, each with a title: the order if there is one, and the hours if it is timed."""
    index = RunIndex(replay)
    if not can_be_drawn(index):
        return []
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


def as_image(title: str, svg: str) -> str:
    """Return an SVG as an image inside Markdown. It is encoded, so that no name in it can become markup."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{title}" src="data:image/svg+xml;base64,{data}">'
