"""The order graph: every order can be read off it, and nothing in it hides anything else."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

from hypothesis import example, given
from hypothesis import strategies as st

from planscope.drawing.lanes import DOWN, LIGHT, RIGHT, UP, Lanes, draw_row, lay_lanes, width_of
from planscope.drawing.order import OrderGraph, order_graph
from planscope.drawing.svg import lay_boxes, order_svg
from planscope.language.problem import Constraint, Problem, make_actions
from tests.hostile import SAVEABLE

Pairs = list[tuple[int, int]]


def problem(size: int, pairs: Pairs) -> Problem:
    actions = make_actions([f"action {i}" for i in range(size)])
    said = [
        Constraint(f"c{k}", "order", "", before=actions[a % size].id, after=actions[b % size].id)
        for k, (a, b) in enumerate(pairs, 1)
        if a % size != b % size
    ]
    return Problem(actions, tuple(said))


def closure(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    found = set(pairs)
    while more := {(a, d) for a, b in found for c, d in found if b == c} - found:
        found |= more
    return found


def said(made: Problem) -> set[tuple[str, str]]:
    return {(str(c.before), str(c.after)) for c in made.constraints}


GRAPHS = st.tuples(
    st.integers(2, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30)
)
DAGS = GRAPHS.map(lambda made: (made[0], [(min(p), max(p)) for p in made[1] if max(p) < made[0]]))


@given(GRAPHS)
@example((3, [(0, 1), (1, 0), (1, 2), (0, 2)]))
def test_what_is_drawn_says_the_same_as_all_orders(made: tuple[int, Pairs]) -> None:
    asked = problem(*made)
    graph = order_graph(asked)
    drawn = {(edge.before, edge.after) for edge in graph.edges}
    left_out = {(edge.before, edge.after) for edge in graph.left_out}
    assert drawn | left_out == said(asked) and not drawn & left_out
    assert closure(drawn) == closure(said(asked))
    assert sorted(graph.rows) == sorted(action.id for action in asked.actions)


@given(DAGS)
def test_no_drawn_edge_is_transitive_and_each_leads_down(made: tuple[int, Pairs]) -> None:
    graph = order_graph(problem(*made))
    drawn = {(edge.before, edge.after) for edge in graph.edges}
    rank = {action: i for i, layer in enumerate(graph.layers) for action in layer}
    for edge in drawn:
        assert edge not in closure(drawn - {edge})
        assert rank[edge[0]] < rank[edge[1]]
    assert not any(edge.back for edge in graph.edges)


def test_the_edges_of_a_conflict_are_drawn_even_if_they_are_transitive() -> None:
    asked = problem(3, [(0, 1), (1, 2), (0, 2)])
    assert [edge.constraints for edge in order_graph(asked).left_out] == [("c3",)]
    assert not order_graph(asked, keep={"c3"}).left_out


def edges_drawn(lanes: Lanes, spread: int) -> set[tuple[str, str]]:
    """Return every pair of actions that a lane and a branch of the drawing connect."""
    found = set()
    drawn = [draw_row(lanes, row, spread) for row in range(len(lanes.rows))]
    for lane in lanes.lanes:
        x = (lanes.columns - 1 - lane.column) * spread
        for row in range(lane.first, lane.last + 1):
            stroke = drawn[row][x].glyph
            bits = LIGHT.index(stroke) if stroke in LIGHT else UP | DOWN
            assert not (row > lane.first) or bits & UP, "the lane is broken"
            assert not (row < lane.last) or bits & DOWN, "the lane is broken"
            if row != lane.begins and bits & RIGHT:
                found.add((lane.source, lanes.rows[row]))
    return found


@given(GRAPHS, st.integers(1, 3))
def test_every_edge_can_be_read_off_the_lanes(made: tuple[int, Pairs], spread: int) -> None:
    graph = order_graph(problem(*made))
    lanes = lay_lanes(graph)
    assert edges_drawn(lanes, spread) == {(edge.before, edge.after) for edge in graph.edges}
    rows = [draw_row(lanes, row, spread) for row in range(len(lanes.rows))]
    assert {len(row) for row in rows} <= {width_of(lanes, spread)}
    for a, b in combinations(lanes.lanes, 2):
        assert a.column != b.column or a.last < b.first or b.last < a.first
    for number, edge in enumerate(graph.edges):
        heavy = [draw_row(lanes, row, spread, {number}) for row in range(len(lanes.rows))]
        for action in (edge.before, edge.after):
            row = lanes.rows.index(action)
            assert any(piece.glyph != plain.glyph for piece, plain in zip(heavy[row], rows[row], strict=True))


@given(GRAPHS, st.lists(st.sampled_from(SAVEABLE), min_size=12, max_size=12))
def test_no_two_labels_of_the_svg_overlap(made: tuple[int, Pairs], texts: list[str]) -> None:
    from planscope.safe import visible

    asked = problem(*made)
    graph = order_graph(asked)
    names = {action.id: visible(text, limit=80) for action, text in zip(asked.actions, texts, strict=False)}
    picture = lay_boxes(graph, names)
    assert sorted(box.action for box in picture.boxes) == sorted(names)
    for a, b in combinations(picture.boxes, 2):
        apart = a.x + a.width <= b.x or b.x + b.width <= a.x or a.y + a.height <= b.y or b.y + b.height <= a.y
        assert apart
    for box in picture.boxes:
        assert box.x >= 0 and box.x + box.width <= picture.width and box.y + box.height <= picture.height
    assert sorted(curve.edge for curve in picture.curves) == list(range(len(graph.edges)))
    read = ElementTree.fromstring(order_svg(graph, names, {}, {"c1"}))
    paths = [one for one in read if one.tag.endswith("path")]
    assert len(paths) == len(graph.edges)


def test_twenty_actions_and_sixty_constraints_fit_a_window_of_120_by_40() -> None:
    pairs = [((k * 7) % 19, (k * 7) % 19 + 1 + (k * 5) % (19 - (k * 7) % 19)) for k in range(60)]
    lanes = lay_lanes(order_graph(problem(20, pairs)))
    assert len(lanes.rows) == 20 and width_of(lanes, 2) <= 40


def test_a_thousand_actions_are_laid_out_quickly() -> None:
    import time

    from tests.debugger.runs import long_run

    asked = long_run().problem
    began = time.perf_counter()
    graph: OrderGraph = order_graph(asked)
    lay_lanes(graph)
    assert time.perf_counter() - began < 5 and len(graph.edges) > 500


def drawn(pairs: Pairs, size: int, spread: int = 1) -> list[str]:
    lanes = lay_lanes(order_graph(problem(size, pairs)))
    return ["".join(piece.glyph for piece in draw_row(lanes, row, spread)) for row in range(len(lanes.rows))]


def test_the_lanes_of_a_small_graph() -> None:
    assert drawn([(0, 1), (0, 2), (1, 3), (2, 3)], 4) == LANES
    assert drawn([(0, 1)], 2, spread=3) == WIDE


LANES = [" ┌──", "┌┼──", "│└┬─", "└─┴─"]
WIDE = ["┌───", "└───"]
