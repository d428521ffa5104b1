"""What words that are not known may have been meant for: names of actions, and phrases of the lexicon."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher, get_close_matches

from planscope.language.lexicon import load_lexicon
from planscope.language.names import Names
from planscope.language.scan import Token
from planscope.language.vocabulary import load_auxiliaries, surfaces

_WORD = re.compile(r"[^\W_]+")
_MARKS = ("COMMA", "SEMI", "DOT")
_STOPS = (*_MARKS, "AND", "BUT", "WHILE", "WHICH", "TIME", "TIMELESS")
_LONGEST = 80


def one_of(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def unknown_end(tokens: Sequence[Token], at: int) -> int:
    """The place behind the unknown words that begin at ``at``."""
    end = at + 1
    while tokens[end].type == "UNKNOWN":
        end += 1
    return end


def nearest(text: str, tokens: Sequence[Token], at: int, types: frozenset[str], names: Names) -> str:
    """Known words like those that begin at ``at``, quoted: names of actions, verbs, prepositions. "" for none."""
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
    """Names like the words that begin with a phrase that has a hint, if they have such a word themselves."""
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
    """The name most like words that begin with a phrase of the lexicon and go on with unknown ones, quoted."""
    if tokens[at].type in _STOPS or tokens[at + 1].type != "UNKNOWN":
        return ""
    best = _closest(text, tokens, at, at + 1, {a.name.casefold(): a.name for a in names.actions}, 0.7)
    return f'"{max(best, key=lambda name: best[name])}"' if best else ""


def _phrases(types: frozenset[str], auxiliary: str | None) -> list[str]:
    """Wordings of the lexicon of these types: those that begin with an auxiliary, or those without modal."""
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
    """Known words with how like they are to the text's from ``start`` to somewhere behind ``at``."""
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
    """Names that have words like the unknown words that begin at ``at``, with how many and how like they are."""
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
