"""Numbers, lengths and places of a query, and the limits from which an agent fails."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from planscope.dissection.evidence import Counts
from planscope.dissection.measures import (
    Measure,
    Measured,
    measured,
    rivals,
    shared_by,
    splits,
    to_blame,
    told_apart,
)
from planscope.language.problem import Action
from planscope.language.reading import read_query
from planscope.session.model import Origin, Variant, make_variant

R, W = Counts(1, 0), Counts(0, 1)
SENTENCES, WORDS = Measure("number", "sentences"), Measure("length", "words")


def variant(text: str) -> Variant:
    names = ("coffee brewing", "crew briefing", "seat cleaning")
    actions = tuple(Action(f"a{n}", name, name.replace(" ", "_")) for n, name in enumerate(names, 1))
    return make_variant(read_query(text, actions, timed=False).problem, Origin(kind="written"))


def test_what_is_counted() -> None:
    text = (
        "Coffee brewing and seat cleaning, which precede crew briefing, occur before crew briefing. "
        "Coffee brewing precedes crew briefing."
    )
    found = {measure.said: (n, text[a:b]) for measure, (n, (a, b)) in measured(variant(text)).items()}
    first = text[: text.index(".") + 1]
    assert found["sentences"] == (2, text)
    assert found["clauses"][0] == 3
    assert found["mentions of actions"][0] == 6
    assert found["mentions of one action"][0] == 3
    assert found["relative clauses"][0] == 1
    assert found["lists"][0] == 1
    assert found["words"][0] == 18
    assert found["mentions of actions in one sentence"] == (4, first)
    assert found["words in one sentence"] == (13, first)
    assert found["words in one clause"] == (13, first.removesuffix("."))
    assert found["characters in one sentence"] == (len(first), first)
    assert found["characters in one clause"] == (len(first) - 1, first.removesuffix("."))
    assert found["constraints said"][0] == 5
    assert found["commas"][0] == 2
    assert "modals" not in found
    must = measured(
        variant("Coffee brewing must precede crew briefing, which should occur before seat cleaning.")
    )
    assert {one.said: n for one, (n, _) in must.items()}["modals"] == 2
    assert found["“coffee brewing before crew briefing”"][0] == 3
    assert (found["“precede”"][0], found["“before”"]) == (2, (1, "before"))
    assert found["actions that are named first and wait for others"] == (0, "Coffee brewing")
    late = "Crew briefing occurs after coffee brewing. Seat cleaning precedes coffee brewing."
    told = {measure.said: (n, late[a:b]) for measure, (n, (a, b)) in measured(variant(late)).items()}
    assert told["actions that are named first and wait for others"] == (1, "Crew briefing")
    assert found["actions that are named last and others wait for"] == (0, "crew briefing")
    assert told["actions that are named last and others wait for"] == (1, "coffee brewing")


def query(sentences: int, words: int) -> Measured:
    return {SENTENCES: (sentences, (0, 1)), WORDS: (words, (0, 1))}


def runs(*pairs: tuple[int, int, Counts]) -> Sequence[tuple[Measured, Counts]]:
    return [(query(sentences, words), counts) for sentences, words, counts in pairs]


def test_a_limit_is_to_blame_if_it_is_clearer_than_those_of_other_kinds() -> None:
    told = runs(
        (5, 50, Counts(0, 9)),
        *[(5, words, W) for words in range(30, 60, 3)],
        *[(3, words, R) for words in range(31, 60, 3)],
    )
    found = to_blame(splits(told))
    assert found is not None and (found.measure, found.most) == (SENTENCES, 3)
    assert found.limit() == "at most 3 sentences"
    assert (found.below, found.others) == (Counts(10, 0), Counts(0, 11))
    assert rivals(splits(told))
    assert shared_by(splits(told)) == (
        "What the right queries share: with at most 3 sentences, 10 of 10 queries were right, else 0 of 11. Try that."
    )


def test_where_two_kinds_of_limits_explain_the_same_none_is_to_blame() -> None:
    told = runs((5, 50, W), *[(5, 50, W)] * 10, *[(3, 30, R)] * 10)
    assert to_blame(splits(told)) is None and rivals(splits(told)) and shared_by(splits(told))


def test_a_query_on_which_limits_disagree_tells_most() -> None:
    found = splits(runs((4, 40, W), (4, 39, W), (2, 20, R), (2, 19, R), (2, 18, R)))
    apart, alike, between = query(2, 40), query(2, 18), query(3, 20)
    assert told_apart(found, apart) > told_apart(found, between) > told_apart(found, alike)
    assert abs(told_apart(found, alike)) < 0.1


@pytest.mark.parametrize("right", [0, 3])
def test_a_few_right_queries_may_be_chance(right: int) -> None:
    told = runs((5, 50, W), *[(5, 50, W)] * 3, *[(3, 40, R)] * right)
    assert to_blame(splits(told)) is None and not rivals(splits(told)) and shared_by(splits(told)) == ""


def test_runs_of_one_query_are_one_observation() -> None:
    told = runs((5, 50, Counts(0, 40)), (3, 40, Counts(40, 0)))
    assert to_blame(splits(told)) is None and shared_by(splits(told)) == ""
