"""Finds what identifies a person or a machine: mail, home directories, users, phones, cards, accounts, hosts,
addresses."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from functools import lru_cache

from planscope.sharing.redact.hits import HOST, PERSONAL, Hit, words

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_HOST = rf"(?P<host>{_LABEL}(?:\.{_LABEL}){{0,9}})"
_IN_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,30}:(?:\\{0,4}/){2}(?:[^\s/@\"'<>]{1,300}@)?"
    rf"{_HOST}(?![A-Za-z0-9_@-])"
)
_NAME = re.compile(
    r"(?<![\w@.$-])(?P<host>(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,9}(?P<end>[a-z]{2,12}))"
    r"(?![\w(-]|\.[A-Za-z0-9_])"
)
_WITH_PORT = re.compile(
    r"(?<![\w.@/-])(?P<host>[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){0,6}):[0-9]{4,5}(?![\w:.-])"
)
_LOGIN = re.compile(
    r"(?:\b(?:ssh|scp|sftp|rsync|mosh)\b[^\n@]{0,60}?\s[\w.-]{1,40}"
    rf"|(?<![\w.@-])[a-z_][\w.-]{{0,31}}(?=@[\w.-]{{1,80}}:[~/]))@{_HOST}"
)
_SAID = re.compile(
    r"(?i:\b(?:host(?:name)?|resolve|enotfound|eai_again|getaddrinfo(?: failed for)?)\b[\"']?[ :=]{1,3}"
    rf"|\b(?:server|node|machine)\b[\"']?\s?[:=]\s?)[\"']?{_HOST}(?![\w@(-])"
)
_SHARE = re.compile(rf"(?<![\w\\:])(?:\\{{2}}|\\{{4}}){_HOST}\\{{1,2}}(?=[\w$])")
_CLOUD = re.compile(r"(?<![\w.-])(?P<host>ip-[0-9]{1,3}(?:-[0-9]{1,3}){3})(?![\w-])")
_IPV4 = re.compile(r"(?<![\w.-])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![\w-]|\.[0-9])")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?:%[a-z0-9]{1,10})?(?![\w:])")
_MAC = re.compile(r"(?<![\w:-])[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}(?![\w:-])")
_RESERVED = re.compile(r"(?:^|\.)(?:example\.(?:com|net|org)|test|example|invalid|localhost)\.?$")
_DOCUMENTATION = [
    ipaddress.ip_network(n) for n in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
]
"""Addresses reserved for documentation (RFC 5737, RFC 3849)."""

_MAY_SAY = ("host", "resolve", "enotfound", "eai_again", "getaddrinfo", "server", "node", "machine")
"""A text without any of these in lower case contains no phrase that names a host."""

_VERSION = re.compile(r"(?i:\bv|\bversion|\brelease)[ =:]{0,2}\Z")


def is_public(name: str) -> bool:
    """Return whether a host is known to everybody, or reserved for examples."""
    return name.lower() in words("host", "public") or is_reserved(name)


def is_reserved(name: str) -> bool:
    """Return whether a host name is reserved for examples (RFC 2606)."""
    return _RESERVED.search(name.lower()) is not None


def hosts(text: str, lowered: str) -> Iterator[Hit]:
    """Find host names, IP addresses and hardware addresses. ``lowered`` is the text in lower case."""
    for match in _IN_ADDRESS.finditer(text) if "//" in text or "\\/" in text else ():
        if not _is_number(match["host"]) and not is_public(match["host"]):
            yield _host(match)
    if "." in text:
        for match in _NAME.finditer(text):
            name, parts = match["host"], match["host"].count(".") + 1
            sure = _is_end(match["end"], parts >= 3 or name.startswith("www."))
            if sure and not is_public(name) and not name.replace(".", "").isdigit():
                yield _host(match)
    if "." in text:
        for match in _IPV4.finditer(text):
            if _is_private_number(match[0]) and not _VERSION.search(
                text, max(0, match.start() - 12), match.start()
            ):
                yield Hit(*match.span(), "ip-address", "IP address", HOST, edged=True)
    if ":" in text or "-" in text:
        yield from _by_colons(text)
    if "@" in text:
        yield from (_host(m) for m in _LOGIN.finditer(text) if not is_public(m["host"]))
    for match in _SAID.finditer(text) if any(word in lowered for word in _MAY_SAY) else ():
        name = match["host"]
        if re.search(r"[0-9.-]", name) and not _is_number(name) and not is_public(name):
            yield _host(match)
    for match in _SHARE.finditer(text) if "\\\\" in text else ():
        if re.search(r"[0-9.-]", match["host"]) and not _is_number(match["host"]):
            yield _host(match)
    if "ip-" in text:
        yield from (_host(m) for m in _CLOUD.finditer(text))


def _by_colons(text: str) -> Iterator[Hit]:
    for match in _WITH_PORT.finditer(text):
        if re.search(r"[0-9-]", match["host"]) and not is_public(match["host"]):
            yield _host(match)
    for match in _MAC.finditer(text):
        yield Hit(*match.span(), "mac-address", "hardware address", HOST, edged=True)
    for match in _IPV6.finditer(text):
        if _is_ipv6(match[0]):
            yield Hit(*match.span(), "ip-address", "IP address", HOST, edged=True)


def _host(match: re.Match[str]) -> Hit:
    return Hit(*match.span("host"), "host", "host name", HOST, edged=True)


def is_host(text: str) -> bool:
    """Return whether a value can be the name of a private host."""
    return re.fullmatch(_HOST, text) is not None and not is_public(text)


def _is_end(end: str, long: bool) -> bool:
    return end in words("host", "ends") or (long and end in words("host", "ends_of_long_names"))


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[0-9.]+", text) is not None


def _is_private_number(text: str) -> bool:
    try:
        found = ipaddress.IPv4Address(text)
    except ValueError:
        return False
    nobodys = any(found in network for network in _DOCUMENTATION)
    return not (nobodys or found.is_loopback or found.is_unspecified or text.startswith(("255.", "0.")))


def _is_ipv6(text: str) -> bool:
    bare = text.partition("%")[0]
    try:
        found = ipaddress.IPv6Address(bare)
    except ValueError:
        return False
    groups = [g for g in bare.split(":") if g]
    if any(found in network for network in _DOCUMENTATION):
        return False
    return not found.is_loopback and len(groups) >= 3 and any(c.isdigit() for c in bare)


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
"""Seven digits, nearly in a row: every number below contains them, except a bank account's."""

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


def personal(text: str) -> Iterator[Hit]:
    """Find personal data that is recognized by its shape."""
    if "@" in text or "%40" in text:
        for match in _MAIL.finditer(text):
            address = match[0].lower().replace("%40", "@")
            if not address.startswith(_NO_PERSON) and not is_reserved(address.rpartition("@")[2]):
                yield Hit(*match.span(), "email", "e-mail address", PERSONAL)
    if "/" in text or "\\" in text:
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
    """Find home directories; each match has the groups ``home`` and ``user``."""
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
    """Return the user that a home directory belongs to."""
    return match["user"].rstrip(".!")


def users_in(text: str, users: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield ranges that name one of these users: in a path, before an ``@``, after ``user =``."""
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
    """Return the lengths of the names, longest first."""
    return sorted({len(user) for user in users}, reverse=True)


def _luhn(digits: str) -> bool:
    if digits[0] not in "23456" or len(set(digits)) < 2:
        return False
    doubled = [int(d) * (1 + i % 2) for i, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _is_iban(text: str) -> bool:
    """Check an IBAN (ISO 13616): first four characters moved to the end, letters as 10 to 35, it is 1 modulo 97."""
    if not 15 <= len(text) <= 34:
        return False
    return int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1
