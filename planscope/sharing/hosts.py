"""Names and numbers of machines: in addresses, in error messages, by themselves."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from planscope.sharing.hits import HOST, Hit
from planscope.sharing.word_lists import words

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
"""Numbers of RFC 5737 and RFC 3849: nobody's."""

_MAY_SAY = ("host", "resolve", "enotfound", "eai_again", "getaddrinfo", "server", "node", "machine")
"""Without one of these in a text in lower case, it says no host."""

_VERSION = re.compile(r"(?i:\bv|\bversion|\brelease)[ =:]{0,2}\Z")


def is_public(name: str) -> bool:
    """Whether it is one of the hosts that everybody talks to, or nobody's."""
    return name.lower() in words("host", "public") or is_reserved(name)


def is_reserved(name: str) -> bool:
    """Whether it is a name of RFC 2606, which are there for examples."""
    return _RESERVED.search(name.lower()) is not None


def hosts(text: str, lowered: str, once: str) -> Iterator[Hit]:
    """Machines by name and by number. ``lowered`` is the text in lower case, ``once`` its different words."""
    for match in _IN_ADDRESS.finditer(text) if "//" in once or "\\/" in once else ():
        if not _is_number(match["host"]) and not is_public(match["host"]):
            yield _host(match)
    if "." in once and _NAME.search(once):
        for match in _NAME.finditer(text):
            name, parts = match["host"], match["host"].count(".") + 1
            sure = _is_end(match["end"], parts >= 3 or name.startswith("www."))
            if sure and not is_public(name) and not name.replace(".", "").isdigit():
                yield _host(match)
    if "." in once and _IPV4.search(once):
        for match in _IPV4.finditer(text):
            if _is_private_number(match[0]) and not _VERSION.search(
                text, max(0, match.start() - 12), match.start()
            ):
                yield Hit(*match.span(), "ip-address", "IP address", HOST, edged=True)
    if ":" in once or "-" in once:
        yield from _by_colons(text, once)
    if "@" in once:
        yield from (_host(m) for m in _LOGIN.finditer(text) if not is_public(m["host"]))
    for match in _SAID.finditer(text) if any(word in lowered for word in _MAY_SAY) else ():
        name = match["host"]
        if re.search(r"[0-9.-]", name) and not _is_number(name) and not is_public(name):
            yield _host(match)
    for match in _SHARE.finditer(text) if "\\\\" in once else ():
        if re.search(r"[0-9.-]", match["host"]) and not _is_number(match["host"]):
            yield _host(match)
    if "ip-" in once:
        yield from (_host(m) for m in _CLOUD.finditer(text))


def _by_colons(text: str, once: str) -> Iterator[Hit]:
    for match in _WITH_PORT.finditer(text) if _WITH_PORT.search(once) else ():
        if re.search(r"[0-9-]", match["host"]) and not is_public(match["host"]):
            yield _host(match)
    for match in _MAC.finditer(text) if _MAC.search(once) else ():
        yield Hit(*match.span(), "mac-address", "hardware address", HOST, edged=True)
    for match in _IPV6.finditer(text) if _IPV6.search(once) else ():
        if _is_ipv6(match[0]):
            yield Hit(*match.span(), "ip-address", "IP address", HOST, edged=True)


def _host(match: re.Match[str]) -> Hit:
    return Hit(*match.span("host"), "host", "host name", HOST, edged=True)


def is_host(text: str) -> bool:
    """Whether the value of something called a host is the name of one that is not everybody's."""
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
