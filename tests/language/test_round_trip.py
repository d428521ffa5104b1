"""Reading is the inverse of rendering, and no sentence that can be written has two meanings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given, settings

from planscope.language.cuts import Scanner
from planscope.language.derive import derive
from planscope.language.grammar import Stuck, clause_patterns, sentence_patterns
from planscope.language.problem import Action, Constraint, make_actions
from planscope.language.reading import read_query
from planscope.language.render import render
from planscope.language.scan import MAX_TOKENS, Names, Token
from planscope.language.sentence import fold, split
from planscope.language.tree import NP, Clause, Query, Relative, Time, same_tree, skeleton
from tests.language.trees import queries, seeded
from tests.nightly import rounds

PARAGRAPHS = int(os.environ.get("PLANSCOPE_PARAGRAPHS", str(rounds(130, 400))))
"""How many random paragraphs the slower tests read; 20,000 take about a minute."""


@settings(deadline=None)
@given(queries())
def test_reading_inverts_rendering(case: tuple[Query, tuple[Action, ...], bool]) -> None:
    tree, actions, timed = case
    text, placed = render(tree, actions)
    reading = read_query(text, actions, timed=timed)
    assert same_tree(reading.tree, tree)
    assert reading.tree == placed
    assert reading.problem.said == derive(placed, timed=timed)


def test_many_paragraphs() -> None:
    for seed in range(PARAGRAPHS):
        timed = seed % 2 == 0
        tree, actions = seeded(seed, actions=2 + seed % 19, sentences=1 + seed % 3, timed=timed)
        text, placed = render(tree, actions)
        assert read_query(text, actions, timed=timed).tree == placed, (seed, text)


def test_every_sentence_has_one_strict_reading() -> None:
    """By Earley's algorithm over the whole sentence, which finds every reading there is."""
    for seed in range(PARAGRAPHS // 4):
        tree, actions = seeded(seed, actions=2 + seed % 19, sentences=1, timed=True)
        tokens = Scanner(names=Names(actions), timed=True).tokens(render(tree, actions).text)
        assert tokens is not None and len(tokens) <= MAX_TOKENS
        for strict in (True, False):
            types = fold(tokens, strict=True).types if strict else tuple(token.type for token in tokens)
            readings = sentence_patterns(types, grammar="grammar")
            assert not isinstance(readings, Stuck)
            assert len(readings) == 1 and readings[0].odd == 0


def _list(size: int, comma: str = "") -> list[str]:
    """A list, with a comma before its "and" or without."""
    if size == 1:
        return ["ACTION"]
    return ["ACTION", "COMMA"] * (size - 2) + ["ACTION", *(["COMMA"] if comma else []), "AND", "ACTION"]


_LISTS = ((1, ""), (2, ""), (3, ""), (3, ","))


def _noun_phrases() -> Iterator[tuple[object, list[str], list[str]]]:
    """(what it is, with a verb behind it, with a comma or a period behind it)."""
    objects: list[tuple[object, list[str]]] = [
        *(((size, comma), _list(size, comma)) for size, comma in (*_LISTS, (4, ""), (4, ","))),
        ("time", ["TIME"]),
    ]
    for size, comma in _LISTS:
        own = _list(size, comma)
        yield (size, comma), own, own
        for verb in (["VP"], ["VP0", "P"], ["VP0", "PSC"]):
            for what, target in objects:
                relative = ["COMMA", "WHICH", *verb, *target]
                yield (size, comma, *verb, what), [*own, *relative, "COMMA"], own + relative


def _clauses() -> Iterator[tuple[object, tuple[str, ...]]]:
    """Every clause with lists of up to three actions, with and without a comma before "and", as a sequence of types."""
    nps = list(_noun_phrases())
    for (subject, s_closed, _), (target, o_closed, o_open) in product(
        nps, [*nps, (("time",), ["TIME"], ["TIME"])]
    ):
        yield ("direct", subject, target), (*s_closed, "VP", *o_open)
        for p in ("P", "PSC"):
            yield ("adjunct", p, subject, target), (*s_closed, "VP0", p, *o_open)
            yield ("fronted", p, subject, target), (p, *o_open, "COMMA", *s_closed, "VP0")
        if target != ("time",):
            for sc in ("SC", "PSC"):
                yield ("compound", sc, subject, target), (*s_closed, "VP0", sc, *o_closed, "VP0")
                types = (sc, *o_closed, "VP0", "COMMA", *s_closed, "VP0")
                yield ("fronted_compound", sc, subject, target), types


def test_no_two_clauses_look_the_same() -> None:
    """All skeletons of a clause, with all lists of up to three actions, give different sequences of types."""
    seen: dict[tuple[str, ...], object] = {}
    for what, types in _clauses():
        assert seen.setdefault(types, what) == what
    # So the first comma with a conjunction behind it that closes no list, or semicolon, parts the two clauses.
    for types in list(seen)[:: rounds(49, 7)]:
        for conj in (["SEMI"], ["COMMA", "AND"], ["COMMA", "BUT"]):
            both = [*types, *conj, *types, "DOT"]
            clauses, conjs = split([Token(kind, place, place + 1) for place, kind in enumerate(both)])
            assert [tuple(token.type for token in clause) for clause in clauses] == [types, types]
            assert [token.type for token in conjs] == conj[-1:]
    assert len(seen) > 50_000
    for types in list(seen)[:: rounds(1191, 397)]:
        found = clause_patterns(types)
        assert not isinstance(found, Stuck) and len(found) == 1


def _pairs(clause: Clause) -> list[tuple[str, str | int, str]]:
    """What a clause says, straight from the definition: (subject, object, relation), in no order."""

    def of(subject: NP, relation: str, target: NP | Time) -> list[tuple[str, str | int, str]]:
        others: list[str | int] = (
            [target.hour] if isinstance(target, Time) else [r.action for r in target.actions]
        )
        return [(ref.action, other, relation) for ref in subject.actions for other in others]

    found = of(clause.subject, clause.relation, clause.object)
    for np in (clause.subject, clause.object):
        if isinstance(np, NP) and isinstance(np.relative, Relative):
            found += of(np, np.relative.relation, np.relative.object)
    return found


def _pair(constraint: Constraint, timed: bool) -> tuple[str, str | int, str]:
    """The same of a constraint, by its formula and by its meaning, which must agree."""
    c = constraint
    match c.kind:
        case "end_at_most":
            assert c.text == f"{c.action}.end <= {c.hour}" and c.hour is not None and c.action is not None
            return (c.action, c.hour, "<")
        case "start_at_least":
            assert c.text == f"{c.action}.start >= {c.hour}" and c.hour is not None and c.action is not None
            return (c.action, c.hour, ">")
    assert c.kind == "order" and c.before is not None and c.after is not None
    if timed:
        assert c.text == f"{c.before}.end <= {c.after}.start"
    else:
        assert c.text in (f"{c.before} < {c.after}", f"{c.after} > {c.before}")
    return (c.before, c.after, "order")


@settings(deadline=None)
@given(queries())
def test_constraints_are_what_the_tree_says(case: tuple[Query, tuple[Action, ...], bool]) -> None:
    tree, actions, timed = case
    text, placed = render(tree, actions)
    found = derive(placed, timed=timed)
    wanted = [
        pair
        for sentence in tree.sentences
        for clause in sentence.clauses
        if isinstance(clause, Clause)
        for pair in _pairs(clause)
    ]

    def ordered(pair: tuple[str, str | int, str]) -> tuple[str, str | int, str]:
        one, other, relation = pair
        if isinstance(other, int):
            return pair
        return (one, other, "order") if relation == "<" else (other, one, "order")

    assert sorted(map(str, map(ordered, wanted))) == sorted(str(_pair(c, timed)) for c in found)
    assert [c.id for c in found] == [f"c{i}" for i in range(1, len(found) + 1)]
    places = [c.spans[1] for c in found]
    assert places == sorted(places)
    names = {action.id: action.name.casefold() for action in actions}
    for c in found:
        subject, _, target = (text[start:end].casefold() for start, end in c.spans)
        if c.kind == "order":
            assert {subject, target} == {names[str(c.before)], names[str(c.after)]}
            if not timed:
                assert subject == names[c.text.split()[0]] and target == names[c.text.split()[2]]
        else:
            assert subject == names[str(c.action)] and target == f"{c.hour:02}:00"


def test_pairs_of_lists_have_the_subject_outermost() -> None:
    tree, actions = seeded(3, actions=12, sentences=3, timed=False)
    placed = render(tree, actions).tree
    by_phrase: dict[object, list[tuple[object, object]]] = {}
    for c in derive(placed):
        by_phrase.setdefault(c.spans[1], []).append((c.spans[0], c.spans[2]))
    assert any(len(pairs) > 2 for pairs in by_phrase.values())
    for pairs in by_phrase.values():
        assert pairs == sorted(pairs)


def test_skeletons_leave_out_words_only() -> None:
    one, _ = seeded(1, actions=5, sentences=3, timed=True)
    other, _ = seeded(2, actions=5, sentences=3, timed=True)
    assert skeleton(one) != skeleton(other)


@pytest.mark.parametrize("name", ["before", "and", "which", "follow", "happens", "the", "precede", "but"])
def test_names_that_are_words_of_the_language(name: str) -> None:
    actions = make_actions([name, "x"])
    for text in (f"{name} happens before x.", f"x precedes {name}.", f"Before {name}, x happens."):
        said = read_query(text, actions).problem.said
        assert {said[0].before, said[0].after} == {"a1", "a2"}, text
