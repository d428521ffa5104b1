"""Paths into JSON, comparisons with answers, and regular expressions, each against something simpler."""

from __future__ import annotations

import re
import time
from random import Random

import pytest

from planscope.language.calls import COUNT, EACH, SUM, Against, Relation
from planscope.rules.pattern import pattern
from planscope.rules.values import agrees, amount, each, suiting

ANSWER = {
    "total": 50,
    "text": "$50.00",
    "methods": {"card_1": {"left": 20}, "gift_2": {"left": 5}},
    "items": [{"id": "a", "price": 10}, {"id": "b", "price": 2.5}, {"id": None}],
    "names": ["x", "y"],
    "at": "2024-05-15T15:00:00",
}


@pytest.mark.parametrize(
    "path,found",
    [
        (("total",), [50]),
        (("items", EACH, "id"), ["a", "b"]),
        (("methods", EACH, "left"), [20, 5]),
        ((COUNT, "items"), [3]),
        ((COUNT, "items", EACH, "id"), [2]),
        ((COUNT, "nothing"), []),
        ((SUM, "items", EACH, "price"), [12.5]),
        ((SUM, "names"), []),
        (("items", 1, "id"), ["b"]),
        (("nothing", EACH), []),
    ],
)
def test_paths(path: tuple[str | int, ...], found: list[object]) -> None:
    assert list(each(ANSWER, path)) == found


@pytest.mark.parametrize(
    "value,unit,found",
    [
        (50, "", 50),
        ("50", "", None),
        ("50.00", "dollars", 50),
        ("$1,050", "USD", 1050),
        ("50 USD", "$", 50),
        ("€50", "$", None),
        ("50 kg", "kg", 50),
        (True, "$", None),
        ("fifty", "$", None),
        ("-3", "$", -3),
    ],
)
def test_amounts(value: object, unit: str, found: float | None) -> None:
    assert amount(value, unit) == found


CASES: list[tuple[object, Relation, tuple[str | int, ...], str, float, bool]] = [
    ("card_1", "among", ("methods",), "", 1, True),
    ("card_3", "among", ("methods",), "", 1, False),
    ("card_3", "not among", ("methods",), "", 1, True),
    (["a", "b"], "among", ("items", EACH, "id"), "", 1, True),
    (["a", "c"], "among", ("items", EACH, "id"), "", 1, False),
    ("x", "among", ("names",), "", 1, True),
    (50, "=", ("total",), "", 1, True),
    ("50.00", "=", ("total",), "", 1, False),
    ("50.00", "=", ("total",), "dollars", 1, True),
    (50, "=", ("text",), "dollars", 1, True),
    (49, "!=", ("total",), "", 1, True),
    (49, "!=", ("nothing",), "", 1, False),
    (300, "<=", (COUNT, "items"), "", 100, True),
    (301, "<=", (COUNT, "items"), "", 100, False),
    (50, "<", ("total",), "", 1, False),
    ("2024-05-16T14:59:00", "within", ("at",), "", 86_400, True),
    ("2024-05-16T15:01:00", "within", ("at",), "", 86_400, False),
    ("2024-05-16", ">=", ("at",), "", 1, True),
    (None, "<=", ("total",), "", 1, False),
]


@pytest.mark.parametrize("given,relation,path,unit,number,holds", CASES)
def test_comparisons_with_answers(
    given: object, relation: Relation, path: tuple[str | int, ...], unit: str, number: float, holds: bool
) -> None:
    against = Against(("x",), relation, path, unit, number)
    assert agrees({"x": given}, [ANSWER], against) is holds


@pytest.mark.parametrize("relation", ["=", "!=", "<", "<=", ">", ">="])
@pytest.mark.parametrize("path", [("total",), ("items", EACH, "price"), (COUNT, "items")])
def test_what_suits_agrees(relation: Relation, path: tuple[str | int, ...]) -> None:
    against = Against(("x",), relation, path)
    found = suiting([ANSWER], against)
    assert found is not None and agrees(found, [ANSWER], against)
    assert suiting([{}], against) is None


PIECES = ["a", "b", "[ab]", "[^a]", ".", "(a|b)", "(?:ab)", r"\b", "^", "$", r"\w", r"\s", "ba"]
REPEATS = ["", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "{0}"]


def test_regular_expressions_are_those_of_python() -> None:
    random = Random(1)
    for _ in range(4_000):
        parts = [
            piece + (random.choice(REPEATS) if piece not in (r"\b", "^", "$") and len(piece) != 2 else "")
            for piece in random.choices(PIECES, k=random.randint(1, 5))
        ]
        text = random.choice(["", "|"]).join(parts)
        said = "".join(random.choices("abAB .", k=random.randint(0, 7)))
        expected = re.search(text.replace("$", r"\Z"), said, re.IGNORECASE) is not None
        assert pattern(text).is_in(said) is expected, (text, said)


def test_regular_expressions_take_linear_time() -> None:
    began = time.process_time()
    assert not pattern("(a+)+(a|aa)*b").is_in("a" * 20_000)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "text",
    [
        "(?=a)",
        r"(a)\1",
        "(?<!a)b",
        "(",
        "a)",
        "a{200}",
        "(?P<n>a)",
        "*",
        "[b-a]",
        "a**",
        "(" * 3000,
        "(a{99}){99}",
    ],
)
def test_other_regular_expressions_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        pattern(text)
