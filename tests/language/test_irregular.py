"""Sentences that lost or gained a mark: read as what they were, refused, or regular English of their own."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.language.cuts import Scanner
from planscope.language.errors import ParseFailure
from planscope.language.problem import Action, Problem
from planscope.language.reading import read_query
from planscope.language.render import render
from planscope.language.scan import Names
from planscope.language.sentence import agrees, strict
from planscope.language.tree import NP, Query, walk
from tests.language.support import error, read, said
from tests.language.trees import queries, seeded
from tests.nightly import rounds

SENTENCES = int(os.environ.get("PLANSCOPE_SENTENCES", str(rounds(4, 7))))
"""How many random sentences are damaged in every place; 2,000 take about a minute."""

FOOD = ("tea", "milk", "bread", "jam", "ham", "egg")


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("Before tea, milk, and bread, jam happens.", ["a4 < a1", "a4 < a2", "a4 < a3"]),
        ("Before tea, milk, bread, and jam happen.", ["a2 < a1", "a3 < a1", "a4 < a1"]),
        (
            "After tea, milk, and bread, jam and ham happen.",
            ["a4 > a1", "a4 > a2", "a4 > a3", "a5 > a1", "a5 > a2", "a5 > a3"],
        ),
        (
            "Tea, milk, and bread happen before jam, and ham and tea happen after bread.",
            ["a1 < a4", "a2 < a4", "a3 < a4", "a5 > a3", "a1 > a3"],
        ),
        (
            "Tea precedes milk, bread, and jam, and ham follows tea.",
            ["a1 < a2", "a1 < a3", "a1 < a4", "a5 > a1"],
        ),
        (
            "Before tea, which follows milk and bread and jam, ham happens.",
            ["a5 < a1", "a1 > a2", "a1 > a3", "a1 > a4"],
        ),
        (
            "Before tea, which follows milk, bread, jam, and ham happen.",
            ["a3 < a1", "a4 < a1", "a5 < a1", "a1 > a2"],
        ),
        (
            "Tea and milk, which follow bread, jam, and ham, precede egg.",
            ["a1 > a3", "a1 > a4", "a1 > a5", "a2 > a3", "a2 > a4", "a2 > a5", "a1 < a6", "a2 < a6"],
        ),
    ],
)
def test_a_comma_before_the_and_of_a_list(text: str, formulas: list[str]) -> None:
    assert said(text, FOOD) == formulas


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        # A list that lost a comma, not a clause that lost three marks.
        ("After tea milk and bread, jam happens.", ["a4 > a1", "a4 > a2", "a4 > a3"]),
        ("Tea milk, and bread precede jam.", ["a1 < a4", "a2 < a4", "a3 < a4"]),
        # The comma behind a fronted list.
        ("After tea, milk and bread jam happens.", ["a4 > a1", "a4 > a2", "a4 > a3"]),
        # The "and" between two clauses.
        ("Tea precedes milk, bread precedes jam.", ["a1 < a2", "a3 < a4"]),
        ("Tea precedes milk, bread and jam follow ham.", ["a1 < a2", "a3 > a5", "a4 > a5"]),
        (
            "Tea precedes milk, bread, and jam and ham follows egg.",
            ["a1 < a2", "a1 < a3", "a1 < a4", "a5 > a6"],
        ),
    ],
)
def test_the_reading_with_the_fewest_irregularities(text: str, formulas: list[str]) -> None:
    assert said(text, FOOD) == formulas


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        (
            "Before tea milk, bread and jam happen.",
            ("Before tea and milk, bread and jam happen.", "Before tea, milk, bread and jam happen."),
        ),
        (
            "Tea precedes milk, bread and jam follows ham.",
            (
                "Tea precedes milk and bread, and jam follows ham.",
                "Tea precedes milk; bread and jam follow ham.",
            ),
        ),
        (
            "Before tea, milk, bread jam happens.",
            ("Before tea, milk and bread, jam happens.", "Before tea, milk, bread and jam happen."),
        ),
        (
            "Before tea, and milk, bread and jam happen.",
            ("Before tea and milk, bread and jam happen.", "Before tea, milk, bread and jam happen."),
        ),
    ],
)
def test_equally_irregular_readings_are_shown(text: str, readings: tuple[str, str]) -> None:
    assert set(error(text, FOOD).readings) == set(readings)


@pytest.mark.parametrize(
    ("text", "found", "expected", "regular"),
    [
        ("After tea milk, bread takes place.", "milk", '"and"', "After tea and milk, bread takes place."),
        ("Tea precedes milk bread.", "bread", '"and"', "Tea precedes milk and bread."),
        (
            "Tea precedes milk bread follows jam.",
            "bread",
            "a semicolon",
            "Tea precedes milk; bread follows jam.",
        ),
        # A comma too few, and a verb that does not agree.
        (
            "Tea and milk precedes bread while jam follows ham.",
            "while",
            "a comma",
            "Tea and milk precede bread, while",
        ),
        # Commas left out where four were.
        (
            "Tea which follows milk follows bread which follows jam but ham which follows egg follows tea.",
            "which",
            "a comma",
            "Tea, which follows milk, follows bread, which follows jam, but ham, which follows egg, follows tea.",
        ),
    ],
)
def test_too_irregular(text: str, found: str, expected: str, regular: str) -> None:
    wrong = error(text, FOOD)
    assert wrong.found == found
    assert expected in wrong.expected
    assert regular in wrong.message


def test_a_verb_that_does_not_agree_alone_is_forgiven() -> None:
    assert said("Tea and milk precedes bread, and jam and ham follows egg.", FOOD) == [
        "a1 < a3",
        "a2 < a3",
        "a4 > a6",
        "a5 > a6",
    ]


def _meaning(problem: Problem) -> frozenset[object]:
    return frozenset((c.kind, c.before, c.after, c.action, c.hour) for c in problem.said)


def _with_commas(tree: Query, text: str, rng: Random) -> str:
    """The text with a comma before the "and" of some lists "a, b and c".

    Of "a, which precedes b and c, and d" it is unclear where d belongs.
    """
    lists = [np for _, np in walk(tree) if isinstance(np, NP) and len(np.actions) > 2]
    lists = [np for np in lists if text[np.actions[0].span[1]] == ","]
    for place in sorted((np.actions[-2].span[1] for np in lists if rng.random() < 0.5), reverse=True):
        text = f"{text[:place]},{text[place:]}"
    return text


def _damaged(text: str, scanner: Scanner) -> Iterator[str]:
    """The text without each of its marks and conjunctions."""
    for token in scanner.tokens(text) or []:
        if token.type in ("COMMA", "AND", "SEMI"):
            start = token.start - (token.type == "AND")
            yield text[:start] + text[token.end :]


def _outcome(text: str, actions: tuple[Action, ...], timed: bool, meant: frozenset[object]) -> str:
    """What becomes of a sentence that was damaged."""
    try:
        found = _meaning(read_query(text, actions, timed=timed).problem)
    except ParseFailure:
        return "refused"
    if found == meant:
        return "same"
    readings = list(strict(Scanner(names=Names(actions), timed=timed).tokens(text) or []))
    return "regular" if readings and all(map(agrees, readings)) else "changed"


@settings(deadline=None)
@given(queries(), st.integers(0, 2**32))
def test_commas_before_the_and_of_lists_change_nothing(
    case: tuple[Query, tuple[Action, ...], bool], seed: int
) -> None:
    tree, actions, timed = case
    text, placed = render(tree, actions)
    other = read_query(_with_commas(placed, text, Random(seed)), actions, timed=timed)
    assert [c.text for c in other.problem.said] == [
        c.text for c in read_query(text, actions, timed=timed).problem.said
    ]


def test_one_mark_less_changes_no_meaning() -> None:
    """Every comma, "and" and semicolon of random sentences is left out once."""
    outcomes: Counter[str] = Counter()
    for seed in range(SENTENCES):
        timed = seed % 3 == 0
        tree, actions = seeded(seed, actions=2 + seed % 19, sentences=1, timed=timed)
        text, placed = render(tree, actions)
        meant = _meaning(read_query(text, actions, timed=timed).problem)
        if seed % 2:
            text = _with_commas(placed, text, Random(seed))
        for damaged in _damaged(text, Scanner(names=Names(actions), timed=timed)):
            outcome = _outcome(damaged, actions, timed, meant)
            assert outcome != "changed", (seed, text, damaged)
            outcomes[outcome] += 1
    assert outcomes["same"] > outcomes["refused"] > 0
    assert outcomes["regular"] * 100 < outcomes.total()


def test_a_text_that_is_damaged_into_regular_english_is_read_as_that() -> None:
    whole = read("Before tea, milk, and bread, jam and ham happen.", FOOD)
    less = read("Before tea, milk, bread, jam and ham happen.", FOOD)
    assert _meaning(whole.problem) != _meaning(less.problem)
    assert [c.text for c in less.problem.said] == ["a2 < a1", "a3 < a1", "a4 < a1", "a5 < a1"]
