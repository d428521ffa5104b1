"""Completion offers what the request itself goes on with, and nothing that breaks the sentence."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.debugger.completion import Completion, complete, take
from planscope.debugger.draft import Draft
from planscope.debugger.draft_reading import read_draft
from planscope.language.problem import make_actions
from planscope.synthesis.generate import Synthesizer
from planscope.synthesis.request import Request
from tests.each import each
from tests.hostile import HOSTILE
from tests.nightly import examples

ABC = make_actions(["network audit", "disk check", "cable survey"])


def offered(text: str, *, timed: bool = False) -> list[str]:
    return [offer.text for offer in complete(Draft(text, ABC, timed), len(text)).offers]


def at(text: str, *, timed: bool = False) -> Completion:
    return complete(Draft(text, ABC, timed), len(text))


@given(st.integers(0, 40), st.booleans(), st.data())
@settings(max_examples=examples(25))
def test_the_words_of_a_request_are_offered_at_their_own_places(
    seed: int, timed: bool, data: st.DataObject
) -> None:
    case = Synthesizer(Request(actions=4, sentences=3, timed=timed)).case(seed)
    draft = Draft(case.text, case.problem.actions, timed)
    known = data.draw(st.sampled_from(read_draft(draft).known))
    start, end = known.span
    word = case.text[start:end]
    typed = data.draw(st.integers(0, len(word) - 1))
    found = complete(Draft(case.text[: start + typed], draft.actions, timed), start + typed)
    if not typed and " " in word and not known.action:
        return  # a verb's modal is offered where one has begun to type it
    if typed or known.action:
        assert word.casefold() in [offer.text.casefold() for offer in found.offers], (
            found,
            case.text[:start],
            word,
        )


@pytest.mark.parametrize("words", ["Network audit must come later ", "Network audit, which has to come "])
def test_no_name_is_offered_where_none_can_stand(words: str) -> None:
    actions = Synthesizer(Request(actions=4, sentences=2)).case(6).problem.actions
    text = words.replace("Network audit", actions[0].name)
    assert "action" not in [offer.kind for offer in complete(Draft(text, actions, False), len(text)).offers]


@given(st.integers(0, 40), st.booleans(), st.data())
@settings(max_examples=examples(20))
def test_taking_what_is_offered_breaks_nothing_before_the_caret(
    seed: int, timed: bool, data: st.DataObject
) -> None:
    case = Synthesizer(Request(actions=4, sentences=2, timed=timed)).case(seed)
    place = data.draw(st.integers(0, len(case.text)))
    draft = Draft(case.text[:place], case.problem.actions, timed)
    offers = [offer for offer in complete(draft, place).offers if not offer.nearest]
    if not offers:
        return
    text, caret = take(draft.text, data.draw(st.sampled_from(offers)))
    assert caret == len(text)
    for error in read_draft(Draft(text, draft.actions, timed)).errors:
        assert error.span[0] >= len(text.rstrip()) - 1, (draft.text, text, error)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("", ["Network audit", "Disk check", "Cable survey", "Before"]),
        ("Netw", ["Network audit"]),
        ("Network audit", ["precedes"]),
        ("Network audit ", ["precedes"]),
        ("Network audit is ca", ["is carried out"]),
        ("Network audit happens ", ["before"]),
        ("Before ", ["network audit", "disk check", "cable survey", "Before the time when"]),
        ("Network audit happens before ", ["network audit", "disk check", "cable survey"]),
        ("Network audit and disk check ", ["precede"]),
        ("Network audit precedes ", ["network audit", "disk check", "cable survey"]),
        ("Network audit precedes disk check", ["."]),
        ("Network audit precedes disk check. C", ["Cable survey"]),
        ("Whatever. Network audit precedes cab", ["cable survey"]),
        ("Network audit tickles ", []),
        ("q", []),
    ],
)
def test_what_is_offered_first(text: str, first: list[str]) -> None:
    assert offered(text)[: len(first)] == first
    assert bool(first) == bool(offered(text))


def test_what_begins_a_clause_is_not_offered_where_a_name_comes_next() -> None:
    begun = offered("Before disk check, network audit, which takes place b")
    assert "before" in begun and "before the time when" not in begun
    assert "Before the time when" in offered("B")
    assert "before the time when" in offered("Network audit is carried out b")


def test_hours_are_offered_in_timed_requests() -> None:
    assert offered("Network audit happens before 1", timed=True)[:2] == ["1:00", "10:00"]
    assert offered("Network audit happens before 1") == []


def test_what_is_misspelt_is_offered_as_it_should_be() -> None:
    for text, right in (
        ("netwrk adit", "Network audit"),
        ("Network audit comes bfore", "comes before"),
        ("Network audit precedes cable survy", "cable survey"),
    ):
        (best, *_) = at(text).offers
        assert (best.text, best.nearest) == (right, True)
    assert at("netwrk adit").common == ""


def test_what_all_offers_have_in_common() -> None:
    assert at("Network audit pr").common == "pre"
    assert at("Network audit is car").common == "is carried out"
    assert at("").common == ""


@pytest.mark.parametrize(
    ("text", "place", "result"),
    [
        ("Net", 3, ("Network audit ", 14)),
        ("Net precedes disk check.", 3, ("Network audit precedes disk check.", 14)),
        ("Network audit precedes disk check ", 34, ("Network audit precedes disk check. ", 35)),
        ("Network audit", 13, ("Network audit precedes ", 23)),
    ],
)
def test_taking_an_offer_minds_the_blanks(text: str, place: int, result: tuple[str, int]) -> None:
    offer = complete(Draft(text, ABC), place).offers[0]
    assert take(text, offer) == result


@each("text", [h[:4000] for h in HOSTILE], every=9)
def test_hostile_texts_complete_to_something_or_nothing(text: str) -> None:
    for place in (0, len(text) // 2, len(text)):
        for offer in complete(Draft(text, ABC, True), place).offers:
            assert 0 <= offer.span[0] <= offer.span[1] <= len(text)
            take(text, offer)
    twins = (*ABC, *make_actions(["Disk  check"]))
    assert complete(Draft(text, twins), 0).offers == ()
