"""Makes the clauses of a tree of what a sentence says: which actions it relates, and the words that relate them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from planscope.language import english
from planscope.language.build import SentenceReading
from planscope.language.clauses import covering
from planscope.language.cuts import Token
from planscope.language.item_list import RELATING
from planscope.language.problem import Span
from planscope.language.scan import Token as Place
from planscope.language.scan import hour_of
from planscope.language.tree import (
    NP,
    ActionRef,
    Cue,
    Link,
    Natural,
    NaturalKind,
    Relation,
    Rest,
    Sentence,
    Time,
)

Said = tuple[str, Relation, str | int | None]
"""An action, its relation, and another action, an hour, or None for all others."""
Ref = tuple[Span, str]
Clock = tuple[Span, int]

_FRONTS = english.words("before after once until till when having while as by unless without")
_WHOLE = english.words(
    "wait waits needs need require requires depends follow follows precede precedes preceded followed"
)
"""Of verbs all words are shown: "must wait for"."""
_CHAIN = english.words("then next finally first afterwards last lastly and")
_MOST_PLACE = english.words("first last end")


def reading_of(
    text: str, told: Sequence[tuple[Said, Mapping[str | None, Span]]], rows: Sequence[Sequence[Token]]
) -> SentenceReading:
    """Return the reading of some sentences that say some relations. Each comes with the places of its actions; None is
    that of a time."""
    first, last = rows[0][0].start, rows[-1][-1].end
    span = first, last + (text[last : last + 1] == ".")
    ends = Place("DOT", first, first), Place("DOT", span[1] - 1, span[1])
    clauses = tuple(_clauses(told, rows)) if told else ()
    return SentenceReading((), None, *ends, tree=Sentence(clauses, None, span))


def _clauses(
    told: Sequence[tuple[Said, Mapping[str | None, Span]]], rows: Sequence[Sequence[Token]]
) -> Iterator[Natural]:
    """Yield the clauses that say some relations."""
    words = _Words(rows, [span for _, spans in told for span in spans.values()])
    places: dict[tuple[Span, Relation], list[ActionRef]] = {}
    orders: dict[tuple[Ref, Relation, Cue, bool], dict[Ref | Clock, None]] = {}
    for (one, relation, other), spans in told:
        a = spans[one], one
        if other is None:
            places.setdefault((a[0], relation), []).append(ActionRef(one, a[0]))
        elif isinstance(other, int):
            clock = spans[None], hour_of(other, relation)
            orders.setdefault((a, relation, words.cue(a[0], clock[0]), True), {})[clock] = None
        else:
            b = spans[other], other
            cue, fronted = words.cue(a[0], b[0]), words.fronted(a[0], b[0])
            turned: Relation = "<" if relation == ">" else ">"
            if (a < b) == fronted:
                a, b, relation = b, a, turned
            orders.setdefault((a, relation, cue, False), {})[b] = None
    found = []
    for (span, relation), refs in places.items():
        cue, rest = words.place(span)
        subject = NP(tuple(refs), None, span)
        whole = _whole([span, cue.span, rest])
        found.append(Natural("place", (subject, Rest(rest)), (cue,), (Link(0, relation, 0, 1),), whole))
    if orders:
        found.append(_order(orders, words))
    yield from sorted(found, key=lambda clause: clause.span)


def _order(
    orders: Mapping[tuple[Ref, Relation, Cue, bool], Mapping[Ref | Clock, None]], words: _Words
) -> Natural:
    """Return one clause of relations; those of lists are together."""
    lists: dict[tuple[tuple[Ref | Clock, ...], Relation, Cue], list[Ref]] = {}
    for (subject, relation, cue, _), found in orders.items():
        objects = tuple(sorted(found, key=lambda one: one[0]))
        lists.setdefault((objects, relation, cue), []).append(subject)
    items: dict[tuple[Ref | Clock, ...], NP | Time] = {}
    for some, _, _ in lists:
        items[some] = _item(some)
    for subjects in lists.values():
        items[tuple(subjects)] = _item(subjects)
    keys = sorted(items, key=lambda some: [one[0] for one in some])
    cues = sorted({cue for _, _, cue in lists}, key=lambda cue: cue.span)
    links = tuple(
        Link(keys.index(tuple(subjects)), relation, cues.index(cue), keys.index(objects))
        for (objects, relation, cue), subjects in lists.items()
    )
    kind: NaturalKind = "order"
    if all(cue.words in _CHAIN for cue in cues):
        kind = "chain"
        if (first := words.first(keys[0][0][0])) is not None and first not in cues:
            cues = [first, *cues]
            links = tuple(link._replace(cue=link.cue + 1) for link in links)
    span = _whole([*(one[0] for some in keys for one in some), *(cue.span for cue in cues)])
    return Natural(kind, tuple(items[key] for key in keys), tuple(cues), links, span)


def _item(some: Sequence[Ref | Clock]) -> NP | Time:
    (span, first), *_ = some
    if isinstance(first, int):
        return Time(first, span)
    return NP(
        tuple(ActionRef(str(action), place) for place, action in some), None, _whole([one[0] for one in some])
    )


def _whole(spans: Sequence[Span]) -> Span:
    return min(start for start, _ in spans), max(end for _, end in spans)


class _Words:
    """The words of some sentences between what they name."""

    def __init__(self, rows: Sequence[Sequence[Token]], named: Sequence[Span]) -> None:
        within = covering(named)
        self.runs: list[list[Token]] = [[]]
        for token in (token for row in rows for token in row):
            if within(token.start) or token.kind == "mark":
                self.runs.append([])
            else:
                self.runs[-1].append(token)
        self.runs = [run for run in self.runs if run]

    def cue(self, one: Span, other: Span) -> Cue:
        """Return the words that relate what stands at two places: those between them, or else the nearest, with a
        word of order."""
        first, last = sorted((one, other))
        place = (first[1] + last[0]) / 2

        def rank(run: list[Token]) -> tuple[bool, bool, bool, float]:
            told = any(token.key in RELATING for token in run)
            between = first[1] <= run[0].start < last[0]
            before = run[0].start < first[0] and run[0].key == "first"
            return not told, not between, before, abs((run[0].start + run[-1].end) / 2 - place)

        if not self.runs:
            return Cue("", (first[1], first[1]))
        run = min(self.runs, key=rank)
        at = next((k for k, token in enumerate(run) if token.key in RELATING), 0)
        return _cue(run if run[at].key in _WHOLE or run[at].key not in RELATING else run[at : at + 1])

    def fronted(self, one: Span, other: Span) -> bool:
        """Return whether the words that relate two places stand before both: "once B is done, do A"."""
        first, last = sorted((one, other))
        between = [token for run in self.runs for token in run if first[1] <= token.start < last[0]]
        before = [run for run in self.runs if run[0].start < first[0]]
        return not any(token.key in RELATING and token.key != "not" for token in between) and any(
            token.key in _FRONTS for run in before[-2:] for token in run
        )

    def place(self, span: Span) -> tuple[Cue, Span]:
        """Return the words that put what stands somewhere first or last: its verb, and the place."""
        if not self.runs:
            return Cue("", (span[1], span[1])), (span[1], span[1])
        run = min(self.runs, key=lambda run: min(abs(run[0].start - span[1]), abs(span[0] - run[-1].end)))
        words = [token for token in run if token.key not in english.ARTICLES] or run
        if len(words) > 1 and words[-1].key in _MOST_PLACE:
            return _cue(words[:-1]), (words[-1].start, words[-1].end)
        return _cue(words), (words[0].start, words[-1].end)

    def first(self, span: Span) -> Cue | None:
        """Return the "first" before a place."""
        found = (token for run in self.runs for token in run if token.key == "first" and token.end <= span[0])
        token = next(found, None)
        return None if token is None else _cue([token])


def _cue(words: Sequence[Token]) -> Cue:
    return Cue(" ".join(token.key for token in words), (words[0].start, words[-1].end))
