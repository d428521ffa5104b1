"""Sentences with two meanings, and how to show both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planscope.language.build import ClauseReading, SentenceReading, build
from planscope.language.errors import Trouble
from planscope.language.pattern_types import VERBS, ClausePattern, NPPattern
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


def continued(reading: SentenceReading) -> Iterator[SentenceReading]:
    """What else regular English with "B, which precedes C, D and E" may mean: that D and E stand beside B.

    Only where no verb follows, before which a comma behind E would have no place.
    """
    for c, (pattern, units) in enumerate(reading.clauses):
        np = pattern.object
        if any(not of_subject for of_subject, _ in VERBS[pattern.form]) or not isinstance(np, NPPattern):
            continue
        target = None if np.relative is None else np.relative.object
        if np.relative is None or not isinstance(target, NPPattern):
            continue
        first, *others = target.actions
        if not others or units[first + 1][0].type != "COMMA":
            continue
        shorter = np.relative._replace(object=NPPattern((first,)))
        other = pattern._replace(object=NPPattern(np.actions, shorter, tuple(others)))
        clauses = list(reading.clauses)
        clauses[c] = ClauseReading(other, units)
        yield reading._replace(clauses=tuple(clauses))


def meant(reading: SentenceReading) -> Query:
    """What a reading means: what is said of a part of a list only becomes a sentence of its own."""
    clauses: list[ClauseReading] = []
    extra: list[ClauseReading] = []
    for pattern, units in reading.clauses:
        for np in (pattern.subject, pattern.object):
            if not isinstance(np, NPPattern) or not np.rest or np.relative is None:
                continue
            form, _, words, target = np.relative
            extra.append(ClauseReading(ClausePattern(form, NPPattern(np.actions), target, words), units))
            whole = NPPattern(np.actions + np.rest)
            is_subject = np is pattern.subject
            pattern = pattern._replace(subject=whole) if is_subject else pattern._replace(object=whole)
        clauses.append(ClauseReading(pattern, units))
    first, last = reading.first, reading.last
    parts = [reading._replace(clauses=tuple(clauses))]
    parts += [SentenceReading((one,), None, first, last) for one in extra]
    return Query(tuple(map(build, parts)))


def rest_span(reading: SentenceReading) -> Span:
    """Where the first list goes on behind its relative clause; the whole sentence where none does."""
    for pattern, units in reading.clauses:
        for side in (pattern.subject, pattern.object):
            if isinstance(side, NPPattern) and side.rest:
                return units[side.rest[0]][0].start, units[side.rest[-1]][-1].end
    return reading.first.start, reading.last.end


def _apart(sentence: Sentence, c: int, of_subject: bool) -> Query:
    """The reading in which a relative clause speaks of the last action of its list only, as a sentence of its own."""
    clause = sentence.clauses[c]
    np = clause.subject if of_subject else clause.object
    assert isinstance(np, NP) and np.relative is not None
    form, relation, words, target, _ = np.relative
    bare = NP(np.actions)
    extra = Clause(form, relation, NP(np.actions[-1:]), target, words)
    clauses = list(sentence.clauses)
    clauses[c] = clause._replace(subject=bare) if of_subject else clause._replace(object=bare)
    return Query((sentence._replace(clauses=tuple(clauses)), Sentence((extra,))))
