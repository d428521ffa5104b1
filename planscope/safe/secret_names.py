"""Decides which names are names of secrets, in data, text, environment and errors.

It finds parts of words (``PGPASSWORD``, ``dbpass``, ``apiToken``) and knows words that only look similar (``author``,
``secretary``, ``max_tokens``).
"""

from __future__ import annotations

import base64
import json
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from urllib.parse import quote


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_INSIDE = re.compile(
    "password|passwd|passphrase|passcode|secret|token|apikey|credential|cookie|sharedaccesskey|accountkey|connectionstring"
    "|passwo(?:rt|ert)|kennwo(?:rt|ert)|geheim|zugangsdaten|anmeldedaten|mots?depasse|identifiants|contrasena|credencial|clavesecreta"
)
"""Words that mean a secret anywhere in a name, whatever separates its parts; also in German, French and Spanish."""

_PART = re.compile(
    r"pw|pwd.*|.*pwd|(?!(?:by|com|over|under|tres|sur|im)pass).*pass|o?auth\d?|(?:basic|proxy|http|digest|my|db|user|app)auth"
    r"|.*dsn|authorization|bearer|jwt|otp|cvv|cvc|ssn|pin|pat|creds?|jeton|clave|authkey"
)
"""Words that mean a secret if they are a whole part of a name."""

_INNOCENT = re.compile(
    r"secretar\w*|tokeni[sz]\w*|authori(?:t|s|ze|zes|zed|zer|zing)\w*|cookiecutter|passwordless|credentialed|detoken\w*"
)
"""Words that contain a word for a secret but do not mean one."""

_BEFORE_KEY = _words(
    """
    api access auth private secret encryption encrypt signing sign master session account shared service app storage
    subscription license licence ssh aws openai openrouter anthropic azure gemini groq mistral cohere stripe deploy
    security crypto hmac webhook client consumer server rsa pgp gpg tls ssl registration identity admin
    """
)
_NO_SECRET_KEY = _words(
    """
    primary foreign sort partition cache public hot index group row dict json registry storage object s3 enter shift
    arrow partial unique map routing idempotency host known color colour
    """
)
_ABOUT = _words(
    """
    count counts type types limit limits url urls uri name names policy policies length usage budget expiry expires
    expiration expired size sizes file files path paths dir field fields label id ids index idx max min details format
    version kind endpoint provider storage at on enabled disabled required sock socket method methods mode status state
    strength age ttl seconds minutes hours days date time rate ring audit training reset resets recipe recipes test
    tests check checks review scheme domain samesite flow flows needed error errors exception request prompt manager
    vote ballot ceremony workshop
    """
)
"""Last words of names that describe a secret but do not hold it."""

_FIRST = _words(
    """
    max min num n next stop pad eos bos unk sep cls mask require requires required has is use uses enable disable no
    redacted count per
    """
)
"""First words of names that describe a secret but do not hold it."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_NO_VALUE = re.compile(
    r"x+|\*+|\.+|-+|_+|•+|=+|<.*>|\$\{.*|\$\(.*|\$[a-z_]+|%[a-z_]+%|\{.*|#\{.*|none|null|nil|true|false"
    r"|undefined|n/?a|yes|no"
    r"|your[-_ ].*|my[-_](?:token|key|password|secret)|change[-_]?me|example|string|str|int|integer|bytes|object|bool"
    r"|boolean"
    r"|required|optional|missing|invalid|expired|wrong|unknown|empty|bearer|basic|digest|.*\bos\.environ.*|optional\[.*"
    r"|process\.env.*|.*getenv.*|getpass\.getpass.*|field|secretstr|(?:self|args|settings|config)\._?[a-z_]+|\(?hidden\)?"
    r"|masked|\[?redacted\]?|secrets?|passwords?|passwd|tokens?|auth|cookies?|credentials?|keys?|value|not|set|unset"
    r"|here|too|the|redacted_[a-z0-9_]+|\[secret\]|disabled|enabled|oauth2?|yes\)|us(?:er|ing)|default|.{0,2}",
    re.IGNORECASE | re.DOTALL,
)
"""Texts in place of a value that are no secret, for example placeholders."""


@lru_cache(maxsize=20_000)
def names_secret(name: str) -> bool:
    """Return whether the value of a name (a key, a variable, an option, a header) is a secret."""
    parts = _parts(name)
    if parts[-2:] == ["secret", "id"]:
        return True
    if not parts or parts[-1] in _ABOUT or parts[0] in _FIRST:
        return False
    whole = "".join("" if _INNOCENT.fullmatch(part) else part for part in parts)
    if _INSIDE.search(whole) or any(_PART.fullmatch(part) for part in parts):
        return True
    return any(_is_key(name, parts, n) for n, part in enumerate(parts) if part.endswith(("key", "keys")))


def is_count(name: str, value: str) -> bool:
    """Return whether the value is a number of tokens of a text, and not a secret token."""
    if re.fullmatch(r"[\d.,_]+", value) is None:
        return False
    return "tokens" in name.lower() or ("token" in name.lower() and len(value) < 6) or len(value) < 3


def is_value(text: str) -> bool:
    """Return whether a text can be a secret: it is no placeholder, and no word about a secret."""
    return _NO_VALUE.fullmatch(text.strip()) is None


def environment_secrets(environment: Mapping[str, str] | None = None) -> tuple[tuple[str, str], ...]:
    """Return name and value of every secret in an environment (by default of this process), the longest value first.

    The password in a login or a URL, and each line of a key, are also secrets of their own.
    """
    found = os.environ if environment is None else environment
    told: dict[str, str] = {}
    for name, value in sorted(found.items()):
        if _is_secret(name, value):
            parts = re.findall(r"://[^\s/:@]*:([^\s/@]{5,})@", value) + re.findall(
                r"\A[\w.@-]{1,60}:(?!//)(\S{6,})\Z", value
            )
            lines = [line for line in value.splitlines() if len(line) >= 8 and not line.startswith("-----")]
            for part in (value, *parts, *lines):
                told.setdefault(part, name)
    return tuple((name, value) for value, name in sorted(told.items(), key=lambda one: -len(one[0])))


def places_of(text: str, value: str) -> Iterator[tuple[int, int]]:
    """Return the ranges of a secret value in a text: as it is, escaped, or within base64 (then the range of all the
    base64)."""
    edged = value.isalnum() and len(value) < 16
    for spelling in dict.fromkeys((value, quote(value, safe=""), json.dumps(value)[1:-1], repr(value)[1:-1])):
        yield from standing(text, spelling, edged)
    for piece in _in_base64(value):
        for start, end in standing(text, piece, False):
            left = re.search(r"[A-Za-z0-9+/_-]*\Z", text[:start])
            right = re.compile(r"[A-Za-z0-9+/_-]*={0,2}").match(text, end)
            yield (left.start() if left else start), (right.end() if right else end)


def without_secrets(text: str, environment: Mapping[str, str] | None = None) -> str:
    """Replace every secret value of the environment, also in base64, by ``[secret]``."""
    for _, value in environment_secrets(environment):
        for start, end in sorted(set(places_of(text, value)), reverse=True):
            if start < len(text):
                text = f"{text[:start]}[secret]{text[end:]}"
    return text


def _parts(name: str) -> list[str]:
    """Split a name into words in lower case, without accents and numbers: ``dbPass_2`` is db, pass."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name[:200]) if not unicodedata.combining(c))
    return [w for w in re.split(r"[^a-z]+", _CAMEL.sub("_", plain).lower()) if w]


def _is_key(name: str, parts: list[str], n: int) -> bool:
    """Return whether the part is a secret key (``api_key``, ``OPENAIKEY``). In capitals almost every key counts."""
    before = parts[n].removesuffix("s").removesuffix("key") or (parts[n - 1] if n else "")
    if not before or before in _NO_SECRET_KEY:
        return False
    if before in _BEFORE_KEY or before.endswith(("api", "secret", "private", "access")):
        return True
    glued = parts[n] in ("key", "keys")
    return glued and n == len(parts) - 1 and name.isupper() and parts[n] == "key"


def _is_secret(name: str, value: str) -> bool:
    """Return whether a value is a secret: no path, option or common word, and a URL only if it contains a login."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", value):
        login = "@" in value or "hooks." in value
        return login and (
            names_secret(name) or re.search(r"url$|uri$|connection|webhook", name, re.I) is not None
        )
    if not names_secret(name) or len(value) < 6 or not is_value(value):
        return False
    if value.isdigit() or re.fullmatch(r"[~.]?(?:/[A-Za-z0-9._-]+){2,}/?|[A-Za-z]:\\.*|-\S*", value):
        return False
    if value.isalpha() and (value.islower() or value.isupper()):
        return len(value) >= 8
    return True


def standing(text: str, value: str, edged: bool) -> Iterator[tuple[int, int]]:
    """Return the ranges of a value in a text. ``edged``: only where it is a word of its own."""
    start = text.find(value) if value else -1
    while start >= 0:
        end = start + len(value)
        if not edged or not (_in_word(text[start - 1 : start]) or _in_word(text[end : end + 1])):
            yield start, end
        start = text.find(value, end)


def _in_word(character: str) -> bool:
    return character.isalnum() or character in ("_", "-")


@lru_cache(maxsize=200)
def _in_base64(value: str) -> tuple[str, ...]:
    """Return the characters that base64 of any text around the value must contain, for each of the three alignments."""
    raw = value.encode(errors="replace")
    found = []
    for before in range(3):
        letters = base64.b64encode(b"\0" * before + raw).decode()
        piece = letters[(0, 2, 3)[before] : (before + len(raw)) * 8 // 6]
        if len(piece) >= 7:
            found += [piece, piece.replace("+", "-").replace("/", "_")]
    return tuple(dict.fromkeys(found))
