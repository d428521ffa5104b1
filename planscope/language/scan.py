"""Turns text into tokens: names of actions, phrases of the lexicon, clock times, marks. Only the word "the" is
skipped.

A text is cut into pieces (words, clock times, single marks), and phrases are found among them by longest match. An
action's name wins over a phrase of the same length: "follow up meeting" is an action if there is one of that name, but
"is followed by" does not become "is" and an action "followed". A text may use the names of actions and those of their
tools.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from planscope.errors import UserError
from planscope.language.lexicon import VERBS, Lexicon, LexiconError, load_lexicon
from planscope.language.problem import Action
from planscope.language.tree import Relation, Terminal

_PIECE = re.compile(r"[0-9]+(?::[0-9]+)+(?!\w)|[\w\u0300-\u036f]+|[^\w\s]")
_SAME = str.maketrans({"\u2019": "'", "\u2018": "'", "\u2010": "-", "\u2011": "-"})

T = TypeVar("T")


class Piece(NamedTuple):
    """A word, clock time or mark. ``key``: casefolded and composed, for comparison. ``glued``: no white space before
    it."""

    start: int
    end: int
    key: str
    glued: bool


def _key(text: str) -> str:
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFC", text).casefold()
    return unicodedata.normalize("NFC", folded).translate(_SAME)


def cut(text: str, start: int = 0, end: int | None = None) -> Iterator[Piece]:
    """Yield the pieces of a text. Every character that is not white space is in exactly one piece."""
    last = -1
    for match in _PIECE.finditer(text, start, len(text) if end is None else end):
        begin = match.start()
        yield Piece(begin, match.end(), _key(match[0]), begin == last)
        last = match.end()


def phrase_key(text: str) -> tuple[str, ...]:
    """Return a phrase's key, which is equal for texts that differ only in case and in the width of white space."""
    return tuple(_step(piece, i) for i, piece in enumerate(cut(text)))


def _step(piece: Piece, place: int) -> str:
    """Return the key of a piece inside a phrase; it includes whether white space stands before the piece."""
    return piece.key if place == 0 or piece.glued else " " + piece.key


class Phrases(Generic[T]):
    """Maps phrases to their meanings, and finds the longest phrase that begins at a place.

    A text has few of the first words of the lexicon's phrases, so a ``listed`` phrase is cut when its first word is
    looked for."""

    def __init__(self, listed: Iterable[tuple[str, T]] = ()) -> None:
        """``listed``: phrases in lower case, and their meanings. The first meaning of a phrase counts."""
        self._nodes: dict[str, dict[str | None, Any]] = {}
        """By first piece, the phrases that begin with it: by each further piece, or None for the meaning."""
        self._listed: dict[str, list[tuple[str, T]]] = {}
        for phrase, meaning in listed:
            first = phrase.partition(" ")[0]
            if not first.isalnum():
                first = next(cut(first)).key
            self._listed.setdefault(first, []).append((phrase, meaning))

    def _node(self, first: str) -> dict[str | None, Any] | None:
        node = self._nodes.get(first)
        if node is None and first in self._listed:
            node = {}
            for phrase, meaning in self._listed[first]:
                _put(node, phrase_key(phrase), meaning)
            self._nodes[first] = node  # whole, since other threads may look for it now
        return node

    def add(self, key: Sequence[str], meaning: T) -> T:
        """Add a phrase (see ``phrase_key``) unless it is there. Return the meaning that it has now."""
        node = self._node(key[0])
        if node is None:
            node = self._nodes[key[0]] = {}
        return _put(node, key, meaning)

    def has(self, key: Sequence[str]) -> bool:
        """Return whether exactly this phrase is known."""
        node = self._node(key[0])
        for step in key[1:]:
            node = node.get(step) if node is not None else None
        return node is not None and None in node

    def longest(self, pieces: Sequence[Piece], at: int, end: int | None = None) -> tuple[int, T | None]:
        """Find the longest phrase at place ``at`` that ends by ``end``: its number of pieces and its meaning."""
        node = self._node(pieces[at].key)
        best: tuple[int, T | None] = (0, None)
        i, stop = at + 1, len(pieces) if end is None else end
        while node is not None:
            if None in node:
                best = (i - at, node[None])
            if i >= stop:
                break
            piece = pieces[i]
            node = node.get(piece.key if piece.glued else " " + piece.key)
            i += 1
        return best


def _put(node: dict[str | None, Any], key: Sequence[str], meaning: T) -> T:
    """Put a phrase below the node of its first piece, unless it is there. Return its meaning."""
    for step in key[1:]:
        node = node.setdefault(step, {})
    found: T = node.setdefault(None, meaning)
    return found


class Meaning(NamedTuple):
    """A token's type and meaning.

    ``type``: a terminal of grammar.lark, or HINT for words that the language does not have. ``value``: the hint, the
    conjunction's entry, or "". For phrases of the lexicon: ``relation`` ("<", ">" or ""), ``number`` ("s", "p", or ""
    if the verb's form does not show it) and ``words``: the keys of entry and modal, by terminal.
    """

    type: str
    value: str = ""
    relation: str = ""
    number: str = ""
    words: tuple[tuple[Terminal, tuple[str, str]], ...] = ()


_MARKS = {
    ",": Meaning("COMMA"),
    ".": Meaning("DOT"),
    ";": Meaning("SEMI", ";"),
    "and": Meaning("AND", "and"),
    "but": Meaning("BUT", "but"),
    "yet": Meaning("BUT", "yet"),
    "while": Meaning("WHILE", "while"),
    "whereas": Meaning("WHILE", "whereas"),
    "which": Meaning("WHICH"),
}


def _type(terminals: set[Terminal]) -> str:
    """Return the token type of a phrase with these terminals. PSC is a phrase that is both P and SC."""
    kinds = {terminal.rstrip("<>") for terminal in terminals}
    if kinds == {"P", "SC"}:
        return "PSC"
    if len(kinds) > 1:
        raise LexiconError(f"one phrase under {sorted(terminals)}")
    return kinds.pop()


def _surfaces(lexicon: Lexicon) -> dict[str, Meaning]:
    """Yield every wording of every entry with its meaning. Raises LexiconError if one phrase means two things."""
    found: dict[str, list[tuple[Terminal, str, str, str]]] = {}
    for entry in lexicon:
        if entry.terminal == "J":
            continue
        for modal, (singular, plural) in entry.forms.items():
            tells = entry.terminal in VERBS and singular != plural
            found.setdefault(singular, []).append((entry.terminal, entry.key, modal, "s" if tells else ""))
            if tells:
                found.setdefault(plural, []).append((entry.terminal, entry.key, modal, "p"))
    meanings = {}
    for surface, uses in found.items():
        terminals = {use[0] for use in uses}
        relations = {t[-1] if t[-1] in "<>" else "" for t in terminals}
        if len(terminals) != len(uses) or len(relations) != 1 or len({use[3] for use in uses}) != 1:
            raise LexiconError(f"{surface!r} has two meanings: {uses}")
        words = tuple((terminal, (key, modal)) for terminal, key, modal, _ in uses)
        meanings[surface] = Meaning(_type(terminals), "", relations.pop(), uses[0][3], words)
    return meanings


@cache
def surfaces() -> dict[str, Meaning]:
    """Return every wording of every phrase of the bundled lexicon, in lower case, with its meaning."""
    return _surfaces(load_lexicon())


class Hint(NamedTuple):
    """What to say instead of words that the language does not have. ``write``: sentences to propose, with {A}, {B} and
    {C} for actions. ``rule``: a rule about tool calls can say it. ``inside``: beside unknown words they are part of
    them."""

    say: str
    write: Sequence[str] = ()
    rule: bool = False
    inside: bool = False


@cache
def _hints() -> dict[str, Hint]:
    text = (files("planscope.language") / "data" / "hints.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["hint"]
    told = [Hint(**{key: value for key, value in row.items() if key != "words"}) for row in rows]
    return {phrase: hint for row, hint in zip(rows, told, strict=True) for phrase in row["words"]}


@cache
def load_hints() -> dict[str, str]:
    """Return words that the language does not have, each with a hint of what to write instead (``data/hints.toml``)."""
    return {phrase: hint.say for phrase, hint in _hints().items()}


def hint_of(say: str) -> Hint:
    """Return the whole hint that says this."""
    return next((hint for hint in _hints().values() if hint.say == say), Hint(say))


@cache
def vocabulary() -> Phrases[Meaning]:
    """Return all phrases with a meaning of their own. A phrase of the language beats an equal one that has a hint."""
    return Phrases(bundled_phrases(()))


def bundled_phrases(
    more: Iterable[tuple[str, Meaning]], unhinted: Collection[str] = ()
) -> Iterator[tuple[str, Meaning]]:
    """Yield the bundled lexicon's phrases, then ``more``, then those with a hint, except ``unhinted``."""
    yield from _MARKS.items()
    yield from surfaces().items()
    yield from more
    for phrase, hint in load_hints().items():
        if phrase not in unhinted:
            yield phrase, Meaning("HINT", hint)


@cache
def load_auxiliaries() -> frozenset[str]:
    """Return the auxiliary verbs ("should"). An error blames the word after them."""
    words = {modal.singular for modal in load_lexicon().modals} | {m.plural for m in load_lexicon().modals}
    return frozenset({word for phrase in words for word in phrase.split()} | {"do", "does"})


class ActionNameError(UserError, ValueError):
    """An action's name is empty, or two names are the same but for case and white space."""


class Names:
    """All names of some actions. ``phrases`` finds names and tools in running text, ``quoted`` finds those in
    backquotes."""

    def __init__(self, actions: Iterable[Action]) -> None:
        self.actions = tuple(actions)
        self.phrases: Phrases[str] = Phrases()
        self.quoted: Phrases[str] = Phrases()
        self.longest = 1
        """The number of pieces of the longest name."""
        for action in self.actions:
            key = phrase_key(action.name)
            self.longest = max(self.longest, len(key))
            if not key:
                raise ActionNameError(f"action {action.id} has an empty name")
            if (other := self.phrases.add(key, action.id)) != action.id:
                raise ActionNameError(f"actions {other} and {action.id} have the same name, {action.name!r}")
            self.quoted.add(key, action.id)
        for action in self.actions:
            self.quoted.add(phrase_key(action.tool), action.id)
            if not vocabulary().has(tool := phrase_key(action.tool)):
                self.phrases.add(tool, action.id)
        self.dotted = any("." in action.name for action in self.actions)
        """Does a name contain a period? Then a period need not end a sentence."""
        self.dot_ends_word = any("." in word[-1:] for a in self.actions for word in a.name.split())
        """Does a word of a name end with a period ("Dr. Li's talk")? If not, ". " always ends a sentence."""


MAX_TOKENS = 1_000
MAX_PIECES = 10_000
"""A sentence with more tokens or pieces is not read."""

NOT_IN_SENTENCES = ("HINT", "TIMELESS", "UNKNOWN")
"""Types of tokens that make a sentence unreadable."""


class Token(NamedTuple):
    """``type`` is a terminal of grammar.lark, or one that no sentence may have: HINT (words with a hint, in
    ``meaning.value``), TIMELESS (a clock time in a base query), UNKNOWN. ``action`` is an action's id. ``other``: the
    meaning of a name as a phrase of the lexicon. ``words``: of a cue in a natural sentence, in lower case. ``either``:
    rows of tokens, each of which can be meant; the token has the type of the first."""

    type: str
    start: int
    end: int
    meaning: Meaning = Meaning("")
    action: str = ""
    hour: int = 0
    other: Meaning | None = None
    words: str = ""
    either: tuple[tuple[Token, ...], ...] = ()


_WRONG_TIME = Meaning("HINT", "clock times are whole hours from 0:00 to 24:00, such as 15:00")


MIDNIGHT = -1
"""The hour of "midnight" and "12 am", which is the end of the day after "before" and its beginning after "after"."""

HOURS = {"noon": 12, "midday": 12, "midnight": MIDNIGHT}
TWELVE_HOURS = re.compile(
    r"([0-9]{1,2})(?::([0-9]{2}))?(?:[ \u00a0]?(?P<half>[ap])(?:m\b|\.m\.)"
    r"|(?: o[\u2019']clock)? (?P<part>in the (?:morning|afternoon|evening)|at night)\b)",
    re.IGNORECASE,
)


def _spaced(pieces: Sequence[Piece]) -> str:
    return "".join(_step(piece, place) for place, piece in enumerate(pieces))


def hour_of(hour: int, relation: Relation) -> int:
    """Return the hour of a clock time as the object of a relation."""
    return hour if hour != MIDNIGHT else 24 if relation == "<" else 0


def _nearest_hours(hour: int) -> Meaning:
    return Meaning("HINT", f"clock times are whole hours; write {hour:02}:00 or {hour + 1:02}:00")


class Scanner:
    """Turns texts about some actions into tokens."""

    def __init__(self, names: Names, timed: bool, words: Phrases[Meaning] | None = None) -> None:
        """``words``: all phrases that are known (default: ``vocabulary``)."""
        self.names = names
        self.time_type = "TIME" if timed else "TIMELESS"
        self.words = vocabulary() if words is None else words
        self.telling = words is not None
        """Whether tokens have their words."""

    def tokens(self, text: str) -> list[Token] | None:
        """Return the tokens of a sentence, or None if there are too many."""
        pieces = list(islice(cut(text), MAX_PIECES + 1))
        tokens = list(islice(self.stream(text, pieces), MAX_TOKENS + 1))
        return None if len(pieces) > MAX_PIECES or len(tokens) > MAX_TOKENS else tokens

    def begins_name(self, text: str, at: int) -> bool:
        """Return whether an action's name begins at a place of the text."""
        pieces = list(islice(cut(text, at), self.names.longest))
        return bool(pieces) and self.names.phrases.longest(pieces, 0)[1] is not None

    def stream(self, text: str, pieces: Sequence[Piece]) -> Iterator[Token]:
        """Yield the tokens of a text that was cut into these pieces."""
        at = 0
        while at < len(pieces):
            token, width = self._token(text, pieces, at)
            yield token
            at += width

    def _token(self, text: str, pieces: Sequence[Piece], at: int) -> tuple[Token, int]:
        start = pieces[at].start
        width, action = self.names.phrases.longest(pieces, at)
        size, meaning = self._phrase(pieces, at)
        if action is not None and width >= size:
            other = meaning if size == width else None
            return Token("ACTION", start, pieces[at + width - 1].end, action=action, other=other), width
        key = pieces[at].key
        if (key[0].isdigit() or key in HOURS) and (clock := self._spoken_time(text, pieces, at)) is not None:
            return clock
        if meaning is not None:
            end = pieces[at + size - 1].end
            words = _spaced(pieces[at : at + size]) if self.telling else ""
            return Token(meaning.type, start, end, meaning, words=words), size
        if key == "the" and at + 1 < len(pieces):
            token, width = self._token(text, pieces, at + 1) if pieces[at + 1].key != "the" else (None, 0)
            if token is not None and token.type == "ACTION":
                return token, width + 1
        if key == "`" and (quoted := self._quoted(pieces, at)) is not None:
            return quoted
        if ":" in key and key[0].isdigit():
            return self._time(pieces[at]), 1
        return Token("UNKNOWN", start, pieces[at].end), 1

    def _phrase(self, pieces: Sequence[Piece], at: int) -> tuple[int, Meaning | None]:
        """Find the longest phrase at a place, but none that ends inside an action's name."""
        size, meaning = self.words.longest(pieces, at)
        for inside in range(at + 1, at + size):
            width = self._named(pieces, inside)
            if width and (inside + width > at + size or (meaning is not None and meaning.type == "HINT")):
                return self.words.longest(pieces, at, inside)
        return size, meaning

    def _named(self, pieces: Sequence[Piece], at: int) -> int:
        """Return the number of pieces of the name that begins at a place, or 0."""
        return self.names.phrases.longest(pieces, at)[0]

    def _quoted(self, pieces: Sequence[Piece], at: int) -> tuple[Token, int] | None:
        """Read a name in backquotes. Its token's span is the name's; a wrong name gives one token that includes the
        marks."""
        for close in range(at + 1, min(at + 100, len(pieces))):
            if pieces[close].key == "`":
                break
        else:
            return None
        if close == at + 1:
            return None
        width, action = self.names.quoted.longest(pieces, at + 1, close)
        if action is not None and width == close - at - 1:
            token = Token("ACTION", pieces[at + 1].start, pieces[close - 1].end, action=action)
        else:
            token = Token("UNKNOWN", pieces[at].start, pieces[close].end)
        return token, close - at + 1

    def _spoken_time(self, text: str, pieces: Sequence[Piece], at: int) -> tuple[Token, int] | None:
        """Return a time such as "3 pm" or "noon", or None."""
        first = pieces[at]
        if first.key in HOURS:
            return Token(self.time_type, first.start, first.end, hour=HOURS[first.key]), 1
        if (found := TWELVE_HOURS.match(text, first.start)) is None:
            return None
        hour, minutes, part = int(found[1]), found[2] or "00", (found["half"] or found["part"]).lower()
        early = part in ("a", "in the morning") or (part == "at night" and hour % 12 < 5)
        half = "a" if early else "p"
        width = 1
        while at + width < len(pieces) and pieces[at + width].start < found.end():
            width += 1
        if not 1 <= hour <= 12:
            return Token("HINT", *found.span(), _WRONG_TIME), width
        hour = MIDNIGHT if (hour, half) == (12, "a") else hour % 12 + (12 if half == "p" else 0)
        if minutes != "00":
            return Token("HINT", *found.span(), _nearest_hours(max(hour, 0))), width
        return Token(self.time_type, *found.span(), hour=hour), width

    def _time(self, piece: Piece) -> Token:
        hour, _, minutes = piece.key.partition(":")
        if len(hour) > 2 or int(hour) > 24:
            return Token("HINT", piece.start, piece.end, _WRONG_TIME)
        if minutes != "00":
            half = len(minutes) == 2 and int(minutes) < 60 and int(hour) < 24
            return Token("HINT", piece.start, piece.end, _nearest_hours(int(hour)) if half else _WRONG_TIME)
        return Token(self.time_type, piece.start, piece.end, hour=int(hour))
