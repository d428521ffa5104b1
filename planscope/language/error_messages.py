"""Writes the parser's error messages: the words found, the words expected, and what may have been meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher, get_close_matches

from planscope.language.errors import Trouble
from planscope.language.lexicon import load_lexicon
from planscope.language.scan import Names, Token, load_auxiliaries, surfaces

_WORD = re.compile(r"[^\W_]+")
_MARKS = ("COMMA", "SEMI", "DOT")
_STOPS = (*_MARKS, "AND", "BUT", "WHILE", "WHICH", "TIME", "TIMELESS")
_LONGEST = 80


def one_of(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def unknown_end(tokens: Sequence[Token], at: int) -> int:
    """Return the place after the unknown words that begin at ``at``."""
    end = at + 1
    while tokens[end].type == "UNKNOWN":
        end += 1
    return end


def nearest(text: str, tokens: Sequence[Token], at: int, types: frozenset[str], names: Names) -> str:
    """Return known words similar to those at ``at`` (names of actions, verbs, prepositions), quoted; "" if there are
    none."""
    word = text[tokens[at].start : tokens[at].end].casefold()
    called = {action.name.casefold(): action.name for action in names.actions}
    if "_" in word or word[0] == "`":
        called |= {action.tool: action.tool for action in names.actions}
    known = dict(called) if "ACTION" in types else {}
    phrases = _phrases(types, word if word in load_auxiliaries() else None)
    begun = sorted((phrase for phrase in phrases if phrase.startswith(word + " ")), key=len)
    if begun and word not in load_auxiliaries():
        return one_of([f'"{phrase}"' for phrase in begun[:2]])
    known |= {phrase: phrase for phrase in phrases}
    best = _closest(text, tokens, at, at, known, 0.7)
    if at and tokens[at - 1].type not in _MARKS:
        best |= _closest(text, tokens, at - 1, at, called, 0.85)
    if not best and "ACTION" in types:
        best = _sharing(text, tokens, at, names)
    near = sorted(best, key=lambda name: (-best[name], name))[:3]
    return one_of([f'"{name}"' for name in near]) if near else ""


def meant(text: str, tokens: Sequence[Token], at: int, names: Names) -> str:
    """Suggest a name that is similar to words beginning with a hinted phrase, quoted; "" unless it has a word of
    that phrase."""
    word = text[tokens[at].start : tokens[at].end].casefold()
    called = {action.name.casefold(): action.name for action in names.actions}
    alike = {low: name for low, name in called.items() if f" {low}".find(f" {word}") >= 0}
    best = _closest(text, tokens, at, at, alike, 0.7)
    if at and tokens[at - 1].type not in _MARKS:
        best |= _closest(text, tokens, at - 1, at, alike, 0.85)
    if not best and tokens[at + 1].type not in ("UNKNOWN", "ACTION", "HINT"):
        best = {name: 1.0 for low, name in alike.items() if word in low.split()}
    return f'"{max(best, key=lambda name: best[name])}"' if best else ""


def begun_name(text: str, tokens: Sequence[Token], at: int, names: Names) -> str:
    """Suggest the name most similar to a phrase of the lexicon and the unknown words after it, quoted; "" if there
    is none."""
    if tokens[at].type in _STOPS or tokens[at + 1].type != "UNKNOWN":
        return ""
    best = _closest(text, tokens, at, at + 1, {a.name.casefold(): a.name for a in names.actions}, 0.7)
    return f'"{max(best, key=lambda name: best[name])}"' if best else ""


def _phrases(types: frozenset[str], auxiliary: str | None) -> list[str]:
    """Return the phrases of these types: those that begin with the auxiliary, or else those without a modal."""
    lexicon = load_lexicon()
    return [
        surface
        for surface, meaning in surfaces().items()
        if meaning.type in types
        and (surface.startswith(f"{auxiliary} ") if auxiliary else not meaning.words[0][1][1])
        and not lexicon.entries[meaning.words[0][0]][meaning.words[0][1][0]].parse_only
    ]


def _closest(
    text: str, tokens: Sequence[Token], start: int, at: int, known: Mapping[str, str], cutoff: float
) -> dict[str, float]:
    """Return known words with their similarity to the text from ``start`` to some token at or after ``at``."""
    best: dict[str, float] = {}
    for end in range(at, min(at + 6, len(tokens))):
        if tokens[end].type in _STOPS:
            break
        words = text[tokens[start].start : tokens[end].end].casefold().strip("`")
        words = " ".join(words.removeprefix("the ").split())[:_LONGEST]
        for match in get_close_matches(words, known, 3, cutoff):
            ratio = SequenceMatcher(None, words, match).ratio()
            best[known[match]] = max(ratio, best.get(known[match], 0.0))
    return best


def _sharing(text: str, tokens: Sequence[Token], at: int, names: Names) -> dict[str, float]:
    """Return names that share similar words with the unknown words at ``at``, with the sum of the similarities."""
    having: dict[str, list[str]] = {}
    for action in names.actions:
        for word in _WORD.findall(action.name.casefold()):
            having.setdefault(word, []).append(action.name)
    best: dict[str, float] = {}
    end = min(unknown_end(tokens, at), at + 6)
    for word in _WORD.findall(text[tokens[at].start : tokens[end - 1].end].casefold()[:_LONGEST]):
        for match in get_close_matches(word, having, 3, 0.8):
            for name in having[match]:
                best[name] = best.get(name, 0.0) + SequenceMatcher(None, word, match).ratio()
    return best


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

NO_CLOCK = "clock times belong to timed queries, and this query is not timed"


def expected_words(types: Iterable[str], timed: bool) -> tuple[str, ...]:
    """List token types in plain words, in a fixed order."""
    wanted = set(types) - (set() if timed else {"TIME"})
    return tuple(dict.fromkeys(plain for kind, plain in _PLAIN.items() if kind in wanted))


def shown(text: str) -> str:
    """Shorten a part of the text to one line. Invisible characters become their code points."""
    line = " ".join(text.split())
    line = line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
    return "".join(char if char.isprintable() else f"<U+{ord(char):04X}>" for char in line)


def stuck(
    text: str, tokens: Sequence[Token], at: int, types: frozenset[str], names: Names, timed: bool
) -> Trouble:
    """Return the error of a sentence that cannot be read at token ``at``. The last token is a period, perhaps an
    added one."""
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
        return Trouble(span, found, expected, f'a verb is missing after "{found}", or its form is wrong')
    if _NUMBER.fullmatch(found):
        message = _as_hour(found) if timed else NO_CLOCK
        return Trouble(span, found, expected, f'"{shown(found)}" is not known: {message}')
    span = (token.start, tokens[unknown_end(tokens, at) - 1].end)
    found = text[span[0] : span[1]]
    near = nearest(text, tokens, at, types, names)
    message = f"did you mean {near}?" if near else f"expected {wanted}"
    return Trouble(span, found[:_LONGEST], expected, f'"{shown(found)}" is not known: {message}')


def _as_hour(number: str) -> str:
    """Suggest what to write instead of a number without minutes."""
    hour = int(number) if number.isdigit() and len(number) < 3 else 99
    if hour > 24:
        return "clock times are whole hours from 0:00 to 24:00, such as 15:00"
    return f"clock times are whole hours; write {hour:02}:00" + (f" or {hour} pm" if 0 < hour < 12 else "")


def _culprit(text: str, tokens: Sequence[Token], at: int) -> int:
    """Return the place of the token to blame: in "should immediately precede" it is "immediately", not "should"."""
    token = tokens[at]
    if token.type == "UNKNOWN" and text[token.start : token.end].lower() in load_auxiliaries():
        behind = at + 1
        while tokens[behind].type == "UNKNOWN" and behind - at < 3:
            behind += 1
        if tokens[behind].type == "HINT":
            return behind
    return at
