"""The words of English that no action's name has, as phrases: what is left over may be a name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from planscope.language import english
from planscope.language.inflection import words as particles
from planscope.language.scan import Meaning, Phrases, bundled_phrases

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
    for verb in english.ACTS.split("|"):
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
