"""What leads to a person: addresses, home directories, user names, numbers of phones, cards and accounts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from planscope.sharing.hits import PERSONAL, Hit
from planscope.sharing.hosts import is_reserved
from planscope.sharing.word_lists import words

_MAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}(?:@|%40)(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?![\w-])"
)
_NO_PERSON = ("git@", "noreply@", "no-reply@")
_REST = r"[^\s/\\:\"'<>|,;()\[\]{}*?$`]{1,64}"
_UNIX_HOME = re.compile(
    rf"(?<![\w.~-])(?P<home>(?:/mnt)?(?:/[a-z])?/(?:home|Users|var/home|export/home|usr/home)/(?P<user>{_REST}))"
)
_WINDOWS_HOME = re.compile(
    r"(?<![A-Za-z0-9])(?P<home>[A-Za-z]:[\\/]{1,8}(?:Users|Documents and Settings)[\\/]{1,8}"
    rf"(?P<user>[^\\/:*?\"<>|\r\n]{{1,64}}(?=[\\/])|{_REST}))"
)
_TILDE = re.compile(r"(?<![\w/.~])(?P<home>~(?P<user>[a-z_][a-z0-9_-]{1,31}))(?=/)")
_PATH_SIGN, _PART_ENDS = re.compile(r"[/\\]"), re.compile(r"[/\\\s\"',:;)]|\Z")
_USER_IS = re.compile(r"(?i:\b(?:user(?:name)?|owner|login)[\"']?\s{0,2}[=:]\s{0,2}[\"']?)")
_NAME_GOES_ON, _WORD_GOES_ON = re.compile(r"[\w.-]"), re.compile(r"[\w-]")
_HOMES = (
    (_UNIX_HOME, ("home/", "Users/")),
    (_WINDOWS_HOME, ("Users", "Documents and Settings")),
    (_TILDE, ("~",)),
)
_DIGITS = re.compile(r"[0-9](?:[ ()./-]{0,4}[0-9]){6}")
"""What a text must hold for any of the numbers below but a bank account's: seven digits, nearly in a row."""

_DASHED = re.compile(r"[0-9]{2}[-.][0-9]{4}")
_PHONES = (
    re.compile(r"(?<![\w+.])\+[1-9][0-9]{0,2}(?: ?\(0\))?(?:[ .-]?\(?[0-9]{2,4}\)?){2,4}(?![\w])"),
    re.compile(r"(?<![\w.-])(?:\([0-9]{3}\) ?|[0-9]{3}[-.])[0-9]{3}[-.][0-9]{4}(?![\w-])"),
)
_CARD = re.compile(
    r"(?<![\w.-])(?:[0-9]{4}([ -]?)[0-9]{4}\1[0-9]{4}\1[0-9]{3,4}|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5})(?![\w-])"
)
_IBAN = re.compile(
    r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
)
_SOCIAL = re.compile(r"(?<![\w-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![\w-])")


def personal(text: str, once: str) -> Iterator[Hit]:
    """Everything personal that can be told by its shape. ``once``: the different words of the text."""
    if ("@" in once or "%40" in once) and _MAIL.search(once):
        for match in _MAIL.finditer(text):
            address = match[0].lower().replace("%40", "@")
            if not address.startswith(_NO_PERSON) and not is_reserved(address.rpartition("@")[2]):
                yield Hit(*match.span(), "email", "e-mail address", PERSONAL)
    if "/" in once or "\\" in once:
        for match in homes(text):
            yield Hit(*_trimmed(match), "home", "home directory", PERSONAL, edged=True)
    for match in _IBAN.finditer(text):
        if _is_iban(match[0].replace(" ", "")):
            yield Hit(*match.span(), "iban", "bank account", PERSONAL, edged=True)
    if _DIGITS.search(text) is None:
        return
    dashed = _DASHED.search(text) is not None
    for pattern in (*_PHONES[: "+" in text], *_PHONES[1 : 1 + dashed]):
        for match in pattern.finditer(text):
            if 9 <= sum(c.isdigit() for c in match[0]) <= 15:
                yield Hit(*match.span(), "phone", "phone number", PERSONAL, edged=True)
    for match in _CARD.finditer(text):
        if _luhn(re.sub(r"\D", "", match[0])):
            yield Hit(*match.span(), "card", "card number", PERSONAL, edged=True)
    for match in _SOCIAL.finditer(text) if dashed else ():
        yield Hit(*match.span(), "social-security", "social security number", PERSONAL, edged=True)


def homes(text: str) -> Iterator[re.Match[str]]:
    """Home directories, with the groups ``home`` and ``user``."""
    for pattern, needs in _HOMES:
        for match in pattern.finditer(text) if any(need in text for need in needs) else ():
            user = match["user"].rstrip(".!")
            if (
                user
                and user.lower() not in words("user", "nobody")
                and not user.startswith(("REDACTED_", "<", "%"))
            ):
                yield match


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    start, end = match.span("home")
    return start, end - (len(match["user"]) - len(match["user"].rstrip(".!")))


def user_of(match: re.Match[str]) -> str:
    """The user of a home directory."""
    return match["user"].rstrip(".!")


def users_in(text: str, users: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where one of these users is named: in a path, before an ``@``, after ``user =``."""
    sizes = _sizes(users)
    for sign in _PATH_SIGN.finditer(text):
        start = sign.end()
        for end in (start + size for size in sizes if start + size <= len(text)):
            if text[start:end] in users and _PART_ENDS.match(text, end):
                yield start, end
                break
    at = text.find("@")
    while at >= 0:
        for start in (at - size for size in sizes if size <= at):
            if text[start:at] in users and not _NAME_GOES_ON.match(text[start - 1 : start]):
                yield start, at
                break
        at = text.find("@", at + 1)
    for match in _USER_IS.finditer(text):
        start = match.end()
        for end in (start + size for size in sizes if start + size <= len(text)):
            if text[start:end] in users and not _WORD_GOES_ON.match(text, end):
                yield start, end
                break


@lru_cache(maxsize=4)
def _sizes(users: frozenset[str]) -> list[int]:
    """How long the names are, the longest first; any character may stand in one."""
    return sorted({len(user) for user in users}, reverse=True)


def _luhn(digits: str) -> bool:
    if digits[0] not in "23456" or len(set(digits)) < 2:
        return False
    doubled = [int(d) * (1 + i % 2) for i, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _is_iban(text: str) -> bool:
    """ISO 13616: the country and the check digits moved to the end, letters as 10 to 35, modulo 97 is 1."""
    if not 15 <= len(text) <= 34:
        return False
    return int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1
