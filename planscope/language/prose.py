"""Reads what people write in a query by the table of constructions, as rules are read: the readings become constraints
where an order, a place or a clock time says them. Conditions, numbers and nearness are left to rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby, islice, product

from planscope.language import english
from planscope.language.build import SentenceReading
from planscope.language.calls import Calls
from planscope.language.clauses import asks_nothing, covering, no_order
from planscope.language.cuts import Item, Scanner, SentenceError, Token
from planscope.language.item_list import rows_of
from planscope.language.named import Named
from planscope.language.problem import Span
from planscope.language.resolve import JOINING, PLACES, parted, plainer, pointed, readings
from planscope.language.said import reading_of
from planscope.language.scan import Names
from planscope.language.shapes import Draft, Meaning, joined
from planscope.language.tree import Relation

MOST_WAYS = 16
"""So many combinations of the meanings of clauses are compared."""
_ASKS_MORE = re.compile(r"\b(?:before|after) (?!.*\b(?:before|after)\b).*, and ")
_ASKING = frozenset(("and", "please", "also"))
"""Behind a clause and ", and" a command may be one of its own: "A before B, and do C"."""

LONGEST = 600
"""Longer sentences (code points) are not read."""

_BEGINNING = english.words("start starts starting begin begins beginning started begun")
_ENDING = english.words("finish finishes finished end ends ended over complete completed done")
_DOUBTFUL = english.words("wrong mistake error violation")
_UNCERTAIN = re.compile(
    r"""(?<!only[ ])\bwhen[ ](?!.*\b(?:done|finished|completed?|over|has|have|been|had|through|else|rest)\b)
    |\b(?:done|finished|complete|completed|over)[ ]when[ ]|\beither[ ](?!order)
    |\b(?:if|in[ ]case|provided|at[ ]least|(?<!as[ ])soon|again)\b|^[,;]|[,;]$
    |^(?!.*\b(?:before|until|without|prior|ahead|unless|till)\b).*\bor\b(?![ ](?:later|earlier|after|sooner|so)\b)
    |\b(?:start|begin)(?:s|ning|ing)?[ ](?:(?!finish|;).)*\b(?:before|after|until|once)\b
    (?:(?!finish|;).)*\b(?:start|begin)
    |^stop[ ]|(?<!order[ ])\b(?:is|are)[ ](?:(?!not)\w+[ ])?(?:fine|okay?|allowed|permitted|acceptable|optional)
    (?:[ ](?:too|as[ ]well))?$
    |\b(?:before|until|without|prior|ahead|unless|till|precedes?)\b[^;]*\bor\b(?![ ](?:later|earlier|after|sooner|so)\b)
    |\b(?:before|after|until|once)\b.*[ ]but[ ].*\bfirst\b
    |\b(?:then|next|after[ ]that|afterwards?|finally|lastly|thereafter)[ ](?:,[ ])?
    (?:(?:not|no|at|from|by|after|before|earlier|later|than|until|only)[ ])+(?:[0-9]|noon|mid)
    |\bdo(?:es)?(?:[ ]not|n't)[ ](?:precede|follow|come|happen|occur)\b
    |\bwhichever[ ](?:\w+[ ])?(?:first|last|later|earlier)\b
    |\bthem[ ]alone\b|\bwhich[ ](?:has|have|needs?)[ ]to[ ]|\bsome(?:time|[ ]point)[ ]before[ ](?:[0-9]|noon|mid)""",
    re.VERBOSE,
)
"""Conditions, numbers, at the time when, choices, what only is not so, an hour behind "then", and a "which" that may be
about the whole clause before it."""
_FREE_LIST = re.compile(
    r"\b(?:any|either|particular|fixed|whatever|whichever) order *:.*\bthen\b", re.I | re.S
)
"""A list without an order that goes on: "then" comes after all of it."""
_NAMING = english.words("S and , ; do both happens must_happens any_order every always")
_VOID = ("existence", "exactly", "responded_existence")
"""What each action of a query does anyway."""

_Clause = tuple[list[Token], list[Meaning]]
"""The tokens of a clause and what it may mean."""


class Prose:
    """Reads sentences about some actions."""

    def __init__(self, names: Names, timed: bool) -> None:
        self.timed = timed
        self.names = names
        self.ids = names.ids
        self.named = Named(names.actions)

    def read(self, text: str) -> list[SentenceReading]:
        """Return the readings of some sentences that belong together; none if they cannot be read. They may mean the
        same."""
        if len(text) > LONGEST:
            return []
        return self._readings(Scanner(text, self.names, timed=self.timed, prose=True), text, rows_of(text))

    def _readings(self, scanner: Scanner, text: str, every: list[list[Token]]) -> list[SentenceReading]:
        asked = (plainer(scanner, row, english.REQUEST) for row in every)
        rows = list(_going_on(filter(None, (plainer(scanner, row) for row in asked))))
        keys = [token.key for row in every for token in row]
        if not rows or _UNCERTAIN.search(" ".join(keys)) or _FREE_LIST.search(text):
            return []
        if self.named.strays(keys) or english.NOT_NEEDED.search(" ".join(keys)):
            return []
        if keys[:1] == ["only"] and "before" in keys:
            return []
        if _ASKS_MORE.search(" ".join(keys)) and any(
            one.verb and keys[at - 1] in _ASKING and one.end >= len(keys) - (keys[-1] == ".")
            for at, one in self.named.row(keys, {})
        ):
            return []
        for row in rows:
            if row[-1].key in _ENDING:  # "when A and B are done" is about both
                row[:] = [replace(one, text="once") if one.key == "when" else one for one in row]
        try:
            said = list(self._clauses(scanner, rows))
        except SentenceError:
            return []
        parts = product(*(some for _, some in said))
        ways = [tuple(d for meaning in way for d in meaning) for way in islice(parts, MOST_WAYS)]
        drafts = [draft for way in ways for draft in way]
        if not _complete(drafts):
            return []
        trees = [self._tree(text, drafts, rows) for drafts in ways if self._certain(drafts, every)]
        if len(trees) != len(ways):
            return []
        read = covering((one.start, one.end) for clause, some in said if some != [()] for one in clause)
        asides = tuple(unread(every, read))
        if any(re.search(r"\b(?:until|noon|[0-9])", text[start:end]) for start, end in asides):
            return []
        return [tree._replace(asides=asides) for tree in trees if tree is not None]

    def idle(self, text: str) -> bool:
        """Return whether a text says no order: it names no action and asks for nothing, or says that there is none, or
        only asks for actions ("please run the tests")."""
        scanner = Scanner(text, self.names, timed=self.timed, prose=True)
        rows = rows_of(text)
        keys = [token.key for row in rows for token in row]
        named = [span for row in rows for span in scanner.named(row)]
        request = keys[:1] == ["please"] and "," not in keys and len(rows) == 1
        nothing = asks_nothing(keys, named, scanner.mentions.words)
        return nothing or (request and bool(self._alone(scanner, rows[0])))

    def _certain(self, drafts: Meaning, rows: Sequence[list[Token]]) -> bool:
        """Return whether no verb tells begin and end apart, which a clock time cannot."""
        row = [token for some in rows for token in some]
        wrong = any(
            one.key in _DOUBTFUL and (after.key != "to" or one.key == "wrong")
            for one, after in zip(row, [*row[1:], row[-1]], strict=True)
        ) or any(
            not _verb_of(row, draft.first.span, draft.then.span).isdisjoint(
                _BEGINNING if draft.kind == "not_succession" else _ENDING
            )
            for draft in drafts
            if draft.then is not None and draft.then.code == "T"
        )
        return not wrong

    def _clauses(self, scanner: Scanner, rows: Sequence[list[Token]]) -> Iterator[_Clause]:
        """Yield each clause of some sentences with its meanings. Raises SentenceError if one cannot be read."""
        before: list[Token] = []
        for row in rows:
            yield from self._sentence(scanner, row, before)
            before = row

    def _sentence(self, scanner: Scanner, row: list[Token], before: list[Token]) -> list[_Clause]:
        ways = [[row], *(clauses for clauses, _ in parted(scanner, row)), _at_commas(row)]
        for clauses in filter(None, ways):
            found: list[_Clause] = []
            last = before
            for clause in clauses:
                some, last = self._clause(scanner, clause, last)
                if not some:
                    break
                found.append((clause, some))
            else:
                return found
        raise SentenceError((row[0].start, row[-1].end), "the sentence cannot be read")

    def _clause(
        self, scanner: Scanner, row: list[Token], before: list[Token]
    ) -> tuple[list[Meaning], list[Token]]:
        """Return the meanings of a clause, with each action that "it" may mean; none if one of them is none of a
        query. Also return the clause, with the names that it means if there is one way."""
        if no_order([token.key for token in row]):
            return [()], row
        cost, found = readings(scanner, row)
        if (cost or not found) and before:
            ways = list(pointed(scanner, row, before))
            every = [readings(scanner, some) for some in ways]
            found = [reading for cost, some in every if not cost for reading in some]
            row = ways[0] if len(ways) == 1 else row
        elif cost:
            found = []
        if any(reading.per[0] for reading in found):
            return [], row
        void = all(draft.kind in _VOID for reading in found for one in reading.meanings for draft in one)
        if void and (alone := self._alone(scanner, row)):
            return [alone], row
        meant = [meaning for reading in found for meaning in reading.meanings]
        others = [
            one
            for one in meant
            if all(draft.kind in _VOID for draft in one)
            or any(c.but for draft in one for item in draft.sets for c in item.calls)
        ]
        said = [self._said(meaning) for meaning in meant if meaning not in others or meant == others]
        return ([one for one in said if one is not None] if None not in said else []), row

    def _alone(self, scanner: Scanner, row: list[Token]) -> Meaning:
        """Return the actions of a clause that only names some, of which others speak: "do A; B only after that"."""
        for cut in scanner.cuts(row, inflected=True):
            if not cut.cost and not cut.odd and {item.code for item in cut.items} <= _NAMING:
                return tuple(Draft("existence", item) for item in cut.items if item.code == "S")
        return ()

    def _said(self, drafts: Meaning) -> Meaning | None:
        """Return the drafts that say something in a query, or None if it cannot say one."""
        told = tuple(draft for draft in drafts if draft.kind not in _VOID or draft.count > 1)
        for kind in {draft.kind for draft in told if draft.kind in PLACES}:
            some = [draft for draft in told if draft.kind == kind]
            if len(some) > 1:
                one = Draft(kind, joined([draft.first for draft in some]), count=len(some))
                told = (*(draft for draft in told if draft.kind != kind), one)
        said = all(list(self._links(draft)) for draft in told) and _complete(drafts)
        return told if told and said else None

    def _links(self, draft: Draft) -> Iterator[tuple[str, Relation, str | int | None]]:
        """Yield what a draft says: an action, its relation, and another action, an hour, or None for all others.
        Nothing if no constraint says it."""
        first, then = (self._named(item) for item in (draft.first, draft.then))
        clock = draft.then.low if draft.then is not None and draft.then.code == "T" else None
        together = draft.kind in PLACES and draft.count == len(first)
        if (
            not first
            or draft.unit
            or (draft.count and not together)
            or draft.until is not None
            or draft.against is not None
            or draft.condition is not None
        ):
            return
        if clock is not None:
            for one in first:
                yield one, "<" if draft.kind == "not_succession" else ">", int(clock)
        elif draft.kind in PLACES:
            for one in first if len(first) == 1 or together else ():
                yield one, "<" if draft.kind in ("first", "init") else ">", None
        elif draft.kind in ("precedence", "response", "not_succession"):
            turned = draft.kind == "not_succession"
            several = len(first) > 1 if draft.kind == "precedence" else len(then) > 1 if not turned else False
            if not several:
                for one, other in product(first, then):
                    if one != other or not (_every(draft.first) or _every(draft.then)):
                        yield one, ">" if turned else "<", other

    def _named(self, item: Item | None) -> list[str]:
        """Return the actions that a set names, or none if it is not only a set of actions."""
        if item is not None and item.calls == (Calls("*", text="any call"),):
            return [action.id for action in self.names.actions]
        if item is None or not all(calls.plain and calls.name in self.ids for calls in item.calls):
            return []
        return [self.ids[calls.name] for calls in item.calls]

    # Trees

    def _tree(self, text: str, drafts: Meaning, rows: Sequence[list[Token]]) -> SentenceReading | None:
        said = [draft for draft in drafts if draft.kind not in _VOID]
        told = dict.fromkeys((link, draft) for draft in said for link in self._links(draft))
        return reading_of(text, [(link, self._places(draft)) for link, draft in told], rows) if told else None

    def _places(self, draft: Draft) -> dict[str | None, Span]:
        """Return where a draft names its actions; None is where it names a clock time."""
        found: dict[str | None, Span] = (
            {None: draft.then.span} if draft.then and draft.then.code == "T" else {}
        )
        for item in draft.sets:
            if item.code != "T":
                found |= dict.fromkeys(self._named(item), item.span)
        return found


def _complete(drafts: Sequence[Draft]) -> bool:
    """Return whether what is only named is spoken of elsewhere."""
    alone, told = (
        {c.name for draft in drafts if (draft.kind in _VOID) is void for i in draft.sets for c in i.calls}
        for void in (True, False)
    )
    return alone <= told


def unread(rows: Iterable[Sequence[Token]], read: Callable[[int], bool]) -> Iterator[Span]:
    """Yield where words stand that were not read, without those that only join. ``read``: whether a place was."""
    for is_read, some in groupby(chain.from_iterable(rows), lambda token: read(token.start)):
        run = [token for token in some if token.kind != "mark" and token.key not in JOINING]
        if run and not is_read:
            yield run[0].start, run[-1].end


def _every(item: Item | None) -> bool:
    """Return whether a set is that of all actions."""
    return item is not None and any(calls.is_glob for calls in item.calls)


def _at_commas(row: Sequence[Token]) -> list[list[Token]]:
    """Return the parts of "A before B, B before C, C before D"."""
    parts: list[list[Token]] = [[]]
    for token in row:
        if token.text in (",", ";"):
            parts.append([])
        elif parts[-1] or token.key not in ("and", "but"):
            parts[-1].append(token)
    return parts if len(parts) > 1 and all(parts) and row[-1].key != "order" else []


def _verb_of(row: Sequence[Token], subject: Span, clock: Span) -> set[str]:
    """Return the words of the verb that a clock time is about."""
    if clock < subject:
        return {one.key for one in row if one.start >= clock[1]}
    between = [one.key for one in row if subject[1] <= one.start < clock[0]]
    joint = max((k + 1 for k, key in enumerate(between) if key in ("and", "but", ",")), default=0)
    own = between[joint:]
    if joint and len(own) < 4 and not {*own} & (_BEGINNING | _ENDING):
        own = between[: next((k for k, key in enumerate(between) if key in ("before", "after")), None)]
    start = max(
        (
            k + 1
            for k, one in enumerate(row)
            if one.start < subject[0] and one.key in (",", ";", "and", "but")
        ),
        default=0,
    )
    return {*own, *(one.key for one in row[start:] if one.start < subject[0])}


def _going_on(rows: Iterable[list[Token]]) -> Iterator[list[Token]]:
    """Yield sentences, those that begin with "then" with the one before them."""
    last: list[Token] = []
    for row in rows:
        begin = row[1:] if row[0].key in ("and", "only") else row
        words = " ".join(one.key for one in begin) + " "
        if last and begin and (_CONTINUED.match(words) or " comes next " in words):
            at = last[-1].end
            last = [*last, Token("mark", ",", at, at), *row]
            continue
        if last:
            yield last
        last = row
    if last:
        yield last


_CONTINUED = re.compile(
    r"(?:then|next|after (?:that|this)|afterwards?|subsequently|thereafter|finally|lastly) "
)
