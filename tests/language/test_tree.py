"""Paths, walks, skeletons, and trees as JSON."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.language.problem import Action
from planscope.language.render import render
from planscope.language.tree import Clause, Query, Word, at, same_tree, walk
from planscope.language.tree_json import TreeError, dump, load
from tests.language.trees import queries, seeded


@settings(deadline=None)
@given(queries())
def test_paths_lead_to_their_nodes(case: tuple[Query, tuple[Action, ...], bool]) -> None:
    tree = render(case[0], case[1]).tree
    nodes = list(walk(tree))
    assert len({path for path, _ in nodes}) == len(nodes)
    for path, node in nodes:
        assert at(tree, path) is node


def test_no_such_path() -> None:
    tree, _ = seeded(1, actions=3, sentences=1, timed=False)
    for path in ((5,), (0, "clause", 9), (0, "verb"), (0, "clause", 0, "subject", "action", 99)):
        with pytest.raises(LookupError):
            at(tree, path)


@settings(deadline=None)
@given(queries())
def test_json_and_back(case: tuple[Query, tuple[Action, ...], bool]) -> None:
    for tree in (case[0], render(case[0], case[1]).tree):
        assert load(json.loads(json.dumps(dump(tree)))) == tree


def test_synonyms_are_the_same_tree() -> None:
    tree, _ = seeded(4, actions=4, sentences=2, timed=True)
    clause = tree.sentences[0].clauses[0]
    assert isinstance(clause, Clause)
    words = tuple(Word(w.terminal, "another", "must", (1, 2)) for w in clause.words)
    sentence = tree.sentences[0]
    changed = clause._replace(words=words, span=(3, 4))
    other = Query((sentence._replace(clauses=(changed, *sentence.clauses[1:])), *tree.sentences[1:]))
    assert other != tree and same_tree(other, tree)
    assert not same_tree(Query(tree.sentences[:1]), tree)
    flipped = clause._replace(relation="<" if clause.relation == ">" else ">")
    assert not same_tree(flipped, clause)


def _broken(data: Any, where: list[Any], value: Any) -> Any:
    data = copy.deepcopy(data)
    node = data
    for step in where[:-1]:
        node = node[step]
    node[where[-1]] = value
    return data


CLAUSE: list[Any] = ["sentences", 0, "clauses", 0]


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (["sentences"], []),
        (["sentences"], 3),
        (["sentences", 0], None),
        (["span"], [3, 1]),
        (["span"], "x"),
        ([*CLAUSE, "form"], "sideways"),
        ([*CLAUSE, "relation"], "="),
        ([*CLAUSE, "words"], []),
        ([*CLAUSE, "words", 0, "entry"], "levitate"),
        ([*CLAUSE, "words", 0, "modal"], "may"),
        ([*CLAUSE, "words", 0, "entry"], ["precede"]),
        ([*CLAUSE, "words", 0, "terminal"], "J"),
        ([*CLAUSE, "subject"], {"hour": 3}),
        ([*CLAUSE, "subject", "actions"], [{}]),
        ([*CLAUSE, "object"], {"hour": 25}),
        ([*CLAUSE, "object"], {"hour": True}),
        (["sentences", 0, "conj"], {"terminal": "J", "entry": "and"}),
    ],
)
def test_what_is_no_tree(where: list[Any], value: Any) -> None:
    seed = 0
    while True:
        tree, _ = seeded(seed, actions=3, sentences=1, timed=False)
        if len(tree.sentences[0].clauses) == 1:
            break
        seed += 1
    data = dump(tree)
    load(data)
    with pytest.raises(TreeError):
        load(_broken(data, where, value))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["sentences", "clauses", "actions", "object", "subject", "words", "span", "relative"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(JSON)
def test_any_json(data: object) -> None:
    with pytest.raises(TreeError):
        load(data)
