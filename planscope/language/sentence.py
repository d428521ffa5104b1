"""Reading one sentence: strictly, then leniently; an error where it has no meaning or more than one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from planscope.language.build import ClauseReading, SentenceReading, build
from planscope.language.derive import derive
from planscope.language.doubt import doubtful_list, doubtful_relative, two_ways
from planscope.language.errors import Trouble
from planscope.language.explain import shown, stuck
from planscope.language.fold import fold, split
from planscope.language.patterns import MAX_UNITS, Stuck, clause_patterns, sentence_patterns
from planscope.language.scan import Scanner, Token
from planscope.language.tree import Query, Sentence

MAX_NAMESAKES = 6
"""How many names that are also phrases of the lexicon are tried as such in one sentence."""


class SentenceReader:
    """Reads single sentences about some actions."""

    def __init__(self, scanner: Scanner, timed: bool) -> None:
        self.scanner = scanner
        self.timed = timed

    def read(self, text: str) -> SentenceReading | Trouble:
        """The one meaning of a sentence (with its period, or at the end of a text without), or what is wrong."""
        tokens = self.scanner.tokens(text)
        if tokens is None:
            return _too_long(text)
        if tokens[-1].type != "DOT":
            end = tokens[-1].end
            tokens.append(Token("DOT", end, end))
        readings = list(strict(tokens)) or list(namesakes(tokens))
        if not readings:
            found = lenient(tokens)
            if isinstance(found, Stuck):
                return self._stuck(text, tokens, found)
            readings = found
        return self._only(text, readings)

    def _only(self, text: str, readings: list[SentenceReading]) -> SentenceReading | Trouble:
        """The first reading, if all readings say the same."""
        actions = self.scanner.names.actions
        for reading in readings:
            trouble = doubtful_relative(text, reading, actions) or doubtful_list(text, reading, actions)
            if trouble is not None:
                return trouble
        if len(readings) > 1:
            said: dict[object, Sentence] = {}
            for reading in readings:
                tree = build(reading)
                said.setdefault(self._meaning(tree), tree)
            if len(said) > 1:
                span = (readings[0].first.start, readings[0].last.end)
                one, other = (Query((tree,)) for tree in list(said.values())[:2])
                return two_ways(text, span, (one, other), "a sentence with one meaning", actions)
        return readings[0]

    def _meaning(self, tree: Sentence) -> object:
        constraints = derive(Query((tree,)), timed=self.timed)
        return frozenset((c.kind, c.before, c.after, c.action, c.hour) for c in constraints)

    def _stuck(self, text: str, tokens: list[Token], lenient_stuck: Stuck) -> Trouble:
        if (extra := _third_clause(tokens)) is not None:
            message = "a sentence has at most two clauses; end it with a period, and begin another"
            return Trouble((extra.start, extra.end), text[extra.start : extra.end], ("a period",), message)
        folded = fold(tokens, strict=True)
        if len(folded.units) > MAX_UNITS:
            return _too_long(text)
        found = sentence_patterns(folded.types, lenient=False)
        assert isinstance(found, Stuck), "what the strict grammar reads was read before"
        at, types = folded.places[min(found.at, len(folded.places) - 1)], found.expected
        places = fold(tokens, strict=False).places
        further = places[min(lenient_stuck.at, len(places) - 1)]
        if further > at:
            at, types = further, lenient_stuck.expected
        return stuck(text, tokens, at, types, self.scanner.names, self.timed)


def strict(tokens: Sequence[Token]) -> Iterator[SentenceReading]:
    """The readings that the synthesizer could have meant; clause by clause."""
    clauses, conjs = split(tokens)
    if len(conjs) > 1:
        return
    found = []
    for clause in clauses:
        folded = fold(clause, strict=True)
        patterns = clause_patterns(folded.types) if len(folded.units) <= MAX_UNITS else ()
        if isinstance(patterns, Stuck):
            return
        found.append([ClauseReading(pattern, folded.units) for pattern in patterns])
    for readings in product(*found):
        yield SentenceReading(readings, conjs[0] if conjs else None, tokens[0], tokens[-1])


def lenient(tokens: Sequence[Token]) -> list[SentenceReading] | Stuck:
    """The readings that people may have meant."""
    units, places = folded = fold(tokens, strict=False)
    if len(units) > MAX_UNITS:
        return Stuck(0, frozenset())
    patterns = sentence_patterns(folded.types)
    if isinstance(patterns, Stuck):
        return patterns
    return [
        SentenceReading(
            tuple(ClauseReading(clause, units) for clause in pattern.clauses),
            None if pattern.conj is None else tokens[places[pattern.conj]],
            tokens[0],
            tokens[-1],
        )
        for pattern in patterns
    ]


def namesakes(tokens: Sequence[Token]) -> Iterator[SentenceReading]:
    """Strict readings of a sentence in which some names of actions are not meant as such ("before", "and")."""
    places = [at for at, token in enumerate(tokens) if token.other is not None][:MAX_NAMESAKES]
    for chosen in product((False, True), repeat=len(places)):
        changed = list(tokens)
        for place, as_phrase in zip(places, chosen, strict=True):
            other = changed[place].other
            if as_phrase and other is not None:
                changed[place] = changed[place]._replace(type=other.type, meaning=other, action="")
        if any(chosen):
            yield from strict(changed)


def _third_clause(tokens: Sequence[Token]) -> Token | None:
    """The conjunction before a third clause, where every clause could stand by itself."""
    clauses, conjs = split(tokens)
    if len(conjs) < 2:
        return None
    for clause in clauses[:3]:
        folded = fold(clause, strict=True)
        if len(folded.units) > MAX_UNITS or isinstance(clause_patterns(folded.types), Stuck):
            return None
    return conjs[1]


def _too_long(text: str) -> Trouble:
    message = "the sentence is too long to read; split it"
    return Trouble((0, len(text)), shown(text), ("a shorter sentence",), message)
