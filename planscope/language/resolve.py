"""Reads a sentence in every way that the table of constructions allows: the one front end of queries and rules. What a
reading is worth as constraints or as rules is said by those who ask."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import dropwhile, product
from operator import attrgetter
from typing import cast

from planscope.frozen import frozen
from planscope.language import english
from planscope.language.calls import Calls
from planscope.language.clauses import asides, clauses, covering, listed
from planscope.language.constructions import Kind
from planscope.language.cuts import Cut, Item, Paths, Scanner, Token, full
from planscope.language.english import COUNTING
from planscope.language.shapes import (
    Draft,
    Meaning,
    by,
    doubtful,
    in_the_words_of,
    joined,
    meanings,
    places,
    rewritten,
)

MOST_CLAUSES = 8
"""A sentence of more clauses is not read."""

Read = Callable[[Sequence[Item]], Iterator[tuple[Meaning, ...]]]


@frozen
class Reading:
    """One way to read a sentence. ``meanings``: more than one if the words have several."""

    meanings: tuple[Meaning, ...]
    per: tuple[Paths, Paths]

    @property
    def key(self) -> object:
        return tuple(frozenset(draft.key for draft in one) for one in self.meanings), self.per


Ways = tuple[float, list[Reading]]
"""How many unknown names the readings of some words have, and the readings."""


def readings(scanner: Scanner, row: Sequence[Token]) -> Ways:
    """Return the readings of a clause with the fewest names that nobody knows. In prose no word may be left out.

    "A happens afterwards" has none: later than what?
    """
    words = " ".join(token.key for token in row)
    late = not _LATER.isdisjoint(words.split()) or _EARLIER.search(words) is not None

    def mean(items: Sequence[Item]) -> Iterator[tuple[Meaning, ...]]:
        # "No refund." needs a tool that is known
        bare = [item.code for item in items if item.code != ","] == ["no", "S"]
        if scanner.prose and _NO_PROSE.search(" ".join(item.code for item in items)):
            return
        if bare and not {calls.name for calls in items[1].calls} <= set(scanner.tools):
            return
        if scanner.prose and (both := doubtful(items, scanner.text)) is not None:
            yield both
            return
        for ways in meanings(items):
            drafts = [draft for meaning in ways for draft in meaning if draft.kind not in PLACES]
            if not (late and any(draft.then is draft.until for draft in drafts)):
                yield ways

    def cuts(inflected: bool) -> Iterator[Cut]:
        return (cut for cut in scanner.cuts(row, inflected=inflected) if not (scanner.prose and cut.odd))

    found = read(cuts(False), mean)
    if found[0] and scanner.tools:
        found = read(cuts(True), mean)
    return found


_PER = re.compile(r"(.+) (?:per|for the same) \w*_\w*")
"""A sentence, and behind it an argument whose name is no English word."""


def plain(scanner: Scanner, row: Sequence[Token]) -> Reading | None:
    """Return what a plain sentence means, which needs no table of patterns; None of others."""
    sets = [
        Item("S", (one.start, one.end), (Calls(one.text, text=one.text),))
        for one in row
        if one.text in scanner.tools
    ]
    words = " ".join("S" if one.text in scanner.tools else one.key for one in row)
    per: Paths = ()
    if row[-1].kind == "word" and (match := _PER.fullmatch(words)):
        words, per = match[1], ((row[-1].text,),)
    if words not in english.SIMPLE or len({one.calls for one in sets}) < len(sets):
        return None
    meaning, _, count = english.SIMPLE[words].partition(" # ")
    kind, first, *then = meaning.split()
    then_set = sets[int(then[0])] if then else None
    return Reading(((Draft(cast(Kind, kind), sets[int(first)], then_set, int(count or 0)),),), (per, ()))


def plainer(scanner: Scanner, row: Sequence[Token], told: str = english.PLAINER) -> list[Token]:
    """Return a sentence in the plainer words of a table; nothing of one that asks for nothing."""

    def say(row: list[Token], match: re.Match[str], said: Sequence[str]) -> list[Token]:
        whole = row[places(match)]
        kept = {one.key for word in said if word.isdigit() for one in row[places(match, int(word))]}
        if any(one.key not in kept and scanner.names_tool(one) for one in whole):
            return row
        if (
            told is english.REQUEST
            and not said
            and not english.says_nothing(match[0].split(), scanner.mentions.words)
        ):
            return row
        span = whole[0].start, whole[-1].end
        made = {word: Token("word" if word.isalpha() else "mark", word, *span) for word in said}
        return rewritten(row, match, said, made)

    return in_the_words_of(told, full(row, scanner.names.known), attrgetter("key"), say)


def parted(scanner: Scanner, row: Sequence[Token]) -> Iterator[tuple[list[list[Token]], bool]]:
    """Yield ways to part a sentence into clauses, without those that only explain, and whether what stands behind a
    clause may be meant under its condition."""
    text, span = scanner.text, (row[0].start, row[-1].end)
    named = scanner.named(row)
    left_out = asides(text, span, named, [] if scanner.prose else None)
    kept = [one for one in row if not any(a <= one.start < b for a, b in left_out)]
    for spans in clauses(text, span, named):
        parts = [_trimmed([one for one in kept if a <= one.start < b]) for a, b in spans]
        parts = [part for part in parts if part][: MOST_CLAUSES + 1]
        if len(parts) > MOST_CLAUSES:
            return
        if len(parts) > 1 or (parts and len(parts[0]) < len(row)):
            words = " ".join(one.key for part in parts[1:] for one in part).replace("until then", "")
            scoped = any(map(_opens_scope, parts[:-1])) or "then" in words.split()
            yield parts, scoped


def read(cuts: Iterable[Cut], read: Read) -> tuple[float, list[Reading]]:
    """Return the ways to read a sentence, of those with the fewest names that nobody knows, and how many that are."""
    found: dict[object, Reading] = {}
    least = float("inf")
    for cut in cuts:
        if cut.cost > least:
            break
        values = [item.per for item in cut.items if item.per[0]]
        if len(values) > 1:
            continue
        items = _led([item for item in cut.items if not item.per[0] and item.code != "either"])
        either = any(item.code == "either" for item in cut.items)
        for ways in _several(items, read):
            if either:
                ways = tuple(_exclusive(ways))
            reading = Reading(ways, values[0] if values else ((), ()))
            found.setdefault(reading.key, reading)
            least = cut.cost
    return least, list(found.values())


def _exclusive(ways: Sequence[Meaning]) -> Iterator[Meaning]:
    """Yield the meanings of a sentence with "either": "call either A or B" may also say that not both happen."""
    for way in ways:
        yield way
        one = way[0]
        if len(way) == 1 and (one.kind, one.count, len(one.first.calls)) == ("existence", 1, 2):
            a, b = (replace(one.first, calls=(calls,)) for calls in one.first.calls)
            yield one, Draft("not_coexistence", a, b)


def _several(items: Sequence[Item], read: Read) -> Iterator[tuple[Meaning, ...]]:
    """Yield the meanings of a cut, whose lists with "and" and "or" may be read in two ways."""
    ways = [list(read(one)) for one in _ors(items)]
    if len(ways) == 1:
        yield from ways[0]
    else:
        for one, other in product(*ways):
            same = {frozenset(d.key for d in m) for m in one} == {frozenset(d.key for d in m) for m in other}
            yield one if same else (*one, *other)


def _led(items: Sequence[Item]) -> list[Item]:
    """Return the items with the agent of "the planner must call A or B" at the calls that it makes."""
    found: list[Item] = []
    agent = None
    for item in items:
        if item.code == "S" and agent:
            item = by(item, agent)
        elif item.code not in ("both", "every", "and", "or"):
            if agent and found[-1].code.endswith("do"):
                return []  # the planner does not call anything
            agent = item.agent
        found.append(item)
    return found


def _ors(items: Sequence[Item]) -> list[list[Item]]:
    """Return the items with every list with "or" as one set. A list with "and" and "or" can be read in two ways, as
    ``A and (B or C)`` and as ``(A and B) or C``, which is ``(A or C) and (B or C)``."""
    ways: list[list[Item]] = [[]]
    k = 0
    while k < len(items):
        end, joins = _list_end(items, k, fronted=bool(k) and items[k - 1].code in _FRONTED)
        if "or" not in joins:
            ways = [[*way, *items[k:end]] for way in ways]
        else:
            sets = [item for item in items[k:end] if item.code == "S"]
            made = [_anded(_grouped(sets, joins, "and"))]
            if "and" in joins:
                made.append(_anded(product(*_grouped(sets, joins, "or"))))
            ways = [[*way, *one] for way in ways for one in made]
        k = end
    return ways


def _list_end(items: Sequence[Item], k: int, *, fronted: bool) -> tuple[int, list[str]]:
    """Return the end of the list of sets that begins at a place, and what joins them: and, or, a comma."""
    joins: list[str] = []
    end = k + 1
    while items[k].code == "S" and end < len(items):
        codes = [item.code for item in items[end : end + 3]]
        if codes[:1] == ["and"] and k and items[k - 1].code == "between":
            break
        if codes[:2] in (["or", "S"], ["and", "S"]):
            step = 2
        elif codes == [",", "or", "S"] or codes == [",", "and", "S"]:
            step = 3
        elif codes[:2] == [",", "S"] and not fronted:
            step = 2
        else:
            break
        joins.append(codes[step - 2])
        end += step
    if "or" not in joins:
        return end, []
    last = "or"
    for place in range(len(joins) - 1, -1, -1):  # a comma joins as the next word does
        last = joins[place] = last if joins[place] == "," else joins[place]
    return end, joins


def _grouped(sets: Sequence[Item], joins: Sequence[str], apart: str) -> list[list[Item]]:
    """Return the list in parts, which one of the two words keeps apart."""
    groups = [[sets[0]]]
    for join, one in zip(joins, sets[1:], strict=True):
        if join == apart:
            groups.append([])
        groups[-1].append(one)
    return groups


def _anded(lists: Iterable[Sequence[Item]]) -> list[Item]:
    return [item for some in lists for item in (Item("and", some[0].span), joined(some))][1:]


def _trimmed(row: Sequence[Token]) -> list[Token]:
    """Return the tokens of a clause without the words and commas that join it to others."""
    joining = dropwhile(lambda one: one.key in JOINING, row)
    return list(dropwhile(lambda one: one.text == ",", reversed(list(joining))))[::-1]


def _opens_scope(part: Sequence[Token]) -> bool:
    """Return whether what stands behind a clause may be meant under its condition."""
    keys = [one.key for one in part]
    return keys[0] in listed("fronts") or not listed("scopes").isdisjoint(keys)


def pointed(scanner: Scanner, row: Sequence[Token], before: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield a clause with the tools that "it", "both", "one" or "a third call" may mean, those of the clause before it;
    or with the subject of that clause: "but never before lookup"."""
    row = scanner.cuts(row).row
    items = _first_cut(scanner, before)
    found = _lists(scanner, items)
    words = " ".join(token.key for token in row)
    within = covering(scanner.named(row))

    def points(one: re.Match[str]) -> bool:
        begin, end = (words.count(" ", 0, at) for at in one.span())
        both = one[0] == "both" and row[end + 1 :] and within(row[end + 1].start)  # "both a and b" are those
        return not (both or within(row[begin].start))

    match = next(filter(points, _POINTING.finditer(words)), None)
    late = match and _ADVERBS.get(match[0])
    if late and (not scanner.prose or (late == "after" and any(one.code == "T" for one in items))):
        return
    if any(item.code == "chain" for item in items):
        first = _EARLIER.search(words) or not {"both", "all"}.isdisjoint(words.split())
        every = tuple(dict.fromkeys(name for group in found for name in group))
        found = [*found[-1:], *([every] if first else [])]
    own = {item.calls[0].name for item in _first_cut(scanner, row) if item.code == "S"}
    found = list(dict.fromkeys(group for group in found if own.isdisjoint(group)))
    if match is not None:
        begin, end = (words.count(" ", 0, at) for at in match.span())
        if match[0] in ("that", "this") and words.startswith(("do that", "do this")):  # the list, or its last
            found += [group[-1:] for group in found if len(group) > 1]
        for group in _meant(match[0], found):
            yield [*row[:begin], *_quoted(group, row[begin].start, row[end].end, match), *row[end + 1 :]]
    else:
        yield from _with_subject(row, [group[0] for group in found if len(group) == 1])


def _first_cut(scanner: Scanner, row: Sequence[Token]) -> Sequence[Item]:
    """Return the items of the first cut of a clause, none if there is none."""
    return next((cut.items for cut in scanner.cuts(row, inflected=True)), ())


def _lists(scanner: Scanner, items: Sequence[Item]) -> list[tuple[str, ...]]:
    """Return the lists of tools that a clause names."""
    groups: list[list[str]] = [[]]
    for item in items:
        if item.code == "S" and all(replace(one, text="") == Calls(one.name) for one in item.calls):
            groups[-1] += [one.name for one in item.calls if one.name in scanner.tools]
        elif item.code not in ("and", ",", "both"):
            groups.append([])
    return [tuple(dict.fromkeys(group)) for group in groups if group]


def _with_subject(row: Sequence[Token], names: Sequence[str]) -> Iterator[list[Token]]:
    """Yield a clause with a tool of the clause before it: as "one" of "a second one", or as its subject."""
    for name in names:
        made: list[Token] = []
        last = ""
        for token in row:
            meant = token.key in ("one", "call", "time") and last in _ORDINALS
            last = token.key
            made.append(Token("quoted", f"`{name}`", token.start, token.end) if meant else token)
        if row[0].key in COUNTING and row[1:2] and row[1].key in ("is", "are"):  # "four is too many"
            yield [row[0], Token("quoted", f"`{name}`", row[1].start, row[1].start), *row[1:]]
        elif made != list(row):
            yield made
        elif row[0].key in _ELLIPTIC:
            subject = Token("quoted", f"`{name}`", row[0].start, row[0].start)
            yield [subject, *row]
            yield [subject, row[0], Token("word", "happens", row[0].end, row[0].end), *row[1:]]
            return


_POINTING = re.compile(
    r"\b(?:it|that|this|them|they|(?<=until )then|both(?: of (?:them|these))?|all (?:of (?:them|these)|two|three|four)|"
    r"the (?:two|latter|former)|beforehand|afterwards?|later)(?= |$)"
)
_ADVERBS = {"beforehand": "before", "afterwards": "after", "afterward": "after", "later": "after"}


def _meant(word: str, groups: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the tools that a pronoun may mean, of the lists that the clause before has."""
    every = tuple(dict.fromkeys(name for group in groups for name in group))
    size = english.size_of(word)
    if word in ("the latter", "the former"):
        return [groups[word == "the latter"]] if len(groups) == 2 else []
    if size or word in ("them", "they") or word.startswith("all"):
        fits = len(every) == size if size else len(every) > 1
        return [every] if fits else []
    if word == "it":
        return [group for group in groups if len(group) == 1]
    return list(groups)


def _quoted(names: Sequence[str], start: int, end: int, match: re.Match[str]) -> Iterator[Token]:
    """Yield the tokens of names that a pronoun means."""
    if match[0] in _ADVERBS:
        yield Token("word", _ADVERBS[match[0]], start, start)
    if len(names) > 1:
        yield Token("word", "both", start, start)
    for k, name in enumerate(names):
        if k:
            yield Token("word", "and", start, start)
        yield Token("quoted", f"`{name}`", start, end)


_NO_PROSE = re.compile(r"\bboth S(?!.* and )|\bS (?:earlier|later) S\b")
"""Of "both" a second is missing, or "before" stands before what it is no word of."""
_FRONTED = english.words("before after once if when until unless")
"""Behind these a comma ends a list."""
_LATER = english.words("later afterwards afterward subsequently thereafter")
_EARLIER = re.compile(r"\b(?:before|prior to) (?:it|that|this|them)(?= |$)|\bbeforehand\b")
_ORDINALS = english.words("second third fourth fifth further additional another such later earlier prior")
_ELLIPTIC = english.words("only never not at exactly once always must may")
"""With these a clause begins that has its subject in the clause before it."""
PLACES = ("first", "init", "last", "end")
"""Kinds that say where in a run a call stands, and so name one set of calls."""
JOINING = english.words("and but so hence thus therefore , meaning i.e namely consequently")
