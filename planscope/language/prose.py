"""Reads what people write in a query by the table of constructions, as rules are read: the readings become constraints
where an order, a place or a clock time says them. Conditions, numbers and nearness are left to rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

from planscope.language import english
from planscope.language.build import SentenceReading
from planscope.language.calls import Calls
from planscope.language.clauses import covering
from planscope.language.cuts import Item, Scanner, SentenceError, Token, sentences
from planscope.language.english import FUNCTION
from planscope.language.problem import Action, Span
from planscope.language.resolve import parted, pointed, readings
from planscope.language.scan import Token as Place
from planscope.language.scan import hour_of
from planscope.language.shapes import Draft, Meaning
from planscope.language.tree import NP, ActionRef, Cue, Link, Natural, Relation, Rest, Sentence, Time

MOST_WAYS = 16
"""So many combinations of the meanings of clauses are compared."""
LONGEST = 600
"""Longer sentences (code points) are not read."""

_RULES = english.words(
    """
    if whoever case provided every each twice times least most within soon immediately directly
    right again
    """
)
"""Words of sentences that only rules can say."""
_PRONOUNS = english.words("it that this them these which both latter former")
_BEGINNING = english.words("start starts starting begin begins beginning started begun")
_ENDING = english.words("finish finishes finished end ends ended over complete completed done")
_DOUBTFUL = english.words("or when wrong mistake error violation")
_VOID = ("existence", "exactly", "responded_existence")
"""What each action of a query does anyway."""


class Prose:
    """Reads sentences about some actions."""

    def __init__(self, actions: Sequence[Action], timed: bool) -> None:
        self.timed = timed
        self.actions = tuple(actions)
        self.ids = {action.name: action.id for action in actions}
        named = {_words(name) for name in self.ids}
        self.worded = any(len(words) == 1 and words[0] in FUNCTION for words in named)
        """Is an action named like a word of the language ("a")? Then only the other grammars read the text."""
        self.ids |= {action.tool: action.id for action in actions if _words(action.tool) not in named}

    def read(self, text: str) -> list[SentenceReading]:
        """Return the readings of some sentences that belong together; none if they cannot be read. They may mean the
        same."""
        if len(text) > LONGEST:
            return []
        scanner = Scanner(text, self.ids, prose=True, timed=self.timed)
        rows = [row for row in sentences(text) if row]
        keys = [token.key for row in rows for token in row]
        stopping = keys[:1] == ["stop"] and keys[1:2] != [] and keys[1].endswith("ing")
        if self.worded or not _RULES.isdisjoint(keys) or keys[:1] == ["only"] or stopping:
            return []
        try:
            ways = self._ways(scanner, rows)
        except SentenceError:
            return []
        trees = [self._tree(text, drafts, rows) for drafts in ways if self._certain(drafts, rows)]
        return [tree for tree in trees if tree is not None]

    def _certain(self, drafts: Meaning, rows: Sequence[list[Token]]) -> bool:
        """Return whether no pronoun among three actions may mean another, and no verb tells begin and end apart, which
        a clock time cannot."""
        keys = {token.key for row in rows for token in row}
        named = {name for draft in drafts for item in draft.sets for name in self._named(item)}
        clocks = {draft.kind == "not_succession" for draft in drafts if draft.then and draft.then.code == "T"}
        wrong = bool((True in clocks and keys & _BEGINNING) or (False in clocks and keys & _ENDING))
        wrong = wrong or bool(keys & _DOUBTFUL)
        return not wrong and (len(named) < 3 or keys.isdisjoint(_PRONOUNS))

    def _ways(self, scanner: Scanner, rows: Sequence[list[Token]]) -> Iterator[Meaning]:
        """Yield the meanings of some sentences, each the drafts of all their clauses."""
        parts: list[list[Meaning]] = []
        before: list[Token] = []
        for row in rows:
            found = self._sentence(scanner, row, before)
            if found is None:
                return
            parts += found
            before = row
        for way in islice(product(*parts), MOST_WAYS):
            yield tuple(draft for meaning in way for draft in meaning)

    def _sentence(
        self, scanner: Scanner, row: list[Token], before: list[Token]
    ) -> list[list[Meaning]] | None:
        """Return the meanings of each clause of a sentence, or None if one cannot be read."""
        for clauses in ([row], *(clauses for clauses, _ in parted(scanner, row))):
            found: list[list[Meaning]] = []
            last = before
            for clause in clauses:
                some = self._clause(scanner, clause, last)
                if not some:
                    break
                found.append(some)
                last = clause
            else:
                return found
        return None

    def _clause(self, scanner: Scanner, row: list[Token], before: list[Token]) -> list[Meaning]:
        """Return the meanings of a clause, with each action that "it" may mean; none if one of them is none of a
        query."""
        cost, found = readings(scanner, row)
        if (cost or not found) and before:
            every = [readings(scanner, some) for some in pointed(scanner, row, before)]
            found = [reading for cost, some in every if not cost for reading in some]
        elif cost:
            return []
        if any(reading.per[0] for reading in found):
            return []
        said = [self._said(meaning) for reading in found for meaning in reading.meanings]
        return [one for one in said if one is not None] if None not in said else []

    def _said(self, drafts: Meaning) -> Meaning | None:
        """Return the drafts that say something in a query, or None if it cannot say one."""
        told = tuple(draft for draft in drafts if draft.kind not in _VOID or draft.count > 1)
        return told if all(list(self._links(draft)) for draft in told) else None

    def _links(self, draft: Draft) -> Iterator[tuple[str, Relation, str | int | None]]:
        """Yield what a draft says: an action, its relation, and another action, an hour, or None for all others.
        Nothing if no constraint says it."""
        first, then = (self._named(item) for item in (draft.first, draft.then))
        clock = draft.then.low if draft.then is not None and draft.then.code == "T" else None
        if not first or draft.unit or draft.count or draft.until is not None or draft.condition is not None:
            return
        if clock is not None:
            for one in first:
                yield one, "<" if draft.kind == "not_succession" else ">", int(clock)
        elif draft.kind in ("first", "init", "last", "end"):
            if len(first) == 1:
                yield first[0], "<" if draft.kind in ("first", "init") else ">", None
        elif draft.kind in ("precedence", "response", "not_succession"):
            turned = draft.kind == "not_succession"
            several = len(first) > 1 if draft.kind == "precedence" else len(then) > 1 if not turned else False
            if not several:
                for one, other in product(first, then):
                    if one != other:
                        yield one, ">" if turned else "<", other

    def _named(self, item: Item | None) -> list[str]:
        """Return the actions that a set names, or none if it is not only a set of actions."""
        if item is None or not all(self._plain(calls) for calls in item.calls):
            return []
        return [self.ids[calls.name] for calls in item.calls]

    def _plain(self, calls: Calls) -> bool:
        return calls.plain and calls.name in self.ids

    # Trees

    def _tree(self, text: str, drafts: Meaning, rows: Sequence[list[Token]]) -> SentenceReading | None:
        clauses = list(self._clauses(drafts, rows))
        if not clauses:
            return None
        first, last = rows[0][0].start, rows[-1][-1].end
        span = first, last + (text[last : last + 1] == ".")
        ends = Place("DOT", first, first), Place("DOT", span[1] - 1, span[1])
        return SentenceReading((), None, *ends, tree=Sentence(tuple(clauses), None, span))

    def _clauses(self, drafts: Meaning, rows: Sequence[list[Token]]) -> Iterator[Natural]:
        told = dict.fromkeys((link, draft) for draft in drafts for link in self._links(draft))
        places: dict[tuple[str, Relation], Span] = {}
        items: dict[tuple[Span, str | int], NP | Time] = {}
        links: list[tuple[tuple[Span, str | int], Relation, Cue, tuple[Span, str | int]]] = []
        for (one, relation, other), draft in told:
            spans = {self.ids[c.name]: draft.first.span for c in draft.first.calls}
            if draft.then is not None and draft.then.code != "T":
                spans |= {self.ids[c.name]: draft.then.span for c in draft.then.calls}
            if other is None:
                places[one, relation] = draft.first.span
                continue
            a = spans[one], one
            items[a] = NP((ActionRef(one, a[0]),), None, a[0])
            if isinstance(other, int):
                assert draft.then is not None
                b: tuple[Span, str | int] = draft.then.span, other
                items[b] = Time(hour_of(other, relation), b[0])
            else:
                b = spans[other], other
                items[b] = NP((ActionRef(other, b[0]),), None, b[0])
            links.append((a, relation, _cue(rows, [item.span for item in draft.sets]), b))
        for (action, relation), span in places.items():
            cue = _cue(rows, [span])
            subject = NP((ActionRef(action, span),), None, span)
            yield Natural(
                "place",
                (subject, Rest(cue.span)),
                (cue,),
                (Link(0, relation, 0, 1),),
                _whole([span, cue.span]),
            )
        if links:
            keys = sorted(items, key=lambda key: key[0])
            cues = sorted({cue for _, _, cue, _ in links}, key=lambda cue: cue.span)
            made = [
                Link(keys.index(a), relation, cues.index(cue), keys.index(b))
                if keys.index(a) < keys.index(b) or not isinstance(items[b], NP)
                else Link(keys.index(b), "<" if relation == ">" else ">", cues.index(cue), keys.index(a))
                for a, relation, cue, b in links
            ]
            span = _whole([*(key[0] for key in keys), *(cue.span for cue in cues)])
            yield Natural("order", tuple(items[key] for key in keys), tuple(cues), tuple(made), span)


def _words(name: str) -> tuple[str, ...]:
    return tuple(filter(None, name.casefold().replace(" ", "_").split("_")))


def _whole(spans: Sequence[Span]) -> Span:
    return min(start for start, _ in spans), max(end for _, end in spans)


_RELATING = english.words(
    """
    before after until till once then first last when finally next afterwards wait waits needs need
    require requires depends precedes precede follows follow preceded followed prior earlier later
    by from without unless order
    """
)


def _cue(rows: Sequence[list[Token]], spans: Sequence[Span]) -> Cue:
    """Return the words that relate what stands at these places: those between two names that have a word of order, or
    else those between the names."""
    within = covering(spans)
    runs: list[list[Token]] = [[]]
    for token in (token for row in rows for token in row):
        if within(token.start) or token.kind == "mark":
            runs.append([])
        else:
            runs[-1].append(token)
    runs = [run for run in runs if run]
    place = (min(spans)[1] + max(spans)[0]) / 2

    def rank(run: list[Token]) -> tuple[bool, float]:
        told = any(token.key in _RELATING for token in run)
        return not told, abs((run[0].start + run[-1].end) / 2 - place)

    if not runs:
        return Cue("", (min(spans)[1], min(spans)[1]))
    best = min(runs, key=rank)
    at = next((k for k, token in enumerate(best) if token.key in _RELATING), 0)
    words = best[at:] if len(spans) > 1 else best
    told = words[:1] if words[0].key in _RELATING else words
    return Cue(" ".join(token.key for token in told), (told[0].start, told[-1].end))
