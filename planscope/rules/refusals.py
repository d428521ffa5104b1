"""Says why a sentence of rules is refused, and which sentences would be read: both readings of an unclear one, or else
the nearest."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from planscope.language.cuts import Cut, Cuts, SentenceError
from planscope.language.problem import Span
from planscope.language.shapes import unknown_to_shapes
from planscope.rules.rule import Rule
from planscope.rules.words import meaning, sentence_of

NEAREST = "what is read"
_OPEN = frozenset(
    "before after until unless once if when without followed_by preceded_by precedes follows needs and or".split()
)
"""Items that need a tool behind them."""
_CLOCK = ("am", "pm", "noon", "midnight", "midday", "o'clock")


def low(words: str) -> str:
    """Return a meaning as a part of a sentence."""
    return words[:1].lower() + words[1:].removesuffix(".").partition(";")[0]


def two_ways(span: Span, ways: Sequence[Sequence[Rule]], tools: Collection[str]) -> SentenceError:
    """Return the error of a sentence with several meanings. Each is shown as sentences that can be pasted."""
    readings = [" ".join(sentence_of(rule) for rule in way) for way in ways]
    if any(tool.casefold() in ("any", "call") for tool in tools):
        readings = [
            re.sub(r"\b(any call)(?! of)", r"\1 of `*`", one, flags=re.IGNORECASE) for one in readings
        ]
    told = [
        f'"{reading}" ({" and ".join(low(meaning(rule)) for rule in way)})'
        for reading, way in zip(readings, ways, strict=True)
    ]
    message = f"this could mean {' or '.join(told)}; write one of them"
    return SentenceError(span, message, ("one of the readings",), tuple(readings))


def refused(cuts: Cuts, some: Sequence[Cut], near: str) -> SentenceError:
    """Return the error of a sentence that cannot be read. ``some``: its cuts. ``near``: what is left out
    of it, and the sentence that is read without that; or ""."""
    error = _why(cuts, some)
    message = f"{error.message}; {NEAREST} {near}" if near else error.message
    return SentenceError(error.span, message, error.expected, error.readings)


def _why(cuts: Cuts, some: Sequence[Cut]) -> SentenceError:
    row = cuts.row
    whole = row[0].start, row[-1].end
    if odd_number := _odd_number(cuts):
        return odd_number
    if cuts.troubles:
        return max(reversed(cuts.troubles), key=lambda error: error.span)
    if odd := cuts.unread:
        why = f"{odd.text!r} is not expected here"
        return SentenceError((odd.start, odd.end), why, ("a tool", "a verb such as happens"))
    items = next((cut.items for cut in some if any(item.code == "S" for item in cut.items)), None)
    if items is None:
        return SentenceError(whole, "there is no tool in this sentence", ("a tool's name",))
    if len(values := [item for item in items if item.per[0]]) > 1:
        why = "a sentence can be judged by one value only; join the names by 'and'"
        return SentenceError(values[1].span, why)
    text = cuts.scanner.text
    verb = not {item.code for item in items} <= {"S", "a"}
    for one, other in pairwise(items):
        if one.code == other.code == "S" and all(
            item.calls[0].name not in cuts.scanner.tools for item in (one, other)
        ):
            names = text[one.span[0] : other.span[1]]
            why = f'"{names}" reads as two names; put a name of several words in backquotes'
            why = why if verb else f"there is no verb: {why}"
            place = (one.span[0], other.span[1]) if verb else whole
            return SentenceError(place, why, ("`name`", "a verb such as happens"))
    if len(items) == 1:
        why = f'there is no verb: "{text[slice(*whole)]}" was read as one name'
        return SentenceError(whole, why, ("a verb such as happens",))
    if items[-1].code in _OPEN:
        return SentenceError(
            (whole[1], whole[1]), "the sentence ends where a tool was expected", ("a tool's name",)
        )
    for item in items:
        if unknown_to_shapes(item.code):
            words = " ".join(text[slice(*item.span)].split())
            return SentenceError(item.span, f'"{words}" is not read here', ())
    return SentenceError(whole, "no sentence of rules has this form")


def _odd_number(cuts: Cuts) -> SentenceError | None:
    """Return the error of the first clock time, or of "1,000", if there is one."""
    for k, token in enumerate(row := cuts.row):
        if token.kind == "time" or (token.key in _CLOCK and k and row[k - 1].kind in ("number", "word")):
            why = 'rules have no clock times; a deadline is read, such as "within 30 seconds"'
            start = row[k - 1].start if token.key in ("am", "pm", "o'clock") else token.start
            return SentenceError((start, token.end), why, ('"within 30 seconds"',))
    whole = row[0].start, row[-1].end
    if grouped := re.search(
        r"(?<![\[,.])\b[0-9]{1,3}(?:,[0-9]{3}|\.000)+\b", cuts.scanner.text[slice(*whole)]
    ):
        plain = re.sub("[,.]", "", grouped[0])
        return SentenceError(whole, f'a number has no marks between its digits; write "{plain}"', (plain,))
    return None
