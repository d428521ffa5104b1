"""What people write besides: accepted where it has one meaning, and refused with both where it has two."""

from __future__ import annotations

import pytest

from planscope.language.reading import ActionNameError
from tests.language.support import error, read, said


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("A precedes b.", ["a1 < a2"]),
        ("a precedes b", ["a1 < a2"]),
        ("  a\n  PRECEDES\tB  .  ", ["a1 < a2"]),
        ("The a precedes the b.", ["a1 < a2"]),
        ("`a` precedes the `b`.", ["a1 < a2"]),
        ("a precede b.", ["a1 < a2"]),
        ("a and b precedes c.", ["a1 < a3", "a2 < a3"]),
        ("a, which precede b, follows c.", ["a1 < a2", "a1 > a3"]),
        ("Before b a happens.", ["a1 < a2"]),
        ("Before b happens a occurs.", ["a1 < a2"]),
        ("a, b precede c.", ["a1 < a3", "a2 < a3"]),
        ("a, b, and c precede d.", ["a1 < a4", "a2 < a4", "a3 < a4"]),
        ("a precedes b, c, and d.", ["a1 < a2", "a1 < a3", "a1 < a4"]),
        ("a precedes b and c and d.", ["a1 < a2", "a1 < a3", "a1 < a4"]),
        ("a and b and c and d and e precede f.", [f"a{i} < a6" for i in range(1, 6)]),
        ("f follows a and b and c and d and e and f.", [f"a6 > a{i}" for i in range(1, 7)]),
        ("a which precedes b follows c.", ["a1 < a2", "a1 > a3"]),
        ("a, which precedes b follows c.", ["a1 < a2", "a1 > a3"]),
        ("a which precedes b, follows c.", ["a1 < a2", "a1 > a3"]),
        ("a follows b which precedes c.", ["a1 > a2", "a2 < a3"]),
        ("a precedes b and c follows d.", ["a1 < a2", "a3 > a4"]),
        ("a precedes b while c follows d.", ["a1 < a2", "a3 > a4"]),
        ("a precedes b; and c follows d.", ["a1 < a2", "a3 > a4"]),
        ("a happens before b and c occurs after d.", ["a1 < a2", "a3 > a4"]),
        ("a must come before b. b shall be executed after c.", ["a1 < a2", "a2 > a3"]),
        ("a has to be preceded by b.", ["a1 > a2"]),
        ("a is before b.", ["a1 < a2"]),
        ("a happens behind b. a happens in front of b.", ["a1 > a2", "a1 < a2"]),
        ("A precedes a.", ["a1 < a1"]),
        ("a precedes b. b precedes a.", ["a1 < a2", "a2 < a1"]),
        ("a precedes b.c precedes d.", ["a1 < a2", "a3 < a4"]),
    ],
)
def test_accepted(text: str, formulas: list[str]) -> None:
    assert said(text) == formulas


def test_tools_and_names() -> None:
    names = ("network diagnosis", "network status check", "follow up meeting")
    assert said("network_diagnosis precedes `network_status_check`.", names) == ["a1 < a2"]
    assert said("The network_diagnosis precedes the `Network status check`.", names) == ["a1 < a2"]
    assert said("Follow up meeting follows network diagnosis.", names) == ["a3 > a1"]
    assert said("Network\u00a0diagnosis precedes\r\nfollow   up meeting.", names) == ["a1 < a3"]


def test_the_longest_name_wins() -> None:
    names = ("network", "network check", "network check review", "check")
    assert said("Network check review precedes network check.", names) == ["a3 < a2"]
    assert said("Network, check and network check precede network check review.", names) == [
        "a1 < a3",
        "a4 < a3",
        "a2 < a3",
    ]


def test_a_phrase_does_not_cut_into_a_name() -> None:
    names = ("the time when lights go out", "a", "that review", "to do list")
    assert said("a happens before the time when lights go out.", names) == ["a2 < a1"]
    assert said("a happens before the time when that review occurs.", names) == ["a2 < a3"]
    assert said("a happens after that review.", names) == ["a2 > a3"]
    assert said("a happens prior to to do list.", names) == ["a2 < a4"]


@pytest.mark.parametrize(
    "names",
    [
        ("v1.2 release", "Dr. Li's talk", "e.g.", "x"),
        ("C++ build", "(draft) review", "a/b test", "x"),
        ("50% off: sale", "Q&A, part 2", "überprüfung", "x"),
    ],
)
def test_any_name(names: tuple[str, ...]) -> None:
    one, two, three, four = names
    text = f"{one} precedes {two}. {three} and {one} follow {four}. Before {two}, {three} happens."
    assert said(text, names) == ["a1 < a2", "a3 > a4", "a1 > a4", "a3 < a2"]


def test_names_are_compared_without_accents_of_encoding() -> None:
    assert said("cafe\u0301 visit precedes client\u2019s call.", ("caf\u00e9 visit", "client's call")) == [
        "a1 < a2"
    ]


@pytest.mark.parametrize(
    "names",
    [("a", "A"), ("network check", "Network  Check"), ("a", ""), ("a", "  "), ("Stra\u00dfe", "STRASSE")],
)
def test_names_that_cannot_be_told_apart(names: tuple[str, ...]) -> None:
    with pytest.raises(ActionNameError):
        read("a precedes a.", names)


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        (
            "a and b, which precedes c, follow d.",
            ("A and b, which precede c, follow d.", "A and b follow d. B precedes c."),
        ),
        (
            "d follows a and b, which precedes c.",
            ("D follows a and b, which precede c.", "D follows a and b. B precedes c."),
        ),
        (
            "d follows a and b which happens before c; e follows f.",
            (
                "D follows a and b, which happen before c; e follows f.",
                "D follows a and b; e follows f. B happens before c.",
            ),
        ),
        ("Before a, b, c happen.", ("Before a and b, c happens.", "Before a, b and c happen.")),
        (
            "a precedes b and c and d follow e.",
            ("A precedes b, and c and d follow e.", "A precedes b and c, and d follows e."),
        ),
        (
            "a, which precedes b and c precede d.",
            ("A, which precedes b and c, precedes d.", "A and c precede d. A precedes b."),
        ),
    ],
)
def test_two_meanings_are_shown(text: str, readings: tuple[str, str]) -> None:
    found = error(text)
    assert set(found.readings) == set(readings)
    for words in found.readings:
        assert words in found.message
        read(words)
    assert read(readings[0]).problem.said != read(readings[1]).problem.said


def test_what_is_said_of_the_whole_list() -> None:
    assert said("a and b, which precede c, follow d.") == ["a1 < a3", "a2 < a3", "a1 > a4", "a2 > a4"]


def test_a_duration_of_one_hour_where_none_is_given() -> None:
    assert [action.duration for action in read("a precedes b.", timed=True).problem.actions] == [1] * 6
    assert [action.duration for action in read("a precedes b.").problem.actions] == [None] * 6


def test_unchanged_sentences_keep_their_meaning_where_they_move() -> None:
    one = "a precedes b. c follows d."
    other = "e precedes f, and b follows a.  a precedes b. c follows d."
    first, second = read(one), read(other)
    assert [c.text for c in second.problem.said[2:]] == [c.text for c in first.problem.said]
    for c in second.problem.said:
        subject, _, target = (other[start:end] for start, end in c.spans)
        assert [subject, target] == [
            {"a1": "a", "a2": "b", "a3": "c", "a4": "d", "a5": "e", "a6": "f"}[i]
            for i in (c.text.split()[0], c.text.split()[2])
        ]
