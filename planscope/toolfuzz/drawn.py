"""Texts of all kinds, and texts that a regular expression matches, drawn with a fixed seed."""

from __future__ import annotations

import importlib
import re
from contextlib import suppress
from random import Random
from typing import Any

COUNT = 30
"""Samples of a pattern."""

_PLAIN = "abcXYZ019 ,;:=/._-'\"\n"
_LETTERS = f"{_PLAIN}qwWQ5_\té京\u00b2"
_PLANES = ((0, 0x7F), (0x80, 0x2FF), (0x300, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x10FFFF))
_MOST_REPEATED = 3


def texts(name: str) -> list[str]:
    """Return texts for a tool: of all of Unicode, without lone surrogates, and of ordinary letters and separators."""
    random = Random(f"texts/{name}")
    wild = [
        "".join(chr(random.randint(*random.choice(_PLANES))) for _ in range(random.randrange(12)))
        for _ in range(60)
    ]
    return [*wild, *("".join(random.choices(_PLAIN, k=random.randrange(30))) for _ in range(40))]


def samples(pattern: str, name: str) -> list[str]:
    """Return texts that a regular expression matches, or nothing if it cannot be drawn."""
    random, found = Random(f"{name}/{pattern}"), list[str]()
    with suppress(Exception):  # a pattern of a tool may be one that nobody knows
        compiled = re.compile(pattern)
        parsed = importlib.import_module("re._parser").parse(pattern)
        found = [made for _ in range(COUNT) if compiled.search(made := _drawn(parsed, random, {}))]
    return found


def _drawn(parsed: Any, random: Random, groups: dict[int, str]) -> str:
    """Return a text for a parsed pattern. What looks around is left out: who asks sees whether the text matches."""
    made = ""
    for operation, given in parsed:
        match str(operation):
            case "LITERAL":
                made += chr(given)
            case "ANY" | "NOT_LITERAL":
                made += random.choice([one for one in _PLAIN[:-1] if ord(one) != given])
            case "IN":
                made += _letter(given, random)
            case "BRANCH":
                made += _drawn(random.choice(given[1]), random, groups)
            case "SUBPATTERN":
                inner = groups[given[0]] = _drawn(given[-1], random, groups)
                made += inner
            case "ATOMIC_GROUP":
                made += _drawn(given, random, groups)
            case "GROUPREF":
                made += groups.get(given, "")
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                low, high, inner = given
                times = random.randint(low, min(high, low + _MOST_REPEATED))
                made += "".join(_drawn(inner, random, groups) for _ in range(times))
    return made


def _letter(several: Any, random: Random) -> str:
    """Return a letter of a class."""
    wanted = str(several[0][0]) != "NEGATE"
    operation, given = random.choice(several)
    if wanted and str(operation) in ("LITERAL", "RANGE"):
        return chr(given if str(operation) == "LITERAL" else random.randint(*given))
    return random.choice([one for one in _LETTERS if any(_is_in(one, part) for part in several) == wanted])


def _is_in(letter: str, part: Any) -> bool:
    operation, given = str(part[0]), part[1]
    if operation == "CATEGORY":
        name = str(given).rpartition("_")[2][0]
        return re.fullmatch("\\" + (name if "_NOT_" in str(given) else name.lower()), letter) is not None
    low, high = given if operation == "RANGE" else (given, given)
    return operation != "NEGATE" and low <= ord(letter) <= high
