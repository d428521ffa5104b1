"""Sentences with two meanings, and how to show both."""

from __future__ import annotations

from collections.abc import Sequence

from planscope.language.build import SentenceReading, build
from planscope.language.errors import Trouble
from planscope.language.pattern_types import VERBS, NPPattern
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


def doubtful_list(text: str, reading: SentenceReading, actions: Sequence[Action]) -> Trouble | None:
    """The error of "A, which precedes B and C should precede D": is C in the relative clause, or a subject?

    Only where the comma behind the relative clause is missing, and the verb does not tell.
    """
    for c, (pattern, units) in enumerate(reading.clauses):
        for of_subject, verb in VERBS[pattern.form]:
            np = pattern.subject if of_subject else pattern.object
            if not isinstance(np, NPPattern) or np.relative is None:
                continue
            target = np.relative.object
            if not isinstance(target, NPPattern) or len(target.actions) < 2:
                continue
            if units[target.actions[-1] + 1][0].type == "COMMA":
                continue
            token = units[pattern.words[verb]][0]
            if token.meaning.number != "s" or len(np.actions) > 1:
                whole = build(reading)
                readings = (Query((whole,)), _apart(whole, c, of_subject, joined=True))
                expected = "a comma behind the relative clause"
                return two_ways(text, (token.start, token.end), readings, expected, actions)
    return None


def _apart(sentence: Sentence, c: int, of_subject: bool, joined: bool = False) -> Query:
    """The reading in which a relative clause says less, with what it says as a sentence of its own.

    Either it speaks of the last action of its list only, or (``joined``) its object is one action only, and the
    others belong to the list before it.
    """
    clause = sentence.clauses[c]
    np = clause.subject if of_subject else clause.object
    assert isinstance(np, NP) and np.relative is not None
    form, relation, words, target, _ = np.relative
    if joined:
        assert isinstance(target, NP)
        bare = NP(np.actions + target.actions[1:])
        extra = Clause(form, relation, NP(np.actions), NP(target.actions[:1]), words)
    else:
        bare = NP(np.actions)
        extra = Clause(form, relation, NP(np.actions[-1:]), target, words)
    clauses = list(sentence.clauses)
    clauses[c] = clause._replace(subject=bare) if of_subject else clause._replace(object=bare)
    return Query((sentence._replace(clauses=tuple(clauses)), Sentence((extra,))))
