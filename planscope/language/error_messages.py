"""Writes the parser's error messages: the words found, the words expected, and what may have been meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher, get_close_matches
from itertools import takewhile

from planscope.language.errors import Trouble
from planscope.language.inflection import words as articles
from planscope.language.lexicon import load_lexicon
from planscope.language.render import capitalised
from planscope.language.scan import Hint, Names, Token, hint_of, load_auxiliaries, load_hints, surfaces

_WORD = re.compile(r"[^\W_]+")
_MARKS = ("COMMA", "SEMI", "DOT")
_STOPS = (*_MARKS, "AND", "BUT", "WHILE", "WHICH", "TIME", "TIMELESS")
_LONGEST = 80


def one_of(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def unknown_end(tokens: Sequence[Token], at: int) -> int:
    """Return the place after the unknown words that begin at ``at``, and the words inside them ("log in here")."""
    end = at + 1
    while tokens[end].type == "UNKNOWN" or _inside(tokens, end):
        end += 1
    return end


def _inside(tokens: Sequence[Token], at: int) -> bool:
    """Return whether words with a hint are part of unknown words beside them, such as "in" of "log in"."""
    token = tokens[at]
    if token.type != "HINT" or not hint_of(token.meaning.value).inside:
        return False
    return "UNKNOWN" in (tokens[at - 1].type if at else "", tokens[at + 1].type)


def nearest(text: str, tokens: Sequence[Token], at: int, types: frozenset[str], names: Names) -> str:
    """Return known words similar to those at ``at`` (names of actions, verbs, prepositions), quoted; "" if there are
    none."""
    word = text[tokens[at].start : tokens[at].end].casefold()
    called = dict(names.spelled)
    if "_" in word or word[0] == "`":
        called |= {action.tool: action.tool for action in names.actions}
    auxiliary = word in load_auxiliaries()
    known = dict(called) if "ACTION" in types and not auxiliary else {}
    phrases = _phrases(types, word if auxiliary else None)
    begun = sorted((phrase for phrase in phrases if phrase.startswith(word + " ")), key=len)
    if begun and not auxiliary:
        return one_of([f'"{phrase}"' for phrase in begun[:2]])
    best = _closest(text, tokens, at, at, known, 0.7)
    best |= _closest(
        text, tokens, at, at, {phrase: phrase for phrase in phrases}, 0.85 if auxiliary else 0.72
    )
    if at and tokens[at - 1].type not in _MARKS:
        best |= _closest(text, tokens, at - 1, at, called, 0.85)
    if not best and "ACTION" in types and not auxiliary:
        best = _sharing(text, tokens, at, names)
    near = sorted(best, key=lambda name: (-best[name], name))[:3]
    return one_of([f'"{name}"' for name in near]) if near else ""


def meant(text: str, tokens: Sequence[Token], at: int, names: Names) -> str:
    """Suggest a name that is similar to words beginning with a hinted phrase, quoted; "" unless it has a word of
    that phrase."""
    word = text[tokens[at].start : tokens[at].end].casefold()
    alike = {low: name for low, name in names.spelled.items() if f" {low}".find(f" {word}") >= 0}
    best = _closest(text, tokens, at, at, alike, 0.7)
    if at and tokens[at - 1].type not in _MARKS:
        best |= _closest(text, tokens, at - 1, at, alike, 0.85)
    if not best and tokens[at + 1].type not in ("UNKNOWN", "ACTION", "HINT"):
        best = {name: 1.0 for low, name in alike.items() if word in low.split()}
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
        named = end > at and tokens[end].type == "ACTION" and " " in text[tokens[end].start : tokens[end].end]
        if tokens[end].type in _STOPS or named:
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
        if word in articles("articles") or word in load_hints():
            continue
        for match in get_close_matches(word, having, 3, 0.8):
            for name in having[match]:
                best[name] = best.get(name, 0.0) + SequenceMatcher(None, word, match).ratio()
    return best


def proposals(text: str, tokens: Sequence[Token], names: Names, hint: Hint) -> Iterator[tuple[str, ...]]:
    """Yield sentences that may be meant instead of one that cannot be read, nearest first: one, or two between which
    nobody can choose. They are about the actions that the sentence names, and then about others."""
    called = {action.id: action.name for action in names.actions}
    said = list(dict.fromkeys(token.action for token in tokens if token.type == "ACTION"))
    row = [called[action] for action in said] + [
        name for action, name in called.items() if action not in said
    ]
    several = len(said) > 1 and "BUT" not in {token.type for token in tokens}
    for template in hint.write:
        if "{ALL}" in template and not several:
            continue
        filled = dict(zip("ABC", row, strict=False))
        filled["ALL"] = ", then ".join(row[: max(len(said), 2)])
        if all(f"{{{letter}}}" not in template or letter in filled for letter in "ABC"):
            yield (_sentence(template, filled),)
    hours, action = _hours(text, tokens)
    if hours:
        yield (_sentence(f"{{A}} happens {hours}.", {"A": called.get(action, "")}),)
    if len(said) > 2 and {token.type for token in tokens} <= _LISTED:
        yield (_sentence("First {ALL}.", {"ALL": ", then ".join(called[action] for action in said)}),)
    if len(row) < 2:
        return
    filled = dict(zip("AB", row, strict=False))
    relation = _relation(text, tokens) if len(said) > 1 else "<"
    before, after = (_sentence(f"{{A}} {verb} {{B}}.", filled) for verb in ("precedes", "follows"))
    yield (before,) if relation == "<" else (after,) if relation == ">" else (before, after)


def _hours(text: str, tokens: Sequence[Token]) -> tuple[str, str]:
    """Return the first clock times that no action parts as a query says them, as far as words show from or until when;
    and the first action of their clause."""
    untimed = list(takewhile(lambda token: token.type != "TIME", tokens))
    row = list(takewhile(lambda token: token.type != "ACTION", tokens[len(untimed) :]))
    clocks = [text[one.start : one.end] for one in row if one.type == "TIME"]
    named = [one for one in untimed if one.type == "ACTION"]
    begins = text.rfind(";", 0, named[-1].start) if named else 0
    action = next((one.action for one in tokens if one.type == "ACTION" and one.start > begins), "")
    if len(clocks) > 1:
        return f"after {clocks[0]} and before {clocks[-1]}", action
    about = text[named[-1].end if named else 0 : row[-1].end] if row else ""
    said = _LIMITS.findall(about)
    until = bool(said) and (said[-1].lower() in _ENDS) != bool(_NOT.search(about))
    return f"{'before' if until else 'after'} {clocks[0]}" if clocks else "", action


_LIMITS = re.compile(r"\b(?:before|until|till|by|latest|earlier|after|from|since|earliest|later)\b", re.I)
_ENDS = ("before", "until", "till", "by", "latest", "earlier")
_LISTED = {"ACTION", "COMMA", "AND", "DOT"}


def _sentence(template: str, names: Mapping[str, str]) -> str:
    """Return a sentence with these names, and with a capital."""
    first, _, rest = template.partition(" ")
    head = first.strip("{},")
    told = capitalised(names[head]) + first[3:] if head in names else first
    for letter, name in names.items():
        rest = rest.replace(f"{{{letter}}}", name)
    return f"{told} {rest}"


def _relation(text: str, tokens: Sequence[Token]) -> str:
    """Return the relation of the first action of a sentence to the second, as far as its words show it, or ""."""
    places = [at for at, token in enumerate(tokens) if token.type == "ACTION"]
    first = places[0]
    second = next(at for at in places if tokens[at].action != tokens[first].action)
    between = {_said(text, token) for token in tokens[first:second]} - {""}
    fronted = {_said(text, token) for token in tokens[:first]} - {""}
    negated = any(_NOT.search(text[token.start : token.end]) for token in tokens)
    if negated or len(between) + len(fronted) != 1:
        return ""
    return between.pop() if between else "<" if fronted == {">"} else ">"


def _said(text: str, token: Token) -> str:
    """Return the relation of a token, or of the "before" or "after" in words with a hint."""
    if token.type == "ACTION" or token.meaning.relation:
        return token.meaning.relation
    words = text[token.start : token.end].lower()
    return "<" if "before" in words.split() else ">" if "after" in words.split() or words in _LATER else ""


_LATER = ("only if", "provided that", "provided", "if and only if")


_NOT = re.compile(r"n['\u2019]t\b|\b(?:not?|never|neither|nor|cannot)\b", re.IGNORECASE)

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

NO_CLOCK = "this query is not timed, so it has no clock times; make it timed (--timed)"


MOST_EXPECTED = 5
"""Of more things that could stand somewhere, none is told in a message."""


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
    if (
        text[tokens[at].start : tokens[at].end].lower() in load_auxiliaries()
        and tokens[at + 1].type == "HINT"
    ):
        at += 1  # in "should immediately precede" it is "immediately"
    token = tokens[at]
    span = (token.start, token.end)
    found = text[token.start : token.end]
    wanted = one_of(expected) if expected else "nothing more"
    if token.type == "DOT":
        where = "the sentence ends" if found else "the text ends"
        wanted = f"where {wanted} was expected" if expected else "before it says an order"
        return Trouble(span, found, expected or (_BEFORE,), f"{where} {wanted}")
    if token.type == "TIMELESS":
        return Trouble(span, found, expected, NO_CLOCK)
    if token.type == "HINT" and not _inside(tokens, at):
        message = f'"{shown(found)}" is not supported: {token.meaning.value}'
        near = meant(text, tokens, at, names) if "ACTION" in types else ""
        return Trouble(span, found, expected, f"{message}; or did you mean {near}?" if near else message)
    if token.type not in ("UNKNOWN", "HINT"):
        message = f'found "{shown(found)}" where {wanted} was expected'
        if not 0 < len(expected) <= MOST_EXPECTED:
            message = f'"{shown(found)}" does not fit here'
        near = (
            nearest(text, tokens, at, types & {"ACTION"}, names) if tokens[at + 1].type == "UNKNOWN" else ""
        )
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
