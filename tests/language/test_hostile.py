"""Texts that were made to break a reader: each is read or refused, and soon."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.language.errors import ParseFailure
from planscope.language.grammar import MAX_UNITS, sentence_patterns
from planscope.language.problem import make_actions
from planscope.language.reading import MAX_ERRORS, MAX_TEXT, read_query
from planscope.language.scan import MAX_TOKENS, Token
from planscope.language.sentence import fold
from tests.language.support import LETTERS, errors, said
from tests.nightly import nightly

DOTTED = ("a", "b", "c", "v1.2", "Dr. Li", "f")


LONG = (
    "a" * 1_000_000,
    "a, " * 300_000,
    "a precedes " * 90_000,
    "a which precedes " * 500 + "b.",
    "a happens before " * 500 + "b.",
    "," * 10_000 + ".",
    "`" * 100_000,
    "the " * 100_000,
    "before a, b and c, " * 200 + "a happens.",
    "a and " * 20_000 + "b precede c.",
    ", and " * 10_000,
    "15:00 " * 10_000,
    "\u0301" * 100_000,
    "a precedes b" + " " * 500_000 + ".x",
    "a b " * 20_000 + "precede c.",
    '"x": [{"y": 1}, ' * 400,
    "a b, and c, d and " * 24 + "e precede f; " + "a b, and c, d and " * 4 + "e precede f, and",
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        *((text, LETTERS) for text in LONG),
        *((text, DOTTED) for text in LONG[1:5]),
        *nightly(*((text, DOTTED) for text in (LONG[0], *LONG[5:]))),
    ],
    ids=lambda value: value[:16] if isinstance(value, str) else value[0],
)
def test_long_texts(text: str, names: tuple[str, ...]) -> None:
    found = errors(text, names, timed=True)
    assert len(found) == 1 and len(found[0].message) < 500


@pytest.mark.parametrize("text", [". " * 400_000, "zork precedes b. " * 50_000, "....." * 100_000])
def test_many_broken_sentences(text: str) -> None:
    assert len(errors(text)) == MAX_ERRORS


def test_too_long_a_text() -> None:
    (found,) = errors("a precedes b. " * (MAX_TEXT // 14 + 1))
    assert "longer" in found.message


def test_many_readings_at_once() -> None:
    one = "before " + "a, b and c, d, " * 4 + "a happens"
    (found,) = errors(f"{one}, while {one}.")
    assert "two ways" in found.message


@pytest.mark.parametrize("end", ["happen.", "happen zork.", "precede a, before " + "a b " * 20])
def test_many_commas_left_out(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any of them could be the one between two lists, which takes long; but so many are never accepted."""

    def only_strictly(types: object, numbers: object = (), grammar: str = "unsaid") -> object:
        assert grammar == "grammar"
        return sentence_patterns(types, numbers, grammar)

    monkeypatch.setattr("planscope.language.sentence.sentence_patterns", only_strictly)
    (found,) = errors("before " + "a b " * 25 + end)
    assert found.found == "b"


def test_long_lists_are_no_trouble() -> None:
    actions = make_actions([f"task {chr(97 + i)}{chr(97 + j)}" for i in range(12) for j in range(10)])
    names = [action.name for action in actions]
    text = f"{', '.join(names[:-2])} and {names[-2]} precede {names[-1]}."
    assert len(read_query(text, actions).problem.said) == len(names) - 1
    text = (
        f"Before {', '.join(names[:60])} and {names[60]}, {', '.join(names[61:-1])} and {names[-1]} happen."
    )
    assert len(read_query(text, actions).problem.said) == 61 * (len(names) - 61)
    text = (
        f"Before {', '.join(names[:60])}, and {names[60]}, {', '.join(names[61:-1])}, and {names[-1]} happen."
    )
    assert len(read_query(text, actions).problem.said) == 61 * (len(names) - 61)
    text = f"Before {', '.join(names[:-1])}, and {names[-1]} happen."
    assert len(read_query(text, actions).problem.said) == len(names) - 1


def test_a_long_list_without_and_can_part_anywhere() -> None:
    actions = make_actions([f"task {chr(97 + i)}" for i in range(20)])
    names = [action.name for action in actions]
    with pytest.raises(ParseFailure, match="two ways"):
        read_query(f"Before {', '.join(names)} happen.", actions)
    assert len(read_query(f"{', '.join(names[:-1])} precede {names[-1]}.", actions).problem.said) == 19


def test_limits_leave_room_for_what_can_be_written() -> None:
    """Two clauses with four lists of forty actions each."""
    letters = ", ".join(["a"] * 39) + " and a"
    clause = f"{letters}, which precede {letters}, precede {letters}, which follow {letters}"
    assert len(said(f"{clause}, and {clause}.")) == 2 * 3 * 40 * 40
    assert MAX_TOKENS > 4 * 2 * 80
    assert fold([], strict=True).units == [] and MAX_UNITS > 60


@given(
    st.lists(st.sampled_from(["ACTION", "ACTION", "COMMA", "COMMA", "AND", "P"]), max_size=24), st.booleans()
)
def test_folding_keeps_every_place(types: list[str], strict: bool) -> None:
    tokens = [Token(kind, place, place + 1) for place, kind in enumerate(types)]
    folded = fold(tokens, strict=strict)
    assert folded.places == [unit[0].start for unit in folded.units]
    kept = [token for unit in folded.units for token in unit]
    assert kept == [token for token in tokens if token in kept]
    gone = [token.start for token in tokens if token not in kept]
    assert all(types[place - 1 : place + 2] == ["ACTION", "COMMA", "ACTION"] for place in gone)
    assert all({token.type for token in unit} == {"ACTION"} for unit in folded.units if len(unit) > 1)


@pytest.mark.parametrize(
    ("text", "strict", "lenient"),
    [
        ("a,b&c", [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]),
        ("a,b,c&d", [1, 1, 2, 1, 1], [1] * 7),
        ("a,b,c,d&e", [1, 1, 3, 1, 1], [1] * 9),
        ("a,b,c,&d", [1, 1, 1, 1, 1, 1, 1, 1], [1] * 8),
        ("a,b,c,d,&e", [1, 1, 2, 1, 1, 1, 1, 1], [1] * 10),
        ("a,b,c,d,e", [1] * 9, [1] * 9),
        ("a,b,c,d,e,f", [1] * 11, [1, 1, 1, 1, 2, 1, 1, 1, 1]),
        ("a,b,c,d,e,f,g", [1] * 13, [1, 1, 1, 1, 3, 1, 1, 1, 1]),
    ],
)
def test_which_of_a_list_is_folded(text: str, strict: list[int], lenient: list[int]) -> None:
    types = {",": "COMMA", "&": "AND"}
    tokens = [Token(types.get(sign, "ACTION"), place, place + 1) for place, sign in enumerate(text)]
    for folded, sizes in ((fold(tokens, strict=True), strict), (fold(tokens, strict=False), lenient)):
        assert [len(unit) for unit in folded.units] == sizes
