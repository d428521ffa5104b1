"""Lists all spellings of one value in JSON, addresses, HTML and names of tools, and finds them in texts."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote, quote_plus

from planscope.language.problem import slug
from planscope.session.json_bytes import without_surrogates
from planscope.sharing.redact.hits import lower

_LEVELS = 3
"""The number of levels of JSON inside strings of JSON."""

_FOLDED = ("email", "host", "user-name")


def canonical(kind: str, text: str) -> str:
    """Return a key that is equal for all spellings of the same value."""
    if kind in _FOLDED:
        return text.replace("%40", "@").casefold()
    if kind == "home":
        return re.sub(r"\\+", r"\\", text)
    if kind == "private-key":
        return "".join(re.sub(r"\\+[nr]", " ", text).split())
    if kind in ("phone", "card", "social-security"):
        return re.sub(r"[^0-9+]", "", text)
    return text


def spellings(text: str) -> tuple[str, ...]:
    """Return the value itself, and how JSON (also inside strings of JSON), addresses and HTML write it."""
    plain = [text, text.replace("/", "\\/"), quote(text, safe=""), quote(text), quote_plus(text)]
    plain += [html.escape(text), html.escape(text, quote=False), repr(text)[1:-1]]
    plain.append(re.sub(r"[<>&]", lambda m: f"\\u{ord(m[0]):04x}", text))
    found = dict.fromkeys(plain)
    for ascii_only in (True, False):
        here = text
        for _ in range(_LEVELS):
            here = json.dumps(here, ensure_ascii=ascii_only)[1:-1]
            found[here] = None
            found[here.replace("/", "\\/")] = None
    return tuple(found)


def tool_spelling(text: str) -> str | None:
    """Return how the name of a tool spells the value, or None if that is too short to be recognized."""
    made = slug(text)
    return made if len(made) >= 8 and made != text.lower() and "_" in made else None


def decoded(text: str) -> Iterator[object]:
    """Yield the JSON in a string, if it is an object or a list."""
    if text[:1] in ("{", "[") or text.lstrip()[:1] in ("{", "["):
        try:
            found = json.loads(text)
            yield without_surrogates(found) if "\\u" in text else found
        except (ValueError, RecursionError):
            return


HEAD = 4
"""Candidates are found by their first characters; no known text is shorter than this."""

_FEW = 300
"""Up to this many known texts, it is faster to ask first whether any of them occurs at all."""


class Matcher:
    """Finds known texts (lower case), each with what may not stand beside it: None if it counts anywhere, else these
    characters besides letters and digits."""

    def __init__(self, known: Mapping[str, str | None]) -> None:
        self._known = known
        sizes: dict[str, set[int]] = {}
        for text in self._known:
            sizes.setdefault(text[:HEAD], set()).add(len(text))
        self._sizes = {head: sorted(found, reverse=True) for head, found in sizes.items()}

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield start, end and the known text: the longest one at each place, without overlaps."""
        lowered = lower(text)
        if len(self._known) <= _FEW and not any(known in lowered for known in self._known):
            return
        at = 0
        for start in range(len(lowered) - HEAD + 1):
            sizes = self._sizes.get(lowered[start : start + HEAD])
            if sizes is None or start < at:
                continue
            for size in sizes:
                known = lowered[start : start + size]
                if len(known) == size and known in self._known and self._stands_alone(known, lowered, start):
                    yield start, start + size, known
                    at = start + size
                    break

    def _stands_alone(self, known: str, text: str, start: int) -> bool:
        beside = self._known[known]
        around = text[max(0, start - 1) : start] + text[start + len(known) : start + len(known) + 1]
        return beside is None or not any(c.isascii() and (c.isalnum() or c in beside) for c in around)
