"""Cuts a sentence of rules into items, in every way that its words allow: sets of calls with their conditions, verbs,
numbers, and keywords.

A word may be a tool's name, a word of the language, or both. So a sentence is a row of choices, and ``Scanner.cuts``
returns the cuts with the fewest names that nobody knows. The reader tries them against the shapes of sentences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import chain, islice
from typing import Literal, NamedTuple, cast, get_args

from planscope.frozen import frozen
from planscope.language import english
from planscope.language.calls import (
    ASSISTANT,
    COUNT,
    DENIED,
    EACH,
    SUM,
    USER,
    Against,
    Calls,
    CallSet,
    Combined,
    Compare,
    Condition,
    Operator,
    Path,
    Relation,
    Scalar,
    Source,
    compares,
    condition_text,
    moment,
)
from planscope.language.english import Said
from planscope.language.mentions import Mention, Mentions, Named
from planscope.language.problem import Action, Span
from planscope.language.scan import (
    HOURS,
    MAX_PIECES,
    MAX_TOKENS,
    NOT_IN_SENTENCES,
    Meaning,
    Names,
    Phrases,
    Piece,
    clock_at,
    cut,
    step,
    vocabulary,
    words_of,
)
from planscope.language.scan import Token as LanguageToken

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*|(?<=\w)\(\))|(?P<line>\n)|(?P<quoted>`[^`\n]*`|(?<!\w)'[\w*./:-]+)
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<time>[0-9]{1,2}:[0-9]{2}(?!\w))|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w*]))
    |(?P<word>[\w*]+(?:['\u2019]\w+)*)|(?P<mark>!=|<=|>=|->|=>|\.\.+|[^\s])""",
    re.VERBOSE,
)
DEEPEST = 50
"""Limit of the steps of a path."""
MOST_CUTS = 60
"""So many cuts of a sentence are tried."""
MOST_STEPS = 25_000
"""A sentence whose cuts take more steps is too long: a list of 1,000 tools takes 4,000."""

Paths = tuple[Path, ...]


TOO_LONG = "the sentence is too long to read; split it"


class SentenceError(Exception):
    """A sentence cannot be read. ``span``: the words to blame. ``readings``: what it could mean."""

    def __init__(
        self, span: Span, message: str, expected: tuple[str, ...] = (), readings: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.span, self.message, self.expected, self.readings = span, message, expected, readings


@frozen
class Token:
    """A word, number or sign. ``kind``: a group of ``_TOKEN``. ``key``: the text in lower case, for
    comparison; it has no blanks."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def key(self) -> str:
        return self.text.casefold().replace("\u2019", "'").replace(" ", "_")


@frozen
class Item:
    """A part of a sentence. ``code``: S (a set of calls), COND (a condition on an answer), per (values that calls must
    share), or what words say (``english.Said``, also of ``exact``)."""

    code: str
    span: Span
    calls: CallSet = ()
    low: float = 0
    high: float = 0
    condition: Condition | None = None
    per: tuple[Paths, Paths] = ((), ())
    agent: str | None = None
    odd: bool = False
    exact: bool = False
    against: Against | None = None


Choice = tuple[int, int, tuple[Item, ...]]
"""What may begin at a place: its cost, how many tokens it takes, and its items."""


class _Name(NamedTuple):
    """A name at some place: what it costs, where it ends, its calls, and the verb that goes with it."""

    cost: int
    end: int
    calls: Calls
    verb: tuple[Item, ...] = ()


class Cut(NamedTuple):
    """A sentence as items. ``cost``: how many of its names are neither known nor in backquotes and could be words."""

    cost: int
    items: tuple[Item, ...]
    odd: int = 0
    """How many of its words mean nothing."""


def tokens(text: str) -> Iterator[Token]:
    """Return all tokens of a text. Comments are left out."""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "mark"
        if kind != "comment":
            yield Token(kind, match[0], match.start(), match.end())


def sentences(text: str) -> Iterator[list[Token]]:
    """Return the tokens of each sentence, without its period. A sentence ends with a period or with its line."""
    found: list[Token] = []
    row = list(tokens(text))
    for k, token in enumerate(row):
        following = row[k + 1] if k + 1 < len(row) else None
        inside = (
            following is not None and following.start == token.end and following.kind in ("word", "quoted")
        )
        half = "".join(one.key for one in row[k - 3 : k]) in ("p.m", "a.m", "i.e", "e.g")
        half = half or row[k - 1].key in ("min", "max")
        inside = inside or (half and following is not None and not following.text[:1].isupper())
        asked = token.text in "?!" and following is not None and following.text[:1].isupper()
        ends = token.kind == "line" or asked or (token.text == "." and not (inside and found))
        if not ends or asked:
            found.append(token)
        if ends and found:
            yield found
            found = []
    if found:
        yield found


_DASHES = ("-", "\u2013", "\u2014")
_SCOPE = re.compile(r"(?:for (?:each|every|the same)|per) \w+(?: id)?")
"""Whose values tell calls apart, at the end of a sentence."""
_CONTRACTED = [
    (re.compile(f"(?:{words}) "), full)
    for words, _, full in (
        line.partition(" = ")
        for line in r"""(.+)'s(?= been| already) = \1 has
can't|cannot = can not
won't = will not
shan't = shall not
(.+)n't = \1 not
(.+)'d = \1 would
(.+)'ve = \1 have
(.+)'re = \1 are
(.+)'ll = \1 will
(it|that|there)'s = \1 is
([0-9]+)x = \1 times
(do|does|did|must|should|is|are|was|were|has|have)nt = \1 not
cant = can not
wont = will not
solely|exclusively = only""".splitlines()
    )
]
"""What words mean that are written as one, also by the word behind them."""


def full(row: Sequence[Token], known: Collection[tuple[str, ...]]) -> list[Token]:
    """Return the tokens with "don't" and "refund's" as two words, without the commas around "sooner or later"."""
    found: list[Token] = []
    for k, token in enumerate(row):
        if token.text in _DASHES and k and row[k - 1].end < token.start and row[-1] is not token:
            token = replace(token, text=",")
        if token.text == ":" and _SCOPE.fullmatch(" ".join(one.key for one in row[k + 1 : k + 7])):
            token = replace(token, text=",")
        key = token.key
        following = f"{key} {row[k + 1].key if k + 1 < len(row) else ''}"
        words = next((m.expand(full) for short, full in _CONTRACTED if (m := short.match(following))), "")
        if key.endswith("'s") and words_of(key[:-2]) in known:
            words = f"{token.text[:-2]} 's"
        parts = words.split() if token.kind == "word" else []
        found += [Token("word", part, token.start, token.end) for part in parts] or [token]
    return found


class Scanner:
    """Scans a text about some actions or tools: into the tokens of the paper's grammar, and in every way that its words
    allow (``cuts``)."""

    def __init__(
        self,
        text: str = "",
        names: Names | Collection[str] = (),
        *,
        timed: bool = False,
        prose: bool = False,
        words: Phrases[Meaning] | None = None,
    ) -> None:
        """``text``: what is cut. ``names``: of actions, or only of tools. ``prose``: an object may stand for its
        action, and tokens have names in other words, too. ``words``: all phrases (default: ``vocabulary``)."""
        self.names = names if isinstance(names, Names) else Names((), names)
        self.timed, self.text, self.prose = timed, text, prose
        self._words = words
        self.tools = self.names.tools

    @property
    def mentions(self) -> Mentions:
        """What finds names in other words."""
        return _mentions(self.tools, self.prose)

    def tokens(self, text: str) -> list[LanguageToken] | None:
        """Return the tokens of a sentence, or None if there are too many."""
        pieces = list(islice(cut(text), MAX_PIECES + 1))
        tokens = list(islice(self.stream(text, pieces), MAX_TOKENS + 1))
        return None if len(pieces) > MAX_PIECES or len(tokens) > MAX_TOKENS else tokens

    def stream(self, text: str, pieces: Sequence[Piece]) -> Iterator[LanguageToken]:
        """Yield the tokens of a text that was cut into these pieces; in prose, also of names in other words."""
        said, at = Named(), 0
        names = {id: name for name, id in reversed(self.names.ids.items())} if self.prose else {}
        while at < len(pieces):
            token, width = self._token(text, pieces, at)
            at += width
            if not self.prose:
                yield token
            elif (mention := self.mentions.at(pieces, at - width, said)) is not None and (
                mention.width >= width + (token.type not in NOT_IN_SENTENCES)
            ):
                said.tell(mention)
                at += mention.width - width
            else:
                said.add(token._replace(action=names.get(token.action, "")))
        for token in said.tokens:
            yield token._replace(action=self.names.ids.get(token.action, ""))

    def _token(self, text: str, pieces: Sequence[Piece], at: int) -> tuple[LanguageToken, int]:
        start = pieces[at].start
        width, action = self.names.phrases.longest(pieces, at)
        size, meaning = self._phrase(pieces, at)
        if action is not None and width >= size:
            other = meaning if size == width else None
            return LanguageToken(
                "ACTION", start, pieces[at + width - 1].end, action=action, other=other
            ), width
        key = pieces[at].key
        if (key[0].isdigit() or key in HOURS) and (clock := clock_at(text, start)) is not None:
            end, hour = clock
            width = sum(start <= piece.start < end for piece in pieces[at : at + 9])
            if isinstance(hour, int):
                return LanguageToken("TIME" if self.timed else "TIMELESS", start, end, hour=hour), width
            return LanguageToken("HINT", start, end, hour), width
        if meaning is not None:
            return LanguageToken(meaning.type, start, pieces[at + size - 1].end, meaning), size
        if key == "the" and at + 1 < len(pieces):
            token, width = self._token(text, pieces, at + 1) if pieces[at + 1].key != "the" else (None, 0)
            if token is not None and token.type == "ACTION":
                return token, width + 1
        if key == "`" and (quoted := self._quoted(pieces, at)) is not None:
            return quoted
        return LanguageToken("UNKNOWN", start, pieces[at].end), 1

    def _phrase(self, pieces: Sequence[Piece], at: int) -> tuple[int, Meaning | None]:
        """Find the longest phrase at a place, but none that ends inside an action's name."""
        words = self._words or vocabulary()
        size, meaning = words.longest(pieces, at)
        for inside in range(at + 1, at + size):
            width = self._named(pieces, inside)
            if width and (inside + width > at + size or (meaning is not None and meaning.type == "HINT")):
                return words.longest(pieces, at, inside)
        return size, meaning

    def _named(self, pieces: Sequence[Piece], at: int) -> int:
        """Return the number of pieces of the name that begins at a place, or 0."""
        mention = self.mentions.at(pieces, at, Named()) if self.prose else None
        return max(self.names.phrases.longest(pieces, at)[0], mention.width if mention is not None else 0)

    def _quoted(self, pieces: Sequence[Piece], at: int) -> tuple[LanguageToken, int] | None:
        """Read a name in backquotes. Its token's span is the name's; a wrong name gives one token that includes the
        marks."""
        for close in range(at + 1, min(at + 100, len(pieces))):
            if pieces[close].key == "`":
                break
        else:
            return None
        if close == at + 1:
            return None
        inside = tuple(step(piece, k) for k, piece in enumerate(pieces[at + 1 : close]))
        if action := self.names.quoted.get(inside):
            token = LanguageToken("ACTION", pieces[at + 1].start, pieces[close - 1].end, action=action)
        else:
            token = LanguageToken("UNKNOWN", pieces[at].start, pieces[close].end)
        return token, close - at + 1

    def names_tool(self, token: Token) -> bool:
        """Return whether a token may belong to a tool's name."""
        return token.kind in ("quoted", "string") or "_" in token.text or (token.key,) in self.names.known

    def named(self, row: Sequence[Token]) -> list[Span]:
        """Return where tools are named, in other words too."""
        found = [(one.start, one.end) for one in row if self.names_tool(one)]
        cuts = self.cuts(row, inflected=True)
        ends = ((at, max((name.end for name in cuts.names(at)), default=at)) for at in range(len(cuts.row)))
        return [*found, *(cuts.span(at, end) for at, end in ends if end > at)]

    def cuts(self, row: Sequence[Token], *, inflected: bool = False) -> Cuts:
        """Return the cuts of a sentence. ``inflected``: look for other forms of known names, too ("closing a file")."""
        return Cuts(self, row, inflected)


@lru_cache(maxsize=8)
def _mentions(tools: Sequence[str], nouns: bool) -> Mentions:
    written = {" ".join(WORD.findall(tool)).casefold(): tool for tool in tools}
    actions = (Action(tool, words, tool) for words, tool in written.items())
    return Mentions(actions, auxiliary, nouns=nouns)


WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")


def auxiliary(row: Sequence[Piece]) -> tuple[int, LanguageToken | None]:
    """Return how many pieces "has been executed" takes, whose verb is "called" here, with its words as a token."""
    width = next((k for k, piece in enumerate(row) if piece.key in ("executed", "done")), len(row) - 1) + 1
    words = [*(piece.key for piece in row[: width - 1]), "called"]
    said = LanguageToken("VERB", row[0].start, row[width - 1].end, words=" ".join(words))
    return width, said if english.verb(words) else None


Outcome = Literal["failed", "succeeded"]
_OUTCOMES: dict[str, Outcome] = {
    **dict.fromkeys("failed failing fails unsuccessful".split(), "failed"),
    **dict.fromkeys("succeeded succeeds successful".split(), "succeeded"),
}


class Cuts:
    """All cuts of one sentence. ``troubles``: what was wrong in those that did not get to the end."""

    def __init__(self, scanner: Scanner, row: Sequence[Token], inflected: bool) -> None:
        self.scanner, self.row, self.inflected = scanner, full(row, scanner.names.known), inflected
        self.keys = [_key(token) for token in self.row]
        self.pieces = [Piece(token.start, token.end, token.key, False) for token in self.row]
        self.raw = [token.key for token in self.row]
        self.at = 0
        self.troubles: list[SentenceError] = []
        self._rest: dict[int, dict[int, Cut]] = {len(self.row): {0: Cut(0, ())}}
        self._numbers: dict[tuple[Item, int], int] = {}
        self._widths: dict[int, set[int]] = {}

    def __iter__(self) -> Iterator[Cut]:
        """Yield the cuts, those with the fewest unknown names first. Raises SentenceError if it takes too long."""
        steps = 0
        for at in range(len(self.row) - 1, -1, -1):
            found: dict[int, Cut] = {}
            self._widths[at] = set()
            for cost, width, items in self.choices(at):
                self._widths[at].add(width)
                odd = sum(one.odd for one in items)
                tails = self._rest.get(at + width, {})
                steps += len(tails)
                for tail, rest in tails.items():
                    number = self._number(items, tail)
                    if number not in found or cost + rest.cost < found[number].cost:
                        found[number] = Cut(cost + rest.cost, (*items, *rest.items), odd + rest.odd)
            ranked = sorted(found.items(), key=lambda one: (one[1].cost, one[1].odd, len(one[1].items)))
            self._rest[at] = dict(ranked[:MOST_CUTS])
            if steps > MOST_STEPS:
                raise SentenceError(self.span(0, len(self.row)), TOO_LONG)
        yield from self._rest[0].values()

    def _number(self, items: Sequence[Item], tail: int) -> int:
        """Return the number of these items before those of the number ``tail``: equal items, equal number.

        To hash the whole tuple of items, at each place again, was an eighth of the time of reading."""
        for one in reversed(items):
            tail = self._numbers.setdefault((one, tail), len(self._numbers) + 1)
        return tail

    @property
    def unread(self) -> Token | None:
        """The first token that no cut gets beyond; None if some cut gets to the end."""
        reached = {0}
        for at in range(len(self.row)):
            if at in reached:
                reached |= {at + width for width in self._widths.get(at, ())}
        return None if len(self.row) in reached else self.row[max(reached)]

    # What can begin at a place: its cost, how many tokens it takes, its items

    def choices(self, at: int) -> Iterator[Choice]:
        token, key = self.row[at], self.keys[at]
        self.at = at
        for read in (self._per, self._answer, self._behind, self._compared):
            try:
                item = read(at)
            except SentenceError as error:
                self.troubles.append(error)
                continue
            if item is not None:
                yield 0, self.at - at, (item,)
                if item.code == "per" and self.keys[at + 1] not in ("each", "every"):
                    return
        yield from self._against(at)
        yield from self._sets(at)
        if self.scanner.timed:
            yield from self._clocks(at)
        if token.text in _ARROWS:
            yield 0, 1, (Item("chain", (token.start, token.end)),)
        if token.text.startswith(".."):
            yield 0, 1, (Item("to", (token.start, token.end)),)
        if token.kind == "mark" and token.text in ",;:":
            yield 0, 1, (Item(token.text, (token.start, token.end)),)
        if not key or token.kind == "quoted":
            return
        yield from self._words(at)

    def _frees_one(self, at: int, end: int) -> bool:
        """Return whether words may say that only the last of some calls has no place: "A after B and C at any time"."""
        ends = self.keys[end : end + 1] in ([], [","], [";"])
        if not ends or not english.late(english.FREE).fullmatch(f" {' '.join(self.keys[at:end])} "):
            return False
        last = max((k for k in range(at) if self.keys[k] == "and"), default=0)
        beside = not _THEN_BEHIND.isdisjoint(self.keys[:last])
        return beside and any(last + 1 + width == at for _, width, _ in self._sets(last + 1))

    def _words(self, at: int) -> Iterator[Choice]:
        """Yield what the words of the language mean that begin at a place."""
        for width, codes in english.said(self.words(at), at == 0):
            if any(one.agent for one in codes) and self._exact(at + 1)[0]:
                continue
            noun = self.keys[at] in _UNITS and at > 0 and self.keys[at - 1] in _BEFORE_NOUNS
            named = at + 1 < len(self.row) and bool(self._exact(at + 1)[0])
            clock = at + width < len(self.row) and (
                self.row[at + width].kind in ("time", "number") or self.keys[at + width] in HOURS
            )
            if clock and codes and codes[-1].code in ("begins", "ends_with"):
                yield 0, 1, (Item("happens", self.span(at, at + 1)),)  # "finishes by 15:00"
                continue
            before = named and width == 1 and self.keys[at] == "before" and codes == (Said("earlier"),)
            if before or self._otherwise(at, width, codes):
                continue
            if noun and not named and codes[:1] != (Said("call_is"),):
                continue
            behind = not _THEN_BEHIND.isdisjoint(self.keys[:at]) and self.keys[at - 1] not in ("and", "only")
            behind = behind and (self.raw[:at].count(",") < 2 or "and" in self.raw[:at])
            if self.keys[at] == "then" and not codes and not behind:
                continue
            if not codes and self._frees_one(at, at + width):
                continue
            if self.keys[at] == "any" and "*" in "".join(
                self.keys[at + 3 : at + 4]
            ):  # "any call of get_*" is a set
                continue
            number = next((t for t in self.row[at : at + width] if t.kind == "number"), None)
            span = (number.start, number.end) if number is not None else self.span(at, at + width)
            yield (
                0,
                width,
                tuple(
                    Item(
                        one.code, span, low=one.low, high=one.high, agent=self._who(at, one), exact=one.exact
                    )
                    for one in codes
                ),
            )
        key = self.keys[at]
        if (
            key in english.ARTICLES
            and self._leads(at + 1)
            and not (self.scanner.prose and self._exact(at)[0])
        ):
            yield int(self.keys[at + 1] in english.SOFT - english.ADJECTIVES), 1, ()
        elif (key in english.FUNCTION or key in english.SOFT) and (key != "once" or not self._timely(at)):
            yield 0, 1, (Item(key, self.span(at, at + 1), odd=key not in english.LITERAL),)

    def _otherwise(self, at: int, width: int, codes: Sequence[Said]) -> bool:
        """Return whether words mean something else here: "call A once before B", "any time before B"."""
        said = codes[0].code if len(codes) == 1 else ""
        if said == "once":
            return self._timely(at)
        if said == "when":
            return self.keys[at + width : at + width + 1] in (["before"], ["after"])
        pointing = not _POINTING.isdisjoint(self.keys[at : at + width])
        return self.scanner.prose and pointing and said in ("earlier", "later")  # later than what, is asked

    def _timely(self, at: int) -> bool:
        """Return whether "once" is a number here, with what it is counted in behind it."""
        return self.keys[at + 1 : at + 2] in (["before"], ["after"], ["per"], ["within"])

    def _who(self, at: int, one: english.Said) -> str | None:
        """Return the agent as the file writes it."""
        return next((t.text for t in self.row[at:] if t.key == one.agent), None) if one.agent else None

    def _leads(self, at: int) -> bool:
        """Return whether an article may stand before what is at a place."""
        if at >= len(self.row) or self.row[at].kind not in ("word", "number", "quoted"):
            return False
        key = self.keys[at]
        return key not in english.FUNCTION or key in english.ADJECTIVES or self.row[at].text == "A"

    def words(self, at: int) -> list[str]:
        """Return the words from a place to the next sign."""
        end = at
        while end < min(len(self.row), at + 16) and self.keys[end]:
            end += 1
        return self.keys[at:end]

    def joined(self, at: int) -> str:
        return "".join(f"{word} " for word in self.words(at))

    def span(self, at: int, end: int) -> Span:
        return self.row[at].start, self.row[end - 1].end

    # Clock times

    def _clocks(self, at: int) -> Iterator[Choice]:
        """Yield the clock times that begin at a place, with words such as "no later than" before or behind them."""
        for begin, relation in ((at, ""), *self._bounds(at, _BOUNDS)):
            placed = not relation and self.keys[at] == "at"
            for end, hour in self._hours(begin + placed, relation):
                clock = Item("T", self.span(begin + placed, end), low=hour)
                if relation:
                    yield 0, end - at, (Item(relation, self.span(at, begin)), clock)
                elif not placed:
                    yield 0, end - at, (clock,)
                for behind, said in self._bounds(end, _BOUNDS_BEHIND) if end < len(self.row) else ():
                    if relation in ("", said):
                        yield 0, behind - at, (Item(said, self.span(end, behind)), clock)

    def _bounds(self, at: int, bounds: Mapping[str, re.Pattern[str]]) -> Iterator[tuple[int, str]]:
        for relation, pattern in bounds.items():
            if match := pattern.match(self.joined(at)):
                yield at + match[0].count(" "), relation

    def _hours(self, at: int, relation: str) -> Iterator[tuple[int, int]]:
        """Yield where a clock time ends that begins at a place, and its whole hour; of a bare number both that it can
        be."""
        if at >= len(self.row):
            return
        token = self.row[at]
        if (clock := clock_at(self.scanner.text, token.start)) is not None:
            end, hour = clock
            if isinstance(hour, int):
                yield at + sum(token.start <= one.start < end for one in self.row[at : at + 9]), hour
        elif token.kind == "number" and token.text.isdigit() and int(token.text) <= 24:
            end = at + 1 + (self.raw[at + 1 : at + 2] == ["o'clock"])
            ends = end == len(self.row) or self.raw[end] in (",", ";", "and", "but")
            if self._in_span(at):
                yield at + 1, int(token.text)
                return
            if ends and (relation or self.keys[at - 1 : at] in (["before"], ["after"], ["until"])):
                yield end, int(token.text)
                if 0 < int(token.text) < 12:
                    yield end, int(token.text) + 12

    def _in_span(self, at: int) -> bool:
        """Return whether a number is one of the hours of "between 9 and 17"."""
        return any(_SPAN.match(" ".join(self.keys[k : k + 4])) for k in (at - 1, at - 3) if k >= 0)

    # Sets of calls

    def _trouble(self, at: int, message: str, *expected: str) -> None:
        """Note what is wrong at a place."""
        self.troubles.append(self._error(message, *expected, ahead=at - self.at))

    def _sets(self, at: int) -> Iterator[Choice]:
        """Yield the sets of calls that begin at a place."""
        if self.keys[at] == "a" and self._may_be_new(at):
            yield from self._named(at, at, None, False)
        if self.keys[at] in _UNITS and (others := self._but(at + 1)) is not None:
            yield 0, others.end - at, (Item("S", self.span(at, others.end), (others.calls,)),)
        if self.keys[at] in ("nothing", "none") and (others := self._but(at + 1)) is not None:
            span = self.span(at, others.end)
            yield 0, others.end - at, (Item("no", span), Item("S", span, (others.calls,)))
        match = _WRAPPED.match(self.joined(at)) if self.keys[at] else None
        words = match[0] if match else ""
        begin = at + words.count(" ")
        whole = "any call" in words or "call of" in words
        hidden = self.scanner.prose and any(self._exact(k)[0] for k in range(at, min(begin, len(self.row))))
        if begin < len(self.row) and not hidden:  # in "a b" both may be actions
            outcome = _OUTCOMES.get(match["outcome"] or "") if match else None
            yield from self._named(begin, at, outcome, whole)
            if self.inflected and begin > at and match and re.match(english.ACTING, words):
                yield from (one for one in self._named(at, at, None, False) if one[0] == 0)
        elif whole:
            self._trouble(
                len(self.row), "'any call of' needs the name of tools, such as update_*", "a tool's name"
            )

    def _named(self, begin: int, at: int, outcome: Outcome | None, whole: bool) -> Iterator[Choice]:
        """Yield the sets whose name begins at ``begin``, behind words such as "a call of". ``whole``: these words
        belong to the set's text."""
        for name in self._names(begin, at):
            calls = name.calls if outcome is None else replace(name.calls, outcome=outcome)
            noun = calls.name and self.keys[name.end : name.end + 1] in _NOUNS
            for end in (name.end + 1, name.end) if noun else (name.end,):
                self.at = end
                try:
                    found = self._modified(calls)
                except SentenceError as error:
                    self.troubles.append(error)
                    continue
                span = self.span(at if whole or found.is_said else begin, self.at)
                found = replace(found, text=found.text or " ".join(self.scanner.text[slice(*span)].split()))
                yield name.cost, self.at - at, (Item("S", span, (found,)), *name.verb)

    def _names(self, at: int, begun: int) -> Iterator[_Name]:
        """Yield the tools that are named at a place, those of a glob also without some: "db_* other than db_close"."""
        for name in self._all_names(at, begun):
            others = self._but(name.end) if name.calls.is_glob else None
            if others is not None:
                calls = replace(others.calls, name=name.calls.name, text="")
                yield others._replace(cost=name.cost, calls=calls)
            yield name

    def _all_names(self, at: int, begun: int) -> Iterator[_Name]:
        """Yield the tools, or globs, that are named at a place."""
        token, key = self.row[at], self.keys[at]
        if token.text == "``":
            self._trouble(at, "there is no name between the backquotes", "a tool's name")
        elif token.kind == "quoted" or (token.kind == "string" and token.text[1:-1] in self.scanner.tools):
            yield _Name(0, at + 1, Calls(token.text[1:-1]))
        if key in ("user", "assistant") and self.keys[at + 1 : at + 2] in _MESSAGES:
            yield _Name(0, at + 2, Calls(USER if key == "user" else ASSISTANT))
        if key and (match := _ANY.match(self.joined(at))):
            end = at + match[0].count(" ")
            if match["any"] or match["all"]:
                yield self._but(end) or _Name(0, end, Calls("*"))
            elif self._counts(begun, end):
                yield _Name(0, end, Calls("*", text="any call"))
        if (said := self._user_said(at)) is not None:
            yield said
        width, exact = self._exact(at)
        if exact:
            yield _Name(0, at + width, Calls(exact))
        if token.kind == "word" and self.inflected:
            yield from (name for name in self._inflected(at) if name.end > at + width)
        if token.kind == "word" and not width and self._may_be_new(at):
            yield _Name(int(key in english.SOFT or bool(self.scanner.tools)), at + 1, Calls(token.text))

    def _but(self, at: int) -> _Name | None:
        """Return all calls but those of the tools that are named here: "other than A or B"."""
        begun = at
        match = _OTHER_THAN.match(self.joined(at)) if at < len(self.row) and self.keys[at] else None
        at += match[0].count(" ") if match else 0
        but: list[str] = []
        while match and at < len(self.row):
            at += self.keys[at] in english.ARTICLES and at + 1 < len(self.row) and not self._exact(at)[0]
            width, tool = self._exact(at)
            if self.row[at].kind == "quoted":
                width, tool = 1, self.row[at].text[1:-1]
            elif not width and self._may_be_new(at):
                width, tool = 1, self.row[at].text
            if not width:
                break
            but.append(tool)
            at = end = at + width
            while at < len(self.row) and self.raw[at] in (",", "and", "or"):
                at += 1
            if at == end:
                break
        if not but:
            return None
        words = self.scanner.text[self.row[begun].start : self.row[end - 1].end]
        return _Name(0, end, Calls("*", text=f"any call {' '.join(words.split())}", but=tuple(but)))

    def _user_said(self, at: int) -> _Name | None:
        """Return the messages of "the user has said "yes"", with their verb."""
        match = _USER_SAID.match(self.joined(at)) if self.keys[at] == "user" else None
        if match is None:
            return None
        end = at + match[0].count(" ")
        token = self.row[end] if end < len(self.row) else None
        condition: Condition | None = None
        if match["says"]:
            if token is None or (token.kind != "string" and token.key not in _REPLIES):
                return None
            said = str(json.loads(token.text)) if token.kind == "string" else token.key
            condition, end = Compare("text", (), "contains", said), end + 1
        span = self.span(at, end)
        text = "a user message" if condition is None else f"a user message with {condition_text(condition)}"
        return _Name(0, end, Calls("", condition, text=text), (Item("did_happens", span),))

    def _counts(self, at: int, end: int) -> bool:
        """Return whether "call" is any call here: behind "every" or a number, and with no name behind it."""
        before = self.keys[max(at - 1, 0)]
        number = before in english.COUNTING or (at > 0 and self.row[at - 1].kind == "number")
        named = (
            self.keys[end : end + 1] in (["of"], ["to"]) or any(self._exact(end))
            if end < len(self.row)
            else False
        )
        return before in EVERY or (number and not named)

    def _may_be_new(self, at: int) -> bool:
        """Return whether an unknown word may be a tool's name."""
        token, key = self.row[at], self.keys[at]
        if key in english.FUNCTION and key != "a":
            return False
        if key in ("run", "runs") and at and self.keys[at - 1] in _OF_RUNS:
            return False
        after = self.row[at + 1] if at + 1 < len(self.row) else None
        glued = after is not None and after.start == token.end and after.text in (".", "-", "/", ":")
        if glued and at + 2 < len(self.row) and after is not None and self.row[at + 2].start == after.end:
            self._trouble(at + 1, f"a name with {after.text!r} in it must be in backquotes", "`name`")
            return False
        return bool(re.search(r"[^\W\d]|\*", token.text))

    def _exact(self, at: int) -> tuple[int, str]:
        """Return the longest known tool that is named here, in any case and with blanks for underscores."""
        start = self.row[at].start
        for tool in self.scanner.names.marked:
            end = start + len(tool)
            if self.scanner.text[start:end].casefold() == tool.casefold():
                width = sum(start <= token.start < end for token in self.row[at:])
                if self.row[at + width - 1].end == end:
                    return width, tool
        best: tuple[int, list[str]] = (0, [])
        words: list[str] = []
        known = self.scanner.names.known
        for k in range(at, min(at + self.scanner.names.most_words, len(self.row))):
            if self.row[k].kind not in ("word", "number") or not self.keys[k]:
                break
            words += [part for part in self.keys[k].split("_") if part]
            best = (k + 1 - at, known[tuple(words)]) if tuple(words) in known else best
        width, tools = best
        if len(tools) < 2:
            return width, tools[0] if tools else ""
        written = "_".join(token.text for token in self.row[at : at + width])
        if written in tools:
            return width, written
        span = self.span(at, at + width)
        names = tuple(f"`{tool}`" for tool in tools)
        self.troubles.append(
            SentenceError(span, f"{' and '.join(names)} differ only in case; write one of them", names, names)
        )
        return width, ""

    def names(self, at: int) -> Iterator[_Name]:
        """Yield the known tools that are named at a place."""
        width, exact = self._exact(at)
        if exact:
            yield _Name(0, at + width, Calls(exact))
        if self.row[at].kind == "word":
            yield from self._inflected(at)

    def _inflected(self, at: int) -> Iterator[_Name]:
        """Yield the known tool that is mentioned here in other words: "looking up the order". In the passive the verb
        is behind the other words: "a note has been added"."""
        mentions = self.scanner.mentions
        if self.keys[at] in mentions.articles:
            return
        begin = at - (
            at > 0 and self.keys[at - 1] in ("a", "an", "the")
        )  # behind an article a verb is a noun
        for mention in dict.fromkeys(
            (mentions.at(self.pieces, begin, Named()), self._told.get(begin), self._told.get(at))
        ):
            if (
                mention is None
                or (end := (begin if mention is not self._told.get(at) else at) + mention.width) <= at
            ):
                continue
            noun = self.scanner.prose and begin < at and self.keys[at] in mentions.verbs  # "by the call"
            if end == at + 1 and not noun and self.keys[at] in english.FUNCTION | english.SOFT:
                continue
            if not self.scanner.prose and not EVERY.isdisjoint(self.keys[at + 1 : end]):
                continue  # "remind each guest at most twice" counts the reminders of each
            tool, *verb = mention.tokens
            said = [
                Item(one.code, (token.start, token.end))
                for token in verb
                for one in english.verb(token.words.split()) or ()
            ]
            if mention.elliptic:
                said.append(Item("did_happens", (tool.start, tool.end)))
            if len(said) >= len(verb):
                for one in tool.either or ((tool,),):
                    yield _Name(0, end, Calls(one[0].action, text=one[0].action), tuple(said))

    @cached_property
    def _told(self) -> dict[int, Mention]:
        """What is mentioned in words that need those before them, by its place: "has been built and pushed", "book the
        hotel before the flight"."""
        return {at: mention for at, _, _, mention in self.mentioned() if mention is not None}

    def mentioned(self) -> Iterator[tuple[int, int, str, Mention | None]]:
        """Yield what is at each place, with its width: a tool that is named, one that is mentioned, or a word."""
        mentions, said, at = self.scanner.mentions, Named(), 0
        while at < len(self.row):
            width, tool = self._exact(at)
            mention = mentions.at(self.pieces, at, said)
            if tool and (mention is None or mention.width <= width):
                said.add(LanguageToken("ACTION", *self.span(at, at + width), action=tool))
                mention = None
            elif mention is not None:
                said.tell(mention)
                width, tool = mention.width, ""
            else:
                width = 1
                said.add(LanguageToken(_TYPES.get(self.raw[at], "WORD"), *self.span(at, at + 1)))
            yield at, width, tool, mention
            at += width

    def _modified(self, calls: Calls) -> Calls:
        """Return the set narrowed by the words after it: with CONDITION, that failed, by AGENT."""
        while True:
            key = self._key_at()
            again = key in ("by", "(") and self.at + 1 < len(self.row) and self._exact(self.at + 1)
            if again and again[1]:  # "the identity must be verified (verify_identity)"
                if again[1] != calls.name or (key == "(" and self._key_at(1 + again[0]) != ")"):
                    break
                self.at += 1 + again[0] + (key == "(")
            elif self._conditions(key):
                self.at += 1
                if calls.condition is not None:
                    raise self._error("a tool has one condition; join its parts by 'and'", ahead=-1)
                calls = replace(calls, condition=self._condition("text" if calls.is_said else "argument"))
            elif calls.condition is None and (said := self._said_of(key)) is not None:
                calls = replace(calls, condition=said)
            elif key in ("that", "which") and (told := self._outcome()):
                calls = replace(calls, outcome=told[0])
                self.at = told[1]
            elif key == "by" and (agent := self._agent()) is not None:
                calls = replace(calls, agent=agent)
            else:
                break
            if calls.is_said and (calls.outcome or calls.agent):
                raise self._error("a message has no outcome and no agent", ahead=-1)
        return calls

    def _outcome(self) -> tuple[Outcome, int] | None:
        """Read "that has returned an error". Return the outcome, and where the words end."""
        for width, codes in english.said(self.words(self.at + 1), False):
            for outcome in get_args(Outcome):
                if codes and codes[-1].code.removeprefix("did_") == outcome:
                    return outcome, self.at + 1 + width
        return None

    def _said_of(self, key: str) -> Condition | None:
        """Read a condition in a relative clause or in brackets, and go on behind it."""
        if key == "without":
            return self._lacking()
        return self._bracketed() if key == "(" else self._answering() if key in ("that", "which") else None

    def _lacking(self) -> Condition | None:
        """Read "without a reason", where nothing says that this is a tool."""
        token = self.row[self.at + 2] if self.at + 2 < len(self.row) else None
        if (
            not self.scanner.tools
            or token is None
            or token.kind != "word"
            or self._key_at(1) not in ("a", "an")
            or token.key in english.FUNCTION | english.SOFT
            or (self.at + 3 < len(self.row) and english.verb(self.words(self.at + 3)) is None)
            or self._is_named(token)
        ):
            return None
        self.at += 3
        return Compare("argument", (token.text,), "is missing")

    def _answering(self) -> Condition | None:
        """Read "that comes back with status = 5"."""
        match = _RETURNED.match(self.joined(self.at + 1))
        if match is None or match[0].split()[-1] in ("had", "has", "have"):
            return None
        begun, width = self.at, 1 + match[0].count(" ")
        if not self._compares(width, "answer"):
            return None
        self.at = begun + width
        return self._condition("answer")

    def _bracketed(self) -> Condition | None:
        """Read "(amount > 100)" or "(found: true in the answer)"."""
        begun = self.at
        self.at += 1
        try:
            condition = self._condition("argument")
            answered = self._take("in", "the", "answer") or self._take("in", "its", "answer")
            if self._take(")"):
                return on_answer(condition) if answered else condition
        except SentenceError:
            pass
        self.at = begun
        return None

    def _conditions(self, key: str) -> bool:
        """Return whether a condition begins here: with, whose, where, or "has an amount of 5"."""
        following = self._key_at(1)
        if key in ("with", "whose"):
            return following not in ("no", "that", "nothing") and not _SAME.match(self.joined(self.at))
        if key in ("at", "for") and following in ("a", "an"):
            return self._compares(1, "argument")
        if key in ("in", "for"):
            return self._kind_at(1) == "word" and self._kind_at(2) == "string"
        if key in ("where", "of", "having", "a", "an"):
            return following == "(" or self._compares(1, "argument")
        latest = not {"latest", "last", "recent", "newest"}.isdisjoint((self._key_at(-2), self._key_at(-3)))
        return (
            key in ("has", "have")
            and not latest
            and following not in ("been", "to")
            and not (_RETURNED.fullmatch(f"{following} ") and self._kind_at(2) == "string")
            and self._compares(1, "argument")
        )

    def _agent(self) -> str | None:
        """Return the agent of "by planner" or "by the planner agent", and go on behind it."""
        k = self.at + 1
        if k < len(self.row) and self.keys[k] == "the":
            k += 1
        token = self.row[k] if k < len(self.row) else None
        if token is None or token.kind not in ("word", "quoted", "string") or token.key in ("time", *HOURS):
            return None
        gapped = not _BY.isdisjoint(self.keys[: self.at]) and self._gapped()
        if token.kind == "word" and (gapped or self._exact(k)[0]):
            return None
        self.at = k + 1
        if self._key_at() == "agent":
            self.at += 1
        if token.kind == "word":
            return token.text
        return str(json.loads(token.text)) if token.kind == "string" else token.text[1:-1]

    def _gapped(self) -> bool:
        """Return whether "by" here means the verb again: "A is preceded by B, and B by C"."""
        joints = [k for k in range(self.at) if self.raw[k] in ("and", "or", "but", ",", ";")]
        return bool(joints) and not _BY.isdisjoint(self.keys[: joints[-1]])

    # Conditions and values

    def _key_at(self, ahead: int = 0) -> str:
        k = self.at + ahead
        return self.raw[k] if 0 <= k < len(self.raw) else ""

    def _kind_at(self, ahead: int = 0) -> str:
        k = self.at + ahead
        return self.row[k].kind if k < len(self.row) else ""

    def _is(self, *words: str) -> bool:
        return tuple(self.raw[self.at : self.at + len(words)]) == words

    def _take(self, *words: str) -> bool:
        if self._is(*words):
            self.at += len(words)
            return True
        return False

    def _error(self, message: str, *expected: str, ahead: int = 0) -> SentenceError:
        k = min(self.at + ahead, len(self.row))
        last = self.row[-1].end
        span = self.span(k, k + 1) if k < len(self.row) else (last, last)
        return SentenceError(span, message, expected)

    def _condition(self, source: Source) -> Condition:
        """Read a condition: ``or`` of ``and`` of comparisons and brackets."""
        parts = [self._all(source)]
        while self._is("or") and self._compares(1, source):
            self.at += 1
            parts.append(self._all(source))
        return parts[0] if len(parts) == 1 else Combined(False, tuple(parts))

    def _all(self, source: Source) -> Condition:
        parts = [self._part(source)]
        while self._is("and") and self._compares(1, source):
            self.at += 1
            parts.append(self._part(source))
        return parts[0] if len(parts) == 1 else Combined(True, tuple(parts))

    def _part(self, source: Source) -> Condition:
        if self._take("("):
            inner = self._condition(source)
            if not self._take(")"):
                raise self._error("a bracket is not closed", ")")
            return inner
        path = self._path()
        if source == "argument" and path[0] == "answer":
            source, path = "answer", path[1:]
        elif source == "answer" and path[0] == "answer":
            path = path[1:]
        elif source == "text":
            if path != ("text",):
                raise self._error("a condition on a user message can only test its text", "text", ahead=-1)
            path = ()
        return self._tested(path, source)

    def _tested(self, path: Path, source: Source) -> Condition:
        """Read an operator with its value, a range such as "between 1 and 5", or values such as "EUR or USD"."""
        if (match := _RANGE.match(self.joined(self.at))) is None:
            return self._comparison(path, self._operator(source), source)
        self.at += match[0].count(" ")
        low = self._comparison(path, "<" if match["no"] else ">=", source)
        if not (self._take("and") or self._take("to")):
            raise self._error("the end of a range is missing", "such as between 1 and 5")
        condition = Combined(
            not match["no"], (low, self._comparison(path, ">" if match["no"] else "<=", source))
        )
        self._take("inclusive")
        return condition

    def _comparison(self, path: Path, operator: Operator, source: Source) -> Condition:
        if operator in ("is missing", "is set"):
            return Compare(source, path, operator)
        if operator in ("is one of", "has a word of"):
            return Compare(source, path, operator, self._list())
        if operator == "matches" and self._kind_at() == "string":  # a backslash is the expression's
            self.at += 1
            return Compare(source, path, operator, self.row[self.at - 1].text[1:-1].replace('\\"', '"'))
        self._take("either")
        if operator == "=" and (values := self._values()):
            return Compare(source, path, "is one of", values)
        value = self._json()
        for words, other in _LIMITS.items():
            if operator == "=" and self._take(*words):
                operator = other
        if operator in ("<", "<=", ">", ">="):
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number and not (isinstance(value, str) and moment(value) is not None):
                raise self._error(
                    f'{operator} compares numbers and ISO dates, such as 5 or "2026-01-31"', ahead=-1
                )
        elif operator in ("starts with", "ends with") and not isinstance(value, str):
            raise self._error(f"{operator!r} needs a string in double quotes", ahead=-1)
        if value is None:
            raise self._error("null counts as missing; write 'is missing'", ahead=-1)
        return Compare(source, path, operator, value)

    def _compares(self, ahead: int, source: Source, *, path: bool = True) -> bool:
        """Return whether a comparison or a bracket begins ``ahead`` tokens from here."""
        saved = self.at
        self.at += ahead
        try:
            while path and self._take("("):
                pass
            if path:
                self._path()
            if _RANGE.match(self.joined(self.at)):
                return True
            operator = self._operator(source)
            return self._valued() or operator in ("is missing", "is set", "is one of", "has a word of")
        except SentenceError:
            return False
        finally:
            self.at = saved

    def _valued(self) -> bool:
        """Return whether a value stands here; a word in capitals is one, too, unless it is a tool."""
        if (
            self._kind_at() in ("string", "number")
            or self._key_at() in _VALUES
            or self._numeral() is not None
        ):
            return True
        token = self.row[self.at] if self._kind_at() == "word" else None
        return (
            token is not None and token.text.isupper() and len(token.text) > 1 and not self._exact(self.at)[0]
        )

    def _numeral(self) -> int | None:
        """Return the number that a word says behind "at most" and its like, if it counts no calls and no time."""
        key = self._key_at()
        said = key in english.NUMBERS and self._key_at(-1) in _LIMITING
        return english.NUMBERS.index(key) if said and self._key_at(1) not in _COUNTED else None

    def _values(self, loose: bool = False) -> tuple[Scalar, ...]:
        """Read "EUR, USD or GBP"; no values if there is no "or", unless two values are enough (``loose``)."""
        saved, joint, values = self.at, ",", list[Scalar]()
        while joint and self._valued():
            values.append(self._json())
            if joint == "or":
                return tuple(values)
            joint = "or" if self._take("or") or self._take(",", "or") else "," if self._take(",") else ""
        if loose and len(values) > 1 and not joint:
            return tuple(values)
        self.at = saved
        return ()

    def _path(self) -> Path:
        """Read a path, perhaps with "the number of" or "the sum of" before it."""
        for words, measure in _MEASURED.items():
            if self._take(*words):
                return (measure, *self._path())
        if (
            self._key_at() in ("a", "an", "the", "its")
            and self._kind_at(1) in ("word", "quoted")
            and self._key_at(1) not in english.FUNCTION
            and self._key_at(1) not in _SIGNS
        ):
            self.at += 1
        token = self.row[self.at] if self.at < len(self.row) else None
        if token is None or token.kind not in ("word", "quoted"):
            raise self._error("the name of an argument is missing", "an argument such as order_id")
        begun = self.at
        path: list[str | int] = [token.text[1:-1] if token.kind == "quoted" else token.text]
        self.at += 1
        while self.at < len(self.row) and self.row[self.at].start == self.row[self.at - 1].end:
            if self._is(".") and self._kind_at(1) in ("word", "quoted"):
                token = self.row[self.at + 1]
                path.append(token.text[1:-1] if token.kind == "quoted" else token.text)
                self.at += 2
            elif self._is("[") and self._kind_at(1) == "number" and self._key_at(2) == "]":
                if not self._key_at(1).isdigit():
                    raise self._error("a place in a list is a whole number from 0", ahead=1)
                path.append(int(self._key_at(1)))
                self.at += 3
            else:
                break
            if len(path) > DEEPEST:
                raise self._error(f"a path has at most {DEEPEST} steps", ahead=begun - self.at)
        return tuple(path)

    def _operator(self, source: Source) -> Operator:
        for words, operator in _OPERATORS.items():
            if self._take(*words):
                return operator
        if self._kind_at() == "string" or self._key_at() in ("true", "false"):
            return "="
        if source == "answer" and self._kind_at() == "number":
            return "="
        signs = get_args(Operator)
        raise self._error("a comparison is missing here", *signs)

    def _json(self) -> Scalar:
        token = self.row[self.at] if self.at < len(self.row) else None
        value: Scalar
        if token is not None and token.kind in ("string", "number"):
            try:
                value = json.loads(token.text)
            except ValueError:
                raise self._error("this is not a JSON value", 'a string such as "yes"', "a number") from None
        elif (number := self._numeral()) is not None:
            value = number
        elif token is not None and token.key in ("true", "false", "null"):
            value = {"true": True, "false": False, "null": None}[token.key]
        elif token is not None and token.text.isupper() and self._valued():
            value = token.text
        else:
            raise self._error(
                "a value is missing here", 'a string in double quotes, such as "yes"', "a number"
            )
        self.at += 1
        return value

    def _list(self) -> tuple[Scalar, ...]:
        if not self._take("["):
            if values := self._values(loose=True):
                return values
            raise self._error("a list is missing here", '[ such as in ["a", "b"]')
        found: list[Scalar] = []
        while not self._take("]"):
            if found and not self._take(","):
                raise self._error("a list needs commas between its values", ",", "]")
            found.append(self._json())
        return tuple(found)

    def _answer(self, at: int) -> Item | None:
        """Read what the answer of the latest call must have had."""
        self.at = at
        if self.keys[at - 2 : at] in _OF_MESSAGES and self._compares(0, "text", path=False):
            condition = self._comparison((), self._operator("text"), "text")
            return Item("COND", self.span(at, self.at), condition=condition)
        match = _RETURNED.match(self.joined(at)) if self.keys[at] else None
        if match is None:
            return None
        self.at = at + match[0].count(" ")
        if self._key_at() in ("its", "been", "to", "got", "own", "happened") or self._key_at() == "":
            return None
        if self._kind_at() == "string":
            condition = Compare("answer", (), "=", self._json())
        else:
            condition = self._condition("answer")
        return Item("COND", self.span(at, self.at), condition=condition)

    def _compared(self, at: int) -> Item | None:
        """Read "the amount of a refund is above 500" as a set of calls, and "must not be above 500" as forbidden."""
        if (told := self._argument(at)) is None:
            return None
        calls, path, behind = told
        must = _MUST.match(self.joined(self.at)) if self.at < len(self.row) else None
        self.at += must[0].count(" ") if must else 0
        plain = must and self._valued()
        if not (must or behind) or not (plain or self._compares(0, "argument", path=False)):
            return None
        condition = self._comparison(path, "=", "argument") if plain else self._tested(path, "argument")
        free = (
            must
            and must[0].startswith(("may", "can"))
            and not {"not", "never", "only"} & set(must[0].split())
        )
        if free and any(one.operator in (">", ">=") for one in compares(condition)):
            return None  # "may be above 100" forbids nothing
        what = must[0] if must else "is" if at == 0 and self.at == len(self.row) else ""
        if what and "not" not in what and "never" not in what:
            condition = negated(condition)
        return Item(
            "NEVER" if what else "S", self.span(at, self.at), (Calls(calls.calls[0].name, condition),)
        )

    def _argument(self, at: int) -> tuple[Item, Path, bool] | None:
        """Read "the amount of a refund", "refund.amount", "refund's amount" or "refund amount". Return the calls, the
        path and whether the tool stands behind. Raises SentenceError."""
        match = _ARGUMENT.match(self.joined(at)) if self.keys[at] else None
        begin = at + match[0].count(" ") if match else at
        width, tool = self._exact(begin) if begin < len(self.row) else (0, "")
        dotted = not match and self.raw[at + 1 : at + 2] == ["."]
        if not tool and dotted and self.row[at].kind in ("word", "quoted"):
            width, tool = 1, self.row[at].text.strip("`")
        if not tool:
            return None
        end = begin + width
        calls = Item("S", self.span(begin, end), (Calls(tool, text=tool),))
        end += bool(match and match["path"] != "number") and self.keys[end : end + 1] in (["call"], ["calls"])
        if match:
            self.at = next(k for k in range(at, begin) if self.raw[k] == match["path"])
            path, self.at = self._path(), end
            return calls, path, True
        self.at = end
        if self._key_at() in ("'s", "."):
            self.at += 1
        elif self._kind_at() != "word" or self._key_at() in english.FUNCTION | english.SOFT:
            return None
        return calls, self._path(), False

    def _against(self, at: int) -> Iterator[Choice]:
        """Yield what compares an argument with an answer: "with amount at most the latest get_order's total",
        "refund.amount is at most ...", "the amount of a refund is at most ..."."""
        calls: list[Item] = []
        argument: Path | None = None
        self.at = at
        try:
            if self.keys[at] in ("with", "where", "if") and at:
                self.at += 1
            elif (told := self._argument(at)) is not None:
                calls, argument = [told[0]], told[1]
            else:
                return
            begun = self.at
            found = self._read_against(argument)
        except SentenceError as error:
            if calls and not {"latest", "last"}.isdisjoint(self.raw):
                self.troubles.append(error)
            return
        if found is not None:
            against, latest, more = found
            items = (*calls, Item("AGAINST", self.span(begun, latest), against=against), *more)
            new = bool(self.scanner.tools) and any(
                c.name not in self.scanner.tools for one in calls for c in one.calls
            )
            yield int(new), self.at - at, items

    def _read_against(self, argument: Path | None) -> tuple[Against, int, tuple[Item, ...]] | None:
        """Read a comparison with an answer; None if it is another one. Also return where "the latest" ends, and the
        calls whose answer it is, unless these stand behind."""
        path = argument or self._path()
        pair: Path = ()
        if self._take("and"):
            pair = self._path()
            if not self._take("pairwise") or self._key_at() != "among":
                return None
        unit = self._unit()
        relation, number = self._relation()
        if self._kind_at() == "number" and self._key_at(1) == "times":
            number = float(self._key_at())
            self.at += 2
        if not (match := _LATEST.match(self.joined(self.at))):
            answer = self._path()
            unit, where = unit or self._unit(), self._where()
            if not (match := _OF_LATEST.match(self.joined(self.at))):
                return None
            self.at += match[0].count(" ")
            every = match["every"] is not None
            return Against(path, relation, _answer(answer), unit, number, where, every, pair), self.at, ()
        every = match["every"] is not None
        self.at += match[0].count(" ")
        latest, begin = self.at, self.at
        if [self._key_at(), self._key_at(1)] in _OF_MESSAGES:
            return Against(path, relation, (), unit, number, None, every), latest, ()
        outcome = _OUTCOMES.get(self._key_at())
        self.at += outcome is not None
        words: list[str] = []
        while self.at < len(self.row):
            word = self.row[self.at].text
            self.at += 1
            owner = _OWNER.fullmatch(word)
            words.append((owner[1] if owner else word).strip("`"))
            if owner or self._key_at() in _OWNS:
                self.at += not owner
                break
        else:
            raise self._error("whose answer it is, is missing", "such as get_order's total", ahead=-1)
        tool = "_".join(words)
        if len(words) > 1 and tuple(tool.casefold().split("_")) not in self.scanner.names.known:
            return None
        known = self.scanner.names.known.get(tuple(filter(None, tool.casefold().split("_"))), [tool])
        tool = tool if tool in known else known[0]
        span = self.span(begin, self.at)
        calls = Calls(tool, outcome=outcome, text=f"{tool} that {outcome}" if outcome else tool)
        answer = self._path()
        unit, where = unit or self._unit(), self._where()
        found = Against(path, relation, _answer(answer), unit, number, where, every, pair)
        return found, latest, (Item("S", span, (calls,)),)

    def _where(self) -> Condition | None:
        """Read what elements must meet: "with available = true"."""
        if self._key_at() in ("with", "whose", "where") and self._compares(1, "answer"):
            self.at += 1
            return self._condition("answer")
        return None

    def _unit(self) -> str:
        if (
            self._is("in")
            and self._kind_at(1) in ("word", "string")
            and self._key_at(1) not in english.ARTICLES
        ):
            self.at += 2
            return self.row[self.at - 1].text.strip('"')
        return ""

    def _relation(self) -> tuple[Relation, float]:
        """Read how an argument is compared, with a factor or a number of seconds."""
        if must := _MUST.match(self.joined(self.at)):
            self.at += must[0].count(" ")
        no = must is not None and ("not" in must[0] or "never" in must[0])
        self._take("is")
        if self._take("within"):
            seconds = _SECONDS.get(self._key_at(1).removesuffix("s"), 0)
            if self._kind_at() != "number" or not seconds or self._key_at(2) != "of" or no:
                raise self._error("a span of time is missing", "such as 24 hours of")
            self.at += 3
            return "within", float(self.raw[self.at - 3]) * seconds
        relation = next((one for words, one in _RELATIONS.items() if self._take(*words)), None)
        if relation is None:
            try:
                operator = self._operator("argument")
            except SentenceError:
                if self._key_at(-1) not in ("is", "be", "not"):
                    raise
                operator = "="
            relation = next((one for one in _NEGATED if one == operator), None)
        if relation is None:
            raise self._error("a comparison is missing here", "among", "at most")
        if no and relation not in _NEGATED:
            raise self._error("this comparison cannot be denied", "among", ahead=-1)
        return _NEGATED[relation] if no else relation, 1

    def _behind(self, at: int) -> Item | None:
        """Read a condition on arguments behind a verb, "is called with amount > 100" and "must have amount > 100"; or
        who makes the call."""
        self.at = at
        if _MUST_HAVE.fullmatch(" ".join(self.keys[max(at - 3, 0) : at])) and self._compares(0, "argument"):
            condition = self._condition("argument")
            return Item("WITH", self.span(at, self.at), condition=condition)
        if argument := self._required(at):
            self.at = len(self.row)
            condition = Compare("argument", (argument,), "is set")
            return Item("WITH", self.span(at, self.at), condition=condition)
        if self.keys[at] == "by" and self.keys[at - 1] in _ENDS_VERB and (agent := self._agent()):
            return Item("BY", self.span(at, self.at), agent=agent)
        if self.keys[at] not in ("with", "where", "in", "for") or self.keys[max(at - 1, 0)] not in _ENDS_VERB:
            return None
        if not self._conditions(self.raw[at]):
            return None
        self.at += 1
        condition = self._condition("argument")
        return Item("WITH", self.span(at, self.at), condition=condition)

    def _required(self, at: int) -> str:
        """Return the argument that "A must have a reason" ends with; "" if it may be a tool."""
        match = (
            _GIVEN.fullmatch("".join(f"{word} " for word in self.raw[at:]))
            if at > len(self.row) - 4
            else None
        )
        before = " ".join(self.keys[max(at - 4, 0) : at])
        if match is None or not (
            _MUST_HAVE.fullmatch(before) or (match["kind"] and before.split()[-1:] == ["needs"])
        ):
            return ""
        token = self.row[at + bool(match["article"])]
        unsure = not match["kind"] and self._is_named(token)
        return "" if token.key in english.FUNCTION or unsure else token.text

    def _is_named(self, token: Token) -> bool:
        """Return whether a token belongs to a tool that the sentence names, in other words too."""
        return any(start <= token.start < end for start, end in self.scanner.named(self.row))

    def _per(self, at: int) -> Item | None:
        """Read ``per A and B`` or ``for the same A [as B]``."""
        bracket = self.raw[at] == "(" and at + 2 < len(self.row)
        at += bracket
        match = (_SAME_TOO if bracket else _SAME).match(self.joined(at)) if self.keys[at] else None
        if match is None:
            return None
        self.at = at + match[0].count(" ")
        if (
            self.at >= len(self.row)
            or self.row[self.at].kind not in ("word", "quoted")
            or self._key_at() in _NO_VALUES
            or (match[0] in ("in the same ", "per ") and self._key_at() in ("message", "turn"))
            or self._exact(self.at)[0]
            or self.raw[self.at : self.at + 2] in (["user", "message"], ["user", "turn"])
        ):
            return None
        begun = self.at
        names = self._paths()
        if "same" in match[0] and self.row[begun].kind == "word" and self.keys[begun] in _ALL_ARGUMENTS:
            raise self._error("say which argument must be the same", "an argument such as order_id", ahead=-1)
        other: Paths = ()
        if "same" in match[0] and self._is("as") and not self._exact(self.at + 1)[0]:
            self.at += 1
            other = self._paths()
            if len(other) != len(names):
                raise self._error("there must be as many names before 'as' as after it", ahead=-1)
        if bracket and not self._take(")"):
            return None
        if at == 0 or self.raw[at - 1] == ",":
            self._take(",")
        return Item("per", self.span(at, self.at), per=(names, other if other != names else ()))

    def _value(self) -> Path:
        """Read the path of a value that calls share; "order id" is "order_id"."""
        path = self._path()
        if len(path) == 1 and self._kind_at(-1) == "word" and self._take("id"):
            return (f"{path[0]}_id",)
        return path

    def _paths(self) -> Paths:
        names = [self._value()]
        while self._is("and") and self._kind_at(1) in ("word", "quoted"):
            saved = self.at
            self.at += 1
            if match := _SAME.match(self.joined(self.at)):
                self.at += match[0].count(" ")
            path = self._value()
            if english.verb(self.words(self.at)) or self._key_at() in (
                "and",
                "or",
                "never",
                "only",
                "must",
                "should",
                "may",
                "can",
            ):
                self.at = saved
                break
            names.append(path)
        if not {EACH, COUNT, SUM}.isdisjoint(chain.from_iterable(names)):
            raise self._error(
                "calls are told apart by whole arguments", "an argument such as order_id", ahead=-1
            )
        return tuple(names)


_TYPES = {
    word: kind
    for kind, some in {
        "AND": "and",
        "COMMA": ",",
        "OR": "or",
        "BOTH": "both",
        "THEN": "then",
        "P": "before after following of to than",
        "VP": "precedes precede follows follow",
        "WAIT": "needs need requires require",
        "DO": "do you we i",
        "DONT": "not never",
    }.items()
    for word in some.split()
}
"""What the finder of mentions calls the words before them."""


def negated(condition: Condition) -> Condition:
    """Return the condition that a call meets if it does not meet this one. Raises SentenceError where none says it."""
    if isinstance(condition, Combined):
        return Combined(not condition.all, tuple(map(negated, condition.parts)))
    source, path = condition.source, condition.path
    missing = Compare(source, path, "is missing")
    if condition.operator == "is one of" and isinstance(condition.value, tuple) and condition.value:
        others = tuple(Compare(source, path, "!=", one) for one in condition.value)
        return Combined(False, (Combined(True, others) if len(others) > 1 else others[0], missing))
    if condition.operator not in _OPPOSITE or EACH in path:  # of every element no sentence says the opposite
        raise SentenceError((0, 0), f"no sentence says the opposite of {condition.operator!r}")
    other = Compare(source, path, _OPPOSITE[condition.operator], condition.value)
    denies = other.operator == "!=" or other.operator in DENIED
    return Combined(False, (other, missing)) if denies else other


def on_answer(condition: Condition) -> Condition:
    """Return a condition on arguments as one on the answer."""
    if isinstance(condition, Combined):
        return replace(condition, parts=tuple(map(on_answer, condition.parts)))
    return replace(condition, source="answer")


def _answer(path: Path) -> Path:
    """Return a path into an answer. "answer" is the whole."""
    return path[1:] if path[0] == "answer" else path


def _key(token: Token) -> str:
    return token.key if token.kind in ("word", "number") else ""


_ALL_ARGUMENTS = english.words("arguments parameters params args inputs")
_POINTING = english.words(
    "it that this them then beforehand afterwards afterward later subsequently thereafter"
)
_BY = frozenset({"preceded", "followed", "succeeded", "answered", "matched"})
_OTHER_THAN = re.compile(r"(?:other than|except(?: for)?|besides|apart from|but) (?:the (?:tools? )?)?")
_THEN_BEHIND = english.words("if when whenever once after where until before")
"""Words of order: behind these "then" says nothing more."""
_BEFORE_NOUNS = english.words("first last next latest final the any every each previous")
"""Behind these "call" is no verb."""
_BOUNDS = {
    "before": re.compile(
        r"(?:by|(?:no|not) later than|not after|at the latest (?:by|at)|by the latest at|(?:until|by) no later than) "
        r"(?:the )?"
    ),
    "after": re.compile(
        r"(?:from|(?:no|not) (?:earlier|sooner) than|not (?:before|until)|at the earliest (?:at|after)|as of|"
        r"starting (?:from|at))(?: at)? "
    ),
}
"""What stands before a clock time."""
_BOUNDS_BEHIND = {
    "before": re.compile(r"(?:at the latest|or (?:earlier|before|sooner)|latest) "),
    "after": re.compile(r"(?:at the earliest|or (?:later|after|afterwards)|earliest|on|onwards?) "),
}
_ANY = re.compile(r"(?P<any>any )?(?:tool )?calls? |(?P<all>all )(?:tools|(?:tool )?calls) (?!of|to)")
_SPAN = re.compile(r"between [0-9]+ and (?:1[3-9]|2[0-4])$")
_ARROWS = ("->", "=>", "\u2192", "<")
_UNITS = frozenset({"tool", "tools", "call", "calls", "anything"})
_USER_SAID = re.compile(
    r"user (?:(?:has|have|had|must have) )?(?:(?:then|explicitly|clearly|actually) )?"
    r"(?:(?P<says>said|says|say|answered with|replied with|written|"
    r"writes|wrote|typed|types) |(?:has )?(?:answered|answers|replied|replies|responded|responds|written|writes|"
    r"spoken|speaks) )"
)
_REPLIES = english.words("yes no ok okay stop confirm cancel")
_NOUNS = [[one] for one in "tool tools call calls entry entries invocation invocations".split()]
"""Words that belong to a name before them."""
EVERY = frozenset({"every", "each"})
_VALUES = frozenset({"true", "false", "null", "[", "either"})
_LIMITING = english.words("most least than above over below under exceed exceeds exceeding")
_COUNTED = english.words(
    "time times call calls more tool tools second seconds minute minutes hour hours day days"
)
"""What a number behind such a word counts, where it is no value."""
_OF_RUNS = english.words("every each any no a the per one same all")
_WRAPPED = re.compile(
    rf"(?:{english.ACTING} |(?:checking|consulting|querying|fetching|obtaining|getting|asking|sending) (?=\w+_))?"
    rf"(?:(?:the|an?|some|your|its|their) )*(?:(?P<outcome>{'|'.join(_OUTCOMES)}) )?"
    r"(?:any calls? (?:of|to) |(?:calls?|uses?|invocations?|executions?|occurrences?|runs?) (?:of|to) )?(?:the )?"
    r"(?:tools? (?=\S))?(?:an? )?"
)
"""What may stand before a name."""
_RETURNED = re.compile(
    r"(?:(?:must|should|has to|have to) )?(?:(?:had|has|have) )?"
    r"(?:had|has|have|(?:returned|returns|answered|answers|replied|replies|came back|comes back|come back|responds|"
    r"responded)(?: with)?|said|says|"
    r"gave back|gave|given|reported|reports|shows|showed|shown) "
)
_SAME = re.compile(
    r"(?:per|for each|for every|for any(?: given)?|for a(?: given)|(?:for|with|on|of|to|by|about|using|having|"
    r"within|where|in) "
    r"(?:(?:one and )?the (?:very )?same(?: value (?:of|for))?|that (?:very|same)|that(?= \w+_)|(?:the |an? )?"
    r"(?:matching|identical))|(?:and )?the same|for one) "
)
_ENDS_VERB = english.words(
    "called used invoked executed run made done performed happens happen occurs runs ok fine allowed permitted only"
)
_MESSAGES = [[one] for one in "message messages turn turns reply replies".split()]
_OF_MESSAGES = [[by, *noun] for by in ("user", "assistant") for noun in _MESSAGES]
_LATEST = re.compile(
    r"(?:(?:the |its )?(?:very )?(?P<latest>latest|last|most recent|newest)|(?:an|any|some) (?P<every>earlier)) "
    r"(?:answer of )?(?:the )?"
)
_OF_LATEST = re.compile(rf"(?:of|in|from) {_LATEST.pattern}")
_OWNER = re.compile(r"(.+)['\u2019]s?")
_OWNS = frozenset("'s \u2019s ' \u2019".split())
_MEASURED = {
    ("the", "number", "of"): COUNT,
    ("number", "of"): COUNT,
    ("the", "sum", "of"): SUM,
    ("sum", "of"): SUM,
}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}


_RELATIONS = {
    words: cast(Relation, relation)
    for words, relation in english.worded(
        """
        not among: not among | not in | not one of
        among: among | one of | in
        =: the same as
        !=: different from
        part of: part of | mentioned in | contained in
        """
    )
}
_NEGATED: dict[Relation, Relation] = {
    "=": "!=",
    "!=": "=",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    "among": "not among",
    "not among": "among",
}
_OPPOSITE: dict[Operator, Operator] = {
    "=": "!=",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    **{positive: denied for denied, positive in DENIED.items()},
    **DENIED,
    "is missing": "is set",
    "is set": "is missing",
}
_ARGUMENT = re.compile(
    r"(?:the )?(?:value of )?(?:the )?(?P<path>[^\W\d]\w*) (?:argument |parameter )?"
    r"(?:(?:that is )?(?:passed|given) (?:in|to)|of|in|for) (?:(?:an?|any|every|each|the) )?(?:calls? (?:of|to) "
    r")?(?:the )?"
)
_MUST = re.compile(
    r"(?:(?:must|should|shall|may|can|has to|have to|needs? to)(?: (?:not|never|always|only))*(?: (?:be|stay|remain))?|"
    r"(?:is|are) (?:always|never|only)) "
)
_MUST_HAVE = re.compile(
    r"(?:.* )?(?:must|should|shall|to|always|only) (?:\w+ )?(?:have|has|use|uses|carry|carries|sets?|pass|passes|"
    r"specify|provide|includes?|contains?|be called with|be given)"
)
_GIVEN = re.compile(
    r"(?P<article>(?:an?|the|its) )?[^\W\d]\w* (?P<kind>(?:argument|parameter|field|value) )?"
)
"""An argument at the end of a sentence."""
_RANGE = re.compile(
    r"(?:(?:is|are|was|be|of|lies|lie|stays|stay) )*(?P<no>not |outside )?"
    r"(?:between |in the range (?:of |from )?|from (?=-?[0-9]))"
)
_SAME_TOO = re.compile(rf"(?:{_SAME.pattern.rstrip()}|(?:for )?(?:the )?same) ")
_NO_VALUES = frozenset({"run", "trace", "session", "conversation", "time"})
_SIGNS: tuple[Operator, ...] = ("=", "!=", "<=", ">=", "<", ">")
_OPERATORS: dict[tuple[str, ...], Operator] = {
    ("=", "="): "=",
    **{(sign,): sign for sign in _SIGNS},
    **{
        (*before.split(), *one): cast(Operator, operator)
        for one, operator in english.worded(
            """
        is one of: is one of | one of | is in | in
        is missing: is missing
        is set: is set | is given | is filled in | is not missing
        contains: contains | containing | contained | contain
        does not contain: does not contain | not containing | not contain
        does not start with: does not start with | not starting with | not start with | not begin with | does not \
            begin with
        does not end with: does not end with | not ending with | not end with
        does not match: does not match | not matching | not match
        has a word of: has a word of | with a word of | had a word of | having a word of
        matches: matches | matching | matched | match
        starts with: starts with | starting with | start with | begins with | beginning with | begin with
        ends with: ends with | ending with | end with
        !=: is not equal to | is not | other than
        >=: at least | no less than | not less than | greater than or equal to | not below
        <=: at most | no more than | not more than | up to | less than or equal to | not above
        >: above | over | more than | greater than | higher than | larger than | bigger than | exceeding | exceeds |\
            exceed | beyond
        <: below | under | less than | smaller than | lower than
        =: equal to | equals | set to | is | was | being | of | as | to be | :
        """
        )
        for before in ("", "that", "is", "of", "was", "to be", "being", "set to", "that is")
        if not before or (one[0] not in ("is", ":") and one not in (("was",), ("of",), ("being",)))
    },
}
_OPERATORS = dict(sorted(_OPERATORS.items(), key=lambda one: -len(one[0])))
_LIMITS: dict[tuple[str, ...], Operator] = {
    ("at", "most"): "<=",
    ("at", "least"): ">=",
    **{("or", more): ">=" for more in ("more", "higher", "greater", "above", "over", "larger")},
    **{("or", less): "<=" for less in ("less", "lower", "fewer", "below", "under", "smaller")},
}
