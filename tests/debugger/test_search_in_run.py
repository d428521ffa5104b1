"""Search: every place is found, in the order of the panes, and points at the very words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.debugger.cursor import go_to, open_run
from planscope.debugger.search import (
    MAX_HITS,
    Document,
    Haystack,
    call_text,
    documents,
    next_hit,
    previous_hit,
    show_hit,
)
from planscope.debugger.selection import SelectedConstraint, SelectedWords
from planscope.oracle.trace import ToolCall
from tests.debugger.runs import hand_made
from tests.hostile import HOSTILE

STATE = open_run(hand_made())
DOCUMENTS = documents(
    "First task before second task.",
    STATE.run,
    plain={"c1": "first task before second task"},
    answers={1: "done: FIRST task", 4: "refused"},
    thoughts={1: "I think the first task comes first"},
)
HAYSTACK = Haystack(DOCUMENTS)


def test_all_places_in_the_order_of_the_panes() -> None:
    found = HAYSTACK.find("first")
    assert [(hit.document.kind, hit.document.index, hit.document.constraint) for hit in found.hits] == [
        ("query", None, None),
        ("constraint", None, "c1"),
        ("thought", 1, None),
        ("thought", 1, None),
        ("call", 1, None),
        ("answer", 1, None),
    ]
    assert {hit.document.text[hit.span[0] : hit.span[1]].casefold() for hit in found.hits} == {"first"}


def test_next_and_previous_go_round() -> None:
    found = HAYSTACK.find("FIRST")
    there = found
    for expected in (1, 2, 3, 4, 5, 0):
        there = next_hit(there)
        assert there.at == expected
        assert previous_hit(there).at == (expected - 1) % 6
    nothing = HAYSTACK.find("no such words")
    assert (nothing.at, nothing.hit, next_hit(nothing), previous_hit(nothing)) == (
        None,
        None,
        nothing,
        nothing,
    )
    assert HAYSTACK.find("").hits == ()


def test_a_hit_is_shown_where_it_is() -> None:
    found = HAYSTACK.find("first")
    assert show_hit(STATE, found).selection == SelectedWords((0, 5))
    assert show_hit(STATE, next_hit(found)).selection == SelectedConstraint("c1")
    at_step = show_hit(go_to(STATE, 6), previous_hit(found))
    assert (at_step.index, at_step.selection) == (1, None)
    assert show_hit(STATE, HAYSTACK.find("zebra")) is STATE


def test_calls_are_searched_as_they_are_read() -> None:
    assert call_text(ToolCall("book", {"start_time": 8, "x": [1]})) == "book(start_time=8, x=[1])"
    assert call_text(ToolCall("book", None, "not JSON")) == "book(not JSON)"
    assert [hit.document.index for hit in HAYSTACK.find("ghost(").hits] == [3]


@pytest.mark.parametrize(
    ("text", "needle", "found"),
    [
        ("die Straße hier", "STRASSE", "Straße"),
        ("die Straße hier", "s", "S|ß|ß"),
        ("İstanbul first", "first", "first"),
        ("xxŉxx first", "FIRST", "first"),
        ("先检查网络状态", "网络", "网络"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("aaaa", "aa", "aa|aa"),
        ("[bold]x[/bold]", "[/", "[/"),
        ("a\x1b[31mb", "\x1b[", "\x1b["),
    ],
)
def test_places_are_those_of_the_original_text(text: str, needle: str, found: str) -> None:
    hits = Haystack([Document("query", text)]).find(needle).hits
    assert "|".join(text[hit.span[0] : hit.span[1]] for hit in hits) == found


def test_hits_are_capped() -> None:
    assert len(Haystack([Document("query", "a" * (MAX_HITS + 5))]).find("a").hits) == MAX_HITS


short = st.sampled_from([s for s in HOSTILE if len(s) < 200])
texts = st.one_of(st.text("abßİŉǰΐs\u0307 ", max_size=12), st.text(max_size=12), short)


@given(
    st.lists(texts, max_size=4), st.one_of(st.text("abßsi\u0307 ", max_size=3), st.text(max_size=3), short)
)
def test_every_hit_holds_the_needle_and_none_is_missed(found_in: list[str], needle: str) -> None:
    haystack = Haystack(Document("answer", text, i) for i, text in enumerate(found_in))
    hits = haystack.find(needle).hits
    for hit in hits:
        start, end = hit.span
        assert 0 <= start < end <= len(hit.document.text)
        assert needle.casefold() in hit.document.text[start:end].casefold()
    for i, text in enumerate(found_in):
        found = [hit for hit in hits if hit.document.index == i]
        assert len(found) == (text.casefold().count(needle.casefold()) if needle else 0)
