"""Sentences that somebody wrote meaning first, without sight of the reader: read rightly, or refused with help.

``corpus/*.jsonl``: texts, their actions and the one meaning or the two that they have; "cannot" is clear and
cannot be said in a query, "nonsense" is no requirement. ``corpus/no_orders.txt``: texts that look like orders and are
none, or not certainly.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planscope.language.problem import make_actions
from planscope.language.reading import ParseError, ParseFailure, read_query
from tests.each import each
from tests.nightly import nightly

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
    return _meaning(orders, hours)  # an hour that is not None


def _outcome(row: dict[str, Any]) -> str:
    wanted = _wanted(row)
    try:
        found = _read(row["text"], row["actions"], row["timed"])
    except ParseFailure as failure:
        shown = [_read(one, row["actions"], row["timed"]) for one in failure.errors[0].readings]
        return "refused" if not shown else "both" if set(shown) == set(wanted) else "other readings"
    return "right" if row["class"] == "one" and found in wanted else "wrong"


@pytest.mark.parametrize(
    ("name", "every", "read", "both"),
    [
        ("queries", 6, 16, 2),
        ("developers", 15, 17, 0),
        ("plain_words", 6, 10, 2),
        ("domains", 6, 10, 0),
        ("people", 12, 16, 1),
        ("strangers", 9, 7, 0),
        ("strangers_2", 9, 7, 0),
        ("strangers_3", 9, 7, 0),
        ("strangers_4", 9, 3, 0),
        ("strangers_5", 9, 6, 0),
        ("strangers_6", 9, 11, 0),
        ("strangers_7", 9, 5, 0),
        ("traps_2", 40, 4, 0),
        ("traps_3", 30, 1, 0),
        *nightly(
            ("queries", 1, 92, 12),
            ("developers", 1, 252, 13),
            ("plain_words", 1, 63, 10),
            ("domains", 1, 62, 0),
            ("people", 1, 150, 9),
            ("strangers", 1, 80, 0),
            ("strangers_2", 1, 58, 0),
            ("strangers_3", 1, 73, 0),
            ("strangers_4", 1, 32, 0),
            ("strangers_5", 1, 82, 2),
            ("strangers_6", 1, 102, 3),
            ("strangers_7", 1, 43, 3),
            ("traps_2", 1, 179, 0),
            ("traps_3", 1, 99, 0),
        ),
    ],
)
def test_how_many_are_read(name: str, every: int, read: int, both: int) -> None:
    outcomes = Counter((row["class"], _outcome(row)) for row in rows(name)[::every])
    assert outcomes["one", "right"] >= read, outcomes
    assert outcomes["two", "both"] >= both, outcomes
    assert {outcome for _, outcome in outcomes} <= {"right", "refused", "both"} | (
        {"other readings"} if name.startswith(("plain_words", "strangers", "traps")) else set()
    ), outcomes


@pytest.mark.parametrize("every", [9, *nightly(1)])
def test_no_trap_is_read_in_another_way(every: int) -> None:
    """``traps.jsonl``: texts that a hasty reader gets wrong, with orders that they allow or forbid. Those
    of class "none" allow all. What is read allows and forbids the same."""
    read = 0
    for row in rows("traps")[::every]:
        try:
            meaning = _read(row["text"], row["actions"], False)
        except ParseFailure:
            continue

        def allowed(order: Sequence[str], meaning: Meaning = meaning) -> bool:
            return all(order.index(before) < order.index(after) for _, before, after in meaning)

        assert all(map(allowed, row["good"])) and not any(map(allowed, row["bad"])), row
        assert row["class"] != "none" or not meaning, row
        read += 1
    assert read >= (7 if every == 1 else 1)


@each("text", (CORPUS / "no_orders.txt").read_text(encoding="utf-8").splitlines(), every=4)
def test_what_is_no_order_is_not_read_as_one(text: str) -> None:
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


@pytest.mark.parametrize("every", [30, *nightly(1)])
def test_all_that_a_refusal_proposes_can_be_read(every: int) -> None:
    """Of every refusal of the corpora, and of 520 sentences that were made of it; two readings differ."""
    draw = Random(1)
    proposed = Counter[str]()
    more = [*rows("developers"), *rows("plain_words"), *rows("people")]
    for row in [*rows(), *more][every // 2 :: every]:
        for text in (row["text"], *(() if row in more else _mutated(row["text"], draw))):
            for error in _errors(text, row["actions"], row["timed"]):
                readings = [_read(one, row["actions"], row["timed"]) for one in error.readings]
                assert len(set(readings)) == len(readings), (text, error.readings)
                suggested = [_read(one, row["actions"], row["timed"]) for one in error.suggestions]
                assert len(set(suggested)) == len(suggested), (text, error.suggestions)
                quoted = [part for part in error.message.split('"')[1::2] if part.endswith(".")]
                assert set(quoted) <= {*error.readings, *error.suggestions}, (text, error.message)
                proposed.update(readings=bool(readings), suggestions=bool(suggested), errors=1)
    assert proposed["readings"] > 15 // every
    assert proposed["suggestions"] * 10 > (proposed["errors"] - proposed["readings"]) * 9


@pytest.mark.parametrize("every", [36, *nightly(1)])
def test_no_word_is_dropped(every: int) -> None:
    """A word that nobody knows, wherever it stands in a sentence that is read, makes it one that is refused."""
    draw = Random(2)
    refused = 0
    for row in rows("people")[::every]:
        if row["class"] != "one" or _outcome(row) != "right":
            continue
        words = row["text"].split(" ")
        at = draw.randrange(len(words) + 1)
        text = " ".join([*words[:at], "zork", *words[at:]])
        assert _errors(text, row["actions"], row["timed"]), text
        refused += 1
    assert refused > 100 // every


_PAIRS = (
    "{A} before {B}.",
    "{B} after {A}.",
    "First {A}, second {B}.",
    "1) {A} 2) {B}",
    "Finish {A} before starting {B}.",
    "{B} has to wait for {A}.",
    "Don't start {B} until {A} is through.",
    "Never {B} before {A}.",
    "{B}, but first {A}.",
    "{A} is due before {B}.",
    "Sequence: {A}, {B}.",
)
_TRIPLES = (
    ("First {A}, second {B}, and last {C}.", "AB BC"),
    ("The first step is {A}, the second is {B}, the last is {C}.", "AB BC"),
    ("(1) {A}, (2) {B}, (3) {C}", "AB BC"),
    ("1. {A}. 2. {B}. 3. {C}.", "AB BC"),
    ("At first {A}, after this {B}, at the end {C}.", "AB BC"),
    ("After {A}, do {B}, then {C}.", "AB BC"),
    ("Do {C} when {A} and {B} are finished.", "AC BC"),
    ("Do {A}, then {B}; {C} only when both are done.", "AB AC BC"),
    ("You may not do {B} before {A}, nor {C} before {B}.", "AB BC"),
    ("{A} comes before {B} and {C}, both of which come before {D}.", "AB AC BD CD"),
    ("Kick off with {A} and wrap up with {C}.", "AB AC AD BC DC"),
    ("The last one is {D}.", "AD BD CD"),
)
_CLOCKS = (
    ("{A} and {B} must both be after 17:00.", {("start_at_least", "A", 17), ("start_at_least", "B", 17)}),
    (
        "Start {A} no earlier than 15:00 and finish {B} by 14:00.",
        {("start_at_least", "A", 15), ("end_at_most", "B", 14)},
    ),
    (
        "{A} should be any time between 9:00 and 11:00.",
        {("start_at_least", "A", 9), ("end_at_most", "A", 11)},
    ),
    ("{A} must stop by 17:00.", {("end_at_most", "A", 17)}),
    ("{A} by 18 o'clock.", {("end_at_most", "A", 18)}),
)


def _orders(pairs: Sequence[tuple[str, str]], names: Sequence[str]) -> set[tuple[str, ...]]:
    """All orders of some actions that pairs allow, by trying each."""
    return {row for row in permutations(names) if all(row.index(a) < row.index(b) for a, b in pairs)}


def test_templates_mean_what_was_meant() -> None:
    """Of each template, the orders that are allowed are those of its meaning, whatever the actions are called."""
    cases = [*((text, "AB") for text in _PAIRS), *_TRIPLES]
    for names in (
        ["lunch", "nap", "walk", "dinner"],
        ["unit tests", "image build", "load_data", "site survey"],
    ):
        called = dict(zip("ABCD", names, strict=True))
        for text, meaning in cases:
            read = _read(text.format(**called), names, timed=False)
            wanted = [(called[a], called[b]) for a, b in meaning.split()]
            assert _orders([(a, b) for _, a, b in read], names) == _orders(wanted, names), text
        for text, hours in _CLOCKS:
            wanted_hours = {(kind, called[action], hour) for kind, action, hour in hours}
            assert _read(text.format(**called), names, timed=True) == wanted_hours, text


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
        ("Run tests; deploy to staging; in that order.", "run tests", "deploy to staging"),
        ("Steps, in this order:\n1. run tests\n2. deploy to staging", "run tests", "deploy to staging"),
    ],
)
def test_other_ways_to_say_an_order(text: str, before: str, after: str) -> None:
    assert _read(text, list(NAMES), False) == {("<", before, after)}


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("Run the tests and build the image. Do that before pushing the image.", 2),
        ("Push the image after building it, but run the tests first.", 2),
        ("Pushing the image comes after the tests and building the image as well.", 2),
        ("Build the image, then run the tests. Before that, push the image.", 2),
        ("Build the image and run the tests. After that, push the image.", 2),
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
        "Don't deploy to staging until the tests are run or the image is built.",
        "Deploy to staging once you build the image and run the tests.",
        "Build the image and run the tests before you do anything else.",
        "Deploy to staging afterwards, but run the tests first.",
    ],
)
def test_what_has_no_certain_order_is_refused(text: str) -> None:
    assert _errors(text, list(NAMES), False)


def test_a_request_without_order_is_left_out() -> None:
    text = "Please run the tests. Build the image before pushing it."
    reading = read_query(text, make_actions(NAMES))
    assert reading.left_out_words == ["Please run the tests."]
    assert _read(text, list(NAMES), False) == {("<", "build the image", "push the image")}
    (error,) = _errors("Please run the tests.", list(NAMES), timed=False)
    assert error.message == "this says no order, and each action is done anyway"


@pytest.mark.parametrize(
    "text",
    [
        "Deploy to staging when the image is built and pushed by then.",
        "Run tests when the image happens.",
        "Soak beans sometime before 14:00.",
        "First zork, second run tests.",
        "1) build the image 3) run tests",
    ],
)
def test_near_forms_are_refused(text: str) -> None:
    assert _errors(text, [*NAMES, "soak beans"], timed=True)


def test_advice_is_never_the_other_way_round() -> None:
    for text, wrong in (
        ("Run tests, but first, if you like, build the image.", "First run tests"),
        ("Next is build the image.", "First build the image"),
        ("Run tests must not start after 15:00.", "after 15:00."),
        ("Run tests has to end by 13:00 or build the image can't begin before 14:00.", "after 13:00"),
    ):
        (error,) = _errors(text, list(NAMES), timed=True)
        assert wrong not in error.message.partition("; write ")[2], error.message


def test_what_parentheses_mean_is_never_left_out() -> None:
    with pytest.raises(ParseFailure):
        _read("Push the image no later than 8:00 (I mean the start).", ["push the image"], True)


@pytest.mark.parametrize(
    "text",
    [
        "Run the tests before building the image or deploying to staging.",
        "The tests precede building the image or deploying to staging.",
        "Do the tests before you build the image or deploy to staging.",
        "Before building the image or deploying to staging, run the tests.",
    ],
)
def test_before_one_or_another_is_before_both(text: str) -> None:
    """Each action is done, so the first of both is what must wait."""
    after = ("build the image", "deploy to staging")
    assert _read(text, list(NAMES), False) == {("<", "run tests", one) for one in after}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Today we have lunch, a nap and a walk. Keep lunch for when the other two are done.", "BA CA"),
        ("Today: lunch, nap, walk. The order is open, except that the nap comes after lunch.", "AB"),
        ("Start with lunch. The nap and the walk come later, in any order.", "AB AC"),
        ("Don't have lunch yet: we need the nap over before that.", "BA"),
        ("When to have lunch is up to you. The nap comes before the walk.", "BC"),
        ("Lunch before the nap (the guests will like it). The walk is independent of both.", "AB"),
    ],
)
def test_orders_beside_what_is_free(text: str, meaning: str) -> None:
    called = {"A": "lunch", "B": "nap", "C": "walk"}
    assert _read(text, list(called.values()), False) == {
        ("<", called[a], called[b]) for a, b in meaning.split()
    }


@pytest.mark.parametrize(
    "text",
    [
        "Step 2: have lunch.",
        "Have lunch. The nap is later today.",
        "Lunch comes after the other three.",
        "When lunch is being had, walk.",
        "The order is open, except lunch.",
        "Ask when to have lunch. The nap comes before the walk.",
    ],
)
def test_what_is_near_to_these_is_refused(text: str) -> None:
    assert _errors(text, ["lunch", "nap", "walk"], timed=False)
