"""Builds the syntax tree of a sentence, with spans, from a pattern of token places and the tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from planscope.language.grammar import ClausePattern, NaturalPattern, NPPattern, RelativePattern
from planscope.language.natural import Step, links_of
from planscope.language.problem import Span
from planscope.language.scan import Token, hour_of
from planscope.language.tree import (
    NP,
    RELATION_WORD,
    ActionRef,
    Clause,
    Cue,
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
    pattern: ClausePattern | NaturalPattern
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
        plain = (
            "before" if relation == "<" else "after",
            "",
        )  # of a word such as "beforehand", not the paper's
        words = [
            Word(terminal, entry, modal, (token.start + offset, token.end + offset))
            for terminal, token in zip(terminals(form, relation), map(self.token, places), strict=True)
            for entry, modal in [word for of, word in token.meaning.words if of == terminal]
            or [plain][: terminal[0] == "P"]
        ]
        return relation, tuple(words)

    def np(self, pattern: NPPattern, tokens: Unit = ()) -> NP:
        """Return a noun phrase. ``tokens``: its actions, if they are not all of the pattern's."""
        offset = self.offset
        actions = tuple(
            ActionRef(token.action, (token.start + offset, token.end + offset))
            for token in tokens or [token for place in pattern.actions for token in self.units[place]]
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

    def built(self, pattern: ClausePattern | NaturalPattern) -> Clause | Natural:
        return self.clause(pattern) if isinstance(pattern, ClausePattern) else self.natural(pattern)

    def clause(self, pattern: ClausePattern) -> Clause:
        form = pattern.form
        relation, words = self.words(form, pattern.words)
        subject, target = self.np(pattern.subject), self.target(pattern.object, relation)
        spans = [subject.span, target.span, *(word.span for word in words)]
        span = (min(start for start, _ in spans), max(end for _, end in spans))
        return Clause(form, relation, subject, target, words, span)

    def natural(self, pattern: NaturalPattern) -> Natural:
        offset = self.offset
        items: list[NP | Time | Rest] = []
        for part in pattern.parts:
            if isinstance(part, NPPattern):
                items += [self.np(part, one) for one in items_of(pattern, part, self.units)]
            elif (token := self.token(part)).type == "TIME":
                items.append(Time(token.hour, (token.start + offset, token.end + offset)))
        tokens = cue_tokens(pattern, self.units)
        cues = [Cue(t.words, (t.start + offset, t.end + offset)) for t in tokens]
        steps = steps_of(pattern, self.units)
        if pattern.kind == "place":
            rest = [cue.span for cue, token in zip(cues, tokens, strict=True) if token.type in _RESTS]
            items.append(Rest((rest or [cues[-1].span])[-1]))
        links = tuple(links_of(pattern.kind, steps))
        for _, relation, _, target in links:
            if isinstance(time := items[target], Time):
                items[target] = Time(hour_of(time.hour, relation), time.span)
        spans = [node.span for node in (*items, *cues)]
        span = (min(start for start, _ in spans), max(end for _, end in spans))
        return Natural(pattern.kind, tuple(items), tuple(cues), links, span)


def cue_tokens(pattern: NaturalPattern, units: Sequence[Unit]) -> list[Token]:
    """Return the tokens of a natural clause that are neither items nor marks, in the order of the text."""
    tokens = (units[part][0] for part in pattern.parts if isinstance(part, int))
    return [token for token in tokens if token.type != "TIME" and token.type not in _NO_CUES]


def items_of(pattern: NaturalPattern, part: NPPattern, units: Sequence[Unit]) -> Sequence[Unit]:
    """Return the items that a noun phrase makes, each with its actions: one, or in a chain one for each action of "A, B
    and C, in that order" and of the folded middle of "A, B, C, D, E, F, then G"."""
    if pattern.kind == "chain":
        types = {units[place][0].type for place in pattern.parts if isinstance(place, int)}
        if len(part.actions) == 1 < len(units[part.actions[0]]) or "ORDER" in types:
            return [[token] for place in part.actions for token in units[place]]
    return [()]


def steps_of(pattern: NaturalPattern, units: Sequence[Unit]) -> list[Step]:
    """Return items and cues of a natural clause, in the order of the text."""
    items = cues = 0
    steps = []
    for part in pattern.parts:
        if isinstance(part, NPPattern):
            size = len(items_of(pattern, part, units))
            steps += [Step("item", items + more) for more in range(size)]
            items += size
        elif (token := units[part][0]).type == "TIME":
            steps.append(Step("item", items, clock=True))
            items += 1
        elif token.type in _NO_CUES:
            steps.append(Step("mark", -1))
        else:
            steps.append(Step(token.type, cues, token.meaning.relation, token.meaning.value))
            cues += 1
    return steps


_NO_CUES = ("COMMA", "SEMI", "AND", "BUT", "DOT")
_RESTS = ("REST", "NOTHING", "FIRST", "LAST", "NTH", "WITH")


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
    clauses = tuple(_Builder(units, offset).built(pattern) for pattern, units in reading.clauses)
    word = _conj(reading.conj, offset) if len(clauses) > 1 else None
    return Sentence(clauses, word, (reading.first.start + offset, reading.last.end + offset))
