"""One value in all the spellings that JSON, addresses and names of tools make of it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

from planscope.language.problem import slug
from planscope.session.json_bytes import plain_text, without_surrogates

_LEVELS = 3
"""How deep JSON is written inside strings of JSON."""

_FOLDED = ("email", "host", "user-name")
_ESCAPES = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")


def canonical(kind: str, text: str) -> str:
    """The same for two spellings of the same value."""
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
    """The value itself and as it stands in JSON (also inside a string of JSON), in addresses, in HTML."""
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
    """What the name of a tool makes of the value, where that is long enough to be told apart."""
    made = slug(text)
    return made if len(made) >= 8 and made != text.lower() and "_" in made else None


def unescaped(text: str) -> str:
    """A text with escapes of code points written out, at whatever depth; halves of letters as U+FFFD."""
    if "\\u" not in text and "\\x" not in text:
        return text
    return plain_text(_ESCAPES.sub(lambda m: chr(int(m[1] or m[2], 16)), text))


def decoded(text: str) -> Iterator[object]:
    """The JSON that a string holds, if it holds an object or a list."""
    if text[:1] in ("{", "[") or text.lstrip()[:1] in ("{", "["):
        try:
            found = json.loads(text)
            yield without_surrogates(found) if "\\u" in text else found
        except (ValueError, RecursionError):
            return
