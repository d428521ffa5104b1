"""What cannot be read is located, and told in words that help."""

from __future__ import annotations

import json
import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.language.errors import ParseFailure
from planscope.language.problem import Action, make_actions
from planscope.language.reading import read_query
from planscope.language.render import render
from planscope.language.scan import load_hints
from planscope.language.tree import Query
from tests import nightly
from tests.language.support import error, errors, said
from tests.language.trees import queries
from tests.nightly import examples

NET = ("network diagnosis", "network status check", "first aid check", "after hours call")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a immediately precedes b.", "immediately"),
        ("a should immediately follow b.", "immediately"),
        ("a happens immediately after b.", "immediately after"),
        ("a happens right before b.", "right before"),
        ("a happens between b and c.", "between"),
        ("a or b precedes c.", "or"),
        ("a precedes b or c.", "or"),
        ("Either a or b precedes c.", "Either"),
        ("a precedes b unless c precedes d.", "unless"),
        ("a happens when b happens.", "when"),
        ("a happens during b.", "during"),
        ("a may precede b.", "may"),
        ("It precedes b.", "It"),
        ("Then a precedes b.", "Then"),
        ("a happens at b.", "at"),
        ("a precedes b?", "?"),
        ("a > b.", ">"),
        ("a that precedes b follows c.", "that"),
    ],
)
def test_words_that_are_not_supported(text: str, found: str) -> None:
    wrong = error(text)
    assert (wrong.found, wrong.column) == (found, text.index(found) + 1)
    hints = load_hints()
    assert hints[found.lower()].say in wrong.message
    assert wrong.message.startswith(f'"{found}" is not supported')


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a happens at 15:00.", "at"),
        ("a happens before 15:30.", "15:30"),
        ("a happens before 3:30 pm.", "3:30 pm"),
        ("a happens before 13 pm.", "13 pm"),
        ("a happens before 25:00.", "25:00"),
        ("a happens before 015:00.", "015:00"),
        ("a happens before 15:00:00.", "15:00:00"),
        ("15:00 precedes a.", "15:00"),
        ("Before 15:00a, b happens.", "15"),
        ("a happens before 15:00 occurs.", "occurs"),
        ("a happens before 15:00, which precedes b.", "which"),
        ("a precedes b and 15:00.", "15:00"),
    ],
)
def test_clock_times(text: str, found: str) -> None:
    assert error(text, timed=True).found == found


@pytest.mark.parametrize("hour", ["0:00", "00:00", "9:00", "09:00", "15:00", "24:00"])
def test_whole_hours(hour: str) -> None:
    number = int(hour.split(":")[0])
    assert said(f"a happens before {hour}. After {hour}, a happens.", timed=True) == [
        f"a1.end <= {number}",
        f"a1.start >= {number}",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a before 15:00.",
        "a happens before 15:00.",
        "Before 9:00, a happens.",
        "a, which follows 15:00, precedes b.",
    ],
)
def test_clock_times_belong_to_timed_queries(text: str) -> None:
    wrong = error(text)
    assert re.fullmatch(r"\d+:00", wrong.found)
    assert "timed" in wrong.message
    assert not any("clock" in words for words in wrong.expected)


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ("a precedes.", ".", "an action"),
        ("a precedes", "", "an action"),
        ("a.", ".", 'a verb such as "precedes"'),
        ("precedes b.", "precedes", "an action"),
        ("a precedes b c.", "c", "a period"),
        ("a happens b.", "b", 'a word such as "before" or "after"'),
        ("a happens before b occurs c.", "c", "a period"),
        ("a, precedes b.", "precedes", "an action"),
        ("a, which precedes b, which follows c, precedes d.", "which", 'a verb such as "precedes"'),
        ("a precedes b,.", ".", "an action"),
        (". a precedes b.", ".", "an action"),
        ("a precedes b, and c precedes d, and e precedes f.", "and", "a period"),
        ("a precedes b; c precedes d; e precedes f.", ";", "a period"),
    ],
)
def test_what_was_expected(text: str, found: str, expected: str) -> None:
    wrong = error(text)
    assert wrong.found == found
    assert expected in wrong.expected


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Network diagnosis precedes netwrok status chek.", "network status check"),
        ("Netwrok diagnosis precedes network status check.", "network diagnosis"),
        ("Network diagnosis precedes the netwrk status check.", "network status check"),
        ("Network diagnosis precedes first aid chek.", "first aid check"),
        ("Aftr hours call precedes network diagnosis.", "after hours call"),
        ("Network diagnosis precedes `network_status_chek`.", "network_status_check"),
        ("network_diagnoss precedes network status check.", "network_diagnosis"),
        ("Network diagnosis preceeds network status check.", "precedes"),
        ("Network diagnosis hapens before network status check.", "happens"),
        ("Network diagnosis should preceed network status check.", "should precede"),
        ("Network diagnosis comes network status check.", "comes before"),
    ],
)
def test_what_may_have_been_meant(text: str, meant: str) -> None:
    assert f'"{meant}"' in error(text, NET).message


RUNS = (
    "a",
    "email triage",
    "network diagnosis",
    "network status check",
    "alpha run",
    "run analysis",
    "day trip",
)


@pytest.mark.parametrize(
    ("text", "found", "meant"),
    [
        # A word of a longer name.
        ("A precedes email.", "email", '"email triage"'),
        ("Diagnosis precedes a.", "Diagnosis", '"network diagnosis"'),
        ("A precedes the diagnosis.", "the diagnosis", '"network diagnosis"'),
        ("A precedes `diagnosis`.", "`diagnosis`", '"network diagnosis"'),
        ("Before email, a happens.", "email", '"email triage"'),
        ("A, email and alpha run precede day trip.", "email", '"email triage"'),
        ("A precedes network.", "network", '"network diagnosis" or "network status check"'),
        ("A precedes day.", "day", '"day trip"'),
        # A word of a longer name, with a mistake, or with a word that is not in it.
        ("A precedes emal.", "emal", '"email triage"'),
        ("A precedes triage by email.", "triage by email", '"email triage"'),
        # A name with a word in it that is a verb by itself.
        ("Alfa run precedes a.", "Alfa", '"alpha run"'),
        ("After alfa run happens, a happens.", "alfa", '"alpha run"'),
        ("A precedes run anlysis.", "run", '"run analysis"'),
    ],
)
def test_the_nearest_names_of_an_unknown_action(text: str, found: str, meant: str) -> None:
    wrong = error(text, RUNS)
    assert wrong.found == found
    assert wrong.message.endswith(f"did you mean {meant}?")


@pytest.mark.parametrize("text", ["A precedes zork.", "Zork precedes a.", "A precedes both day trip."])
def test_names_that_are_not_near_are_not_told(text: str) -> None:
    assert "did you mean" not in error(text, RUNS).message


def test_every_broken_sentence_is_told_once() -> None:
    text = "a precedes b.\nb preceeds c. c follows d.\n\n  d follows zork, and a a.\ne precedes"
    found = errors(text)
    assert [(e.line, e.column, e.found) for e in found] == [
        (2, 3, "preceeds"),
        (4, 13, "zork"),
        (5, 11, ""),
    ]
    assert "line 2, column 3" in str(ParseFailure(found))


def test_columns_count_code_points() -> None:
    text = "\U0001f600 precedes b."
    assert error("a precedes b.\n" + text).line == 2
    assert error(text).column == 1
    assert error("a precedes \U0001f600\U0001f600 \u00e4.").span == (11, 15)


@pytest.mark.parametrize("text", ["", " ", "\n\t\u00a0 "])
def test_no_text(text: str) -> None:
    (found,) = errors(text)
    assert (found.line, found.column, found.expected) == (1, 1, ("a sentence",))


def test_messages_are_one_line_without_invisible_characters() -> None:
    for text in (
        "a precedes \u200b\u202e.",
        "a precedes x\ny\nz.",
        "a \x1b[31m b.",
        "a precedes " + "x" * 500,
    ):
        for found in errors(text):
            assert found.message.isprintable()
            assert len(found.message) < 400
            json.dumps([found.found, found.expected, found.message])


def _damage(text: str, rng: Random, times: int) -> str:
    words = re.findall(r"\s+|\w+|[^\w\s]", text)
    pool = [
        *words,
        "not",
        "at",
        ",",
        ".",
        "15:00",
        "and",
        "which",
        "`",
        "zork",
        "before",
        "which precedes",
        "",
    ]
    for _ in range(times):
        at = rng.randrange(len(words))
        match rng.randrange(5):
            case 0:
                del words[at]
            case 1:
                words.insert(at, " " + rng.choice(pool) + " ")
            case 2:
                other = rng.randrange(len(words))
                words[at], words[other] = words[other], words[at]
            case 3:
                words[at] = words[at][1:]
            case _:
                words[at] = rng.choice(pool)
        words = words or ["."]
    return "".join(words)


@settings(max_examples=examples(100) if nightly.WANTED else 10)
@given(queries(), st.integers(0, 2**32), st.integers(1, 5))
def test_damaged_texts_are_read_or_told(
    case: tuple[Query, tuple[Action, ...], bool], seed: int, times: int
) -> None:
    tree, actions, timed = case
    text = _damage(render(tree, actions).text, Random(seed), times)
    try:
        reading = read_query(text, actions, timed=timed)
    except ParseFailure as failure:
        assert failure.errors
        for wrong in failure.errors:
            start, end = wrong.span
            assert 0 <= start <= end <= len(text)
            assert wrong.line == text.count("\n", 0, start) + 1
            assert wrong.column == start - text.rfind("\n", 0, start)
            assert wrong.message and wrong.expected
        return
    for c in reading.problem.said:
        assert all(0 <= start < end <= len(text) for start, end in c.spans)
    # What was read has the meaning of the text that is written for it.
    again = read_query(render(reading.tree, actions).text, actions, timed=timed)
    assert [c.text for c in again.problem.said] == [c.text for c in reading.problem.said]


@settings(deadline=None)
@given(st.text(max_size=80), st.booleans())
def test_any_text(text: str, timed: bool) -> None:
    try:
        read_query(text, make_actions(["a", "b", text[:10] + "x"]), timed=timed)
    except ParseFailure as failure:
        assert failure.errors
