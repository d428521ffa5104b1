"""The words of English that no action's name has, as phrases: what is left over may be a name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property

from planscope.language import english
from planscope.language.cuts import auxiliary
from planscope.language.inflection import words as particles
from planscope.language.mentions import Mentions, Said
from planscope.language.scan import (
    NOT_IN_SENTENCES,
    Meaning,
    Phrases,
    Piece,
    Scanner,
    Token,
    bundled_phrases,
)

_TYPES = {
    "before": "P <",
    "after": "P >",
    **dict.fromkeys(english.words("until unless once when without"), "UNTIL"),
    "chain": "THEN",
    "first": "FIRST",
    "last": "LAST",
    "both": "BOTH",
}
"""The types of tokens for the codes of phrases, and their relations."""


def _free_phrases() -> Iterator[tuple[str, Meaning]]:
    for waiting in english.WAITING:
        yield waiting, Meaning("WAIT")
    for verb in english.ACTS:
        for before in ("", "do not ", "don't ", "never "):
            yield before + verb, Meaning("DO")
    for who in ("you", "we", "i", "they"):
        yield who, Meaning("YOU")
    for never in ("don't", "do not", "never"):
        yield never, Meaning("DONT")
    for phrase, codes in english.PHRASES.items():
        if found := next(filter(None, map(_TYPES.get, codes)), None):
            kind, _, relation = found.partition(" ")
            yield " ".join(phrase), Meaning(kind, "", relation)
    for word in english.PLAIN - english.ARTICLES - {"of"} - (particles("particles") - particles("inside")):
        yield word, Meaning("HINT")


@cache
def free_vocabulary() -> Phrases[Meaning]:
    """Return all phrases of ``vocabulary``, and words of English, which win over hints."""
    return Phrases(bundled_phrases(_free_phrases()))


class FreeScanner(Scanner):
    """Scans sentences that people write: it knows other forms of the actions' words."""

    @cached_property
    def mentions(self) -> Mentions:
        return Mentions(self.names.actions, auxiliary, nouns=True)

    def stream(self, text: str, pieces: Sequence[Piece]) -> Iterator[Token]:
        said, at = Said(), 0
        while at < len(pieces):
            token, width = self._token(text, pieces, at)
            mention = self.mentions.at(pieces, at, said)
            if mention is not None and mention.width >= width + (token.type not in NOT_IN_SENTENCES):
                said.tell(mention)
                width = mention.width
            else:
                said.add(token)
            at += width
        yield from said.tokens

    def _named(self, pieces: Sequence[Piece], at: int) -> int:
        mention = self.mentions.at(pieces, at, Said())
        return max(super()._named(pieces, at), mention.width if mention is not None else 0)
