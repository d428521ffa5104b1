"""Completion in a query: finds names of actions, phrases of the language, clock times and marks that fit at a place.

The reader of queries says what it expects at the place. An offer begins with the text typed so far; if none does, the
offers are spelt like it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from functools import cache
from typing import Literal, NamedTuple

from planscope.debugger.draft import Draft
from planscope.frozen import frozen
from planscope.language.error_messages import expected_words
from planscope.language.lexicon import load_lexicon
from planscope.language.problem import Span
from planscope.language.reading import ActionNameError, read_partly
from planscope.language.scan import surfaces

OfferKind = Literal["action", "phrase", "time", "mark"]

MOST = 60
"""Limit of offers in one completion."""

_WORDS_BACK = 6
"""How many words before the caret can belong to the name or phrase that is typed."""

_LONGEST_SENTENCE = 3_000
_LONGEST_LIKE = 80
_LIKE = 0.75
"""How similar, from 0 to 1, an offer must be to the typed text if it does not begin with it."""

_UNKNOWN = "\ue000"
"""A word outside the language. The reader's error for it lists what fits at its place."""

_MARKS = {
    "DOT": ".",
    "COMMA": ",",
    "SEMI": ";",
    "AND": "and",
    "WHICH": "which",
    "BUT": "but",
    "WHILE": "while",
}
_GLUED = (",", ".", ";")
_PHRASES = ("VP", "VP0", "PSC", "P", "SC")
_ALIKE = ("PSC", "P", "SC")
"""Types of tokens that error messages describe with the same words: "before" and "before the time when"."""

_STARTS = re.compile(r"(?<!\S)\S")


class Offer(NamedTuple):
    """A text that fits. ``span``: the range that it replaces. ``nearest``: it is only spelt like the typed text."""

    text: str
    kind: OfferKind
    span: Span
    nearest: bool = False


@frozen
class Completion:
    """Offers for a place of a text, best first, and what the reader expects there in plain words."""

    offers: tuple[Offer, ...] = ()
    expected: tuple[str, ...] = ()

    @property
    def common(self) -> str:
        """The prefix that all offers share if they replace the same words."""
        if not self.offers or len({offer.span for offer in self.offers}) > 1 or self.offers[0].nearest:
            return ""
        texts = [offer.text for offer in self.offers]
        low = [text.casefold() for text in texts]
        size = 0
        while size < min(map(len, low)) and len({text[: size + 1] for text in low}) == 1:
            size += 1
        return texts[0][:size]


def complete(draft: Draft, at: int) -> Completion:
    """Return the completions at a place of a draft's text. It takes milliseconds and may be called from any thread."""
    try:
        start = _sentence_start(draft, at)
        if at - start > _LONGEST_SENTENCE:
            return Completion()
        return _Completer(draft, start, at).completion()
    except ActionNameError:
        return Completion()


def _sentence_start(draft: Draft, at: int) -> int:
    """Return the beginning of the sentence around a place."""
    head = draft.text[max(at - 4 * _LONGEST_SENTENCE, 0) : at]
    found = read_partly(head + _UNKNOWN, draft.actions, timed=draft.timed)
    return at - len(head) + found.sentences[-1][0] if found.sentences else at


class _Completer:
    def __init__(self, draft: Draft, start: int, at: int) -> None:
        self.draft, self.start, self.at = draft, start, at

    def completion(self) -> Completion:
        """Return offers that begin with the words before the caret or follow them, or else offers spelt like them."""
        here = self.expected(self.at)
        for begin in self.beginnings():
            typed = self.draft.text[begin : self.at]
            wanted = self.expected(begin) if typed else here
            offers = list(self.begun(typed, begin, wanted))
            # these words may be complete, or go on: "before the time when"
            if offers and here and typed[-1:].isspace():
                return Completion((*self.begun("", self.at, here), *offers)[:MOST], here)
            if offers:
                return Completion(tuple(offers[:MOST]), wanted)
        offers = list(self.begun("", self.at, here)) if here else self.like() or list(self.anyhow())
        return Completion(tuple(offers[:MOST]), here)

    def anyhow(self) -> Iterator[Offer]:
        """Yield every name and phrase that begins with the last word, for a sentence with an error before the caret."""
        begin = self.beginnings()[-1] if self.beginnings() else self.at
        if self.draft.text[begin : self.at].strip():
            everything = expected_words(("ACTION", *_PHRASES), self.draft.timed)
            yield from self.begun(self.draft.text[begin : self.at], begin, everything)

    def beginnings(self) -> list[int]:
        """Return the places at which the name or phrase at the caret may begin, the earliest first."""
        written = self.draft.text[self.start : self.at]
        starts = [self.start + found.start() for found in _STARTS.finditer(written)]
        open_end = not written or written[-1].isspace()
        return [*starts[-_WORDS_BACK:], *([self.at] if open_end else [])]

    def expected(self, begin: int, phrase: str = "") -> tuple[str, ...]:
        """Return the reader's words for what it expects at a place, or none if the sentence has an error before it.

        ``phrase``: a text to insert there first.
        """
        head = f"{self.draft.text[self.start : begin].rstrip()} {phrase}".strip()
        probe = f"{head} {_UNKNOWN}" if head else _UNKNOWN
        found = read_partly(probe, self.draft.actions, timed=self.draft.timed)
        for error in found.errors:
            if error.span[0] == len(probe) - 1:
                return error.expected
        return ()

    def begun(self, typed: str, begin: int, wanted: Sequence[str]) -> Iterator[Offer]:
        """Yield the expected names and phrases that begin with the typed text."""
        key = " ".join(typed.casefold().split()) + (" " if typed[-1:].isspace() and typed.strip() else "")
        span = (begin, self.at)
        for text, kind in self.candidates(wanted, begin, plural=self.behind_list(begin), typed=bool(key)):
            if text.casefold().startswith(key) and text.casefold() != key:
                yield Offer(self.cased(text, begin), kind, span)

    def like(self) -> list[Offer]:
        """Return names and phrases spelt like the words before the caret, the nearest first."""
        rated: list[tuple[float, Offer]] = []
        for begin in self.beginnings():
            typed = " ".join(self.draft.text[begin : self.at].casefold().split())[:_LONGEST_LIKE]
            if len(typed) < 3 or not (wanted := self.expected(begin)):
                continue
            known = {
                text.casefold(): (text, kind) for text, kind in self.candidates(wanted, begin, typed=True)
            }
            for match in get_close_matches(typed, known, 5, _LIKE):
                text, kind = known[match]
                if match.count(" ") != typed.count(" "):
                    continue  # a word similar to nothing known cannot be part of a phrase
                offer = Offer(self.cased(text, begin), kind, (begin, self.at), True)
                rated.append((SequenceMatcher(None, typed, match).ratio(), offer))
        rated.sort(key=lambda one: -one[0])
        return [offer for _, offer in rated]

    def candidates(
        self, wanted: Sequence[str], begin: int, *, plural: bool = False, typed: bool = False
    ) -> Iterator[tuple[str, OfferKind]]:
        timed = self.draft.timed
        types = [kind for kind in (*_PHRASES, *_MARKS, "ACTION", "TIME") if _plain(kind, timed) in wanted]
        alike = [kind for kind in _ALIKE if kind in types]
        fit = [kind for kind in alike if self.expected(begin, phrases(kind, False, False)[0])]
        if fit or self.expected(begin):  # nothing fits if the sentence has an error before this place
            types = [kind for kind in types if kind in fit or kind not in alike]
        if "ACTION" in types and self.takes_action(begin):
            yield from ((action.name, "action") for action in self.draft.actions)
        for kind in _PHRASES:
            if kind in types:
                yield from ((text, "phrase") for text in phrases(kind, plural, typed))
        if "TIME" in types and timed:
            yield from ((f"{hour}:00", "time") for hour in range(25))
        for kind, text in _MARKS.items():
            if kind in types:
                yield text, "mark"

    def takes_action(self, begin: int) -> bool:
        """Return whether a name can stand at a place. The reader refuses words ("come later") only with one behind."""
        if not self.expected(begin):
            return True  # the sentence has an error before this place, and everything is offered
        head = self.draft.text[self.start : begin].rstrip()
        names = [action.name for action in self.draft.actions]
        for name, tail in (*((name, "") for name in names), (names[0], f", then {names[-1]}")):
            tried = f"{head} {name}{tail}"
            found = read_partly(tried, self.draft.actions, timed=self.draft.timed)
            if all(error.span[0] >= len(tried) - len(tail) - 1 for error in found.errors):
                return True
        return False

    def behind_list(self, begin: int) -> bool:
        """Return whether the words before are a list of actions, which takes a plural verb."""
        head = self.draft.text[self.start : begin].rstrip().rstrip(",").rstrip()
        return bool(re.search(r"\band\s+(?:the\s+)?[^,;]{1,200}\Z", head, re.IGNORECASE)) and self._ends_list(
            head
        )

    def _ends_list(self, head: str) -> bool:
        low = head.casefold()
        for action in self.draft.actions:
            name = action.name.casefold()
            if low.endswith(name):
                before = low[: -len(name)].rstrip().removesuffix("the").rstrip()
                if before.endswith(" and"):
                    return any(
                        before[:-4].rstrip(" ,").endswith(a.name.casefold()) for a in self.draft.actions
                    )
        return False

    def cased(self, text: str, begin: int) -> str:
        """Return the text with a capital if it begins a sentence."""
        return text[:1].upper() + text[1:] if begin == self.start and text[:1].isalpha() else text


@cache
def phrases(kind: str, plural: bool, typed: bool) -> tuple[str, ...]:
    """Return wordings of one type that may be written, plain ones first. ``typed``: also those that are only
    understood."""
    lexicon = load_lexicon()
    rated: list[tuple[int, int, str]] = []
    for place, (surface, meaning) in enumerate(surfaces().items()):
        if meaning.type != kind:
            continue
        terminal, (key, modal) = meaning.words[0]
        rare = lexicon.entries[terminal][key].parse_only or any(
            m.key == modal and m.parse_only for m in lexicon.modals
        )
        wrong_number = meaning.number == ("s" if plural else "p")
        if typed or not (rare or modal or wrong_number):
            rated.append((2 * rare + wrong_number + bool(modal), place, surface))
    return tuple(surface for _, _, surface in sorted(rated))


@cache
def _plain(kind: str, timed: bool) -> str:
    """Return the reader's words for a type of token."""
    return next(iter(expected_words((kind,), timed)), "")


def take(text: str, offer: Offer) -> tuple[str, int]:
    """Return the text with an offer inserted and the new offset of the caret, after a blank if one is needed."""
    start, end = offer.span
    if offer.text in _GLUED:
        while start > 0 and text[start - 1] == " ":
            start -= 1
    before, behind = text[:start], text[end:]
    if offer.text not in _GLUED and before and not before[-1].isspace():
        before += " "
    blank = "" if behind[:1].isspace() or behind[:1] in _GLUED else " "
    made = before + offer.text + blank
    step = 1 if not blank and behind[:1] == " " else 0
    return made + behind, len(made) + step
