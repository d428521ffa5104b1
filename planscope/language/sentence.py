"""Reads one sentence, strictly and then leniently. It is an error if it has no meaning, or more than one.

Long lists are folded and sentences are split at their conjunction first, so that few sequences of token types are new
to the parser's cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import dropwhile, pairwise, product, takewhile
from typing import NamedTuple

from planscope.language import english
from planscope.language.build import ClauseReading, SentenceReading, Unit, build
from planscope.language.cuts import TOO_LONG, Scanner
from planscope.language.derive import derive
from planscope.language.error_messages import proposals, shown, stuck
from planscope.language.errors import Trouble
from planscope.language.grammar import (
    MAX_UNITS,
    VERB_PLACES,
    ClausePattern,
    Grammar,
    NPPattern,
    Stuck,
    clause_patterns,
    disagreements,
    sentence_patterns,
)
from planscope.language.item_list import marks_of, unordered_list
from planscope.language.problem import Action, Constraint, Span
from planscope.language.prose import Prose
from planscope.language.render import render
from planscope.language.scan import NOT_IN_SENTENCES, Hint, Token, hint_of
from planscope.language.tree import NP, Clause, Query, Sentence

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
    """Return the other meaning of "B, which precedes C, D and E" in regular English, where D and E belong to B's
    list.

    It exists only if no verb follows; before a verb, a comma after E would be missing.
    """
    for c, (pattern, units) in enumerate(reading.clauses):
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
    """Reads single sentences about some actions. ``kept``: see ``read_query``."""

    def __init__(self, scanner: Scanner, kept: bool = False) -> None:
        self.scanner = scanner
        self.ids = tuple(action.id for action in scanner.names.actions)
        self.timed = scanner.timed
        self.kept = kept

    @cached_property
    def prose(self) -> Prose:
        """What reads by the table of constructions."""
        return Prose(self.scanner.names, self.timed)

    def read(self, text: str) -> SentenceReading | Trouble:
        """Return the only reading of a sentence (the last one of a text may lack its period), or its error."""
        found = self._read(text)
        if not isinstance(found, Trouble) or found.readings:
            return found
        if wrong := unordered_list(text, self.scanner.names):
            return wrong
        tokens = Scanner(names=self.scanner.names, timed=self.timed, prose=True).tokens(text)
        if tokens is None:
            return found
        if may_be_free(self.scanner.tokens(text) or []) and (ways := self.prose.read(text)):
            return self.only(text, ways, [])
        idle = self.prose.idle(text)
        if idle and text[:6].lower() == "please":
            why = "this says no order, and each action is done anyway"
            return Trouble((0, len(text)), shown(text), ("an order",), why, idle=True)
        tokens = _with_period(tokens)
        return self._advised(text, tokens, replace(self._blamed(text, tokens, found), idle=idle))

    def _advised(self, text: str, tokens: Sequence[Token], trouble: Trouble) -> Trouble:
        """Return the error with the nearest sentences that can be read."""
        if trouble.readings or trouble.suggestions or len(text) > LONGEST_PROPOSAL:
            return trouble
        start, end = trouble.span
        row = [*tokens, *(self.scanner.tokens(text) or [])]
        blamed = (one for one in row if one.type == "HINT" and one.start < end and start < one.end)
        hint = hint_of(next((token.meaning.value for token in blamed), ""))
        told = self._nearest(text, tokens, hint)
        message = trouble.message
        near = len({token.action for token in tokens} - {""}) == 2 or bool(hint.write)
        near = near or any(one.startswith("First ") or " happens " in one for one in told)
        helped = any(words in message for words in ("did you mean", "; write "))
        if told and near and not helped and all(shown(one) == one for one in told):
            message += "; write " + " or ".join(f'"{one}"' for one in told)
            if hint.rule:
                message += f", or {AS_A_RULE}"
        elif hint.rule:
            message += f"; {AS_A_RULE}"
        return replace(trouble, message=message, suggestions=told)

    def _plainly(self, text: str) -> SentenceReading | Trouble:
        """Read a sentence, without advice if it cannot be read."""
        found = self._read(text)
        ways = self.prose.read(text) if isinstance(found, Trouble) and not found.readings else []
        return self.only(text, ways, []) if ways else found

    def _nearest(self, text: str, tokens: Sequence[Token], hint: Hint) -> tuple[str, ...]:
        """Return the nearest sentence that can be read, or two between which nobody can choose, or none."""
        for told in proposals(text, tokens, self.scanner.names, hint):
            readable = all(isinstance(self._plainly(one), SentenceReading) for one in told)
            if readable and sum(map(len, told)) <= LONGEST_PROPOSAL:
                return told
        return ()

    def _blamed(self, text: str, tokens: list[Token], trouble: Trouble) -> Trouble:
        """Return the error at the first word that nobody knows, unless the sentence has the paper's words alone."""
        types = [token.type for token in tokens]
        said = [text[token.start : token.end].lower() for token in tokens]
        marks = [start for start, _ in marks_of(text)]
        odd = [
            at for at, kind in enumerate(types) if kind in NOT_IN_SENTENCES and tokens[at].start not in marks
        ]
        blamed = next((types[at] for at in odd if tokens[at].start == trouble.span[0]), "")
        at = next((at for at in odd if types[at] == "TIMELESS"), None)
        if at is None and (blamed == "HINT" or trouble.span[0] in marks):
            at = next((at for at in odd if types[at] == "UNKNOWN" and said[at] not in english.PLAIN), None)
        elif at is None and not blamed:
            hints = [(at, hint_of(tokens[at].meaning.value)) for at in odd if types[at] == "HINT"]
            at = next(
                (at for at, one in hints if one.rule or one.write or said[at] not in english.PLAIN), None
            )
        if trouble.readings or at is None:
            return trouble
        objects = at and types[at - 1] in ("P", "PSC", "UNTIL")
        wanted = frozenset(("ACTION", "TIME") if objects else ("ACTION",))
        return stuck(text, tokens, at, wanted, self.scanner.names, self.timed)

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
        # Each action that directly follows an action is an irregularity in every reading.
        if sum(one.type == other.type == "ACTION" for one, other in pairwise(tokens)) > MAX_ODD:
            return self._stuck(text, tokens, 0)
        wrong = next((at for at, token in enumerate(tokens) if token.type in NOT_IN_SENTENCES), None)
        if wrong is not None:
            return self._stuck(text, tokens, wrong)
        found = lenient(tokens)
        if not isinstance(found, Stuck):
            return self._likely(text, tokens, regular, found)
        if regular:
            return self.only(text, regular, [])
        return self._stuck(text, tokens, fold(tokens, strict=False).place(found.at))

    def _likely(
        self, text: str, tokens: list[Token], regular: list[SentenceReading], found: list[Lenient]
    ) -> SentenceReading | Trouble:
        """Return the only meaning of the readings with the fewest irregularities, or an error with a regular
        wording."""
        readings = [one.reading for one in sorted(found, key=lambda one: not one.likely)]
        doubts = going_on(tokens)
        if any(one.likely for one in found):
            return self.only(text, readings, doubts)
        only = self.only(text, regular + readings, doubts)
        if regular or isinstance(only, Trouble):
            return only
        trouble = self._stuck(text, tokens, 0)
        regularly = render(Query((build(only),)), self.scanner.names.actions).text
        if len(regularly) > LONGEST_PROPOSAL:
            return trouble
        message = f'{trouble.message}; did you mean "{regularly}"?'
        return replace(trouble, message=message, suggestions=(regularly,))

    def _regular(self, text: str, readings: list[SentenceReading]) -> SentenceReading | Trouble:
        """Return the only meaning of the readings in regular English, or an error."""
        doubts = [] if self.kept else [other for reading in readings for other in continued(reading)]
        return self.only(text, readings, doubts)

    def only(
        self, text: str, readings: list[SentenceReading], doubts: list[SentenceReading]
    ) -> SentenceReading | Trouble:
        """Return the first reading if all readings and doubts mean the same, or else an error."""
        actions = self.scanner.names.actions
        for reading in readings:
            if (trouble := doubtful_relative(text, reading, actions)) is not None:
                return trouble
        if len(readings) + len(doubts) > 1 and len(found := self._meanings(readings + doubts)) > 1:
            (_, one), (last, other) = found[:2]
            return two_ways(text, rest_span(last), (one, other), "a sentence with one meaning", actions)
        chain = " then " in text.casefold()  # it may come back to an action
        if (
            readings[0].tree is not None
            and not chain
            and _contradicts(derive(meant(readings[0]), timed=self.timed, actions=self.ids))
        ):
            why = "so it would contradict itself; say it in two sentences"
            return Trouble((0, len(text)), shown(text), ("a sentence with one meaning",), why)
        return readings[0]

    def _meanings(self, readings: list[SentenceReading]) -> list[tuple[SentenceReading, Query]]:
        """Return the meanings of the readings, each with the first reading that has it."""
        said: dict[object, tuple[SentenceReading, Query]] = {}
        for reading in readings:
            tree = meant(reading)
            constraints = derive(tree, timed=self.timed, actions=self.ids)
            said.setdefault(_implied(constraints), (reading, tree))
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


def _implied(constraints: Iterable[Constraint]) -> frozenset[object]:
    """Return what constraints mean, with the orders that follow from others."""
    orders = {(c.before, c.after) for c in constraints if c.kind == "order"}
    while more := {(a, d) for a, b in orders for c, d in orders if b == c} - orders:
        orders |= more
    return frozenset(orders) | {c.meaning for c in constraints if c.kind != "order"}


def _contradicts(constraints: Iterable[Constraint]) -> bool:
    """Return whether the constraints of one sentence cannot all hold: then it was not meant so."""
    ends = {c.action: c.hour or 0 for c in constraints if c.kind == "end_at_most"}
    begins = [(c.action, c.hour or 0) for c in constraints if c.kind == "start_at_least"]
    orders = {(c.before, c.after) for c in constraints if c.kind == "order"}
    turned = any(a != b and (b, a) in orders for a, b in orders)
    return turned or any(ends.get(one, 99) <= hour for one, hour in begins)


def may_be_free(tokens: Sequence[Token]) -> bool:
    """Return whether a sentence has words or a form that the paper's grammar does not have, so that its errors are not
    those of a wrong sentence of that grammar."""
    types = [token.type for token in tokens]
    if "WHICH" in types and set(NOT_IN_SENTENCES).isdisjoint(types):
        return False
    if not {*NOT_IN_SENTENCES, "TIME"}.isdisjoint(types) or {"VP", "VP0"}.isdisjoint(types):
        return True
    return types[0] in _RELATING or any(
        (one in ("AND", "BUT", "COMMA") and other in (*_RELATING, "VP", "VP0"))
        or (one == "ACTION" and other in _RELATING)
        for one, other in pairwise(types)
    )


_RELATING = ("P", "PSC", "SC")


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
    )


def lenient(tokens: Sequence[Token]) -> list[Lenient] | Stuck:
    """Return the readings with the fewest irregularities."""
    return _fewest(tokens, "unsaid")


def going_on(tokens: Sequence[Token]) -> list[SentenceReading]:
    """Return readings in which a list goes on after its relative clause, if no reading has fewer irregularities."""
    if not any(token.type == "WHICH" and _several(tokens[at + 1 :]) for at, token in enumerate(tokens)):
        return []
    found = _fewest(tokens, "continued")
    if isinstance(found, Stuck):
        return []
    return [one.reading for one in found if one.likely and goes_on(one.reading)]


def _several(tokens: Sequence[Token]) -> bool:
    """Return whether several actions follow the first verb, so that some could belong to the list before "which"."""
    behind = dropwhile(lambda token: token.type not in _LISTED, tokens)
    run = [token.type for token in takewhile(lambda token: token.type in _LISTED, behind)]
    return run.count("ACTION") + run.count("TIME") > 1


def goes_on(reading: SentenceReading) -> bool:
    """Return whether a list goes on after its relative clause."""
    sides = (side for pattern, _ in reading.clauses for side in (pattern.subject, pattern.object))
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


def _with_period(tokens: list[Token]) -> list[Token]:
    """Return the tokens with the period that the last sentence of a text may lack. No tokens are no sentence."""
    if not tokens or tokens[-1].type == "DOT":
        return tokens
    return [*tokens, Token("DOT", tokens[-1].end, tokens[-1].end)]


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
    return Trouble((0, len(text)), shown(text), ("a shorter sentence",), TOO_LONG)
