"""What is selected in one pane lights up what belongs to it in all of them."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.debugger.cursor import open_run
from planscope.debugger.linked import Links, Lit, SpanMap
from planscope.debugger.run_index import RunIndex
from planscope.debugger.selection import (
    SelectedConstraint,
    SelectedNode,
    SelectedStep,
    SelectedWords,
    Selection,
)
from planscope.language.problem import Constraint, Problem, make_actions, rules
from planscope.language.reading import Reading, read_query
from planscope.oracle.replay import replay
from planscope.oracle.trace import ToolCall, Trace
from tests.debugger.runs import judged

TEXT = (
    "Attending training sessions follow 10:00. Applying hair color, which occur before sanitizing tools, are "
    "carried out earlier than attending training sessions, which are executed in advance of sanitizing tools, "
    "but sanitizing tools follow 18:00. Attending training sessions should be carried out in front of 12:00."
)
"""Figure 10. c1: a3 from 10, c2: a2 < a1, c3: a2 < a3, c4: a3 < a1, c5: a1 from 18, c6: a3 to 12."""


@cache
def figure() -> tuple[Reading, RunIndex, Links]:
    actions = make_actions(
        ["sanitizing tools", "applying hair color", "attending training sessions"], [1, 2, 2]
    )
    reading = read_query(TEXT, actions, timed=True)
    calls = (("attending_training_sessions", 10), ("applying_hair_color", 8), ("sanitizing_tools", 18))
    trace = Trace(tuple(ToolCall(tool, {"start_time": hour}) for tool, hour in calls))
    run = open_run(replay(reading.problem, trace)).run
    return reading, run, Links(TEXT, reading.problem, reading.outline)


def lit(selection: Selection) -> Lit:
    _, run, links = figure()
    return links.lit(selection, run)


def words(found: Lit) -> list[str]:
    return [TEXT[start:end] for start, end in found.spans]


def at(phrase: str, nth: int = 0) -> SelectedWords:
    start = -1
    for _ in range(nth + 1):
        start = TEXT.index(phrase, start + 1)
    return SelectedWords((start, start + len(phrase)))


def test_a_constraint_lights_its_words_its_nodes_and_its_steps() -> None:
    found = lit(SelectedConstraint("c3"))
    assert words(found) == ["Applying hair color", "earlier than", "attending training sessions"]
    assert found.constraints == {"c3"}
    assert found.steps == {1, 2}
    clause = (1, "clause", 0)
    assert found.nodes == {
        clause,
        (*clause, "subject", "action", 0),
        (*clause, "word", 1),
        (*clause, "object", "action", 0),
    }


def test_a_rule_lights_the_steps_that_it_clashes_with() -> None:
    found = lit(SelectedConstraint("b3"))
    assert (found.spans, found.nodes, found.constraints, found.steps) == ((), frozenset(), {"b3"}, {1, 2})
    assert lit(SelectedConstraint("c99")) == Lit()


def test_a_relation_phrase_lights_its_constraint() -> None:
    found = lit(at("before"))
    assert found.constraints == {"c2"}
    assert found.steps == {2, 3}
    assert "sanitizing tools" in words(found)


def test_a_word_of_an_action_lights_all_that_this_mention_says() -> None:
    found = lit(at("hair"))
    assert found.constraints == {"c2", "c3"}
    assert found.steps == {2}
    assert lit(at("sessions")).constraints == {"c1"}
    assert lit(at("sessions", 1)).constraints == {"c3", "c4"}
    assert lit(at("sessions", 2)).constraints == {"c6"}


def test_a_word_without_a_relation_lights_what_its_clause_says() -> None:
    assert lit(at("carried out")).constraints == {"c3"}
    assert lit(at("occur")).constraints == {"c2"}
    assert (1, "clause", 0, "subject", "relative", "word", 0) in lit(at("occur")).nodes
    nothing = lit(at("but"))
    assert (nothing.constraints, nothing.nodes) == (frozenset(), {(1, "conj")})
    assert words(nothing) == ["but"]


def test_a_click_is_an_empty_range() -> None:
    start = TEXT.index("before")
    assert lit(SelectedWords((start, start))) == lit(SelectedWords((start, start + 1)))
    assert lit(SelectedWords((len(TEXT), len(TEXT)))).constraints == frozenset()
    assert lit(SelectedWords((10**9, 10**9 + 5))).constraints == frozenset()


def test_nodes_light_what_is_below_them() -> None:
    assert lit(SelectedNode((1,))).constraints == {"c2", "c3", "c4", "c5"}
    assert lit(SelectedNode((1, "clause", 1))).constraints == {"c5"}
    assert lit(SelectedNode((1, "clause", 0, "subject"))).constraints == {"c2", "c3"}
    assert lit(SelectedNode((1, "clause", 0, "subject", "relative"))).constraints == {"c2"}
    assert lit(SelectedNode(())).constraints == {"c1", "c2", "c3", "c4", "c5", "c6"}
    assert lit(SelectedNode((9, "clause", 9))).constraints == frozenset()


def test_a_step_lights_its_action_and_the_words_of_what_went_wrong_there() -> None:
    first = lit(SelectedStep(1))
    assert first.steps == {1}
    assert first.constraints == {"c1", "c3", "c4", "c6", "b3"}
    assert words(first).count("earlier than") == 1  # the core of the point of no return
    assert [w.casefold() for w in words(first)].count("attending training sessions") == 3
    third = lit(SelectedStep(3))
    assert third.constraints == {"c2", "c4", "c5", "b2"}
    assert {w.casefold() for w in words(third)} == {"sanitizing tools"}
    assert lit(SelectedStep(0)) == Lit(steps=frozenset({0}))


def test_links_do_without_a_run_or_a_tree() -> None:
    reading, run, links = figure()
    assert links.lit(SelectedConstraint("c3")).steps == frozenset()
    assert links.lit(SelectedStep(1)) == Lit()
    bare = Links(TEXT, reading.problem)
    assert bare.lit(at("before"), run).constraints == {"c2"}
    assert bare.lit(SelectedStep(1), run).constraints == {"c1", "c3", "c4", "c6", "b3"}
    assert links.mentions("a2") == ((42, 61),)


def test_mentions_are_told_apart_in_whatever_order_the_text_has_them() -> None:
    actions = make_actions(["alpha check", "beta check"])
    for text in ("Alpha check comes after beta check.", "After beta check, alpha check happens."):
        reading = read_query(text, actions)
        links = Links(text, reading.problem, reading.outline)
        for action in actions:
            assert [text[a:b].casefold() for a, b in links.mentions(action.id)] == [action.name]


def all_selections() -> list[Selection]:
    reading, run, _ = figure()
    found: list[Selection] = [SelectedWords((i, i + 1)) for i in range(len(TEXT))]
    found += [SelectedNode(node.path) for node in reading.outline]
    found += [SelectedConstraint(c.id) for c in reading.problem.constraints]
    return [*found, *(SelectedStep(i) for i in range(run.last + 1))]


def test_all_that_lights_up_exists() -> None:
    reading, run, _ = figure()
    paths = {node.path for node in reading.outline}
    for selection in all_selections():
        found = lit(selection)
        assert all(0 <= start < end <= len(TEXT) for start, end in found.spans)
        assert list(found.spans) == sorted(set(found.spans))
        assert found.nodes <= paths
        assert found.constraints <= set(reading.problem.by_id)
        assert found.steps <= set(range(run.last + 1))


def test_links_go_both_ways() -> None:
    _, run, _ = figure()
    for selection in all_selections():
        for constraint in lit(selection).constraints:
            back = lit(SelectedConstraint(constraint))
            match selection:
                case SelectedWords((start, _)) if any(a <= start < b for a, b in back.spans):
                    assert constraint in lit(selection).constraints
                case SelectedStep(index) if run.steps[index].action and not constraint.startswith("b"):
                    words_of_step = {w.casefold() for w in words(lit(selection))}
                    assert index in back.steps or words_of_step & {w.casefold() for w in words(back)}
    for constraint in ("c1", "c2", "c3", "c4", "c5", "c6"):
        found = lit(SelectedConstraint(constraint))
        assert all(constraint in lit(SelectedStep(index)).constraints for index in found.steps)
        assert all(constraint in lit(SelectedWords(span)).constraints for span in found.spans)
        assert all(constraint in lit(SelectedNode(path)).constraints for path in found.nodes)


@given(judged())
def test_constraints_without_spans_are_linked_by_their_actions(replayed: object) -> None:
    run = open_run(replayed).run
    links = Links("", run.problem)
    for constraint in run.problem.said:
        steps = links.lit(SelectedConstraint(constraint.id), run).steps
        for index, view in enumerate(run.steps):
            if view.action in constraint.actions:
                assert index in steps
                assert constraint.id in links.lit(SelectedStep(index), run).constraints


spans = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda pair: (min(pair), max(pair)))


@given(st.lists(spans, max_size=12), spans)
def test_a_span_map_finds_what_overlaps(laid: list[tuple[int, int]], asked: tuple[int, int]) -> None:
    found = SpanMap((span, i) for i, span in enumerate(laid)).over(*asked)
    expected = [i for i, (a, b) in enumerate(laid) if max(a, asked[0]) < min(b, asked[1])]
    assert found == expected


@pytest.mark.parametrize("spans_of", [(), ((0, 3),), ((5, 2), (0, 0), (7, 9)), ((0, 10**9), (-5, 2), (3, 4))])
def test_senseless_spans_do_no_harm(spans_of: tuple[tuple[int, int], ...]) -> None:
    actions = make_actions(["one", "two"])
    said = Constraint("c1", "order", "a1 < a2", before="a1", after="a2", sentence=0, spans=spans_of)
    problem = Problem(actions, (said, *rules(False)))
    run = open_run(replay(problem, Trace((ToolCall("two"), ToolCall("one"))))).run
    links = Links("one before two", problem)
    for selection in (SelectedConstraint("c1"), SelectedStep(1), SelectedWords((0, 3))):
        assert links.lit(selection, run) is not None
