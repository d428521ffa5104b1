"""A first look at a session's JSON as a whole: which parts of it hold nothing private, and need no second one.

Most strings of a large session stand there many times, and hold nothing. Those are told in one go, and the parts that
are made of them are then left as they are, whole.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from itertools import pairwise
from typing import Any

from planscope.safe.secret_names import names_secret
from planscope.sharing.findings import RedactionError
from planscope.sharing.spellings import decoded
from planscope.sharing.word_lists import words

Json = Any

DEEPEST = 3
"""JSON inside strings of JSON, read up to so deep."""

MOST_DECODED = 500_000
"""Values in all JSON inside strings: more than that are in no session that somebody made."""


class Skim:
    """``texts``: every string of the document, keys and numbers too, once. ``within``: those inside strings of JSON."""

    def __init__(self, document: Json) -> None:
        self.texts: dict[str, None] = {}
        self.within: dict[str, None] = {}
        self._document = document
        self._holds: dict[str, list[str]] = {}
        self._telling: dict[str, bool] = {}
        self._odd: set[str] = set()
        self._dull: set[str] = set()
        self._busy: set[int] = set()
        self._decoded = 0
        _strings(document, self.texts)
        self._open(self.texts, 0)

    def _open(self, texts: Iterable[str], depth: int) -> None:
        """Note what strings hold that are JSON themselves, and which cannot be told in one go."""
        deeper: dict[str, None] = {}
        for text in texts:
            if "\\u" in text or "\\x" in text:
                self._odd.add(text)
            elif text in self._holds:
                continue
            if len(text) > MOST_DECODED:
                self._check(sum(map(text.count, ",[{")))
            for inside in decoded(text):
                if depth == DEEPEST:
                    self._odd.add(text)
                    break
                found: dict[str, None] = {}
                self._decoded += _strings(inside, found)
                self._check(self._decoded)
                self._holds[text] = list(found)
                if any(map(self.tells, found)) or any(one.startswith("-") for one in found):
                    self._odd.add(text)
                deeper |= found
        if deeper:
            self.within |= deeper
            self._open(deeper, depth + 1)

    def _check(self, values: int) -> None:
        if values > MOST_DECODED:
            raise RedactionError(
                f"the texts of the session hold more than {MOST_DECODED:,} values as JSON, too many to be looked "
                "through; with --no-redact it is shared as it is"
            )

    def tells(self, name: str) -> bool:
        """Whether a mapping's key says something of its value: then that is looked at, whatever it is."""
        found = self._telling.get(name)
        if found is None:
            folded = name.lower()
            known = folded in words("host", "keys") or folded in words("user", "keys")
            found = self._telling[name] = known or names_secret(name)
        return found

    def settle(self, clean: Container[str]) -> None:
        """Tell the parts that hold nothing. ``clean``: the strings in which nothing private stands."""
        self._dull = {t for t in (*self.texts, *self.within) if t in clean and t not in self._odd}
        for _ in range(DEEPEST + 1):  # what holds a string that is not, is not
            self._dull -= {text for text, held in self._holds.items() if not self._dull.issuperset(held)}
        self._busy.clear()
        self._mark(self._document)

    @property
    def dull(self) -> Iterable[str]:
        """The strings that stay as they are, unless the key before them says otherwise."""
        return self._dull

    def is_dull(self, value: Json) -> bool:
        """Whether a part of the document, or a string, holds nothing private."""
        if isinstance(value, str):
            return value in self._dull
        if isinstance(value, dict | list):
            return id(value) not in self._busy
        return value is None or isinstance(value, bool) or str(value) in self._dull

    def _mark(self, value: Json) -> bool:
        if isinstance(value, str):
            return value not in self._dull
        busy = False
        if isinstance(value, dict):
            for key, one in value.items():
                busy = self._mark(one) or busy or key not in self._dull or self.tells(key)
            busy = busy or bool(what_pairs_tell(value))
        elif isinstance(value, list):
            busy = bool(what_lists_tell(value))
            for one in value:
                busy = self._mark(one) or busy
        elif isinstance(value, int | float) and not isinstance(value, bool):
            return str(value) not in self._dull
        if busy:
            self._busy.add(id(value))
        return busy


def _strings(value: Json, found: dict[str, None]) -> int:
    """Note every string, key and number; how many values there are."""
    rest = [value]
    count = 0
    while rest:
        one = rest.pop()
        count += 1
        if isinstance(one, str):
            found[one] = None
        elif isinstance(one, dict):
            found.update(dict.fromkeys(one))
            rest += one.values()
        elif isinstance(one, list):
            rest += one
        elif one is not None and not isinstance(one, bool):
            found[str(one)] = None
    return count


_PAIR_NAME = re.compile(
    r"(?i:.{0,20}(?:name|key|field|variable|header|parameter|option|label|id|column|setting|property|attribute))\Z"
)
_PAIR_VALUE = re.compile(r"(?i:.{0,20}(?:values?|default|content|data|to))\Z")


def what_pairs_tell(value: dict[str, Json]) -> dict[str, str]:
    """By key: what else the value under it is called: in ``{"name": "API_TOKEN", "value": V}`` V is the token.

    The pieces that a model made of a text are called tokens, too: theirs stay.
    """
    if "token" in value and "logprob" in value:
        return {"token": ""}
    told: dict[str, str] = {}
    for key, name in value.items():
        if isinstance(name, str) and len(name) <= 80 and _PAIR_NAME.match(key) and names_secret(name):
            told |= {other: name for other in value if other != key and _PAIR_VALUE.match(other)}
    return told


def what_lists_tell(value: list[Json]) -> dict[int, tuple[str, str]]:
    """By place: what it is called, and the words that stand before it: of pairs of name and value, of commands."""
    first = value[0] if value else None
    if not isinstance(first, str) or len(value) < 2:
        return {}
    if len(value) == 2 and isinstance(value[1], str) and names_secret(first) and not value[1].isalpha():
        return {1: (first, "")}
    if not any(isinstance(one, str) and one.startswith("-") for one in value):
        return {}
    told: dict[int, tuple[str, str]] = {}
    for n, (before, one) in enumerate(pairwise(value), 1):
        if not isinstance(one, str) or one.startswith("--"):
            continue
        if isinstance(before, str) and before.startswith("-") and "=" not in before and names_secret(before):
            told[n] = (before, "")
        else:
            told[n] = ("", " ".join(str(w)[:100] for w in value[max(0, n - 8) : n]) + " ")
    return told
