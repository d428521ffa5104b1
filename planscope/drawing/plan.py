"""Draws the plan for the page and for Markdown: the order of the actions, and their hours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planscope.debugger.run_index import RunIndex
from planscope.drawing.agents import agent_lanes, agents_svg
from planscope.drawing.hours import bars, conflict_at, kind_of
from planscope.drawing.order import OrderGraph, order_graph
from planscope.drawing.svg import hours_svg, order_svg
from planscope.safe import visible
from planscope.session.record import RunRecord

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay

MOST_ACTIONS = 60
"""A plan with more actions is not drawn."""
MOST_CALLS = 2_000
"""A longer run of several agents is not drawn."""

_NAME = 200


def why_not_drawn(index: RunIndex) -> str:
    """Return why the plan of a run is not drawn, or "" if it is. A query without actions has nothing to draw."""
    actions = len(index.problem.actions)
    if actions <= MOST_ACTIONS:
        return ""
    few = f"with more than {MOST_ACTIONS}, its lines cannot be told apart"
    return f"The plan has {actions} actions and is not drawn: {few}."


def names_of(index: RunIndex) -> dict[str, str]:
    """Return the names of the actions, safe to show."""
    return {action.id: visible(action.name, limit=_NAME) for action in index.problem.actions}


def graph_of(index: RunIndex) -> OrderGraph:
    """Return the order graph of a run, with the orders of all its conflicts."""
    cores = (index.steps[i].core for i in index.doomed)
    return order_graph(index.problem, {c for core in cores if core is not None for c in core.constraints})


def lanes_svg(record: RunRecord | None, replay: Replay) -> str:
    """Return the lanes of a run's agents, or "" if one agent made all calls or there are too many."""
    lanes = agent_lanes(record) if record is not None and len(record.calls) <= MOST_CALLS else None
    return agents_svg(lanes, RunIndex(replay).doomed) if lanes is not None else ""


def svgs(index: RunIndex, i: int) -> list[tuple[str, str]]:
    """Return the pictures after a step, each with a title: the order if there is one, and the hours if it is timed."""
    if not index.problem.actions or why_not_drawn(index):
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
