"""The skeleton of a text: names in other words, short names, and words that say nothing. What is read by them, and what
must not be."""

from __future__ import annotations

import time
from contextlib import suppress
from itertools import pairwise, permutations
from random import Random
from typing import Any

import pytest

from planscope.language.named import kin
from planscope.language.problem import make_actions
from planscope.language.reading import ParseFailure, read_query
from planscope.language.scan import Names
from planscope.language.skeleton import LONGEST, Skeletons, Unread
from tests.each import each
from tests.language.test_own_words import Meaning, _meaning, _outcome, _read, rows
from tests.nightly import nightly, rounds

FARM = [
    "repair the fence",
    "clean the milk tank",
    "soil test",
    "stock count",
    "morning ward round",
    "order fresh pipettes",
]
SOIL_FIRST = {("<", "soil test", "stock count")}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        (
            "Stock count before soil test. The test must be over by 5 pm. The count by 4 pm.",
            {
                ("<", "stock count", "soil test"),
                ("end_at_most", "soil test", 17),
                ("end_at_most", "stock count", 16),
            },
        ),
        ("The count must be over by 5 pm.", {("end_at_most", "stock count", 17)}),
        ("The round must be over before the test.", {("<", "morning ward round", "soil test")}),
        ("Test the soil, and count the stock at some later point.", SOIL_FIRST),
        ("The soil test has to precede the stock count. Repairing the fence: your choice when.", SOIL_FIRST),
        ("After testing the soil go on to the stock count.", SOIL_FIRST),
        ("Count the stock once the soil test has passed.", SOIL_FIRST),
        ("The stock count can wait until after the soil test.", SOIL_FIRST),
        ("Pipettes come once the fence is gone.", {("<", "repair the fence", "order fresh pipettes")}),
        ("The soil is tested before the stock is counted.", SOIL_FIRST),
        ("Testing the soil comes before the counting of the stock.", SOIL_FIRST),
        ("Get the soil tested before you do the stock count, so the vet knows.", SOIL_FIRST),
        (
            "Two things must be done before the soil test: the stock count and the fence repair.",
            {("<", "stock count", "soil test"), ("<", "repair the fence", "soil test")},
        ),
        (
            "For the soil test we need the stock count and the fence repair beforehand.",
            {("<", "stock count", "soil test"), ("<", "repair the fence", "soil test")},
        ),
        ("Leave the stock count until the soil has been tested.", SOIL_FIRST),
        ("The soil test must not run past 11 am.", {("end_at_most", "soil test", 11)}),
        (
            "Soil test before stock count. The fence can be repaired whenever it suits you.",
            SOIL_FIRST,
        ),
        (
            "Here is the order for today:\n1) soil test\n2) the stock count\n3) repair of the fence",
            {
                ("<", "soil test", "stock count"),
                ("<", "soil test", "repair the fence"),
                ("<", "stock count", "repair the fence"),
            },
        ),
        (
            "Don't count the stock until the soil is tested, not before 19:00.",
            {("<", "soil test", "stock count"), ("start_at_least", "stock count", 19)},
        ),
        ("Hello boss, soil test before stock count. Somebody please also order fresh pipettes.", SOIL_FIRST),
        (
            "Good morning all, the soil test comes before the stock count. Best regards from the barn.",
            SOIL_FIRST,
        ),
        ("Dear crew of the barn,\n\nthe soil is tested before the stock is counted.", SOIL_FIRST),
        ("Test the soil, and after that count the stock.", SOIL_FIRST),
        ("The fence has to be repaired by eight tonight.", {("end_at_most", "repair the fence", 20)}),
        ("The fence has to be repaired by 5 tonight.", {("end_at_most", "repair the fence", 17)}),
        ("No soil test before 14, please.", {("start_at_least", "soil test", 14)}),
        ("Repair the fence by 0900.", {("end_at_most", "repair the fence", 9)}),
    ],
)
def test_what_is_said_in_other_words_is_read(text: str, meaning: set[tuple[str, str, Any]]) -> None:
    assert _read(text, FARM, True) == meaning


@pytest.mark.parametrize(
    "text",
    [
        "Test the soil, count the stock,",
        "Test the soil, then, please,",
        "Brush the cat after it has been fed.",
        "Do the stock count by 3 pm. Then, not before 4 pm, test the soil.",
        "The stock count must be complete by 3 pm. Then, at 4 pm at the earliest, test the soil.",
        "Clean the tank before the soil test, then restart it.",
        "The stock count can wait until the soil test, but not until after the fence repair.",
        "Finish before the soil test.",
        "Clean the fence before the soil test.",
        "Check the fence before the soil test.",
        "Repair the tank before the soil test.",
        "Repair the fence before the soil test. The fence must be painted by 5 pm.",
        "Repair the fence before the soil test. Paint the fence by 5 pm.",
        "Order the fresh pipettes before the soil test. Count the pipettes by 5 pm.",
        "Order the fresh pipettes before the soil test. Use the pipettes after the stock count.",
        "The soil test report is written before the stock count.",
        "Review the soil test before the stock count.",
        "Cancel the soil test before the stock count.",
        "Skip the soil test before the stock count.",
        "The soil is tested twice before the stock is counted.",
        "The soil need not be tested before the stock is counted.",
        "The soil doesn't have to be tested before the stock is counted.",
        "Once the soil has been tested, the stock can be counted.",
        "Taking the soil test before the stock count is fine.",
        "Do the soil test before the stock count, because the fence is repaired first.",
        "Do the soil test before the stock count, so the vet knows if it is needed.",
        "Do the soil test as late as possible, before the stock count.",
        "Do the soil test just before the stock count.",
        "Either test the soil before the stock is counted or repair the fence.",
        "On Mondays: test the soil before the stock is counted.",
        "Optional: test the soil before the stock is counted.",
        "Two things must be done after the soil test: the stock count or the fence repair.",
        "The stock count shouldn't be left for last.",
        "Don't leave the stock count until the soil has been tested.",
        "The soil test starts past 11 am.",
        "Is the soil tested before the stock is counted?",
        "In no particular order: soil test, stock count. Then repair the fence.",
        "Soil test before stock count is fine.",
        "Soil test before stock count is okay too.",
        "Stop the soil test before the stock count.",
        "One of the stock count and the soil test must be done before the fence is repaired.",
        "Write up the soil test before the stock count.",
        "Unless the soil is tested, do the stock count before the fence repair.",
        "The soil is tested before the stock is counted, unless it rains.",
        "If the soil is tested, the stock is counted afterwards.",
        "There is no need to test the soil before the stock is counted.",
        "It is not true that the soil is tested before the stock is counted.",
        "The fence is repaired after the soil test and the stock count as well.",
        "The lab opens at nine, so test the soil then. After that count the stock, if you can.",
        "The soil is tested in the afternoon, then the stock is counted.",
        "Do the stock count with the soil test, then repair the fence.",
        "Test the soil, and if there is time count the stock after that.",
        *(
            f"Count the stock before the soil test, {wrong}"
            for wrong in ("whichever comes first.", "whichever is later.")
        ),
        *(
            f"Count the stock before the soil test, as the {when}."
            for when in ("dog walk ends", "shop opens")
        ),
        *(
            f"As {when}, count the stock before the soil test."
            for when in ("the dog walk ends", "it gets dark")
        ),
        *(
            f"{of}: count the stock before the soil test."
            for of in ("Plan for tomorrow", "Yesterday's plan", "On dry days")
        ),
        "Whichever comes first, count the stock before the soil test.",
        "The stock count does not precede the soil test.",
        "The stock count doesn't come before the soil test.",
        "Don't count the stock before testing the soil, by 5 pm.",
        "Old plan: the soil is tested before the stock is counted.",
        "The soil is tested before the stock is counted. Zork.",
        "The soil is tested before the stock is counted. Opposite crew.",
        "Backwards\n1. soil test\n2. stock count",
        "Monday: soil test before stock count. Tuesday: order fresh pipettes before the fence repair.",
        "Test the soil before counting the stock, and repair the fence.",
        "Test the soil before you count the stock, and please repair the fence.",
        "Test the soil. Count the stock. Then repair the fence.",
        "Test the soil before 14 samples, please.",
        "Test the soil by 14 May.",
        "Test the soil by one tonight.",
        *(
            f"{title}: the soil is tested before the stock is counted."
            for title in ("Myth", "Snow", "Fallback", "Barn crew", "Declined", "Sample text")
        ),
        *(
            f"The soil is tested before the stock is counted. {more}"
            for more in ("Fake news.", "Pending approval.", "Noon is the limit.", "You have till 17.")
        ),
        "The soil is tested before the stock is counted. Please repair the fence in between.",
        "The soil is tested before the stock is counted. Please repair the fence now.",
        "In order to test the soil, count the stock.",
        "2. Test the soil\n1. Count the stock",
        "Step 2: test the soil. Step 1: count the stock.",
        "Don't test the soil between 9 am and 5 pm.",
        "Don't test the soil before 9 am or count the stock before noon.",
        "Don't test the soil before repairing the fence but before counting the stock.",
        "Don't bother testing the soil before counting the stock.",
        "The soil won't be tested by 3 pm.",
        "Test the soil by 8 am and count the stock by then.",
        "Test the soil after 5 pm. Count the stock before then.",
        "Test the soil first but after counting the stock.",
        "Test the soil after everything else but before counting the stock.",
    ],
)
def test_what_is_not_certain_is_refused(text: str) -> None:
    with pytest.raises(ParseFailure):
        read_query(text, make_actions(FARM), timed=True)


YARD = ["paint walls", "sweep floors", "fix lamps"]


@each(
    "text",
    [
        "Paint walls, but before that sweep floors.",
        "Paint walls, and after doing so sweep floors.",
        "Paint walls and sweep floors, and after both fix lamps.",
        "Paint walls after sweeping floors and before that fix lamps.",
        "Paint walls after sweeping floors and fix lamps.",
    ],
)
def test_a_command_of_its_own_is_in_no_clause_before_it(text: str) -> None:
    """Names without an article: "that sweep floors" is no name, and "fix lamps" is asked for by itself."""
    with pytest.raises(ParseFailure):
        read_query(text, make_actions(YARD))


def test_a_short_name_of_two_actions_is_refused() -> None:
    names = ["stamp the certificate", "tax certificate mailing", "lunch"]
    text = "Stamp the certificate, then do the tax certificate mailing. The certificate must be done by 5 pm."
    with pytest.raises(ParseFailure):
        read_query(text, make_actions(names), timed=True)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("inspection", "inspect", True),
        ("files", "filing", True),
        ("notified", "notify", True),
        ("conversion", "convert", True),
        ("swept", "sweep", True),
        ("rebuild", "build", False),
        ("station", "statistics", False),
        ("contact", "contract", False),
    ],
)
def test_forms_of_one_word(one: str, other: str, same: bool) -> None:
    assert kin(one, other) == kin(other, one) == same


@pytest.mark.parametrize(
    "text",
    [
        "Before the soil test, repair the fence and clean the milk tank before the stock count.",
        "Could you please repair the fence and clean the milk tank before somebody tests the soil?",
        "Do the stock count before the soil test after somebody repairs the fence.",
        "The soil gets tested, and then somebody has to repair the fence and clean the milk tank.",
        "Test the soil before counting the stock, by 5 pm.",
        "The soil test precedes the stock count, not before 19:00.",
        "Test the soil before counting the stock and repairing the fence, no later than noon.",
        "Somebody should test the soil before the stock is counted (by 5 pm).",
    ],
)
def test_two_meanings_are_shown(text: str) -> None:
    with pytest.raises(ParseFailure) as caught:
        read_query(text, make_actions(FARM), timed=True)
    readings = caught.value.errors[0].readings
    assert len({_read(one, FARM, True) for one in readings}) == 2


def test_a_joined_text_is_read_as_a_whole_or_not_at_all() -> None:
    text = "Not before 11 am: the soil test. When that's through, count the stock and repair the fence in any order."
    try:
        found = _read(text, FARM, True)
    except ParseFailure:
        return
    assert found == {
        ("start_at_least", "soil test", 11),
        ("<", "soil test", "stock count"),
        ("<", "soil test", "repair the fence"),
    }


@pytest.mark.parametrize(
    "behind",
    [
        "When that's through, count the stock and repair the fence in whichever order.",
        "When that is done, count the stock and repair the fence in any order.",
        "Following that, count the stock and repair the fence in any order.",
    ],
)
def test_a_free_order_behind_an_action_is_behind_it(behind: str) -> None:
    after = {("<", "soil test", "stock count"), ("<", "soil test", "repair the fence")}
    text = f"The soil test happens after 11 am. {behind}"
    assert _read(text, FARM, True) == after | {("start_at_least", "soil test", 11)}


@pytest.mark.parametrize("when", ["whenever you like", "at any time", "anytime"])
def test_what_is_free_is_not_in_the_list_before_it(when: str) -> None:
    text = f"Repair the fence only after the soil test, and the stock count {when}."
    assert _read(text, FARM, True) == {("<", "soil test", "repair the fence")}


def test_the_hours_of_a_suggestion_are_about_the_action_before_them() -> None:
    text = "Zork off the audit, and the stock count can't go out until the soil test is over, by 5 pm."
    with pytest.raises(ParseFailure, match='write "Stock count happens before 5 pm'):
        read_query(text, make_actions(FARM), timed=True)


def test_a_word_that_is_not_known_is_named() -> None:
    text = "Please zork the soil test and the stock count before somebody gets to the fence repair."
    with pytest.raises(ParseFailure) as caught:
        read_query(text, make_actions(FARM), timed=True)
    (error,) = caught.value.errors
    assert error.message.startswith('"zork" is not known')
    assert 'without "zork" it says "' in error.message
    (plain,) = error.suggestions
    assert plain in error.message
    assert _read(plain, FARM, True) == {
        ("<", "soil test", "repair the fence"),
        ("<", "stock count", "repair the fence"),
    }


_SAID = {
    "soil test": ("the soil test", "testing the soil", "the soil is tested", "test the soil"),
    "stock count": ("the stock count", "counting the stock", "the stock is counted", "count the stock"),
    "repair the fence": (
        "the fence repair",
        "repairing the fence",
        "the fence is repaired",
        "repair the fence",
    ),
    "clean the milk tank": (
        "the milk tank cleaning",
        "cleaning the milk tank",
        "the milk tank is cleaned",
        "clean the milk tank",
    ),
}
"""Each action as a noun, with -ing, in the passive and as what is to be done."""
_ORDERS = (
    "Please make sure that {A2} before {B2}.",
    "Somebody has to see to {A0} before {B0}.",
    "Before somebody gets round to {B1}, {A0} should be over, shouldn't it",
    "Only once {A2} may anybody turn to {B0}.",
    "We go on to {B0} after {A0}.",
    "I want {A0} to be over and done with before {B0}.",
    "Hold off with {B0} until {A2}, please.",
    "{B0} has to wait until {A2}, as the vet is busy.",
    "There is {A0}; once that is done, {B3}.",
    "With {A0} finished, {B3}.",
    "By the way, {A2} ahead of {B0}, thanks a lot.",
    "{A0} comes before {B0}, or people will get angry.",
    "It is important that {B2} only after {A0}.",
    "Let us do {A0} and only then {B0}.",
)
_SETS = (
    ("Before {C1}, somebody should {A3} and {B3}, in whichever order you like.", "AC BC"),
    ("{A0}, {B0} and {C0}, strictly one after the other, please.", "AB BC"),
    ("Kindly {A3}, then turn to {B0}, and {C0} after that.", "AB BC"),
    ("{C0} has to wait for two things: {A0} and {B0}.", "AC BC"),
    ("{A0} comes before two things: {B0} and {C0}.", "AB AC"),
    ("Once {A2} and {B2}, somebody may not put off {C0}.", "AC BC"),
    ("After {A0} let us do {B0} before {C0}.", "AB BC"),
    ("The order of the day is: {A0}, {B0}, {C0}.", "AB BC"),
    ("Let us start with {A0}; {B0} and {C0} follow after that, in any order.", "AB AC AD"),
    ("Somebody should {A3} before {B0} but after {C0}.", "AB CA"),
)
_HOURS = (
    ("Somebody should be done with {A0} by 5 pm at the latest.", ("end_at_most", 17)),
    ("Nobody is to start {A1} before 9 am.", ("start_at_least", 9)),
    ("{A0} may not go on past six o'clock in the evening.", ("end_at_most", 18)),
    ("Please have {A0} over with by 17:00.", ("end_at_most", 17)),
)
_TRAPS = (
    "If {A2}, {B3} after that.",
    "Unless {A2}, somebody should {B3} before {C0}.",
    "There is no need to see to {A0} before {B0}.",
    "Somebody doesn't have to do {A0} before {B0}.",
    "Doing {A0} before {B0} is fine with me.",
    "I'd rather not do {A0} before {B0}, but somebody may.",
    "Somebody could do {A0} before {B0}.",
    "Does somebody do {A0} before {B0}?",
    "Either {A0} or {B0} comes before {C0}.",
    "{A0} twice before {B0}, please.",
    "{A0} right before {B0}, please.",
    "Perhaps do {A0} before {B0}.",
    "Forget {A0} before {B0}.",
    "On Monday do {A0} before {B0}.",
    "{A0} before {B0} unless somebody objects.",
    "Some of {A0} comes before {B0}.",
    "Half of {A0} should be done before {B0}.",
    "Nobody said that {A0} comes before {B0}.",
    "Never mind {A0} before {B0}.",
    "Do {A0} instead of {B0} before {C0}.",
)


def _told(template: str, names: list[str]) -> str:
    """The template with its actions, each in the form whose number stands there."""
    text = template
    for letter, name in zip("ABCD", names, strict=True):
        for k, form in enumerate(_SAID[name]):
            text = text.replace(f"{{{letter}{k}}}", form)
    return text[0].upper() + text[1:]


def _allowed(found: Meaning, names: list[str]) -> tuple[object, object]:
    """The orders of all actions that a meaning allows, by trying each, and its hours."""
    pairs = [(a, b) for kind, a, b in found if kind == "<"]
    orders = [row for row in permutations(names) if all(row.index(a) < row.index(b) for a, b in pairs)]
    return orders, {one for one in found if one[0] != "<"}


@pytest.mark.parametrize("times", [1, *nightly(40)])
def test_what_templates_say_is_read_or_refused(times: int) -> None:
    """Random sets of constraints, said in random ways one after the other: no other order is ever allowed."""
    draw = Random(4)
    known = list(_SAID)
    read = every = 0
    for _ in range(times):
        for template, pairs in (*((one, "AB") for one in _ORDERS), *_SETS):
            names = draw.sample(known, 4)
            called = dict(zip("ABCD", names, strict=True))
            orders = {(called[a], called[b]) for a, b in pairs.split()}
            hours, texts = set(), [_told(template, names)]
            if draw.random() < 0.5:
                behind, (kind, hour) = draw.choice(_HOURS)
                who = draw.sample(known, 4)
                texts.append(_told(behind, who))
                hours = {(kind, who[0], hour)}
                draw.shuffle(texts)
            every += 1
            try:
                found = _read(" ".join(texts), known, True)
            except ParseFailure:
                continue
            read += 1
            assert _allowed(found, known) == _allowed(_meaning(orders, hours), known), texts
    assert read * 10 > every * 7, (read, every)


@pytest.mark.parametrize("times", [1, *nightly(20)])
def test_traps_are_refused(times: int) -> None:
    draw = Random(5)
    for _ in range(times):
        for template in _TRAPS:
            names = draw.sample(list(_SAID), 4)
            text = _told(template, names)
            with pytest.raises(ParseFailure):
                raise AssertionError(text, _read(text, list(_SAID), True))


def test_the_skeleton_alone_reads_no_text_as_another() -> None:
    """Of the texts that the other readers take, which have doubts of their own, none may be misread."""
    for name, every in (("queries", rounds(9, 3)), ("people", rounds(12, 4)), ("developers", rounds(18, 6))):
        for row in rows(name)[::every]:
            reader = Skeletons(Names(make_actions(row["actions"])), row["timed"])
            try:
                ways = reader.read(row["text"])
            except Unread:
                continue
            if len(ways) == 1 and _outcome(row) == "both":
                raise AssertionError(row["text"])


def test_long_texts_take_little_time() -> None:
    """A text of the longest length whose every word may be one of order."""
    reader = Skeletons(Names(make_actions(FARM)), timed=True)
    for part in ("the soil test, ", "then the soil test and the stock count ", "after that in any order "):
        text = (part * LONGEST)[:LONGEST]
        start = time.process_time()
        with suppress(Unread):
            reader.read(text)
        assert time.process_time() - start < 2
    assert reader.read("soil test before stock count. " * LONGEST) == []


def test_a_name_of_many_is_tried_only_where_it_may_begin() -> None:
    """As in a query of 1,000 steps, where every name was tried at each of 10,000 words: 20 s."""
    some = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty")
    names = [f"{one} {other} {last}" for one in some for other in some for last in ("check", "survey")]
    reader = Skeletons(Names(make_actions(names)), timed=False)
    start = time.process_time()
    for one, other in pairwise(names):
        with suppress(Unread):
            reader.read(f"{one} has to be over, and soon, before {other} begins.")
    assert time.process_time() - start < 1


def test_a_query_without_actions_is_refused() -> None:
    with pytest.raises(ParseFailure):
        read_query("Beta happens before alpha.", ())
