"""Sentences that somebody wrote meaning first, without sight of the reader: read rightly, or refused with help.

``corpus/*.jsonl``: texts, their actions and the one meaning or the two that they have; "cannot" is clear and
cannot be said in a query, "nonsense" is no requirement. ``corpus/no_orders.txt``: texts that look like orders and are
none, or not certainly.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planscope.language.problem import make_actions
from planscope.language.reading import ParseError, ParseFailure, read_query

CORPUS = Path(__file__).with_name("corpus")
NAMES = ("build the image", "run tests", "push the image", "deploy to staging", "deploy to production")

Meaning = frozenset[tuple[str, str, Any]]


def rows(name: str = "queries") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CORPUS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def _meaning(orders: set[tuple[str, str]], hours: set[tuple[str, str, int]]) -> Meaning:
    """Orders with all that follow from them, and hours."""
    while more := {(a, d) for a, b in orders for c, d in orders if b == c} - orders:
        orders |= more
    return frozenset({("<", *order) for order in orders} | hours)


def _wanted(row: dict[str, Any]) -> list[Meaning]:
    return [
        _meaning(set(map(tuple, one["orders"])), {(h["kind"], h["action"], h["hour"]) for h in one["hours"]})
        for one in row["meanings"]
    ]


def _read(text: str, names: list[str], timed: bool) -> Meaning:
    problem = read_query(text, make_actions(names), timed=timed).problem
    called = {action.id: action.name for action in problem.actions}
    orders = {(called[str(c.before)], called[str(c.after)]) for c in problem.said if c.kind == "order"}
    hours = {(c.kind, called[str(c.action)], c.hour) for c in problem.said if c.hour is not None}
    return _meaning(orders, hours)  # type: ignore[arg-type]  # an hour that is not None


def _outcome(row: dict[str, Any]) -> str:
    wanted = _wanted(row)
    try:
        found = _read(row["text"], row["actions"], row["timed"])
    except ParseFailure as failure:
        shown = [_read(one, row["actions"], row["timed"]) for one in failure.errors[0].readings]
        return "refused" if not shown else "both" if set(shown) == set(wanted) else "other readings"
    return "right" if row["class"] == "one" and found in wanted else "wrong"


@pytest.mark.parametrize(
    ("name", "read", "both"),
    [("queries", 92, 12), ("developers", 252, 13), ("plain_words", 62, 10), ("domains", 43, 0)],
)
def test_how_many_are_read(name: str, read: int, both: int) -> None:
    outcomes = Counter((row["class"], _outcome(row)) for row in rows(name))
    assert outcomes["one", "right"] >= read, outcomes
    assert outcomes["two", "both"] >= both, outcomes
    assert {outcome for _, outcome in outcomes} <= {"right", "refused", "both"} | (
        {"other readings"} if name == "plain_words" else set()
    ), outcomes


def test_what_is_no_order_is_not_read_as_one() -> None:
    for text in (CORPUS / "no_orders.txt").read_text(encoding="utf-8").splitlines():
        with pytest.raises(ParseFailure):
            read_query(text, make_actions(NAMES))


_WORDS = (
    *(
        "not",
        "only",
        "before",
        "after",
        "until",
        "then",
        "first",
        "and",
        "or",
        "if",
        "twice",
        "immediately",
        "it",
    ),
    *("always", "never", "the", "which", "everything else", "must", "between", "15:00", ",", "zork"),
)


def _mutated(text: str, draw: Random) -> Iterator[str]:
    """A text without a word, with two words turned, and with another word in its place or behind it."""
    words = text.split(" ")
    at = draw.randrange(len(words))
    yield " ".join(words[:at] + words[at + 1 :])
    yield " ".join([*words[:at], draw.choice(_WORDS), *words[at + 1 :]])
    yield " ".join([*words[: at + 1], draw.choice(_WORDS), *words[at + 1 :]])
    yield " ".join([*words[:at], *reversed(words[at : at + 2]), *words[at + 2 :]])


def _errors(text: str, names: list[str], timed: bool) -> tuple[ParseError, ...]:
    try:
        read_query(text, make_actions(names), timed=timed)
    except ParseFailure as failure:
        return failure.errors
    return ()


def test_all_that_a_refusal_proposes_can_be_read() -> None:
    """Of every refusal of the corpora, and of 520 sentences that were made of it; two readings differ."""
    draw = Random(1)
    proposed = Counter[str]()
    more = [*rows("developers"), *rows("plain_words")]
    for row in [*rows(), *more]:
        for text in (row["text"], *(() if row in more else _mutated(row["text"], draw))):
            for error in _errors(text, row["actions"], row["timed"]):
                readings = [_read(one, row["actions"], row["timed"]) for one in error.readings]
                assert len(set(readings)) == len(readings), (text, error.readings)
                suggested = [_read(one, row["actions"], row["timed"]) for one in error.suggestions]
                assert len(set(suggested)) == len(suggested), (text, error.suggestions)
                quoted = [part for part in error.message.split('"')[1::2] if part.endswith(".")]
                assert set(quoted) <= {*error.readings, *error.suggestions}, (text, error.message)
                proposed.update(readings=bool(readings), suggestions=bool(suggested), errors=1)
    assert proposed["readings"] > 15
    assert proposed["suggestions"] * 10 > (proposed["errors"] - proposed["readings"]) * 9


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Push the image right after building it.", "not how soon"),
        ("Run the tests three times.", "no numbers"),
        ("Run the tests at most twice before pushing the image.", "no numbers"),
        ("If the tests have been run, push the image.", "no conditions"),
        ("Run the tests within two calls after building the image.", "not how soon"),
        ("Run the tests between building the image and pushing it.", "clock times"),
    ],
)
def test_what_no_query_can_say_is_a_rule(text: str, said: str) -> None:
    (error,) = _errors(text, list(NAMES), timed=False)
    assert said in error.message
    assert "write it as a rule about calls (planscope rules add, or --rules)" in error.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Log in before you build the image.", '"Log in" is not known: expected an action'),
        (
            "The plan must be approved before run tests.",
            '"The plan must be approved" is not known: expected an action',
        ),
        (
            "Run tests must be approved before building the image.",
            '"must be approved" is not known: expected',
        ),
    ],
)
def test_an_unknown_word_has_no_hint_of_another(text: str, message: str) -> None:
    (error,) = _errors(text, list(NAMES), timed=False)
    assert error.message.startswith(message)
    assert "did you mean" not in error.message
    assert "time" not in error.message


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("Building the image before running the tests is not allowed.", "run tests", "build the image"),
        ("It is an error to deploy to staging before running the tests.", "run tests", "deploy to staging"),
        (
            "Deploying to staging can be done no sooner than the tests are run.",
            "run tests",
            "deploy to staging",
        ),
        ("Only deploy to staging when the tests have been run.", "run tests", "deploy to staging"),
        ("Run the tests before deploying to staging - it is safer.", "run tests", "deploy to staging"),
        (
            "Run the tests before deploying to staging; anything else breaks it.",
            "run tests",
            "deploy to staging",
        ),
        ("You can't deploy to staging until they've been run.", "run tests", "deploy to staging"),
        ("Deploying to staging needs the tests run.", "run tests", "deploy to staging"),
        (
            "It doesn't matter how, but run the tests before deploying to staging.",
            "run tests",
            "deploy to staging",
        ),
        ("Run the tests before deploying to staging: no exceptions.", "run tests", "deploy to staging"),
    ],
)
def test_other_ways_to_say_an_order(text: str, before: str, after: str) -> None:
    assert _read(text, list(NAMES), False) == {("<", before, after)}


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("Run the tests and build the image. Do that before pushing the image.", 2),
        ("Push the image after building it, but run the tests first.", 2),
    ],
)
def test_what_may_mean_one_of_two_is_shown_twice(text: str, readings: int) -> None:
    (error,) = _errors(text, list(NAMES), timed=False)
    assert len({_read(one, list(NAMES), False) for one in error.readings}) == readings


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("The audit comes after the release.", {("<", "publish the release", "start the audit")}),
        (
            "The audit has to come after publishing the release.",
            {("<", "publish the release", "start the audit")},
        ),
        ("Have the office cleaned by 8 am.", {("end_at_most", "clean the office", 8)}),
        (
            "Clean the office after the release but before 18:00.",
            {("<", "publish the release", "clean the office"), ("end_at_most", "clean the office", 18)},
        ),
    ],
)
def test_an_object_may_stand_for_its_action(text: str, meaning: set[tuple[str, str, Any]]) -> None:
    assert _read(text, ["publish the release", "start the audit", "clean the office"], True) == meaning


def test_a_noun_may_be_behind_its_object() -> None:
    assert _read("Triage of emails precedes lunch.", ["email triage", "lunch"], False) == {
        ("<", "email triage", "lunch")
    }


@pytest.mark.parametrize(
    "text",
    [
        "Building the image and pushing it before running the tests is not allowed.",
        "Before building the image, run the tests afterwards.",
        "Deploying to staging needs the tests run before the image is built.",
        "Don't deploy to staging because the team is nervous.",
        "Run the tests before deploying to staging (or pushing the image).",
        "Run the tests before deploying to staging - unless time is short.",
        "Run the tests before deploying to staging because building the image comes first.",
        "Run the tests before deploying to staging, never before.",
        "Run the tests before building the image again.",
        "Stop running the tests before building the image.",
        "Run the tests before deploying to staging; anything else is forbidden.",
    ],
)
def test_what_has_no_certain_order_is_refused(text: str) -> None:
    assert _errors(text, list(NAMES), False)


def test_what_parentheses_mean_is_never_left_out() -> None:
    with pytest.raises(ParseFailure):
        _read("Push the image no later than 8:00 (I mean the start).", ["push the image"], True)
