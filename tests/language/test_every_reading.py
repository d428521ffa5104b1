"""No reading of a sentence is dropped in silence: the parser against every reading there is."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from itertools import product
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from planscope.language.cuts import Scanner
from planscope.language.errors import ParseFailure
from planscope.language.problem import Constraint, make_actions
from planscope.language.reading import read_query
from planscope.language.render import render
from planscope.language.scan import Names
from planscope.language.sentence import continued, going_on, may_be_free, strict
from planscope.session.model import Origin, Query, Variant, records
from planscope.session.oracle_input import problem_of
from tests.language.every_reading import Said, Tokens, likely, readings, written
from tests.language.support import error, read, said
from tests.language.trees import seeded
from tests.nightly import examples, rounds

EVERY = int(os.environ.get("PLANSCOPE_EVERY", str(rounds(4000, 1500))))
"""One of so many of the sentences that can be made is read; 1 takes an hour."""

LETTERS = tuple("abcdefghijkl")
_ACTIONS = make_actions(LETTERS)
_SCANNER = Scanner(names=Names(_ACTIONS), timed=True)
_LETTER = {action.id: action.name for action in _ACTIONS}


def _said(found: tuple[Constraint, ...]) -> Said:
    what = set()
    for c in found:
        if c.kind == "order":
            what.add((_LETTER[str(c.before)], "<", _LETTER[str(c.after)]))
        else:
            what.add((_LETTER[str(c.action)], "<" if c.kind == "end_at_most" else ">", "10:00"))
    return frozenset(what)


def _check(tokens: Tokens, *, free: bool = False) -> str:
    """Read a sentence as the parser does, and as it should; what becomes of it. ``free``: it is one that people write,
    which may be refused, or shown with a reading more, and is never read as another."""
    every = readings(tokens)
    plain = [one for one in every if not one.goes_on]
    least = min((one.cost for one in plain), default=-1)
    best = [one for one in plain if one.cost == least]
    lowest = min((one.cost for one in every), default=-1)
    best = [one for one in best if not one.runs_on]
    doubts = [one for one in every if one.goes_on and one.cost == lowest and likely(one)]
    meanings = {_turned(one.said) for one in best + doubts}
    text = written(tokens)
    try:
        found = _said(read_query(text, _ACTIONS, timed=True).problem.said)
    except ParseFailure as failure:
        shown = failure.errors[0].readings
        if "tells begin and end apart" in str(failure):
            assert any(one.impossible for one in best), (text, str(failure))
            return "refused"
        assert free or bool(shown) or not any(map(likely, best)), (text, str(failure))
        if not shown:
            return "refused"
        meant = {_said(read_query(one, _ACTIONS, timed=True).problem.said) for one in shown}
        assert len(meant) == 2, (text, str(failure))
        if free:  # the other one may be of a form that the oracle does not have
            assert not meanings or meanings & meant, (text, shown)
        else:
            assert len(meanings) > 1 and meant <= meanings, (text, str(failure))
        return "two ways"
    assert not any(one.impossible for one in best), text
    assert {word for word in tokens if word in LETTERS} <= {name for said in found for name in said}, text
    if not meanings and may_be_free(_SCANNER.tokens(text) or []):
        return "read"
    assert meanings == {found}, (text, sorted(found), [sorted(one) for one in meanings])
    return "read"


def _turned(what: Said) -> Said:
    """Every order between two actions as "<"."""
    return frozenset(
        (other, "<", one) if relation == ">" and other != "10:00" else (one, relation, other)
        for one, relation, other in what
    )


_BETWEEN: tuple[Tokens, ...] = ((",",), ("and",), (",", "and"), ())
_HEADS: tuple[Tokens, ...] = (("a",), ("a", "and", "b"), ("a", ",", "b"), ("a", ",", "b", "and", "c"))


def _lists_with_which() -> Iterator[Tokens]:
    """A list, a relative clause, and up to three actions that may belong to either."""
    for head, opening, verb, first in product(
        _HEADS, ((",",), ()), (("follows",), ("precede",), ("should occur", "before")), ("d", "10:00")
    ):
        for size in range(4):
            for marks in product(_BETWEEN, repeat=size):
                tail = [word for mark, name in zip(marks, "efg", strict=False) for word in (*mark, name)]
                yield (*head, *opening, "which", *verb, first, *tail)


def _sentences() -> Iterator[Tokens]:
    """Such a list in every place of every form."""
    comma: tuple[Tokens, ...] = ((",",), ())
    conjunctions: tuple[Tokens, ...] = ((",", "and"), (";",), ("and",), (",",))
    for np in _lists_with_which():
        yield "h", "precedes", *np
        yield "h", "happens", "after", *np
        for end in conjunctions:
            yield "h", "precedes", *np, *end, "i", "follows", "j"
        for end, verb in product(comma, ("happens", "happen")):
            yield "before", *np, *end, "h", verb
            yield "before the time when", *np, *end, verb, ",", "h", "happens"
            yield "h", "happens", "after", *np, *end, verb
            yield "after", "h", ",", *np, *end, verb
        for end, verb in product(comma, ("precedes", "precede", "should precede")):
            yield *np, *end, verb, "h"


def test_every_list_with_a_relative_clause() -> None:
    outcomes: Counter[str] = Counter()
    rng = Random(1)
    for tokens in _sentences():
        if rng.random() * EVERY < 1:
            outcomes[_check(tokens)] += 1
    assert min(outcomes.values()) * EVERY > 3000 and len(outcomes) == 3, outcomes


_MARKS = (",", "and", ";", "but")


@st.composite
def _any_sentence(draw: st.DrawFn) -> Tokens:
    """A regular sentence of any form with letters for actions, with marks put in, left out and changed."""
    left = list(LETTERS)

    def names(most: int) -> list[str]:
        size = draw(st.integers(1, most))
        found: list[str] = []
        for place in range(min(size, len(left))):
            mark = draw(st.sampled_from(_BETWEEN)) if place else ()
            found += [*mark, left.pop(0)]
        return found

    def np(closed: bool) -> list[str]:
        found = names(2)
        if draw(st.booleans()) and left:
            verbs: tuple[Tokens, ...] = (("follows",), ("precede",), ("happen", "after"), ("must follow",))
            verb = draw(st.sampled_from(verbs))
            found += [",", "which", *verb, *(["10:00"] if draw(st.integers(0, 4)) == 0 else names(3))]
            found += [","] * closed
        return found

    def verb0() -> str:
        return draw(st.sampled_from(("happens", "happen", "should occur")))

    def clause() -> list[str]:
        match draw(st.integers(0, 4)):
            case 0:
                return [*np(True), draw(st.sampled_from(("precedes", "precede", "must follow"))), *np(False)]
            case 1:
                return [*np(True), verb0(), draw(st.sampled_from(("after", "prior to"))), *np(False)]
            case 2:
                return [draw(st.sampled_from(("after", "prior to"))), *np(False), ",", *np(True), verb0()]
            case 3:
                return [*np(True), verb0(), "before", *np(True), verb0()]
        return ["before", *np(True), verb0(), ",", *np(True), verb0()]

    found = clause()
    if len(left) > 3 and draw(st.booleans()):
        found += [*draw(st.sampled_from(((",", "and"), (";",), ("and",), (",",)))), *clause()]
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(found) - 1))
        if found[place] in _MARKS:
            found[place : place + 1] = draw(st.sampled_from(((), (",",), ("and",), (",", "and"))))
        elif draw(st.booleans()):
            found.insert(place, draw(st.sampled_from(_MARKS)))
    return tuple(found)


@settings(deadline=None, max_examples=int(os.environ.get("PLANSCOPE_EXAMPLES", examples(80))))
@given(_any_sentence())
def test_any_sentence(tokens: Tokens) -> None:
    if len(readings(tokens)) < 12:  # the parser looks at no more than MAX_READINGS
        _check(tokens)


@st.composite
def _natural_sentence(draw: st.DrawFn) -> Tokens:
    """A sentence of the kinds that people write, with letters for actions, with marks put in, left out and changed."""
    left = list(LETTERS)

    def names(most: int = 2) -> list[str]:
        size = min(draw(st.integers(1, most)), len(left))
        if size == 2 and draw(st.integers(0, 4)) == 0:
            return ["both", left.pop(0), "and", left.pop(0)]
        found: list[str] = []
        for place in range(size):
            mark: Tokens = draw(st.sampled_from(_BETWEEN[:3])) if place else ()
            found += [*mark, left.pop(0)]
        return found

    def pick(*words: str) -> str:
        return draw(st.sampled_from(words))

    def where() -> list[str]:
        match draw(st.integers(0, 4)):
            case 0:
                return [pick("before", "after"), *names(), pick("is done", "happens", "starts")]
            case 1:
                return [pick("no later than", "no earlier than"), "10:00"]
            case 2:
                return [pick("before", "after"), "doing", *names()]
        return [pick("before", "after"), *(["10:00"] if draw(st.integers(0, 5)) == 0 else names())]

    def predicate() -> list[str]:
        match draw(st.integers(0, 2)):
            case 0:
                return [pick("precedes", "precede", "must follow"), *names()]
            case 1:
                return [pick("waits for", "is required for"), *names()]
        return [pick("happens", "is done", "should occur"), *where()]

    def joint() -> Tokens:
        return draw(st.sampled_from((("and",), (",",), (",", "and"), (",", "but"))))

    def then() -> list[str]:
        return [*draw(st.sampled_from(((), (",",), (",", "and"), ("and",)))), pick("then", "then", "last")]

    def item() -> list[str]:
        return [*draw(st.sampled_from(((), ("do",)))), *names()]

    def clause() -> list[str]:
        match draw(st.integers(0, 7)):
            case 0:
                tail = [word for _ in range(draw(st.integers(1, 2))) for word in (*then(), *item())]
                return [*draw(st.sampled_from(((), ("first",)))), *item(), *tail]
            case 1:
                return [*names(), *predicate(), *joint(), *draw(st.sampled_from((predicate, where)))()]
            case 2:
                return ["do", *names(), *where()]
            case 3:
                return [*names(), *predicate()]
            case 4:
                end = [pick("until", "before", "after"), *names(), *draw(st.sampled_from(((), ("is done",))))]
                who = ["don't do", *names()] if draw(st.booleans()) else [*names(), "must not happen"]
                return [*who, *end] if draw(st.booleans()) else [*end, ",", *who]
            case 5:
                return [
                    *where(),
                    ",",
                    *draw(st.sampled_from(((), ("do",)))),
                    *names(),
                    *draw(st.sampled_from(((), ("happens",)))),
                ]
            case 6:
                return [*names(), pick("comes", "happens"), pick("first", "last")]
        return [*names(), *where()]

    found = clause()
    if len(left) > 3 and draw(st.booleans()):
        found += [*draw(st.sampled_from(((",", "and"), (";",), ("and",), (",",)))), *clause()]
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(found) - 1))
        if found[place] in _MARKS:
            found[place : place + 1] = draw(st.sampled_from(((), (",",), ("and",), (",", "and"))))
        elif draw(st.booleans()):
            found.insert(place, draw(st.sampled_from(_MARKS)))
    return tuple(found)


@settings(deadline=None, max_examples=int(os.environ.get("PLANSCOPE_EXAMPLES", examples(80))))
@given(_natural_sentence())
@example(("a", "is required for", "b", ",", "before", "both", "c", "and", "d", "is done"))
def test_any_natural_sentence(tokens: Tokens) -> None:
    if len(readings(tokens)) < 12:  # the parser looks at no more than MAX_READINGS
        _check(tokens, free=True)


def test_what_is_written_has_one_reading_by_every_grammar() -> None:
    """Regular English is doubtful where the grammar of lists that go on says so, and no text of a tree is."""
    for seed in range(rounds(50, 150)):
        tree, actions = seeded(seed, actions=2 + seed % 19, sentences=1, timed=seed % 2 == 0)
        tokens = Scanner(names=Names(actions), timed=True).tokens(render(tree, actions).text)
        assert tokens is not None
        assert not going_on(tokens)
        assert not [other for reading in strict(tokens) for other in continued(reading)]


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        (
            "A follows b, which precedes c, and d.",
            ("A follows b, which precedes c and d.", "A follows b and d. B precedes c."),
        ),
        (
            "A follows b, which precedes c, d.",
            ("A follows b, which precedes c and d.", "A follows b and d. B precedes c."),
        ),
        (
            "A precedes b and c, which follow d, and e.",
            ("A precedes b and c, which follow d and e.", "A precedes b, c and e. B and c follow d."),
        ),
        (
            "Before b, which follows c, and d, a happens.",
            ("Before b, which follows c and d, a happens.", "Before b and d, a happens. B follows c."),
        ),
        (
            "A precedes b, which follows c, d and e.",
            ("A precedes b, which follows c and d and e.", "A precedes b, d and e. B follows c."),
        ),
        (
            "Before b, which happens after c, d, and e, a happens; f follows a.",
            (
                "Before b, which happens after c and d and e, a happens; f follows a.",
                "Before b, d and e, a happens; f follows a. B happens after c.",
            ),
        ),
        (
            "A, which precedes b, and c, should follow d.",
            ("A, which precedes b and c, should follow d.", "A and c should follow d. A precedes b."),
        ),
        (
            "A happens before b, which precedes c, and d happens.",
            (
                "A happens before b, which precedes c and d, happens.",
                "A happens before b and d happen. B precedes c.",
            ),
        ),
    ],
)
def test_a_list_that_goes_on_behind_its_relative_clause(text: str, readings: tuple[str, str]) -> None:
    assert error(text).readings == readings
    meant = {frozenset(read(one).problem.said) for one in readings}
    assert len(meant) == 2


def test_readings_that_say_the_same_are_one() -> None:
    text = "A precedes b, which follows c, and d; d, which follows a, precedes b."
    assert said(text) == ["a1 < a2", "a2 > a3", "a2 > a4", "a4 > a1", "a4 < a2"]


def test_a_verb_behind_it_tells_where_a_list_ends() -> None:
    assert said("A, which precedes b, c and d, follows e.") == ["a1 < a2", "a1 < a3", "a1 < a4", "a1 > a5"]
    assert said("A precedes b, which follows c, and d follows e.") == ["a1 < a2", "a2 > a3", "a4 > a5"]


def _variant(text: str) -> Variant:
    origin, query = Origin(kind="synthesized"), Query(text=text, timed=False, topic="")
    return Variant(id="v1", origin=origin, query=query, actions=records(make_actions(tuple("abcde"))))


def test_a_text_that_was_kept_is_read_as_it_was() -> None:
    """Synthesis once wrote such lists: their sessions stay what they are."""
    kept = problem_of(_variant("A precedes b, which follows c, d and e."))
    assert [c.text for c in kept.said] == ["a1 < a2", "a2 > a3", "a2 > a4", "a2 > a5"]
    with pytest.raises(ParseFailure):
        problem_of(_variant("A precedes b, which follows c, and d."))
