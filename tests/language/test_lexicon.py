"""The lexicon keeps the rules that make the language unambiguous and its texts good English."""

from __future__ import annotations

from itertools import product

import pytest

from planscope.language.lexicon import TERMINALS, VERBS, Lexicon, LexiconError, load_lexicon
from planscope.language.scan import load_hints, surfaces
from planscope.language.tree import RELATIONS, Terminal, Word
from tests.language.support import said

LEXICON = load_lexicon()
VERB: dict[str, Terminal] = {"<": "VP<", ">": "VP>"}
PREPOSITION: dict[str, Terminal] = {"<": "P<", ">": "P>"}


def wordings(terminal: Terminal) -> set[str]:
    return {form for e in LEXICON.entries[terminal].values() for pair in e.forms.values() for form in pair}


@pytest.mark.parametrize("terminal", ["VP<", "VP>", "VP0", "P<", "P>", "SC<", "SC>"])
def test_seven_alternatives_can_be_written(terminal: Terminal) -> None:
    assert len(LEXICON.written(terminal)) >= 7


def test_no_phrase_stands_under_two_relations() -> None:
    before = {form for terminal in TERMINALS if terminal.endswith("<") for form in wordings(terminal)}
    after = {form for terminal in TERMINALS if terminal.endswith(">") for form in wordings(terminal)}
    neither = wordings("VP0")
    assert not before & after and not (before | after) & neither


def test_no_related_verb_is_a_plain_verb_with_a_preposition() -> None:
    related = wordings("VP<") | wordings("VP>")
    made = {f"{verb} {p}" for verb, p in product(wordings("VP0"), wordings("P<") | wordings("P>"))}
    assert not related & made


def test_no_verb_tells_begin_or_end() -> None:
    phase = ("start", "begin", "commence", "finish", "end", "complete", "conclude", "done", "stop", "close")
    for terminal in VERBS:
        for wording in wordings(terminal):
            assert not any(word.startswith(phase) for word in wording.split()), wording


def test_nothing_says_at_once() -> None:
    soon = {
        "soon",
        "immediately",
        "directly",
        "just",
        "right",
        "upon",
        "on",
        "straight",
        "instantly",
        "moment",
    }
    for wording, meaning in surfaces().items():
        found = soon & set(wording.split())
        assert not found or wording in ("before the moment when", "after the moment when"), (wording, meaning)


@pytest.mark.parametrize(
    ("terminal", "phrase"), [("P>", "behind"), ("P<", "in front of"), ("P<", "anterior to"), ("SC>", "once")]
)
def test_odd_english_is_read_but_not_written(terminal: Terminal, phrase: str) -> None:
    entry = LEXICON.entries[terminal][phrase]
    assert entry.parse_only
    for fronted, clock in product((False, True), repeat=2):
        assert phrase not in {w.entry for w in LEXICON.written(terminal, fronted=fronted, clock=clock)}


@pytest.mark.parametrize("phrase", ["earlier than", "sooner than", "later than", "at a later time than"])
def test_comparatives_do_not_begin_a_sentence(phrase: str) -> None:
    of: tuple[Terminal, ...] = ("P<", "P>", "SC<", "SC>")
    for terminal in of:
        assert phrase not in {word.entry for word in LEXICON.written(terminal, fronted=True)}


def test_what_is_written_with_a_clock_time() -> None:
    for relation in RELATIONS:
        assert len(LEXICON.written(VERB[relation], clock=True)) >= 3
        assert len(LEXICON.written(PREPOSITION[relation], clock=True)) >= 3
        assert len(LEXICON.written(PREPOSITION[relation], fronted=True, clock=True)) >= 3
    assert "precede" not in {word.entry for word in LEXICON.written("VP<", clock=True)}


def test_the_papers_words() -> None:
    for wording, terminal in {
        "comes after": "VP>",
        "comes before": "VP<",
        "follow": "VP>",
        "occurs": "VP0",
        "should be executed": "VP0",
        "are carried out": "VP0",
        "earlier than": "P<",
        "are executed": "VP0",
        "in advance of": "P<",
        "should be carried out": "VP0",
        "in front of": "P<",
        "after": "P>",
        "before": "P<",
        "must come before": "VP<",
    }.items():
        assert terminal in {of for of, _ in surfaces()[wording].words}


def test_follows_and_is_followed_by_are_opposites() -> None:
    assert said("a follows b.") == ["a1 > a2"]
    assert said("a is followed by b.") == ["a1 < a2"]
    assert said("a should be followed by b.") == ["a1 < a2"]
    assert said("a should follow b.") == ["a1 > a2"]
    assert said("a is preceded by b.") == ["a1 > a2"]
    assert said("a precedes b.") == ["a1 < a2"]


@pytest.mark.parametrize(
    ("word", "singular", "plural"),
    [
        (Word("VP<", "precede"), "precedes", "precede"),
        (Word("VP<", "come before"), "comes before", "come before"),
        (Word("VP<", "be followed by"), "is followed by", "are followed by"),
        (Word("VP0", "be carried out", "should"), "should be carried out", "should be carried out"),
        (Word("VP0", "take place", "have to"), "has to take place", "have to take place"),
        (Word("VP>", "follow", "need to"), "needs to follow", "need to follow"),
        (Word("P<", "prior to"), "prior to", "prior to"),
    ],
)
def test_forms(word: Word, singular: str, plural: str) -> None:
    assert LEXICON.surface(word) == singular
    assert LEXICON.surface(word, plural=True) == plural


def test_every_verb_has_both_numbers() -> None:
    for terminal in VERBS:
        for entry in LEXICON.entries[terminal].values():
            singular, plural = entry.forms[""]
            assert singular != plural and plural.split()[1:] == singular.split()[1:]


def test_hints_do_not_hide_phrases_of_the_language() -> None:
    assert not set(load_hints()) & set(surfaces())


def test_modals_that_may_be_written() -> None:
    assert set(LEXICON.written_modals()) == {"should", "must", "have to", "need to"}
    assert set(LEXICON.written_modals(tells_number=True)) == {"have to", "need to"}


def test_permission_is_no_modal() -> None:
    assert not {"may", "might", "can", "could"} & {modal.key for modal in LEXICON.modals}


def test_broken_data_is_named() -> None:
    data: dict[str, object] = {"heads": {"be": ["is", "are"]}, "modals": {}, **{key: {} for key in TERMINALS}}
    with pytest.raises(LexiconError, match="jump"):
        Lexicon({**data, "VP0": {"jump": []}})
    with pytest.raises(LexiconError, match="nowhere"):
        Lexicon({**data, "P<": {"before": ["nowhere"]}})
