"""Finds secrets that are recognized by their shape: keys and tokens of many vendors, and random-looking text.

The rules are in ``data/secrets.toml``. With ``planscope[redact]``, Kingfisher (Apache 2.0, MongoDB) scans, too: it
knows hundreds of other services. It runs in this process and asks no service whether a key is valid.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from planscope.safe.secret_names import is_chosen, is_value
from planscope.sharing.redact.hits import NAMED, RANDOM, SHAPE, Hit, data, is_telling
from planscope.sharing.redact.names import has_login
from planscope.stats import entropy

END = "."
"""The end of a sentence, with which no key ends."""

_SEPARATOR = r"[\s\"\x27,]{1,4}"
_VALUE = r"(?P<value>[^\s\"\x27`,;|@]{3,200})"

BEFORE = 40
"""The limit for the text between a word and the value that it announces, in characters."""


class Rule(NamedTuple):
    """A shape. The pattern matches only texts that contain one of ``needs`` (``folded``: in lower case).

    ``named``: the match may be an ordinary word, and counts only if it can be a secret.
    """

    kind: str
    label: str
    needs: tuple[str, ...]
    folded: bool
    pattern: re.Pattern[str]
    named: bool = False


class NearRule(NamedTuple):
    """A shape that counts only after one of ``words`` and, with ``random``, only if it looks random."""

    kind: str
    label: str
    words: tuple[str, ...]
    body: re.Pattern[str]
    random: bool


@cache
def load_rules() -> tuple[tuple[Rule, ...], tuple[NearRule, ...]]:
    """Return the rules that ship with planscope."""
    found = data("secrets.toml")
    rules = tuple(
        Rule(r["kind"], r["label"], tuple(r["needs"]), "(?i" in r["pattern"], re.compile(r["pattern"]))
        for r in found["rule"]
    )
    rules += tuple(
        Rule(
            "named-secret",
            "value of a secret's name",
            tuple(r["needs"]),
            "(?i" in r["pattern"],
            _command(r["pattern"]),
            True,
        )
        for r in found["named"]
    )
    near = tuple(
        NearRule(
            r["kind"],
            r["label"],
            tuple(r["words"]),
            re.compile(rf"(?<![A-Za-z0-9_+/-])(?:{r['body']})(?![A-Za-z0-9_+/-])"),
            r.get("random", False),
        )
        for r in found["near"]
    )
    return rules, near


def _command(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("SEP", _SEPARATOR).replace("VALUE", _VALUE))


_STANDS_FOR_ONE = re.compile(r"EXAMPLE|[xX]{6}|\*{4}")
"""A part of a made-up key in documentation."""


def shaped(text: str, lowered: str) -> Iterator[Hit]:
    """Find what has the shape of a secret. ``lowered`` is the text in lower case."""
    for rule in load_rules()[0]:
        where = lowered if rule.folded else text
        if any(need in where for need in rule.needs):
            for match in rule.pattern.finditer(text):
                named = "value" in match.re.groupindex and match["value"] is not None
                start, end = match.span("value") if named else match.span()
                end = start + len(text[start:end].rstrip(END))
                if rule.named and (is_value(text[start:end]) or is_chosen(text[start:end])):
                    yield Hit(start, end, rule.kind, rule.label, NAMED, is_telling(text[start:end]))
                elif start < end and not rule.named and _STANDS_FOR_ONE.search(text, start, end) is None:
                    yield Hit(start, end, rule.kind, rule.label, SHAPE)


def beside_words(text: str, lowered: str) -> Iterator[Hit]:
    """Find shapes that are secrets only after a word such as the name of a vendor."""
    for rule in load_rules()[1]:
        if any(word in lowered for word in rule.words):
            for match in rule.body.finditer(text):
                before = lowered[max(0, match.start() - BEFORE - 20) : match.start()]
                public = _DIGEST.search(before) is not None
                if (
                    any(word in before for word in rule.words)
                    and not (rule.random and public)
                    and (not rule.random or looks_random(match[0]))
                ):
                    yield Hit(*match.span(), rule.kind, rule.label, NAMED)


_TOKEN = re.compile(r"(?<![A-Za-z0-9_+/.-])[A-Za-z0-9_+/-]{32,}={0,2}(?![A-Za-z0-9_+/=-])")
_HEX = re.compile(r"(?:0x)?[0-9a-f]{32,}|(?:0x)?[0-9A-F]{32,}")
_KNOWN = re.compile(
    r"(?:call|chatcmpl|resp|msg|run|lc_run|rs|fc|toolu|asst|thread|item|req|gen|ws|cmpl|fp)[_-].*"
    r"|sha(?:1|256|512)[-:].*|_Z[A-Z0-9].*",
    re.IGNORECASE,
)
"""Ids that providers give to messages and calls; checksums of files."""

_DIGEST = re.compile(
    r"(?:\w/[\w.-]{1,28}(?=@)|\b(?:sha|md)-?[0-9]{1,3} ?\([^()\n]{1,20}\)"
    r"|\b(?:container|layer|snapshot|volume|network|pod|sandbox|commit|tree|parent|blob|merge|etag|md5|sha-?[0-9]{0,3}|hash|digest|checksum|integrity|revision|rev|head"
    r"|(?:trace|span|request|correlation|build|image|object)[ _-]?id|h1|pub(?:lic)?[ _-]?key|fingerprint|peer)\b"
    r"|data:[a-z]+/[a-z0-9.+-]+;base64|\.(?:tgz|zip|whl|gz)|sha[0-9]{1,3})\W{0,5}(?:W/\")?\Z",
    re.IGNORECASE,
)
"""Announces the checksum of a file, a commit or a picture."""

_PUBLIC = re.compile(
    r"-----BEGIN (?:[A-Z0-9 ]{0,20}PUBLIC KEY|[A-Z0-9 ]{0,20}CERTIFICATE)[A-Z ]{0,10}-----[^-]*"
)
"""A public key or a certificate, which everybody may read."""

_SHA = re.compile(r"(?:^|/)(?:[0-9a-f]{40}|[0-9a-f]{64})(?:/|$)")
_SECRET_BEFORE = re.compile(
    r"key\b|token|secret|passw|auth|bearer|credential|cookie|sess|sig(?:nature)?\b|otp|seed|mnemonic|private|hmac|salt|nonce|jwt",
    re.IGNORECASE,
)
"""A word before hexadecimal digits of a checksum's length, without which they are the name of a commit or of a file."""

_PICTURE = re.compile(r"/9j/4|iVBORw0KGgo|R0lGOD|UklGR|JVBERi0|PHN2Zy|AAAAHGZ0eX|SUkqA|Qk0")
"""How the base64 of a picture or a PDF begins."""

_FILE_FOLLOWS = re.compile(r" [ *][^\s]+\.\w{1,6}(?!\S)")
"""The file name after a checksum, as md5sum writes it."""

_LONGEST = 4096


def _classes(token: str) -> list[str]:
    return ["d" if c.isdigit() else "u" if c.isupper() else "l" if c.islower() else "s" for c in token]


def looks_random(token: str) -> bool:
    """Return whether a token of 20 characters or more is unlikely to be words, a path or a name."""
    token = token[:_LONGEST].rstrip("=")
    if _HEX.fullmatch(token):
        return len(set(token)) >= 8 and sum(c.isdigit() for c in token) >= 4
    kinds = _classes(token)
    changes = sum(a != b for a, b in pairwise(kinds))
    mixed = "d" in kinds and ("u" in kinds) + ("l" in kinds) >= 1
    if not mixed or changes < 0.3 * len(token):
        return False
    bits = entropy(often / len(token) for often in Counter(token).values())
    return bits >= min(4.0, math.log2(len(token)) - 1.0)


def _tells_secret(text: str, start: int) -> bool:
    """Return whether the line before a place speaks of a secret."""
    return _SECRET_BEFORE.search(text, max(text.rfind("\n", 0, start) + 1, start - 120), start) is not None


def random_looking(text: str) -> Iterator[Hit]:
    """Find tokens of 32 characters or more that look random and are no id of a message or a call."""
    public = [block.span() for block in _PUBLIC.finditer(text)] if "-----BEGIN" in text else []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if (
            any(start < match.start() < end for start, end in public)
            or _DIGEST.search(text, max(0, match.start() - 30), match.start())
            or _FILE_FOLLOWS.match(text, match.end())
            or _PICTURE.match(token)
            or (_SHA.search(token) and not _tells_secret(text, match.start()))
            or re.fullmatch(r"[0-9A-F]{40}", token)
        ):
            continue
        if not _KNOWN.fullmatch(token) and token.count("/") <= 4 and looks_random(token):
            yield Hit(*match.span(), "random-text", "random-looking text", RANDOM)


_SHORTEST = 8
_MOST = 1000
"""Limit of different secrets of the library in one text. Each is searched for separately."""


@cache
def _scanner() -> Any:
    """Return the library's scanner, or None if it is not installed or does not load on this machine."""
    try:
        from kingfisher_sdk import Scanner
    except (ImportError, OSError, RuntimeError, SystemError, AttributeError):  # our own rules remain
        return None
    return Scanner()


def has_library() -> bool:
    """Return whether the library is installed and loads."""
    return _scanner() is not None


def found_by_library(text: str) -> Iterator[Hit]:
    """Find what the library considers a secret."""
    scanner = _scanner()
    if scanner is None or len(text) < _SHORTEST:
        return
    secrets: dict[str, str] = {}
    for finding in scanner.scan(text):
        secret = finding.secret
        if not finding.visible or not isinstance(secret, str) or has_login(secret):
            continue  # the password and the host of an address are found separately
        secret = secret.rstrip(END)
        if len(secret) >= _SHORTEST:
            secrets.setdefault(secret, str(finding.rule_id).rpartition(".")[2])
    for secret, rule in list(secrets.items())[:_MOST]:
        name = re.sub(r"[^a-z0-9]+", "-", rule.lower()).strip("-")[:40] or "secret"
        start = text.find(secret)
        while start >= 0:
            yield Hit(start, start + len(secret), name, name.replace("-", " "), SHAPE)
            start = text.find(secret, start + len(secret))
