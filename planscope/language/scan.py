"""Words and names: cuts a text into pieces (words, clock times, single marks), and knows phrases and names of actions
among them by longest match.

An action's name wins over a phrase of the same length: "follow up meeting" is an action if there is one of that name,
but "is followed by" does not become "is" and an action "followed". A text may use the names of actions and those of
their tools.
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
from planscope.language.lexicon import VERBS, LexiconError, load_lexicon
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
    return tuple(step(piece, i) for i, piece in enumerate(cut(text)))


def step(piece: Piece, place: int) -> str:
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


@cache
def surfaces() -> dict[str, Meaning]:
    """Return every wording of every phrase of the bundled lexicon, in lower case, with its meaning. Raises LexiconError
    if one phrase means two things."""
    found: dict[str, list[tuple[Terminal, str, str, str]]] = {}
    for entry in load_lexicon():
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


class Hint(NamedTuple):
    """What to say instead of words that the language does not have. ``write``: sentences to propose, with {A}, {B} and
    {C} for actions. ``rule``: a rule about tool calls can say it. ``inside``: beside unknown words they are part of
    them."""

    say: str
    write: Sequence[str] = ()
    rule: bool = False
    inside: bool = False


@cache
def load_hints() -> dict[str, Hint]:
    """Return words that the language does not have, each with its hint (``data/hints.toml``)."""
    text = (files("planscope.language") / "data" / "hints.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["hint"]
    told = [Hint(**{key: value for key, value in row.items() if key != "words"}) for row in rows]
    return {phrase: hint for row, hint in zip(rows, told, strict=True) for phrase in row["words"]}


def hint_of(say: str) -> Hint:
    """Return the whole hint that says this."""
    return next((hint for hint in load_hints().values() if hint.say == say), Hint(say))


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
            yield phrase, Meaning("HINT", hint.say)


@cache
def load_auxiliaries() -> frozenset[str]:
    """Return the auxiliary verbs ("should"). An error blames the word after them."""
    modals = (f"{modal.singular} {modal.plural}" for modal in load_lexicon().modals)
    return frozenset(" ".join((*modals, "do does")).split())


class ActionNameError(UserError, ValueError):
    """An action's name is empty, or two names are the same but for case and white space."""


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a tool's name, in small letters."""
    return tuple(filter(None, name.casefold().replace(" ", "_").split("_")))


class Names:
    """All names of some actions, and of tools that are no actions. ``phrases`` finds names and tools of actions in
    running text, ``quoted`` finds those in backquotes."""

    def __init__(self, actions: Iterable[Action], tools: Iterable[str] = ()) -> None:
        self.actions = tuple(actions)
        self.ids = {action.name: action.id for action in self.actions}
        """The ids of actions by name, and by tool if no name has its words."""
        named = set(map(words_of, self.ids))
        self.ids |= {a.tool: a.id for a in self.actions if words_of(a.tool) not in named}
        self.tools = tuple(sorted({*self.ids, *tools}))
        self.known: dict[tuple[str, ...], list[str]] = {}
        """Names by their words."""
        for tool in self.tools:
            self.known.setdefault(words_of(tool), []).append(tool)
        self.first_words = {words[0] for words in self.known if len(words) > 1}
        self.most_words = max(map(len, self.known), default=0)
        self.marked = sorted(
            (one for one in self.tools if not re.fullmatch(r"\w+", one)), key=len, reverse=True
        )
        """Names that are not one word, the longest first."""
        self.phrases: Phrases[str] = Phrases()
        self.quoted = {phrase_key(action.tool): action.id for action in self.actions}
        self.spelled = {action.name.casefold(): action.name for action in self.actions}
        self.longest = 1
        """The number of pieces of the longest name."""
        for action in self.actions:
            key = phrase_key(action.name)
            self.longest = max(self.longest, len(key))
            if not key:
                raise ActionNameError(f"action {action.id} has an empty name")
            if (other := self.phrases.add(key, action.id)) != action.id:
                raise ActionNameError(f"actions {other} and {action.id} have the same name, {action.name!r}")
            self.quoted[key] = action.id
        for action in self.actions:
            if not vocabulary().has(key := phrase_key(action.tool)):
                self.phrases.add(key, action.id)
        self.dotted = any("." in action.name for action in self.actions)
        """Does a name contain a period? Then a period need not end a sentence."""
        self.dot_ends_word = any("." in word[-1:] for a in self.actions for word in a.name.split())
        """Does a word of a name end with a period ("Dr. Li's talk")? If not, ". " always ends a sentence."""

    def begin(self, text: str, at: int) -> bool:
        """Return whether an action's name begins at a place of the text."""
        pieces = list(islice(cut(text, at), self.longest))
        return bool(pieces) and self.phrases.longest(pieces, 0)[1] is not None


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
_CLOCK = re.compile(
    r"(?:(?P<word>noon|midday|midnight)|(?P<hour>[0-9]+)(?P<minutes>(?::[0-9]+)*)"
    r"(?:[ \u00a0]?(?P<half>[ap])(?:m\b|\.m\.)"
    r"|(?: o[\u2019']clock)? (?P<part>in the (?:morning|afternoon|evening)|at night|tonight)\b)?)(?!\w)",
    re.IGNORECASE,
)


def clock_at(text: str, start: int) -> tuple[int, int | Meaning] | None:
    """Read a clock time such as "15:00", "3 pm" or "noon": where it ends, and its whole hour or the hint that it has
    none. None if there is no clock time."""
    match = _CLOCK.match(text, start)
    if match is None or not (match["word"] or match["minutes"] or match["half"] or match["part"]):
        return None
    if match["word"]:
        return match.end(), HOURS[match["word"].lower()]
    hour = int(match["hour"]) if len(match["hour"]) < 3 else 99
    minutes, part = match["minutes"], (match["half"] or match["part"] or "").lower()
    late = part == "tonight" and not 5 <= hour < 12
    if hour > 24 or late or (part and not 1 <= hour <= 12):
        return match.end(), _WRONG_TIME
    if part:
        early = part == "a" or "morning" in part or ("night" in part and hour % 12 < 5)
        hour = MIDNIGHT if (hour, early) == (12, True) else hour % 12 + (0 if early else 12)
    if minutes in ("", ":00"):
        return match.end(), hour
    whole = re.fullmatch(":[0-5][0-9]", minutes) is None or hour == 24
    return match.end(), _WRONG_TIME if whole else _nearest_hours(max(hour, 0))


def hour_of(hour: int, relation: Relation) -> int:
    """Return the hour of a clock time as the object of a relation."""
    return hour if hour != MIDNIGHT else 24 if relation == "<" else 0


def _nearest_hours(hour: int) -> Meaning:
    return Meaning("HINT", f"clock times are whole hours; write {hour:02}:00 or {hour + 1:02}:00")
