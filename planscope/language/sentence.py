"""Reads one sentence, strictly and then leniently. It is an error if it has no meaning, or more than one.

Long lists are folded and sentences are split at their conjunction first, so that few sequences of token types are new
to the parser's cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import dropwhile, islice, pairwise, product, takewhile
from typing import NamedTuple

from planscope.language.arrange import asks_nothing, groups, named
from planscope.language.build import ClauseReading, SentenceReading, Unit, build, cue_tokens, steps_of
from planscope.language.derive import derive
from planscope.language.error_messages import proposals, shown, stuck
from planscope.language.errors import Trouble
from planscope.language.grammar import (
    MAX_READINGS,
    MAX_UNITS,
    VERB_PLACES,
    ClausePattern,
    Grammar,
    NaturalPattern,
    NPPattern,
    Stuck,
    clause_patterns,
    disagreements,
    sentence_patterns,
)
from planscope.language.item_list import read_list
from planscope.language.mentions import NaturalScanner
from planscope.language.natural import impossible_phase, may_be_natural, natural_types
from planscope.language.problem import Action, Span
from planscope.language.prose import Prose
from planscope.language.render import capitalised, render
from planscope.language.scan import NOT_IN_SENTENCES, Hint, Meaning, Scanner, Token, hint_of, load_hints
from planscope.language.tree import MAX_CLAUSES, NP, Clause, Cue, Link, Natural, Query, Rest, Sentence

CONJ_TYPES = ("AND", "BUT", "WHILE")


class Folded(NamedTuple):
    """Tokens with the middle of each list folded into one unit. ``places``: the place of each unit's first token."""

    units: list[Unit]
    places: list[int]

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(unit[0].type for unit in self.units)

    def place(self, unit: int) -> int:
        """Return the place of a unit's first token. A number beyond the end means the last unit."""
        return self.places[min(unit, len(self.places) - 1)]

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(unit[0].meaning.number for unit in self.units)


def _comma_runs(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield the place of each run "a, b, c", and its number of actions."""
    at, size = 0, len(tokens)
    while at < size:
        if tokens[at].type != "ACTION":
            at += 1
            continue
        start, count = at, 1
        while at + 2 < size and tokens[at + 1].type == "COMMA" and tokens[at + 2].type == "ACTION":
            at += 2
            count += 1
        yield start, count
        at += 1


def fold(tokens: Sequence[Token], *, strict: bool) -> Folded:
    """Fold lists so that the sentence keeps the same readings.

    Strict: in "a, b, c and d", b and c are folded, since they always belong to the list that "and" closes ("Before a,
    b, c and d happen"); in "a, b, c, and d" only b is, so that a list of three stays one. Lenient: any comma in "a, b,
    c, d, e" may separate two lists, so all actions from c on except the last two are folded; a run with two readings
    keeps both.
    """
    units: list[Unit] = []
    places: list[int] = []
    done = 0
    for start, count in _comma_runs(tokens):
        end = start + 2 * count - 1
        if strict:
            behind = tuple(token.type for token in tokens[end : end + 2])
            if behind[:1] == ("AND",):
                first, last = (1, count) if count > 2 else (0, 0)
            else:
                first, last = (1, count - 1) if behind == ("COMMA", "AND") and count > 3 else (0, 0)
        else:
            first, last = (2, count - 2) if count > 5 else (0, 0)
        if first == last:
            continue
        for place in range(done, start + 2 * first):
            units.append(tokens[place : place + 1])
            places.append(place)
        units.append(tokens[start + 2 * first : start + 2 * last : 2])
        places.append(start + 2 * first)
        done = start + 2 * last - 1
    for place in range(done, len(tokens)):
        units.append(tokens[place : place + 1])
        places.append(place)
    return Folded(units, places)


def _parts(tokens: Sequence[Token], at: int) -> bool:
    """Return whether the conjunction at ``at`` separates clauses: it has a comma before it and closes no list ("a,
    b, and c").

    No clause ends with a comma and one action.
    """
    before = [token.type for token in tokens[max(at - 4, 0) : at]]
    in_list = tokens[at].type == "AND" and before[:3] == ["ACTION", "COMMA", "ACTION"]
    return before[-1:] == ["COMMA"] and not in_list


def split(tokens: Sequence[Token]) -> tuple[list[Sequence[Token]], list[Token]]:
    """Split a sentence (without its period) into clauses and the conjunctions between them, by the strict grammar.

    In that grammar, a comma before a conjunction occurs only between clauses and in lists of three or more ("a, b, and
    c"), and a semicolon only between clauses.
    """
    clauses: list[Sequence[Token]] = []
    conjs: list[Token] = []
    start = 0
    for at, token in enumerate(tokens):
        if token.type == "SEMI":
            clauses.append(tokens[start:at])
        elif token.type in CONJ_TYPES and at > start and _parts(tokens, at):
            clauses.append(tokens[start : at - 1])
        else:
            continue
        conjs.append(token)
        start = at + 1
    clauses.append(tokens[start:-1])
    return clauses, conjs


def two_ways(
    text: str, span: Span, readings: tuple[Query, Query], expected: str, actions: Sequence[Action]
) -> Trouble:
    """Return the error of an ambiguous sentence. It shows both readings in unambiguous words."""
    one, other = (render(tree, actions).text for tree in readings)
    message = f'this can be read in two ways: "{one}" or "{other}"'
    return Trouble(span, text[slice(*span)], (expected,), message, (one, other))


def doubtful_relative(text: str, reading: SentenceReading, actions: Sequence[Action]) -> Trouble | None:
    """Return the error of "A and B, which precedes C, ..." (does A precede C as well?), or None for other sentences."""
    for c, (pattern, units) in enumerate(reading.clauses):
        if isinstance(pattern, NaturalPattern):
            continue
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


def doubtful_first(text: str, reading: SentenceReading, actions: Sequence[Action]) -> Trouble | None:
    """Return the error of "A first, then B" if there are other actions (does A precede them, too?), or None."""
    for pattern, units in reading.clauses:
        if not isinstance(pattern, NaturalPattern) or pattern.kind != "chain":
            continue
        kinds = [step.kind for step in steps_of(pattern, units) if step.kind != "mark"]
        parts = [part for part in pattern.parts if isinstance(part, NPPattern)]
        named = {token.action for part in parts for at in part.actions for token in units[at]}
        after = kinds[kinds.index("item") : -1]
        if "FIRST" in after and len(named) < len(actions):
            token = next(token for token in cue_tokens(pattern, units) if token.type == "FIRST")
            span = token.start, token.end
            whole = build(reading)
            chain = next(c for c in whole.clauses if isinstance(c, Natural) and c.kind == "chain")
            items = (chain.items[0], Rest(span))
            place = Natural("place", items, (Cue(token.words, span),), (Link(0, "<", 0, 1),), span)
            readings = (Query((whole,)), Query((whole, Sentence((place,)))))
            expected = 'the action first of all, such as "A comes first", or "First A, then B"'
            return two_ways(text, span, readings, expected, actions)
    return None


def doubtful_but(text: str, reading: SentenceReading, actions: Sequence[Action]) -> Trouble | None:
    """Return the error of "A after B, but C first" (before A alone, or first of all?), or None for other sentences."""
    if reading.conj is None or reading.conj.type != "BUT" or len(reading.clauses) != 2:
        return None
    whole = build(reading)
    one, place = whole.clauses
    if not isinstance(place, Natural) or place.kind != "place" or place.links[0].relation != "<":
        return None
    if isinstance(one, Natural) and one.kind != "order":
        return None
    subject = one.items[one.links[0].subject] if isinstance(one, Natural) else one.subject
    order = Natural("order", (place.items[0], subject), place.cues[:1], (Link(0, "<", 0, 1),), place.span)
    readings = Query((whole,)), Query((whole._replace(clauses=(one, order)),))
    return two_ways(text, place.span, readings, "before which action it is first", actions)


def continued(reading: SentenceReading) -> Iterator[SentenceReading]:
    """Return the other meaning of "B, which precedes C, D and E" in regular English, where D and E belong to B's
    list.

    It exists only if no verb follows; before a verb, a comma after E would be missing.
    """
    for c, (pattern, units) in enumerate(reading.clauses):
        if isinstance(pattern, NaturalPattern):
            continue
        np = pattern.object
        if any(not of_subject for of_subject, _ in VERB_PLACES[pattern.form]) or not isinstance(
            np, NPPattern
        ):
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
    """Return the query that a reading means. A relative clause about part of a list becomes a sentence of its own."""
    if reading.tree is not None:
        return Query((reading.tree,))
    clauses: list[ClauseReading] = []
    extra: list[ClauseReading] = []
    for pattern, units in reading.clauses:
        if isinstance(pattern, NaturalPattern):
            clauses.append(ClauseReading(pattern, units))
            continue
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
    """Return the span of the actions that a list adds after its relative clause, or of the whole sentence if none
    does."""
    for pattern, units in reading.clauses:
        if isinstance(pattern, NaturalPattern):
            continue
        for side in (pattern.subject, pattern.object):
            if isinstance(side, NPPattern) and side.rest:
                return units[side.rest[0]][0].start, units[side.rest[-1]][-1].end
    return reading.first.start, reading.last.end


def _apart(sentence: Sentence, c: int, of_subject: bool) -> Query:
    """Return the query in which a relative clause is about the last action of its list only, as a sentence of its
    own."""
    clause = sentence.clauses[c]
    assert isinstance(clause, Clause)
    np = clause.subject if of_subject else clause.object
    assert isinstance(np, NP) and np.relative is not None
    form, relation, words, target, _ = np.relative
    bare = NP(np.actions)
    extra = Clause(form, relation, NP(np.actions[-1:]), target, words)
    clauses = list(sentence.clauses)
    clauses[c] = clause._replace(subject=bare) if of_subject else clause._replace(object=bare)
    return Query((sentence._replace(clauses=tuple(clauses)), Sentence((extra,))))


MAX_NAMESAKES = 6
"""Limit of action names in one sentence that are also tried as phrases of the lexicon."""

MAX_ODD = 3
"""A sentence with more missing or extra marks and conjunctions is not accepted."""

_LISTED = ("ACTION", "TIME", "COMMA", "AND")

LONGEST_PROPOSAL = 300
"""No regular wording is proposed for longer sentences (code points)."""

AS_A_RULE = "write it as a rule about calls (planscope rules add, or --rules)"


class Lenient(NamedTuple):
    """A reading of irregular English. ``likely``: regular enough to be what the author meant."""

    reading: SentenceReading
    likely: bool


class SentenceReader:
    """Reads single sentences about some actions. ``kept`` and ``natural``: see ``read_query``."""

    def __init__(self, scanner: Scanner, timed: bool, kept: bool = False, natural: bool = True) -> None:
        self.scanner = scanner
        self.ids = tuple(action.id for action in scanner.names.actions)
        self.timed = timed
        self.kept = kept
        self.natural = natural

    @cached_property
    def naturally(self) -> NaturalScanner:
        """A scanner that knows the words of natural sentences, too. Most sentences are read without it."""
        return NaturalScanner(self.scanner.names, self.timed)

    @cached_property
    def prose(self) -> Prose:
        """What reads by the table of constructions."""
        return Prose(self.scanner.names.actions, self.timed)

    def read(self, text: str) -> SentenceReading | Trouble:
        """Return the only reading of a sentence (the last one of a text may lack its period), or its error."""
        found = self._read(text)
        if not self.natural or not isinstance(found, Trouble):
            return found
        tokens = read_list(text, self.naturally) or self.naturally.tokens(text)
        if tokens is None or isinstance(tokens, Trouble):
            return found
        if not found.readings and self._written_freely(text, tokens) and (ways := self.prose.read(text)):
            return self._only(text, ways, [])
        tokens = [token for token in tokens if token.type != "ASIDE"]
        tokens = _with_period(tokens) if tokens else [Token("DOT", len(text), len(text))]
        idle = asks_nothing(text, tokens, self.naturally.mentions.words)
        return self._advised(text, tokens, replace(self._blamed(text, tokens, found), idle=idle))

    def _written_freely(self, text: str, tokens: Sequence[Token]) -> bool:
        """Return whether a sentence has words that the paper's grammar does not have."""
        plain = [token.type for token in self.scanner.tokens(text) or []]
        return [token.type for token in tokens] != plain or may_be_natural(tokens)

    def _advised(self, text: str, tokens: Sequence[Token], trouble: Trouble) -> Trouble:
        """Return the error with the nearest sentences that can be read."""
        if trouble.readings or trouble.suggestions or len(text) > LONGEST_PROPOSAL:
            return trouble
        row = [*tokens, *(self.scanner.tokens(text) or [])]
        hints = (token.meaning.value for token in row if token.type == "HINT" and _overlap(token, trouble))
        hint = hint_of(next(hints, ""))
        told = self._nearest(text, tokens, hint)
        message = trouble.message
        near = len({token.action for token in tokens} - {""}) == 2 or bool(hint.write)
        near = near or any(one.startswith("First ") for one in told)
        helped = any(words in message for words in ("did you mean", "; write "))
        if told and near and not helped and all(shown(one) == one for one in told):
            message += "; write " + " or ".join(f'"{one}"' for one in told)
            if hint.rule:
                message += f", or {AS_A_RULE}"
        elif hint.rule:
            message += f"; {AS_A_RULE}"
        return replace(trouble, message=message, suggestions=told)

    def _nearest(self, text: str, tokens: Sequence[Token], hint: Hint) -> tuple[str, ...]:
        """Return the nearest sentence that can be read, or two between which nobody can choose, or none."""
        for told in proposals(text, tokens, self.scanner.names, hint):
            readable = all(isinstance(self._read(one), SentenceReading) for one in told)
            if readable and sum(map(len, told)) <= LONGEST_PROPOSAL:
                return told
        return ()

    def _blamed(self, text: str, tokens: list[Token], trouble: Trouble) -> Trouble:
        """Return the error at the word that no grammar knows, or at which natural sentences end, unless the sentence
        has the paper's words alone."""
        types = [token.type for token in tokens]
        same = types == [token.type for token in _with_period(self.scanner.tokens(text) or [])]
        if trouble.readings or (same and "TIMELESS" not in types):
            return trouble
        at = next((at for at, kind in enumerate(types) if kind in NOT_IN_SENTENCES), None)
        if at and types[at - 1] == "COME" and tokens[at - 1].start == trouble.span[0]:
            return trouble
        if at is not None:
            objects = at and types[at - 1] in ("P", "PSC", "PT", "UNTIL")
            wanted = frozenset(("ACTION", "TIME") if objects else ("ACTION",))
            return stuck(text, tokens, at, wanted, self.scanner.names, self.timed)
        found = _fewest(tokens, "natural")
        if not isinstance(found, Stuck):
            return trouble
        at = _place(tokens, found)
        for near in range(at, max(at - 3, -1), -1):  # a word that natural sentences have elsewhere
            said = " ".join(text[tokens[near].start : tokens[near].end].lower().split())
            if tokens[near].type != "ACTION" and tokens[near].start == trouble.span[0]:
                return trouble
            if tokens[near].type in natural_types() and said in load_hints():
                hinted = tokens[near]._replace(type="HINT", meaning=Meaning("HINT", load_hints()[said]))
                tokens = [*tokens[:near], hinted, *tokens[near + 1 :]]
                return stuck(text, tokens, near, found.expected, self.scanner.names, self.timed)
        return stuck(text, tokens, at, found.expected, self.scanner.names, self.timed)

    def _read(self, text: str) -> SentenceReading | Trouble:
        tokens = self.scanner.tokens(text)
        if tokens is None:
            return _too_long(text)
        tokens = _with_period(tokens)
        regular = list(strict(tokens))
        if regular and all(map(agrees, regular)):
            return self._regular(text, regular)
        if not regular and (readings := list(namesakes(tokens))):
            return self._regular(text, readings)
        if self.natural and not regular and (natural := self._natural(text, tokens)) is not None:
            return natural
        if _gaps(tokens) > MAX_ODD:
            return self._stuck(text, tokens, 0)
        wrong = next((at for at, token in enumerate(tokens) if token.type in NOT_IN_SENTENCES), None)
        if wrong is not None:
            return self._stuck(text, tokens, wrong)
        found = lenient(tokens)
        if not isinstance(found, Stuck):
            return self._likely(text, tokens, regular, found)
        return self._only(text, regular, []) if regular else self._stuck(text, tokens, _place(tokens, found))

    def _likely(
        self, text: str, tokens: list[Token], regular: list[SentenceReading], found: list[Lenient]
    ) -> SentenceReading | Trouble:
        """Return the only meaning of the readings with the fewest irregularities, or an error with a regular
        wording."""
        readings = [one.reading for one in sorted(found, key=lambda one: not one.likely)]
        doubts = going_on(tokens)
        if any(one.likely for one in found):
            return self._only(text, readings, doubts)
        only = self._only(text, regular + readings, doubts)
        if regular or isinstance(only, Trouble):
            return only
        trouble = self._stuck(text, tokens, 0)
        regularly = render(Query((build(only),)), self.scanner.names.actions).text
        if len(regularly) > LONGEST_PROPOSAL:
            return trouble
        message = f'{trouble.message}; did you mean "{regularly}"?'
        return replace(trouble, message=message, suggestions=(regularly,))

    def _natural(self, text: str, plainly: Sequence[Token]) -> SentenceReading | Trouble | None:
        """Return the only meaning of a natural sentence, or its error, or None if the sentence is not natural.

        ``plainly``: its tokens without the words of natural sentences.
        """
        tokens = read_list(text, self.naturally) or self.naturally.tokens(text)
        if tokens is None or isinstance(tokens, Trouble):
            return tokens
        asides = tuple((token.start, token.end) for token in tokens if token.type == "ASIDE")
        tokens = tokens[len(asides) :]
        if not tokens:
            return None
        tokens = _with_period(tokens)
        wrong = any(token.type in NOT_IN_SENTENCES for token in tokens)
        same = [token.type for token in tokens] == [token.type for token in plainly]
        if wrong or _gaps(tokens) > MAX_ODD or (same and not may_be_natural(tokens)):
            return None
        found = _in_each_way(_grouped(text, tokens))
        readings = [one.reading for one in sorted(found, key=lambda one: not one.likely)]
        if not any(one.likely for one in found):
            return None
        if same and not any(map(is_natural, readings)):
            return None
        only = self._only(text, readings, going_on(tokens, "natural_continued"))
        return only if isinstance(only, Trouble) else impossible(text, only) or only._replace(asides=asides)

    def _regular(self, text: str, readings: list[SentenceReading]) -> SentenceReading | Trouble:
        """Return the only meaning of the readings in regular English, or an error."""
        doubts = [] if self.kept else [other for reading in readings for other in continued(reading)]
        return self._only(text, readings, doubts)

    def _only(
        self, text: str, readings: list[SentenceReading], doubts: list[SentenceReading]
    ) -> SentenceReading | Trouble:
        """Return the first reading if all readings and doubts mean the same, or else an error."""
        actions = self.scanner.names.actions
        for reading in readings:
            trouble = doubtful_relative(text, reading, actions) or doubtful_first(text, reading, actions)
            trouble = trouble or doubtful_but(text, reading, actions)
            if trouble is not None:
                return trouble
        if len(readings) + len(doubts) > 1 and len(found := self._meanings(readings + doubts)) > 1:
            (_, one), (last, other) = found[:2]
            return two_ways(text, rest_span(last), (one, other), "a sentence with one meaning", actions)
        return readings[0]

    def _meanings(self, readings: list[SentenceReading]) -> list[tuple[SentenceReading, Query]]:
        """Return the meanings of the readings, each with the first reading that has it."""
        said: dict[object, tuple[SentenceReading, Query]] = {}
        for reading in readings:
            tree = meant(reading)
            constraints = derive(tree, timed=self.timed, actions=self.ids)
            said.setdefault(frozenset(c.meaning for c in constraints), (reading, tree))
        return list(said.values())

    def _stuck(self, text: str, tokens: list[Token], limit: int) -> Trouble:
        """Return the error at the token where the strict grammar got stuck, or the lenient one if that got further.

        ``limit``: no grammar gets beyond this token.
        """
        if (extra := _third_clause(tokens)) is not None:
            message = "a sentence has at most two clauses; end it with a period, and begin another"
            return Trouble((extra.start, extra.end), text[extra.start : extra.end], ("a period",), message)
        folded = fold(tokens, strict=True)
        if len(folded.units) > MAX_UNITS:
            return _too_long(text)
        found = sentence_patterns(folded.types, grammar="grammar")
        assert isinstance(found, Stuck), "what the strict grammar reads was read before"
        at, types = folded.place(found.at), found.expected
        folded = fold(tokens, strict=False)
        if at < limit and len(folded.units) <= MAX_UNITS:
            further = sentence_patterns(folded.types, grammar="lenient")
            if isinstance(further, Stuck) and folded.place(further.at) > at:
                at, types = folded.place(further.at), further.expected
        if at and tokens[at - 1].type == "ACTION":
            # Another action would fit here, but the error should say that a comma is missing between the two.
            types -= {"ACTION"}
        return stuck(text, tokens, at, types, self.scanner.names, self.timed)


def _overlap(token: Token, trouble: Trouble) -> bool:
    return token.start < trouble.span[1] and trouble.span[0] < token.end


def strict(tokens: Sequence[Token]) -> Iterator[SentenceReading]:
    """Return the readings in regular English, clause by clause. Agreement is not checked."""
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


def agrees(reading: SentenceReading) -> bool:
    """Return whether no verb after a list is in the singular."""
    return not any(
        disagreements(pattern, [unit[0].meaning.number for unit in units])
        for pattern, units in reading.clauses
        if isinstance(pattern, ClausePattern)
    )


def lenient(tokens: Sequence[Token]) -> list[Lenient] | Stuck:
    """Return the readings with the fewest irregularities."""
    return _fewest(tokens, "unsaid")


def going_on(tokens: Sequence[Token], grammar: Grammar = "continued") -> list[SentenceReading]:
    """Return readings in which a list goes on after its relative clause, if no reading has fewer irregularities."""
    if not any(token.type == "WHICH" and _several(tokens[at + 1 :]) for at, token in enumerate(tokens)):
        return []
    found = _fewest(tokens, grammar)
    if isinstance(found, Stuck):
        return []
    return [one.reading for one in found if one.likely and goes_on(one.reading)]


def is_natural(reading: SentenceReading) -> bool:
    """Return whether a reading has a clause that the paper's grammar does not have."""
    return any(isinstance(pattern, NaturalPattern) for pattern, _ in reading.clauses)


def _runs_on(tokens: Sequence[Token], reading: SentenceReading) -> bool:
    """Return whether one mark or word is between a clause and a chain that begins with a list: "A precedes B, C, then
    D", where the chain may go on from B."""
    pattern, units = reading.clauses[-1]
    if reading.conj is None or reading.conj.type == "SEMI" or not isinstance(pattern, NaturalPattern):
        return False
    if pattern.kind != "chain":
        return False
    head, second = pattern.parts[:2]
    bare = isinstance(head, NPPattern) and (
        isinstance(second, NPPattern) or units[second][0].type not in ("FIRST", "VP0", "NV", "DONV")
    )
    before = tokens[tokens.index(reading.conj) - 1].type
    return bare and before not in ("COMMA", "SEMI")


def impossible(text: str, reading: SentenceReading) -> Trouble | None:
    """Return the error of "A starts before 15:00", which no constraint can state, or None."""
    for pattern, units in reading.clauses:
        if not isinstance(pattern, NaturalPattern):
            continue
        if (found := impossible_phase(pattern.kind, steps_of(pattern, units))) is None:
            continue
        cue, clock, relation = found
        token = cue_tokens(pattern, units)[cue.place]
        items = [
            part for part in pattern.parts if isinstance(part, NPPattern) or units[part][0].type == "TIME"
        ]
        first = next(part for part in items if isinstance(part, NPPattern))
        at = items[clock.place]
        assert isinstance(at, int), "only a clock time is in conflict with a verb"
        time = units[at][0]
        name = text[units[first.actions[0]][0].start : units[first.actions[-1]][-1].end]
        verb = "happen" if len(first.actions) > 1 else "happens"
        write = f"{capitalised(name)} {verb} {relation} {text[time.start : time.end]}."
        said = text[token.start : token.end]
        message = f'"{shown(said)}" tells begin and end apart, which a time cannot; write "{shown(write)}"'
        expected = (f'"{verb} {relation}"',)
        return Trouble((token.start, token.end), said, expected, message, suggestions=(write,))
    return None


def _several(tokens: Sequence[Token]) -> bool:
    """Return whether several actions follow the first verb, so that some could belong to the list before "which"."""
    behind = dropwhile(lambda token: token.type not in _LISTED, tokens)
    run = [token.type for token in takewhile(lambda token: token.type in _LISTED, behind)]
    return run.count("ACTION") + run.count("TIME") > 1


def goes_on(reading: SentenceReading) -> bool:
    """Return whether a list goes on after its relative clause."""
    regular = (pattern for pattern, _ in reading.clauses if isinstance(pattern, ClausePattern))
    sides = (side for pattern in regular for side in (pattern.subject, pattern.object))
    return any(isinstance(side, NPPattern) and bool(side.rest) for side in sides)


def _fewest(tokens: Sequence[Token], grammar: Grammar) -> list[Lenient] | Stuck:
    units, places = folded = fold(tokens, strict=False)
    if len(units) > MAX_UNITS:
        return Stuck(0, frozenset())
    patterns = sentence_patterns(folded.types, folded.numbers, grammar)
    if isinstance(patterns, Stuck):
        return patterns
    found = []
    for (clauses, conj), odd, disagreeing, unsaid in patterns:
        reading = SentenceReading(
            tuple(ClauseReading(clause, units) for clause in clauses),
            None if conj is None else tokens[places[conj]],
            tokens[0],
            tokens[-1],
        )
        found.append(Lenient(reading, not unsaid and odd <= (0 if disagreeing else MAX_ODD)))
    return found


def _in_each_way(tokens: Sequence[Token], rewrite: bool = True) -> list[Lenient]:
    """Return the natural readings of a sentence, of each of its ways if some words can mean several actions or hours.
    There are none if one of the ways cannot be read."""
    found: list[Lenient] = []
    ways = product(*(token.either or ((token,),) for token in tokens))
    for way in islice(ways, MAX_READINGS):
        row = [token for part in way for token in part]
        own = _fewest(row, "natural")
        if isinstance(own, Stuck):
            own = list(_part_by_part(row, rewrite)) or (_rewritten(row) if rewrite else [])
        own = [one for one in own if not _runs_on(row, one.reading)]
        if not any(one.likely for one in own):
            return []
        found += own
    return found


def _rewritten(tokens: Sequence[Token]) -> list[Lenient]:
    """Return the readings of a sentence that can be read when its clauses are parted, or none."""
    for rewrite in (_from_either, _fronted_chain, _attached, _spliced):
        if (row := rewrite(tokens)) and (found := _in_each_way(row, rewrite=False)):
            return found
    return []


def _part_by_part(tokens: Sequence[Token], rewrite: bool) -> Iterator[Lenient]:
    """Return the natural readings of a sentence that is read in parts between its semicolons, or none."""
    marks = [at for at, token in enumerate(tokens) if token.type == "SEMI"]
    if not marks or len(marks) > MAX_CLAUSES:
        return
    found = []
    for start, end in pairwise((-1, *marks, len(tokens) - 1)):
        own = list(tokens[start + 1 : end])
        part = _fewest(_with_period(own), "natural") if own else Stuck(0, frozenset())
        if isinstance(part, Stuck) and own and rewrite:
            part = _rewritten(_with_period(own)) or part
        if isinstance(part, Stuck):
            return
        found.append([one for one in part if not _runs_on(tokens, one.reading)])
    for row in islice(product(*found), MAX_READINGS):
        clauses = tuple(clause for one in row for clause in one.reading.clauses)
        if len(clauses) <= MAX_CLAUSES:
            reading = SentenceReading(clauses, tokens[marks[0]], tokens[0], tokens[-1])
            yield Lenient(reading, all(one.likely for one in row))


_SEMI = Token("SEMI", 0, 0, Meaning("SEMI", ";"))


def _then(tokens: Sequence[Token]) -> tuple[int, int]:
    """Return the place of the first "then", and that of the marks before it."""
    then = next((at for at, token in enumerate(tokens) if token.type in ("THEN", "AFTERWARDS")), 0)
    end = then
    while end and tokens[end - 1].type in ("COMMA", "AND", "DOT", "SEMI"):
        end -= 1
    return then, end


def _from_either(tokens: Sequence[Token]) -> list[Token]:
    """Part "A before B, and then C", where the chain may go on from A or from B."""
    then, end = _then(tokens)
    found = list(dict.fromkeys(groups(tokens[:end])))
    clear = len(found) == 1 and any(token.type in ("TIME", "WITH") for token in tokens[:end])
    either = len(found) == 2 and any(token.meaning.relation for token in tokens[:end])
    if end == then or tokens[0].type in _FRONTS or not (clear or either):
        return []
    one = next(token for token in reversed(tokens[:end]) if token.type == "ACTION")
    return [*tokens[:end], _at(_SEMI, tokens[end]), *named(one, found), *tokens[then:]]


_FRONTS = ("P", "PSC", "SC", "WHEN", "HAVING", "PT")


def _at(token: Token, place: Token) -> Token:
    return token._replace(start=place.start, end=place.start)


def _fronted_chain(tokens: Sequence[Token]) -> list[Token]:
    """Part "After A, do B and then C", where A is before both and B before C."""
    then, end = _then(tokens)
    comma = next((at for at, token in enumerate(tokens[:end]) if token.type == "COMMA"), 0)
    if end == then or not comma or tokens[0].type not in _FRONTS or tokens[-1].type != "DOT":
        return []
    head, rest = tokens[comma + 1 : end], tokens[then:-1]
    chain = [token for token in head if token.type == "ACTION"]
    types = {token.type for token in (*head, *rest)} - {"ACTION", "DO", "YOU", "THEN", "AFTERWARDS"}
    if len(chain) > 1 or not types <= {"COMMA", "AND"}:
        return []
    row: list[Token] = []
    for number, action in enumerate(token for token in (*head, *rest) if token.type == "ACTION"):
        row += [_SEMI, *tokens[:comma], tokens[comma], _DO, action] if number else [action]
    row = [*tokens[: comma + 1], _DO, *row, _SEMI, *chain, *rest, tokens[-1]]
    return [_at(token, tokens[end]) if token is _SEMI else token for token in row]


_DO = Token("DO", 0, 0, Meaning("DO"))


def _attached(tokens: Sequence[Token]) -> list[Token]:
    """Part "Do A before B after C", where what stands last may be about A or about B."""
    row = [token for token in tokens if token.type not in ("DO", "DOING", "YOU")]
    if not _is_row(row, ["ACTION", "P", "ACTION", "P"]):
        return []
    here, last = row[3], row[2]
    at = tokens.index(here)
    either = (_at(_AND, here),), (_at(_SEMI, here), last)
    return [*tokens[:at], either[0][0]._replace(either=either), *tokens[at:]]


_AND = Token("AND", 0, 0, Meaning("AND", "and"))


def _grouped(text: str, tokens: Sequence[Token]) -> list[Token]:
    """Part "A before B and C before D", where C may stand beside B or begin a clause, or return all tokens."""
    row = [token for token in tokens if token.type not in ("DOING", "YOU")]
    if not _is_row(row, ["ACTION", "P", "ACTION", "AND", "ACTION", "P"]):
        return list(tokens)
    _, _, other, joint, last, here, *_ = row
    if other.action == last.action:  # "A before B and B before C"
        return [*tokens[: tokens.index(joint)], _at(_SEMI, joint), last, *tokens[tokens.index(here) :]]
    doing = [text[one.start : one.end].split()[0].endswith("ing") for one in (other, last)]
    if doing[0] != doing[1]:
        return list(tokens)
    start, end = tokens.index(joint), tokens.index(here)
    either = (joint, last, _at(_AND, here)), (_at(_SEMI, here), last)
    return [*tokens[:start], joint._replace(either=either), *tokens[end:]]


def _is_row(tokens: Sequence[Token], types: Sequence[str]) -> bool:
    """Return whether tokens have these types, where "P" is any preposition, and then one action or time."""
    row = ["P" if token.type in ("P", "PSC", "PT") else token.type for token in tokens]
    return row[:-2] == types and row[-2] in ("ACTION", "TIME") and row[-1] == "DOT"


def _spliced(tokens: Sequence[Token]) -> list[Token]:
    """Part "A before B, C before D" at its commas, if every part relates one action to one other."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.type in ("COMMA", "SEMI", "DOT"):
            parts.append([])
        elif token.type != "AND":
            parts[-1].append(token)
    for part in parts[:-1]:
        own = [one.type for one in part if one.type not in ("DO", "YOU", "DOING")]
        if own.count("ACTION") != 2 or own[0] != "ACTION" or own[-1] != "ACTION" or len(own) > 4:
            return []
    return [*[token for part in parts[:-1] for token in (*part, _at(_SEMI, part[-1]))][:-1], tokens[-1]]


def namesakes(tokens: Sequence[Token]) -> Iterator[SentenceReading]:
    """Yield strict readings in which some names of actions ("before", "and") are read as phrases of the lexicon."""
    places = [at for at, token in enumerate(tokens) if token.other is not None][:MAX_NAMESAKES]
    for chosen in product((False, True), repeat=len(places)):
        changed = list(tokens)
        for place, as_phrase in zip(places, chosen, strict=True):
            other = changed[place].other
            if as_phrase and other is not None:
                changed[place] = changed[place]._replace(type=other.type, meaning=other, action="")
        if any(chosen):
            yield from strict(changed)


def _place(tokens: Sequence[Token], found: Stuck) -> int:
    """Return the token where the lenient grammar got stuck."""
    return fold(tokens, strict=False).place(found.at)


def _with_period(tokens: list[Token]) -> list[Token]:
    """Return the tokens with the period that the last sentence of a text may lack. No tokens are no sentence."""
    if not tokens or tokens[-1].type == "DOT":
        return tokens
    return [*tokens, Token("DOT", tokens[-1].end, tokens[-1].end)]


def _gaps(tokens: Sequence[Token]) -> int:
    """Count the actions that directly follow an action. Each is an irregularity in every reading."""
    return sum(one.type == other.type == "ACTION" for one, other in pairwise(tokens))


def _third_clause(tokens: Sequence[Token]) -> Token | None:
    """Return the conjunction before a third clause if every clause can be read by itself, or else None."""
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
