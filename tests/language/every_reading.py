"""Every reading of a short sentence, by trying each: a reference for the parser that shares nothing with it.

A sentence is a tuple of words: letters are actions, "10:00" is a time, and each of ``WORDS`` is what it says. What is
irregular in a reading is counted as the grammars have it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import product
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

PHASES = ("is done", "starts")
WAITS = {"waits for": ">", "is required for": "<"}
NOT = ("must not happen", "cannot start")
CLOCKS = {"no later than": "<", "no earlier than": ">"}
EVERYTHING = "abcdefghijkl"
"""All actions, which "comes first" is about."""


class Part(NamedTuple):
    """What some words can mean: where they end, what is irregular, what is said, and the list that they name."""

    end: int
    odd: int = 0
    disagreeing: int = 0
    unsaid: bool = False
    goes_on: bool = False
    said: Said = frozenset()
    names: Tokens = ()
    natural: bool = False
    impossible: bool = False
    """Does a verb such as "starts" have an hour that it cannot have?"""
    bare: bool = False
    """Is it a chain that begins with a list, without "first" or "do"?"""
    runs_on: bool = False
    """Is it such a chain behind another clause, with one mark or word between them?"""

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
        one.natural or other.natural,
        one.impossible or other.impossible,
    )


def _told(verb: str, part: Part) -> Part:
    """The part, marked as impossible if it says "is done after 10:00" or "starts before 10:00"."""
    wrong = {"is done": ">", "starts": "<", "cannot start": "<"}.get(verb)
    return part._replace(
        impossible=part.impossible or any(r == wrong and o == "10:00" for _, r, o in part.said)
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
    if tokens[at : at + 1] == ("both",):
        for end, names, between in _runs(tokens, at + 1):
            if between == ["and"]:
                yield Part(end, names=names, natural=True)


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
    yield from _chains(tokens, at)
    yield from _orders(tokens, at)
    yield from _before_the_subject(tokens, at)
    yield from _places(tokens, at)
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


def _word(tokens: Tokens, at: int, words: Container[str]) -> bool:
    return at < len(tokens) and tokens[at] in words


def _verbs(tokens: Tokens, part: Part) -> Iterator[Part]:
    """A list with any verb behind it, in any number."""
    if _word(tokens, part.end, VP0) or _word(tokens, part.end, PHASES):
        yield part._replace(end=part.end + 1)


def _chains(tokens: Tokens, at: int) -> Iterator[Part]:
    """First a, then b and c, and finally d. A, b, then c. What begins without a "first" or a "do" is bare."""
    if _word(tokens, at, ("first",)):
        for start in {at + 1, at + 2} if _word(tokens, at + 1, (",",)) else {at + 1}:
            yield from (part for _, part in _chained(tokens, start))
        return
    for first, part in [*_chained(tokens, at), *_in_a_row_first(tokens, at)]:
        yield part._replace(bare=tokens[at] != "do" and tokens[first.end - 1] not in (*VP0, *PHASES))
    for head in _items(tokens, at):
        if _word(tokens, head.end, ("first",)):
            others = tuple(name for name in EVERYTHING if name not in head.names)
            for part in _onward(tokens, head._replace(end=head.end + 1)):
                yield part
                yield part._replace(said=part.said | _pairs(head.names, "<", others))
        for marks in (("but",), (",", "but")):
            if tokens[head.end : head.end + len(marks)] == marks:
                for other in _items(tokens, head.end + len(marks)):
                    if _word(tokens, other.end, ("first",)):
                        found = _then(head, other)._replace(end=other.end + 1, natural=True)
                        yield found._replace(said=found.said | _pairs(other.names, "<", head.names))


def _chained(tokens: Tokens, at: int) -> Iterator[tuple[Part, Part]]:
    """The first item, and a chain that begins with it."""
    for first in _items(tokens, at):
        yield from ((first, part) for part in _onward(tokens, first))
        for row in _rows(tokens, first):
            yield from ((first, part) for part in _onward(tokens, row, bare=1))


def _rows(tokens: Tokens, first: Part) -> Iterator[Part]:
    """An item with single ones behind commas: one after the other."""
    rows = [first]
    while rows := [step for row in rows for step in _steps(tokens, row, (",",))]:
        yield from rows


def _steps(tokens: Tokens, row: Part, marks: Tokens) -> Iterator[Part]:
    start = row.end + len(marks)
    if tokens[row.end : start] == marks:
        for step in _items(tokens, start):
            if len(step.names) == 1:
                found = _then(row, step, step.names)
                yield found._replace(said=found.said | _pairs(row.names, "<", step.names))


def _one(tokens: Tokens, at: int) -> Iterator[Part]:
    yield from (part for part in _lists(tokens, at) if part.end == at + 1)


def _in_a_row(tokens: Tokens, at: int) -> Iterator[tuple[Part, Part]]:
    """A list with "and" whose actions come one after the other."""
    for one in _one(tokens, at):
        yield from ((one, row) for row in _steps(tokens, one, ("and",)))
    for first in _items(tokens, at):
        for row in _rows(tokens, first):
            for marks in (("and",), (",", "and")):
                yield from ((first, end) for end in _steps(tokens, row, marks))


def _in_a_row_first(tokens: Tokens, at: int) -> Iterator[tuple[Part, Part]]:
    for first, row in _in_a_row(tokens, at):
        yield from ((first, part) for part in _onward(tokens, row))


def _tails(tokens: Tokens, at: int) -> Iterator[tuple[Part, Part]]:
    """What may follow a "then"."""
    for item in _items(tokens, at):
        yield item, item
        for row in _rows(tokens, item):
            yield item, row._replace(odd=row.odd + 1)
    for one in _one(tokens, at):
        yield from ((one, row._replace(odd=row.odd + 1)) for row in _steps(tokens, one, (",", "and")))
    yield from _in_a_row(tokens, at)
    yield from _chained(tokens, at)


def _onward(tokens: Tokens, head: Part, bare: int = 0) -> Iterator[Part]:
    """``bare``: how odd a "then" without a mark is."""
    for marks in ((), (",",), ("and",), (",", "and"), ("and", ","), (";",)):
        end = head.end + len(marks)
        if tokens[head.end : end] != marks or not _word(tokens, end, ("then", "last")):
            continue
        for start in (end + 1, end + 2) if _word(tokens, end + 1, (",",)) else (end + 1,):
            for first, tail in _tails(tokens, start):
                found = _then(head, tail, tail.names)
                said = found.said | _pairs(head.names, "<", first.names)
                yield found._replace(said=said, natural=True, odd=found.odd + (0 if marks else bare))


def _items(tokens: Tokens, at: int) -> Iterator[Part]:
    for start in (at, at + 1) if _word(tokens, at, ("do",)) else (at,):
        for names in _lists(tokens, start):
            yield names
            if start == at:
                yield from _verbs(tokens, names)


def _wheres(tokens: Tokens, at: int, names: Tokens) -> Iterator[tuple[Part, bool]]:
    """What stands behind a verb: before b, after b is done, no later than 10:00; is it in the paper's grammar?"""
    word = tokens[at] if at < len(tokens) else ""
    if word in P:
        for target in _targets(tokens, at + 1):
            yield target._replace(said=_pairs(names, P[word], target.names)), True
    if word in (*P, *SC) and _word(tokens, at + 1, ("doing",)):
        for target in _lists(tokens, at + 2):
            yield target._replace(said=_pairs(names, {**P, **SC}[word], target.names)), False
    if word in SC:
        for target in _lists(tokens, at + 1):
            for done in _verbs(tokens, target):
                regular = tokens[target.end] in VP0
                yield done._replace(said=_pairs(names, SC[word], target.names)), regular
        for both in _done_twice(tokens, at + 1):
            yield both._replace(said=_pairs(names, SC[word], both.names)), False
    if word in CLOCKS and _word(tokens, at + 1, ("10:00",)):
        yield Part(at + 2, said=_pairs(names, CLOCKS[word], ("10:00",))), False


def _done_twice(tokens: Tokens, at: int) -> Iterator[Part]:
    """A is done and b is done."""
    for one in _lists(tokens, at):
        for done in _verbs(tokens, one):
            if _word(tokens, done.end, ("and",)):
                for other in _lists(tokens, done.end + 1):
                    for both in _verbs(tokens, other):
                        yield _then(done, both, one.names + other.names)


def _unlesses(tokens: Tokens, at: int, names: Tokens) -> Iterator[Part]:
    """What stands behind "don't do a": until b is done, before b."""
    word = tokens[at] if at < len(tokens) else ""
    if word == "until":
        for target in _targets(tokens, at + 1):
            yield target._replace(said=_pairs(names, ">", target.names))
    turned = {"<": ">", ">": "<"}
    if word in P:
        for target in _targets(tokens, at + 1):
            yield target._replace(said=_pairs(names, turned[P[word]], target.names))
    if word not in ("until", *P, *SC):
        return
    relation = ">" if word == "until" else turned[{**P, **SC}[word]]
    if _word(tokens, at + 1, ("doing",)):
        for target in _lists(tokens, at + 2):
            yield target._replace(said=_pairs(names, relation, target.names))
    if word == "until" or word in SC:
        for target in _lists(tokens, at + 1):
            for done in _verbs(tokens, target):
                yield done._replace(said=_pairs(names, relation, target.names))
        for both in _done_twice(tokens, at + 1):
            yield both._replace(said=_pairs(names, relation, both.names))


def _predicates(tokens: Tokens, at: int, names: Tokens) -> Iterator[tuple[Part, bool]]:
    """A verb with what stands behind it, and whether the paper's grammar has both."""
    word = tokens[at] if at < len(tokens) else ""
    if word in VP:
        for target in _targets(tokens, at + 1):
            yield target._replace(said=_pairs(names, VP[word][1], target.names)), True
    if word in VP0 or word in PHASES:
        for where, regular in _wheres(tokens, at + 1, names):
            yield _told(word, where), regular and word in VP0
    if word in WAITS:
        for target in _targets(tokens, at + 1):
            yield target._replace(said=_pairs(names, WAITS[word], target.names)), False
        for target in _lists(tokens, at + 1):
            for done in _verbs(tokens, target):
                yield done._replace(said=_pairs(names, WAITS[word], target.names)), False
        for both in _done_twice(tokens, at + 1):
            yield both._replace(said=_pairs(names, WAITS[word], both.names)), False
        if _word(tokens, at + 1, ("doing",)):
            for target in _lists(tokens, at + 2):
                yield target._replace(said=_pairs(names, WAITS[word], target.names)), False


def _more(tokens: Tokens, so_far: Part, names: Tokens, verbs: bool, verb: str = "") -> Iterator[Part]:
    """Further predicates of the same subject; at least one. ``verb``: the one that goes on."""
    at = so_far.end
    for marks in (("and",), ("but",), (",",), (",", "and"), (",", "but")):
        if tokens[at : at + len(marks)] != marks:
            continue
        start = at + len(marks)
        found = [(_told(verb, where), verb) for where, _ in _wheres(tokens, start, names)]
        if verbs:
            found += [(one, tokens[start]) for one, _ in _predicates(tokens, start, names)]
        for one, own in found:
            both = _then(so_far, one)._replace(natural=True)
            yield both
            yield from _more(tokens, both, names, verbs, own)


def _orders(tokens: Tokens, at: int) -> Iterator[Part]:
    if _word(tokens, at, ("do",)):
        for names in _lists(tokens, at + 1):
            for where, _ in _wheres(tokens, names.end, names.names):
                found = _then(names, where)._replace(natural=True)
                yield found
                yield from _more(tokens, found, names.names, verbs=False)
    if _word(tokens, at, ("don't do",)):
        for names in _lists(tokens, at + 1):
            for where in _unlesses(tokens, names.end, names.names):
                yield _then(names, where)._replace(natural=True)
    if _word(tokens, at, WAITS):
        for names in _lists(tokens, at + 1):
            for done in (names, *_verbs(tokens, names)):
                for where, _ in _wheres(tokens, done.end, names.names):
                    yield _then(done, where)._replace(natural=True)
    for last in _idle(tokens, at):
        for where, _ in _wheres(tokens, last.end, last.names):
            found = _then(last, where)._replace(natural=True)
            yield found._replace(odd=found.odd + 1)
    for names in _lists(tokens, at):
        for one, regular in _predicates(tokens, names.end, names.names):
            found = _then(names, one)
            if not regular:
                yield found._replace(natural=True)
            yield from _more(tokens, found, names.names, verbs=True, verb=tokens[names.end])
        for where, _ in _wheres(tokens, names.end, names.names):
            found = _then(names, where)._replace(natural=True)
            found = found._replace(odd=found.odd + 1)
            yield found
            yield from _more(tokens, found, names.names, verbs=False)
        if _word(tokens, names.end, NOT):
            for where in _unlesses(tokens, names.end + 1, names.names):
                yield _told(tokens[names.end], _then(names, where)._replace(natural=True))


def _idle(tokens: Tokens, at: int) -> Iterator[Part]:
    """The last action of a list with "and", of which alone something may be said."""
    for end, names, between in _runs(tokens, at):
        *others, last = between or [""]
        if last == "and" or (last == ", and" and others):
            yield Part(end, odd=sum(mark != "," for mark in others), names=names[-1:])


def _before_the_subject(tokens: Tokens, at: int) -> Iterator[Part]:
    """After b, do a. Until b is done, don't do a. What is said of nobody yet is said of "?"."""
    fronts = [(part, regular, False) for part, regular in _wheres(tokens, at, ("?",))]
    fronts += [(part, False, True) for part in _unlesses(tokens, at, ("?",))]
    for front, regular, negated in fronts:
        commas = list(_mark(tokens, front.end, ","))
        if tokens[front.end : front.end + 2] == (",", "and"):
            commas.append(Part(front.end + 2, odd=1, unsaid=True))
        for comma in commas:
            for body, plain in _bodies(tokens, comma.end, negated):
                if regular and plain:
                    continue
                found = _then(_then(front, comma), body)
                named = {
                    (name if one == "?" else one, relation, name if other == "?" else other)
                    for one, relation, other in front.said
                    for name in body.names
                }
                yield _told(tokens[body.end - 1], found._replace(said=frozenset(named), natural=True))


def _bodies(tokens: Tokens, at: int, negated: bool) -> Iterator[tuple[Part, bool]]:
    """The subject with what stands before or behind it; is it in the paper's grammar?"""
    do = "don't do" if negated else "do"
    if _word(tokens, at, (do,)):
        for names in _lists(tokens, at + 1):
            yield names, False
    for names in _lists(tokens, at):
        if negated:
            if _word(tokens, names.end, NOT):
                yield names._replace(end=names.end + 1), False
            continue
        for done in _verbs(tokens, names):
            yield done, tokens[names.end] in VP0
        yield names._replace(odd=names.odd + 1), False


def _places(tokens: Tokens, at: int) -> Iterator[Part]:
    """A comes first. Do b last."""
    start = at + 1 if _word(tokens, at, ("do",)) else at
    for names in _lists(tokens, start):
        ends = [names.end] if start > at else []
        if start == at and (_word(tokens, names.end, ("comes",)) or list(_verbs(tokens, names))):
            ends = [names.end + 1]
        for end in [*ends, names.end] if start == at else ends:
            if _word(tokens, end, ("first", "last")):
                relation = "<" if tokens[end] == "first" else ">"
                others = tuple(name for name in EVERYTHING if name not in names.names)
                said = _pairs(names.names, relation, others)
                odd = names.odd + (start == at and end == names.end)
                yield names._replace(end=end + 1, odd=odd, said=said, natural=True)


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
    """All readings of a sentence, without its period; of one that has none, those of its parts between semicolons."""
    if (found := _whole(tokens)) or ";" not in tokens:
        return found
    parts: list[list[Part]] = []
    start = 0
    for end in [*(at for at, word in enumerate(tokens) if word == ";"), len(tokens)]:
        every = _whole(tokens[start:end])
        least = min((one.cost for one in every), default=0)
        parts.append([one for one in every if one.cost == least and not one.runs_on])
        start = end + 1
    whole = []
    for row in product(*parts):
        both = row[0]
        for one in row[1:]:
            both = _then(both, one)
        odd = max((one.odd for one in row if not likely(one)), default=0)
        whole.append(both._replace(odd=odd, disagreeing=0))
    return whole


def _whole(tokens: Tokens) -> list[Part]:
    found = []
    for one in _clauses(tokens, 0):
        if one.end == len(tokens):
            found.append(one)
        for conj in _conjunctions(tokens, one.end):
            for other in _clauses(tokens, conj.end):
                if other.end == len(tokens):
                    loose = tokens[one.end : conj.end] in ((",",), ("and",), ("but",), ("while",))
                    both = _then(_then(one, conj), other)
                    found.append(both._replace(runs_on=other.bare and loose))
    return found


def likely(part: Part) -> bool:
    """Whether a reading is regular enough to be what was meant."""
    return not part.unsaid and part.odd <= (0 if part.disagreeing else 3)


def written(tokens: Tokens) -> str:
    """The text of a sentence."""
    return " ".join(tokens).replace(" ,", ",").replace(" ;", ";") + "."
