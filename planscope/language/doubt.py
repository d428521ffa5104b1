"""Sentences with two meanings, and how to show both."""

from __future__ import annotations

from collections.abc import Sequence

from planscope.language.build import SentenceReading, build
from planscope.language.errors import Trouble
from planscope.language.patterns import NPPattern
from planscope.language.problem import Action, Span
from planscope.language.render import render
from planscope.language.tree import NP, Clause, Query, Sentence


def two_ways(
    text: str, span: Span, readings: tuple[Query, Query], expected: str, actions: Sequence[Action]
) -> Trouble:
    """The error that shows both readings, each in words that have one meaning."""
    one, other = (render(tree, actions).text for tree in readings)
    message = f'this can be read in two ways: "{one}" or "{other}"'
    return Trouble(span, text[slice(*span)], (expected,), message, (one, other))


def doubtful_relative(text: str, reading: SentenceReading, actions: Sequence[Action]) -> Trouble | None:
    """The error of "A and B, which precedes C, ...": does A precede C as well?"""
    for c, (pattern, units) in enumerate(reading.clauses):
        for side in (pattern.subject, pattern.object):
            if not isinstance(side, NPPattern) or side.relative is None:
                continue
            verb = units[side.relative.words[0]][0]
            if verb.meaning.number == "s" and sum(len(units[place]) for place in side.actions) > 1:
                whole = build(reading)
                readings = (Query((whole,)), _apart(whole, c, side is pattern.subject))
                expected = "a plural verb, or a sentence of its own about the last action"
                return two_ways(text, (verb.start, verb.end), readings, expected, actions)
    return None


def _apart(sentence: Sentence, c: int, of_subject: bool) -> Query:
    """The reading in which a relative clause speaks of the last action only, as a sentence of its own."""
    clause = sentence.clauses[c]
    np = clause.subject if of_subject else clause.object
    assert isinstance(np, NP) and np.relative is not None
    bare = np._replace(relative=None)
    clauses = list(sentence.clauses)
    clauses[c] = clause._replace(subject=bare) if of_subject else clause._replace(object=bare)
    form, relation, words, target, _ = np.relative
    extra = Clause(form, relation, NP(np.actions[-1:]), target, words)
    return Query((sentence._replace(clauses=tuple(clauses)), Sentence((extra,))))
