"""Errors in words: what was found, what was expected there, and what may have been meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from planscope.language.errors import Trouble
from planscope.language.names import Names
from planscope.language.nearest import begun_name, meant, nearest, one_of, unknown_end
from planscope.language.scan import Token
from planscope.language.vocabulary import load_auxiliaries

_BEFORE = 'a word such as "before" or "after"'

_PLAIN = {
    "ACTION": "an action",
    "TIME": "a clock time such as 15:00",
    "VP": 'a verb such as "precedes"',
    "VP0": 'a verb such as "happens"',
    "P": _BEFORE,
    "PSC": _BEFORE,
    "SC": _BEFORE,
    "WHICH": '"which"',
    "AND": '"and"',
    "COMMA": "a comma",
    "SEMI": "a semicolon",
    "BUT": '"but"',
    "WHILE": '"while"',
    "DOT": "a period",
}
_NUMBER = re.compile(r"[0-9]+[a-z]*", re.IGNORECASE)
_LONGEST = 80

NO_CLOCK = "clock times belong to timed queries, and this query is not timed"


def expected_words(types: Iterable[str], timed: bool) -> tuple[str, ...]:
    """Token types in plain words, in a fixed order."""
    wanted = set(types) - (set() if timed else {"TIME"})
    return tuple(dict.fromkeys(plain for kind, plain in _PLAIN.items() if kind in wanted))


def shown(text: str) -> str:
    """Words of the text on one line, cut short, with characters that cannot be seen by their numbers."""
    line = " ".join(text.split())
    line = line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
    return "".join(char if char.isprintable() else f"<U+{ord(char):04X}>" for char in line)


def stuck(
    text: str, tokens: Sequence[Token], at: int, types: frozenset[str], names: Names, timed: bool
) -> Trouble:
    """The error of a sentence whose token ``at`` fits nothing; the last token is the period or stands for it."""
    expected = expected_words(types, timed)
    at = _culprit(text, tokens, at)
    token = tokens[at]
    span = (token.start, token.end)
    found = text[token.start : token.end]
    wanted = one_of(expected) if expected else "nothing more"
    if token.type == "DOT":
        where = "the sentence ends" if found else "the text ends"
        return Trouble(span, found, expected, f"{where} where {wanted} was expected")
    if token.type == "TIMELESS":
        return Trouble(span, found, expected, NO_CLOCK)
    if token.type == "HINT":
        message = f'"{shown(found)}" is not supported: {token.meaning.value}'
        near = meant(text, tokens, at, names) if "ACTION" in types else ""
        return Trouble(span, found, expected, f"{message}; or did you mean {near}?" if near else message)
    if token.type != "UNKNOWN":
        message = f'found "{shown(found)}" where {wanted} was expected'
        near = begun_name(text, tokens, at, names) if "ACTION" in types else ""
        return Trouble(span, found, expected, f"{message}; did you mean {near}?" if near else message)
    if found.lower() in load_auxiliaries() and tokens[at + 1].type != "UNKNOWN":
        return Trouble(span, found, expected, f'a verb is missing behind "{found}", or its form is wrong')
    if _NUMBER.fullmatch(found):
        message = "clock times are whole hours from 0:00 to 24:00, such as 15:00" if timed else NO_CLOCK
        return Trouble(span, found, expected, f'"{shown(found)}" is not known: {message}')
    span = (token.start, tokens[unknown_end(tokens, at) - 1].end)
    found = text[span[0] : span[1]]
    near = nearest(text, tokens, at, types, names)
    message = f"did you mean {near}?" if near else f"expected {wanted}"
    return Trouble(span, found[:_LONGEST], expected, f'"{shown(found)}" is not known: {message}')


def _culprit(text: str, tokens: Sequence[Token], at: int) -> int:
    """The token to blame: in "should immediately precede" it is "immediately", not "should"."""
    token = tokens[at]
    if token.type == "UNKNOWN" and text[token.start : token.end].lower() in load_auxiliaries():
        behind = at + 1
        while tokens[behind].type == "UNKNOWN" and behind - at < 3:
            behind += 1
        if tokens[behind].type == "HINT":
            return behind
    return at
