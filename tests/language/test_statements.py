"""What a reading tells a reader of rules: the orders, chains, places, and sentences that mean more of calls."""

from __future__ import annotations

import pytest

from tests.language.support import read


def _told(text: str) -> list[tuple[str, str, str, str]]:
    reading = read(text)
    names = {action.id: action.name for action in reading.problem.actions}
    return [
        (
            statement.kind,
            " ".join(f"{names[one]}<{other}" for one, other in ((a, names[b]) for a, b in statement.orders)),
            statement.place,
            statement.doubt,
        )
        for statement in reading.statements
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("A precedes b.", [("order", "a<b", "", "")]),
        ("B happens after a.", [("order", "a<b", "", "")]),
        ("Before b, a happens.", [("order", "a<b", "", "")]),
        ("A is followed by b.", [("order", "a<b", "", "response")]),
        ("A must be succeeded by b and c.", [("order", "a<b a<c", "", "response")]),
        ("After a, b happens.", [("order", "a<b", "", "response")]),
        ("Once a happens, b happens.", [("order", "a<b", "", "response")]),
        ("Once a is done, do b.", [("order", "a<b", "", "response")]),
        ("Until a is done, don't do b.", [("order", "a<b", "", "")]),
        ("Before a, don't do b.", [("order", "a<b", "", "")]),
        ("After b, don't do a.", [("order", "a<b", "", "none_after")]),
        ("Never do a after b.", [("order", "a<b", "", "none_after")]),
        ("Never do b before a.", [("order", "a<b", "", "")]),
        ("When a is done, do b.", [("order", "a<b", "", "response")]),
        ("Having done a, do b.", [("order", "a<b", "", "response")]),
        ("Only after a may you do b.", [("order", "a<b", "", "")]),
        ("Only when a is done may you do b.", [("order", "a<b", "", "")]),
        ("A must not follow b.", [("order", "a<b", "", "none_after")]),
        ("B must not precede a.", [("order", "a<b", "", "")]),
        ("No b without a.", [("order", "a<b", "", "")]),
        ("B must wait for a.", [("order", "a<b", "", "")]),
        ("Do b, but only after a.", [("order", "a<b", "", "")]),
        (
            "A, which is followed by b, precedes c.",
            [("order", "a<c", "", ""), ("order", "a<b", "", "response")],
        ),
        ("A is followed by b and precedes c.", [("order", "a<b", "", "response"), ("order", "a<c", "", "")]),
        ("First a, then b and c, then d.", [("chain", "a<b a<c b<d c<d", "", "")]),
        ("A precedes b; c must wait for d.", [("order", "a<b", "", ""), ("order", "d<c", "", "")]),
    ],
)
def test_orders(text: str, told: list[tuple[str, str, str, str]]) -> None:
    assert _told(text) == told


@pytest.mark.parametrize(
    ("text", "place", "doubt"),
    [
        ("C comes first.", "first", ""),
        ("Do c last.", "last", ""),
        ("Start with c.", "first", "start"),
        ("End with c.", "last", "end"),
        ("The first step is c.", "first", "start"),
        ("Do c at the very end.", "last", ""),
        ("Everything else comes after c.", "first", ""),
        ("Nothing else may happen after c.", "last", ""),
        ("C is the first step.", "first", ""),
    ],
)
def test_places(text: str, place: str, doubt: str) -> None:
    (told,) = read(text).statements
    assert (told.kind, told.about, told.place, told.doubt) == ("place", ("a3",), place, doubt)
    assert len(told.orders) == 5
    (alone,) = read(text, ("c",)).statements
    assert (alone.orders, alone.about, alone.doubt) == ((), ("a1",), doubt)


def test_hours_are_left_out() -> None:
    (told,) = read("A happens after 10:00 and before b.", timed=True).statements
    assert told.orders == (("a1", "a2"),)
