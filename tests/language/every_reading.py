"""Every reading of a short sentence, by trying each: a reference for the parser that shares nothing with it.

A sentence is a tuple of words: letters are actions, "10:00" is a time, and each of ``WORDS`` is what it says. What is
irregular in a reading is counted as the grammars have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

Tokens = tuple[str, ...]
Said = frozenset[tuple[str, str, str]]
"""(one, relation, other): an action before ("<") or after (">") another or an hour; actions as "a < b"."""

VP = {"precedes": ("s", "<"), "precede": ("p", "<"), "should precede": ("", "<")} | {
    "follows": ("s", ">"),
    "follow": ("p", ">"),
    "must follow": ("", ">"),
}
VP0 = {"happens": "s", "happen": "p", "should occur": ""}
P = {"before": "<", "after": ">", "prior to": "<"}
SC = {"before": "<", "after": ">", "before the time when": "<"}
CONJ = ("and", "but", "while")


class Part(NamedTuple):
    """What some words can mean: where they end, what is irregular, what is said, and the list that they name."""

    end: int
    odd: int = 0
    disagreeing: int = 0
    unsaid: bool = False
    goes_on: bool = False
    said: Said = frozenset()
    names: Tokens = ()

    @property
    def cost(self) -> int:
        return self.odd + self.disagreeing


def _then(one: Part, other: Part, names: Tokens = ()) -> Part:
    return Part(
        other.end,
        one.odd + other.odd,
        one.disagreeing + other.disagreeing,
        one.unsaid or other.unsaid,
        one.goes_on or other.goes_on,
        one.said | other.said,
        names,
    )


def _mark(tokens: Tokens, at: int, mark: str) -> Iterator[Part]:
    """A mark that belongs at a place, or is missing there."""
    if tokens[at : at + 1] == (mark,):
        yield Part(at + 1)
    yield Part(at, odd=1)


def _runs(tokens: Tokens, at: int) -> Iterator[tuple[int, Tokens, list[str]]]:
    """Actions from a place on, as many as one likes, with what stands between them."""
    names: list[str] = []
    between: list[str] = []
    while at < len(tokens) and len(tokens[at]) == 1 and tokens[at].isalpha():
        names.append(tokens[at])
        at += 1
        yield at, tuple(names), list(between)
        start = at
        while at < len(tokens) and tokens[at] in (",", "and"):
            at += 1
        mark = " ".join(tokens[start:at])
        if mark not in ("", ",", "and", ", and"):
            return
        between.append(mark)


def _marks(between: list[str]) -> tuple[int, bool]:
    """How irregular the marks of a list are, and whether an "and" is missing that nothing can do without."""
    if not between or set(between) == {"and"}:
        return 0, False
    *others, last = between
    odd = sum(mark != "," for mark in others)
    return odd + (last in ("", ",") or (last == ", and" and not others)), last == ""


def _lists(tokens: Tokens, at: int) -> Iterator[Part]:
    for end, names, between in _runs(tokens, at):
        odd, unsaid = _marks(between)
        yield Part(end, odd=odd, unsaid=unsaid, names=names)


def _targets(tokens: Tokens, at: int) -> Iterator[Part]:
    if tokens[at : at + 1] == ("10:00",):
        yield Part(at + 1, names=("10:00",))
    yield from _lists(tokens, at)


def _pairs(names: Tokens, relation: str, others: Tokens) -> Said:
    turned = {"<": ">", ">": "<"}
    found = set()
    for one in names:
        for other in others:
            if relation == ">" and other != "10:00":
                found.add((other, turned[relation], one))
            else:
                found.add((one, relation, other))
    return frozenset(found)


def _wrong(number: str, names: Tokens) -> int:
    return int(number == "s" and len(names) > 1)


def _relatives(tokens: Tokens, at: int, names: Tokens) -> Iterator[Part]:
    """Clauses with "which" behind a list. With a verb in the singular it may speak of the last action only."""
    if tokens[at : at + 1] != ("which",) or at + 1 >= len(tokens):
        return
    word = tokens[at + 1]
    found: list[tuple[int, str, str]] = []
    if word in VP:
        found.append((at + 2, *VP[word]))
    if word in VP0 and at + 2 < len(tokens) and tokens[at + 2] in P:
        found.append((at + 3, VP0[word], P[tokens[at + 2]]))
    for start, number, relation in found:
        for target in _targets(tokens, start):
            wrong = _wrong(number, names)
            for speakers in (names, names[-1:]) if wrong else (names,):
                said = _pairs(speakers, relation, target.names)
                yield target._replace(disagreeing=wrong, said=said)


def _rests(tokens: Tokens, at: int) -> Iterator[tuple[Part, bool]]:
    """What a list goes on with behind its relative clause, and whether an "and" is where it belongs."""
    if tokens[at : at + 1] == ("and",):
        for rest in _lists(tokens, at + 1):
            yield rest._replace(odd=rest.odd + (len(rest.names) > 1)), True
        return
    for end, names, between in _runs(tokens, at):
        *others, last = between or [","]
        if last == "":
            continue
        anded = set(between) == {"and"}
        odd = 0 if anded else sum(mark != "," for mark in others)
        yield Part(end, odd=odd, names=names), last != ","


def _heads(tokens: Tokens, at: int) -> Iterator[tuple[Part, bool]]:
    """What may go on, and whether no "and" has closed it yet."""
    for head in _lists(tokens, at):
        yield head, len(head.names) == 1
    for end, names, between in _runs(tokens, at):
        if len(names) > 1:
            yield Part(end, odd=sum(mark != "," for mark in between), names=names), True


def _nps(tokens: Tokens, at: int, closed: bool) -> Iterator[Part]:
    """Noun phrases. ``closed``: a comma must close the relative clause."""
    yield from _lists(tokens, at)
    for of in _lists(tokens, at):
        for opening in _mark(tokens, of.end, ","):
            for relative in _relatives(tokens, opening.end, of.names):
                found = _then(_then(of, opening), relative, of.names)
                if closed:
                    for closing in _mark(tokens, found.end, ","):
                        yield _then(found, closing, of.names)
                else:
                    yield found
    for of, begun in _heads(tokens, at):
        for opening in _mark(tokens, of.end, ","):
            for relative in _relatives(tokens, opening.end, of.names):
                for closing in _mark(tokens, relative.end, ","):
                    for rest, anded in _rests(tokens, closing.end):
                        found = _then(_then(_then(of, opening), relative), closing)
                        found = _then(found, rest, of.names + rest.names)._replace(goes_on=True)
                        wrong = not anded or (closed and not begun)
                        yield found._replace(odd=found.odd + wrong)
                        if closed and tokens[found.end : found.end + 1] == (",",):
                            yield found._replace(end=found.end + 1, odd=found.odd + 1)


def _verb(tokens: Tokens, part: Part, names: Tokens) -> Iterator[Part]:
    """A noun phrase with "happens" behind it."""
    word = tokens[part.end] if part.end < len(tokens) else ""
    if word in VP0:
        wrong = _wrong(VP0[word], names)
        yield part._replace(end=part.end + 1, disagreeing=part.disagreeing + wrong)


def _related(one: Part, other: Part, relation: str) -> Part:
    """Subject and object in either order of the text; ``one`` is the subject."""
    found = _then(one, other)
    return found._replace(
        end=max(one.end, other.end), said=found.said | _pairs(one.names, relation, other.names)
    )


def _objects(tokens: Tokens, at: int) -> Iterator[Part]:
    if tokens[at : at + 1] == ("10:00",):
        yield Part(at + 1, names=("10:00",))
    yield from _nps(tokens, at, closed=False)


def _clauses(tokens: Tokens, at: int) -> Iterator[Part]:
    for subject in _nps(tokens, at, closed=True):
        word = tokens[subject.end] if subject.end < len(tokens) else ""
        if word in VP:
            number, relation = VP[word]
            verb = subject._replace(disagreeing=subject.disagreeing + _wrong(number, subject.names))
            for other in _objects(tokens, subject.end + 1):
                yield _related(verb, other, relation)
        for verb in _verb(tokens, subject, subject.names):
            word = tokens[verb.end] if verb.end < len(tokens) else ""
            if word in P:
                for other in _objects(tokens, verb.end + 1):
                    yield _related(verb, other, P[word])
            if word in SC:
                for np in _nps(tokens, verb.end + 1, closed=True):
                    for other in _verb(tokens, np, np.names):
                        yield _related(verb, other, SC[word])
    word = tokens[at] if at < len(tokens) else ""
    if word in P:
        for other in _objects(tokens, at + 1):
            yield from _fronted(tokens, other, P[word])
    if word in SC:
        for np in _nps(tokens, at + 1, closed=True):
            for other in _verb(tokens, np, np.names):
                yield from _fronted(tokens, other, SC[word])


def _fronted(tokens: Tokens, other: Part, relation: str) -> Iterator[Part]:
    commas = list(_mark(tokens, other.end, ","))
    if tokens[other.end : other.end + 2] == (",", "and"):
        commas.append(Part(other.end + 2, odd=1, unsaid=True))
    for comma in commas:
        for np in _nps(tokens, comma.end, closed=True):
            for subject in _verb(tokens, np, np.names):
                found = _related(_then(comma, subject, subject.names), other, relation)
                yield found


def _conjunctions(tokens: Tokens, at: int) -> Iterator[Part]:
    mark, word = (*tokens[at : at + 2], "", "")[:2]
    yield Part(at, odd=1, unsaid=True)
    if mark in CONJ:
        yield Part(at + 1, odd=1)
    if mark == ",":
        yield Part(at + 1, odd=1)
    if mark == ";":
        yield Part(at + 1)
    if mark in (",", ";") and word in CONJ:
        yield Part(at + 2, odd=int(mark == ";"))


def readings(tokens: Tokens) -> list[Part]:
    """All readings of a sentence, without its period."""
    found = []
    for one in _clauses(tokens, 0):
        if one.end == len(tokens):
            found.append(one)
        for conj in _conjunctions(tokens, one.end):
            for other in _clauses(tokens, conj.end):
                if other.end == len(tokens):
                    found.append(_then(_then(one, conj), other))
    return found


def likely(part: Part) -> bool:
    """Whether a reading is regular enough to be what was meant."""
    return not part.unsaid and part.odd <= (0 if part.disagreeing else 3)


def written(tokens: Tokens) -> str:
    """The text of a sentence."""
    return " ".join(tokens).replace(" ,", ",").replace(" ;", ";") + "."
