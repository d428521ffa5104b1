"""Builds the syntax tree of a sentence, with spans, from a pattern of token places and the tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from planscope.language.grammar import ClausePattern, NPPattern, RelativePattern
from planscope.language.problem import Span
from planscope.language.scan import Token, hour_of
from planscope.language.tree import (
    NP,
    RELATION_WORD,
    ActionRef,
    Clause,
    Form,
    Natural,
    Relation,
    Relative,
    Rest,
    Sentence,
    Time,
    Word,
    terminals,
)

Unit = Sequence[Token]
"""One token, or the action tokens in the folded middle of a list."""


class ClauseReading(NamedTuple):
    pattern: ClausePattern
    units: Sequence[Unit]


class SentenceReading(NamedTuple):
    """One reading of a sentence, with the sentence's first and last token. ``asides``: what is left out, since it asks
    nothing ("To cut a release, ...")."""

    clauses: tuple[ClauseReading, ...]
    conj: Token | None
    first: Token
    last: Token
    asides: tuple[Span, ...] = ()
    tree: Sentence | None = None
    """The sentence itself, of what the table of constructions reads."""


class _Builder:
    __slots__ = ("offset", "units")

    def __init__(self, units: Sequence[Unit], offset: int) -> None:
        self.units = units
        self.offset = offset

    def token(self, place: int) -> Token:
        return self.units[place][0]

    def words(self, form: Form, places: tuple[int, ...]) -> tuple[Relation, tuple[Word, ...]]:
        relation: Relation = "<" if self.token(places[RELATION_WORD[form]]).meaning.relation == "<" else ">"
        offset = self.offset
        words = [
            Word(terminal, entry, modal, (token.start + offset, token.end + offset))
            for terminal, token in zip(terminals(form, relation), map(self.token, places), strict=True)
            for entry, modal in [word for of, word in token.meaning.words if of == terminal]
        ]
        return relation, tuple(words)

    def np(self, pattern: NPPattern) -> NP:
        offset = self.offset
        actions = tuple(
            ActionRef(token.action, (token.start + offset, token.end + offset))
            for place in pattern.actions
            for token in self.units[place]
        )
        start, end = actions[0].span[0], actions[-1].span[1]
        relative = None if pattern.relative is None else self.relative(pattern.relative)
        return NP(actions, relative, (start, end if relative is None else relative.span[1]))

    def target(self, pattern: NPPattern | int, relation: Relation) -> NP | Time:
        if isinstance(pattern, NPPattern):
            return self.np(pattern)
        token = self.token(pattern)
        span = (token.start + self.offset, token.end + self.offset)
        return Time(hour_of(token.hour, relation), span)

    def relative(self, pattern: RelativePattern) -> Relative:
        relation, words = self.words(pattern.form, pattern.words)
        target = self.target(pattern.object, relation)
        start = self.token(pattern.which).start + self.offset
        return Relative(pattern.form, relation, words, target, (start, target.span[1]))

    def clause(self, pattern: ClausePattern) -> Clause:
        form = pattern.form
        relation, words = self.words(form, pattern.words)
        subject, target = self.np(pattern.subject), self.target(pattern.object, relation)
        spans = [subject.span, target.span, *(word.span for word in words)]
        span = (min(start for start, _ in spans), max(end for _, end in spans))
        return Clause(form, relation, subject, target, words, span)


def _conj(token: Token | None, offset: int) -> Word:
    """Return the word between two clauses. A comma, or nothing, counts as a semicolon."""
    if token is None:
        return Word("J", ";")
    return Word("J", token.meaning.value or ";", "", (token.start + offset, token.end + offset))


def moved(tree: Sentence, offset: int) -> Sentence:
    """Return the tree of natural clauses whose text begins at another place."""

    def span(one: Span) -> Span:
        return one[0] + offset, one[1] + offset

    def item(one: NP | Time | Rest) -> NP | Time | Rest:
        if isinstance(one, NP):
            actions = tuple(ActionRef(ref.action, span(ref.span)) for ref in one.actions)
            return NP(actions, None, span(one.span))
        return one._replace(span=span(one.span))

    clauses = tuple(
        clause._replace(
            items=tuple(map(item, clause.items)),
            cues=tuple(cue._replace(span=span(cue.span)) for cue in clause.cues),
            span=span(clause.span),
        )
        for clause in tree.clauses
        if isinstance(clause, Natural)
    )
    return Sentence(clauses, Word("J", ";") if len(clauses) > 1 else None, span(tree.span))


def build(reading: SentenceReading, offset: int = 0) -> Sentence:
    """Build the tree of a reading. ``offset``: where its sentence begins in the text."""
    if reading.tree is not None:
        return moved(reading.tree, offset)
    clauses = tuple(_Builder(units, offset).clause(pattern) for pattern, units in reading.clauses)
    word = _conj(reading.conj, offset) if len(clauses) > 1 else None
    return Sentence(clauses, word, (reading.first.start + offset, reading.last.end + offset))
