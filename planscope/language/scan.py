"""Text to tokens: names of actions, phrases of the lexicon, clock times, marks; no word is skipped but "the".

The longest match wins, and an action's name wins over a phrase of the same length: "follow up meeting" is an
action if there is one of that name, "is followed by" is not "is" and "followed". A text may speak of actions by their
names and by those of their tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from planscope.errors import UserError
from planscope.language.pieces import Phrases, Piece, cut, phrase_key
from planscope.language.problem import Action
from planscope.language.vocabulary import Meaning, vocabulary


class ActionNameError(UserError, ValueError):
    """An action's name is empty, or two names are the same but for case and white space."""


class Names:
    """All names of some actions. ``phrases`` find names and tools in running text, ``quoted`` in backquotes."""

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
        """Whether a name has a period in it, so that a period need not end a sentence."""
        self.dot_ends_word = any("." in word[-1:] for a in self.actions for word in a.name.split())
        """Whether a period with white space behind it need not end a sentence either ("Dr. Li's talk")."""


MAX_TOKENS = 1_000
MAX_PIECES = 10_000
"""A sentence of more tokens, or of more words and marks, is not read."""

NOT_IN_SENTENCES = ("HINT", "TIMELESS", "UNKNOWN")
"""Types of tokens that no sentence may have."""


class Token(NamedTuple):
    """``type`` is a terminal of grammar.lark, or one that no sentence may have: HINT (words with a hint, in
    ``meaning.value``), TIMELESS (a clock time in a base query), UNKNOWN. ``action`` is an action's id. ``other``:
    what a name would mean were it no action's name."""

    type: str
    start: int
    end: int
    meaning: Meaning = Meaning("")
    action: str = ""
    hour: int = 0
    other: Meaning | None = None


_WRONG_TIME = Meaning("HINT", "clock times are whole hours from 0:00 to 24:00, such as 15:00")


class Scanner:
    """Reads tokens of texts about some actions."""

    def __init__(self, names: Names, timed: bool) -> None:
        self.names = names
        self.time_type = "TIME" if timed else "TIMELESS"

    def tokens(self, text: str) -> list[Token] | None:
        """The tokens of a sentence, or None if they are too many."""
        pieces = list(islice(cut(text), MAX_PIECES + 1))
        tokens = list(islice(self.stream(text, pieces), MAX_TOKENS + 1))
        return None if len(pieces) > MAX_PIECES or len(tokens) > MAX_TOKENS else tokens

    def stream(self, text: str, pieces: Sequence[Piece]) -> Iterator[Token]:
        """The tokens of any text that was cut into these pieces."""
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
        if meaning is not None:
            return Token(meaning.type, start, pieces[at + size - 1].end, meaning), size
        key = pieces[at].key
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
        """The longest phrase that does not cut into the name of an action that goes on behind it."""
        names = self.names.phrases
        size, meaning = vocabulary().longest(pieces, at)
        for inside in range(at + 1, at + size):
            width, action = names.longest(pieces, inside)
            beyond = inside + width > at + size
            if action is not None and (beyond or (meaning is not None and meaning.type == "HINT")):
                return vocabulary().longest(pieces, at, inside)
        return size, meaning

    def _quoted(self, pieces: Sequence[Piece], at: int) -> tuple[Token, int] | None:
        """A name in backquotes; its token's span is the name's. A wrong name gives one token, marks included."""
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

    def _time(self, piece: Piece) -> Token:
        hour, _, minutes = piece.key.partition(":")
        if minutes != "00" or len(hour) > 2 or int(hour) > 24:
            return Token("HINT", piece.start, piece.end, _WRONG_TIME)
        return Token(self.time_type, piece.start, piece.end, hour=int(hour))
