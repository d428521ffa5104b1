"""Values that the word before them gives away: ``password = ...``, ``"token": "..."``, an argument called ``pin``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from planscope.sharing.hits import NAMED, Hit
from planscope.sharing.logins import is_telling as is_telling
from planscope.sharing.logins import logins
from planscope.sharing.word_lists import words

KIND = "named-secret"
LABEL = "value of a secret's name"

_JOIN = r"[_ .-]?"
_NAME = (
    r"pass(?:word|wd|[_ -]?phrase|code)|passwd|pwd|secret|token|credentials?|authorization|(?<=[a-z0-9][_-])pass|"
    rf"(?:api|access|auth|private|secret|encryption|signing|master|session|account|shared|service|app)"
    rf"{_JOIN}(?:key|token|secret)|client{_JOIN}secret|connection{_JOIN}string"
)


def _quoted(mark: str, name: str) -> str:
    """A text between quotation marks: as they are, escaped alike, or one of them less than the other."""
    inside = rf"(?:[^{mark}\\\n]|\\.){{1,400}}?"
    return (
        rf"{mark}(?P<{name}>{inside}){mark}"
        rf"|(?P<{name}_escape>\\{{1,3}}){mark}(?P<{name}_escaped>{inside})(?<!\\)(?P={name}_escape){mark}"
        rf"|\\{{0,3}}{mark}(?P<{name}_odd>{inside})\\{{0,3}}{mark}"
    )


_ASSIGNED = re.compile(
    rf"(?i:(?P<name>{_NAME}))(?:[_-][A-Za-z0-9_-]{{0,30}})?[\"'\]\\]{{0,4}}\s{{0,3}}"
    r"(?P<sign>:=|=>|==|:|=|%3[Dd]|\bis\b|\bwas\b)"
    r"\s{0,3}(?:"
    + _quoted('"', "double")
    + "|"
    + _quoted("'", "single")
    + r"|(?P<bare>[^\s\"',;&<>(){}\[\]]{4,400}(?:&(?![\w.;-]{1,40}[=;])[^\s\"',;&<>(){}\[\]]{1,100}){0,3}))"
)
_VALUES = ("double", "double_escaped", "double_odd", "single", "single_escaped", "single_odd", "bare")
_STARTS = re.compile(_NAME)
_PARTS = ("pass", "pwd", "secret", "token", "credential", "authorization", "key", "string")
"""One of these is in every such name."""

_SHORT = re.compile(
    r"\b(?i:pin|cvv|cvc|otp|one-time code)[\"']{0,2}\s{0,3}[:=]\s{0,3}[\"']?"
    r"(?P<value>[0-9]{3,8})\b"
)
_MYSQL = re.compile(r"\b(?:mysql|mysqldump|mysqladmin)\b[^\n]{0,80}?\s-p(?P<value>[^\s\"']{4,100})")
_SWITCH = re.compile(
    r"--(?:password|passwd|token|secret|api-key|apikey|auth-token|access-token)[ =]{1,3}[\"']?"
    r"(?P<value>[^\s\"'-][^\s\"']{3,200})"
)

_OTHERS = ((_SHORT, ("pin", "cv", "otp", "one-time")), (_MYSQL, ("mysql",)), (_SWITCH, ("--",)))

_EMPTY = re.compile(
    r"(?i:x+|\*+|\.+|-+|_+|\u2022+|<.*>|\$\{.*|\$[A-Z_]+|%.*%|\{.*|none|null|nil|true|false|undefined|n/?a|yes|no"
    r"|your[-_ ].*|my[-_](?:token|key|password|secret)|change[-_]?me|example|string|str|int|integer|bytes|object"
    r"|required|optional|missing|invalid|expired|wrong|unknown|empty|bearer|basic|digest|os\.environ.*"
    r"|process\.env.*|.*getenv.*|hidden|masked|redacted|secret|password|token|key|value|not|set|unset|here|too|the)"
)
"""What stands where a value would, and is none."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def _words(name: str) -> list[str]:
    return [w for w in re.split(r"[^a-z0-9]+", _CAMEL.sub("_", name[:200]).lower()) if w]


def names_secret(name: str) -> bool:
    """Whether a mapping's key says that its value is a secret."""
    parts = _words(name)
    if not parts or parts[-1] in words("secret", "about") or parts[0] in words("secret", "first"):
        return False
    single, before_key = words("secret", "single"), words("secret", "before_key")
    if not single.isdisjoint(parts) or "".join(parts[-2:]) in single:
        return True
    if any(b in ("key", "string") and a in before_key for a, b in pairwise(parts)):
        return True
    return holds_secrets(name)


def holds_secrets(name: str) -> bool:
    """Whether all that stands below a mapping's key is secret: ``secrets``, ``credentials``."""
    parts = _words(name)
    return bool(parts) and len(parts) <= 2 and parts[-1] in words("secret", "plural")


def is_value(text: str) -> bool:
    """Whether this can be a secret at all: not a stand-in, not a word about it."""
    return len(text.strip()) >= 3 and not _EMPTY.fullmatch(text.strip())


def assigned(text: str, lowered: str, once: str) -> Iterator[Hit]:
    """What a text itself calls a password, a token, a key, a login.

    ``lowered``: the text in lower case, of the same length; ``once``: its different words.
    """
    folded = lowered if once is text else once.lower()
    if any(part in folded for part in _PARTS):
        yield from _named(text, lowered)
    yield from logins(text, lowered)
    for pattern, needs in _OTHERS:
        if not any(need in lowered for need in needs):
            continue
        for match in pattern.finditer(text):
            if is_value(match["value"]):
                yield Hit(*match.span("value"), KIND, LABEL, NAMED, is_telling(match["value"]))


def _named(text: str, lowered: str) -> Iterator[Hit]:
    """Values behind their names. Names are looked for in lower case, which takes a fraction of the time.

    What is no value may hold a name and a value itself.
    """
    looked = 0
    for name in _STARTS.finditer(lowered):
        match = _ASSIGNED.match(text, name.start()) if name.start() >= looked else None
        if match is None:
            continue
        group = next(g for g in _VALUES if match[g] is not None)
        start, end = match.span(group)
        if group == "bare":
            end = start + len(match[group].rstrip(".,;:!?\\`*"))
        value, looked = text[start:end], start
        if _believable(value, match["name"].lower(), match["sign"], group != "bare"):
            yield Hit(start, end, KIND, LABEL, NAMED, is_telling(value))
            looked = match.end()


def _believable(value: str, name: str, sign: str, quoted: bool) -> bool:
    if not is_value(value):
        return False
    odd = any(c.isdigit() for c in value) or not value.isalnum() or not (value.islower() or value.istitle())
    if sign in ("is", "was"):
        return odd and not value.isalpha() and len(value) >= 5
    if quoted or sign in ("=", "%3D", "%3d"):
        return odd or len(value) >= 4
    return odd or name.startswith(("pass", "pwd"))
