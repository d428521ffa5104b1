"""Texts by words: the parts are both texts, and no more is the same than can be, nor less."""

from __future__ import annotations

import re
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.compare import texts
from planscope.compare.result import ActionRow, TextDiff
from planscope.compare.texts import compare_texts
from planscope.compare.wording import renamed, state
from planscope.language.problem import Action
from planscope.language.scan import cut
from planscope.wording import terms
from tests.compare.reference import longest_common
from tests.hostile import HOSTILE
from tests.nightly import examples

WORDS = st.lists(st.sampled_from(["a", "b", "the", " ", "  ", "\n", ".", ",", "10:00", "über"]), max_size=30)
TEXTS = WORDS.map("".join) | st.text(max_size=40) | st.sampled_from(HOSTILE).map(lambda h: h[:300])


def tokens(text: str) -> list[str]:
    return [text[piece.start : piece.end] for piece in cut(text)]


def check(a: str, b: str, diff: TextDiff) -> None:
    """The parts cover both texts, in order; applying them gives the other text."""
    at_a = at_b = 0
    made = ""
    for part in diff.parts:
        assert (part.a[0], part.b[0]) == (at_a, at_b)
        at_a, at_b = part.a[1], part.b[1]
        here, there = a[slice(*part.a)], b[slice(*part.b)]
        assert (part.change == "same") == (here == there), part
        assert (here == "", there == "") == (part.change == "added", part.change == "gone")
        made += here if part.change == "same" else there
    assert (at_a, at_b) == (len(a), len(b))
    assert made == b
    changes = [part.change for part in diff.parts]
    assert ("same", "same") not in pairwise(changes)
    assert diff.same == (a == b)


@given(TEXTS, TEXTS)
def test_applying_the_parts_gives_the_other_text(a: str, b: str) -> None:
    check(a, b, compare_texts(a, b))


@given(TEXTS, TEXTS)
def test_no_more_words_can_be_the_same(a: str, b: str) -> None:
    diff = compare_texts(a, b)
    same = sum(len(tokens(a[slice(*p.a)])) for p in diff.parts if p.change == "same")
    assert diff.minimal and same == longest_common(tokens(a), tokens(b))


@given(TEXTS, TEXTS)
def test_swapping_the_texts_mirrors_the_parts(a: str, b: str) -> None:
    turned = {"same": "same", "changed": "changed", "added": "gone", "gone": "added"}
    mirrored = [(turned[p.change], p.b, p.a) for p in compare_texts(b, a).parts]
    assert [(p.change, p.a, p.b) for p in compare_texts(a, b).parts] == mirrored


@settings(max_examples=examples(400))
@given(*[st.lists(st.sampled_from("ab."), max_size=16).map(" ".join)] * 2)
def test_texts_that_repeat_themselves(a: str, b: str) -> None:
    """There what is in one text only can be moved along far."""
    diff = compare_texts(a, b)
    check(a, b, diff)
    same = sum(len(tokens(a[slice(*p.a)])) for p in diff.parts if p.change == "same")
    assert same == longest_common(tokens(a), tokens(b))


@given(TEXTS)
def test_a_text_is_the_same_as_itself(text: str) -> None:
    diff = compare_texts(text, text)
    assert diff.same and len(diff.parts) == (1 if text else 0)


@given(TEXTS, TEXTS)
def test_no_word_is_cut(a: str, b: str) -> None:
    for part in compare_texts(a, b).parts:
        for text, (start, end) in ((a, part.a), (b, part.b)):
            inside = {k for piece in cut(text) for k in range(piece.start + 1, piece.end)}
            assert start not in inside and end not in inside


def told(a: str, b: str) -> str:
    """``same [gone-] [added+] [before->behind]``."""
    shown = ""
    for p in compare_texts(a, b).parts:
        here, there = a[slice(*p.a)], b[slice(*p.b)]
        shown += {
            "same": here,
            "gone": f"[{here}-]",
            "added": f"[{there}+]",
            "changed": f"[{here}->{there}]",
        }[p.change]
    return shown


@pytest.mark.parametrize(
    "a,b,expected",
    [
        ("A comes before B.", "A precedes B.", "A [comes before->precedes] B."),
        ("A comes before B.", "A comes before B, which follows C.", "A comes before B[, which follows C+]."),
        ("A precedes B.  C follows B.", "A precedes B. C follows B.", "A precedes B. [ -]C follows B."),
        ("A precedes B. A precedes C.", "A precedes C.", "[A precedes B. -]A precedes C."),
        ("A precedes C.", "A precedes B. A precedes C.", "[A precedes B. +]A precedes C."),
        ("X. A is B. A is C. A is D.", "X. A is B. A is D.", "X. A is B. [A is C. -]A is D."),
        ("A ends before 15:00.", "A ends before 16:00.", "A ends before [15:00->16:00]."),
        ("", "a b", "[a b+]"),
    ],
)
def test_as_people_would_say_it(a: str, b: str, expected: str) -> None:
    assert told(a, b) == expected


@given(WORDS.map("".join), WORDS.map("".join))
def test_texts_too_long_to_be_looked_at_as_a_whole(a: str, b: str) -> None:
    """By sentences, and where there are too many of those by the common beginning and end: still the two texts."""
    before = texts.MOST_CELLS
    try:
        for texts.MOST_CELLS in (9, 0):
            check(a, b, compare_texts(a, b))
    finally:
        texts.MOST_CELLS = before


def test_beyond_the_limit_sentences_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MOST_CELLS", 1)
    a = "A comes before B. B comes before C. C comes before D."
    b = "A comes before B. B precedes C. C comes before D."
    diff = compare_texts(a, b)
    assert not diff.minimal
    assert [p.change for p in diff.parts] == ["same", "changed", "same"]
    assert a[slice(*diff.parts[1].a)] == "B comes before C."
    assert re.fullmatch("B precedes C.", b[slice(*diff.parts[1].b)])


def test_what_changed_of_an_action_in_words() -> None:
    one, other = Action("a1", "look", "look_up", 2), Action("a1", "see", "see_it", 3)
    assert renamed(ActionRow("changed", one, other, ("name", "tool", "duration"))) == (
        "look is called see in b, its tool look_up is see_it, takes 2 h in a and 3 h in b"
    )
    assert renamed(ActionRow("changed", one, other, ("name",))) == "look is called see in b"
    assert renamed(ActionRow("changed", one, other, ("duration",))) == "look, takes 2 h in a and 3 h in b"
    assert renamed(ActionRow("gone", one, None)) == "look, 2 h"


def test_a_state_is_complete_at_the_end_of_a_run_that_was_not_aborted() -> None:
    def said(ending: str, step: object, kind: str | None = "completable") -> str:
        return state(SimpleNamespace(ending=ending, problem=None), SimpleNamespace(step=step, state=kind))

    assert said("finished", "end") == terms.COMPLETE != said("aborted", "end") == said("finished", 3)
    assert (
        said("finished", "end", None) == terms.STATES["unknown"]
        and said("finished", "end", "doomed") == terms.STATES["doomed"]
    )
