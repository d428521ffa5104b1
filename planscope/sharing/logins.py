"""Logins inside a longer text: a name and a password in an address or behind a switch, and cookies.

The password is a value of its own, so that it is found by itself elsewhere too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from planscope.sharing.hits import PERSONAL, SHAPE, Hit
from planscope.sharing.word_lists import words

_IN_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,30}:(?:\\{0,4}/){2}"
    r"(?P<user>[^\s/@:\"'<>\\]{0,100}):(?P<secret>[^\s/@\"'<>]{1,200})@(?=[A-Za-z0-9_\[{$-])"
)
_BEHIND_SWITCH = re.compile(
    r"(?:(?<=\s)-u|--user)[ =]{1,3}[\"']?(?P<user>[^\s:\"'/]{1,60}):(?P<secret>[^\s\\\"'/:]{3,100})"
)
_COOKIES = re.compile(
    r"(?i:\b(?P<set>Set-)?Cookie)[\"']{0,2}\s{0,3}:\s{0,3}[\"']{0,2}(?P<pairs>[\w.-]{1,60}=[^\n\\\"'<>]{1,4000})"
)
_PAIR = re.compile(r"(?:^|;)\s{0,3}[\w.-]{1,60}=(?P<value>[^\s;`)]{5,4000}[^\s;`).,])")


def logins(text: str, lowered: str) -> Iterator[Hit]:
    """Names and passwords. ``lowered``: the text in lower case, of the same length."""
    if "@" in text:
        for match in _IN_ADDRESS.finditer(text):
            yield from _login(match, "login-in-address", "password in an address")
    if "-u" in text:
        for match in _BEHIND_SWITCH.finditer(text):
            yield from _login(match, "curl-login", "password on a command line")
    if "cookie" in lowered:
        for match in _COOKIES.finditer(text):
            for pair in _PAIR.finditer(match["pairs"]):
                start, end = (match.start("pairs") + place for place in pair.span("value"))
                yield Hit(start, end, "cookie", "cookie", SHAPE, is_telling(pair["value"]))
                if match["set"]:
                    break  # what follows says how long and where it counts


def has_login(text: str) -> bool:
    """Whether a text holds an address with a password in it."""
    return "@" in text and _IN_ADDRESS.search(text) is not None


def is_telling(value: str) -> bool:
    """Whether a secret is odd enough to be looked for elsewhere."""
    plain = value.isalpha() and (value.islower() or value.istitle() or value.isupper())
    if value.isdigit():
        return len(value) >= 10
    return (len(value) >= 8 and not plain) or len(value) >= 16


def _login(match: re.Match[str], kind: str, label: str) -> Iterator[Hit]:
    user = match["user"]
    if user and user.lower() not in words("user", "nobody"):
        yield Hit(*match.span("user"), "user-name", "user name", PERSONAL, strong=False)
    yield Hit(*match.span("secret"), kind, label, SHAPE, is_telling(match["secret"]))
