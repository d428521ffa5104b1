"""Outlines line by line: never dearer than a plain dynamic programme finds, every line once and in order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.compare import compare, trees
from planscope.compare.result import Comparison, TreeDiff
from planscope.compare.trees import Branch, Forests
from planscope.session.model import records
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request
from tests.compare.reference import Tree, size, tree_cost
from tests.compare.support import session, variant

LEAVES = st.tuples(st.sampled_from("xy"), st.sampled_from([1, 2]), st.just(()))
TREES: st.SearchStrategy[Tree] = st.recursive(
    LEAVES,
    lambda below: st.tuples(
        st.sampled_from("xy"), st.sampled_from([1, 2]), st.lists(below, max_size=4).map(tuple)
    ),
    max_leaves=9,
)


def branch(some: Forests, tree: Tree) -> Branch:
    kind, value, below = tree
    made = Branch(0, kind, value, kind == "y", [branch(some, one) for one in below])
    some.number(made)
    return made


@given(TREES, TREES)
def test_no_way_is_cheaper(a: Tree, b: Tree) -> None:
    some = Forests()
    one, other = branch(some, ("top", 0, a[2])), branch(some, ("top", 0, b[2]))
    assert one.size == size(("top", 0, a[2]))
    assert some.distance(one, other) == tree_cost(("top", 0, a[2]), ("top", 0, b[2]))
    assert some.minimal


@given(TREES, TREES)
def test_trees_too_wide_to_be_looked_at_as_a_whole(a: Tree, b: Tree) -> None:
    before = trees.FEW_PAIRS, trees.MOST_PAIRS
    try:
        trees.FEW_PAIRS = trees.MOST_PAIRS = 1
        some = Forests()
        one, other = branch(some, ("top", 0, a[2])), branch(some, ("top", 0, b[2]))
        found = some.distance(one, other)
        assert found >= tree_cost(("top", 0, a[2]), ("top", 0, b[2]))
        assert (found == 0) == (one.whole == other.whole)
    finally:
        trees.FEW_PAIRS, trees.MOST_PAIRS = before


def compared(a: int, b: int, timed: bool = False) -> Comparison:
    """Two synthesized requests, the same where the seeds are."""
    made = [synthesize(Request(actions=4, seed=seed, timed=timed)) for seed in (a, b)]
    variants = [
        variant(case.text, records(case.problem.actions), id=f"v{k}") for k, case in enumerate(made, 1)
    ]
    both = session(*variants)
    return compare(both, variants[0], both, variants[1])


def check(c: Comparison) -> TreeDiff:
    diff = c.tree
    assert diff is not None
    assert [r.a for r in diff.rows if r.a is not None] == list(range(len(c.a.outline)))
    assert [r.b for r in diff.rows if r.b is not None] == list(range(len(c.b.outline)))
    for row in diff.rows:
        assert (row.a is None, row.b is None) == (row.change == "added", row.change == "gone")
        if row.a is not None and row.b is not None:
            assert c.a.outline[row.a].depth == c.b.outline[row.b].depth
    return diff


@given(st.integers(0, 99), st.integers(0, 99), st.booleans())
def test_every_line_once_and_swapping_mirrors(a: int, b: int, timed: bool) -> None:
    one, other = check(compared(a, b, timed)), check(compared(b, a, timed))
    turned: dict[Any, Any] = {"same": "same", "changed": "changed", "added": "gone", "gone": "added"}
    assert {(r.change, r.a, r.b) for r in one.rows} == {(turned[r.change], r.b, r.a) for r in other.rows}


@given(st.integers(0, 99), st.booleans())
def test_a_tree_is_the_same_as_itself(seed: int, timed: bool) -> None:
    assert check(compared(seed, seed, timed)).same


def told(a: str, b: str, **more: Any) -> list[str]:
    both = session(variant(a, "a b c d e", **more), variant(b, "a b c d e", id="v2", **more))
    c = compare(both, both.variants[0], both, both.variants[1])
    lines = []
    for row in check(c).rows:
        if row.change != "same":
            here = c.a.outline[row.a].label if row.a is not None else "-"
            there = c.b.outline[row.b].label if row.b is not None else "-"
            lines.append(f"{row.change} {here} | {there}")
    return lines


@pytest.mark.parametrize(
    "a,b,expected",
    [
        ("A comes before B.", "A precedes B.", ["changed VP< comes before | VP< precedes"]),
        ("A precedes B.", "A precedes C.", ["changed object b | object c"]),
        (
            "A precedes B. B precedes C.",
            "B precedes C.",
            [
                "gone sentence 1 | -",
                "gone direct VP< | -",
                "gone subject a | -",
                "gone VP< precedes | -",
                "gone object b | -",
            ],
        ),
        (
            "A precedes B. B happens after C. C precedes D.",
            "A precedes B. C precedes D. D precedes E.",
            [
                "gone sentence 2 | -",
                "gone adjunct P> | -",
                "gone subject b | -",
                "gone VP0 happens | -",
                "gone P> after | -",
                "gone object c | -",
                "added - | sentence 3",
                "added - | direct VP<",
                "added - | subject d",
                "added - | VP< precedes",
                "added - | object e",
            ],
        ),
        (
            "A precedes B.",
            "A precedes B and C.",
            ["changed object b | object of 2", "added - | a2 b", "added - | a3 c"],
        ),
    ],
)
def test_as_people_would_say_it(a: str, b: str, expected: list[str]) -> None:
    assert told(a, b) == expected


def test_another_topic_changes_no_line() -> None:
    both = session(
        variant("A precedes B.", "a b"),
        variant("X precedes Y.", "x y", id="v2", parent="v1", kind="mutated"),
    )
    c = compare(both, both.variants[0], both, both.variants[1])
    assert check(c).same and not c.text.same
